# Later forms, before CUDA 13.
include "common.pxi"
include "later.pxi"
