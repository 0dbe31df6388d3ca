"""hipsight.jax against NumPy in float64, and JAX's own gradients."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

import hipsight  # noqa: E402
import hipsight.jax as ops  # noqa: E402

# Of the largest result: half the last bit of a result, and sums in f32.
TOLERANCE = {"float32": 3e-6, "float16": 1e-3, "bfloat16": 8e-3}
DTYPES = list(TOLERANCE)


def drawn(*shape, dtype="float32", seed=1):
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), dtype)


def wide(array):
    return np.asarray(array).astype(np.float64)


def assert_close(found, wanted, times=1.0, of=None):
    assert found.shape == wanted.shape
    tolerance = TOLERANCE[of or found.dtype.name] * max(1e-3, float(np.abs(wanted).max())) * times
    np.testing.assert_allclose(wide(found), wide(wanted), rtol=0, atol=tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
def test_gemm(dtype):
    a, b = drawn(40, 72, dtype=dtype), drawn(72, 24, dtype=dtype, seed=2)
    found = ops.gemm(a, b)
    assert found.dtype == a.dtype
    assert_close(found, wide(a) @ wide(b))
    assert_close(jax.jit(ops.gemm)(a, b), wide(a) @ wide(b))


def test_gemm_of_batches_and_of_nothing():
    a, b = drawn(2, 3, 8, 16), drawn(2, 3, 16, 4, seed=2)
    assert_close(ops.gemm(a, b), wide(a) @ wide(b))
    assert ops.gemm(drawn(0, 4), drawn(4, 8)).shape == (0, 8)
    assert (ops.gemm(drawn(3, 0), drawn(0, 8)) == 0).all()


def test_gemm_under_vmap():
    a, b = drawn(3, 8, 16), drawn(16, 4, seed=2)
    assert_close(jax.vmap(ops.gemm, in_axes=(0, None))(a, b), wide(a) @ wide(b))
    assert_close(jax.vmap(jax.vmap(ops.gemm, (None, 0)), (0, None))(a, drawn(2, 16, 4)),
                 wide(a)[:, None] @ wide(drawn(2, 16, 4)))


def test_gemm_has_gradients():
    a, b, weight = drawn(8, 16), drawn(16, 4, seed=2), drawn(8, 4, seed=3)
    of_a, of_b = jax.jit(jax.grad(lambda a, b: (ops.gemm(a, b) * weight).sum(), (0, 1)))(a, b)
    assert_close(of_a, wide(weight) @ wide(b).T)
    assert_close(of_b, wide(a).T @ wide(weight))
    # Of a gradient: where the product is of transposes.
    twice = jax.grad(lambda a: (jax.grad(lambda b: (ops.gemm(a, b) ** 2).sum())(b) ** 2).sum())(a)
    usual = jax.grad(lambda a: (jax.grad(lambda b: (jnp.matmul(a, b, precision="highest") ** 2).sum())(b) ** 2).sum())(a)
    assert_close(twice, wide(usual), times=10)


def test_grouped_gemm_and_its_gradients():
    a, b, starts = drawn(10, 16), drawn(3, 16, 8, seed=2), jnp.asarray([0, 4, 4, 9])

    def usual(a, b):
        return jnp.concatenate([jnp.matmul(a[0:4], b[0], precision="highest"),
                                jnp.matmul(a[4:9], b[2], precision="highest"), jnp.zeros((1, 8))])

    assert_close(jax.jit(ops.grouped_gemm)(a, b, starts), wide(usual(a, b)))
    weight = drawn(10, 8, seed=3)
    found = jax.grad(lambda a, b: (ops.grouped_gemm(a, b, starts) * weight).sum(), (0, 1))(a, b)
    wanted = jax.grad(lambda a, b: (usual(a, b) * weight).sum(), (0, 1))(a, b)
    for one, other in zip(found, wanted):
        assert_close(one, wide(other))
    with pytest.raises(Exception, match="starts must go up"):
        jax.block_until_ready(ops.grouped_gemm(a, b, jnp.asarray([0, 4, 2, 9])))


ROWS = {
    "rms_norm": (lambda x, w: ops.rms_norm(x, w), lambda x, w: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * w),
    "layer_norm": (lambda x, w: ops.layer_norm(x, w, w),
                   lambda x, w: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * w + w),
    "softmax": (lambda x, w: ops.softmax(x, 0.5),
                lambda x, w: np.exp(x / 2) / np.exp(x / 2).sum(-1, keepdims=True)),
    "silu_mul": (lambda x, w: ops.silu_mul(x, x * 0.5), lambda x, w: x / (1 + np.exp(-x)) * x / 2),
    "gelu_mul": (lambda x, w: ops.gelu_mul(x, x),
                 lambda x, w: x * x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows(name):
    operation, formula = ROWS[name]
    for dtype in DTYPES:
        x, weight = drawn(3, 5, 40, dtype=dtype), drawn(40, dtype=dtype, seed=2)
        assert_close(operation(x, weight), formula(wide(x), wide(weight)), times=2)
    x, weight = drawn(3, 5, 40), drawn(40, seed=2)
    assert_close(jax.jit(jax.vmap(operation, (0, None)))(x, weight), formula(wide(x), wide(weight)), times=2)
    # A change of each value changes the result as the formula's does, by differences in f64.
    direction, step = wide(drawn(3, 5, 40, seed=4)), 1e-6
    wanted = (formula(wide(x) + step * direction, wide(weight)) -
              formula(wide(x) - step * direction, wide(weight))).sum() / (2 * step)
    found = (wide(jax.grad(lambda x: operation(x, weight).sum())(x)) * direction).sum()
    assert abs(found - wanted) < 1e-3 * max(1.0, abs(wanted))


def test_rows_with_mapped_weights():
    x, weight = drawn(3, 5, 40), drawn(3, 40, seed=2)
    found = jax.vmap(ops.rms_norm)(x, weight)
    assert_close(found, np.stack([wide(ops.rms_norm(*one)) for one in zip(x, weight)]))
    of_all = jax.vmap(ops.rms_norm, (None, 0))(x, weight)
    assert_close(of_all, np.stack([wide(ops.rms_norm(x, one)) for one in weight]))


def test_add_rms_norm_gives_the_sum():
    x, residual, weight = drawn(5, 40), drawn(5, 40, seed=2), drawn(40, seed=3)
    y, sum = ops.add_rms_norm(x, residual, weight)
    assert_close(sum, wide(x) + wide(residual))
    assert_close(y, wide(ops.rms_norm(sum, weight)))
    both = jax.grad(lambda x, r: sum_of(ops.add_rms_norm(x, r, weight)), (0, 1))(x, residual)
    assert_close(both[0], wide(both[1]))


def sum_of(arrays):
    return sum(one.sum() for one in arrays)


@pytest.mark.parametrize("interleaved", [False, True])
def test_rope_turns_back(interleaved):
    x, angles = drawn(2, 6, 3, 16), drawn(6, 8, seed=2)
    cos, sin = jnp.cos(angles), jnp.sin(angles)
    turned = ops.rope(x, cos, sin, interleaved)
    pairs = wide(x).reshape(2, 6, 3, 8, 2) if interleaved else np.stack(np.split(wide(x), 2, -1), -1)
    c, s = wide(cos)[:, None], wide(sin)[:, None]
    first, second = pairs[..., 0] * c - pairs[..., 1] * s, pairs[..., 1] * c + pairs[..., 0] * s
    wanted = np.stack([first, second], -1).reshape(2, 6, 3, 16) if interleaved else np.concatenate([first, second], -1)
    assert_close(turned, wanted)
    assert_close(ops.rope(turned, cos, -sin, interleaved), wide(x), times=2)
    _, back = jax.vjp(lambda x: ops.rope(x, cos, sin, interleaved), x)
    assert_close(back(turned)[0], wide(x), times=2)


def usual_attention(q, k, v, causal):
    k, v = (jnp.repeat(one, q.shape[1] // one.shape[1], 1) for one in (k, v))
    scores = jnp.einsum("bhid,bhjd->bhij", q, k, precision="highest") * q.shape[-1] ** -0.5
    if causal:
        seen = np.tril(np.ones(scores.shape[-2:], bool), scores.shape[-1] - scores.shape[-2])
        scores = jnp.where(seen, scores, -jnp.inf)
    return jnp.einsum("bhij,bhjd->bhid", jax.nn.softmax(scores, -1), v, precision="highest")


@pytest.mark.parametrize("size, causal", [(64, False), (40, True)])
def test_attention_and_its_gradients(size, causal):
    q = drawn(2, 4, 20, size, dtype="float16")
    k, v = (drawn(2, 2, 36, size, dtype="float16", seed=seed) for seed in (2, 3))
    as_f32 = [one.astype(jnp.float32) for one in (q, k, v)]
    found = jax.jit(ops.attention, static_argnames="causal")(q, k, v, causal=causal)
    assert found.dtype == jnp.float16
    assert_close(found, wide(usual_attention(*as_f32, causal)), times=2)
    gradients = jax.grad(lambda *all: ops.attention(*all, causal=causal).astype(jnp.float32).sum(), (0, 1, 2))(q, k, v)
    wanted = jax.grad(lambda *all: usual_attention(*all, causal).sum(), (0, 1, 2))(*as_f32)
    for one, other in zip(gradients, wanted):
        assert_close(one, wide(other), times=4)
    mapped = jax.vmap(lambda q: ops.attention(q, k, v, causal=causal))(jnp.stack([q, -q]))
    assert_close(mapped[0], wide(found))


@pytest.mark.parametrize("groups, how", [(1, dict(padding=1)), (2, dict(strides=2, padding=(0, 1))), (1, dict(dilations=2))])
def test_convolution_and_its_gradients(groups, how):
    x, w = drawn(2, 9, 8, 16), drawn(3, 3, 16 // groups, 24, seed=2)
    high, wide_ = (how.get("padding", 0),) * 2 if isinstance(how.get("padding", 0), int) else how["padding"]

    def usual(x, w):
        return jax.lax.conv_general_dilated(x, w, (how.get("strides", 1),) * 2, [(high, high), (wide_, wide_)],
                                            rhs_dilation=(how.get("dilations", 1),) * 2, feature_group_count=groups,
                                            dimension_numbers=("NHWC", "HWIO", "NHWC"), precision="highest")

    wanted = usual(x, w)
    assert_close(jax.jit(lambda x, w: ops.convolution(x, w, **how))(x, w), wide(wanted), times=4)
    weight = drawn(*wanted.shape, seed=3)
    found = jax.grad(lambda x, w: (ops.convolution(x, w, **how) * weight).sum(), (0, 1))(x, w)
    for one, other in zip(found, jax.grad(lambda x, w: (usual(x, w) * weight).sum(), (0, 1))(x, w)):
        assert_close(one, wide(other), times=4)


def test_launches_are_in_a_profile_on_the_gpu_that_is_named():
    a = drawn(64, 64)
    with hipsight.profile() as profile:
        jax.block_until_ready(ops.gemm(a, a, gpu="rx7900xtx"))
    launch, = profile.kernels
    assert "gemm" in launch.name and "7900" in launch.gpu


@pytest.mark.parametrize("call, words", [
    (lambda: ops.gemm(drawn(2, 3), drawn(4, 5)), "columns are not as many as b's rows"),
    (lambda: ops.gemm(drawn(2, 3), drawn(3, 5, dtype="float16")), "all alike"),
    (lambda: ops.gemm(drawn(3), drawn(3, 5)), "two matrices"),
    (lambda: ops.attention(*[drawn(1, 2, 3, 32)] * 3), "float16, bfloat16"),
    (lambda: ops.attention(*[drawn(1, 2, 3, 32, dtype="float16")] * 3, scale=-1), "positive and finite"),
    (lambda: ops.rms_norm(drawn(2, 3), drawn(4)), "one value for each column"),
    (lambda: ops.rope(drawn(2, 3, 8), drawn(4, 4), drawn(4, 4)), "tokens x pairs"),
])
def test_refuses(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_names_a_gpu_that_there_is_not():
    with pytest.raises(Exception, match="nosuchgpu"):
        jax.block_until_ready(ops.gemm(drawn(4, 4), drawn(4, 4), gpu="nosuchgpu"))
