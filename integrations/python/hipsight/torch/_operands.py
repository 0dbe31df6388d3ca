"""What operations have in common: which tensors they take, and how kernels take them."""

import torch

from .. import _kernels

VALUES = {torch.float16, torch.bfloat16, torch.float32}
FP8 = {torch.float8_e4m3fn, torch.float8_e4m3fnuz}
BLOCK = 128  # rows and columns that share a scale, as kernels/gemm/scales.h and rows/operands.h have it


def blocks(size):
    return -(-size // BLOCK)


def told(tensor):
    return f"{str(tensor.dtype).removeprefix('torch.')} {tuple(tensor.shape)} on {tensor.device}"


def refuse(operation, text, **tensors):
    raise ValueError(f"hipsight::{operation}: {text}; " +
                     ", ".join(f"{name} is {told(one)}" for name, one in tensors.items() if one is not None))


def check_types(operation, **tensors):
    """All of one type that kernels compute with, on the CPU (or without data)."""
    given = {name: one for name, one in tensors.items() if one is not None}
    types = {one.dtype for one in given.values()}
    if len(types) > 1 or not types <= VALUES:
        refuse(operation, "it takes tensors of float16, bfloat16 or float32, all alike", **given)


def workspace(operation, gpu, *tensors, options=()):
    """As much as "gemm_workspace" and its like ask for; None, where that is nothing."""
    bytes = _kernels.workspace_bytes(operation, gpu, *tensors, options=options)
    return torch.empty(bytes, dtype=torch.int8) if bytes else None


def plain(tensor):
    """The tensor, or a copy whose last dimension lies side by side and is not negated first."""
    tensor = tensor.resolve_neg()
    return tensor if tensor.shape[-1] <= 1 or tensor.stride(-1) == 1 else tensor.contiguous()


def rows_of(tensor):
    """A tensor as a matrix of its last dimension's rows: a view, or else a copy."""
    matrix = plain(tensor.reshape(-1, tensor.shape[-1]))
    return matrix if matrix.shape[0] <= 1 or matrix.stride(0) >= matrix.shape[1] else matrix.contiguous()


def flat(tensor):
    """A result as a matrix of its last dimension's rows."""
    return tensor.view(-1, tensor.shape[-1])
