"""How long single operations take on a GPU: a table that is filled as it is asked, and kept on disk."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import json
import os
import pathlib
import tempfile
from dataclasses import asdict, dataclass
from typing import Any

import torch

from .. import _hipsight, _kernels
from .._gpu import Gpu, opened
from .._profile import profile
from ._stand_ins import StandIns


@dataclass(frozen=True)
class OperatorLaunch:
    """A kernel that an operation launches."""

    kernel: str
    seconds: float
    """Predicted."""
    bound: str
    """What bounds it, in words."""


@dataclass(frozen=True)
class OperatorTime:
    """An operation of torch.ops.hipsight with arguments of some types and shapes."""

    launches: tuple[OperatorLaunch, ...]

    @property
    def seconds(self) -> float:
        """Predicted, of its launches one after the other."""
        return sum(one.seconds for one in self.launches)

    @property
    def bound(self) -> str:
        """What bounds the launch that takes the longest."""
        return max(self.launches, key=lambda one: one.seconds).bound if self.launches else ""


class Operators:
    """Times of operations of torch.ops.hipsight on one GPU.

        table = hipsight.torch.Operators("mi300x")
        a, b = (torch.empty(4096, 4096, dtype=torch.bfloat16, device="meta") for _ in range(2))
        table.time("gemm", a, b).seconds

    Nothing is computed: tensors need no data (device "meta"; whole numbers that say where groups or pages lie are then
    even). A time that was asked for once, by whichever process, comes from `predictions` in the cache folder
    (docs/configuration.md); another build of hipsight or another GPU file starts afresh. Processes that ask for the same
    time at once wait for the one that is at it.

    gpu: a name, or a GPU that was opened with timing_only.
    """

    def __init__(self, gpu: Gpu | str = "mi300x"):
        self.gpu = opened(gpu, timing_only=True)
        self._times: dict[str, OperatorTime] = {}

    def time(self, operation: str, *arguments: Any, **keywords: Any) -> OperatorTime:
        """Of one call. operation: its name, as "gemm"; the others are what it takes, without gpu=."""
        key = self._key(operation, arguments, keywords)
        if key not in self._times:
            self._times[key] = self._kept(key) or self._first(key, operation, arguments, keywords)
        return self._times[key]

    def _key(self, operation, arguments, keywords):
        words = [version(), _kernels.version(), self.gpu.facts.name, contents(self.gpu.facts.file), operation,
                 *(told(one) for one in arguments), *(f"{name}={told(keywords[name])}" for name in sorted(keywords))]
        return hashlib.sha256("\n".join(words).encode()).hexdigest()[:40]

    def _file(self, key):
        return _kernels.cache_folder().parent / "predictions" / f"{key}.json"

    def _kept(self, key):
        try:
            with open(self._file(key), encoding="utf-8") as file:
                return OperatorTime(tuple(OperatorLaunch(**one) for one in json.load(file)["launches"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None  # not there, or not whole: as if it were not there

    def _first(self, key, operation, arguments, keywords):
        """A prediction; or, where another process is at it, what that one finds."""
        file = self._file(key)
        locks = file.parent / "locks"
        locks.mkdir(parents=True, exist_ok=True)
        with open(locks / key[:3], "a") as lock:
            with contextlib.suppress(OSError):  # folders of some file systems have no locks: twice the work
                fcntl.flock(lock, fcntl.LOCK_EX)
            return self._kept(key) or self._predict(key, operation, arguments, keywords)

    def _predict(self, key, operation, arguments, keywords):
        with profile(self.gpu) as of, torch.no_grad(), StandIns():
            getattr(torch.ops.hipsight, operation)(*arguments, **keywords)
        time = OperatorTime(tuple(OperatorLaunch(one.kernel, one.seconds, one.bound) for one in of.launches))
        file = self._file(key)
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8") as whole:
            json.dump({"operation": operation, "launches": [asdict(one) for one in time.launches]}, whole)
        os.replace(whole.name, file)  # whole, or not there
        return time


def told(value):
    """What of an argument counts for time."""
    if isinstance(value, torch.Tensor):
        numbers = "" if value.is_meta or value.is_floating_point() else str(value.flatten().tolist())
        return f"{value.dtype} {tuple(value.shape)} {value.stride()} {value.storage_offset()} {numbers}"
    return repr(value)


@functools.lru_cache(maxsize=None)
def version():
    """Of the package: the model of time, and what leads to it."""
    folder = pathlib.Path(_hipsight.__file__).parent
    digest = hashlib.sha256()
    for file in (pathlib.Path(_hipsight.__file__), *sorted((folder / "lib").glob("libhipsight.so*")),
                 *sorted(folder.rglob("*.py"))):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def contents(file):
    """Of a GPU file of one's own; those that are built in come with the version."""
    try:
        return hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest()
    except OSError:
        return ""
