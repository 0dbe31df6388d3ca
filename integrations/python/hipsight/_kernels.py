"""The kernel library (kernels/), compiled for a GPU when it is first used and kept for later.

A library that is made here holds a kernel's code for the GPU, and for the host what plans a launch of it: sizes of
tiles, grid, arguments. Its launches come back here (kernels/launches.cpp) and run on the emulated GPU that is meant; or
they go to the program's HIP runtime, if that is wanted (use_runtime).
"""

import ctypes
import functools
import hashlib
import os
import pathlib
import tempfile
import threading

from . import _recording, _settings
from ._compiler import HERE, Compiler
from ._error import usage
from ._gpu import opened

SOURCES = HERE / "kernels"
HIP_RUNTIME = "libamdhip64.so.7"
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
    """As kernels/sequences.h has it."""
    _fields_ = [("data", ctypes.c_void_p)] + [(name, ctypes.c_int64)
                                              for name in ("length", "heads", "stride", "head_stride", "batch_stride")]


class CacheInMemory(ctypes.Structure):
    """As kernels/paged_attention.hip has it."""
    _fields_ = ([(name, ctypes.c_void_p) for name in ("keys", "values")] +
                [(name, ctypes.c_int64) for name in ("heads", "page_places", "page_stride", "stride", "head_stride")] +
                [(name, ctypes.c_void_p) for name in ("pages", "lengths")] + [("most", ctypes.c_int64)])


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
        wrong = entered(self._library, function, arguments)
        if errors:
            raise errors[0]
        if wrong:
            raise usage(function.removeprefix("hipsight_"), wrong)
        return reports


class RuntimeLibrary:
    """A source of kernels/ that is compiled for the GPU of the program's HIP runtime, which gets its launches."""

    def __init__(self, gpu, source, defines):
        self._library = ctypes.CDLL(str(compiled(source, defines, target_of(gpu))))

    def call(self, function, *arguments, memory):
        """As KernelLibrary's, without reports: the runtime writes them."""
        for tensor in memory:
            tensor.data_ptr()  # makes it known to the runtime
        _runtime.forget_freed()
        wrong = entered(self._library, function, arguments)
        if wrong:
            raise usage(function.removeprefix("hipsight_"), wrong)
        _runtime.wait()


def entered(library, function, arguments):
    """Calls a function of a library: an empty text, or what is wrong."""
    entry = getattr(library, function)
    entry.restype = ctypes.c_char_p
    return entry(*(ctypes.byref(one) if isinstance(one, ctypes.Structure) else one for one in arguments)).decode()


_runtime = None  # hipsight_triton.memory, which tells the HIP runtime of tensors


def use_runtime():
    """From now on operations that are given no gpu= are launched by the program's HIP runtime, and so are in the report
    and the ranges of `hipsight run`, which must have started the program."""
    global _runtime
    missing = "the program was not started by `hipsight run`: there is no HIP runtime to launch kernels"
    if "HIPSIGHT_GPU" not in os.environ:
        raise usage("use_runtime", missing)
    try:
        from hipsight_triton import memory  # `hipsight run` puts it on the path
        memory.watch(HIP_RUNTIME)
    except (ImportError, OSError) as error:
        raise usage("use_runtime", f"{missing} ({error})") from None
    _runtime = memory


def target_of(gpu):
    return gpu.facts.target_id.split(":")[0]


_lock = threading.Lock()


def loaded(gpu, source, defines):
    """For the GPU that a call means: a Gpu, a name, or None. Made once for each GPU, with which it goes."""
    if gpu is None:
        gpu = _recording.default_gpu()
    kind = RuntimeLibrary if gpu is None and _runtime else KernelLibrary
    gpu = opened(gpu)
    with _lock:
        libraries = gpu.__dict__.setdefault("_libraries", {})
        if (kind, source, defines) not in libraries:
            libraries[kind, source, defines] = kind(gpu, source, defines)
        return libraries[kind, source, defines]


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


def compiled(source, defines, target, compute_units=None):
    """The library's file, for GPUs of one target with so many compute units; without these, one that calls the HIP
    runtime."""
    launches = [f'-DHIPSIGHT_TARGET="{target}"', f"-DHIPSIGHT_COMPUTE_UNITS={compute_units}", SOURCES / "launches.cpp"]
    if not compute_units:
        launches = [f"-L{HERE / 'lib'}", f"-l:{HIP_RUNTIME}"]
    options = [f"-D{one}" for one in defines]
    words = [sources_hash(), source, target, str(compute_units), *options]
    name = hashlib.sha256(" ".join(words).encode()).hexdigest()[:32]
    file = cache_folder() / f"{source.removesuffix('.hip')}-{target}-{name}.so"
    if file.exists():
        return file
    compiler = Compiler()
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        object, library = pathlib.Path(folder, "object.o"), pathlib.Path(folder, "library.so")
        compiler.run("-c", "-fPIC", "-fvisibility=hidden", "-std=c++20", "-gline-tables-only",
                     f"--offload-arch={target}", *options, f"-I{INCLUDE}", SOURCES / source, "-o", object)
        compiler.link(library, object, *launches)
        os.replace(library, file)  # whole, or not there
    return file
