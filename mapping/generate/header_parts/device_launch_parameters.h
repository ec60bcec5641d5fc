/* Where a kernel's thread is: known to code of the device only. */
#if defined(__cplusplus)
extern "C" {
#endif
extern const uint3 threadIdx;
extern const uint3 blockIdx;
extern const dim3 blockDim;
extern const dim3 gridDim;
extern const int warpSize;
#if defined(__cplusplus)
}
#endif
