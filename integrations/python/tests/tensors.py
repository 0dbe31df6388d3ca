"""What tests of operations have in common: tensors by chance, and how near results must be."""

import torch

# Of the largest result: half the last bit of a result, and sums in f32.
TOLERANCE = {torch.float32: 3e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}
DTYPES = list(TOLERANCE)


def drawn(*shape, dtype=torch.float32, seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def assert_close(found, wanted, of=None):
    wanted = wanted.detach().double()
    tolerance = TOLERANCE[of or found.dtype] * max(1e-3, float(wanted.abs().max())) if wanted.numel() else 0
    assert found.shape == wanted.shape
    assert ((found.detach().double() - wanted).abs() <= tolerance).all()


def wide(*tensors):
    return [one.detach().double().requires_grad_() for one in tensors]
