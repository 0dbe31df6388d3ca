"""torch.ops.hipsight against torch in float64."""

import subprocess
import sys

import pytest
import torch

import hipsight
import hipsight.torch  # noqa: F401

gemm = torch.ops.hipsight.gemm
# Of half the last bit of a result, and of sums in f32 of terms of both signs.
TOLERANCE = {torch.float32: 2e-6, torch.float16: 6e-4, torch.bfloat16: 5e-3}
DTYPES = list(TOLERANCE)


def assert_product(c, a, b):
    wanted = a.detach().double() @ b.detach().double()
    scale = a.detach().double().abs() @ b.detach().double().abs()
    assert c.shape == wanted.shape and c.dtype == a.dtype
    assert ((c.detach().double() - wanted).abs() <= TOLERANCE[a.dtype] * scale).all()


def drawn(*shape, dtype=torch.float32, seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(1, 1, 1), (64, 64, 64), (100, 52, 77), (3, 200, 129)])
def test_multiplies(dtype, sizes):
    m, n, k = sizes
    a, b = drawn(m, k, dtype=dtype), drawn(k, n, dtype=dtype, seed=2)
    assert_product(gemm(a, b), a, b)


@pytest.mark.parametrize("turn_a", [False, True])
@pytest.mark.parametrize("turn_b", [False, True])
def test_takes_both_orders_where_they_lie(turn_a, turn_b, monkeypatch):
    a = drawn(48, 96).mT if turn_a else drawn(96, 48)
    b = drawn(80, 48, seed=2).mT if turn_b else drawn(48, 80, seed=2)
    seen = []
    launch = hipsight.Kernel.launch
    monkeypatch.setattr(hipsight.Kernel, "launch", lambda self, *rest, **keywords: (
        seen.append([one.data_ptr() for one in keywords["memory"]]), launch(self, *rest, **keywords))[1])
    c = gemm(a, b)
    assert_product(c, a, b)
    assert seen == [[a.data_ptr(), b.data_ptr(), c.data_ptr()]]  # no copy


def test_takes_rows_of_any_stride_and_copies_the_rest():
    a, b = drawn(50, 200)[:, 7:71], drawn(64, 64, seed=2)
    assert_product(gemm(a, b), a, b)
    a, b = drawn(50, 128)[:, ::2], drawn(64, 20, 2, seed=2)[..., 1]
    assert_product(gemm(a, b), a, b)


def test_multiplies_batches():
    a, b = drawn(3, 40, 64), drawn(3, 64, 24, seed=2)
    assert_product(gemm(a, b), a, b)
    assert_product(gemm(a.mT.contiguous().mT, b[:1].expand(3, 64, 24)), a, b[:1].expand(3, 64, 24))


@pytest.mark.parametrize("shape", [(0, 4, 5), (4, 0, 5), (4, 5, 0)])
def test_takes_sizes_of_zero(shape):
    m, n, k = shape
    c = gemm(torch.ones(m, k), torch.ones(k, n))
    assert c.shape == (m, n) and (c == 0).all()


@pytest.mark.parametrize("gpu", ["mi210", "mi355x", "rx7900xtx", "rx9070xt"])
def test_runs_on_the_gpu_that_is_named(gpu, monkeypatch):
    a, b = drawn(70, 90, dtype=torch.float16), drawn(90, 50, dtype=torch.float16, seed=2)
    assert_product(gemm(a, b, gpu=gpu), a, b)
    monkeypatch.setenv("HIPSIGHT_GPU", "no_such_gpu")
    with pytest.raises(hipsight.Error, match="no_such_gpu"):
        gemm(a, b)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_has_gradients(dtype):
    a, b, weight = drawn(33, 70, dtype=dtype), drawn(70, 40, dtype=dtype, seed=2), drawn(33, 40, dtype=dtype, seed=3)
    a.requires_grad_(), b.requires_grad_()
    (gemm(a, b) * weight).sum().backward()
    assert_product(a.grad, weight, b.detach().mT)
    assert_product(b.grad, a.detach().mT, weight)


@pytest.mark.parametrize("shapes", [((20, 30), (30, 10)), ((2, 20, 30), (2, 30, 10))])
def test_passes_opcheck(shapes):
    a, b = (drawn(*shape).requires_grad_() for shape in shapes)
    torch.library.opcheck(gemm.default, (a, b))
    torch.library.opcheck(gemm.default, (a.detach(), b.detach()), {"gpu": "mi300x"})


def test_stays_whole_in_a_traced_graph():
    def layer(x, w):
        return torch.relu(torch.ops.hipsight.gemm(x, w))

    graphs = []

    def keep(graph, inputs):
        graphs.append(graph)
        return graph

    x, w = drawn(16, 32), drawn(32, 8, seed=2)
    y = torch.compile(layer, backend=keep, fullgraph=True)(x, w)
    torch.testing.assert_close(y, torch.relu(x @ w), rtol=1e-4, atol=1e-4)
    assert [node.target for node in graphs[0].graph.nodes].count(torch.ops.hipsight.gemm) == 1


@pytest.mark.parametrize("a, b, words", [
    (torch.ones(2, 3), torch.ones(4, 5), "columns are not as many as b's rows"),
    (torch.ones(2, 3), torch.ones(3, 2).double(), "float16, bfloat16 or float32, both alike"),
    (torch.ones(2, 3).double(), torch.ones(3, 2).double(), "float16, bfloat16 or float32"),
    (torch.ones(3), torch.ones(3, 2), "two matrices"),
    (torch.ones(2, 2, 3), torch.ones(3, 2), "two matrices"),
    (torch.ones(2, 2, 3), torch.ones(3, 3, 2), "batches are not as many"),
])
def test_refuses(a, b, words):
    with pytest.raises((ValueError, RuntimeError), match=words):
        gemm(a, b)
    with pytest.raises((ValueError, RuntimeError), match=words):
        gemm(a.to("meta"), b.to("meta"))


def test_compiles_once(tmp_path, monkeypatch):
    monkeypatch.setenv("HIPSIGHT_CACHE", str(tmp_path))
    program = "import torch, hipsight.torch; a = torch.ones(4, 4); assert bool((torch.ops.hipsight.gemm(a, a) == 4).all())"
    run = lambda: subprocess.run([sys.executable, "-c", program], check=True)
    run()
    file, = (tmp_path / "kernels").glob("*.so")
    made = file.stat().st_mtime_ns
    run()
    assert list(file.parent.glob("*.so")) == [file] and file.stat().st_mtime_ns == made


def test_leaves_torch_cuda_alone():
    assert torch.cuda.is_available() == (torch.cuda.device_count() > 0)
    assert not torch.cuda.is_initialized()
