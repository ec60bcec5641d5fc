/* Cython includes <compile.h>; nothing of it is needed (see Python.h beside this file). */
