"""The kernel library's operations on TensorFlow's tensors, run on an emulated GPU.

    import hipsight.tensorflow as ops
    c = ops.gemm(a, b)                                  # on the GPU of HIPSIGHT_GPU, or an MI300X
    y = tf.function(ops.attention)(q, k, v, causal=True)
    with tf.GradientTape() as tape: ...                 # they have gradients

Eagerly and in tf.function; not under jit_compile, whose compiler takes no calls of Python. docs/python.md
"""

from ._operations import (add_rms_norm, attention, convolution, gelu_mul, gemm, grouped_gemm, layer_norm,  # noqa: F401
                          rms_norm, rope, silu_mul, softmax)
