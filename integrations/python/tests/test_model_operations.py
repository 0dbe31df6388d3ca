"""What large models add: grouped and scaled GEMMs, and attention to pages, against torch in float64."""

import pytest
import torch

import hipsight
import hipsight.torch  # noqa: F401
from tensors import assert_close, drawn, wide

ops = torch.ops.hipsight


# --- grouped GEMM --------------------------------------------------------------------------------

def grouped(a, b, starts, rows=None):
    taken = a if rows is None else a[rows.long()]
    c = torch.zeros(taken.shape[0], b.shape[2], dtype=a.dtype)
    numbers = starts.tolist()
    return torch.cat([c[:numbers[0]], *(taken[begin:end] @ one for one, begin, end in zip(b, numbers, numbers[1:])),
                      c[numbers[-1]:]])


@pytest.mark.parametrize("starts", [[0, 7, 7, 20, 150], [3, 3, 90, 100, 100], [0, 0, 0, 0, 0]])
def test_groups(starts):
    a, b = drawn(150, 72, dtype=torch.bfloat16), drawn(4, 50, 72, dtype=torch.bfloat16, seed=2).mT
    starts = torch.tensor(starts)
    assert_close(ops.grouped_gemm(a, b, starts), grouped(a.double(), b.double(), starts))


def test_groups_of_chosen_rows():
    """As experts have them: each token goes to two, whose weights lie as those of linear layers."""
    tokens, experts = drawn(30, 64, dtype=torch.bfloat16), drawn(8, 40, 64, dtype=torch.bfloat16, seed=2).mT
    of_token = torch.stack([torch.randperm(8, generator=torch.Generator().manual_seed(i))[:2] for i in range(30)])
    order = of_token.flatten().argsort(stable=True)
    starts = torch.cat([torch.zeros(1, dtype=torch.int64), of_token.flatten().bincount(minlength=8).cumsum(0)])
    y = ops.grouped_gemm(tokens, experts, starts, order // 2)
    wanted = torch.stack([tokens[i // 2].double() @ experts[of_token.flatten()[i]].double() for i in order])
    assert_close(y, wanted)


def test_groups_have_gradients():
    a, b = drawn(60, 48, dtype=torch.bfloat16), drawn(3, 40, 48, dtype=torch.bfloat16, seed=2).mT
    a.requires_grad_(), b.requires_grad_()
    starts, rows = torch.tensor([0, 11, 11, 64]), torch.arange(65) % 60
    weight = drawn(65, 40, dtype=torch.bfloat16, seed=3)
    (ops.grouped_gemm(a, b, starts, rows) * weight).sum().backward()
    of_a, of_b = wide(a, b)
    (grouped(of_a, of_b, starts, rows) * weight).sum().backward()
    assert_close(a.grad, of_a.grad)
    assert_close(b.grad, of_b.grad)
    assert (b.grad[1] == 0).all()


# --- rows in 8 bits ------------------------------------------------------------------------------

@pytest.mark.parametrize("gpu, to, dtype, shape, blocks", [
    ("mi300x", torch.float8_e4m3fnuz, torch.bfloat16, (3, 5, 300), True),
    ("mi300x", torch.int8, torch.float32, (70, 129), False),
    ("rx7900xtx", torch.float8_e4m3fn, torch.float16, (70, 129), False),
    ("rx7900xtx", torch.int8, torch.bfloat16, (3, 5, 300), True),
])
def test_quantise(gpu, to, dtype, shape, blocks):
    x = drawn(*shape, dtype=dtype)
    y, scales = ops.quantise(x, to, blocks, gpu=gpu)
    assert y.dtype == to and y.shape == x.shape and scales.shape == (*shape[:-1], -(-shape[-1] // 128) if blocks else 1)
    most = 127 if to == torch.int8 else torch.finfo(to).max
    width = 128 if blocks else shape[-1]
    pieces = [x[..., i:i + width].double() for i in range(0, shape[-1], width)]
    largest = torch.stack([piece.abs().amax(-1) for piece in pieces], -1)
    torch.testing.assert_close(scales.double(), largest / most, rtol=1e-6, atol=0)
    back = y.double() * scales.double().repeat_interleave(width, -1)[..., :shape[-1]]
    # Half a step: of the largest value in int8, of the value itself in floats of three digits.
    step = largest.repeat_interleave(width, -1)[..., :shape[-1]] / most
    error = 0.5 * step if to == torch.int8 else torch.maximum(x.double().abs() / 16, step * 2 ** -9)
    assert ((back - x.double()).abs() <= 1.01 * error).all()


@pytest.mark.parametrize("gpu, blocks", [("mi300x", False), ("rx7900xtx", True)])
def test_results_in_8_bits(gpu, blocks):
    """As the operation's own result, quantised, but for that result's rounding."""
    fp8 = torch.float8_e4m3fnuz
    x, r, w = drawn(20, 300, dtype=torch.bfloat16), drawn(20, 300, dtype=torch.bfloat16, seed=2), drawn(300, dtype=torch.bfloat16, seed=3)
    wanted, sum = ops.add_rms_norm(x, r, w, gpu=gpu)
    *added, found_sum = ops.add_rms_norm_quantise(x, r, w, fp8, blocks=blocks, gpu=gpu)
    assert torch.equal(sum, found_sum)
    for (y, scales), whole in ((ops.rms_norm_quantise(x, w, fp8, blocks=blocks, gpu=gpu), ops.rms_norm(x, w, gpu=gpu)),
                               (added, wanted),
                               (ops.silu_mul_quantise(x, r, fp8, blocks, gpu=gpu), ops.silu_mul(x, r, gpu=gpu))):
        width = 128 if blocks else 300
        back = y.double() * scales.double().repeat_interleave(width, -1)[:, :300]
        step = whole.double().abs() / 16 * 1.05 + scales.double().repeat_interleave(width, -1)[:, :300] * 2 ** -8
        assert ((back - whole.double()).abs() <= step).all()


def test_quantise_refuses():
    with pytest.raises(ValueError, match="it gives float8_e4m3fn"):
        ops.quantise(torch.ones(3, 4), torch.int16)
    assert ops.quantise(torch.ones(0, 4), torch.int8)[1].shape == (0, 1)
    x, w = drawn(6, 70, dtype=torch.bfloat16), drawn(70, dtype=torch.bfloat16)
    for operation, given in ((ops.quantise, (x,)), (ops.rms_norm_quantise, (x, w)), (ops.silu_mul_quantise, (x, x)),
                             (ops.add_rms_norm_quantise, (x, x, w))):
        torch.library.opcheck(operation, (*given, torch.int8))


# --- GEMM of scaled operands ---------------------------------------------------------------------

def spread(scale, shape):
    """A factor for each element."""
    for axis in (0, 1):
        if scale.shape[axis] not in (1, shape[axis]):
            scale = scale.repeat_interleave(128, axis)
        elif scale.shape[axis] == 1:
            scale = scale.expand(*(shape[i] if i == axis else -1 for i in (0, 1)))
    return scale[:shape[0], :shape[1]].double()


@pytest.mark.parametrize("gpu, fp8, dtype, of_a, of_b", [
    ("mi300x", torch.float8_e4m3fnuz, torch.bfloat16, (70, 3), (3, 2)),
    ("mi300x", torch.float8_e4m3fn, torch.float32, (70, 1), (1, 140)),  # a format that it does not have
    ("mi355x", torch.float8_e4m3fn, torch.float16, (1, 1), (1, 1)),
])
def test_scales(gpu, fp8, dtype, of_a, of_b):
    a, b = drawn(70, 300).to(fp8), drawn(140, 300, seed=2).to(fp8).mT
    scale_a, scale_b = drawn(*of_a, seed=3).abs() + 0.1, drawn(*of_b, seed=4).abs() + 0.1
    c = ops.scaled_gemm(a, b, scale_a, scale_b, dtype, gpu=gpu)
    assert c.dtype == dtype
    assert_close(c, (a.double() * spread(scale_a, a.shape)) @ (b.double() * spread(scale_b, b.shape)))


def test_scales_nothing():
    a, b, one = torch.ones(3, 0).to(torch.float8_e4m3fn), torch.ones(0, 4).to(torch.float8_e4m3fn), torch.ones(1, 1)
    assert (ops.scaled_gemm(a, b, one, one) == torch.zeros(3, 4)).all()
    assert ops.scaled_gemm(b.mT, a.mT[:, :0], one, one).shape == (4, 0)


# --- attention to pages --------------------------------------------------------------------------

def paged(q, keys, values, pages, lengths, causal=True, scale=None):
    """In float64, one query after the other."""
    o = torch.zeros(q.shape, dtype=torch.float64)
    batch, heads, queries, size = q.shape
    shares = heads // keys.shape[2]
    for b in range(batch):
        length = int(lengths[b])
        k, v = (torch.cat([of[page] for page in pages[b][:-(-length // of.shape[1])]])[:length].double()
                for of in (keys, values))
        for h in range(heads):
            for i in range(queries):
                seen = length - queries + i + 1 if causal else length
                scores = k[:seen, h // shares] @ q[b, h, i].double() * (size ** -0.5 if scale is None else scale)
                o[b, h, i] = torch.softmax(scores, -1) @ v[:seen, h // shares]
    return o


LENGTHS = torch.tensor([5, 64, 200])
PAGES = torch.tensor([[3, -1, 99, 4], [1, 0, 7, 8], [19, 18, 17, 16]])  # what lies beyond a length is not read


def cache(dtype=torch.bfloat16, of=torch.bfloat16):
    q = drawn(3, 6, 2, 64, dtype=dtype)
    return q, *(drawn(20, 64, 3, 64, dtype=torch.float32, seed=i).to(of) for i in (2, 3))


@pytest.mark.parametrize("causal", [True, False])
def test_decodes(causal):
    q, keys, values = cache()
    found = ops.paged_attention(q, keys, values, PAGES, LENGTHS, causal=causal)
    assert_close(found, paged(q, keys, values, PAGES, LENGTHS, causal))


def test_decodes_from_fp8():
    q, keys, values = cache(of=torch.float8_e4m3fnuz)
    found = ops.paged_attention(q, keys, values, PAGES, LENGTHS, key_scale=0.5, value_scale=2.0, scale=0.2)
    assert_close(found, paged(q, keys.double() * 0.5, values.double() * 2, PAGES, LENGTHS, scale=0.2))


def test_decodes_from_one_tensor_of_keys_and_values(monkeypatch):
    """As vLLM has them; nothing of the cache is copied."""
    q, keys, values = cache()
    both = torch.stack([keys, values], 1)
    seen = []
    launch = hipsight.Kernel.launch
    monkeypatch.setattr(hipsight.Kernel, "launch", lambda self, *rest, **keywords: (
        seen.extend(one.data_ptr() for one in keywords["memory"]), launch(self, *rest, **keywords))[1])
    found = ops.paged_attention(q, both[:, 0], both[:, 1], PAGES, LENGTHS)
    assert_close(found, paged(q, keys, values, PAGES, LENGTHS))
    assert {both.data_ptr(), both[:, 1].data_ptr()} <= set(seen)


def test_decodes_elsewhere():
    q, keys, values = cache()
    found = ops.paged_attention(q, keys, values, PAGES, LENGTHS, gpu="rx7900xtx")
    assert_close(found, paged(q, keys, values, PAGES, LENGTHS))


@pytest.mark.parametrize("heads", [16, 128])
def test_decodes_from_latents(heads):
    """Multi-head latent attention: keys of 576, of which the first 512 are the values."""
    q, latents = drawn(3, heads, 2, 576, dtype=torch.bfloat16), drawn(20, 64, 576, dtype=torch.bfloat16, seed=2)
    found = ops.latent_attention(q, latents, PAGES, LENGTHS, 0.07)
    keys = latents[:, :, None]
    assert_close(found, paged(q, keys, keys, PAGES, LENGTHS, scale=0.07)[..., :512])


# --- all of them ---------------------------------------------------------------------------------

FP8 = torch.ones(4, 32).to(torch.float8_e4m3fnuz)
ONE = torch.ones(1, 1)


def test_pass_opcheck():
    a, b = drawn(9, 72, dtype=torch.bfloat16).requires_grad_(), drawn(2, 72, 50, dtype=torch.bfloat16, seed=2).requires_grad_()
    torch.library.opcheck(ops.grouped_gemm.default, (a, b, torch.tensor([0, 4, 9])))
    fp8 = drawn(70, 300).to(torch.float8_e4m3fnuz)
    before = fp8.clone()
    # test_schema looks whether inputs change, and torch cannot compare these.
    torch.library.opcheck(ops.scaled_gemm.default, (fp8, fp8.mT, torch.ones(70, 3), torch.ones(3, 1)),
                          test_utils=("test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic"))
    assert torch.equal(fp8.view(torch.uint8), before.view(torch.uint8))
    torch.library.opcheck(ops.paged_attention.default, (*cache(), PAGES, LENGTHS))
    q, latents = drawn(3, 16, 1, 576, dtype=torch.bfloat16), drawn(20, 64, 576, dtype=torch.bfloat16, seed=2)
    torch.library.opcheck(ops.latent_attention.default, (q, latents, PAGES, LENGTHS, 0.07))


A, B, STARTS = torch.ones(6, 8), torch.ones(2, 8, 4), torch.tensor([0, 3, 6])
Q, K = torch.ones(1, 4, 1, 64).half(), torch.ones(5, 16, 2, 64).half()
P, L = torch.zeros(1, 2, dtype=torch.int32), torch.tensor([9])


@pytest.mark.parametrize("call, words", [
    (lambda: ops.grouped_gemm(A, B[0], STARTS), "a batch of them"),
    (lambda: ops.grouped_gemm(A, B[:, :7], STARTS), "not as many as b's rows"),
    (lambda: ops.grouped_gemm(A, B, STARTS[:2]), "one number more"),
    (lambda: ops.grouped_gemm(A, B, STARTS.float()), "starts must be integers"),
    (lambda: ops.grouped_gemm(A, B, torch.tensor([0, 4, 3])), "must go up"),
    (lambda: ops.grouped_gemm(A, B, torch.tensor([0, 3, 7])), "to 6 at most"),
    (lambda: ops.grouped_gemm(A, B, torch.tensor([-1, 3, 6])), "must go up, from 0"),
    (lambda: ops.grouped_gemm(A, B, STARTS, torch.tensor([0, 1, 2, 3, 4, 6])), "rows go from 0 to 6; a has 6 rows"),
    (lambda: ops.grouped_gemm(A.half(), B, STARTS), "all alike"),
    (lambda: ops.scaled_gemm(A, A.mT, ONE, ONE), "float8_e4m3fn or float8_e4m3fnuz"),
    (lambda: ops.scaled_gemm(FP8, FP8, ONE, ONE), "not as many as b's rows"),
    (lambda: ops.scaled_gemm(FP8, FP8.mT, ONE, ONE.double()), "scales are float32"),
    (lambda: ops.scaled_gemm(FP8, FP8.mT, torch.ones(4, 1), torch.ones(4, 1)), "or 4 x 1 and 1 x 4"),
    (lambda: ops.scaled_gemm(FP8, FP8.mT, ONE, ONE, torch.int8), "gives float16, bfloat16 or float32"),
    (lambda: ops.paged_attention(Q.float(), K, K, P, L), "q must be float16 or bfloat16"),
    (lambda: ops.paged_attention(Q, K.bfloat16(), K.bfloat16(), P, L), "of q's type"),
    (lambda: ops.paged_attention(Q, K, K[:4], P, L), "pages x places x heads x size"),
    (lambda: ops.paged_attention(Q[..., :40], K[..., :40], K[..., :40], P, L), "a multiple of 32"),
    (lambda: ops.paged_attention(Q[:, :3], K, K, P, L), "a multiple of the cache's"),
    (lambda: ops.paged_attention(Q, K[:, :12], K[:, :12], P, L), "power of two"),
    (lambda: ops.paged_attention(Q, K, K, P + 5, L), "pages go from 5 to 5; the cache has 5"),
    (lambda: ops.paged_attention(Q, K, K, P, L + 30), "lengths go from 39 to 39"),
    (lambda: ops.paged_attention(Q, K, K, P, L * 0), "lengths go from 0 to 0"),
    (lambda: ops.paged_attention(Q, K, K, P[0], L), "pages must be integers, batch x"),
    (lambda: ops.latent_attention(Q, K[:, :, 0], P, L, 1.0), "q must be batch x heads x places x 576"),
    (lambda: ops.latent_attention(Q, K[:, :, 0].float(), P, L, 1.0), "float16 or bfloat16, both alike"),
    (lambda: ops.paged_attention(Q, K, K, P, L, key_scale=-1.0), "key_scale is -1.0"),
])
def test_refuse(call, words):
    with pytest.raises((ValueError, RuntimeError), match=words):
        call()
