"""torch.ops.hipsight: norms, softmax, gated activations and rotary embedding.

They compute in f32 and round once. Their gradients are kernels, too (_gradients.py); rope's is rope the other way. Of norms
of rows that are too long for these, torch recomputes them from the inputs, in f32.
"""

from __future__ import annotations

from typing import Optional, Tuple

import torch
from torch import Tensor

from .. import _kernels
from . import _gradients
from ._operands import FP8, blocks as of_blocks, check_types, flat, plain, refuse, rows_of


def check_rows(operation, x, **others):
    """`others`: None, alike x, or (weights) one value for each of its columns."""
    check_types(operation, x=x, **others)
    if x.dim() == 0:
        refuse(operation, "it takes a tensor of one dimension or more", x=x)
    for name, one in others.items():
        columns_alone = name in ("weight", "bias")
        if one is not None and one.shape != (x.shape[-1:] if columns_alone else x.shape):
            refuse(operation, f"{name} must have " +
                   ("one value for each of x's columns" if columns_alone else "the shape of the other"), x=x,
                   **{name: one})


# --- norms ---------------------------------------------------------------------------------------

def rms_norm_formula(x, weight, eps):
    x, weight = x.float(), weight.float()
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight


def layer_norm_formula(x, weight, bias, eps):
    return torch.nn.functional.layer_norm(x.float(), x.shape[-1:], weight.float(), bias.float(), eps)


@torch.library.custom_op("hipsight::rms_norm", mutates_args=(), device_types="cpu")
def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6, *, gpu: Optional[str] = None) -> Tensor:
    check_rows("rms_norm", x, weight=weight)
    y = x.new_empty(x.shape)
    if y.numel():
        _kernels.call("rms_norm", gpu, rows_of(x), plain(weight), flat(y), float(eps), None)
    return y


@rms_norm.register_fake
def _(x, weight, eps=1e-6, *, gpu=None):
    check_rows("rms_norm", x, weight=weight)
    return x.new_empty(x.shape)


@torch.library.custom_op("hipsight::add_rms_norm", mutates_args=(), device_types="cpu")
def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, eps: float = 1e-6, *,
                 gpu: Optional[str] = None) -> Tuple[Tensor, Tensor]:
    check_rows("add_rms_norm", x, residual=residual, weight=weight)
    y, sum = x.new_empty(x.shape), x.new_empty(x.shape)
    if y.numel():
        _kernels.call("add_rms_norm", gpu, rows_of(x), rows_of(residual), plain(weight), flat(y), flat(sum), float(eps),
                      None)
    return y, sum


@add_rms_norm.register_fake
def _(x, residual, weight, eps=1e-6, *, gpu=None):
    check_rows("add_rms_norm", x, residual=residual, weight=weight)
    return x.new_empty(x.shape), x.new_empty(x.shape)


@torch.library.custom_op("hipsight::layer_norm", mutates_args=(), device_types="cpu")
def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5, *, gpu: Optional[str] = None) -> Tensor:
    check_rows("layer_norm", x, weight=weight, bias=bias)
    y = x.new_empty(x.shape)
    if y.numel():
        _kernels.call("layer_norm", gpu, rows_of(x), plain(weight), plain(bias), flat(y), float(eps))
    return y


@layer_norm.register_fake
def _(x, weight, bias, eps=1e-5, *, gpu=None):
    check_rows("layer_norm", x, weight=weight, bias=bias)
    return x.new_empty(x.shape)


# --- softmax and gates ---------------------------------------------------------------------------

@torch.library.custom_op("hipsight::softmax", mutates_args=(), device_types="cpu")
def softmax(x: Tensor, scale: float = 1.0, *, gpu: Optional[str] = None) -> Tensor:
    check_rows("softmax", x)
    y = x.new_empty(x.shape)
    if y.numel():
        _kernels.call("softmax", gpu, rows_of(x), flat(y), float(scale))
    return y


@softmax.register_fake
def _(x, scale=1.0, *, gpu=None):
    check_rows("softmax", x)
    return x.new_empty(x.shape)


def gated(name, derivative):
    def check(gate, up):
        check_rows(name, gate, up=up)

    def run(gate: Tensor, up: Tensor, *, gpu: Optional[str] = None) -> Tensor:
        check(gate, up)
        y = gate.new_empty(gate.shape)
        if y.numel():
            _kernels.call(name, gpu, rows_of(gate), rows_of(up), flat(y), None)
        return y

    def fake(gate, up, *, gpu=None):
        check(gate, up)
        return gate.new_empty(gate.shape)

    run.__annotations__ = {"gate": Tensor, "up": Tensor, "gpu": Optional[str], "return": Tensor}
    operation = torch.library.custom_op(f"hipsight::{name}", run, mutates_args=(), device_types="cpu")
    operation.register_fake(fake)
    operation.register_autograd(lambda ctx, d_y: derivative(d_y, *ctx.saved_tensors, gpu=ctx.gpu),
                                setup_context=save_inputs(2))
    return operation


QUANTISED = {*FP8, torch.int8}


def quantised_like(operation, x, dtype, blocks):
    """The values, and their scales."""
    if dtype not in QUANTISED:
        raise ValueError(f"hipsight::{operation}: dtype is {dtype}: it gives float8_e4m3fn, float8_e4m3fnuz or int8")
    scales = of_blocks(x.shape[-1]) if blocks else 1
    return x.new_empty(x.shape, dtype=dtype), x.new_empty((*x.shape[:-1], scales), dtype=torch.float32)


@torch.library.custom_op("hipsight::quantise", mutates_args=(), device_types="cpu")
def quantise(x: Tensor, dtype: torch.dtype, blocks: bool = False, *, gpu: Optional[str] = None) -> Tuple[Tensor, Tensor]:
    check_rows("quantise", x)
    y, scales = quantised_like("quantise", x, dtype, blocks)
    if y.numel():
        _kernels.call("quantise", gpu, rows_of(x), flat(y), flat(scales))
    return y, scales


@quantise.register_fake
def _(x, dtype, blocks=False, *, gpu=None):
    check_rows("quantise", x)
    return quantised_like("quantise", x, dtype, blocks)


@torch.library.custom_op("hipsight::rms_norm_quantise", mutates_args=(), device_types="cpu")
def rms_norm_quantise(x: Tensor, weight: Tensor, dtype: torch.dtype, eps: float = 1e-6, blocks: bool = False, *,
                      gpu: Optional[str] = None) -> Tuple[Tensor, Tensor]:
    check_rows("rms_norm_quantise", x, weight=weight)
    y, scales = quantised_like("rms_norm_quantise", x, dtype, blocks)
    if y.numel():
        _kernels.call("rms_norm", gpu, rows_of(x), plain(weight), flat(y), float(eps), flat(scales))
    return y, scales


@rms_norm_quantise.register_fake
def _(x, weight, dtype, eps=1e-6, blocks=False, *, gpu=None):
    check_rows("rms_norm_quantise", x, weight=weight)
    return quantised_like("rms_norm_quantise", x, dtype, blocks)


@torch.library.custom_op("hipsight::add_rms_norm_quantise", mutates_args=(), device_types="cpu")
def add_rms_norm_quantise(x: Tensor, residual: Tensor, weight: Tensor, dtype: torch.dtype, eps: float = 1e-6,
                          blocks: bool = False, *, gpu: Optional[str] = None) -> Tuple[Tensor, Tensor, Tensor]:
    check_rows("add_rms_norm_quantise", x, residual=residual, weight=weight)
    y, scales = quantised_like("add_rms_norm_quantise", x, dtype, blocks)
    sum = x.new_empty(x.shape)
    if y.numel():
        _kernels.call("add_rms_norm", gpu, rows_of(x), rows_of(residual), plain(weight), flat(y), flat(sum), float(eps),
                      flat(scales))
    return y, scales, sum


@add_rms_norm_quantise.register_fake
def _(x, residual, weight, dtype, eps=1e-6, blocks=False, *, gpu=None):
    check_rows("add_rms_norm_quantise", x, residual=residual, weight=weight)
    return *quantised_like("add_rms_norm_quantise", x, dtype, blocks), x.new_empty(x.shape)


@torch.library.custom_op("hipsight::silu_mul_quantise", mutates_args=(), device_types="cpu")
def silu_mul_quantise(gate: Tensor, up: Tensor, dtype: torch.dtype, blocks: bool = False, *,
                      gpu: Optional[str] = None) -> Tuple[Tensor, Tensor]:
    check_rows("silu_mul_quantise", gate, up=up)
    y, scales = quantised_like("silu_mul_quantise", gate, dtype, blocks)
    if y.numel():
        _kernels.call("silu_mul", gpu, rows_of(gate), rows_of(up), flat(y), flat(scales))
    return y, scales


@silu_mul_quantise.register_fake
def _(gate, up, dtype, blocks=False, *, gpu=None):
    check_rows("silu_mul_quantise", gate, up=up)
    return quantised_like("silu_mul_quantise", gate, dtype, blocks)


def save_inputs(tensors):
    """Keeps the first inputs, so many tensors, and the GPU for the gradient."""
    def setup_context(ctx, inputs, keyword_only_inputs, output):
        ctx.save_for_backward(*inputs[:tensors])
        ctx.rest, ctx.gpu = inputs[tensors:], keyword_only_inputs["gpu"]
    return setup_context


def recomputed(formula, inputs, gradient):
    """Gradients of a formula of tensors, by torch."""
    inputs = [one.detach().requires_grad_() for one in inputs]
    with torch.enable_grad():
        output = formula(*inputs)
    return torch.autograd.grad(output, inputs, gradient.to(output.dtype))


def is_too_long(name, x):
    return x.shape[-1] > _gradients.MOST_COLUMNS[name]


def rms_norm_gradients(x, weight, eps, gradient, gpu):
    if is_too_long("rms_norm", x):
        return recomputed(lambda x, weight: rms_norm_formula(x, weight, eps), (x, weight), gradient)
    return _gradients.rms_norm_backward(gradient, x, weight, eps, gpu=gpu)


def rms_norm_gradient(ctx, gradient):
    x, weight = ctx.saved_tensors
    return *rms_norm_gradients(x, weight, *ctx.rest, gradient, ctx.gpu), None


def layer_norm_gradient(ctx, gradient):
    x, weight, bias = ctx.saved_tensors
    eps, = ctx.rest
    if is_too_long("layer_norm", x):
        return *recomputed(lambda *given: layer_norm_formula(*given, eps), (x, weight, bias), gradient), None
    return *_gradients.layer_norm_backward(gradient, x, weight, eps, gpu=ctx.gpu), None


rms_norm.register_autograd(rms_norm_gradient, setup_context=save_inputs(2))
layer_norm.register_autograd(layer_norm_gradient, setup_context=save_inputs(3))


def save_result(ctx, inputs, keyword_only_inputs, output):
    ctx.save_for_backward(output)
    ctx.scale, ctx.gpu = inputs[1], keyword_only_inputs["gpu"]


def softmax_gradient(ctx, gradient):
    return _gradients.softmax_backward(gradient, *ctx.saved_tensors, ctx.scale, gpu=ctx.gpu), None


softmax.register_autograd(softmax_gradient, setup_context=save_result)


def save_sum(ctx, inputs, keyword_only_inputs, output):
    ctx.save_for_backward(output[1], inputs[2])
    ctx.eps, ctx.gpu = inputs[3], keyword_only_inputs["gpu"]


def add_rms_norm_gradient(ctx, of_y, of_sum):
    """Of the sum, by the norm, and directly: the same for x and for the residual."""
    sum, weight = ctx.saved_tensors
    of_norm, of_weight = rms_norm_gradients(sum, weight, ctx.eps, of_y, ctx.gpu)
    both = (of_norm.float() + of_sum.float()).to(sum.dtype)
    return both, both, of_weight, None


add_rms_norm.register_autograd(add_rms_norm_gradient, setup_context=save_sum)
silu_mul = gated("silu_mul", _gradients.silu_mul_backward)
gelu_mul = gated("gelu_mul", _gradients.gelu_mul_backward)


# --- rotary embedding ----------------------------------------------------------------------------

def check_rope(x, cos, sin, positions):
    check_types("rope", x=x)
    if x.dim() not in (3, 4):
        refuse("rope", "x must be tokens x heads x size, or a batch of them", x=x)
    if cos.dtype != torch.float32 or sin.dtype != torch.float32 or cos.shape != sin.shape or cos.dim() != 2:
        refuse("rope", "cos and sin must be matrices of float32, positions x pairs, both alike", cos=cos, sin=sin)
    if 2 * cos.shape[1] > x.shape[-1]:
        refuse("rope", "cos has more columns than x has pairs of values in a head", x=x, cos=cos)
    tokens = x.shape[-3]
    if positions is None:
        torch._check(cos.shape[0] >= tokens, lambda: "hipsight::rope: cos has fewer rows than x has tokens")
    elif positions.dtype not in (torch.int32, torch.int64) or positions.shape not in (x.shape[:-2], (tokens,)):
        refuse("rope", "positions must be integers, one for each token", x=x, positions=positions)


@torch.library.custom_op("hipsight::rope", mutates_args=(), device_types="cpu")
def rope(x: Tensor, cos: Tensor, sin: Tensor, positions: Optional[Tensor] = None, interleaved: bool = False, *,
         gpu: Optional[str] = None) -> Tensor:
    check_rope(x, cos, sin, positions)
    y = x.new_empty(x.shape)
    if not y.numel():
        return y
    cos, sin = plain(cos), plain(sin)
    if positions is not None:
        # The kernel reads where it is told to.
        if positions.numel() and not 0 <= int(positions.min()) <= int(positions.max()) < cos.shape[0]:
            raise ValueError(f"hipsight::rope: positions go from {int(positions.min())} to {int(positions.max())}; cos "
                             f"has {cos.shape[0]} rows")
        positions = positions.to(torch.int32).expand(x.shape[:-2]).contiguous()
    from_heads, to_heads = (one if one.dim() == 4 else one[None] for one in (plain(x), y))
    for i in range(from_heads.shape[0]):
        places = None if positions is None else positions.view(from_heads.shape[0], -1)[i]
        _kernels.call("rope", gpu, from_heads[i], to_heads[i], cos, sin, places, interleaved)
    return y


@rope.register_fake
def _(x, cos, sin, positions=None, interleaved=False, *, gpu=None):
    check_rope(x, cos, sin, positions)
    return x.new_empty(x.shape)


def rope_context(ctx, inputs, keyword_only_inputs, output):
    _, cos, sin, positions, ctx.interleaved = inputs
    ctx.save_for_backward(cos, sin, positions)
    ctx.gpu = keyword_only_inputs["gpu"]


def rope_backward(ctx, gradient):
    cos, sin, positions = ctx.saved_tensors
    return rope(gradient, cos, -sin, positions, ctx.interleaved, gpu=ctx.gpu), None, None, None, None


rope.register_autograd(rope_backward, setup_context=rope_context)
