# What a block of cuDNN stands on; the pieces themselves include these one by one, without their own.

include "say.pxi"
include "shapes.pxi"
include "words.pxi"
