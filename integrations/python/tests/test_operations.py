"""torch.ops.hipsight but gemm, against torch in float64."""

import pytest
import torch
from torch.nn import functional

import hipsight
import hipsight.torch  # noqa: F401
from tensors import DTYPES, assert_close, drawn, wide

ops = torch.ops.hipsight
SHAPES = [(1, 8), (3, 300), (2, 5, 64), (70, 1100)]


ROWS = {
    "rms_norm": (lambda x, w: ops.rms_norm(x, w, 1e-5),
                 lambda x, w: functional.rms_norm(x, x.shape[-1:], w, 1e-5), "xw"),
    "layer_norm": (lambda x, w, b: ops.layer_norm(x, w, b, 1e-5),
                   lambda x, w, b: functional.layer_norm(x, x.shape[-1:], w, b, 1e-5), "xwb"),
    "softmax": (lambda x: ops.softmax(x, 0.7), lambda x: torch.softmax(0.7 * x, -1), "x"),
    "silu_mul": (ops.silu_mul, lambda g, u: functional.silu(g) * u, "xx"),
    "gelu_mul": (ops.gelu_mul, lambda g, u: functional.gelu(g, approximate="tanh") * u, "xx"),
}


def operands(kinds, shape, dtype):
    return [drawn(*(shape if kind == "x" else shape[-1:]), dtype=dtype, seed=i) for i, kind in enumerate(kinds)]


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows(name, shape, dtype):
    operation, reference, kinds = ROWS[name]
    given = operands(kinds, shape, dtype)
    assert_close(operation(*given), reference(*wide(*given)))


@pytest.mark.parametrize("name", ROWS)
def test_rows_have_gradients(name):
    operation, reference, kinds = ROWS[name]
    given = [one.requires_grad_() for one in operands(kinds, (6, 40), torch.float32)]
    weight = drawn(6, 40, seed=9)
    (operation(*given) * weight).sum().backward()
    as_wide = wide(*given)
    (reference(*as_wide) * weight).sum().backward()
    for one, other in zip(given, as_wide):
        assert_close(one.grad, other.grad)


@pytest.mark.parametrize("name, columns", [("rms_norm", 16500), ("layer_norm", 8300)])
def test_gradients_of_long_rows(name, columns):
    operation, reference, kinds = ROWS[name]
    given = [one.requires_grad_() for one in operands(kinds, (2, columns), torch.float32)]
    operation(*given).sum().backward()
    as_wide = wide(*given)
    reference(*as_wide).sum().backward()
    for one, other in zip(given, as_wide):
        assert_close(one.grad, other.grad)


@pytest.mark.parametrize("dtype", DTYPES)
def test_cross_entropy(dtype):
    logits, targets = drawn(7, 1000, dtype=dtype).requires_grad_(), torch.tensor([0, 999, 5, -100, 5, 6, 7])
    losses, _ = ops.cross_entropy(logits, targets)
    (as_wide,) = wide(logits)
    wanted = functional.cross_entropy(as_wide, targets, reduction="none")
    assert_close(losses, wanted, of=torch.float32)
    weight = drawn(7, seed=3)
    (losses * weight).sum().backward()
    (wanted * weight).sum().backward()
    assert_close(logits.grad, as_wide.grad)
    with pytest.raises(ValueError, match="a target is 1000"):
        ops.cross_entropy(logits, targets + 1)
    with pytest.raises(ValueError, match="one for each token"):
        ops.cross_entropy(logits, targets[1:])


@pytest.mark.parametrize("dtype", DTYPES)
def test_adamw(dtype):
    start = [drawn(5, 30, dtype=dtype), drawn(7, dtype=dtype, seed=2)]
    ours = [torch.nn.Parameter(one.clone()) for one in start]
    theirs = [torch.nn.Parameter(one.float()) for one in start]
    options = dict(lr=0.01, betas=(0.8, 0.95), weight_decay=0.1)
    optimizers = [hipsight.torch.AdamW(ours, **options), torch.optim.AdamW(theirs, **options)]
    for step in range(3):
        for one, other in zip(ours, theirs):
            one.grad = drawn(*one.shape, dtype=dtype, seed=10 + step)
            other.grad = one.grad.float()
        for optimizer in optimizers:
            optimizer.step()
    for one, other in zip(ours, theirs):
        assert_close(one, other)
    with pytest.raises(ValueError, match="mean must be float32"):
        ops.adamw_(ours[0], ours[0].grad, start[0].double(), start[0], None, 1, 0.1, 0.9, 0.9, 0.1, 0.1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_norm_of_a_sum(dtype):
    x, residual, weight = (drawn(*shape, dtype=dtype, seed=i)
                           for i, shape in enumerate([(9, 260), (9, 260), (260,)]))
    y, sum = ops.add_rms_norm(x, residual, weight, 1e-5)
    assert torch.equal(sum, (x.float() + residual.float()).to(dtype))
    assert_close(y, functional.rms_norm(sum.double(), (260,), weight.double(), 1e-5))


def test_norm_of_a_sum_has_gradients():
    given = [drawn(*shape, seed=i).requires_grad_() for i, shape in enumerate([(4, 30), (4, 30), (30,)])]
    of_y, of_sum = drawn(4, 30, seed=5), drawn(4, 30, seed=6)
    y, sum = ops.add_rms_norm(*given, 1e-5)
    ((y * of_y).sum() + (sum * of_sum).sum()).backward()
    x, residual, weight = as_wide = wide(*given)
    added = x + residual
    ((functional.rms_norm(added, (30,), weight, 1e-5) * of_y).sum() + (added * of_sum).sum()).backward()
    for one, other in zip(given, as_wide):
        assert_close(one.grad, other.grad)


def test_rows_of_any_strides():
    x, w = drawn(20, 128)[:, 7:71], drawn(128)[::2]
    assert_close(ops.rms_norm(x, w), functional.rms_norm(x.double(), (64,), w.double(), 1e-6))
    x = drawn(64, 20).mT
    assert_close(ops.softmax(x), torch.softmax(x.double(), -1))
    x = drawn(1, 64).expand(5, 64)
    assert_close(ops.softmax(x), torch.softmax(x.double(), -1))


@pytest.mark.parametrize("shape", [(0, 8), (3, 0), (2, 0, 8)])
def test_rows_of_no_values(shape):
    assert ops.softmax(torch.ones(shape)).shape == shape


# --- rope ----------------------------------------------------------------------------------------

def rotated(x, cos, sin, positions, interleaved):
    """Of ... x tokens x heads x size, in float64."""
    x, pairs = x.double(), cos.shape[1]
    places = torch.arange(x.shape[-3]) if positions is None else positions.long()
    c, s = (table.double()[places].unsqueeze(-2) for table in (cos, sin))
    if interleaved:
        a, b = x[..., 0:2 * pairs:2], x[..., 1:2 * pairs:2]
        turned = torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)
    else:
        a, b = x[..., :pairs], x[..., pairs:2 * pairs]
        turned = torch.cat([a * c - b * s, a * s + b * c], -1)
    return torch.cat([turned, x[..., 2 * pairs:]], -1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("shape, pairs", [((5, 2, 64), 32), ((2, 7, 3, 48), 16)])
@pytest.mark.parametrize("with_positions", [False, True])
def test_rope(dtype, interleaved, shape, pairs, with_positions):
    x = drawn(*shape, dtype=dtype)
    angles = torch.rand(20, pairs, generator=torch.Generator().manual_seed(2)) * 6
    positions = torch.tensor([19, 3, 3, 0, 7, 11, 1])[:shape[-3]] if with_positions else None
    y = ops.rope(x, angles.cos(), angles.sin(), positions, interleaved)
    assert_close(y, rotated(x, angles.cos(), angles.sin(), positions, interleaved))


def test_rope_of_transposed_heads_and_its_gradient():
    x = drawn(2, 3, 7, 32).requires_grad_()  # batch x heads x tokens x size
    angles, weight = drawn(7, 16, seed=2), drawn(2, 7, 3, 32, seed=3)
    y = ops.rope(x.transpose(1, 2), angles.cos(), angles.sin())
    (y * weight).sum().backward()
    as_wide, = wide(x)
    wanted = rotated(as_wide.transpose(1, 2), angles.cos(), angles.sin(), None, False)
    (wanted * weight).sum().backward()
    assert_close(y, wanted)
    assert_close(x.grad, as_wide.grad)


# --- attention -----------------------------------------------------------------------------------

def attended(q, k, v, causal, scale):
    """In float64; the last query stands at the last key's place."""
    q, k, v = q.double(), k.double(), v.double()
    shares = q.shape[1] // k.shape[1]
    k, v = (one.repeat_interleave(shares, 1) for one in (k, v))
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        seen = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril(k.shape[2] - q.shape[2])
        scores = scores.masked_fill(~seen, -torch.inf)
    return torch.softmax(scores, -1) @ v, torch.logsumexp(scores, -1)


CASES = [
    # batch, heads of q and of k, queries, keys, size, causal, scale
    (1, 1, 1, 1, 1, 64, False, None),
    (2, 4, 2, 70, 90, 64, True, None),
    (1, 2, 1, 33, 33, 128, True, 0.1),
    (1, 3, 3, 20, 50, 40, False, None),  # a head that kernels do not take as it is
]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("case", CASES)
def test_attention(dtype, case):
    batch, heads, groups, queries, keys, size, causal, scale = case
    q = drawn(batch, heads, queries, size, dtype=dtype)
    k, v = (drawn(batch, groups, keys, size, dtype=dtype, seed=i) for i in (2, 3))
    o, log_sums = ops.attention(q, k, v, causal=causal, scale=scale)
    wanted, wanted_sums = attended(q, k, v, causal, scale)
    assert o.dtype == dtype
    assert_close(o, wanted)
    torch.testing.assert_close(log_sums.double(), wanted_sums, rtol=0, atol=2e-3)


@pytest.mark.parametrize("size, of_values", [(192, 128), (64, 40)])  # the second gets zeros at its end
def test_attention_with_shorter_values(size, of_values):
    q, k, v = drawn(1, 4, 33, size).half(), drawn(1, 2, 70, size, seed=2).half(), drawn(1, 2, 70, of_values, seed=3).half()
    o, log_sums = ops.attention(q, k, v, causal=True)
    wanted, wanted_sums = attended(q, k, v, True, None)
    assert o.shape == wanted.shape
    assert_close(o, wanted)
    torch.testing.assert_close(log_sums.double(), wanted_sums, rtol=0, atol=2e-3)


def test_attention_with_shorter_values_has_gradients():
    q, k, v = (drawn(1, 2, 33, size, seed=i).bfloat16().requires_grad_() for i, size in enumerate((64, 64, 40), 1))
    weight = drawn(1, 2, 33, 40, seed=4)
    (ops.attention(q, k, v, causal=True)[0].float() * weight).sum().backward()
    as_wide = wide(q, k, v)
    (attended(*as_wide, True, None)[0] * weight.bfloat16()).sum().backward()
    for one, other in zip((q, k, v), as_wide):
        assert (one.grad.double() - other.grad).norm() / other.grad.norm() < 1e-2


def test_attention_refuses_longer_values():
    q, v = drawn(1, 2, 3, 64).half(), drawn(1, 2, 3, 96).half()
    with pytest.raises(ValueError, match="must not be longer"):
        ops.attention(q, q, v)


@pytest.mark.parametrize("case", CASES[1:])
def test_attention_has_gradients(case):
    batch, heads, groups, queries, keys, size, causal, scale = case
    q = drawn(batch, heads, queries, size, dtype=torch.bfloat16).requires_grad_()
    k, v = (drawn(batch, groups, keys, size, dtype=torch.bfloat16, seed=i).requires_grad_() for i in (2, 3))
    weight = drawn(batch, heads, queries, size, seed=4)
    (ops.attention(q, k, v, causal=causal, scale=scale)[0].float() * weight).sum().backward()
    as_wide = wide(q, k, v)
    (attended(*as_wide, causal, scale)[0] * weight.bfloat16()).sum().backward()
    for one, other in zip((q, k, v), as_wide):
        # Weights and their gradients are rounded to the operands' type in between.
        difference = (one.grad.double() - other.grad).norm() / other.grad.norm()
        assert difference < 1e-2


def test_attention_of_places_and_heads_the_other_way():
    q, k, v = (drawn(2, 30, 4, 64, dtype=torch.float16, seed=i).transpose(1, 2) for i in range(3))
    assert_close(ops.attention(q, k, v)[0], attended(q, k, v, False, None)[0])


def attended_with(q, k, v, sinks, window, soft_cap, scale):
    """In float64; a sink is one more column of the scores."""
    k, v = (one.double().repeat_interleave(q.shape[1] // k.shape[1], 1) for one in (k, v))
    scores = q.double() @ k.mT * scale
    if soft_cap:
        scores = soft_cap * torch.tanh(scores / soft_cap)
    place = torch.arange(q.shape[2])[:, None] + k.shape[2] - q.shape[2]
    key = torch.arange(k.shape[2])
    hidden = (key > place) | (key <= place - window) if window else torch.zeros(q.shape[2], k.shape[2], dtype=torch.bool)
    scores = scores.masked_fill(hidden, -torch.inf)
    if sinks is not None:
        scores = torch.cat([scores, sinks.double()[None, :, None, None].expand(*scores.shape[:3], 1)], -1)
    return torch.softmax(scores, -1)[..., :k.shape[2]] @ v


@pytest.mark.parametrize("window, soft_cap, with_sinks", [(0, 0.0, True), (7, 0.0, False), (0, 3.0, False), (9, 5.0, True)])
def test_attention_with_windows_caps_and_sinks(window, soft_cap, with_sinks):
    q, k, v = (drawn(2, heads, 24, 64, dtype=torch.bfloat16, seed=i) for i, heads in enumerate((4, 2, 2)))
    sinks = torch.tensor([-2.0, 0.5, 3.0, 1.0]) if with_sinks else None
    o, _ = ops.attention(q, k, v, sinks, window=window, soft_cap=soft_cap, scale=0.3)
    wanted = attended_with(q, k, v, sinks, window, soft_cap, 0.3)
    assert_close(o, wanted)
    # The same keys in pages.
    lay = [one.transpose(1, 2).reshape(2 * 3, 8, 2, 64).contiguous() for one in (k, v)]
    pages = torch.arange(6, dtype=torch.int32).view(2, 3)
    paged = ops.paged_attention(q, *lay, pages, torch.tensor([24, 24]), sinks, causal=False, window=window,
                                soft_cap=soft_cap, scale=0.3)
    assert_close(paged, wanted)


def test_windows_have_gradients_and_sinks_have_none():
    q, k, v = (drawn(1, 2, 20, 64, dtype=torch.bfloat16, seed=i).requires_grad_() for i in range(3))
    wide = [one.detach().double().requires_grad_() for one in (q, k, v)]
    weight = drawn(1, 2, 20, 64, seed=4)
    (ops.attention(q, k, v, window=6)[0].double() * weight.double()).sum().backward()
    (attended_with(*wide, None, 6, 0, 64 ** -0.5) * weight.double()).sum().backward()
    for one, other in zip((q, k, v), wide):
        distance = (one.grad.double() - other.grad).abs().max()
        assert distance <= 0.02 * other.grad.abs().max()  # the weights are rounded to bfloat16 on the way
    with pytest.raises(NotImplementedError, match="no gradients"):
        ops.attention(q, k, v, torch.zeros(2))[0].sum().backward()


def test_attention_refuses_sinks_of_another_size():
    q = drawn(1, 2, 4, 64, dtype=torch.float16)
    with pytest.raises(ValueError, match="one for each head"):
        ops.attention(q, q, q, torch.zeros(3))
    with pytest.raises(ValueError, match="soft_cap"):
        ops.attention(q, q, q, soft_cap=-1.0)


def test_attention_of_no_queries():
    o, log_sums = ops.attention(drawn(1, 2, 0, 64).half(), *(drawn(1, 2, 9, 64).half() for _ in range(2)))
    assert o.shape == (1, 2, 0, 64) and log_sums.shape == (1, 2, 0)


# --- all of them ---------------------------------------------------------------------------------

def calls():
    x, w = drawn(4, 32), drawn(32, seed=2)
    angles = drawn(4, 16, seed=3)
    q = drawn(1, 2, 8, 32, dtype=torch.float16)
    return {"rms_norm": (x, w, 1e-6), "add_rms_norm": (x, x.flip(0), w, 1e-6), "layer_norm": (x, w, w.flip(0), 1e-5),
            "softmax": (x, 0.5), "silu_mul": (x, x.flip(0)), "gelu_mul": (x, x.flip(0)),
            "rope": (x.view(4, 1, 32), angles.cos(), angles.sin()), "attention": (q, q.flip(2), q.flip(3)),
            "causal_convolution": (x.view(1, 4, 32), drawn(32, 4, seed=4), w, None, True),
            "convolution": (x.view(1, 2, 8, 8), drawn(4, 2, 3, 3, seed=4), drawn(4, seed=5), [1], [1])}


def test_reports_of_launches_can_be_read_wholly():
    """A GEMM's registers limit its occupancy, so that there is something in each list."""
    with hipsight.profile(gpu="mi300x") as profile:
        ops.gemm(drawn(64, 64), drawn(64, 64))
    launch, = profile.kernels
    step = launch.report.occupancy.steps[0]
    assert step.of and step.waves_per_simd > launch.report.occupancy.waves_per_simd
    assert "OccupancyStep(of=" in repr(launch.report.occupancy)
    assert "gemm" in repr(launch)


def calls_without_gradients():
    x, w = drawn(4, 32), drawn(32, seed=2)
    k, cache = drawn(4, 2, 32, dtype=torch.float16), torch.zeros(2, 4, 2, 32, dtype=torch.float16)
    which = torch.tensor([[0, 2], [1, 0], [2, 1], [0, 1]], dtype=torch.int32)
    return {"rms_norm_backward": (x, x.flip(0), w, 1e-6), "layer_norm_backward": (x, x.flip(0), w, 1e-5),
            "softmax_backward": (x, torch.softmax(x, -1), 1.0), "silu_mul_backward": (x, x.flip(0), x.flip(1)),
            "gelu_mul_backward": (x, x.flip(0), x.flip(1)), "cross_entropy": (x, torch.tensor([0, 31, -1, 5])),
            "adamw_": (x, x.flip(0), torch.zeros(4, 32), torch.zeros(4, 32), None, 1, 0.1, 0.9, 0.99, 1e-8, 0.1),
            "moe_route": (x, 3), "moe_sort": (which, 3),
            "moe_combine": (drawn(8, 32, seed=3), torch.arange(8, dtype=torch.int32).view(4, 2), drawn(4, 2, seed=4)),
            "append_to_cache": (k, k.flip(0), cache, cache.clone(), torch.tensor([0, 3, -1, 7]))}


@pytest.mark.parametrize("name", calls_without_gradients())
def test_passes_opcheck_without_gradients(name):
    torch.library.opcheck(getattr(ops, name).default, calls_without_gradients()[name])


@pytest.mark.parametrize("name", calls())
def test_passes_opcheck(name):
    arguments = [one.clone().requires_grad_() if torch.is_tensor(one) and name != "rope" else one
                 for one in calls()[name]]
    torch.library.opcheck(getattr(ops, name).default, tuple(arguments))


@pytest.mark.parametrize("gpu", ["mi210", "mi355x", "rx7900xtx", "rx9070xt"])
def test_runs_on_the_gpu_that_is_named(gpu):
    x, w = drawn(7, 200, dtype=torch.bfloat16), drawn(200, dtype=torch.bfloat16, seed=2)
    assert_close(ops.rms_norm(x, w, gpu=gpu), functional.rms_norm(x.double(), (200,), w.double(), 1e-6))
    q, k, v = (drawn(1, 2, 40, 64, dtype=torch.float16, seed=i) for i in range(3))
    assert_close(ops.attention(q, k, v, causal=True, gpu=gpu)[0], attended(q, k, v, True, None)[0])


X = torch.ones(4, 8)


@pytest.mark.parametrize("call, words", [
    (lambda: ops.rms_norm(X, torch.ones(7)), "weight must have one value for each of x's columns"),
    (lambda: ops.rms_norm(X.double(), torch.ones(8).double()), "float16, bfloat16 or float32"),
    (lambda: ops.rms_norm(X, torch.ones(8), -1.0), "epsilon"),
    (lambda: ops.silu_mul(X, torch.ones(4, 9)), "must have the shape of the other"),
    (lambda: ops.softmax(X, 0.0), "scale"),
    (lambda: ops.softmax(torch.ones(())), "one dimension or more"),
    (lambda: ops.rope(X, X, X), "tokens x heads x size"),
    (lambda: ops.rope(X.view(4, 1, 8), X, X), "more columns than x has pairs"),
    (lambda: ops.rope(X.view(4, 1, 8), X[:3, :4], X[:3, :4]), "fewer rows than x has tokens"),
    (lambda: ops.rope(X.view(4, 1, 8), X[:, :4], X[:, :4], torch.tensor([0, 1, 2, 4])), "go from 0 to 4"),
    (lambda: ops.attention(*[X.view(1, 1, 4, 8)] * 3), "float16 or bfloat16"),
    (lambda: ops.attention(*[X.half()] * 3), "batch x heads x places x size"),
    (lambda: ops.attention(torch.ones(1, 3, 4, 32).half(), *[torch.ones(1, 2, 4, 32).half()] * 2), "a multiple of k's"),
    (lambda: ops.attention(*[torch.ones(1, 1, 4, 300).half()] * 3), "1 to 256 values"),
    (lambda: ops.attention(*[torch.ones(1, 1, 4, 32).half()] * 3, scale=-1.0), "positive and finite"),
])
def test_refuses(call, words):
    with pytest.raises((ValueError, RuntimeError, hipsight.Error), match=words):
        call()


CONVOLUTIONS = {"plain": ((2, 16, 9, 11), (24, 16, 3, 3), dict(padding=1)),
                "strided": ((2, 6, 12, 10), (10, 3, 3, 2), dict(stride=(2, 3), padding=(2, 1), dilation=(2, 1), groups=2)),
                "of few channels": ((1, 3, 15, 15), (8, 3, 7, 7), dict(stride=2, padding=3)),
                "1 x 1": ((3, 32, 5, 5), (16, 32, 1, 1), {})}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("images, filters, how", CONVOLUTIONS.values(), ids=CONVOLUTIONS)
def test_convolution_and_its_gradients(images, filters, how, dtype):
    x, w, bias = drawn(*images, dtype=dtype), drawn(*filters, dtype=dtype, seed=2), drawn(filters[0], dtype=dtype, seed=3)
    given = [one.clone().requires_grad_() for one in (x, w, bias)]
    wide = [one.double().requires_grad_() for one in (x, w, bias)]
    y, wanted = ops.convolution(*given, **how), torch.nn.functional.conv2d(*wide, **how)
    assert y.is_contiguous(memory_format=torch.channels_last)
    assert_close(y, wanted)
    gradient = drawn(*y.shape, dtype=dtype, seed=4)
    y.backward(gradient)
    wanted.backward(gradient.double())
    for one, other in zip(given, wide):
        assert_close(one.grad, other.grad)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("taps, with_before, silu", [(4, False, True), (2, True, False)])
def test_causal_convolution_and_its_gradients(taps, with_before, silu, dtype):
    x, w, bias = drawn(2, 21, 40, dtype=dtype), drawn(40, taps, dtype=dtype, seed=2), drawn(40, dtype=dtype, seed=3)
    before = drawn(2, taps - 1, 40, dtype=dtype, seed=4) if with_before else None
    given = [one if one is None else one.clone().requires_grad_() for one in (x, w, bias, before)]
    wide = [one if one is None else one.double().requires_grad_() for one in (x, w, bias, before)]
    start = torch.zeros(2, taps - 1, 40, dtype=torch.float64) if before is None else wide[3]
    wanted = torch.nn.functional.conv1d(torch.cat([start, wide[0]], 1).mT, wide[1][:, None], wide[2], groups=40).mT
    wanted = torch.nn.functional.silu(wanted) if silu else wanted
    y = ops.causal_convolution(*given, silu)
    assert_close(y, wanted)
    gradient = drawn(*y.shape, dtype=dtype, seed=5)
    y.backward(gradient)
    wanted.backward(gradient.double())
    for one, other in zip(given, wide):
        if one is not None:
            assert_close(one.grad, other.grad)


def test_convolution_of_nothing_and_refused():
    assert ops.convolution(drawn(0, 4, 5, 5), drawn(2, 4, 3, 3)).shape == (0, 2, 3, 3)
    assert ops.convolution(drawn(1, 4, 2, 2), drawn(2, 4, 3, 3)).shape == (1, 2, 0, 0)
    with pytest.raises((ValueError, RuntimeError), match="8 channels and w 2 filters of 4, in 1 groups"):
        ops.convolution(drawn(1, 8, 5, 5), drawn(2, 4, 3, 3))
    with pytest.raises(ValueError, match="one number, or two"):
        ops.convolution(drawn(1, 8, 5, 5), drawn(2, 8, 3, 3), stride=[1, 2, 3])


def test_a_mixture_of_experts():
    """Routing to combining, against each token's experts one by one."""
    tokens, experts, chosen, size, inner = 23, 12, 3, 32, 64
    x, scores = drawn(tokens, size), drawn(tokens, experts, seed=2)
    up, down = drawn(experts, size, inner, seed=3), drawn(experts, inner, size, seed=4)
    which, weights = ops.moe_route(scores, chosen)
    probabilities, wanted = torch.softmax(scores, -1).topk(chosen)
    assert torch.equal(which.long(), wanted)
    assert_close(weights, probabilities / probabilities.sum(-1, keepdim=True))
    starts, rows, places = ops.moe_sort(which, experts)
    assert starts.tolist() == [0, *torch.bincount(which.flatten(), minlength=experts).cumsum(0).tolist()]
    hidden = ops.grouped_gemm(x, up, starts, rows)
    y = ops.moe_combine(ops.grouped_gemm(hidden, down, starts), places, weights)
    each = torch.einsum("ts,esi,eio->teo", x.double(), up.double(), down.double())
    assert_close(y, (each.gather(1, wanted[..., None].expand(-1, -1, size)) * weights.double()[..., None]).sum(1))


def test_routing_by_groups():
    """DeepSeek-V3's: sigmoid, a bias for the comparison, four of eight groups by their best two."""
    scores, bias = drawn(9, 64), drawn(64, seed=2) * 0.1
    which, weights = ops.moe_route(scores, 6, bias, sigmoid=True, factor=2.5, groups=8, chosen_groups=4, of_group=2)
    share = scores.double().sigmoid()
    rank = share + bias
    best = rank.view(9, 8, 8).topk(2).values.sum(-1).topk(4).indices
    open = torch.zeros(9, 8, dtype=torch.bool).scatter(1, best, True).repeat_interleave(8, 1)
    wanted = rank.masked_fill(~open, -1e9).topk(6).indices
    assert torch.equal(which.long(), wanted)
    of_chosen = share.gather(1, wanted)
    assert_close(weights, 2.5 * of_chosen / of_chosen.sum(-1, keepdim=True))


@pytest.mark.parametrize("call, words", [
    (lambda: ops.moe_route(drawn(4), 2), "tokens x experts"),
    (lambda: ops.moe_route(drawn(4, 8), 9), "from 1 to 8"),
    (lambda: ops.moe_route(drawn(4, 8), 2, groups=3), "cannot be in 3 groups"),
    (lambda: ops.moe_sort(torch.zeros(3, 2), 4), "integers"),
    (lambda: ops.moe_combine(drawn(4, 8), torch.full((2, 2), 4, dtype=torch.int32), drawn(2, 2)), "a place is 4"),
])
def test_mixtures_refuse(call, words):
    with pytest.raises((ValueError, hipsight.Error), match=words):
        call()


@pytest.mark.parametrize("cached", [torch.bfloat16, torch.float8_e4m3fn])
def test_appends_to_a_cache(cached):
    k, v = drawn(7, 2, 64, dtype=torch.bfloat16), drawn(7, 2, 64, dtype=torch.bfloat16, seed=2)
    both = torch.zeros(5, 2, 4, 2, 64).to(cached)  # as vLLM has it: pages of keys and values
    keys, values = both.unbind(1)
    slots = torch.tensor([3, 19, -1, 0, 7, 8, -1])
    ops.append_to_cache(k, v, keys, values, slots, 0.5, 2.0)
    for name, cache, given, scale in (("keys", keys, k, 0.5), ("values", values, v, 2.0)):
        places = cache.float().reshape(-1, 2, 64)
        wanted = torch.zeros(20, 2, 64)
        for token, slot in enumerate(slots.tolist()):
            if slot >= 0:
                wanted[slot] = (given[token].float() / scale).to(cached).float()
        assert torch.equal(places, wanted), name
    with pytest.raises(ValueError, match="a slot is 20"):
        ops.append_to_cache(k, v, keys, values, slots + 1)
    with pytest.raises(ValueError, match="one for each token"):
        ops.append_to_cache(k, v, keys, values, slots[1:])
