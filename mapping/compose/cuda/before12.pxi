# Entry points of CUDA 11.
include "common.pxi"
include "proc.pxi"
include "recording.pxi"
