"""cuDNN's operations by their naive definitions, over `Real` arrays: a value and the bound of its error together.

Arrays are dense and in NCHW order, whatever the layout in memory. Nothing here reaches BLAS: sums of products are element-wise
products in long double, `einsum` without `optimize`, or loops over filter taps and time steps. `tests/parity/test_dnn_oracles.py`
compares sums over windows with loops over single elements, and each backward with the numerical gradient of its forward."""
