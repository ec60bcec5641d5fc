/* Cython includes <traceback.h>; nothing of it is needed (see Python.h beside this file). */
