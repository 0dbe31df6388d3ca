"""`hipsight mcp`, as an agent calls it."""

import asyncio
import copy
import sys

import pytest

mcp = pytest.importorskip("mcp", reason="the mcp SDK is not installed")

from kernel_tasks import TASKS  # noqa: E402

from hipsight.mcp import server  # noqa: E402


def called(to, calls):
    """Their answers, from one server."""

    async def all_of_them():
        async with mcp.Client(to) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    results = asyncio.run(all_of_them())
    return [("REFUSED: " if one.is_error else "") + one.content[0].text for one in results]


def answer(name, **arguments):
    return called(server, [(name, arguments)])[0]


def of(task):
    source, work, reference = TASKS[task]
    return source, copy.deepcopy(work), reference


@pytest.mark.parametrize("gpu", ["mi300x", "rx7900xtx"])
@pytest.mark.parametrize("task", TASKS)
def test_ten_tasks(task, gpu):
    source, work, reference = of(task)
    compiled, ran, checked, predicted, explained = called(server, [
        ("compile", {"source": source, "gpu": gpu}),
        ("run", {"source": source, "work": work, "reference": reference, "gpu": gpu}),
        ("check", {"source": source, "work": work, "gpu": gpu}),
        ("predict", {"source": source, "work": work, "gpus": [gpu]}),
        ("explain", {"source": source, "work": work, "gpu": gpu})])
    assert compiled.startswith("VGPRs")
    assert ran.startswith("RIGHT\nout: agrees")
    assert checked == "nothing found by memcheck,racecheck,synccheck"
    assert f" us  {gpu} " in predicted
    assert "bound by" in explained
    assert max(len(one.splitlines()) for one in (compiled, ran, predicted)) <= 3 and len(explained.splitlines()) < 80


def test_says_what_is_wrong():
    source, work, reference = of("36_rms_norm")
    text = answer("run", source=source.replace("rsqrtf", "1 /"), work=work, reference=reference)
    assert text.startswith("WRONG\nout: WRONG at ") and "first [0, 0]: " in text and "reference " in text
    # Not a number where one is wanted.
    text = answer("run", source=source.replace("rsqrtf(", "rsqrtf(-"), work=work, reference=reference)
    assert "out: WRONG at 24000 of 24000 elements" in text and "first [0, 0]: nan" in text


def test_finds_errors():
    source, work, _ = of("92_cumsum_exclusive")
    text = answer("check", source=source.replace("    __syncthreads();\n", ""), work=work)
    assert "racecheck: race in LDS" in text
    source, work, _ = of("19_relu")
    text = answer("check", source=source.replace("if (i < n) ", ""), work=work | {
        "launches": [work["launches"][0] | {"grid": [4000]}]})
    assert "relu(int, float const*, float*)" in text and "outside" in text


def test_compares_versions():
    source, work, _ = of("4_matrix_vector_multiplication")
    slow = source.replace("i += 256", "i += 256, __builtin_amdgcn_s_sleep(127)")
    text = answer("compare", before=slow, now=source, work=work)
    assert text.startswith("now is ") and "quicker" in text.splitlines()[0] and "instructions" in text
    assert answer("compare", before=source, now=source, work=work).startswith("now is as quick")


def test_refuses():
    source, work, reference = of("19_relu")
    assert "ERROR: clang" in answer("compile", source=source.replace("float*", "flot*")).replace("/usr/bin/", "")
    assert "no such GPU" in answer("compile", source=source, gpu="mi1") or "mi1" in answer("compile", source=source, gpu="mi1")
    assert answer("compile", source="nowhere.hip") == "ERROR: nowhere.hip: No such file or directory"
    wrong = copy.deepcopy(work)
    wrong["launches"][0]["arguments"][1] = "z"
    assert answer("run", source=source, work=wrong, reference=reference) == (
        "ERROR: there is no buffer 'z': there are x, out")
    assert "takes 3 arguments, not 1" in answer("predict", source=source, work=work | {
        "launches": [work["launches"][0] | {"arguments": ["x"]}]})
    for text, why in (("x = 1", "it defines no function 'reference'"), ("def reference(y): return {}", "asks for 'y'"),
                      ("def reference(x): return x", "gives no dict"), ("def reference(x): return {}", "gives no buffer"),
                      ("def reference(x): return {'z': x}", "no such buffer"),
                      ("def reference(x): raise ValueError('oh')", "ValueError: oh"),
                      ("def reference(x): return {'out': x[1:]}", "the reference has 9999 elements")):
        assert why in answer("run", source=source, work=work, reference=text)
    assert "no tool" in answer("check", source=source, work=work, tools="speedcheck")
    odd = work | {"buffers": work["buffers"] | {"x": {"shape": [10000], "fill": "sevens"}}}
    assert "there is no fill 'sevens'" in answer("run", source=source, work=odd, reference=reference)
    assert answer("run", source=source, work={"launches": []}, reference=reference).startswith("REFUSED: ")


def test_serves_on_stdin():
    source, work, _ = of("19_relu")
    to = mcp.StdioServerParameters(command=sys.executable, args=["-m", "hipsight", "mcp"])
    known, predicted = called(to, [("gpus", {}), ("predict", {"source": source, "work": work, "gpus": ["mi300x", "mi355x"]})])
    assert "mi300x " in known and "gfx942" in known
    assert [line.split()[2] for line in predicted.splitlines()[1:]] == ["mi300x", "mi355x"]
    assert called(server, [("predict", {"source": source, "work": work, "gpus": ["mi300x", "mi355x"]})]) == [predicted]
