"""What hipsight.tensorflow has: checks, calls of the library, gradients."""

from __future__ import annotations

import math

import tensorflow as tf

from .. import _arrays
from .._arrays import SIZES

VALUES = (tf.float16, tf.bfloat16, tf.float32)


def told(tensor):
    return f"{tensor.dtype.name} {tuple(tensor.shape) if tensor.shape.rank is not None else 'of unknown shape'}"


def refuse(operation, text, **tensors):
    raise ValueError(f"hipsight.tensorflow.{operation}: {text}; " +
                     ", ".join(f"{name} is {told(one)}" for name, one in tensors.items()))


def check_types(operation, types=VALUES, **tensors):
    """All of one type, with as many dimensions as are known."""
    if len({one.dtype for one in tensors.values()}) > 1 or next(iter(tensors.values())).dtype not in types:
        refuse(operation, f"it takes tensors of {', '.join(one.name for one in types)}, all alike", **tensors)
    if any(one.shape.rank is None for one in tensors.values()):
        refuse(operation, "the number of dimensions must be known", **tensors)


def fit(*sizes):
    """Whether sizes may be equal: those that are known are."""
    return len({one for one in sizes if one is not None}) <= 1


def alike(first, other):
    """The same of shapes."""
    return first.is_compatible_with(other)


def called(run, shapes, types, *tensors):
    """Calls `run` with NumPy's arrays; while a graph is traced, from inside it."""
    if tf.executing_eagerly():
        return [tf.convert_to_tensor(one) for one in run(*(one.numpy() for one in tensors))]
    results = tf.numpy_function(run, tensors, types, stateful=False)
    for one, shape in zip(results, shapes):
        one.set_shape(shape)
    return results


# --- Matrix products -----------------------------------------------------------------------------

def gemm(a, b, *, gpu=None):
    """a @ b on a GPU: ... x M x K times ... x K x N, of float16, bfloat16 or float32, alike; summed in float32."""
    a, b = tf.convert_to_tensor(a), tf.convert_to_tensor(b)
    check_types("gemm", a=a, b=b)
    if a.shape.rank < 2 or a.shape.rank != b.shape.rank or not alike(a.shape[:-2], b.shape[:-2]):
        refuse("gemm", "it takes two matrices, or two batches of as many", a=a, b=b)
    if not fit(a.shape[-1], b.shape[-2]):
        refuse("gemm", "a's columns are not as many as b's rows", a=a, b=b)
    return _gemm(a, b, False, False, gpu)


def _gemm(a, b, transpose_a, transpose_b, gpu):
    """Of matrices, or of transposes of them where they lie."""
    @tf.custom_gradient
    def product(a, b):
        rows, columns = a.shape[-1 if transpose_a else -2], b.shape[-2 if transpose_b else -1]
        [c] = called(lambda a, b: [_arrays.gemm(a, b, transpose_a, transpose_b, gpu)], [(*a.shape[:-2], rows, columns)],
                     [a.dtype], a, b)

        def backward(gradient):
            of_a = (_gemm(b, gradient, transpose_b, True, gpu) if transpose_a else
                    _gemm(gradient, b, False, not transpose_b, gpu))
            of_b = (_gemm(gradient, a, True, transpose_a, gpu) if transpose_b else
                    _gemm(a, gradient, not transpose_a, False, gpu))
            return of_a, of_b

        return c, backward

    return product(a, b)


GROUPED = "hipsight.tensorflow.grouped_gemm"


def grouped_gemm(a, b, starts, *, gpu=None):
    """Rows starts[g] to starts[g + 1] of a times b[g]: tokens x K, groups x K x N; other rows give zeros."""
    a, b, starts = map(tf.convert_to_tensor, (a, b, starts))
    check_types("grouped_gemm", a=a, b=b)
    if a.shape.rank != 2 or b.shape.rank != 3 or not fit(a.shape[1], b.shape[1]):
        refuse("grouped_gemm", "a must be tokens x K, and b groups x K x N", a=a, b=b)
    if not starts.dtype.is_integer or starts.shape.rank != 1:
        refuse("grouped_gemm", "starts must be integers, one for each group and one more", b=b, starts=starts)
    return _grouped_gemm(a, b, tf.cast(starts, tf.int32), False, gpu)


def _grouped_gemm(a, b, starts, transpose, gpu):
    @tf.custom_gradient
    def product(a, b):
        def run(a, b, starts):
            if len(starts) != len(b) + 1:
                raise ValueError(f"{GROUPED}: there are {len(b)} groups and {len(starts)} starts: it takes one more")
            return [_arrays.grouped_gemm(GROUPED, a, b, starts, transpose, gpu)]

        [c] = called(run, [(a.shape[0], b.shape[1 if transpose else 2])], [a.dtype], a, b, starts)

        def backward(gradient):
            [of_b] = called(lambda *given: [_arrays.grouped_gemm_of_b(GROUPED, *given, gpu)],
                            [(b.shape[0], a.shape[1], gradient.shape[1])], [b.dtype], a, gradient, starts)
            return _grouped_gemm(gradient, b, starts, not transpose, gpu), tf.linalg.matrix_transpose(of_b) if transpose else of_b

        return c, backward

    return product(a, b)


# --- Rows ----------------------------------------------------------------------------------------

def on_rows(operation, formula, matrices, weights=0, results=1):
    """An operation on rows of so many tensors of one shape, then weights for each column, then numbers. Its gradients are
    those of `formula`, which takes them in float32."""
    def operate(tensors, numbers, gpu):
        tensors = {name: tf.convert_to_tensor(one) for name, one in tensors.items()}
        check_types(operation, **tensors)
        given = list(tensors.values())
        if given[0].shape.rank == 0:
            refuse(operation, "it takes tensors of one dimension or more", **tensors)
        for at, one in enumerate(given[1:], 1):
            if not alike(one.shape, given[0].shape if at < matrices else given[0].shape[-1:]):
                refuse(operation, "all must have one shape" + (", weights one value for each column" if weights else ""),
                       **tensors)
        numbers = tuple(float(one) for one in numbers)

        @tf.custom_gradient
        def run_on_rows(*given):
            def run(*arrays):
                return _arrays.on_rows(operation, arrays[:matrices], arrays[matrices:], results, numbers, gpu)

            found = called(run, [given[0].shape] * results, [given[0].dtype] * results, *given)

            def backward(*gradients):
                with tf.GradientTape() as tape:
                    tape.watch(given)
                    wanted = formula(*(tf.cast(one, tf.float32) for one in given), *numbers)
                    wanted = [tf.cast(one, given[0].dtype) for one in (wanted if isinstance(wanted, tuple) else (wanted,))]
                return tape.gradient(wanted, given, list(gradients))

            return found, backward

        found = run_on_rows(*given)
        return found[0] if results == 1 else tuple(found)

    return operate


def _norm(x, weight, eps):
    return x * tf.math.rsqrt(tf.reduce_mean(tf.square(x), -1, keepdims=True) + eps) * weight


def _layer_norm(x, weight, bias, eps):
    centred = x - tf.reduce_mean(x, -1, keepdims=True)
    return centred * tf.math.rsqrt(tf.reduce_mean(tf.square(centred), -1, keepdims=True) + eps) * weight + bias


_rms_norm = on_rows("rms_norm", _norm, 1, weights=1)
_add_rms_norm = on_rows("add_rms_norm", lambda x, residual, weight, eps: (_norm(x + residual, weight, eps), x + residual),
                        2, weights=1, results=2)
_of_layer_norm = on_rows("layer_norm", _layer_norm, 1, weights=2)
_softmax = on_rows("softmax", lambda x, scale: tf.nn.softmax(x * scale, -1), 1)
_silu_mul = on_rows("silu_mul", lambda gate, up: tf.nn.silu(gate) * up, 2)
_gelu_mul = on_rows("gelu_mul", lambda gate, up: tf.nn.gelu(gate, approximate=True) * up, 2)


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
    x, cos, sin = map(tf.convert_to_tensor, (x, cos, sin))
    check_types("rope", x=x)
    check_types("rope", (tf.float32,), cos=cos, sin=sin)
    if x.shape.rank < 3 or cos.shape.rank != 2 or not alike(cos.shape, sin.shape) or not fit(cos.shape[0], x.shape[-3]):
        refuse("rope", "x must be ... x tokens x heads x size, cos and sin tokens x pairs", x=x, cos=cos, sin=sin)
    if None not in (cos.shape[1], x.shape[-1]) and 2 * cos.shape[1] > x.shape[-1]:
        refuse("rope", "cos has more columns than x has pairs of values in a head", x=x, cos=cos)
    return _rope(x, cos, sin, bool(interleaved), gpu)


def _rope(x, cos, sin, interleaved, gpu):
    @tf.custom_gradient
    def rotated(x):
        [y] = called(lambda *given: [_arrays.rope(*given, interleaved, gpu)], [x.shape], [x.dtype], x, cos, sin)
        return y, lambda gradient: _rope(gradient, cos, -sin, interleaved, gpu)  # the other way round

    return rotated(x)


# --- Attention -----------------------------------------------------------------------------------

def attention(q, k, v, *, causal=False, scale=None, gpu=None):
    """softmax(scale · q kᵀ) v of batch x heads x places x size, of float16 or bfloat16; q may have a multiple of k's
    heads. causal: the last query stands at the last key's place. scale: 1 / sqrt(size) if None."""
    q, k, v = map(tf.convert_to_tensor, (q, k, v))
    check_types("attention", VALUES[:2], q=q, k=k, v=v)
    if not q.shape.rank == k.shape.rank == v.shape.rank == 4 or not alike(k.shape, v.shape) or not (
            fit(q.shape[0], k.shape[0]) and q.shape[3] == k.shape[3]):
        refuse("attention", "q, k and v must be batch x heads x places x size, k and v alike", q=q, k=k, v=v)
    size, heads, of_k = q.shape[3], q.shape[1], k.shape[1]
    if size is None or heads is None or of_k is None:
        refuse("attention", "heads and their sizes must be known", q=q, k=k)
    if not 0 < size <= 256 or of_k == 0 or heads % of_k:
        refuse("attention", "heads have 1 to 256 values, and q's are a multiple of k's", q=q, k=k, v=v)
    scale = size ** -0.5 if scale is None else float(scale)
    if not (scale > 0 and math.isfinite(scale)):
        raise ValueError(f"hipsight.tensorflow.attention: the scale is {scale}: it must be positive and finite")
    q, k, v = (tf.pad(one, ((0, 0), (0, 0), (0, 0), (0, -size % SIZES))) for one in (q, k, v))
    return _attention(q, k, v, bool(causal), scale, gpu)[..., :size]


def _attention(q, k, v, causal, scale, gpu):
    @tf.custom_gradient
    def attend(q, k, v):
        o, sums = called(lambda *given: list(_arrays.attention(*given, causal, scale, gpu)), [q.shape, q.shape[:3]],
                         [q.dtype, tf.float32], q, k, v)

        def backward(gradient):
            return called(lambda *given: _arrays.attention_backward(*given, causal, scale, gpu),
                          [one.shape for one in (q, k, v)], [q.dtype] * 3, gradient, q, k, v, o, sums)

        return o, backward

    return attend(q, k, v)


# --- Convolution ---------------------------------------------------------------------------------

def convolution(x, w, *, strides=1, padding=0, dilations=1, gpu=None):
    """tf.nn.conv2d: images x height x width x channels, by filters of height x width x channels of a group x filters. Each
    of the others is one number, or two, high and wide; padding is in pixels, on both sides."""
    x, w = tf.convert_to_tensor(x), tf.convert_to_tensor(w)
    check_types("convolution", x=x, w=w)
    if x.shape.rank != 4 or w.shape.rank != 4 or None in (*w.shape, x.shape[3]):
        refuse("convolution", "x must be images x height x width x channels, and w height x width x channels of a group x "
               "filters, of known sizes", x=x, w=w)
    how = {name: _arrays.pair("hipsight.tensorflow.convolution", name, one) for name, one in (("stride", strides), ("padding", padding), ("dilation", dilations))}
    groups = x.shape[3] // w.shape[2] if w.shape[2] else 0
    if groups * w.shape[2] != x.shape[3] or groups == 0 or w.shape[3] % groups:
        refuse("convolution", "channels and filters must be of equal groups", x=x, w=w)

    def shape_of_result():
        return (x.shape[0], *(None if x.shape[1 + i] is None else
                              _arrays.size_of_result(x.shape[1 + i], w.shape[i], *(one[i] for one in how.values()))
                              for i in range(2)), w.shape[3])

    @tf.custom_gradient
    def convolved(x, w):
        [y] = called(lambda x, w: [_arrays.convolution(x, _arrays.filters_first(w), groups=groups, gpu=gpu, **how)],
                     [shape_of_result()], [x.dtype], x, w)

        def backward(gradient):
            def run(gradient, x, w):
                of_x, of_w = _arrays.convolution_backward(gradient, x, _arrays.filters_first(w), groups=groups, gpu=gpu, **how)
                return [of_x, _arrays.filters_last(of_w)]

            return called(run, [x.shape, w.shape], [x.dtype] * 2, gradient, x, w)

        return y, backward

    return convolved(x, w)
