# MIOpen's activation functions and their derivatives, in double.
from libc.math cimport exp, fabs, log, pow, tanh

cdef struct Function:
    int mode
    double alpha
    double beta
    double gamma
    double epsilon  # what counts as 0 in POWER and in TANH's derivative: coarser for half


cdef inline void set_function(Function *f, int mode, double alpha, double beta, double gamma, int type) noexcept nogil:
    """The kernels take the factors in the tensor's type or as float."""
    f.mode = mode
    f.alpha = <float>alpha
    f.beta = <float>beta
    f.gamma = <float>gamma
    f.epsilon = 1e-4 if type == miopenHalf else 1e-6


cdef inline bint is_function(int mode) noexcept nogil:
    return miopenActivationPASTHRU <= mode <= miopenActivationCLAMP


cdef inline double lesser(double a, double b) noexcept nogil:
    """fmin: a NaN gives way."""
    return a if a < b or b != b else b


cdef inline double greater(double a, double b) noexcept nogil:
    return a if a > b or b != b else b


cdef inline double activate(const Function *f, double x) noexcept nogil:
    cdef double base
    if f.mode == miopenActivationRELU:
        return x * (x > 0)  # NaN stays NaN
    if f.mode == miopenActivationLOGISTIC:
        return 1 / (1 + exp(-x))
    if f.mode == miopenActivationTANH:
        return f.beta * tanh(f.alpha * x)
    if f.mode == miopenActivationSOFTRELU:
        return x + log(1 + exp(-x)) if x > 0 else log(1 + exp(x))
    if f.mode == miopenActivationABS:
        return fabs(x)
    if f.mode == miopenActivationPOWER:
        base = f.alpha + f.beta * x
        return 0 if base <= f.epsilon else pow(base, f.gamma)
    if f.mode == miopenActivationCLIPPEDRELU:
        return lesser(f.alpha, greater(x, 0))
    if f.mode == miopenActivationLEAKYRELU:
        return x * (1 if x > 0 else f.alpha)
    if f.mode == miopenActivationELU:
        return x if x > 0 else f.alpha * (exp(x) - 1)
    if f.mode == miopenActivationCLAMP:
        return lesser(f.beta, greater(x, f.alpha))
    return x


cdef inline double activate_back(const Function *f, double dy, double x, double y) noexcept nogil:
    """dx. POWER forgets dy, as MIOpen's kernel does."""
    cdef double base
    if f.mode == miopenActivationRELU:
        return dy * (x > 0)
    if f.mode == miopenActivationLOGISTIC:
        return dy * y * (1 - y)
    if f.mode == miopenActivationTANH:
        return 0 if fabs(f.beta) <= f.epsilon else dy * f.alpha * (f.beta - y * y / f.beta)
    if f.mode == miopenActivationSOFTRELU:
        base = exp(lesser(x, 50))
        return dy * base / (base + 1)
    if f.mode == miopenActivationABS:
        return dy * (1 if x > 0 else -1)
    if f.mode == miopenActivationPOWER:
        base = f.alpha + f.beta * x
        return 0 if base <= f.epsilon else f.beta * f.gamma * y / base
    if f.mode == miopenActivationCLIPPEDRELU:
        return dy * (x > 0 and x <= f.alpha)
    if f.mode == miopenActivationLEAKYRELU:
        return dy * (1 if x > 0 else f.alpha)
    if f.mode == miopenActivationELU:
        return dy * (1 if x > 0 else y + f.alpha)
    if f.mode == miopenActivationCLAMP:
        return dy * (x > f.alpha and x <= f.beta)
    return dy
