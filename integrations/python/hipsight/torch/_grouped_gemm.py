"""torch.ops.hipsight.grouped_gemm: the matrices of a mixture of experts."""

from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor

from .. import _kernels
from ._gemm import in_order
from ._operands import check_types, refuse, rows_of

NAME = "grouped_gemm"


def check(a, b, starts, rows):
    check_types(NAME, a=a, b=b)
    if a.dim() != 2 or b.dim() != 3:
        refuse(NAME, "a must be a matrix, tokens x K, and b a batch of them, groups x K x N", a=a, b=b)
    torch._check(a.shape[1] == b.shape[1], lambda: f"hipsight::{NAME}: a's columns are not as many as b's rows")
    if starts.dim() != 1 or starts.dtype not in (torch.int32, torch.int64):
        refuse(NAME, "starts must be integers, one for each group and one more", starts=starts)
    torch._check(starts.shape[0] == b.shape[0] + 1,
                 lambda: f"hipsight::{NAME}: starts must have one number more than b has matrices")
    if rows is not None and (rows.dim() != 1 or rows.dtype not in (torch.int32, torch.int64)):
        refuse(NAME, "rows must be integers, the numbers of a's rows", rows=rows)


def result(a, b, rows, zeros=False):
    count = a.shape[0] if rows is None else rows.shape[0]
    return (a.new_zeros if zeros else a.new_empty)((count, b.shape[2]))


def bounds(starts, rows, of_rows, count):
    """Raises unless the kernel reads and writes what there is."""
    numbers = starts.tolist()
    if any(one > after for one, after in zip(numbers, numbers[1:])) or numbers[0] < 0 or numbers[-1] > count:
        raise ValueError(f"hipsight::{NAME}: starts must go up, from 0 on and to {count} at most, the number of rows: "
                         f"they are {numbers if len(numbers) < 10 else str(numbers[:10])[:-1] + ', ...]'}")
    if rows is not None and rows.numel() and not 0 <= int(rows.min()) <= int(rows.max()) < of_rows:
        raise ValueError(f"hipsight::{NAME}: rows go from {int(rows.min())} to {int(rows.max())}; a has {of_rows} rows")


@torch.library.custom_op(f"hipsight::{NAME}", mutates_args=(), device_types="cpu")
def grouped_gemm(a: Tensor, b: Tensor, starts: Tensor, rows: Optional[Tensor] = None, *,
                 gpu: Optional[str] = None) -> Tensor:
    check(a, b, starts, rows)
    c = result(a, b, rows, zeros=True)  # rows of no group stay so
    bounds(starts, rows, a.shape[0], c.shape[0])
    if not c.numel() or not a.shape[1]:
        return c
    starts = starts.to(torch.int32).contiguous()
    index = None if rows is None else rows.to(torch.int32).contiguous()
    _kernels.call("grouped_gemm", gpu, rows_of(a), in_order(b), c, index, starts)
    return c


@grouped_gemm.register_fake
def _(a, b, starts, rows=None, *, gpu=None):
    check(a, b, starts, rows)
    return result(a, b, rows)


@torch.library.custom_op(f"hipsight::{NAME}_backward", mutates_args=(), device_types="cpu")
def of_matrices(gradient: Tensor, a: Tensor, starts: Tensor, *, gpu: Optional[str] = None) -> Tensor:
    """For each group a GEMM of its rows: aᵀ times the gradient."""
    bounds(starts, None, 0, a.shape[0])
    numbers = starts.tolist()
    result = a.new_zeros((len(numbers) - 1, a.shape[1], gradient.shape[1]))
    for of_group, begin, end in zip(result, numbers, numbers[1:]):
        if end > begin:
            of_group.copy_(torch.ops.hipsight.gemm(a[begin:end].mT, gradient[begin:end], gpu=gpu))
    return result


@of_matrices.register_fake
def _(gradient, a, starts, *, gpu=None):
    return a.new_empty((starts.shape[0] - 1, a.shape[1], gradient.shape[1]))


def setup_context(ctx, inputs, keyword_only_inputs, output):
    ctx.save_for_backward(*inputs)
    ctx.gpu = keyword_only_inputs["gpu"]


def backward(ctx, gradient):
    """Of a: a grouped GEMM with the transposes, whose rows are added where they were chosen from."""
    a, b, starts, rows = ctx.saved_tensors
    of_a = of_b = None
    if ctx.needs_input_grad[0]:
        of_a = grouped_gemm(gradient, b.mT, starts, gpu=ctx.gpu)
        if rows is not None:
            of_a = torch.zeros_like(a, dtype=torch.float32).index_add_(0, rows.long(), of_a.float()).to(a.dtype)
    if ctx.needs_input_grad[1]:
        of_b = of_matrices(gradient, a if rows is None else a[rows.long()], starts, gpu=ctx.gpu)
    return of_a, of_b, None, None


grouped_gemm.register_autograd(backward, setup_context=setup_context)
