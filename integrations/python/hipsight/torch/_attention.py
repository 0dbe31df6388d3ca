"""torch.ops.hipsight.attention, and its gradients by kernels of their own."""

from __future__ import annotations

import math
from typing import Optional, Tuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from .. import _kernels
from .._arrays import attention_options
from ._operands import check_types, plain, refuse

SIZES = 32  # kernels take heads of a multiple of it; others get zeros at their end
SHORTER_VALUES = [(192, 128)]  # heads of q and k, and of v, that kernels take; other v get zeros at their end


def check(q, k, v, scale, name="attention"):
    check_types(name, q=q, k=k, v=v)
    if q.dtype == torch.float32:
        refuse(name, "it takes float16 or bfloat16", q=q)
    if not q.dim() == k.dim() == v.dim() == 4:
        refuse(name, "q, k and v must be batch x heads x places x size", q=q, k=k, v=v)
    if k.shape[:3] != v.shape[:3] or q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3]:
        refuse(name, "q and k must have the same batch and size of heads, k and v the same batch, heads and places",
               q=q, k=k, v=v)
    if not 0 < v.shape[3] <= q.shape[3]:
        refuse(name, "the heads of v must not be longer than q's", q=q, v=v)
    if not 0 < q.shape[3] <= 256:
        refuse(name, "heads have 1 to 256 values", q=q)
    if k.shape[1] == 0 or q.shape[1] % max(1, k.shape[1]):
        refuse(name, "q's heads must be a multiple of k's", q=q, k=k)
    if scale is not None and not (scale > 0 and math.isfinite(scale)):
        raise ValueError(f"hipsight::{name}: the scale is {scale}: it must be positive and finite")


def check_changes(name, q, sinks, window, soft_cap):
    if sinks is not None and (sinks.dtype != torch.float32 or sinks.shape != q.shape[1:2]):
        refuse(name, "sinks must be float32, one for each head of q", q=q, sinks=sinks)
    if window < 0:
        raise ValueError(f"hipsight::{name}: the window is {window}: it must be 0, for none, or more")
    if soft_cap != 0 and not (soft_cap > 0 and math.isfinite(soft_cap)):
        raise ValueError(f"hipsight::{name}: soft_cap is {soft_cap}: it must be 0, for none, or positive and finite")


def rounded(size):
    return size + -size % SIZES


def ready(x, size):
    """With heads of that size, places from a head's size apart."""
    x = plain(pad(x, (0, size - x.shape[3])))
    return x if x.shape[2] <= 1 or x.stride(2) >= x.shape[3] else x.contiguous()


def scale_of(q, scale):
    return float(q.shape[3] ** -0.5 if scale is None else scale)


@torch.library.custom_op("hipsight::attention", mutates_args=(), device_types="cpu")
def attention(q: Tensor, k: Tensor, v: Tensor, sinks: Optional[Tensor] = None, *, causal: bool = False,
              scale: Optional[float] = None, window: int = 0, soft_cap: float = 0.0,
              gpu: Optional[str] = None) -> Tuple[Tensor, Tensor]:
    check(q, k, v, scale)
    check_changes("attention", q, sinks, window, soft_cap)
    size, of_values = rounded(q.shape[3]), rounded(v.shape[3])
    if (size, of_values) not in SHORTER_VALUES:
        of_values = size
    of_q, of_k, of_v = ready(q, size), ready(k, size), ready(v, of_values)
    o = q.new_empty((*q.shape[:3], of_values))
    sums = q.new_empty(q.shape[:3], dtype=torch.float32)
    if o.numel():
        _kernels.call("attention", gpu, of_q, of_k, of_v, o, sums, None if sinks is None else sinks.contiguous(),
                      attention_options(scale_of(q, scale), causal, window, soft_cap))
    return o[..., :v.shape[3]].contiguous(), sums


@attention.register_fake
def _(q, k, v, sinks=None, *, causal=False, scale=None, window=0, soft_cap=0.0, gpu=None):
    check(q, k, v, scale)
    check_changes("attention", q, sinks, window, soft_cap)
    return q.new_empty((*q.shape[:3], v.shape[3])), q.new_empty(q.shape[:3], dtype=torch.float32)


@torch.library.custom_op("hipsight::attention_backward", mutates_args=(), device_types="cpu")
def attention_backward(d_o: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, log_sums: Tensor, *,
                       causal: bool = False, scale: Optional[float] = None, window: int = 0,
                       gpu: Optional[str] = None) -> Tuple[Tensor, Tensor, Tensor]:
    check(q, k, v, scale, "attention_backward")
    size = rounded(q.shape[3])
    inputs = [ready(one, size) for one in (q, k, v, o, d_o)]
    outputs = [torch.zeros(one.shape, dtype=one.dtype) for one in inputs[:3]]
    if q.numel():
        sums, workspace = log_sums.contiguous(), torch.empty(q.shape[:3], dtype=torch.float32)
        _kernels.call("attention_backward", gpu, *inputs, *outputs, sums, workspace,
                      attention_options(scale_of(q, scale), causal, window))
    return tuple(one[..., :of.shape[3]].contiguous() for one, of in zip(outputs, (q, k, v)))


@attention_backward.register_fake
def _(d_o, q, k, v, o, log_sums, *, causal=False, scale=None, window=0, gpu=None):
    check(q, k, v, scale, "attention_backward")
    return q.new_empty(q.shape), k.new_empty(k.shape), v.new_empty(v.shape)


def setup_context(ctx, inputs, keyword_only_inputs, output):
    q, k, v, sinks = inputs
    ctx.save_for_backward(q, k, v, *output)
    ctx.options = dict(keyword_only_inputs)
    ctx.changed = ctx.options.pop("soft_cap") != 0 or sinks is not None
    ctx.mark_non_differentiable(output[1])


def backward(ctx, d_o, _):
    if ctx.changed:
        raise NotImplementedError("hipsight::attention: with sinks or soft_cap it has no gradients")
    q, k, v, o, log_sums = ctx.saved_tensors
    return (*attention_backward(d_o, q, k, v, o, log_sums, **ctx.options), None)


attention.register_autograd(backward, setup_context=setup_context)
