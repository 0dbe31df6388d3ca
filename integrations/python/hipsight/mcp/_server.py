"""The tools. Each answers in a few lines of text, the same on every host."""

from __future__ import annotations

import functools
from typing import Annotated, Union

from mcp.server import MCPServer
from pydantic import Field

from .. import _gpu
from .._error import Error, usage
from .._gpu import opened
from .._profile import USUAL_TOOLS, profile
from .._shown import aligned, seconds_in_words, shortened
from ._work import Work, agreement, arrays_of, launched, loaded, reference_of

INSTRUCTIONS = """\
hipsight runs AMD GPU kernels on an emulated GPU, predicts how long they take on each GPU, and says what bounds them and
what to change. No GPU is needed; times are predictions and have the same digits every time.
A good order: compile (registers, spills), run with a reference (is it right?), check (races, accesses out of bounds),
predict (which GPU takes how long), explain (which line costs most, what to try), compare (is the new version quicker?).
Times of kernels below 5 us are mostly the launch: predict at the real size. run, check and compare may use smaller sizes."""

Source = Annotated[str, Field(description="HIP source, or the path of a file: source (.hip, .cpp), or device code (.co)")]
Name = Annotated[str, Field(description="a GPU, as the tool gpus lists them")]
Options = Annotated[list[str], Field(description="for clang: -DN=4, -O2, ...")]

server = MCPServer("hipsight", instructions=INSTRUCTIONS)


def tool(function):
    """What hipsight refuses becomes a text that says why."""

    @functools.wraps(function)
    def answer(*arguments, **keywords):
        try:
            return function(*arguments, **keywords)
        except Error as error:
            return "ERROR: " + shortened_errors(error.text)

    return server.tool(structured_output=False)(answer)


def shortened_errors(text: str, lines: int = 40) -> str:
    rows = text.splitlines()
    return text if len(rows) <= lines else "\n".join([*rows[:lines], f"... {len(rows) - lines} more lines"])


@tool
def gpus() -> str:
    """The GPUs that kernels can be run and predicted on."""
    rows = [["name", "ISA", "compute units", "GPU"]]
    rows += [[one.name, one.target_id.split(":")[0], str(one.compute_units), one.title] for one in _gpu.gpus()]
    return "\n".join(aligned(rows, 0))


@tool
def compile(source: Source, gpu: Name = "mi300x", options: Options = []) -> str:
    """Compiles HIP source. Gives each kernel's registers, spills and LDS, or the compiler's errors."""
    module = loaded(opened(gpu), source, options)
    rows = [["VGPRs", "SGPRs", "spilled", "scratch B", "LDS B", "code B", "kernel"]]
    rows += [[str(one.vgprs), str(one.sgprs), str(one.vgpr_spills + one.sgpr_spills), str(one.scratch_bytes),
              str(one.lds_bytes), str(one.code_bytes), one.title] for one in module.kernels]
    return "\n".join(aligned(rows, 6))


@tool
def run(source: Source, work: Work, reference: Annotated[str, Field(description=(
        "Python that defines reference(...), whose parameters are names of buffers as they are before the launches, and "
        "which gives {'buffer': array} of what they ought to hold afterwards. NumPy is np"))],
        gpu: Name = "mi300x", tolerance: Annotated[Union[float, None], Field(description=(
            "|value - reference| <= tolerance * (1 + |reference|). Without it 1e-4, or 1e-2 of types of 8 and 16 bits"))] = None,
        options: Options = []) -> str:
    """Runs the launches on an emulated GPU and compares buffers with a reference."""
    arrays = arrays_of(work)
    wanted = reference_of(reference, arrays)
    for name in wanted:
        if name not in arrays:
            raise usage("reference", f"reference gives '{name}', and there is no such buffer")
    if not wanted:
        raise usage("reference", "reference gives no buffer")
    launched(loaded(opened(gpu), source, options), work, arrays)
    answers = [agreement(name, arrays[name], one, tolerance) for name, one in wanted.items()]
    verdict = "RIGHT" if all(one.agrees for one in answers) else "WRONG"
    return "\n".join([verdict, *(one.text for one in answers)])


@tool
def check(source: Source, work: Work, gpu: Name = "mi300x", tools: Annotated[str, Field(description=(
        "memcheck, racecheck, synccheck, initcheck, waitcheck, numcheck, shufflecheck, joined by commas"))] = USUAL_TOOLS,
        options: Options = []) -> str:
    """Looks for errors: accesses out of bounds, races, barriers that not all come to, values that nobody wrote, NaNs."""
    arrays = arrays_of(work)
    module = loaded(opened(gpu), source, options)
    error = None
    with profile(gpu, predict=False, check=tools) as found:
        try:
            launched(module, work, arrays)
        except Error as one:
            error = one
    texts = [f"{one.tool + ': ' if one.tool else ''}{one.text}\n    {one.count} times" for one in found.findings]
    if error is not None:
        texts.append(error.text)
    return shortened_errors("\n".join(texts)) if texts else f"nothing found by {tools}"


def predicted(source: str, work: Work, gpu: str, options: list[str], results: bool):
    """A profile of the launches, whose predictions need only a part of their workgroups."""
    on = opened(gpu, timing_only=not results)
    module = loaded(on, source, options)
    with profile(on, profile=64) as p:
        launched(module, work, arrays_of(work))
    return p


@tool
def predict(source: Source, work: Work, gpus: Annotated[list[str], Field(description=(
        "names, as the tool gpus lists them"))] = ["mi300x"], results: Annotated[bool, Field(description=(
            "run the launches whole, as is needed where addresses or branches depend on what kernels compute"))] = False,
        options: Options = []) -> str:
    """How long the launches would take on each GPU, and what bounds them."""
    rows, notes = [["time", "GPU", "kernel", "bound by"]], []
    for gpu in gpus:
        p = predicted(source, work, gpu, options, results)
        rows += [[seconds_in_words(one.seconds), gpu, shortened(one.name, 60), one.bound] for one in p.kernels]
        if len(p.kernels) > 1:
            rows.append([seconds_in_words(sum(one.seconds for one in p.kernels)), gpu, "all", ""])
        notes += [f"{gpu}: {one.kernel}: {one.why}" for report in p.reports for one in report.estimated]
    return "\n".join([*aligned(rows, 1), *dict.fromkeys(notes)])


@tool
def explain(source: Source, work: Work, gpu: Name = "mi300x", details: Annotated[str, Field(description=(
        "sections: advice, counts, explanation, prediction, profile, registers, roofs, joined by commas"))] =
        "advice,explanation", results: bool = False, options: Options = []) -> str:
    """What bounds each kernel, which lines of source cost most and why, and what to change and what that would gain."""
    return predicted(source, work, gpu, options, results).to_text(details)


FIGURES = (
    ("VGPRs", lambda one: one.kernel.vgprs),
    ("spilled", lambda one: one.kernel.vgpr_spills + one.kernel.sgpr_spills),
    ("LDS B", lambda one: one.kernel.lds_bytes + one.dynamic_lds),
    ("waves/SIMD", lambda one: one.occupancy.waves_per_simd),
    ("instructions", lambda one: one.counts.instructions),
    ("memory B", lambda one: one.counts.global_.read + one.counts.global_.written),
    ("conflict cycles", lambda one: one.profile.all.lds_conflict_cycles if one.profile else 0),
)


@tool
def compare(before: Source, now: Source, work: Work, gpu: Name = "mi300x", now_work: Annotated[Union[Work, None], Field(
        description="where the new version is launched otherwise")] = None, results: bool = False,
        options: Options = []) -> str:
    """Two versions of a kernel: predicted times, what bounds each, and figures that differ."""
    sides = [predicted(source, one, gpu, options, results) for source, one in ((before, work), (now, now_work or work))]
    times = [sum(one.seconds for one in side.kernels) for side in sides]
    change = times[1] / times[0] - 1
    verdict = "as quick" if abs(change) < 0.01 else f"{-change:.0%} quicker" if change < 0 else f"{change:.0%} slower"
    rows = [["", "before", "now"], ["time", *map(seconds_in_words, times)],
            ["bound by", *(side.kernels[0].bound for side in sides)]]
    for name, figure in FIGURES:
        values = [f"{sum(figure(one.report) for one in side.kernels):g}" for side in sides]
        if values[0] != values[1]:
            rows.append([name, *values])
    return "\n".join([f"now is {verdict}", *aligned(rows, 0)])
