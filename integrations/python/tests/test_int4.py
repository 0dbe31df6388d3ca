"""torch.ops.hipsight: weights in 4 bits."""

import numpy as np
import pytest
import torch
from tensors import drawn

import hipsight.torch  # noqa: F401

ops = torch.ops.hipsight


def code_of(codes):
    """N x K, each its own number: of 8 in a word, weight 2 i is at bit 4 i and 2 i + 1 at 16 + 4 i."""
    words = by_columns(codes).numpy().view(np.uint32)[..., None]
    places = np.array([16 * (i % 2) + 4 * (i // 2) for i in range(8)], np.uint32)
    return torch.from_numpy((words >> places & 15).astype(np.int32).reshape(words.shape[0], -1))


def by_columns(packed):
    """What belongs to each column: N x all of it. Packed it is N/32 x parts x 32 x a part."""
    return packed.permute(0, 2, 1, 3).reshape(packed.shape[0] * 32, -1).contiguous()


def worth(codes, factors):
    """N x K in float64, rounded to the factors' type first."""
    each = by_columns(factors).unflatten(1, (-1, 2)).double()
    scale, zero = (each[..., i].repeat_interleave(codes.shape[1] * 32 // factors.shape[1], 1) for i in (0, 1))
    exact = (code_of(codes) - zero) * scale
    if factors.dtype == torch.bfloat16:  # half goes away from zero
        return ((exact.float().view(torch.int32) + 0x8000) & -0x10000).view(torch.float32).double()
    return exact.to(factors.dtype).double()


@pytest.mark.parametrize("dtype, group, rows, gpu", [(torch.float16, 128, 5, "mi300x"), (torch.bfloat16, 32, 40, "mi300x"),
                                                     (torch.bfloat16, 256, 6, "rx9070xt")])
def test_multiplies(dtype, group, rows, gpu):
    w, x, bias = drawn(96, 256, dtype=dtype), drawn(2, rows, 256, dtype=dtype, seed=2), drawn(96, dtype=dtype, seed=3)
    codes, factors = ops.int4_quantise(w, group, gpu=gpu)
    of_group = w.double().view(96, -1, group)
    steps = ((of_group.amax(2).clamp(min=0) - of_group.amin(2).clamp(max=0)) / 15)[..., None].expand_as(of_group)
    assert ((worth(codes, factors) - w.double()).abs() <= 0.6 * steps.reshape(w.shape)).all()
    y = ops.int4_gemm(x, codes, factors, bias, gpu=gpu)
    wanted = x.double() @ worth(codes, factors).mT + bias.double()
    assert y.shape == (2, rows, 96) and y.dtype == dtype
    torch.testing.assert_close(y.double(), wanted, rtol=torch.finfo(dtype).eps, atol=1e-3)
    assert ops.int4_gemm(x[:0], codes, factors).shape == (0, rows, 96)


@pytest.mark.parametrize("layout", ["gptq", "gptq_v2", "awq"])
def test_takes_checkpoints(layout):
    n, k, group = 64, 128, 32
    random = np.random.default_rng(5)
    code, zero = random.integers(0, 16, (n, k)), random.integers(0, 15, (n, k // group))
    scales = torch.from_numpy(random.random((k // group, n), np.float32)).half()
    shifts = 4 * np.arange(8, dtype=np.uint32)
    awq = layout == "awq"
    order = np.argsort([0, 2, 4, 6, 1, 3, 5, 7]) if awq else np.arange(8)  # where AutoAWQ puts a column

    def words(matrix):  # 8 neighbours of a row in a word
        parts = matrix.astype(np.uint32).reshape(matrix.shape[0], -1, 8)
        return np.bitwise_or.reduce(parts << shifts[order], 2).view(np.int32)

    weights = words(code.T) if awq else np.ascontiguousarray(words(code).T)
    zeros = words((zero - (layout == "gptq") & 15).T)
    if layout == "gptq":
        zero = (zero - 1 & 15) + 1
    codes, factors = ops.int4_repack(torch.from_numpy(weights), scales, torch.from_numpy(zeros), layout)
    assert torch.equal(code_of(codes), torch.from_numpy(code.astype(np.int32)))
    found = by_columns(factors).unflatten(1, (-1, 2))
    assert torch.equal(found[..., 0], scales.mT) and torch.equal(found[..., 1], torch.from_numpy(zero).half())
    if not awq:
        _, factors = ops.int4_repack(torch.from_numpy(weights), scales, None, layout)
        assert (factors[..., 1] == 8).all()


def test_replaces_linear_layers():
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(128, 96), torch.nn.SiLU(), torch.nn.Linear(96, 64, bias=False),
                                torch.nn.Linear(64, 8).float()).to(torch.bfloat16)
    model[3].float()
    x, wanted = drawn(7, 128, dtype=torch.bfloat16), []
    for layer in (model[0], model[2]):
        wanted.append(worth(*ops.int4_quantise(layer.weight.detach(), 32)).to(torch.bfloat16))
    replaced = hipsight.torch.replace(model[:3], int4=32)
    assert dict(replaced) == {"Linear in 4 bits": 2}
    with torch.no_grad():
        found = model[:3](x)
        hidden = torch.nn.functional.silu(torch.nn.functional.linear(x, wanted[0], model[0].bias))
        torch.testing.assert_close(found, torch.nn.functional.linear(hidden, wanted[1]), rtol=2e-2, atol=2e-2)
    replaced.restore()
    # Layers in float32, or of no whole groups, stay as they were: by a GEMM.
    assert dict(hipsight.torch.replace(model[2:], int4=64)) == {"Linear": 2}
    with pytest.raises(hipsight.Error, match="groups have 32 weights"):
        hipsight.torch.replace(model, int4=100)


def test_serving_has_it():
    small = dict(num_hidden_layers=4, hidden_size=256, num_attention_heads=8, num_key_value_heads=2, intermediate_size=512,
                 vocab_size=1024)
    of = {weights: hipsight.torch.serving(small, "mi300x", weights=weights) for weights in ("bf16", "int4")}
    linear = 4 * (256 * 32 * 20 + 3 * 256 * 512)
    assert of["bf16"].weight_bytes - of["int4"].weight_bytes == linear * 2 - linear * (0.5 + 4 / 128)
    kernels = {one.kernel for one in of["int4"].forward(4, 128).steps if one.name == "down"}
    assert len(kernels) == 1 and "int4_few_rows_kernel" in kernels.pop()
    with pytest.raises(hipsight.Error, match="cache='int4'"):
        hipsight.torch.serving(small, "mi300x", cache="int4")


def test_pass_opcheck():
    w, x = drawn(32, 64, dtype=torch.bfloat16), drawn(3, 64, dtype=torch.bfloat16)
    codes, factors = ops.int4_quantise(w, 32)
    torch.library.opcheck(ops.int4_quantise.default, (w, 32))
    torch.library.opcheck(ops.int4_gemm.default, (x, codes, factors))
    packed = torch.zeros(64, 4, dtype=torch.int32), torch.ones(2, 32).half(), torch.zeros(2, 4, dtype=torch.int32), "awq"
    torch.library.opcheck(ops.int4_repack.default, packed)


X, W = torch.ones(3, 64).half(), torch.ones(32, 64).half()
CODES, FACTORS = torch.zeros(1, 2, 32, 4, dtype=torch.int32), torch.ones(1, 2, 32, 2).half()
PACKED, SCALES = torch.zeros(64, 4, dtype=torch.int32), torch.ones(2, 32).half()


@pytest.mark.parametrize("call, words", [
    (lambda: ops.int4_gemm(X.float(), CODES, FACTORS), "float16 or bfloat16, all alike"),
    (lambda: ops.int4_gemm(X, CODES, FACTORS.bfloat16()), "float16 or bfloat16, all alike"),
    (lambda: ops.int4_gemm(X, CODES.long(), FACTORS), "codes are int32"),
    (lambda: ops.int4_gemm(X[:, :60], CODES, FACTORS), "rows of 64"),
    (lambda: ops.int4_gemm(X, CODES, FACTORS[:, :0]), "no whole number of groups"),
    (lambda: ops.int4_gemm(X, CODES, torch.ones(1, 4, 32, 2).half()), "groups of 16"),
    (lambda: ops.int4_gemm(X, CODES, FACTORS, X[0]), "bias must have a number"),
    (lambda: ops.int4_quantise(W.float()), "float16 or bfloat16"),
    (lambda: ops.int4_quantise(W, 48), "groups of 48"),
    (lambda: ops.int4_quantise(W[:, :40], 40), "no multiple of 32"),
    (lambda: ops.int4_quantise(W[:24], 32), "24 columns"),
    (lambda: ops.int4_repack(PACKED, SCALES[:, :24]), "24 columns"),
    (lambda: ops.int4_repack(PACKED, SCALES, None, "awq"), "AWQ has them"),
    (lambda: ops.int4_repack(PACKED, SCALES), "K/8 x N"),
    (lambda: ops.int4_repack(PACKED, SCALES, None, "exl2"), "gptq, gptq_v2, awq"),
])
def test_refuses(call, words):
    with pytest.raises((ValueError, RuntimeError), match=words):
        call()
