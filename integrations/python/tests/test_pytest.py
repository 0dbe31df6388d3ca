"""pytest's part: --hipsight-gpu, @pytest.mark.hipsight."""

import os

import pytest

import hipsight

pytest_plugins = "pytester"

SOURCE = """
#include <hip/hip_runtime.h>
extern "C" __global__ void columns(float* to) {  // all lanes of a wave go to one bank
  __shared__ float tile[64 * 64];
  tile[threadIdx.x * 64] = to[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = tile[((threadIdx.x + 1) % 64) * 64];
}
extern "C" __global__ void race(float* to) {  // of two waves
  __shared__ float tile[128];
  tile[threadIdx.x] = to[0];
  to[0] = tile[(threadIdx.x + 64) % 128];
}
extern "C" __global__ void rows(float* to) {
  __shared__ float tile[64];
  tile[threadIdx.x] = to[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = tile[(threadIdx.x + 1) % 64];
}
"""
BEGIN = """
import os, numpy as np, pytest, hipsight
def launch(name):
    hipsight._gpu.opened(None).load("code.co")[name].launch(1, 128 if name == "race" else 64, [np.zeros(128, np.float32)])
"""


@pytest.fixture(scope="session")
def two_kernels():
    return hipsight.compile(SOURCE, gpu="mi300x")


@pytest.fixture
def run(pytester, two_kernels):
    """Runs tests; what came of them, and what was said."""
    (pytester.path / "code.co").write_bytes(two_kernels)

    def run(text, *words):
        pytester.makepyfile(BEGIN + text)
        result = pytester.runpytest_inprocess("-p", "no:cacheprovider", *words)
        return result, result.stdout.str()

    return run


def test_fails_where_a_condition_holds(run):
    result, text = run("""
@pytest.mark.hipsight(fail_if="bank_conflicts > 0")
@pytest.mark.parametrize("name", ["columns", "rows"])
def test_one(name):
    launch(name)
""")
    result.assert_outcomes(passed=1, failed=1)
    # The LDS has 32 banks: 64 dwords take two cycles, or 64 where all lie in one bank; stored once and loaded once.
    assert "hipsight: bank_conflicts > 0: bank_conflicts is 124\n    in columns on mi300x" in text
    assert "FAILED test_fails_where_a_condition_holds.py::test_one[columns]" in text


def test_fails_where_a_check_finds_something(run):
    result, text = run("""
@pytest.mark.hipsight(check=True)
def test_right():
    launch("rows")

@pytest.mark.hipsight(check="racecheck", fail_if="vgprs > 100")
def test_wrong():
    launch("race")
""")
    result.assert_outcomes(passed=1, failed=1)
    assert "hipsight: racecheck: race in LDS" in text


def test_takes_several_conditions_and_marks(run):
    result, text = run("""
pytestmark = pytest.mark.hipsight(fail_if="spills > 0")
@pytest.mark.hipsight(fail_if=["seconds_per_launch > 1 ns", "vgprs > 512", "lds_bytes > 15 KiB"])
def test_one():
    launch("columns"), launch("rows")
@pytest.mark.hipsight(fail_if="lds_bytes > 15 KiB", kernel="^rows")
def test_of_one_kernel():
    launch("columns"), launch("rows")
@pytest.mark.hipsight(fail_if="spills == 0", gpu="rx7900xtx")
def test_on_another_gpu():
    assert hipsight._gpu.opened(None).facts.name == "rx7900xtx"
    hipsight.Gpu("mi300x").load("code.co")["rows"].launch(1, 64, [np.zeros(64, np.float32)])
""")
    result.assert_outcomes(passed=1, failed=2)
    failures = text.partition("short test summary")[0]  # under CI=1 the summary repeats them
    assert failures.count("hipsight: seconds_per_launch > 1 ns: seconds_per_launch is ") == 2
    assert failures.count("lds_bytes > 15 KiB: lds_bytes is 16.4 kB") == 1 and "vgprs > 512:" not in text
    assert "spills == 0: spills is 0\n    in rows on mi300x" in text


def test_a_test_without_kernels_fails(run):
    result, text = run("""
@pytest.mark.hipsight(fail_if="spills > 0")
def test_none():
    pass
@pytest.mark.hipsight(fail_if="spills > 0", kernel="gemm")
def test_others():
    launch("rows")
""")
    result.assert_outcomes(failed=2)
    assert "hipsight: no kernel was launched" in text
    assert "hipsight: no kernel like 'gemm' was launched; there were rows" in text


def test_what_a_test_does_itself_comes_first(run):
    result, text = run("""
@pytest.mark.hipsight(fail_if="spills == 0")
def test_wrong():
    launch("rows")
    assert 1 == 2
@pytest.mark.hipsight(fail_if="spills == 0")
def test_skipped():
    pytest.skip("not here")
@pytest.mark.xfail
@pytest.mark.hipsight(fail_if="spills == 0")
def test_expected():
    launch("rows")
def test_unmarked():
    launch("rows")
""")
    result.assert_outcomes(failed=1, skipped=1, xfailed=1, passed=1)
    assert "assert 1 == 2" in text and "spills is 0" not in text


@pytest.mark.parametrize("mark, words", [
    ('fail_if="register > 0"', "there is no figure 'register'"),
    ('fail_if="spills > 0; import os"', "is expected before '; import os'"),
    ('', "it takes fail_if or check"),
    ('fail_if="spills > 0", kernel="("', "hipsight(fail_if=(), kernel=None, gpu=None, check=False)"),
    ('fail_if="spills > 0", gpus=3', "gpus"),
])
def test_refuses(run, mark, words):
    result, text = run(f"""
@pytest.mark.hipsight({mark})
def test_one():
    launch("rows")
""")
    result.assert_outcomes(failed=1)
    assert words in text


def test_names_the_gpu(run, monkeypatch):
    monkeypatch.setenv("HIPSIGHT_GPU", "mi210")
    text = """
def test_one():
    assert hipsight._gpu.opened(None).facts.name == os.environ["HIPSIGHT_GPU"] == "mi355x"
"""
    result, _ = run(text, "--hipsight-gpu", "mi355x")
    result.assert_outcomes(passed=1)
    assert os.environ["HIPSIGHT_GPU"] == "mi210"
    result, _ = run(text)
    result.assert_outcomes(failed=1)


def test_refuses_an_unknown_gpu(pytester):
    result = pytester.runpytest_inprocess("--hipsight-gpu", "mi9")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--hipsight-gpu: " in result.stderr.str() and "mi9" in result.stderr.str()
    result = pytester.runpytest_inprocess("--markers")
    assert "@pytest.mark.hipsight(fail_if=(), kernel=None, gpu=None, check=False): fail if" in result.stdout.str()
