"""What launches tell."""

import ast
import html
import inspect
import json
import os
import pathlib
import re

import numpy as np
import pytest

import hipsight

ROOT = pathlib.Path(__file__).parents[3]


def arguments(n):
    return [n, 2.0, np.ones(n, np.float32), np.zeros(n, np.float32)]


def test_predicts(code, tmp_path):
    (tmp_path / "kernel.co").write_bytes(code)
    n = 1 << 22
    large = hipsight.predict(tmp_path / "kernel.co", kernel="saxpy", grid=n // 256, block=256, args=arguments(n),
                             gpu="mi300x")
    small = hipsight.predict(code, kernel="saxpy", grid=n // 1024, block=256, args=arguments(n // 4), gpu="mi300x")
    assert large.launch_seconds < small.seconds < large.seconds
    # It cannot be quicker than the memory, which moves three numbers of each element.
    assert large.seconds > 3 * 4 * n / (hipsight.Gpu("mi300x").facts.dram_gb_per_s * 1e9)
    assert large.bound.kind in (hipsight.BoundKind.Unit, hipsight.BoundKind.Latency) and large.bound.sentence
    assert 0 < max(large.busy.values()) <= 1.01
    assert sum(large.stalls.values()) == pytest.approx(1, abs=0.05)
    assert re.match(r"Prediction\(seconds=[\d.e-]+, ", repr(large))


def test_profiles(module):
    n = 1 << 14
    report = module["saxpy"].launch(n // 256, 256, arguments(n), profile=8, predict=True, fidelity=True)
    assert report.profile.all.bytes == 3 * 4 * n
    assert report.profile.observed >= 8 and report.profile.workgroups == n // 256
    assert report.registers.live_vgprs > 0
    assert report.prediction.seconds > 0
    assert report.fidelity.executions["exact"] > 0
    assert report.occupancy.waves_per_simd > 0


def test_without_being_asked_there_is_no_prediction(module):
    report = module["saxpy"].launch(1, 256, arguments(256))
    assert report.prediction is None and report.profile is None
    assert report.counts.by_pipe["vector"] > 0
    assert report.verdict.bound == "" and report.verdict.why_none and report.roofline.roofs


def test_shows_itself(module):
    report = module["saxpy"].launch(1, 256, arguments(256), predict=True)
    text = str(report)
    assert module.gpu.facts.title in text and "saxpy(int, float" in text and report.verdict.bound in text
    assert "occupancy" not in text and "occupancy" in report.to_text("all")
    with pytest.raises(hipsight.Error, match="everything"):
        report.to_text(details="everything")
    page = report.to_html()
    assert page.startswith("<!") and module.gpu.facts.title in page and "saxpy(int, float" in page
    told = json.loads(report.to_json())
    assert told["schema"] == "hipsight.report" and told["gpu"]["name"] == module.gpu.facts.name
    assert told["kernels"][0]["prediction"]["seconds"] == report.prediction.seconds
    plain = report.to_dict()
    assert json.loads(json.dumps(plain)) == json.loads(json.dumps(plain))
    assert plain["prediction"]["bound"]["kind"] == report.prediction.bound.kind.name
    assert plain["grid"] == (1, 1, 1) and plain["profile"] is None
    assert repr(report).startswith("KernelReport(kernel=KernelFacts(name='_Z5saxpy")
    assert "saxpy" in repr(module) and "saxpy" in repr(module["saxpy"]) and "MI300X" in repr(hipsight.Gpu("mi300x"))


def test_shows_itself_in_notebooks(module):
    report = module["saxpy"].launch(1, 256, arguments(256), predict=True)
    frame = report._repr_html_()
    source = re.fullmatch(r'<iframe srcdoc="([^"]*)" style="[^"]*"></iframe>', frame, re.S).group(1)
    assert html.unescape(source) == report.to_html()
    prediction = report.prediction
    assert f"<td>{prediction.bound.sentence}</td>" in prediction._repr_html_()
    # The verdict of the command and what is printed are in one unit.
    microseconds = f"{prediction.seconds * 1e6:.3g} us"
    assert str(prediction).startswith(f"time       {microseconds}, ") and "busy" in str(prediction)
    largest = max(prediction.busy, key=prediction.busy.get)
    assert f"busy       {largest} " in str(prediction)
    assert ("UNVALIDATED" in str(prediction)) == (prediction.error is None)


def test_options_are_those_of_the_table():
    """Python's keywords are the names of docs/configuration.md."""
    table = (ROOT / "docs/configuration.md").read_text()
    variables = re.findall(r"^\| `--.*?\| `(\w+)` ", table, re.M)
    known = {variable.removeprefix("HIPSIGHT_").lower() for variable in variables}
    ours = {name for of in (hipsight.Gpu.__init__, hipsight.Kernel.launch, hipsight.predict, hipsight.compile)
            for name, one in inspect.signature(of).parameters.items() if one.kind == one.KEYWORD_ONLY}
    assert ours - known == {"grid", "block", "args", "lds", "cooperative", "memory", "also"}


def test_the_environment_says_what_a_call_does_not(monkeypatch):
    monkeypatch.setenv("HIPSIGHT_GPU", "rx7900xtx")
    assert hipsight.Gpu().facts.name == "rx7900xtx"
    assert hipsight.Gpu("mi210").facts.name == "mi210"
    monkeypatch.setenv("HIPSIGHT_TIMEOUT", "soon")
    with pytest.raises(hipsight.Error, match="HIPSIGHT_TIMEOUT=soon"):
        hipsight.Gpu()
    assert hipsight.Gpu(timeout=1)


def test_has_stubs():
    folder = pathlib.Path(hipsight.__file__).parent
    stub = (folder / "_hipsight.pyi").read_text()
    ast.parse(stub)
    assert (folder / "py.typed").exists()
    assert re.search(r"class Prediction:.*?def seconds\(self\) -> float", stub, re.S)
    assert re.search(r"class KernelReport:.*?def prediction\(self\) -> Prediction \| None", stub, re.S)
    assert re.search(r"class Counts:.*?def by_pipe\(self\) -> dict\[str, float\]", stub, re.S)


def test_every_public_thing_says_what_it_is():
    for name in hipsight.__all__:
        assert inspect.getdoc(getattr(hipsight, name)), name
    assert {one.name for one in hipsight.gpus()} >= {"mi210", "mi300x", "mi355x", "rx7900xtx", "rx9070xt"}
    assert os.path.dirname(hipsight.__file__)
