"""The kernel library's operations on JAX's arrays, run on an emulated GPU.

    import hipsight.jax as ops
    c = ops.gemm(a, b)                              # on the GPU of HIPSIGHT_GPU, or an MI300X
    o = jax.jit(ops.attention, static_argnames="causal")(q, k, v, causal=True)
    d = jax.grad(lambda x: ops.rms_norm(x, weight).sum())(x)

Under jit, grad and vmap. Kernels read the arrays where they lie; JAX copies results once (jax.pure_callback). docs/python.md
"""

from ._operations import (add_rms_norm, attention, convolution, gelu_mul, gemm, grouped_gemm, layer_norm,  # noqa: F401
                          rms_norm, rope, silu_mul, softmax)
