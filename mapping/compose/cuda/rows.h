/* The driver's descriptions of copies, as the ABI has them: CUDA_MEMCPY2D, CUDA_MEMCPY3D. Places are told by
 * where they lie. */
#ifndef DRAGOMAN_CUDA_ROWS_H
#define DRAGOMAN_CUDA_ROWS_H
#include <stddef.h>
#include <stdint.h>

typedef struct cuda_rows_side {
    size_t x, y;
    unsigned kind; /* CUmemorytype */
    void *host;
    void *device;
    void *array;
    size_t pitch;
} cuda_rows_side;
typedef struct cuda_rows {
    cuda_rows_side src, dst;
    size_t width, height;
} cuda_rows;

typedef struct cuda_box_side {
    size_t x, y, z, lod;
    unsigned kind;
    void *host;
    void *device;
    void *array;
    void *reserved;
    size_t pitch, height;
} cuda_box_side;
typedef struct cuda_box {
    cuda_box_side src, dst;
    size_t width, height, depth;
} cuda_box;

/* hipMemcpy3DParms. */
typedef struct hip_box_end {
    void *array;
    size_t pos[3];
    struct {
        void *ptr;
        size_t pitch, xsize, ysize;
    } at;
} hip_box_end;
typedef struct hip_box {
    hip_box_end src, dst;
    size_t extent[3];
    int kind;
} hip_box;

_Static_assert(sizeof(hip_box) == 160, "hipMemcpy3DParms");
_Static_assert(sizeof(cuda_rows) == 128 && sizeof(cuda_box) == 200, "CUDA_MEMCPY2D_v2, CUDA_MEMCPY3D_v2");
#endif
