"""hipsight.profile: all launches that are made inside, and what they would cost."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass

from . import _hipsight, _recording
from ._error import usage
from ._gpu import Gpu, caches_of, opened
from ._hipsight import Advice, Finding, KernelReport, RecordedLaunch, RunReport
from ._shown import seconds_in_words, shortened, table

USUAL_TOOLS = "memcheck,racecheck,synccheck"
"""Those of `hipsight check`, if it is told of none."""


@dataclass(frozen=True)
class ProfiledKernel:
    """The launches of one kernel on one GPU, with one block and one amount of LDS."""

    name: str
    """Demangled."""
    gpu: str
    """The GPU's name: "mi300x"."""
    launches: int
    seconds: float | None
    """Predicted, of all its launches together; None: no prediction was asked for."""
    share: float
    """Of the predicted time of all kernels on this GPU."""
    bound: str
    """What bounds it, in words; "": there is no prediction."""
    advice: Advice | None
    """What saves most; None: the model knows of nothing."""
    report: KernelReport
    """All there is to tell."""


@dataclass(frozen=True)
class ProfiledRange:
    """The launches in a stretch of the program that hipsight.range named."""

    name: str
    """After those that it lies in: "step / attention"; "": in none."""
    gpu: str
    """The GPU's name."""
    launches: int
    seconds: float
    """Predicted, of all its launches together; 0: no prediction was asked for."""
    share: float
    """Of the predicted time of all launches on this GPU."""
    bound: str
    """What bounds most of that time, in words; "": not known."""


def ranges_of(gpu: str, launches: Iterable[tuple[str, RecordedLaunch]]) -> list[ProfiledRange]:
    """Of launches on one GPU, each with the name of its range, in order of the first ones."""
    of_range: dict[str, list[RecordedLaunch]] = {}
    for name, one in launches:
        of_range.setdefault(name, []).append(one)
    whole = sum(one.seconds for members in of_range.values() for one in members)
    result = []
    for name, members in of_range.items():
        seconds = sum(one.seconds for one in members)
        bounds: dict[str, float] = {}
        for one in members:
            bounds[one.bound] = bounds.get(one.bound, 0) + one.seconds
        result.append(ProfiledRange(name, gpu, len(members), seconds, seconds / whole if whole else 0,
                                    max(bounds, key=lambda bound: bounds[bound])))
    return result


class profile:
    """Collects every launch that is made while it is open, and predicts how long it would take.

        with hipsight.profile(gpu="mi355x") as p:
            model(x)
        print(p)
        p.kernels[0].bound, p.to_html(), p.export_chrome_trace("trace.json")

    gpu: of what is called inside and names no GPU: a Gpu, or a name. Launches on other GPUs are collected too.
    predict: predict each launch that differs from those before it, by code, grid, block, LDS or arguments.
    profile: workgroups of each kernel's first launch whose memory accesses are observed; 0: as many as predictions
        need, or none without these.
    caches: what they hold when a launch begins: "cold", "mall" or "warm".
    fidelity: say how exact the instructions were.
    check: tools that look for errors (docs/check.md): "memcheck,racecheck"; True: memcheck, racecheck and synccheck.
        What they find is in ``findings``.

    Launches of all threads of this process count, from hipsight's calls and torch.ops.hipsight alike; those that go to
    the HIP runtime (hipsight.torch.use_runtime, Triton) do not: `hipsight run` reports them. Profiles may be nested:
    each collects all that is launched while it is open. An exception inside leaves what was collected before it. A
    profile is opened once; its figures may be asked for while it is open.
    """

    def __init__(self, gpu: Gpu | str | None = None, *, predict: bool = True, profile: int = 0, caches: str = "cold",
                 fidelity: bool = False, check: str | bool = False):
        if not 0 <= profile < 1 << 32:
            raise usage("profile", f"profile is {profile}: it takes 0 to 2^32 - 1 workgroups")
        self._wanted = gpu
        self.gpu: Gpu | None = None
        """That was named, once it is open."""
        self._options = dict(predict=predict, profile=profile, caches=caches_of(caches), fidelity=fidelity,
                             check=USUAL_TOOLS if check is True else check or "")
        self._recordings: dict[int, tuple[Gpu, _hipsight.Recording]] | None = None  # by the GPU's id
        self._process = 0

    def __enter__(self) -> profile:
        if self._recordings is not None:
            raise usage("profile", "this profile has been opened before: make another one")
        first = opened(self._wanted)
        if self._wanted is not None:
            self.gpu = first
        self._recordings, self._process = {}, os.getpid()
        self._collect(first)
        _recording.begin(self)
        return self

    def __exit__(self, *_) -> None:
        _recording.end(self)
        if os.getpid() == self._process:
            for _, recording in self._recordings.values():
                recording.stop()

    def _collect(self, gpu: Gpu):
        if id(gpu) not in self._recordings:
            self._recordings[id(gpu)] = gpu, _hipsight.record(gpu._gpu, **self._options)

    def _recorded(self) -> list[tuple[Gpu, _hipsight.Recording]]:
        if self._recordings is None:
            raise usage("profile", "this profile has not been opened: it takes a with statement")
        return list(self._recordings.values())

    @property
    def reports(self) -> list[RunReport]:
        """What ran on each GPU that had launches; if none had: of the GPU that is meant, without any."""
        reports = [recording.report() for _, recording in self._recorded()]
        return [one for one in reports if one.launches] or reports[:1]

    @property
    def kernels(self) -> list[ProfiledKernel]:
        """Of all GPUs, those that take the most time first."""
        kernels = []
        for run in self.reports:
            for one in run.kernels:
                verdict = one.verdict
                kernels.append(ProfiledKernel(
                    one.kernel.title, run.gpu.name, one.counts.launches, verdict.seconds if verdict.bound else None,
                    verdict.share, verdict.bound, verdict.advice[0] if verdict.advice else None, one))
        return sorted(kernels, key=lambda one: -(one.seconds or 0))

    @property
    def launches(self) -> list[RecordedLaunch]:
        """Those that ended without an error, GPU by GPU, in the order in which they ended."""
        return [one for _, recording in self._recorded() for one in recording.launches()]

    @property
    def findings(self) -> list[Finding]:
        """What ``check`` found, one for each cause, and what kernels did that a GPU lets pass."""
        return [one for report in self.reports
                for one in [*report.findings, *(each for kernel in report.kernels for each in kernel.findings)]]

    @property
    def ranges(self) -> list[ProfiledRange]:
        """Time by hipsight.range, GPU by GPU, in order of the first launches; what is in no range has the name ""."""
        return [of_range for gpu, recording in self._recorded()
                for of_range in ranges_of(gpu.facts.name, [(one.range, one) for one in recording.launches()])]

    def _report(self, what: str) -> RunReport:
        reports = self.reports
        if len(reports) > 1:
            names = " and ".join(one.gpu.name for one in reports)
            raise usage(what, f"{what} is of one GPU, and kernels ran on {names}: take it of each of p.reports")
        return reports[0]

    def to_text(self, details: str = "") -> str:
        """As the command hipsight shows it, of one GPU; of several GPUs see ``reports``."""
        return self._report("to_text").to_text(details)

    def to_json(self) -> str:
        """docs/report-schema.md, of one GPU; of several GPUs see ``reports``."""
        return self._report("to_json").to_json()

    def to_html(self) -> str:
        """One page that needs nothing else, of one GPU; of several GPUs see ``reports``."""
        return self._report("to_html").to_html()

    def export_chrome_trace(self, path: str | os.PathLike) -> None:
        """Writes the predicted launches as a trace for Perfetto (ui.perfetto.dev) or chrome://tracing.

        Launches of a GPU follow each other in the order in which they ended, as in one stream, without gaps for the
        host. Times are microseconds.
        """
        if not self._options["predict"]:
            raise usage("export_chrome_trace", "the trace shows predicted times, and this profile has predict=False")
        events = []
        for pid, (gpu, recording) in enumerate(self._recorded(), 1):
            launches = recording.launches()
            if not launches:
                continue
            events.append({"ph": "M", "name": "process_name", "pid": pid,
                           "args": {"name": f"{gpu.facts.title}, predicted"}})
            events.append({"ph": "M", "name": "thread_name", "pid": pid, "tid": 1, "args": {"name": "kernels"}})
            begin, ranges = 0.0, []  # the latter with begin and end
            for one in launches:
                end = begin + one.seconds
                events.append({"ph": "X", "cat": "kernel", "name": one.kernel, "pid": pid, "tid": 1,
                               "ts": 1e6 * begin, "dur": 1e6 * one.seconds,
                               "args": {"grid": one.grid, "block": one.block, "dynamic LDS": one.dynamic_lds,
                                        "bound": one.bound}})
                if ranges and ranges[-1][0] == one.range and ranges[-1][2] == begin:
                    ranges[-1][2] = end
                elif one.range:
                    ranges.append([one.range, begin, end])
                begin = end
            if ranges:
                events.append({"ph": "M", "name": "thread_name", "pid": pid, "tid": 2, "args": {"name": "ranges"}})
            events += [{"ph": "X", "cat": "range", "name": name, "pid": pid, "tid": 2, "ts": 1e6 * begin,
                        "dur": 1e6 * (end - begin)} for name, begin, end in ranges]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events, "displayTimeUnit": "ns"}, file)

    def _rows(self) -> list[list[str]]:
        kernels = self.kernels
        several = len({one.gpu for one in kernels}) > 1
        rows = [["time", "share", "launches", "bound", "first advice", *(["GPU"] if several else []), "kernel"]]
        for one in kernels:
            advice = one.advice
            rows.append([seconds_in_words(one.seconds), f"{one.share:.0%}" if one.seconds else "", str(one.launches),
                         one.bound.split(":")[0], f"{advice.id} (-{advice.gain:.0%})" if advice else "",
                         *([one.gpu] if several else []), one.name.removeprefix("void ")])
        return rows

    def _heading(self) -> str:
        reports = self.reports
        seconds = sum(kernel.verdict.seconds for one in reports for kernel in one.kernels)
        launches, failed = sum(one.launches for one in reports), sum(len(one.errors) for one in reports)
        return (f"{', '.join(one.gpu.title for one in reports)}: {launches} launches" +
                (f", {failed} failed" if failed else "") +
                (f", {len(found)} finding{'s' * (len(found) > 1)}" if (found := self.findings) else "") +
                (f", {seconds_in_words(seconds)} predicted" if seconds else ""))

    def __str__(self) -> str:
        rows, columns = self._rows(), 100
        lines = [self._heading()]
        if len(rows) > 1:
            widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
            for row in rows:
                cells = [text.rjust(width) if i < 3 else text.ljust(width)
                         for i, (text, width) in enumerate(zip(row, widths))]
                start = "  ".join(cells)
                lines.append(f"{start}  {shortened(row[-1], max(30, columns - len(start) - 2))}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [[shortened(text, 120) for text in row] for row in self._rows()]
        return f"<p>{html.escape(self._heading())}</p>" + table(rows)
