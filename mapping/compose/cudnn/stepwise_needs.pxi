# What stepwise.pyx and stepwise64.pyx need besides the type that they compute in.

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_backend.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "say.pxi"
include "words.pxi"
include "amd.pxi"
include "shapes.pxi"
include "packed.pxi"
include "net.pxi"

from libc.stdint cimport INT32_MAX
