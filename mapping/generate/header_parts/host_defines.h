/* Words of CUDA C that mean nothing to a host compiler. */
#ifndef __host__
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#endif
#if defined(_MSC_VER) && !defined(__inline__)
#define __inline__ __inline /* also where C has no `inline`, before C99 */
#endif
#ifndef __forceinline__
#define __forceinline__ __inline__
#endif
#ifndef __align__
#if defined(_MSC_VER)
#define __align__(n) __declspec(align(n))
#else
#define __align__(n) __attribute__((aligned(n)))
#endif
#endif

/* Calling conventions: on x86-64 there is one only, the names are kept for programs that write them. */
#if defined(_WIN32)
#define CUDARTAPI __stdcall
#define CUDART_CB __stdcall
#else
#define CUDARTAPI
#define CUDART_CB
#endif

/* A default argument in C++, nothing in C. */
#if defined(__cplusplus)
#define DG_DEFAULT(value) = value
#else
#define DG_DEFAULT(value)
#endif
