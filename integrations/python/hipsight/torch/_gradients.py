"""torch.ops.hipsight: gradients of norms, softmax and gated activations, as kernels; the loss."""

from __future__ import annotations

from typing import Optional, Tuple

import torch
from torch import Tensor

from .. import _kernels
from ._operands import check_types, flat, plain, refuse, rows_of

MOST_COLUMNS = {"rms_norm": 16384, "layer_norm": 8192}  # of gradients: kernels/training/norm_backward.h


def check_alike(operation, first, **others):
    check_types(operation, first=first, **others)
    for name, one in others.items():
        if one.shape not in (first.shape, first.shape[-1:]):
            refuse(operation, f"{name} must have the shape of the first, or of its rows", first=first, **{name: one})


def workspace(name, gpu, x):
    return torch.empty(_kernels.workspace_bytes(f"{name}_workspace", gpu, x), dtype=torch.int8)


@torch.library.custom_op("hipsight::rms_norm_backward", mutates_args=(), device_types="cpu")
def rms_norm_backward(d_y: Tensor, x: Tensor, weight: Tensor, eps: float, *,
                      gpu: Optional[str] = None) -> Tuple[Tensor, Tensor]:
    check_alike("rms_norm_backward", x, d_y=d_y, weight=weight)
    d_x, d_weight = x.new_empty(x.shape), torch.zeros(weight.shape, dtype=weight.dtype)
    if x.numel():
        rows = rows_of(x)
        _kernels.call("rms_norm_backward", gpu, rows, plain(weight), rows_of(d_y), flat(d_x), d_weight,
                      workspace("rms_norm_backward", gpu, rows), float(eps))
    return d_x, d_weight


@rms_norm_backward.register_fake
def _(d_y, x, weight, eps, *, gpu=None):
    check_alike("rms_norm_backward", x, d_y=d_y, weight=weight)
    return x.new_empty(x.shape), weight.new_empty(weight.shape)


@torch.library.custom_op("hipsight::layer_norm_backward", mutates_args=(), device_types="cpu")
def layer_norm_backward(d_y: Tensor, x: Tensor, weight: Tensor, eps: float, *,
                        gpu: Optional[str] = None) -> Tuple[Tensor, Tensor, Tensor]:
    check_alike("layer_norm_backward", x, d_y=d_y, weight=weight)
    d_x = x.new_empty(x.shape)
    d_weight, d_bias = (torch.zeros(weight.shape, dtype=weight.dtype) for _ in range(2))
    if x.numel():
        rows = rows_of(x)
        _kernels.call("layer_norm_backward", gpu, rows, plain(weight), rows_of(d_y), flat(d_x), d_weight, d_bias,
                      workspace("layer_norm_backward", gpu, rows), float(eps))
    return d_x, d_weight, d_bias


@layer_norm_backward.register_fake
def _(d_y, x, weight, eps, *, gpu=None):
    check_alike("layer_norm_backward", x, d_y=d_y, weight=weight)
    return x.new_empty(x.shape), weight.new_empty(weight.shape), weight.new_empty(weight.shape)


@torch.library.custom_op("hipsight::softmax_backward", mutates_args=(), device_types="cpu")
def softmax_backward(d_y: Tensor, y: Tensor, scale: float, *, gpu: Optional[str] = None) -> Tensor:
    check_alike("softmax_backward", y, d_y=d_y)
    d_x = y.new_empty(y.shape)
    if y.numel():
        _kernels.call("softmax_backward", gpu, rows_of(y), rows_of(d_y), flat(d_x), float(scale))
    return d_x


@softmax_backward.register_fake
def _(d_y, y, scale, *, gpu=None):
    check_alike("softmax_backward", y, d_y=d_y)
    return y.new_empty(y.shape)


def of_gate(name):
    def run(d_y: Tensor, gate: Tensor, up: Tensor, *, gpu: Optional[str] = None) -> Tuple[Tensor, Tensor]:
        check_alike(name, gate, up=up, d_y=d_y)
        d_gate, d_up = gate.new_empty(gate.shape), gate.new_empty(gate.shape)
        if gate.numel():
            _kernels.call(name, gpu, *map(rows_of, (gate, up, d_y)), flat(d_gate), flat(d_up))
        return d_gate, d_up

    def fake(d_y, gate, up, *, gpu=None):
        check_alike(name, gate, up=up, d_y=d_y)
        return gate.new_empty(gate.shape), gate.new_empty(gate.shape)

    run.__annotations__ = {"d_y": Tensor, "gate": Tensor, "up": Tensor, "gpu": Optional[str],
                           "return": Tuple[Tensor, Tensor]}
    operation = torch.library.custom_op(f"hipsight::{name}", run, mutates_args=(), device_types="cpu")
    operation.register_fake(fake)
    return operation


silu_mul_backward, gelu_mul_backward = of_gate("silu_mul_backward"), of_gate("gelu_mul_backward")


# --- The loss ------------------------------------------------------------------------------------

def check_entropy(logits, targets):
    check_types("cross_entropy", logits=logits)
    if logits.dim() != 2 or logits.shape[1] == 0 or targets.shape != logits.shape[:1] or targets.dtype not in (
            torch.int32, torch.int64):
        refuse("cross_entropy", "logits must be tokens x classes, and targets integers, one for each token",
               logits=logits, targets=targets)


@torch.library.custom_op("hipsight::cross_entropy", mutates_args=(), device_types="cpu")
def cross_entropy(logits: Tensor, targets: Tensor, *, gpu: Optional[str] = None) -> Tuple[Tensor, Tensor]:
    """The loss of each token, and its gradient."""
    check_entropy(logits, targets)
    losses, d_logits = torch.zeros(logits.shape[0], dtype=torch.float32), logits.new_empty(logits.shape)
    if logits.numel():
        if int(targets.max()) >= logits.shape[1]:
            raise ValueError(f"hipsight::cross_entropy: a target is {int(targets.max())}; logits has {logits.shape[1]} "
                             "classes")
        _kernels.call("cross_entropy", gpu, rows_of(logits), targets.to(torch.int32).contiguous(), losses, d_logits, 1.0)
    return losses, d_logits


@cross_entropy.register_fake
def _(logits, targets, *, gpu=None):
    check_entropy(logits, targets)
    return logits.new_empty(logits.shape[:1], dtype=torch.float32), logits.new_empty(logits.shape)


def save_gradient(ctx, inputs, keyword_only_inputs, output):
    ctx.save_for_backward(output[1])
    ctx.mark_non_differentiable(output[1])


def scale_gradient(ctx, d_losses, _):
    d_logits, = ctx.saved_tensors
    return (d_losses[:, None] * d_logits).to(d_logits.dtype), None


cross_entropy.register_autograd(scale_gradient, setup_context=save_gradient)
