/* cudaCreateChannelDesc<T>() for the scalar types and their vectors. */
#if defined(__cplusplus)
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc(void)
{
    return ::cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define DG_CHANNEL(NAME, BITS, KIND)                                                                                 \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<NAME>(void)                                       \
    {                                                                                                                \
        return ::cudaCreateChannelDesc(BITS, 0, 0, 0, KIND);                                                         \
    }                                                                                                                \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<DG_VECTOR(NAME, 1)>(void)                         \
    {                                                                                                                \
        return ::cudaCreateChannelDesc(BITS, 0, 0, 0, KIND);                                                         \
    }                                                                                                                \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<DG_VECTOR(NAME, 2)>(void)                         \
    {                                                                                                                \
        return ::cudaCreateChannelDesc(BITS, BITS, 0, 0, KIND);                                                      \
    }                                                                                                                \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<DG_VECTOR(NAME, 4)>(void)                         \
    {                                                                                                                \
        return ::cudaCreateChannelDesc(BITS, BITS, BITS, BITS, KIND);                                                \
    }
#define DG_VECTOR(NAME, N) NAME##N

DG_CHANNEL(short, 16, cudaChannelFormatKindSigned)
DG_CHANNEL(int, 32, cudaChannelFormatKindSigned)
DG_CHANNEL(float, 32, cudaChannelFormatKindFloat)
#undef DG_CHANNEL
#undef DG_VECTOR
#endif
