"""What hipsight.jax has: checks, calls of the library, gradients."""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from .. import _arrays
from .._arrays import SIZES

VALUES = (jnp.float16, jnp.bfloat16, jnp.float32)


def told(array):
    return f"{array.dtype} {tuple(array.shape)}"


def refuse(operation, text, **arrays):
    raise ValueError(f"hipsight.jax.{operation}: {text}; " +
                     ", ".join(f"{name} is {told(one)}" for name, one in arrays.items()))


def check_types(operation, types=VALUES, **arrays):
    """All of one type."""
    if len({one.dtype for one in arrays.values()}) > 1 or next(iter(arrays.values())).dtype not in types:
        refuse(operation, f"it takes arrays of {', '.join(jnp.dtype(one).name for one in types)}, all alike", **arrays)


def of_shape(shape, like):
    return jax.ShapeDtypeStruct(shape, like.dtype)


def called(run, results, *arrays, vmap):
    """Calls `run` with NumPy's arrays, from inside a program of JAX."""
    return jax.pure_callback(lambda *given: run(*map(np.asarray, given)), results, *arrays, vmap_method=vmap)


# --- Matrix products -----------------------------------------------------------------------------

def gemm(a, b, *, gpu=None):
    """a @ b on a GPU: ... x M x K times ... x K x N, of float16, bfloat16 or float32, alike; summed in float32."""
    a, b = jnp.asarray(a), jnp.asarray(b)
    check_types("gemm", a=a, b=b)
    if a.ndim < 2 or a.ndim != b.ndim or a.shape[:-2] != b.shape[:-2]:
        refuse("gemm", "it takes two matrices, or two batches of as many", a=a, b=b)
    if a.shape[-1] != b.shape[-2]:
        refuse("gemm", "a's columns are not as many as b's rows", a=a, b=b)
    return _gemm(a, b, False, False, gpu)


@functools.partial(jax.custom_vjp, nondiff_argnums=(2, 3, 4))
def _gemm(a, b, transpose_a, transpose_b, gpu):
    """Of matrices, or of transposes of them where they lie."""
    def run(a, b):
        return _arrays.gemm(a, b, transpose_a, transpose_b, gpu)

    rows = a.shape[-1 if transpose_a else -2]
    columns = b.shape[-2 if transpose_b else -1]
    return called(run, of_shape((*a.shape[:-2], rows, columns), a), a, b, vmap="broadcast_all")


def _gemm_forward(a, b, transpose_a, transpose_b, gpu):
    return _gemm(a, b, transpose_a, transpose_b, gpu), (a, b)


def _gemm_backward(transpose_a, transpose_b, gpu, saved, gradient):
    a, b = saved
    of_a = (_gemm(b, gradient, transpose_b, True, gpu) if transpose_a else
            _gemm(gradient, b, False, not transpose_b, gpu))
    of_b = (_gemm(gradient, a, True, transpose_a, gpu) if transpose_b else
            _gemm(a, gradient, not transpose_a, False, gpu))
    return of_a, of_b


_gemm.defvjp(_gemm_forward, _gemm_backward)


def grouped_gemm(a, b, starts, *, gpu=None):
    """Rows starts[g] to starts[g + 1] of a times b[g]: tokens x K, groups x K x N; other rows give zeros."""
    a, b, starts = jnp.asarray(a), jnp.asarray(b), jnp.asarray(starts)
    check_types("grouped_gemm", a=a, b=b)
    if a.ndim != 2 or b.ndim != 3 or a.shape[1] != b.shape[1]:
        refuse("grouped_gemm", "a must be tokens x K, and b groups x K x N", a=a, b=b)
    if starts.shape != (b.shape[0] + 1,) or not jnp.issubdtype(starts.dtype, jnp.integer):
        refuse("grouped_gemm", "starts must be integers, one for each group and one more", b=b, starts=starts)
    return _grouped_gemm(a, b, starts.astype(jnp.int32), False, gpu)


GROUPED = "hipsight.jax.grouped_gemm"


@functools.partial(jax.custom_vjp, nondiff_argnums=(3, 4))
def _grouped_gemm(a, b, starts, transpose, gpu):
    def run(a, b, starts):
        return _arrays.grouped_gemm(GROUPED, a, b, starts, transpose, gpu)

    return called(run, of_shape((a.shape[0], b.shape[1 if transpose else 2]), a), a, b, starts, vmap="sequential")


def _grouped_gemm_forward(a, b, starts, transpose, gpu):
    return _grouped_gemm(a, b, starts, transpose, gpu), (a, b, starts)


def _grouped_gemm_backward(transpose, gpu, saved, gradient):
    a, b, starts = saved

    def run(a, gradient, starts):
        return _arrays.grouped_gemm_of_b(GROUPED, a, gradient, starts, gpu)

    of_b = called(run, of_shape((b.shape[0], a.shape[1], gradient.shape[1]), b), a, gradient, starts, vmap="sequential")
    return (_grouped_gemm(gradient, b, starts, not transpose, gpu), jnp.swapaxes(of_b, 1, 2) if transpose else of_b,
            np.zeros(starts.shape, jax.dtypes.float0))


_grouped_gemm.defvjp(_grouped_gemm_forward, _grouped_gemm_backward)


# --- Rows ----------------------------------------------------------------------------------------

def on_rows(operation, formula, matrices, weights=0, results=1):
    """An operation on rows of so many arrays of one shape, then weights for each column, then numbers. Its gradients are
    those of `formula`, which takes them in float32."""
    @functools.partial(jax.custom_vjp, nondiff_argnums=(1, 2))
    def run_on_rows(arrays, numbers, gpu):
        shape = arrays[0].shape

        def run(*given):
            # Under vmap each has one more dimension, of one where it is not mapped.
            rows, of_columns = given[:matrices], given[matrices:]
            lead = np.broadcast_shapes(*(one.shape[:-1] for one in rows),
                                       *((*one.shape[:-1], *(1 for _ in shape[:-1])) for one in of_columns))
            rows = [np.broadcast_to(one, (*lead, one.shape[-1])) for one in rows]
            if all(one.size == one.shape[-1] for one in of_columns):
                return _arrays.on_rows(operation, rows, [one.ravel() for one in of_columns], results, numbers, gpu)
            mapped = lead[:len(lead) - len(shape) + 1]
            of_columns = [np.broadcast_to(one, (*mapped, one.shape[-1])) for one in of_columns]
            out = [np.zeros(rows[0].shape, rows[0].dtype) for _ in range(results)]
            for index in np.ndindex(mapped):
                found = _arrays.on_rows(operation, [one[index] for one in rows], [one[index] for one in of_columns], results,
                                        numbers, gpu)
                for to, one in zip(out, found):
                    to[index] = one
            return out

        return called(run, [of_shape(shape, arrays[0])] * results, *arrays, vmap="expand_dims")

    def forward(arrays, numbers, gpu):
        return run_on_rows(arrays, numbers, gpu), arrays

    def backward(numbers, gpu, arrays, gradients):
        def results_of(*given):
            found = formula(*(one.astype(jnp.float32) for one in given), *numbers)
            return [one.astype(given[0].dtype) for one in (found if isinstance(found, tuple) else (found,))]

        return (jax.vjp(results_of, *arrays)[1](list(gradients)),)

    run_on_rows.defvjp(forward, backward)

    def operate(arrays, numbers, gpu):
        arrays = {name: jnp.asarray(one) for name, one in arrays.items()}
        check_types(operation, **arrays)
        first, *others = arrays.values()
        if first.ndim == 0:
            refuse(operation, "it takes arrays of one dimension or more", **arrays)
        for at, one in enumerate(others, 1):
            if one.shape != (first.shape if at < matrices else first.shape[-1:]):
                refuse(operation, "all must have one shape" + (", weights one value for each column" if weights else ""),
                       **arrays)
        found = run_on_rows(tuple(arrays.values()), tuple(float(one) for one in numbers), gpu)
        return found[0] if results == 1 else tuple(found)

    return operate


def _norm(x, weight, eps):
    return x * jax.lax.rsqrt(jnp.mean(jnp.square(x), -1, keepdims=True) + eps) * weight


def _layer_norm(x, weight, bias, eps):
    centred = x - jnp.mean(x, -1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(jnp.square(centred), -1, keepdims=True) + eps) * weight + bias


_rms_norm = on_rows("rms_norm", _norm, 1, weights=1)
_add_rms_norm = on_rows("add_rms_norm", lambda x, residual, weight, eps: (_norm(x + residual, weight, eps), x + residual),
                        2, weights=1, results=2)
_of_layer_norm = on_rows("layer_norm", _layer_norm, 1, weights=2)
_softmax = on_rows("softmax", lambda x, scale: jax.nn.softmax(x * scale, -1), 1)
_silu_mul = on_rows("silu_mul", lambda gate, up: jax.nn.silu(gate) * up, 2)
_gelu_mul = on_rows("gelu_mul", lambda gate, up: jax.nn.gelu(gate, approximate=True) * up, 2)


def rms_norm(x, weight, eps=1e-6, *, gpu=None):
    """x / sqrt(mean(x²) + eps) · weight, over the last dimension."""
    return _rms_norm({"x": x, "weight": weight}, (eps,), gpu)


def add_rms_norm(x, residual, weight, eps=1e-6, *, gpu=None):
    """rms_norm of x + residual, and that sum."""
    return _add_rms_norm({"x": x, "residual": residual, "weight": weight}, (eps,), gpu)


def layer_norm(x, weight, bias, eps=1e-5, *, gpu=None):
    """(x - mean) / sqrt(variance + eps) · weight + bias, over the last dimension."""
    return _of_layer_norm({"x": x, "weight": weight, "bias": bias}, (eps,), gpu)


def softmax(x, scale=1.0, *, gpu=None):
    """The softmax of scale · x, over the last dimension."""
    return _softmax({"x": x}, (scale,), gpu)


def silu_mul(gate, up, *, gpu=None):
    """silu(gate) · up"""
    return _silu_mul({"gate": gate, "up": up}, (), gpu)


def gelu_mul(gate, up, *, gpu=None):
    """gelu(gate) · up, with gelu's approximation in tanh."""
    return _gelu_mul({"gate": gate, "up": up}, (), gpu)


# --- Rotary embedding ----------------------------------------------------------------------------

def rope(x, cos, sin, interleaved=False, *, gpu=None):
    """Rotates pairs of values of x, ... x tokens x heads x size, by the angles of each token: cos and sin, tokens x pairs,
    of float32. Pairs are neighbours if interleaved, else they lie half of what is rotated apart."""
    x, cos, sin = map(jnp.asarray, (x, cos, sin))
    check_types("rope", x=x)
    check_types("rope", (jnp.float32,), cos=cos, sin=sin)
    if x.ndim < 3 or cos.shape != sin.shape or cos.ndim != 2 or cos.shape[0] != x.shape[-3]:
        refuse("rope", "x must be ... x tokens x heads x size, cos and sin tokens x pairs", x=x, cos=cos, sin=sin)
    if 2 * cos.shape[1] > x.shape[-1]:
        refuse("rope", "cos has more columns than x has pairs of values in a head", x=x, cos=cos)
    return _rope(x, cos, sin, bool(interleaved), gpu)


@functools.partial(jax.custom_vjp, nondiff_argnums=(3, 4))
def _rope(x, cos, sin, interleaved, gpu):
    def run(x, cos, sin):
        return _arrays.rope(x, cos, sin, interleaved, gpu)

    return called(run, of_shape(x.shape, x), x, cos, sin, vmap="sequential")


def _rope_backward(interleaved, gpu, saved, gradient):
    """The other way round. Angles have no gradient."""
    cos, sin = saved
    return _rope(gradient, cos, -sin, interleaved, gpu), jnp.zeros_like(cos), jnp.zeros_like(sin)


_rope.defvjp(lambda x, cos, sin, interleaved, gpu: (_rope(x, cos, sin, interleaved, gpu), (cos, sin)), _rope_backward)


# --- Attention -----------------------------------------------------------------------------------

def attention(q, k, v, *, causal=False, scale=None, gpu=None):
    """softmax(scale · q kᵀ) v of batch x heads x places x size, of float16 or bfloat16; q may have a multiple of k's
    heads. causal: the last query stands at the last key's place. scale: 1 / sqrt(size) if None."""
    q, k, v = map(jnp.asarray, (q, k, v))
    check_types("attention", VALUES[:2], q=q, k=k, v=v)
    if not q.ndim == k.ndim == v.ndim == 4 or k.shape != v.shape or q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3]:
        refuse("attention", "q, k and v must be batch x heads x places x size, k and v alike", q=q, k=k, v=v)
    size = q.shape[3]
    if not 0 < size <= 256 or k.shape[1] == 0 or q.shape[1] % k.shape[1]:
        refuse("attention", "heads have 1 to 256 values, and q's are a multiple of k's", q=q, k=k, v=v)
    scale = size ** -0.5 if scale is None else float(scale)
    if not (scale > 0 and math.isfinite(scale)):
        raise ValueError(f"hipsight.jax.attention: the scale is {scale}: it must be positive and finite")
    q, k, v = (jnp.pad(one, ((0, 0), (0, 0), (0, 0), (0, -size % SIZES))) for one in (q, k, v))
    return _attention(q, k, v, bool(causal), scale, gpu)[0][..., :size]


@functools.partial(jax.custom_vjp, nondiff_argnums=(3, 4, 5))
def _attention(q, k, v, causal, scale, gpu):
    """The result, and the logarithms of the rows' sums."""
    def run(q, k, v):
        return _arrays.attention(q, k, v, causal, scale, gpu)  # what vmap adds are more sequences

    return called(run, (of_shape(q.shape, q), jax.ShapeDtypeStruct(q.shape[:3], jnp.float32)), q, k, v,
                  vmap="broadcast_all")


def _attention_forward(q, k, v, causal, scale, gpu):
    o, sums = _attention(q, k, v, causal, scale, gpu)
    return (o, sums), (q, k, v, o, sums)


def _attention_backward(causal, scale, gpu, saved, gradients):
    def run(*given):
        return _arrays.attention_backward(*given, causal, scale, gpu)

    return tuple(called(run, [of_shape(one.shape, one) for one in saved[:3]], gradients[0], *saved, vmap="broadcast_all"))


_attention.defvjp(_attention_forward, _attention_backward)


# --- Convolution ---------------------------------------------------------------------------------

def convolution(x, w, *, strides=1, padding=0, dilations=1, gpu=None):
    """Images x height x width x channels by filters of height x width x channels of a group x filters, as jax.lax has them
    with ("NHWC", "HWIO", "NHWC"). Each of the others is one number, or two, high and wide; padding is in pixels, on both
    sides."""
    x, w = jnp.asarray(x), jnp.asarray(w)
    check_types("convolution", x=x, w=w)
    if x.ndim != 4 or w.ndim != 4:
        refuse("convolution", "x must be images x height x width x channels, and w height x width x channels of a group x "
               "filters", x=x, w=w)
    groups = x.shape[3] // w.shape[2] if w.shape[2] else 0
    if groups * w.shape[2] != x.shape[3] or groups == 0 or w.shape[3] % groups or min(w.shape[:2]) < 1:
        refuse("convolution", "channels and filters must be of equal groups", x=x, w=w)
    how = tuple(_arrays.pair("hipsight.jax.convolution", name, one) for name, one in
                (("stride", strides), ("padding", padding), ("dilation", dilations)))
    return _convolution(x, w, (*how, groups), gpu)


@functools.partial(jax.custom_vjp, nondiff_argnums=(2, 3))
def _convolution(x, w, how, gpu):
    sizes = [_arrays.size_of_result(x.shape[1 + i], w.shape[i], *(one[i] for one in how[:3])) for i in range(2)]
    return called(lambda x, w: _arrays.convolution(x, _arrays.filters_first(w), *how, gpu),
                  of_shape((x.shape[0], *sizes, w.shape[3]), x), x, w, vmap="sequential")


def _convolution_backward(how, gpu, saved, gradient):
    x, w = saved

    def run(gradient, x, w):
        of_x, of_w = _arrays.convolution_backward(gradient, x, _arrays.filters_first(w), *how, gpu)
        return of_x, _arrays.filters_last(of_w)

    return called(run, (of_shape(x.shape, x), of_shape(w.shape, w)), gradient, x, w, vmap="sequential")


_convolution.defvjp(lambda x, w, how, gpu: (_convolution(x, w, how, gpu), (x, w)), _convolution_backward)
