"""early_runtime.py LIBRARIES CODE_OBJECT: a program that starts the HIP runtime before Triton's driver is made. Launches
wait all the same. Triton and torch are stand-ins with what the driver takes from them."""

import ctypes
import os
import pathlib
import sys
import types


def module(name, **names):
    made = types.ModuleType(name)
    vars(made).update(names)
    sys.modules[name] = made
    return made


class Tensor:
    pass


class HIPLauncher:
    """Triton's is made for a kernel, this one for a function that launches it."""

    def __init__(self, launch):
        self.launch = launch

    def __call__(self, *arguments):
        self.launch(*arguments)


class HIPDriver:

    def __init__(self):
        self.utils = types.SimpleNamespace(get_device_properties=lambda device: {"arch": "gfx942"})


libraries, code_object = sys.argv[1:]
library = libraries + "/libamdhip64.so"
module("torch", Tensor=Tensor, _C=types.SimpleNamespace(TensorBase=Tensor))
module("torch.multiprocessing")
module("torch.multiprocessing.reductions", StorageWeakRef=object)
module("triton")
module("triton.backends")
module("triton.backends.amd").driver = module("triton.backends.amd.driver", HIPLauncher=HIPLauncher, HIPDriver=HIPDriver,
                                              _get_path_to_hip_runtime_dylib=lambda: library)
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

hip = ctypes.CDLL(library)


def call(name, *arguments):
    error = getattr(hip, name)(*arguments)
    assert error == 0, f"{name}: {error}"


call("hipInit", 0)
from hipsight_triton.driver import HipsightDriver  # noqa: E402

loaded, kernel = ctypes.c_void_p(), ctypes.c_void_p()
call("hipModuleLoad", ctypes.byref(loaded), code_object.encode())
call("hipModuleGetFunction", ctypes.byref(kernel), loaded, b"_Z4hashPji")
data = (ctypes.c_uint * 64)()
call("hipHostRegister", data, ctypes.c_size_t(ctypes.sizeof(data)), 0)


def launch(address):
    pointer, turns = ctypes.c_void_p(address), ctypes.c_int(300000)
    arguments = (ctypes.c_void_p * 2)(ctypes.addressof(pointer), ctypes.addressof(turns))
    call("hipModuleLaunchKernel", kernel, 1, 1, 1, 64, 1, 1, 0, None, arguments, None)


launcher = HipsightDriver().launcher_cls(launch)
launcher(ctypes.addressof(data))
at_once = list(data)
call("hipDeviceSynchronize")
assert any(at_once) and at_once == list(data), "a launch returned before its kernel had ended"
try:
    launcher(8)
except RuntimeError as error:
    assert "an illegal memory access" in str(error), error
else:
    raise AssertionError("a launch of a kernel that fails did not raise")
os._exit(0)  # as it is: a kernel that failed would make 86 of it
