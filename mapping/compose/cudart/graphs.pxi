# Graphs of the CUDA runtime: what one call of HIP does not answer.
include "common.pxi"
include "plain.pxi"
include "edges.pxi"
