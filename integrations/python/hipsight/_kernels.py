"""The kernel library's operations (hipsight/operations.h) on arrays in the host's memory.

The library plans each launch; it comes back here and runs on the emulated GPU that is meant. Or it goes to the
program's HIP runtime, if that is wanted (use_runtime).
"""

import ctypes
import functools
import os
import pathlib
import tempfile
import threading

from . import _recording, _settings
from ._compiler import HERE
from ._error import usage
from ._gpu import opened

HIP_RUNTIME = "libamdhip64.so.7"
TYPES = {name: number for number, name in enumerate(
    ("float16", "bfloat16", "float32", "float8_e4m3fn", "float8_e4m3fnuz", "int8", "int32"))}
DIMENSIONS = 4


class Tensor(ctypes.Structure):
    """hipsight_tensor"""
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int), ("dimensions", ctypes.c_int),
                ("sizes", ctypes.c_int64 * DIMENSIONS), ("strides", ctypes.c_int64 * DIMENSIONS)]


class Size(ctypes.Structure):
    """hipsight_size"""
    _fields_ = [(name, ctypes.c_uint32) for name in "xyz"]


LAUNCH = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, Size, Size, ctypes.c_size_t,
                          ctypes.POINTER(ctypes.c_void_p))


class Context(ctypes.Structure):
    """hipsight_context"""
    _fields_ = [("target", ctypes.c_char_p), ("stream", ctypes.c_void_p), ("launch", LAUNCH),
                ("launch_data", ctypes.c_void_p), ("compute_units", ctypes.c_int), ("only_find", ctypes.c_int)]


def name_of_type(array):
    return str(array.dtype).removeprefix("torch.")


def described(array):
    """A torch tensor or a NumPy array, as the library takes it."""
    if hasattr(array, "data_ptr"):
        data, strides = array.data_ptr(), array.stride()
    else:
        data, strides = array.ctypes.data, [one // array.itemsize for one in array.strides]
    sizes = ctypes.c_int64 * DIMENSIONS
    return Tensor(data, TYPES[name_of_type(array)], len(strides), sizes(*array.shape), sizes(*strides))


def is_array(argument):
    return hasattr(argument, "dtype") and hasattr(argument, "shape")


def memory_of(array):
    """What a kernel may reach, as an array of a type that all know."""
    if not hasattr(array, "data_ptr"):
        import numpy
        first, end = numpy.lib.array_utils.byte_bounds(array)
        return numpy.frombuffer((ctypes.c_uint8 * (end - first)).from_address(first), numpy.uint8)
    if not name_of_type(array).startswith("float8"):
        return array
    import torch
    return array.view(torch.uint8)


def is_empty(array):
    return 0 in array.shape


class Operations:
    """The operations on one emulated GPU, with which they go."""

    def __init__(self, gpu):
        self._gpu, self._modules, self._lock = gpu, {}, threading.Lock()
        self._calls = threading.local()
        self._launch = LAUNCH(self._on_launch)
        self._context = Context(target_of(gpu).encode(), None, self._launch, None, gpu.facts.compute_units, 0)

    def _module(self, file):
        with self._lock:
            if file not in self._modules:
                self._modules[file] = self._gpu.load(os.fsdecode(file))
            return self._modules[file]

    def _on_launch(self, _, file, name, grid, block, lds, values):
        try:
            kernel = self._module(file).kernel(name.decode())
            arguments = [ctypes.string_at(values[i], one.bytes) for i, one in enumerate(kernel.facts.arguments)]
            kernel.launch(*([getattr(of, axis) for axis in "xyz"] for of in (grid, block)), arguments, lds=lds,
                          memory=self._calls.memory)
        except BaseException as error:  # must not pass through C++
            self._calls.errors.append(error)

    def call(self, operation, arguments, arrays):
        self._calls.errors = errors = []
        self._calls.memory = [memory_of(one) for one in arrays]
        wrong = entered(operation, self._context, arguments)
        self._calls.memory = None
        if errors:
            raise errors[0]
        if wrong:
            raise usage(operation, wrong)


class RuntimeOperations:
    """The operations on the GPU of the program's HIP runtime, which gets their launches."""

    def __init__(self, gpu):
        self._context = Context(target_of(gpu).encode())

    def call(self, operation, arguments, arrays):
        for array in arrays:
            array.data_ptr()  # makes it known to the runtime
        _runtime.forget_freed()
        if wrong := entered(operation, self._context, arguments):
            raise usage(operation, wrong)
        _runtime.wait()


def entered(operation, context, arguments):
    """Calls a function of the library: None, or what is wrong."""
    function = getattr(library(), f"hipsight_{operation}")
    function.restype = ctypes.c_char_p
    wrong = function(ctypes.byref(context), *arguments)
    return wrong and wrong.decode(errors="replace")


def argument(value):
    """As C takes it."""
    if is_array(value):
        return ctypes.byref(described(value))
    return ctypes.c_float(value) if isinstance(value, float) else value


def call(operation, gpu, *arguments):
    """An operation on a GPU: a Gpu, a name, or None, the one that a call means. Arrays are read and written where they
    lie; whole numbers are C's ints, others its floats."""
    if gpu is None:
        gpu = _recording.default_gpu()
    kind = RuntimeOperations if gpu is None and _runtime else Operations
    gpu = opened(gpu)
    with _lock:
        kinds = gpu.__dict__.setdefault("_operations", {})
        operations = kinds.get(kind) or kinds.setdefault(kind, kind(gpu))
    arrays = [one for one in arguments if is_array(one) and not is_empty(one)]
    operations.call(operation, [argument(one) for one in arguments], arrays)


def workspace_bytes(operation, gpu, *arguments, options=()):
    """What "gemm_workspace" and its like say of such arguments, and of options, which they take last; 0: none."""
    bytes = ctypes.c_uint64()
    call(operation, gpu, *arguments, ctypes.byref(bytes), *options)
    return bytes.value


_lock = threading.Lock()
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


def library():
    """libhipsight_operations, told where its sources and its cache are."""
    library, folder = _library(), os.fsencode(cache_folder())
    if library.cache != folder:
        library.hipsight_operations_setup(os.fsencode(HERE), folder)
        library.cache = folder
    return library


@functools.cache
def _library():
    library = ctypes.CDLL(str(HERE / "lib/libhipsight_operations.so.0"))
    library.hipsight_operations_version.restype = ctypes.c_char_p
    library.cache = None
    return library


def version():
    """Of the sources of kernels: changes whenever results or times may."""
    return library().hipsight_operations_version().decode()


def cache_folder():
    """Where compiled kernels are kept: beside what the engine translates (docs/configuration.md)."""
    usual = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache", "hipsight")
    named = _settings.text("cache", None, str(usual))
    return pathlib.Path(_temporary_folder() if named == "off" else named, "kernels")


@functools.cache
def _temporary_folder():
    folder = tempfile.TemporaryDirectory(prefix="hipsight-")  # goes with the process
    _temporary_folder.kept = folder
    return folder.name
