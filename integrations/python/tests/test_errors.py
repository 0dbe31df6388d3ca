"""Bad input gives a Python exception that says what is accepted, and hipsight goes on."""

import multiprocessing
import pickle

import numpy as np
import pytest
import torch

import hipsight
from hipsight import ErrorKind

ONES = np.ones(256, np.float32)


@pytest.mark.parametrize("arguments, words", [
    ([1, 2.0, ONES], "takes 4 arguments, not 3"),
    ([1.5, 2.0, ONES, ONES], "argument 1 .*takes a whole number .int., not 1.5"),
    ([1 << 40, 2.0, ONES, ONES], "argument 1 .*out of its range"),
    ([ONES, 2.0, ONES, ONES], "argument 1 .*takes a number .int., not an array"),
    ([None, 2.0, ONES, ONES], "argument 1 .*takes a number .int., not None"),
    ([1, b"123", ONES, ONES], "argument 2 .*takes 4 bytes, not 3"),
    ([1, 2.0, ONES.astype(np.float64), ONES], "argument 3 .*takes an array of float32, not of float64"),
    ([1, 2.0, ONES.view(np.int32), ONES], "argument 3 .*takes an array of float32, not of int32"),
    ([1, 2.0, torch.ones(4, dtype=torch.bfloat16), ONES], "argument 3 .*not of bfloat16"),
    ([1, 2.0, torch.ones(4, device="meta"), ONES], "argument 3 .*is on meta"),
    ([1, 2.0, 1.5, ONES], "argument 3 .*takes an array"),
    ([1, 2.0, "x", ONES], "argument 3 .*not str"),
    ([1, 2.0, np.array(["a"]), ONES], "argument 3 .*none that kernels take"),
    ([1, 2.0, np.broadcast_to(np.float32(1), 256), ONES], "argument 3 .*read-only"),
])
def test_arguments(module, arguments, words):
    with pytest.raises(hipsight.Error, match=words) as caught:
        module["saxpy"].launch(1, 256, arguments)
    assert caught.value.kind == ErrorKind.Usage
    assert caught.value.text == str(caught.value) and "saxpy" in caught.value.place


@pytest.mark.parametrize("grid, block, keywords, kind, words", [
    (0, 1, {}, ErrorKind.InvalidLaunch, "a grid of 0"),
    (1, 2048, {}, ErrorKind.InvalidLaunch, "beyond 1024"),
    (1, 1, {"lds": 1 << 20}, ErrorKind.InvalidLaunch, "LDS"),
    ((1, 1, 1, 1), 1, {}, ErrorKind.Usage, "grid=.*one to three whole numbers"),
    (1.5, 1, {}, ErrorKind.Usage, "grid=1.5"),
    (1, -1, {}, ErrorKind.Usage, "block=-1"),
    (1, 1, {"caches": "hot"}, ErrorKind.Usage, "cold, mall or warm"),
])
def test_launches(module, grid, block, keywords, kind, words):
    with pytest.raises(hipsight.Error, match=words) as caught:
        module["trap"].launch(grid, block, [0], **keywords)
    assert caught.value.kind == kind


def test_kernels_that_fail(gpu, module):
    with pytest.raises(hipsight.Error, match="trap") as caught:
        module["trap"].launch(1, 1, [1])
    assert caught.value.kind == ErrorKind.Trap
    module["trap"].launch(1, 1, [0])  # and goes on


def test_what_there_is_not(module, tmp_path):
    for kind, words, call in [
        (ErrorKind.NotFound, "mi300x", lambda: hipsight.Gpu("mi9000")),
        (ErrorKind.NotFound, "no/such", lambda: hipsight.predict("/no/such/file")),
        (ErrorKind.NotFound, "saxpy", lambda: module["sgemm"]),
        (ErrorKind.NotFound, "nothing", lambda: module.variable("nothing")),
        (ErrorKind.BadCode, "nonsense", lambda: module.gpu.load(b"1234", "nonsense")),
        (ErrorKind.Usage, "which kernel", lambda: module.kernel()),
        (ErrorKind.Usage, "fast or exact", lambda: hipsight.Gpu(matrix="slow")),
        (ErrorKind.Usage, "timeout", lambda: hipsight.Gpu(timeout=-1)),
        (ErrorKind.Usage, "threads", lambda: hipsight.Gpu(threads="many")),
    ]:
        with pytest.raises(hipsight.Error, match=words) as caught:
            call()
        assert caught.value.kind == kind


def test_compilers_say_what_they_say(monkeypatch):
    with pytest.raises(hipsight.Error, match="unknown_function") as caught:
        hipsight.compile("__attribute__((global)) void k() { unknown_function(); }", gpu="mi300x")
    assert caught.value.kind == ErrorKind.BadCode
    with pytest.raises(hipsight.Error, match="clang-22") as caught:
        hipsight.compile("", clang="/no/such/clang")
    assert caught.value.kind == ErrorKind.NotFound
    monkeypatch.setenv("HIPSIGHT_SDK", "/no/such/sdk")
    with pytest.raises(hipsight.Error, match="/no/such/sdk"):
        hipsight.compile("")


def test_errors_can_be_pickled():
    error = pickle.loads(pickle.dumps(hipsight.Error(ErrorKind.Trap, "here", "what")))
    assert (error.kind, error.place, error.text) == (ErrorKind.Trap, "here", "what")


def in_child(code, gpu, queue):
    try:
        gpu.load(code)
    except hipsight.Error as error:
        queue.put(error.text)
    array = np.zeros(64, np.int32)
    hipsight.Gpu("mi300x").load(code)["void fill<int>"].launch(1, 64, [array, 3])
    queue.put(array.tolist())


def test_after_a_fork_another_gpu_is_opened(code):
    gpu = hipsight.Gpu("mi300x")
    gpu.load(code)["trap"].launch(1, 1, [0])
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=in_child, args=(code, gpu, queue))
    child.start()
    assert "before this process was forked" in queue.get(timeout=60)
    assert queue.get(timeout=60) == [3] * 64
    child.join(60)
    assert child.exitcode == 0
