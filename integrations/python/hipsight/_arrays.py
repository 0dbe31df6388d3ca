"""Operations on NumPy's arrays: what frameworks whose arrays become NumPy's call (hipsight.jax, hipsight.tensorflow).

Types and shapes were checked before. Results are new arrays. Arrays may have more dimensions in front: more matrices,
sequences or rows."""

from __future__ import annotations

import ctypes
import math

import numpy as np

from . import _kernels

SIZES = 32  # heads have a multiple of it


def batch_of(array, dimensions):
    """All dimensions before the last ones as one."""
    first = array.ndim - dimensions
    return array.reshape(math.prod(array.shape[:first]), *array.shape[first:])


def multiply(a, b, c, gpu):
    bytes = _kernels.workspace_bytes("gemm_workspace", gpu, a, b, c)
    _kernels.call("gemm", gpu, a, b, c, workspace_of(bytes) if bytes else None)


def gemm(a, b, transpose_a=False, transpose_b=False, gpu=None):
    """a @ b of matrices, or of transposes of them where they lie."""
    lead = a.shape[:-2]
    a, b = batch_of(a, 2), batch_of(b, 2)
    a, b = a.mT if transpose_a else a, b.mT if transpose_b else b
    c = np.zeros((a.shape[0], a.shape[1], b.shape[2]), a.dtype)
    if c.size and a.shape[2]:
        multiply(a, b, c, gpu)
    return c.reshape(*lead, *c.shape[1:])


def check_starts(operation, starts, rows):
    if (np.diff(starts) < 0).any() or starts[0] < 0 or starts[-1] > rows:
        raise ValueError(f"{operation}: starts must go up, from 0 on and to {rows} at most: they are {starts.tolist()}")


def grouped_gemm(operation, a, b, starts, transpose=False, gpu=None):
    """Rows starts[g] to starts[g + 1] of a times b[g], or its transpose."""
    check_starts(operation, starts, a.shape[0])
    b = b.mT if transpose else b
    c = np.zeros((a.shape[0], b.shape[2]), a.dtype)
    if c.size and a.shape[1]:
        _kernels.call("grouped_gemm", gpu, a, b, c, None, starts)
    return c


def grouped_gemm_of_b(operation, a, gradient, starts, gpu=None):
    """The gradient of b: for each group a GEMM of its rows."""
    check_starts(operation, starts, a.shape[0])
    result = np.zeros((len(starts) - 1, a.shape[1], gradient.shape[1]), a.dtype)
    for of_group, begin, end in zip(result, starts, starts[1:]):
        if end > begin and of_group.size:
            multiply(a[begin:end].T, gradient[begin:end], of_group, gpu)
    return result


NO_SCALES = {name: (None,) for name in ("rms_norm", "add_rms_norm", "silu_mul", "gelu_mul")}


def on_rows(operation, rows, weights, results, numbers, gpu=None):
    """An operation on rows of arrays of one shape, then weights for each column, then numbers: its results."""
    rows = [np.ascontiguousarray(one) for one in rows]
    out = [np.zeros_like(rows[0]) for _ in range(results)]
    flat = [batch_of(one, 1) for one in (*rows, *out)]
    if flat[0].size:
        _kernels.call(operation, gpu, *flat[:len(rows)], *map(np.ascontiguousarray, weights), *flat[len(rows):],
                      *(float(one) for one in numbers), *NO_SCALES.get(operation, ()))
    return out


def rope(x, cos, sin, interleaved, gpu=None):
    """x: ... x tokens x heads x size, the angles' cosines and sines: tokens x pairs."""
    y = np.zeros_like(x)
    for index in np.ndindex(x.shape[:-3]):
        if y[index].size:
            _kernels.call("rope", gpu, x[index], y[index], cos, sin, None, interleaved)
    return y


class AttentionOptions(ctypes.Structure):
    """hipsight_attention_options"""
    _fields_ = [("scale", ctypes.c_float), ("causal", ctypes.c_int), ("window", ctypes.c_int), ("soft_cap", ctypes.c_float)]


def attention_options(scale, causal, window=0, soft_cap=0):
    return ctypes.byref(AttentionOptions(scale, causal, window, soft_cap))


def attention(q, k, v, causal, scale, gpu=None):
    """The result, and the logarithms of the rows' sums, of ... x heads x places x size."""
    shape = q.shape
    q, k, v = (batch_of(one, 3) for one in (q, k, v))
    o, sums = np.zeros_like(q), np.zeros(q.shape[:3], np.float32)
    if o.size:
        _kernels.call("attention", gpu, q, k, v, o, sums, None, attention_options(scale, causal))
    return o.reshape(shape), sums.reshape(shape[:-1])


def attention_backward(d_o, q, k, v, o, sums, causal, scale, gpu=None):
    """The gradients of q, k and v."""
    shapes = [one.shape for one in (q, k, v)]
    q, k, v, o, d_o = (batch_of(one, 3) for one in (q, k, v, o, d_o))
    sums = batch_of(sums, 2)
    results = [np.zeros_like(one) for one in (q, k, v)]
    if q.size:
        _kernels.call("attention_backward", gpu, q, k, v, o, d_o, *results, sums, np.zeros_like(sums),
                      attention_options(scale, causal))
    return [one.reshape(shape) for one, shape in zip(results, shapes)]


class ConvolutionOptions(ctypes.Structure):
    """hipsight_convolution_options"""
    _fields_ = [(name, ctypes.c_int * 2) for name in ("stride", "padding", "dilation")] + [("groups", ctypes.c_int)]


def convolution_options(stride, padding, dilation, groups):
    """Of pairs, high and wide."""
    return ctypes.byref(ConvolutionOptions(*((ctypes.c_int * 2)(*one) for one in (stride, padding, dilation)), groups))


def size_of_result(image, filter, stride, padding, dilation):
    return max(0, (image + 2 * padding - dilation * (filter - 1) - 1) // stride + 1)


def filters_first(w):
    """As kernels take them, of height x width x channels x filters."""
    return np.ascontiguousarray(w.transpose(3, 0, 1, 2))


def filters_last(w):
    return np.ascontiguousarray(w.transpose(1, 2, 3, 0))


def pair(operation, name, given):
    """{high, wide} of one number or two."""
    given, least = [given] if isinstance(given, int) else list(given), 0 if name == "padding" else 1
    if len(given) not in (1, 2) or min(given) < least:
        raise ValueError(f"{operation}: {name} is {given}: it takes one number, or two, high and wide, of {least} or more")
    return tuple(given * (2 // len(given)))


def convolution(x, w, stride, padding, dilation, groups, gpu=None):
    """x: images x height x width x channels, w: filters x height x width x channels of a group."""
    sizes = [size_of_result(x.shape[1 + i], w.shape[1 + i], stride[i], padding[i], dilation[i]) for i in range(2)]
    y = np.zeros((x.shape[0], *sizes, w.shape[0]), x.dtype)
    if y.size and x.size:
        _kernels.call("convolution", gpu, x, w, None, y, convolution_options(stride, padding, dilation, groups))
    return y


def workspace_of(bytes):
    """From a multiple of 16 bytes on."""
    memory = np.empty(bytes + 16, np.int8)
    return memory[-memory.ctypes.data % 16:][:bytes]


def convolution_backward(d_y, x, w, stride, padding, dilation, groups, gpu=None):
    """The gradients of x and w."""
    d_x, d_w = np.zeros_like(x), np.zeros_like(w)
    options = convolution_options(stride, padding, dilation, groups)
    if d_x.size and d_y.size:
        _kernels.call("convolution_of_images", gpu, d_x, w, d_y, workspace_of(w.nbytes), options)
    if d_w.size and d_y.size:
        bytes = _kernels.workspace_bytes("convolution_workspace", gpu, x, d_w, d_y, options=(options,))
        _kernels.call("convolution_of_filters", gpu, x, d_w, d_y, workspace_of(bytes) if bytes else None, options)
    return d_x, d_w
