"""torch.ops.hipsight: a mixture of experts, but for its matrices (grouped_gemm)."""

from __future__ import annotations

import ctypes
from typing import Optional, Tuple

import torch
from torch import Tensor

from .. import _kernels
from ._operands import VALUES, flat, plain, refuse, rows_of


class Options(ctypes.Structure):
    """hipsight_moe_options"""
    _fields_ = [("sigmoid", ctypes.c_int), ("renormalise", ctypes.c_int), ("factor", ctypes.c_float)] + [
        (name, ctypes.c_int) for name in ("groups", "chosen_groups", "of_group")]


def check_route(scores, chosen, bias):
    if scores.dtype not in VALUES or scores.dim() != 2:
        refuse("moe_route", "scores must be tokens x experts, of float16, bfloat16 or float32", scores=scores)
    if bias is not None and (bias.dtype != torch.float32 or bias.shape != scores.shape[1:]):
        refuse("moe_route", "bias must be float32, one for each expert", scores=scores, bias=bias)
    torch._check(chosen >= 1, lambda: f"hipsight::moe_route: chosen is {chosen}")
    return (scores.new_empty((scores.shape[0], chosen), dtype=torch.int32),
            scores.new_empty((scores.shape[0], chosen), dtype=torch.float32))


@torch.library.custom_op("hipsight::moe_route", mutates_args=(), device_types="cpu")
def moe_route(scores: Tensor, chosen: int, bias: Optional[Tensor] = None, sigmoid: bool = False, renormalise: bool = True,
              factor: float = 1.0, groups: int = 1, chosen_groups: int = 1, of_group: int = 1, *,
              gpu: Optional[str] = None) -> Tuple[Tensor, Tensor]:
    """The experts of each token, the best first, and their weights."""
    experts, weights = check_route(scores, chosen, bias)
    if scores.shape[0]:
        options = Options(sigmoid, renormalise, factor, groups, chosen_groups, of_group)
        _kernels.call("moe_route", gpu, rows_of(scores), None if bias is None else plain(bias), experts, weights,
                      ctypes.byref(options))
    return experts, weights


@moe_route.register_fake
def _(scores, chosen, bias=None, sigmoid=False, renormalise=True, factor=1.0, groups=1, chosen_groups=1, of_group=1, *,
      gpu=None):
    return check_route(scores, chosen, bias)


def check_sort(experts, count):
    if experts.dim() != 2 or experts.dtype not in (torch.int32, torch.int64):
        refuse("moe_sort", "experts must be integers, tokens x chosen", experts=experts)
    if count < 1:
        raise ValueError(f"hipsight::moe_sort: there are {count} experts")
    return [experts.new_empty(size, dtype=torch.int32) for size in (count + 1, experts.numel(), experts.shape)]


@torch.library.custom_op("hipsight::moe_sort", mutates_args=(), device_types="cpu")
def moe_sort(experts: Tensor, count: int, *, gpu: Optional[str] = None) -> Tuple[Tensor, Tensor, Tensor]:
    """starts and rows, as grouped_gemm takes them, and the row of each choice."""
    starts, rows, places = check_sort(experts, count)
    rows.zero_()  # those of choices of no expert, which the kernel leaves, name a token, too
    if experts.numel():
        _kernels.call("moe_sort", gpu, experts.to(torch.int32).contiguous(), starts, rows, places)
    else:
        starts.zero_()
    return starts, rows, places


@moe_sort.register_fake
def _(experts, count, *, gpu=None):
    return tuple(check_sort(experts, count))


def check_combine(x, places, weights):
    if x.dtype not in VALUES or x.dim() != 2 or weights.dtype != torch.float32 or places.dtype != torch.int32 or (
            places.dim() != 2 or places.shape != weights.shape):
        refuse("moe_combine", "x must be rows x columns, places (int32) and weights (float32) tokens x chosen", x=x,
               places=places, weights=weights)
    return x.new_empty((places.shape[0], x.shape[1]))


@torch.library.custom_op("hipsight::moe_combine", mutates_args=(), device_types="cpu")
def moe_combine(x: Tensor, places: Tensor, weights: Tensor, *, gpu: Optional[str] = None) -> Tensor:
    """For each token the sum of its choices' rows, times their weights."""
    y = check_combine(x, places, weights)
    if places.numel() and int(places.max()) >= x.shape[0]:
        raise ValueError(f"hipsight::moe_combine: a place is {int(places.max())}; x has {x.shape[0]} rows")
    if y.numel():
        _kernels.call("moe_combine", gpu, rows_of(x), places.contiguous(), rows_of(weights), flat(y))
    return y


@moe_combine.register_fake
def _(x, places, weights, *, gpu=None):
    return check_combine(x, places, weights)
