"""torch.ops.hipsight.scaled_gemm: operands in 8 bits with factors."""

from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor

from .. import _kernels
from ._gemm import in_order
from ._operands import BLOCK, FP8, VALUES, blocks, refuse, rows_of

NAME = "scaled_gemm"
def check(a, b, scale_a, scale_b, dtype):
    """Which factors these are."""
    given = dict(a=a, b=b, scale_a=scale_a, scale_b=scale_b)
    if a.dtype not in FP8 or a.dtype != b.dtype:
        refuse(NAME, "it takes two matrices of float8_e4m3fn or float8_e4m3fnuz, both alike", a=a, b=b)
    if a.dim() != 2 or b.dim() != 2:
        refuse(NAME, "it takes two matrices, M x K and K x N", a=a, b=b)
    if dtype not in VALUES:
        raise ValueError(f"hipsight::{NAME}: dtype is {dtype}: it gives float16, bfloat16 or float32")
    torch._check(a.shape[1] == b.shape[0], lambda: f"hipsight::{NAME}: a's columns are not as many as b's rows")
    if scale_a.dtype != torch.float32 or scale_b.dtype != torch.float32:
        refuse(NAME, "scales are float32", **given)
    (m, k), n = a.shape, b.shape[1]
    if scale_a.numel() == 1 and scale_b.numel() == 1:
        return "all"
    if scale_a.shape == (m, 1) and scale_b.shape == (1, n):
        return "lines"
    if scale_a.shape == (m, blocks(k)) and scale_b.shape == (blocks(k), blocks(n)):
        return "blocks"
    refuse(NAME, f"scales must be one number each; or {m} x 1 and 1 x {n}; or {m} x {blocks(k)} and {blocks(k)} x "
           f"{blocks(n)}, of blocks of {BLOCK}", **given)


@torch.library.custom_op(f"hipsight::{NAME}", mutates_args=(), device_types="cpu")
def scaled_gemm(a: Tensor, b: Tensor, scale_a: Tensor, scale_b: Tensor, dtype: torch.dtype = torch.bfloat16, *,
                gpu: Optional[str] = None) -> Tensor:
    kind = check(a, b, scale_a, scale_b, dtype)
    c = a.new_empty((a.shape[0], b.shape[1]), dtype=dtype)
    if not c.numel():
        return c
    if not a.shape[1]:
        return c.zero_()
    of_rows = scale_a.reshape(1, 1) if kind == "all" else scale_a.contiguous()
    of_columns = scale_b.reshape(1, 1) if kind == "all" else scale_b.mT.contiguous().mT
    _kernels.call("scaled_gemm", gpu, rows_of(a), in_order(b), c, of_rows, of_columns)
    return c


@scaled_gemm.register_fake
def _(a, b, scale_a, scale_b, dtype=torch.bfloat16, *, gpu=None):
    check(a, b, scale_a, scale_b, dtype)
    return a.new_empty((a.shape[0], b.shape[1]), dtype=dtype)
