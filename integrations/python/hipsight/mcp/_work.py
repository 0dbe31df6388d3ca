"""What an agent asks about: buffers, launches, and what they ought to compute."""

from __future__ import annotations

import math
import mmap
import pathlib
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from typing import Annotated, Any, Union

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from .. import _gpu
from .._error import usage
from .._gpu import Gpu, Module

SECONDS = 300
"""That a reference may take."""
BEGIN, APART = 1 << 30, 2 << 20
MAP_NORESERVE = 0x4000  # Linux's, on x86-64; Python has it from 3.13 on
FILLS = "normal, uniform, zeros, ones, arange"


class Buffer(BaseModel):
    """An array in memory."""

    model_config = ConfigDict(extra="forbid")
    shape: list[Annotated[int, Field(ge=1)]]
    dtype: str = Field("float32", description="NumPy's name; bfloat16 where ml_dtypes is installed")
    fill: Union[str, float] = Field("normal", description=f"{FILLS}, or a number. The same numbers in every call")
    scale: float = Field(1.0, description="what normal and uniform (0 to 1) are multiplied by")


class Launch(BaseModel):
    """A launch of a kernel."""

    model_config = ConfigDict(extra="forbid")
    kernel: Union[str, None] = Field(None, description="its name in the source; not needed if there is one only")
    grid: list[int] = Field(description="workgroups, one to three numbers")
    block: list[int] = Field(description="work-items of a workgroup, one to three numbers")
    arguments: list[Union[str, int, float]] = Field(description="names of buffers, and numbers")
    lds: int = Field(0, description="bytes of dynamic LDS")


class Work(BaseModel):
    """Buffers, and the launches that work on them, in order."""

    model_config = ConfigDict(extra="forbid")
    buffers: dict[str, Buffer]
    launches: list[Launch] = Field(min_length=1)


def type_of(name: str) -> np.dtype:
    if name.startswith(("bfloat16", "float8")):
        try:
            import ml_dtypes
        except ImportError:
            raise usage("dtype", f"{name}: it needs ml_dtypes (pip install ml_dtypes)") from None
        if hasattr(ml_dtypes, name):
            return np.dtype(getattr(ml_dtypes, name))
    try:
        return np.dtype(name)
    except TypeError:
        raise usage("dtype", f"there is no type '{name}': float32, float16, bfloat16, int32, uint8, ...") from None


def filled(number: int, one: Buffer) -> np.ndarray:
    kind, random = type_of(one.dtype), np.random.default_rng(number)
    if isinstance(one.fill, (int, float)):
        return np.full(one.shape, one.fill).astype(kind)
    if one.fill in ("zeros", "ones"):
        return getattr(np, one.fill)(one.shape, kind)
    if one.fill == "arange":
        return np.arange(np.prod(one.shape)).reshape(one.shape).astype(kind)
    if one.fill in ("normal", "uniform"):
        draw = random.standard_normal if one.fill == "normal" else random.random
        return (one.scale * draw(one.shape, np.float32)).astype(kind)
    raise usage("fill", f"there is no fill '{one.fill}': {FILLS}, or a number")


def arrays_of(work: Work) -> dict[str, np.ndarray]:
    """The buffers, where caches see them alike in every process: each at 2 MiB from the begin of a gibibyte on."""
    kinds = {name: type_of(one.dtype) for name, one in work.buffers.items()}
    sizes = {name: math.prod(one.shape) * kinds[name].itemsize for name, one in work.buffers.items()}
    whole = sum(-(-size // APART) * APART for size in sizes.values())
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
    memory = np.frombuffer(mmap.mmap(-1, whole + BEGIN, flags=flags), np.uint8)
    at, arrays = -memory.ctypes.data % BEGIN, {}
    for number, (name, one) in enumerate(work.buffers.items()):
        arrays[name] = memory[at:at + sizes[name]].view(kinds[name]).reshape(one.shape)
        arrays[name][...] = filled(number, one)
        at += -(-sizes[name] // APART) * APART
    return arrays


_modules: dict[tuple[str, str, tuple[str, ...]], bytes] = {}
_lock = threading.Lock()


def loaded(gpu: Gpu, source: str, options: list[str]) -> Module:
    """HIP source, or the path of a file with source or device code; each is compiled once for a target."""
    text, path = source, pathlib.Path(source) if "\n" not in source and len(source) < 4096 else None
    if path is not None and path.suffix in (".co", ".hsaco", ".so", ".o", ""):
        return gpu.load(path)
    if path is not None:
        try:
            text = path.read_text()
        except OSError as error:
            raise usage("source", f"{source}: {error.strerror}") from None
        options = [f"-I{path.resolve().parent}", *options]
    key = text, gpu.facts.target_id.split(":")[0], tuple(options)
    with _lock:
        known = _modules.get(key)
    if known is None:
        known = _gpu.compile(text, *options, gpu=gpu)
        with _lock:
            _modules[key] = known
    return gpu.load(known, "source")


def launched(module: Module, work: Work, arrays: dict[str, np.ndarray], **keywords: Any) -> None:
    for one in work.launches:
        kernel = module.kernel(one.kernel)
        arguments: list[Any] = []
        for argument in one.arguments:
            if isinstance(argument, str) and argument not in arrays:
                raise usage("arguments", f"there is no buffer '{argument}': there are {', '.join(arrays) or 'none'}")
            # Bytes fit each pointer: types that only ml_dtypes knows have none of DLPack's.
            arguments.append(arrays[argument].reshape(-1).view(np.uint8) if isinstance(argument, str) else argument)
        kernel.launch(one.grid, one.block, arguments, lds=one.lds, **keywords)


RUNNER = """
import sys
import numpy as np
given = dict(np.load(sys.argv[1]))
scope = {"np": np, "numpy": np}
exec(compile(open(sys.argv[2]).read(), "reference", "exec"), scope)
if "reference" not in scope:
    sys.exit("it defines no function 'reference'")
import inspect
names = [one for one in inspect.signature(scope["reference"]).parameters]
for one in names:
    if one not in given:
        sys.exit(f"reference asks for '{one}': there are {', '.join(given)}")
answer = scope["reference"](**{one: given[one] for one in names})
if not isinstance(answer, dict):
    sys.exit("reference gives no dict: it takes {'buffer': array}")
np.savez(sys.argv[3], **{name: np.asarray(one, np.float64) for name, one in answer.items()})
"""


def reference_of(text: str, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What a Python function `reference` gives of the buffers that its parameters name, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        given, code, answer = (pathlib.Path(folder, name) for name in ("given.npz", "reference.py", "answer.npz"))
        # NumPy alone reads these: types that only ml_dtypes knows are given as float32.
        np.savez(given, **{name: one if one.dtype.isbuiltin else one.astype(np.float32) for name, one in arrays.items()})
        code.write_text(text)
        try:
            done = subprocess.run([sys.executable, "-c", RUNNER, given, code, answer], stdin=subprocess.DEVNULL, text=True,
                                  capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise usage("reference", f"the reference did not end in {SECONDS} s") from None
        if done.returncode:
            lines = done.stderr.strip().splitlines()
            raise usage("reference", "the reference failed: " + "\n".join(lines[-3:]))
        with np.load(answer) as wanted:
            return dict(wanted)


@dataclass(frozen=True)
class Agreement:
    """Of a buffer with its reference."""

    agrees: bool
    text: str


def agreement(name: str, got: np.ndarray, wanted: np.ndarray, tolerance: float | None) -> Agreement:
    """|got - wanted| <= tolerance * (1 + |wanted|) for each element, and NaN or infinite where that is."""
    if tolerance is None:
        tolerance = 1e-2 if got.dtype.itemsize < 4 and got.dtype.kind != "i" else 1e-4
    if got.size != wanted.size:
        return Agreement(False, f"{name}: the reference has {wanted.size} elements, the buffer {got.size}")
    have, want = got.astype(np.float64).reshape(-1), wanted.reshape(-1)
    with np.errstate(all="ignore"):
        errors = np.abs(have - want)
        wrong = ~((errors <= tolerance * (1 + np.abs(want))) | (have == want) | (np.isnan(have) & np.isnan(want)))
    if not wrong.any():
        finite = errors[np.isfinite(errors)]
        return Agreement(True, f"{name}: agrees, largest error {finite.max() if finite.size else 0:.2g}")
    def place(flat):
        return "[" + ", ".join(map(str, np.unravel_index(flat, got.shape))) + "]"
    first, worst = int(np.flatnonzero(wrong)[0]), int(np.argmax(np.where(wrong, np.nan_to_num(errors, nan=np.inf), -1)))
    text = (f"{name}: WRONG at {int(wrong.sum())} of {wrong.size} elements (tolerance {tolerance:g}); first "
            f"{place(first)}: {have[first]:.6g}, reference {want[first]:.6g}")
    if worst != first:
        text += f"; worst {place(worst)}: {have[worst]:.6g}, reference {want[worst]:.6g}"
    return Agreement(False, text)
