/* Cython includes <frameobject.h>; nothing of it is needed (see Python.h beside this file). */
