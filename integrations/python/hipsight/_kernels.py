"""The kernel library (kernels/), compiled for a GPU when it is first used and kept for later.

A library that is made here holds a kernel's code for the GPU, and for the host what plans a launch of it: sizes of
tiles, grid, arguments. Its launches come back here (kernels/launches.cpp) and run on the emulated GPU that is meant.
"""

import ctypes
import functools
import hashlib
import os
import pathlib
import tempfile
import threading

from . import _settings
from ._compiler import HERE, Compiler
from ._error import usage

SOURCES = HERE / "kernels"
INCLUDE = HERE / "include"


class Dim3(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint) for name in "xyz"]


LAUNCH = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.POINTER(Dim3), ctypes.POINTER(Dim3), ctypes.c_size_t,
                          ctypes.POINTER(ctypes.c_void_p))


class MatrixInMemory(ctypes.Structure):
    """As kernels/calls.h has it."""
    _fields_ = [("data", ctypes.c_void_p)] + [(name, ctypes.c_int64)
                                              for name in ("rows", "columns", "stride", "batch_stride")]


class HeadsInMemory(ctypes.Structure):
    """As kernels/rows.hip has it."""
    _fields_ = [("data", ctypes.c_void_p)] + [(name, ctypes.c_int64)
                                              for name in ("tokens", "heads", "size", "token_stride", "head_stride")]


class SequencesInMemory(ctypes.Structure):
    """As kernels/attention.hip has it."""
    _fields_ = [("data", ctypes.c_void_p)] + [(name, ctypes.c_int64)
                                              for name in ("length", "heads", "stride", "head_stride", "batch_stride")]


class KernelLibrary:
    """A source of kernels/ that is compiled for a GPU and loaded there."""

    def __init__(self, gpu, source, defines):
        file = compiled(source, defines, target_of(gpu), gpu.facts.compute_units)
        self._module = gpu.load(file)
        self._library = ctypes.CDLL(str(file))

    def call(self, function, *arguments, memory, **keywords):
        """Calls a function of the library: structures go by their address. The reports of its launches; its kernels
        may reach `memory`."""
        reports, errors = [], []

        def launch(name, grid, block, lds, values):
            try:
                kernel = self._module.kernel(name.decode())
                bytes_of = [ctypes.string_at(values[i], one.bytes) for i, one in enumerate(kernel.facts.arguments)]
                sizes = [tuple(getattr(of.contents, axis) for axis in "xyz") for of in (grid, block)]
                reports.append(kernel.launch(*sizes, bytes_of, lds=lds, memory=memory, **keywords))
            except BaseException as error:  # must not pass through C++
                errors.append(error)

        callback = LAUNCH(launch)
        self._library.hipsight_on_launch(callback)
        entry = getattr(self._library, function)
        entry.restype = ctypes.c_char_p
        wrong = entry(*(ctypes.byref(one) if isinstance(one, ctypes.Structure) else one for one in arguments))
        if errors:
            raise errors[0]
        if wrong:
            raise usage(function.removeprefix("hipsight_"), wrong.decode())
        return reports


def target_of(gpu):
    return gpu.facts.target_id.split(":")[0]


_lock = threading.Lock()


def loaded(gpu, source, defines):
    """Made once for each GPU, with which it goes."""
    with _lock:
        libraries = gpu.__dict__.setdefault("_libraries", {})
        if (source, defines) not in libraries:
            libraries[source, defines] = KernelLibrary(gpu, source, defines)
        return libraries[source, defines]


def cache_folder():
    """Where compiled kernels are kept: beside what the engine translates (docs/configuration.md)."""
    usual = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache", "hipsight")
    named = _settings.text("cache", None, str(usual))
    return pathlib.Path(_temporary_folder() if named == "off" else named, "kernels")


@functools.lru_cache(maxsize=None)
def _temporary_folder():
    folder = tempfile.TemporaryDirectory(prefix="hipsight-")  # goes with the process
    _temporary_folder.kept = folder
    return folder.name


@functools.lru_cache(maxsize=None)
def sources_hash():
    """Of all that goes into a library but its options."""
    digest = hashlib.sha256()
    for folder in (SOURCES, INCLUDE):
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                digest.update(str(file.relative_to(HERE)).encode() + file.read_bytes())
    digest.update((HERE / "hipcc").read_bytes())
    return digest.hexdigest()


def compiled(source, defines, target, compute_units):
    """The library's file, for GPUs of one target with so many compute units."""
    device = [f'-DHIPSIGHT_TARGET="{target}"', f"-DHIPSIGHT_COMPUTE_UNITS={compute_units}"]
    options = [f"-D{one}" for one in defines]
    name = hashlib.sha256(" ".join([sources_hash(), source, *device, *options]).encode()).hexdigest()[:32]
    file = cache_folder() / f"{source.removesuffix('.hip')}-{target}-{name}.so"
    if file.exists():
        return file
    compiler = Compiler()
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        object, library = pathlib.Path(folder, "object.o"), pathlib.Path(folder, "library.so")
        compiler.run("-c", "-fPIC", "-fvisibility=hidden", "-std=c++20", "-gline-tables-only",
                     f"--offload-arch={target}", *options, f"-I{INCLUDE}", SOURCES / source, "-o", object)
        compiler.link(SOURCES / "launches.cpp", object, library, *device)
        os.replace(library, file)  # whole, or not there
    return file
