"""torch.ops.hipsight.gemm."""

import torch

from .. import _kernels
from ._operands import VALUES, told, workspace

torch.library.define("hipsight::gemm", "(Tensor a, Tensor b, *, str? gpu=None) -> Tensor",
                     tags=(torch.Tag.pt2_compliant_tag,))


def check(a, b):
    """Raises unless these can be multiplied."""
    def wrong(text):
        raise ValueError(f"hipsight::gemm: {text}; a is {told(a)}, b is {told(b)}")

    if a.dtype not in VALUES or a.dtype != b.dtype:
        wrong("it takes two tensors of float16, bfloat16 or float32, both alike")
    if a.dim() not in (2, 3) or a.dim() != b.dim():
        wrong("it takes two matrices, M x K and K x N, or two batches of them")
    torch._check(a.shape[-1] == b.shape[-2], lambda: f"hipsight::gemm: a's columns are not as many as b's rows; "
                 f"a is {told(a)}, b is {told(b)}")
    if a.dim() == 3:
        torch._check(a.shape[0] == b.shape[0], lambda: f"hipsight::gemm: the batches are not as many; a is {told(a)}, "
                     f"b is {told(b)}")


@torch.library.register_fake("hipsight::gemm")
def fake(a, b, *, gpu=None):
    check(a, b)
    return a.new_empty((*a.shape[:-1], b.shape[-1]))


@torch.library.impl("hipsight::gemm", "CPU")
def run(a, b, *, gpu=None):
    check(a, b)
    c = a.new_empty((*a.shape[:-1], b.shape[-1]))
    if c.numel() == 0:
        return c
    a, b = in_order(a), in_order(b)
    _kernels.call("gemm", gpu, a, b, c, workspace("gemm_workspace", gpu, a, b, c))
    return c


def backward(ctx, gradient):
    a, b = ctx.saved_tensors
    gemm = torch.ops.hipsight.gemm
    return (gemm(gradient, b.mT, gpu=ctx.gpu) if ctx.needs_input_grad[0] else None,
            gemm(a.mT, gradient, gpu=ctx.gpu) if ctx.needs_input_grad[1] else None)


def setup_context(ctx, inputs, keyword_only_inputs, output):
    ctx.save_for_backward(*inputs)
    ctx.gpu = keyword_only_inputs["gpu"]


torch.library.register_autograd("hipsight::gemm", backward, setup_context=setup_context)


def lies_in_order(tensor):
    """Whether kernels take a matrix as it lies: its rows or its columns side by side."""
    rows, columns = tensor.shape[-2:]
    by_rows, by_columns = tensor.stride()[-2:]
    return ((by_columns == 1 or columns <= 1) and (by_rows >= columns or rows <= 1) or
            (by_rows == 1 or rows <= 1) and (by_columns >= rows or columns <= 1))


def in_order(tensor):
    """The tensor; or a copy, where neither its rows nor its columns lie side by side, or it would be negated first."""
    return tensor if lies_in_order(tensor) and not tensor.is_neg() else tensor.contiguous().resolve_neg()
