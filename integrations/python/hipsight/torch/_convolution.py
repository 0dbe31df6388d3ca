"""torch.ops.hipsight.convolution."""

from __future__ import annotations

from typing import List, Optional, Tuple

import torch
from torch import Tensor

from .. import _kernels
from .._arrays import convolution_options, pair, size_of_result
from ._operands import check_types, refuse, workspace

CHANNELS_LAST = torch.channels_last


def pairs(stride, padding, dilation):
    return [pair("hipsight::convolution", name, one) for name, one in
            (("stride", stride), ("padding", padding), ("dilation", dilation))]


def check(x, w, bias, stride, padding, dilation, groups):
    """The result, empty: images x filters x height x width, channels last."""
    check_types("convolution", x=x, w=w, bias=bias)
    if x.dim() != 4 or w.dim() != 4:
        refuse("convolution", "x must be images x channels x height x width, and w filters x channels of a group x height x "
               "width", x=x, w=w)
    options = pairs(stride, padding, dilation)
    torch._check(groups >= 1 and x.shape[1] == w.shape[1] * groups and w.shape[0] % groups == 0 and min(w.shape[2:]) >= 1, lambda:
                 f"hipsight::convolution: x has {x.shape[1]} channels and w {w.shape[0]} filters of {w.shape[1]}, in {groups} "
                 "groups")
    if bias is not None and bias.shape != w.shape[:1]:
        refuse("convolution", "bias must have a number for each filter", w=w, bias=bias)
    sizes = [size_of_result(x.shape[2 + i], w.shape[2 + i], *(one[i] for one in options)) for i in range(2)]
    return torch.empty((x.shape[0], w.shape[0], *sizes), dtype=x.dtype, device=x.device, memory_format=CHANNELS_LAST)


def channels_last(tensor):
    """As kernels take it: a view if channels lie side by side, else a copy."""
    return tensor.resolve_neg().contiguous(memory_format=CHANNELS_LAST).permute(0, 2, 3, 1)


def options_of(stride, padding, dilation, groups):
    return convolution_options(*pairs(stride, padding, dilation), groups)


SCHEMA = ("(Tensor x, Tensor w, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int[2] dilation=1, int groups=1, *, "
          "str? gpu=None) -> Tensor")


@torch.library.custom_op("hipsight::convolution", mutates_args=(), device_types="cpu", schema=SCHEMA)
def convolution(x, w, bias=None, stride=1, padding=0, dilation=1, groups=1, *, gpu=None):
    """functional.conv2d: images x channels x height x width, best with channels last in memory, as the result has them."""
    y = check(x, w, bias, stride, padding, dilation, groups)
    if y.numel():
        _kernels.call("convolution", gpu, channels_last(x), channels_last(w), None if bias is None else bias.contiguous(),
                      y.permute(0, 2, 3, 1), options_of(stride, padding, dilation, groups))
    return y


@convolution.register_fake
def _(x, w, bias=None, stride=1, padding=0, dilation=1, groups=1, *, gpu=None):
    return check(x, w, bias, stride, padding, dilation, groups)


@torch.library.custom_op("hipsight::convolution_backward", mutates_args=(), device_types="cpu")
def convolution_backward(gradient: Tensor, x: Tensor, w: Tensor, stride: List[int], padding: List[int], dilation: List[int],
                         groups: int, of_x: bool, of_w: bool, *, gpu: Optional[str] = None) -> Tuple[Tensor, Tensor]:
    """Gradients of x and w; of what is not wanted, none."""
    d_x, d_w = empty_gradients(x, w, of_x, of_w)
    d_y, options = channels_last(gradient), options_of(stride, padding, dilation, groups)
    if d_x.numel():
        turned = torch.empty(w.numel() * w.element_size(), dtype=torch.int8)
        _kernels.call("convolution_of_images", gpu, d_x.permute(0, 2, 3, 1), channels_last(w), d_y, turned, options)
    if d_w.numel():
        tensors = channels_last(x), d_w.permute(0, 2, 3, 1), d_y
        lent = workspace("convolution_workspace", gpu, *tensors, options=(options,))
        _kernels.call("convolution_of_filters", gpu, *tensors, lent, options)
    return d_x, d_w


def empty_gradients(x, w, of_x, of_w):
    return tuple(torch.empty_like(one, memory_format=CHANNELS_LAST) if wanted else one.new_empty((0,))
                 for one, wanted in ((x, of_x), (w, of_w)))


@convolution_backward.register_fake
def _(gradient, x, w, stride, padding, dilation, groups, of_x, of_w, *, gpu=None):
    return empty_gradients(x, w, of_x, of_w)


def backward(ctx, gradient):
    of_x, of_w, of_bias = ctx.needs_input_grad[:3]
    d_x = d_w = None
    if of_x or of_w:
        d_x, d_w = torch.ops.hipsight.convolution_backward(gradient, *ctx.saved_tensors, *ctx.options, of_x, of_w,
                                                           gpu=ctx.gpu)
    return (d_x if of_x else None, d_w if of_w else None, gradient.sum((0, 2, 3)) if of_bias else None, None, None, None,
            None)


def setup_context(ctx, inputs, keyword_only_inputs, output):
    x, w, _, *ctx.options = inputs
    ctx.save_for_backward(x, w)
    ctx.gpu = keyword_only_inputs["gpu"]


convolution.register_autograd(backward, setup_context=setup_context)


# --- One filter for each channel, along tokens -----------------------------------------------------

def check_causal(x, w, bias, before):
    given = {name: one for name, one in dict(x=x, w=w, bias=bias, before=before).items() if one is not None}
    check_types("causal_convolution", **given)
    if x.dim() != 3 or w.dim() != 2 or w.shape[0] != x.shape[2] or not 2 <= w.shape[1] <= 8:
        refuse("causal_convolution", "x must be sequences x tokens x channels, and w channels x taps, of 2 to 8", **given)
    if bias is not None and bias.shape != w.shape[:1]:
        refuse("causal_convolution", "bias must have a number for each channel", **given)
    if before is not None and before.shape != (x.shape[0], w.shape[1] - 1, x.shape[2]):
        refuse("causal_convolution", "before must be sequences x (taps - 1) x channels", **given)
    return x.new_empty(x.shape)


@torch.library.custom_op("hipsight::causal_convolution", mutates_args=(), device_types="cpu")
def causal_convolution(x: Tensor, w: Tensor, bias: Optional[Tensor] = None, before: Optional[Tensor] = None,
                       silu: bool = False, *, gpu: Optional[str] = None) -> Tensor:
    """y[t] = bias + sum of w[i] x[t - (taps - 1) + i] of each channel, then SiLU if asked for."""
    y = check_causal(x, w, bias, before)
    if y.numel():
        _kernels.call("causal_convolution", gpu, *(one if one is None else one.resolve_neg().contiguous()
                                                   for one in (x, w, bias, before)), y, silu)
    return y


@causal_convolution.register_fake
def _(x, w, bias=None, before=None, silu=False, *, gpu=None):
    return check_causal(x, w, bias, before)


def by_torch(x, w, bias, before, silu):
    """The same in float32, for its gradients."""
    x, w, bias, before = (one if one is None else one.float() for one in (x, w, bias, before))
    start = torch.zeros(x.shape[0], w.shape[1] - 1, x.shape[2]) if before is None else before
    y = torch.nn.functional.conv1d(torch.cat([start, x], 1).mT, w[:, None], bias, groups=w.shape[0]).mT
    return torch.nn.functional.silu(y) if silu else y


def causal_backward(ctx, gradient):
    with torch.enable_grad():
        given = [one if one is None else one.detach().requires_grad_() for one in ctx.saved_tensors]
        found = torch.autograd.grad(by_torch(*given, ctx.silu), [one for one in given if one is not None], gradient.float())
    found = iter(found)
    return (*(one if one is None else next(found).to(one.dtype) for one in given), None)


def causal_context(ctx, inputs, keyword_only_inputs, output):
    *tensors, ctx.silu = inputs
    ctx.save_for_backward(*tensors)


causal_convolution.register_autograd(causal_backward, setup_context=causal_context)
