/* A Python.h without Python.
 *
 * Cython's C output includes <Python.h> even where no function touches Python. This header declares just what
 * that output names, and defines none of it: what the linker keeps must not need any of it, or the link fails.
 * It serves every target (Linux, Windows) in place of CPython's own headers and is a gate besides: names that only
 * code holding the GIL would use (PyGILState_*, most of PyExc_*) are left out, so such code does not compile.
 *
 * A newer Cython may name something more: the compiler then says which, and one line here answers it.
 */
#ifndef Py_PYTHON_H
#define Py_PYTHON_H

#include <assert.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which Python Cython believes in: the limited API of 3.13 names least ---- */
#define PY_VERSION_HEX 0x030D0000
#define Py_LIMITED_API PY_VERSION_HEX
#define CYTHON_LIMITED_API 1
#define CYTHON_PEP489_MULTI_PHASE_INIT 0

/* The module's entry point becomes a static function that nobody calls: all Python code goes with it. */
#define PyMODINIT_FUNC static __attribute__((unused)) PyObject *

/* ---- constants ---- */
#define PY_LONG_LONG long long
#define PY_SSIZE_T_MAX INTPTR_MAX
#define PY_SSIZE_T_MIN INTPTR_MIN
#define PY_VECTORCALL_ARGUMENTS_OFFSET ((size_t)1 << (8 * sizeof(size_t) - 1))
#define PyModuleDef_HEAD_INIT 0
#define PyOS_snprintf snprintf

enum {
    METH_VARARGS = 1,
    METH_KEYWORDS = 2,
    METH_NOARGS = 4,
    METH_O = 8,
    METH_STATIC = 32,
    METH_FASTCALL = 128
};

enum {
    Py_LT,
    Py_LE,
    Py_EQ,
    Py_NE,
    Py_GT,
    Py_GE
};

enum {
    Py_eval_input = 258
};

typedef enum {
    PYGEN_RETURN,
    PYGEN_ERROR,
    PYGEN_NEXT
} PySendResult;

/* ---- types ---- */
typedef intptr_t Py_ssize_t;
typedef Py_ssize_t Py_hash_t;
typedef struct _object PyObject;
typedef struct _typeobject PyTypeObject;
typedef PyObject *(*PyCFunction)(PyObject *, PyObject *);

typedef struct {
    const char *name;
    PyCFunction meth;
    int flags;
    const char *doc;
} PyMethodDef;

typedef struct PyModuleDef {
    int base;
    const char *name;
    const char *doc;
    Py_ssize_t size;
    PyMethodDef *methods;
    void *slots;
    int (*traverse)(PyObject *, int (*)(PyObject *, void *), void *);
    int (*clear)(PyObject *);
    void (*free)(void *);
} PyModuleDef;

/* ---- objects that exist by name ---- */
extern const unsigned long Py_Version;
extern PyTypeObject PyLong_Type;
extern PyObject *Py_None;
extern PyObject *Py_True;
extern PyObject *Py_False;
extern PyObject *PyExc_DeprecationWarning;
extern PyObject *PyExc_ImportError;
extern PyObject *PyExc_NameError;
extern PyObject *PyExc_OverflowError;
extern PyObject *PyExc_TypeError;

/* ---- references; the macros spare the callers their casts ---- */
void Py_DECREF(PyObject *);
void Py_INCREF(PyObject *);
void Py_XDECREF(PyObject *);
void Py_XINCREF(PyObject *);
PyObject *Py_NewRef(PyObject *);
PyTypeObject *Py_TYPE(PyObject *);
#define Py_DECREF(o) Py_DECREF((PyObject *)(o))
#define Py_INCREF(o) Py_INCREF((PyObject *)(o))
#define Py_XDECREF(o) Py_XDECREF((PyObject *)(o))
#define Py_XINCREF(o) Py_XINCREF((PyObject *)(o))
#define Py_CLEAR(o) ((o) = NULL)
#define Py_TYPE(o) Py_TYPE((PyObject *)(o))

/* ---- bytes and bytearray ---- */
char *PyByteArray_AsString(PyObject *);
int PyByteArray_Check(PyObject *);
PyObject *PyByteArray_FromStringAndSize(const char *, Py_ssize_t);
Py_ssize_t PyByteArray_Size(PyObject *);
char *PyBytes_AsString(PyObject *);
int PyBytes_AsStringAndSize(PyObject *, char **, Py_ssize_t *);
int PyBytes_CheckExact(PyObject *);
PyObject *PyBytes_FromStringAndSize(const char *, Py_ssize_t);
PyObject *PyMemoryView_FromMemory(char *, Py_ssize_t, int);

/* ---- functions and modules ---- */
int PyCFunction_Check(PyObject *);
PyCFunction PyCFunction_GetFunction(PyObject *);
PyObject *PyImport_AddModuleRef(const char *);
PyObject *PyImport_GetModuleDict(void);
PyObject *PyImport_ImportModule(const char *);
PyObject *PyModule_Create(PyModuleDef *);
PyObject *PyModule_GetDict(PyObject *);

/* ---- dict and tuple ---- */
PyObject *PyDict_GetItemString(PyObject *, const char *);
PyObject *PyDict_New(void);
int PyDict_SetItem(PyObject *, PyObject *, PyObject *);
int PyDict_SetItemString(PyObject *, const char *, PyObject *);
PyObject *PyTuple_GetItem(PyObject *, Py_ssize_t);
PyObject *PyTuple_New(Py_ssize_t);
PyObject *PyTuple_Pack(Py_ssize_t, ...);
int PyTuple_SetItem(PyObject *, Py_ssize_t, PyObject *);

/* ---- errors ---- */
void PyErr_Clear(void);
void PyErr_Fetch(PyObject **, PyObject **, PyObject **);
PyObject *PyErr_Format(PyObject *, const char *, ...);
PyObject *PyErr_GetRaisedException(void);
int PyErr_GivenExceptionMatches(PyObject *, PyObject *);
PyObject *PyErr_Occurred(void);
void PyErr_Restore(PyObject *, PyObject *, PyObject *);
void PyErr_SetRaisedException(PyObject *);
void PyErr_SetString(PyObject *, const char *);
int PyErr_WarnEx(PyObject *, const char *, Py_ssize_t);
int PyErr_WarnFormat(PyObject *, Py_ssize_t, const char *, ...);
int PyTraceBack_Here(void *);

/* ---- evaluation ---- */
PyObject *Py_CompileString(const char *, const char *, int);
PyObject *PyEval_EvalCode(PyObject *, PyObject *, PyObject *);
PyObject *PySys_GetObject(const char *);

/* ---- numbers ---- */
int PyLong_AsInt(PyObject *);
long PyLong_AsLong(PyObject *);
long long PyLong_AsLongLong(PyObject *);
Py_ssize_t PyLong_AsSsize_t(PyObject *);
unsigned long PyLong_AsUnsignedLong(PyObject *);
unsigned long long PyLong_AsUnsignedLongLong(PyObject *);
int PyLong_Check(PyObject *);
int PyLong_CheckExact(PyObject *);
PyObject *PyLong_FromLong(long);
PyObject *PyLong_FromLongLong(long long);
PyObject *PyLong_FromSize_t(size_t);
PyObject *PyLong_FromUnsignedLong(unsigned long);
PyObject *PyLong_FromUnsignedLongLong(unsigned long long);
PyObject *PyNumber_And(PyObject *, PyObject *);
PyObject *PyNumber_Index(PyObject *);
PyObject *PyNumber_Invert(PyObject *);
PyObject *PyNumber_Long(PyObject *);
PyObject *PyNumber_Rshift(PyObject *, PyObject *);

/* ---- memory ---- */
void *PyMem_Malloc(size_t);
void *PyMem_Realloc(void *, size_t);

/* ---- objects in general ---- */
PyObject *PyObject_Call(PyObject *, PyObject *, PyObject *);
PyObject *PyObject_CallFunctionObjArgs(PyObject *, ...);
PyObject *PyObject_GetAttr(PyObject *, PyObject *);
PyObject *PyObject_GetAttrString(PyObject *, const char *);
int PyObject_GetOptionalAttr(PyObject *, PyObject *, PyObject **);
int PyObject_GetOptionalAttrString(PyObject *, const char *, PyObject **);
Py_hash_t PyObject_Hash(PyObject *);
int PyObject_IsTrue(PyObject *);
int PyObject_RichCompareBool(PyObject *, PyObject *, int);
int PyObject_SetAttr(PyObject *, PyObject *, PyObject *);
int PyObject_SetAttrString(PyObject *, const char *, PyObject *);
PyObject *PyObject_Vectorcall(PyObject *, PyObject *const *, size_t, PyObject *);
PyObject *PyObject_VectorcallMethod(PyObject *, PyObject *const *, size_t, PyObject *);
Py_ssize_t PyVectorcall_NARGS(size_t);

/* ---- types ---- */
int PyType_Check(PyObject *);
unsigned long PyType_GetFlags(PyTypeObject *);
PyObject *PyType_GetFullyQualifiedName(PyTypeObject *);

/* ---- text ---- */
int PyUnicode_Check(PyObject *);
int PyUnicode_CheckExact(PyObject *);
PyObject *PyUnicode_Decode(const char *, Py_ssize_t, const char *, const char *);
PyObject *PyUnicode_DecodeUTF8(const char *, Py_ssize_t, const char *);
PyObject *PyUnicode_FromFormat(const char *, ...);
PyObject *PyUnicode_FromString(const char *);
PyObject *PyUnicode_FromStringAndSize(const char *, Py_ssize_t);
PyObject *PyUnicode_InternFromString(const char *);
void PyUnicode_InternInPlace(PyObject **);

#endif
