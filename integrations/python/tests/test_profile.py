"""hipsight.profile."""

import json
import multiprocessing
import os
import threading

import numpy as np
import pytest
import torch

import hipsight
import hipsight.torch  # noqa: F401


def saxpy(module, n, **keywords):
    arguments = [n, 2.0, np.ones(n, np.float32), np.zeros(n, np.float32)]
    return module["saxpy"].launch(-(-n // 256), 256, arguments, **keywords)


def fill(module, n):
    return module["fill<int>"].launch(n // 256, 256, [np.zeros(n, np.int32), 5])


def names(p):
    return [one.name.split("(")[0] for one in p.kernels]


def test_collects_and_ranks(module):
    with hipsight.profile() as p:
        fill(module, 1024)
        for _ in range(3):
            saxpy(module, 1 << 20)
    saxpy(module, 1 << 20)  # after it: not in it
    first, second = p.kernels
    assert first.name.startswith("saxpy(") and (first.launches, second.launches) == (3, 1)
    assert first.gpu == module.gpu.facts.name
    alone = saxpy(module, 1 << 20, predict=True)
    assert first.seconds == pytest.approx(3 * alone.prediction.seconds, rel=0.05)
    assert first.bound == first.report.prediction.bound.sentence == alone.prediction.bound.sentence
    assert first.share + second.share == pytest.approx(1) and first.share > second.share
    assert first.report.counts.launches == 3
    assert first.report.counts.global_.read == 3 * alone.counts.global_.read
    assert [one.kernel.split("(")[0].split("<")[0] for one in p.launches] == ["void fill"] + 3 * ["saxpy"]
    assert first.seconds == pytest.approx(sum(one.seconds for one in p.launches[1:]))


def test_predicts_each_launch_that_differs(module):
    with hipsight.profile() as p:
        saxpy(module, 1 << 14)
        saxpy(module, 1 << 20)
    apart = [saxpy(module, n, predict=True).prediction.seconds for n in (1 << 14, 1 << 20)]
    assert [one.seconds for one in p.launches] == pytest.approx(apart, rel=0.05)
    assert p.kernels[0].seconds == pytest.approx(sum(apart), rel=0.05) and p.kernels[0].report.grids_differ


def test_counts_alone(module):
    with hipsight.profile(predict=False) as p:
        saxpy(module, 1 << 14)
    one, = p.kernels
    assert (one.seconds, one.bound, one.advice, one.share) == (None, "", None, 0)
    assert one.report.counts.launches == 1 and one.report.profile is None
    assert "1 launches" in str(p) and "us" not in str(p).split("\n")[0]
    with pytest.raises(hipsight.Error, match="predict=False"):
        p.export_chrome_trace("nowhere")
    with hipsight.profile(predict=False, profile=4) as p:
        saxpy(module, 1 << 14)
    assert p.kernels[0].report.profile.all.bytes == 3 * 4 << 14


def test_takes_what_torch_launches():
    a, b = torch.ones(64, 64), torch.ones(64, 64)
    with hipsight.profile(gpu="mi300x") as p:
        torch.ops.hipsight.gemm(a.requires_grad_(), b.requires_grad_()).sum().backward()
        torch.ops.hipsight.softmax(a, gpu="rx7900xtx")
    assert {one.gpu: one.launches for one in p.kernels if "gemm" not in one.name} == {"rx7900xtx": 1}
    assert sum(one.launches for one in p.kernels if one.gpu == "mi300x") == 3
    assert [one.gpu.name for one in p.reports] == ["mi300x", "rx7900xtx"]
    assert "rx7900xtx" in str(p)
    with pytest.raises(hipsight.Error, match="mi300x and rx7900xtx"):
        p.to_html()
    assert p.reports[1].to_html().startswith("<!")


RACE = """
#include <hip/hip_runtime.h>
extern "C" __global__ void race(int* out) {
  __shared__ int values[256];
  values[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = values[(threadIdx.x + 64) % 256];
}
"""


def test_checks_what_is_launched(module):
    race = module.gpu.compile(RACE).kernel()

    def launch():
        race.launch(1, 256, [np.zeros(256, np.int32)])

    with hipsight.profile(predict=False, check=True) as p:
        launch()
        launch()
    assert [one.tool for one in p.findings] == ["racecheck"]
    assert "race in LDS" in p.findings[0].text and p.findings[0].at.line in (5, 6)
    assert "2 launches, 1 finding" in str(p)
    with hipsight.profile(predict=False, check="memcheck") as p:
        launch()
    assert not p.findings and p.reports[0].checked == "memcheck"
    with pytest.raises(hipsight.Error, match="no tool 'speedcheck'"), hipsight.profile(check="speedcheck"):
        launch()


def test_may_be_nested(module):
    with hipsight.profile() as outer:
        fill(module, 256)
        with hipsight.profile(gpu="rx7900xtx") as inner:
            saxpy(module, 512)
            torch.ops.hipsight.softmax(torch.ones(2, 8))
        saxpy(module, 512)
    assert names(inner).count("saxpy") == 1 and "void fill<int>" not in names(inner)
    by_name = {one.name.split("(")[0]: one for one in outer.kernels}
    assert by_name["saxpy"].launches == 2 and by_name["void fill<int>"].launches == 1
    assert len(outer.launches) == 4 and len(inner.launches) == 2
    assert {one.gpu for one in inner.kernels if "softmax" in one.name or "row" in one.name} == {"rx7900xtx"}
    # Each has predicted its own first launch.
    assert inner.kernels[0].seconds > 0 and by_name["saxpy"].seconds > 0


def test_tells_of_ranges(module, tmp_path):
    with hipsight.profile() as p:
        with hipsight.range("step"):
            saxpy(module, 1 << 16)
            with hipsight.range("attention"):
                fill(module, 1024), fill(module, 2048)
            saxpy(module, 1 << 16)
        fill(module, 1024)
        with pytest.raises(ZeroDivisionError), hipsight.range("step"):
            1 / 0
        assert hipsight._recording.current_range() == ""
        thread = threading.Thread(target=lambda: fill(module, 1024))
        with hipsight.range("of this thread"):
            thread.start()
            thread.join()
    assert [(one.name, one.launches) for one in p.ranges] == [("step", 2), ("step / attention", 2), ("", 2)]
    assert sum(one.share for one in p.ranges) == pytest.approx(1)
    assert sum(one.seconds for one in p.ranges) == pytest.approx(sum(one.seconds for one in p.kernels))
    assert p.ranges[0].seconds == pytest.approx(sum(one.seconds for one in p.launches if one.range == "step"))
    assert p.ranges[0].bound == p.launches[0].bound == p.kernels[names(p).index("saxpy")].bound
    p.export_chrome_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    kernels, ranges = ([one for one in events if one.get("cat") == cat] for cat in ("kernel", "range"))
    assert [one["name"] for one in ranges] == ["step", "step / attention", "step"]
    assert ranges[1]["ts"] == kernels[1]["ts"]
    assert ranges[1]["dur"] == pytest.approx(kernels[1]["dur"] + kernels[2]["dur"])


def test_threads_share_it(module):
    start = threading.Barrier(4)

    def work():
        start.wait()
        for _ in range(5):
            fill(module, 1024)

    threads = [threading.Thread(target=work) for _ in range(4)]
    with hipsight.profile() as p:
        [one.start() for one in threads]
        [one.join() for one in threads]
    assert [one.launches for one in p.kernels] == [20] and len(p.launches) == 20


def test_keeps_what_ran_before_an_exception(module):
    with pytest.raises(ZeroDivisionError):
        with hipsight.profile() as p:
            fill(module, 256)
            1 / 0
    assert [one.launches for one in p.kernels] == [1]
    fill(module, 256)
    assert [one.launches for one in p.kernels] == [1]


def test_tells_of_launches_that_failed(module):
    with hipsight.profile() as p:
        with pytest.raises(hipsight.Error):
            module["trap"].launch(1, 64, [1])
        fill(module, 256)
    assert len(p.launches) == 1
    failed, = p.reports[0].errors
    assert failed.kernel.startswith("trap(") and failed.kind == "trap"
    assert "2 launches, 1 failed" in str(p)


def test_is_opened_once(module):
    p = hipsight.profile()
    with pytest.raises(hipsight.Error, match="has not been opened"):
        p.kernels
    with p:
        fill(module, 256)
        assert p.kernels[0].launches == 1  # while it is open
    with pytest.raises(hipsight.Error, match="opened before"):
        with p:
            pass
    with pytest.raises(hipsight.Error, match="no_such_gpu"):
        with hipsight.profile(gpu="no_such_gpu"):
            pass
    with pytest.raises(hipsight.Error, match="cold, mall or warm"):
        hipsight.profile(caches="hot")
    with pytest.raises(hipsight.Error, match="profile is -1"):
        hipsight.profile(profile=-1)
    with hipsight.profile() as p:
        pass
    assert p.kernels == [] and p.to_html().startswith("<!") and "0 launches" in str(p)


def in_child(queue):
    x = torch.ones(2, 8)
    torch.ops.hipsight.softmax(x)
    with hipsight.profile() as own:
        torch.ops.hipsight.softmax(x)
    queue.put([one.launches for one in own.kernels])


def test_is_of_its_process():
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    with hipsight.profile() as p:
        child = context.Process(target=in_child, args=(queue,))
        child.start()
        assert queue.get(timeout=60) == [1]
        child.join()
    assert p.kernels == []


def test_may_be_left_by_a_forked_process(module):
    with hipsight.profile() as p:
        fill(module, 256)
        child = os.fork()
        if child:
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            fill(module, 256)
        else:
            try:
                p.__exit__(None, None, None)
                os._exit(0)
            finally:
                os._exit(1)  # only after an exception
    assert [one.launches for one in p.kernels] == [2]


def test_shows_itself(module, tmp_path):
    with hipsight.profile() as p:
        fill(module, 1024)
        saxpy(module, 1 << 16)
        fill(module, 2048)
    lines = str(p).split("\n")
    assert lines[0].startswith(f"{module.gpu.facts.title}: 3 launches, ") and len(lines) == 4
    assert lines[1].split()[:4] == ["time", "share", "launches", "bound"]
    assert "saxpy(int" in lines[2] + lines[3] and all(len(line) <= 130 for line in lines)
    assert "<td>" in p._repr_html_() and "saxpy(int, float, float const*, float*)" in p._repr_html_()
    assert "fill&lt;int&gt;" in p._repr_html_()
    assert "saxpy(int" in p.to_html() and module.gpu.facts.title in p.to_html()
    told = json.loads(p.to_json())
    assert told["schema"] == "hipsight.report" and sum(one["launches"] for one in told["kernels"]) == 3

    p.export_chrome_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    # The Trace Event Format: complete events have phase, name, process, thread, and microseconds.
    launches = [one for one in events if one["ph"] == "X"]
    assert all(one["cat"] == "kernel" for one in launches)  # there are no ranges
    assert [one["name"].split("(")[0] for one in launches] == ["void fill<int>", "saxpy", "void fill<int>"]
    assert all({"name", "pid", "tid", "ts", "dur"} <= one.keys() for one in launches)
    for one, after in zip(launches, launches[1:]):
        assert after["ts"] == pytest.approx(one["ts"] + one["dur"])
    assert sum(one["dur"] for one in launches) == pytest.approx(1e6 * sum(one.seconds for one in p.kernels))
    assert [one["args"]["name"] for one in events if one["name"] == "process_name"] == [
        f"{module.gpu.facts.title}, predicted"]
    with pytest.raises(OSError):
        p.export_chrome_trace(tmp_path / "no" / "folder.json")
