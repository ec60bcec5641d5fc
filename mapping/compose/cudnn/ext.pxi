# What cuDNN 9.28 calls extensions. Blocks of tables/cudnn/ext.yaml.

include "common.pxi"


cdef public cudnnStatus_t subquadratic_ops_version_check() noexcept nogil:
    return CUDNN_STATUS_SUCCESS
