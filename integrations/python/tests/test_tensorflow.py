"""hipsight.tensorflow against NumPy in float64, and TensorFlow's own gradients."""

import os

import numpy as np
import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
tf = pytest.importorskip("tensorflow")

import hipsight  # noqa: E402
import hipsight.tensorflow as ops  # noqa: E402

# Of the largest result: half the last bit of a result, and sums in f32.
TOLERANCE = {"float32": 3e-6, "float16": 1e-3, "bfloat16": 8e-3}
DTYPES = list(TOLERANCE)


def drawn(*shape, dtype="float32", seed=1):
    return tf.cast(np.random.default_rng(seed).standard_normal(shape), dtype)


def wide(tensor):
    return tf.cast(tensor, tf.float64).numpy()


def assert_close(found, wanted, times=1.0):
    assert found.shape == wanted.shape
    tolerance = TOLERANCE[found.dtype.name] * max(1e-3, float(np.abs(wanted).max())) * times
    np.testing.assert_allclose(wide(found), wanted, rtol=0, atol=tolerance)


def gradients_of(function, *given):
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = function(*given)
        weight = drawn(*y.shape, seed=9, dtype=y.dtype)
        sum = tf.reduce_sum(y * weight)
    return tape.gradient(sum, given)


def assert_same_gradients(function, usual, *given, times=4.0):
    """As of TensorFlow's own operations in float64."""
    found = gradients_of(function, *given)
    wanted = gradients_of(usual, *(tf.cast(one, tf.float64) for one in given))
    for one, other in zip(found, wanted, strict=True):
        assert_close(one, wide(other), times)


@pytest.mark.parametrize("dtype", DTYPES)
def test_gemm(dtype):
    a, b = drawn(40, 72, dtype=dtype), drawn(72, 24, dtype=dtype, seed=2)
    assert_close(ops.gemm(a, b), wide(a) @ wide(b))
    assert_close(tf.function(ops.gemm)(a, b), wide(a) @ wide(b))


def test_gemm_of_batches_and_of_nothing():
    a, b = drawn(2, 3, 8, 16), drawn(2, 3, 16, 4, seed=2)
    assert_close(ops.gemm(a, b), wide(a) @ wide(b))
    assert ops.gemm(drawn(0, 4), drawn(4, 8)).shape == (0, 8)
    assert (ops.gemm(drawn(3, 0), drawn(0, 8)).numpy() == 0).all()


def test_gemm_has_gradients_of_gradients():
    a, b = drawn(8, 16), drawn(16, 4, seed=2)
    assert_same_gradients(tf.function(ops.gemm), tf.matmul, a, b)

    def twice(product):
        def of(a, b):
            with tf.GradientTape() as tape:
                tape.watch(b)
                sum = tf.reduce_sum(product(a, b) ** 2)
            return tape.gradient(sum, b)
        return of

    assert_same_gradients(twice(ops.gemm), twice(tf.matmul), a, b, times=10)


def test_a_function_of_unknown_sizes():
    """One trace for all."""
    function = tf.function(ops.gemm, input_signature=[tf.TensorSpec((None, 16)), tf.TensorSpec((16, None))])
    for rows in (3, 40):
        a, b = drawn(rows, 16), drawn(16, 2 * rows, seed=2)
        assert_close(function(a, b), wide(a) @ wide(b))
    assert function.get_concrete_function().output_shapes == (None, None)


def test_grouped_gemm_and_its_gradients():
    a, b, starts = drawn(10, 16), drawn(3, 16, 8, seed=2), tf.constant([0, 4, 4, 9])

    def usual(a, b):
        return tf.concat([a[0:4] @ b[0], a[4:9] @ b[2], tf.zeros((1, 8), a.dtype)], 0)

    assert_close(ops.grouped_gemm(a, b, starts), wide(usual(a, b)))
    assert_same_gradients(lambda a, b: ops.grouped_gemm(a, b, starts), usual, a, b)
    for function in (ops.grouped_gemm, tf.function(ops.grouped_gemm)):
        with pytest.raises((ValueError, tf.errors.OpError), match="starts must go up"):
            function(a, b, tf.constant([0, 4, 2, 9]))
    with pytest.raises(ValueError, match="3 groups and 3 starts"):
        ops.grouped_gemm(a, b, tf.constant([0, 4, 9]))


def norm(x, weight):
    return x / tf.sqrt(tf.reduce_mean(x * x, -1, keepdims=True) + 1e-6) * weight


def layer_norm(x, weight, bias):
    centred = x - tf.reduce_mean(x, -1, keepdims=True)
    return centred / tf.sqrt(tf.reduce_mean(centred * centred, -1, keepdims=True) + 1e-5) * weight + bias


X, Y, W, B = drawn(2, 5, 48), drawn(2, 5, 48, seed=2), drawn(48, seed=3), drawn(48, seed=4)
ON_ROWS = {"rms_norm": ((X, W), norm), "layer_norm": ((X, W, B), layer_norm),
           "softmax": ((X,), lambda x: tf.nn.softmax(x)), "silu_mul": ((X, Y), lambda x, y: tf.nn.silu(x) * y),
           "gelu_mul": ((X, Y), lambda x, y: tf.nn.gelu(x, approximate=True) * y)}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ON_ROWS)
def test_on_rows(name, dtype):
    given, usual = ON_ROWS[name]
    given = [tf.cast(one, dtype) for one in given]
    operation = getattr(ops, name)
    assert_close(operation(*given), wide(usual(*(tf.cast(one, tf.float64) for one in given))), times=2)
    assert_same_gradients(tf.function(operation), usual, *given)


def test_add_rms_norm():
    y, sum = ops.add_rms_norm(X, Y, W)
    assert_close(sum, wide(X) + wide(Y))
    assert_close(y, wide(norm(X + Y, W)), times=2)


def test_rope_and_its_gradient():
    x, angles = drawn(2, 6, 3, 32), drawn(6, 16, seed=2)
    cos, sin = tf.cos(angles), tf.sin(angles)

    def usual(x):
        first, second = tf.split(x, 2, -1)
        c, s = (tf.cast(one, x.dtype)[:, None] for one in (cos, sin))
        return tf.concat([first * c - second * s, second * c + first * s], -1)

    assert_close(ops.rope(x, cos, sin), wide(usual(x)))
    assert_same_gradients(lambda x: ops.rope(x, cos, sin), usual, x)


@pytest.mark.parametrize("dtype, causal", [("float16", False), ("bfloat16", True)])
def test_attention_and_its_gradients(dtype, causal):
    q, k, v = (drawn(2, heads, 24, 40, dtype=dtype, seed=i) for i, heads in enumerate((4, 2, 2)))

    def usual(q, k, v):
        k, v = (tf.repeat(one, 2, 1) for one in (k, v))
        scores = tf.matmul(q, k, transpose_b=True) * 40 ** -0.5
        if causal:
            scores += (tf.linalg.band_part(tf.ones((24, 24), q.dtype), -1, 0) - 1) * 1e9
        return tf.nn.softmax(scores) @ v

    wanted = usual(*(tf.cast(one, tf.float64) for one in (q, k, v)))
    assert_close(ops.attention(q, k, v, causal=causal), wide(wanted), times=2)
    assert_same_gradients(tf.function(lambda *given: ops.attention(*given, causal=causal)), usual, q, k, v, times=6)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("how, usual", [
    (dict(padding=1), dict(strides=1, padding=[[0, 0], [1, 1], [1, 1], [0, 0]])),
    (dict(strides=2, padding=(0, 1)), dict(strides=2, padding=[[0, 0], [0, 0], [1, 1], [0, 0]]))])
def test_convolution_and_its_gradients(how, usual, dtype):
    x, w = drawn(2, 9, 8, 16, dtype=dtype), drawn(3, 3, 16, 24, dtype=dtype, seed=2)

    def by_tensorflow(x, w):
        return tf.nn.conv2d(x, w, **usual)

    assert_close(ops.convolution(x, w, **how), wide(by_tensorflow(tf.cast(x, tf.float64), tf.cast(w, tf.float64))))
    assert_same_gradients(tf.function(lambda x, w: ops.convolution(x, w, **how)), by_tensorflow, x, w)


def test_convolution_of_groups_and_with_dilation():
    x, w = drawn(2, 9, 8, 16), drawn(3, 3, 8, 24, seed=2)
    parts = [tf.nn.conv2d(one, other, 1, "VALID", dilations=2) for one, other in zip(tf.split(x, 2, 3), tf.split(w, 2, 3))]
    assert_close(ops.convolution(x, w, dilations=2), wide(tf.concat(parts, 3)), times=4)


def test_a_model_trains():
    """Of Keras's variables, in a step that is one graph."""
    first, second = tf.Variable(drawn(16, 32) * 0.2), tf.Variable(drawn(32, 1, seed=2) * 0.2)
    x = drawn(64, 16, seed=3)
    y = tf.reduce_sum(x[:, :3], -1, keepdims=True)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((ops.gemm(tf.nn.relu(ops.gemm(x, first)), second) - y) ** 2)
        for one, gradient in zip((first, second), tape.gradient(loss, (first, second))):
            one.assign_sub(0.05 * gradient)
        return loss

    losses = [float(step()) for _ in range(40)]
    assert losses[-1] < losses[0] / 4


def test_launches_are_profiled():
    with hipsight.profile(gpu="mi355x") as profile:
        ops.gemm(drawn(64, 64), drawn(64, 64), gpu="mi355x")
    launch, = profile.kernels
    assert "gemm" in launch.name and launch.gpu == "mi355x"


@pytest.mark.parametrize("call, words", [
    (lambda: ops.gemm(drawn(2, 3), drawn(4, 5)), "a's columns are not as many as b's rows"),
    (lambda: ops.gemm(drawn(2, 3), drawn(3, 5, dtype="float16")), "all alike"),
    (lambda: ops.gemm(drawn(3), drawn(3)), "two matrices"),
    (lambda: ops.rms_norm(drawn(3, 4), drawn(5)), "one shape"),
    (lambda: ops.attention(*(drawn(1, 2, 3, 32) for _ in range(3))), "float16, bfloat16"),
    (lambda: ops.convolution(drawn(1, 8, 8, 6), drawn(3, 3, 4, 8)), "equal groups"),
    (lambda: ops.convolution(drawn(1, 8, 8, 4), drawn(3, 3, 4, 8), strides=0), "one number, or two")])
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()
