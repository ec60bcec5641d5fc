"""Numbers of cuDNN's enumerations that calls are described with; cases hold the words."""

from __future__ import annotations

FORMAT = {"nchw": 0, "nhwc": 1, "nchw_vect_c": 2}
MATH = {"default": 0, "tensor_op": 1, "allow_conversion": 2, "fma": 3}
CONVOLUTION_MODE = {"convolution": 0, "cross_correlation": 1}
POOLING = {"max": 0, "average_include": 1, "average_exclude": 2, "max_deterministic": 3}
ACTIVATION = {"sigmoid": 0, "relu": 1, "tanh": 2, "clipped_relu": 3, "elu": 4, "identity": 5, "swish": 6}
SOFTMAX_ALGORITHM = {"fast": 0, "accurate": 1, "log": 2}
SOFTMAX_MODE = {"instance": 0, "channel": 1}
BATCH_NORM = {"per_activation": 0, "spatial": 1, "spatial_persistent": 2}
NORM = {"per_activation": 0, "per_channel": 1}
NORM_OPS = {"norm": 0, "activation": 1, "add_activation": 2}
OP_TENSOR = {"add": 0, "mul": 1, "min": 2, "max": 3, "sqrt": 4, "not": 5}
REDUCE = {
    "add": 0, "mul": 1, "min": 2, "max": 3, "amax": 4, "avg": 5, "norm1": 6, "norm2": 7, "mul_no_zeros": 8,
}  # fmt: skip
FOLD = {"fold": 0, "unfold": 1}
RNN = {"relu": 0, "tanh": 1, "lstm": 2, "gru": 3}
RNN_BIAS = {"none": 0, "input": 1, "double": 2, "recurrent": 3}
RNN_LAYOUT = {"unpacked": 0, "packed": 1, "batch_major": 2}
RNN_ALGORITHM = {"standard": 0, "persist_static": 1, "persist_dynamic": 2, "persist_static_small_h": 3}
RNN_PADDED_IO = 1
FORWARD = {"inference": 0, "training": 1}
LOSS_NORMALISATION = {"none": 0, "softmax": 1}
CTC_ALGORITHM = {"deterministic": 0, "non_deterministic": 1}
ATTENTION_WEIGHTS = {"q": 0, "k": 1, "v": 2, "o": 3, "q_bias": 4, "k_bias": 5, "v_bias": 6, "o_bias": 7}
SEQUENCE_AXES = {"time": 0, "batch": 1, "beam": 2, "vect": 3}
ATTENTION_BIASES = 2
WGRAD_ADD, WGRAD_SET = 0, 1

# Statuses of cuDNN 9 that this suite reasons about, and cuDNN 8's numbers for them.
SUCCESS, NOT_INITIALIZED, BAD_PARAM, NOT_SUPPORTED = 0, 1001, 2000, 3000
_IN_8 = {
    1001: 1, 1005: 10, 1006: 12, 1007: 13, 1002: 14, 2001: 5, 3007: 6, 3008: 11, 4003: 2, 4006: 7,
}  # fmt: skip
_FAMILY_IN_8 = {0: 0, 1: 1, 2: 3, 3: 9, 4: 4, 5: 8}


def in_version(status: int, version: int) -> int:
    """A status of cuDNN 9 as cuDNN `version` numbers it."""
    if version >= 9 or not status:
        return status
    return _IN_8.get(status, _FAMILY_IN_8.get(status // 1000, 4))


def refuses(status: int, version: int) -> bool:
    """Whether a status says NOT_SUPPORTED in one of its forms."""
    return status // 1000 == 3 if version >= 9 else status in (6, 9)


def blames(status: int, version: int) -> bool:
    """Whether a status says BAD_PARAM in one of its forms."""
    return status // 1000 == 2 if version >= 9 else status in (3, 5)
