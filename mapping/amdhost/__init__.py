"""The judge "AMD's real host code": our libraries over AMD's real rocBLAS, rocSOLVER and MIOpen on a fake HIP runtime.

AMD's libraries check the arguments of every call before they ask HIP for a kernel. A HIP runtime that accepts kernels and
runs none is enough to hear what they say, on any machine; and it sees all that is asked of the GPU: on which stream,
which device, what is allocated and waited for, what happens under stream capture.

    releases, debian, packages   which of AMD's libraries, and how they are had
    fake, fake/, watch           the fake HIP runtime, and what stands in front of AMD's libraries
    child, worker, behaviours    a process in which they run, and the calls made there (dnn_worker: cuDNN's)
    log, judge, results, known   what was seen, what of it is wrong, how it is kept
"""
