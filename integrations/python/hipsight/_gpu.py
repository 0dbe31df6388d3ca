"""Emulated GPUs, the code that is loaded there, and its launches."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from typing import Any, Union

from . import _arguments, _compiler, _hipsight, _recording, _settings
from ._error import Error, usage
from ._hipsight import CollectiveKind, CollectiveTime, GpuFacts, KernelFacts, KernelReport, Prediction

Size = Union[int, Sequence[int]]
Array = Any
"""An array in the host's memory: NumPy's, torch's, or another that speaks DLPack."""


def gpus() -> list[GpuFacts]:
    """The GPUs that hipsight knows."""
    return _hipsight.known_gpus()


class Gpu:
    """An emulated GPU. A program may have several, of several kinds.

    What a keyword does not say, the environment does (``HIPSIGHT_GPU`` for ``name``, ``HIPSIGHT_TIMEOUT`` for
    ``timeout``, ...), as docs/configuration.md has it; else the default.

    name: as ``hipsight.gpus()`` lists it, or the path of a GPU file. Default: "mi300x".
    threads: host threads that run kernels; 0: one per core.
    timeout: the longest that emulating a launch may take, in seconds; 0: no limit.
    strict: accesses just beyond an array fail, where a GPU lets them pass.
    matrix: how matrix instructions sum: "fast", or "exact", as the hardware does.
    engine: "auto", or "interpret": never translate, which is slow.
    timing_only: kernels compute no results: of a launch only what its prediction needs runs, and nothing of one like
        another before it in the same profile.
    """

    def __init__(self, name: str | None = None, *, threads: int | None = None, timeout: float | None = None,
                 strict: bool | None = None, matrix: str | None = None, engine: str | None = None,
                 timing_only: bool | None = None):
        self._process = os.getpid()
        count = _settings.number("threads", threads, 0, int)
        if not 0 <= count < 1 << 32:
            raise usage("threads", f"threads is {count}: it takes 0 to 4096")
        self._gpu = _hipsight.open_gpu(
            _settings.text("gpu", name, "mi300x"), threads=count,
            timeout=_settings.number("timeout", timeout, 0), strict=_settings.flag("strict", strict),
            exact_matrix=_settings.text("matrix", matrix, "fast", ("fast", "exact")) == "exact",
            interpret=_settings.text("engine", engine, "auto", ("auto", "interpret")) == "interpret",
            timing_only=(only := _settings.flag("timing_only", timing_only)))
        self.timing_only = only

    @property
    def facts(self) -> GpuFacts:
        """What it is."""
        return self._gpu.facts

    def all_reduce(self, ranks: int, bytes: int) -> CollectiveTime:
        """How long an all-reduce of `bytes` in each of so many such GPUs would take, all with a link to each other."""
        return self._gpu.all_reduce(ranks, bytes)

    def collective(self, kind: str, ranks: int, bytes: int, *, nodes: int = 1, network_gb_per_s: float = 0,
                   busiest: float = 1) -> CollectiveTime:
        """How long an operation of so many such GPUs would take, all of a node with a link to each other.

        kind: "all_reduce", "all_gather", "reduce_scatter", "all_to_all" or "send", from each rank to the next.
        bytes: of a rank: what it gets in an all-gather, else what it gives.
        nodes: with as many of the ranks in each.
        network_gb_per_s: from each GPU to those of other nodes, in each direction, in 10^9 bytes a second.
        busiest: of an all-to-all: what the rank gets that gets most, over the mean.
        """
        kinds = {one.name: one for one in CollectiveKind}
        if kind not in kinds:
            raise usage("kind", f"kind={kind!r}: it takes {', '.join(kinds)}")
        return self._gpu.collective(kinds[kind], ranks, bytes, nodes, network_gb_per_s, busiest)

    def load(self, code: str | os.PathLike | bytes, origin: str = "code") -> Module:
        """Device code, from a file or as bytes: a code object, a bundle, or a program or library with code in it.

        origin: what errors call the bytes.
        """
        self._check_process()
        if isinstance(code, (bytes, bytearray, memoryview)):
            return Module(self, _hipsight.load(self._gpu, bytes(code), origin))
        return Module(self, _hipsight.load_file(self._gpu, os.fspath(code)))

    def compile(self, source: str, *options: str, sdk: str | None = None, clang: str | None = None) -> Module:
        """Compiles HIP source for this GPU and loads it: see ``hipsight.compile``."""
        return self.load(compile(source, *options, gpu=self, sdk=sdk, clang=clang), "source")

    def _check_process(self):
        # The threads that run kernels are not in a process that was forked since.
        if os.getpid() != self._process:
            raise usage(self.facts.name, f"{self.facts.title} was opened before this process was forked: open another "
                        "one here")

    def __repr__(self):
        return f"<hipsight.Gpu {self.facts.name}: {self.facts.title}, {self.facts.target_id}, emulated>"


class Module:
    """Device code that is loaded on a GPU."""

    def __init__(self, gpu: Gpu, module: _hipsight.LoadedModule):
        self.gpu = gpu
        self._module = module

    @property
    def kernels(self) -> list[KernelFacts]:
        """What the compiler says of its kernels."""
        return self._module.kernels

    def kernel(self, name: str | None = None) -> Kernel:
        """A kernel by its name, as in the code object, or as in the source where only one is called so: "saxpy",
        "gemm<float>". Without a name: the only one that there is."""
        if name is None:
            all = self.kernels
            if len(all) != 1:
                raise usage("kernel", "which kernel? There are " +
                            (":" if all else "none") + "".join(f"\n  {one.title}" for one in all))
            name = all[0].name
        return Kernel(self, self._module.kernel(name))

    __getitem__ = kernel

    def variable(self, name: str) -> memoryview:
        """The memory of a device variable, by its name in the code object."""
        import ctypes
        address, size = self._module.variable(name)
        memory = (ctypes.c_ubyte * size).from_address(address)
        memory.module = self._module  # which it lives with
        return memoryview(memory).cast("B")

    def __repr__(self):
        names = ", ".join(one.title for one in self.kernels) or "no kernels"
        return f"<hipsight.Module on {self.gpu.facts.name}: {names}>"


class Kernel:
    """A kernel of a module."""

    def __init__(self, module: Module, facts: KernelFacts):
        self.module, self.facts = module, facts

    def launch(self, grid: Size, block: Size, args: Sequence[Any] = (), *, lds: int = 0, cooperative: bool = False,
               profile: int = 0, predict: bool = False, caches: str = "cold", sampled_only: bool = False,
               fidelity: bool = False, memory: Iterable[Array] = (), also: Sequence[str] = ()) -> KernelReport:
        """Runs one launch to its end and tells what it did.

        grid: workgroups: a number, or up to three.
        block: work-items of a workgroup, likewise.
        args: the kernel's arguments. For a pointer an array in the host's memory, which the kernel works on in
            place, or None. For what is passed by value a number, or its bytes. Kernels may touch all that an array
            spans, from its first to its last element, and nothing else.
        lds: bytes of dynamic LDS.
        cooperative: a cooperative launch.
        profile: workgroups whose memory accesses are observed; 0: no profile.
        predict: predict how long the launch would take.
        caches: what they hold when it begins: "cold", "mall" or "warm".
        sampled_only: run only what is observed: the kernel's results are missing.
        fidelity: say how exact the instructions were.
        memory: arrays that the kernel reaches otherwise than by its arguments.
        also: names of other GPUs that run the same machine code: the launch, which runs once, is predicted for each
            (KernelReport.also).
        """
        self.module.gpu._check_process()
        packed = _arguments.pack(self.facts, list(args), memory)
        caches = caches_of(caches)
        _recording.join(self.module.gpu)
        return _hipsight.launch(
            self.module._module, self.facts.name, grid=sizes("grid", grid), block=sizes("block", block), lds=lds,
            cooperative=cooperative, profile=profile, predict=predict, caches=caches,
            sampled_only=sampled_only, fidelity=fidelity,
            range=_recording.current_range(), also=list(also), arguments=packed.bytes, memory=packed.ranges)

    def __repr__(self):
        return f"<hipsight.Kernel {self.facts.title} on {self.module.gpu.facts.name}>"


def caches_of(name: str) -> _hipsight.Caches:
    if name not in ("cold", "mall", "warm"):
        raise usage("caches", f"caches={name!r}: it takes cold, mall or warm")
    return getattr(_hipsight.Caches, name)


def sizes(what: str, given: Size) -> tuple[int, int, int]:
    numbers = list(given) if hasattr(given, "__iter__") else [given]
    if not 1 <= len(numbers) <= 3 or not all(hasattr(n, "__index__") and 0 <= n < 1 << 32 for n in numbers):
        raise usage(what, f"{what}={given!r}: it takes one to three whole numbers below 2^32")
    return tuple([int(n) for n in numbers] + [1] * (3 - len(numbers)))


_opened: dict[tuple[int, str, bool], Gpu] = {}
_lock = threading.Lock()


def opened(gpu: Gpu | str | None, timing_only: bool = False) -> Gpu:
    """The GPU that a call means: one that is open, or one by name, which stays open. `timing_only`: one that computes no
    results."""
    if gpu is None:
        gpu = _recording.default_gpu()
    if isinstance(gpu, Gpu):
        if timing_only and not gpu.timing_only:
            raise usage("gpu", f"{gpu.facts.name} computes results, and here none are wanted: take its name, or open it with "
                        "timing_only")
        return gpu
    key = os.getpid(), _settings.text("gpu", gpu, "mi300x"), timing_only
    with _lock:
        if key not in _opened:
            _opened[key] = Gpu(key[1], timing_only=timing_only or None)
        return _opened[key]


def predict(code: str | os.PathLike | bytes, *, kernel: str | None = None, grid: Size = 1, block: Size = 1,
            args: Sequence[Any] = (), gpu: Gpu | str | None = None, lds: int = 0, caches: str = "cold",
            profile: int = 0, sampled_only: bool = False) -> Prediction:
    """How long a launch of a kernel would take on a GPU: it is run there, emulated, and simulated.

    code: a file or bytes, as ``Gpu.load`` takes them. kernel: its name, if there are several. gpu: a GPU or its name.
    The others are those of ``Kernel.launch``, which gives all that there is to tell of a launch.
    """
    on = opened(gpu).load(code).kernel(kernel)
    return on.launch(grid, block, args, lds=lds, caches=caches, profile=profile, predict=True,
                     sampled_only=sampled_only).prediction


def compile(source: str, *options: str, gpu: Gpu | str | None = None, sdk: str | None = None,
            clang: str | None = None) -> bytes:
    """Compiles HIP source into a code object for a GPU.

    options: for clang: "-O3", "-DN=4", ... gpu: a GPU or its name. sdk: a folder with HIP's headers and device
    bitcode (``HIPSIGHT_SDK``). clang: the clang++ to run (``HIPSIGHT_CLANG``).
    """
    facts = opened(gpu).facts
    return _compiler.Compiler(sdk, clang).code_object(source, facts.target_id.split(":")[0], options)
