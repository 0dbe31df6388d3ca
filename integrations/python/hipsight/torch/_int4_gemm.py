"""torch.ops.hipsight.int4_gemm, and what makes its weights: int4_quantise, int4_repack."""

from typing import Optional, Tuple

import torch
from torch import Tensor

from .. import _kernels
from ._operands import flat, refuse, rows_of, told, workspace

HALVES = (torch.float16, torch.bfloat16)
LAYOUTS = {"gptq": 1, "gptq_v2": 2, "awq": 3}  # hipsight_int4_layout
VALUES = 0
BLOCK = 32
"""Columns of weights that lie side by side in memory, and codes of each (docs/kernels/int4_gemm.md)."""


def check_columns(operation, columns):
    torch._check(columns % BLOCK == 0, lambda: f"hipsight::{operation}: there are {columns} columns, which are no multiple of "
                 f"{BLOCK}")


def check_group(operation, group, depth):
    torch._check(depth % 32 == 0, lambda: f"hipsight::{operation}: the depth of {depth} is no multiple of 32")
    torch._check(group == depth or group >= 32 and group & (group - 1) == 0 and depth % group == 0, lambda:
                 f"hipsight::{operation}: groups of {group}: they have all {depth} weights of a column, or a power of two from "
                 "32 on, of which the depth is a multiple")


def check(x, codes, factors, bias):
    """The result, empty."""
    given = dict(x=x, codes=codes, factors=factors, bias=bias)
    if x.dtype not in HALVES or factors.dtype != x.dtype or bias is not None and bias.dtype != x.dtype:
        refuse("int4_gemm", "x, factors and bias are float16 or bfloat16, all alike", **given)
    if codes.dtype != torch.int32 or codes.dim() != 4 or factors.dim() != 4 or codes.shape[2:] != (BLOCK, 4) \
            or factors.shape[2:] != (BLOCK, 2) or factors.shape[0] != codes.shape[0]:
        refuse("int4_gemm", "codes are int32, N/32 x K/32 x 32 x 4, and factors N/32 x groups x 32 x 2", **given)
    depth, columns = codes.shape[1] * BLOCK, codes.shape[0] * BLOCK
    if x.dim() < 1 or x.shape[-1] != depth:
        refuse("int4_gemm", f"x must have rows of {depth}", **given)
    if bias is not None and bias.shape != (columns,):
        refuse("int4_gemm", "bias must have a number for each of the N columns", **given)
    if depth:
        torch._check(factors.shape[1] > 0 and depth % factors.shape[1] == 0, lambda:
                     f"hipsight::int4_gemm: {depth} weights are no whole number of groups; factors are {told(factors)}")
        check_group("int4_gemm", depth // factors.shape[1], depth)
    return x.new_empty((*x.shape[:-1], columns))


@torch.library.custom_op("hipsight::int4_gemm", mutates_args=(), device_types="cpu")
def int4_gemm(x: Tensor, codes: Tensor, factors: Tensor, bias: Optional[Tensor] = None, *,
              gpu: Optional[str] = None) -> Tensor:
    """x w + bias; each weight is (code - zero) * scale, rounded to x's type."""
    y = check(x, codes, factors, bias)
    if y.numel():
        a, weights = rows_of(x), (codes.contiguous(), factors.contiguous())
        lent = workspace("int4_workspace", gpu, a, *weights, flat(y))
        _kernels.call("int4_gemm", gpu, a, *weights, bias if bias is None else bias.contiguous(), flat(y), lent)
    return y


@int4_gemm.register_fake
def _(x, codes, factors, bias=None, *, gpu=None):
    return check(x, codes, factors, bias)


def empty_weights(like, columns, depth, groups):
    return (like.new_empty((columns // BLOCK, depth // BLOCK, BLOCK, 4), dtype=torch.int32),
            like.new_empty((columns // BLOCK, groups, BLOCK, 2)))


def check_weights(w, group):
    if w.dtype not in HALVES or w.dim() != 2:
        refuse("int4_quantise", "it takes a matrix of float16 or bfloat16, N x K, as a linear layer has it", w=w)
    check_columns("int4_quantise", w.shape[0])
    check_group("int4_quantise", group, w.shape[1])
    return empty_weights(w, *w.shape, w.shape[1] // group if group else 0)


@torch.library.custom_op("hipsight::int4_quantise", mutates_args=(), device_types="cpu")
def int4_quantise(w: Tensor, group: int = 128, *, gpu: Optional[str] = None) -> Tuple[Tensor, Tensor]:
    """Codes and factors of the weights of a linear layer: of each group the nearest of 16 steps from its least to its
    largest."""
    codes, factors = check_weights(w, group)
    if codes.numel():
        _kernels.call("int4_pack", gpu, rows_of(w), None, None, codes, factors, VALUES)
    return codes, factors


@int4_quantise.register_fake
def _(w, group=128, *, gpu=None):
    return check_weights(w, group)


def check_packed(weights, scales, zeros, layout):
    given = dict(weights=weights, scales=scales, zeros=zeros)
    torch._check(layout in LAYOUTS, lambda: f"hipsight::int4_repack: layout is '{layout}': there are {', '.join(LAYOUTS)}")
    of_words = [weights] if zeros is None else [weights, zeros]
    if any(one.dtype != torch.int32 or one.dim() != 2 for one in of_words) or scales.dtype not in HALVES or scales.dim() != 2:
        refuse("int4_repack", "weights and zeros are matrices of int32, scales one of float16 or bfloat16", **given)
    awq, (groups, columns) = layout == "awq", scales.shape
    depth = weights.shape[0] * (1 if awq else 8)
    check_columns("int4_repack", columns)
    if weights.shape[1] != (columns // 8 if awq else columns):
        refuse("int4_repack", f"weights are {'K x N/8' if awq else 'K/8 x N'}, scales groups x N", **given)
    if awq and zeros is None or zeros is not None and zeros.shape != (groups, columns // 8):
        refuse("int4_repack", "zeros are groups x N/8" + (", and AWQ has them" if awq else ""), **given)
    torch._check(groups > 0 and depth % groups == 0, lambda:
                 f"hipsight::int4_repack: {depth} weights are no whole number of groups; scales are {told(scales)}")
    check_group("int4_repack", depth // groups, depth)
    return empty_weights(scales, columns, depth, groups)


@torch.library.custom_op("hipsight::int4_repack", mutates_args=(), device_types="cpu")
def int4_repack(weights: Tensor, scales: Tensor, zeros: Optional[Tensor] = None, layout: str = "gptq", *,
                gpu: Optional[str] = None) -> Tuple[Tensor, Tensor]:
    """Codes and factors of weights in GPTQ's or AWQ's layout: qweight, scales and qzeros of a checkpoint. GPTQ's without
    act-order: groups of neighbours. "gptq" stores zeros less 1, "gptq_v2" as they are."""
    codes, factors = check_packed(weights, scales, zeros, layout)
    if codes.numel():
        _kernels.call("int4_pack", gpu, *(one if one is None else one.contiguous() for one in (weights, scales, zeros)),
                      codes, factors, LAYOUTS[layout])
    return codes, factors


@int4_repack.register_fake
def _(weights, scales, zeros=None, layout="gptq", *, gpu=None):
    return check_packed(weights, scales, zeros, layout)
