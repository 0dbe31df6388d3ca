"""pytest's part of hipsight: a GPU for the tests, and conditions on the kernels that a test launches.

    pytest --hipsight-gpu mi355x

    @pytest.mark.hipsight(fail_if="spills > 0 or bank_conflicts > 0")
    def test_softmax():
        torch.ops.hipsight.softmax(x)

docs/python.md. hipsight itself is loaded when it is first used.
"""

from __future__ import annotations

import os
import re

import pytest

MARK = "hipsight(fail_if=(), kernel=None, gpu=None, check=False)"


def pytest_addoption(parser):
    parser.getgroup("hipsight").addoption(
        "--hipsight-gpu", metavar="NAME", help="the emulated GPU of what names none, as HIPSIGHT_GPU: mi300x, ...")


def pytest_configure(config):
    config.addinivalue_line("markers", f"{MARK}: fail if a condition holds of a kernel that the test launches: "
                            "\"spills > 0\", or a list of such (docs/conditions.md). kernel: a regular expression, of "
                            "the kernels that are meant. gpu: of calls that name none. check: fail if the "
                            "tools of docs/check.md find something: True, or \"memcheck,racecheck\"")
    name = config.getoption("hipsight_gpu")
    if name is None:
        return
    import hipsight
    try:
        hipsight.Gpu(name)
    except hipsight.Error as error:
        raise pytest.UsageError(f"--hipsight-gpu: {error}") from None
    before = os.environ.get("HIPSIGHT_GPU")
    os.environ["HIPSIGHT_GPU"] = name  # for programs that tests start, too

    def restore():
        if before is None:
            os.environ.pop("HIPSIGHT_GPU", None)
        else:
            os.environ["HIPSIGHT_GPU"] = before

    config.add_cleanup(restore)


class Wanted:
    """What one marker says."""

    def __init__(self, fail_if=(), *, kernel=None, gpu=None, check=False):
        from hipsight import _hipsight
        if not fail_if and not check:
            raise TypeError("it takes fail_if or check")
        self.conditions = [fail_if] if isinstance(fail_if, str) else list(fail_if)
        self.check = check
        self.kernel, self.gpu = re.compile(kernel or ""), gpu
        self.needs = [_hipsight.read_condition(one) for one in self.conditions]

    def complaints(self, profile):
        kernels = [one for one in profile.kernels if self.kernel.search(one.name)]
        if not kernels:
            names = ", ".join(one.name for one in profile.kernels)
            yield f"no kernel{f' like {self.kernel.pattern!r}' if self.kernel.pattern else ''} was launched" + (
                f"; there were {names}" if names else "")
        for condition in self.conditions:
            for one in kernels:
                for met in one.report.met(condition):
                    yield f"{condition}: {met.values}\n    in {met.kernel} on {one.gpu}"


def wanted(item):
    """The nearest marker first."""
    import hipsight
    try:
        return [Wanted(*mark.args, **mark.kwargs) for mark in item.iter_markers("hipsight")]
    except (TypeError, re.error, hipsight.Error) as error:
        pytest.fail(f"@pytest.mark.{MARK}: {error}", pytrace=False)


def checked(marks):
    """The tools of all marks."""
    from hipsight._profile import USUAL_TOOLS
    named = [USUAL_TOOLS if mark.check is True else mark.check for mark in marks if mark.check]
    return ",".join(dict.fromkeys(tool for tools in named for tool in tools.split(",")))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    if item.get_closest_marker("hipsight") is None:
        return (yield)
    import hipsight
    marks = wanted(item)
    needs = [one for mark in marks for one in mark.needs]
    gpu = next((mark.gpu for mark in marks if mark.gpu is not None), None)
    with hipsight.profile(gpu, predict=any(one.prediction for one in needs),
                          profile=64 if any(one.profile for one in needs) else 0,
                          check=checked(marks)) as profile:
        result = yield
    try:
        complaints = [f"{one.tool}: {one.text}" for one in profile.findings if one.tool]
        complaints += [text for mark in marks for text in mark.complaints(profile)]
    except hipsight.Error as error:  # a figure that is not known
        complaints = [str(error)]
    if complaints:
        pytest.fail("hipsight: " + "\nhipsight: ".join(complaints), pytrace=False)
    return result
