"""Launches on arrays, against NumPy in float64."""

import concurrent.futures
import ctypes

import numpy as np
import pytest
import torch

import hipsight

N = 1000


def saxpy(module, x, y, n=N, a=2.5, **keywords):
    return module.kernel("saxpy").launch(-(-n // 256), 256, [n, a, x, y], **keywords)


def test_works_on_numpy_arrays_in_place(module, random):
    x, y = (random.standard_normal(N).astype(np.float32) for _ in range(2))
    wanted = 2.5 * x.astype(np.float64) + y
    report = saxpy(module, x, y)
    np.testing.assert_allclose(y, wanted, rtol=1e-6, atol=1e-6)
    assert report.counts.launches == 1
    assert report.counts.workgroups == 4
    assert report.counts.global_.read == 2 * 4 * N
    assert report.counts.vector_operations["f32"] == 2 * N
    assert report.grid == (4, 1, 1) and report.block == (256, 1, 1)
    assert report.gpu.name == module.gpu.facts.name


def test_works_on_torch_tensors_in_place(module):
    torch.manual_seed(1)
    x, y = torch.randn(N), torch.randn(N)
    wanted, address = 2.5 * x.double() + y, y.data_ptr()
    saxpy(module, x, y)
    assert y.data_ptr() == address
    torch.testing.assert_close(y.double(), wanted, rtol=1e-6, atol=1e-6)
    saxpy(module, x, y.requires_grad_())  # a leaf, too
    torch.testing.assert_close(y.detach().double(), wanted + 2.5 * x.double(), rtol=1e-6, atol=1e-6)


def test_one_launch_is_predicted_for_all_gpus_of_a_target(module, code):
    x, y = np.ones(1 << 16, np.float32), np.zeros(1 << 16, np.float32)
    target = module.gpu.facts.target_id
    names = [gpu.name for gpu in hipsight.gpus() if gpu.target_id == target]
    report = saxpy(module, x, y, n=len(x), predict=True, also=names)
    np.testing.assert_array_equal(y, 2.5)  # it ran once
    assert [one.gpu for one in report.also] == names
    here = report.also[names.index(module.gpu.facts.name)]
    assert here.prediction.seconds == report.prediction.seconds
    assert all(one.verdict.bound and one.occupancy.sentence for one in report.also)
    with pytest.raises(hipsight.Error, match="one target only"):
        saxpy(module, x, y, n=len(x), also=["mi210" if "gfx90a" not in target else "mi300x"])


def test_works_on_views(module):
    whole = np.zeros(64 + N, np.float32)
    saxpy(module, np.ones(N, np.float32), whole[64:])
    np.testing.assert_array_equal(whole, [0] * 64 + [2.5] * N)
    # Both of one array, which share bytes.
    both = np.ones(N + 100, np.float32)
    saxpy(module, both[100:], both[:N], n=50)
    np.testing.assert_array_equal(both, [3.5] * 50 + [1] * (N + 50))
    # From the back: the first element has the highest address, and all others may be reached.
    back, fill = np.arange(64, dtype=np.int32)[::-1], module.kernel("void fill<int>")
    fill.launch(1, 1, [back, 7])
    assert back[0] == 7 and back[1] == 62
    fill.launch(1, 64, [back[-1:].ctypes.data, 8], memory=[back])
    assert (back == 8).all()


def test_reaches_what_an_array_spans_and_no_more(module):
    fill = module.kernel("void fill<int>")
    with pytest.raises(hipsight.Error, match="fill<int>") as caught:
        fill.launch(2, 1024, [np.zeros(1024, np.int32), 1])
    assert caught.value.kind == hipsight.ErrorKind.MemoryAccess
    array = np.zeros(64, np.int32)
    fill.launch(1, 64, [array, 1])
    with pytest.raises(hipsight.Error) as caught:  # known while the launch before ran, and no longer
        fill.launch(1, 64, [array.ctypes.data, 2])
    assert caught.value.kind == hipsight.ErrorKind.MemoryAccess
    assert (array == 1).all()
    fill.launch(1, 64, [array.ctypes.data, 2], memory=[array])
    assert (array == 2).all()


def test_reaches_memory_by_tables_of_addresses(module):
    arrays = [np.full(64, i, np.float32) for i in range(3)]
    table = np.array([one.ctypes.data for one in arrays], np.uint64)
    module.kernel("add").launch(3, 64, [4, 0.5, table], memory=arrays)
    for i, one in enumerate(arrays):
        np.testing.assert_array_equal(one, i + 2)


def test_passes_numbers_as_the_parameters_types(module):
    to = np.zeros(10)
    pair = np.array([-1, 7], np.int32).tobytes()
    numbers = [True, -5, 65535, 4294967295, -(1 << 40), 0.333, 0.1, 0.1]
    module.kernel("echo").launch(1, 1, [*numbers, pair, to])
    wanted = [1, -5, 65535, 4294967295, -(1 << 40), float(np.float16(0.333)), float(np.float32(0.1)), 0.1, -1, 7]
    assert to.tolist() == wanted
    others = [np.bool_(1), np.int64(-5), 7.0, np.uint8(3), 1, np.float64(0.333), 2, 3]
    module.kernel("echo").launch(1, 1, [*others, pair, to])
    assert to.tolist() == [1, -5, 7, 3, 1, float(np.float16(0.333)), 2, 3, -1, 7]


def test_has_device_variables(gpu, module):
    count = module.kernel("count")
    before = int.from_bytes(module.variable("counter")[:4], "little")
    count.launch(2, 64)
    assert int.from_bytes(module.variable("counter")[:4], "little") == before + 128
    module.variable("counter")[:4] = (5).to_bytes(4, "little")
    count.launch(1, 1)
    assert module.variable("counter")[0] == 6


def test_finds_kernels(module):
    assert len(module.kernels) == 7
    assert "fill<int>" in module["void fill<int>"].facts.title
    assert module["saxpy"].facts.arguments[2].is_buffer
    assert module["saxpy"].facts.wavefront_size == module.gpu.facts.wavefront_size


def test_loads_files_and_bytes(code, tmp_path):
    (tmp_path / "code.co").write_bytes(code)
    gpu = hipsight.Gpu()
    for loaded in (gpu.load(tmp_path / "code.co"), gpu.load(str(tmp_path / "code.co")), gpu.load(code)):
        assert len(loaded.kernels) == 7


def test_two_gpus_and_threads_at_once(module):
    """Threads that share arrays, parts of them, and none."""
    x, shared = np.ones(N, np.float32), np.zeros(8 * N, np.float32)

    def work(i):
        mine = np.zeros(N, np.float32)
        for _ in range(5):
            saxpy(module, x, mine, a=i)
            saxpy(module, x if i % 2 else x[:500], shared[i * N:(i + 1) * N], a=i, n=500)
        return mine

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for i, mine in enumerate(pool.map(work, range(8))):
            assert (mine == 5 * i).all()
            assert (shared[i * N:i * N + 500] == 5 * i).all() and (shared[i * N + 500:(i + 1) * N] == 0).all()


def test_arrays_go_when_python_lets_them(module):
    import gc
    import weakref
    array = np.zeros(64, np.int32)
    gone = weakref.ref(array)
    module.kernel("void fill<int>").launch(1, 64, [array, 1])
    del array
    gc.collect()
    assert gone() is None


def test_takes_whatever_has_dlpack_or_a_buffer(module):
    buffer = (ctypes.c_int * 64)()
    module.kernel("void fill<int>").launch(1, 64, [buffer, 9])
    assert list(buffer) == [9] * 64
