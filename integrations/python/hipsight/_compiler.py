"""A clang that compiles HIP, found on this machine; hipcc, beside this file, gives it the flags."""

import os
import pathlib
import shutil
import subprocess
import tempfile

from . import _settings
from ._error import Error
from ._hipsight import ErrorKind

HERE = pathlib.Path(__file__).parent
ROCM = pathlib.Path("/opt/rocm")


def find_sdk(given=None):
    """A folder with HIP's headers and device bitcode: the package's own, else ROCm's."""
    named = _settings.text("sdk", given, "")
    for folder in [pathlib.Path(named)] if named else [HERE / "sdk", ROCM]:
        if (folder / "include/hip/hip_runtime.h").exists():
            return folder
    raise Error(ErrorKind.NotFound, "sdk", f"{named or 'HIP SDK'}: there is no include/hip/hip_runtime.h; give a "
                "folder that has it and amdgcn/bitcode, such as /opt/rocm (sdk, or HIPSIGHT_SDK)")


def find_clang(given=None):
    """clang 22, or ROCm's."""
    named = _settings.text("clang", given, "")
    for program in [named] if named else ["clang++-22", ROCM / "llvm/bin/clang++", "clang++"]:
        if found := shutil.which(program):
            return found
    raise Error(ErrorKind.NotFound, "clang", (f"{named}: no such program" if named else "no compiler for AMD GPUs") +
                ": install clang-22 and lld-22 (Debian) or ROCm, or name a clang++ (clang, or HIPSIGHT_CLANG)")


class Compiler:

    def __init__(self, sdk=None, clang=None):
        self.sdk, self.clang = find_sdk(sdk), find_clang(clang)

    def run(self, *words):
        """Runs hipcc; raises with what the compiler says."""
        self._run(["bash", str(HERE / "hipcc"), *map(str, words)])

    def link(self, library, *words):
        """A library for the host, of objects that hipcc made and C++ sources that know HIP's types."""
        self._run([self.clang, "-shared", "-fPIC", "-fvisibility=hidden", "-O2", "-D__HIP_PLATFORM_AMD__",
                   f"-I{self.sdk / 'include'}", *map(str, words), "-o", str(library), "-Wl,-z,defs", "-Wl,-Bsymbolic"])

    def _run(self, command):
        environment = dict(os.environ, HIPSIGHT_SDK=str(self.sdk), HIPSIGHT_CLANG=str(self.clang))
        environment.pop("LD_PRELOAD", None)  # the compiler is no GPU program
        done = subprocess.run(command, stdin=subprocess.DEVNULL, text=True, capture_output=True, env=environment)
        if done.returncode:
            raise Error(ErrorKind.BadCode, "source", f"{self.clang} could not compile it:\n{done.stderr.rstrip()}")

    def code_object(self, source, target, options=()):
        with tempfile.TemporaryDirectory() as folder:
            (file := pathlib.Path(folder, "source.hip")).write_text(source)
            out = pathlib.Path(folder, "source.co")
            self.run("--genco", f"--offload-arch={target}", "-std=c++20", "-gline-tables-only",
                     "--no-gpu-bundle-output", *options, file, "-o", out)
            return out.read_bytes()
