"""Stands in for ROCm's libraries that a package is linked with and that are not there: each function gives an error.

So the package loads, and what does without those libraries (HIP kernels of its own) runs.
"""

import collections
import re
import subprocess

ROCM = re.compile("lib(hip|roc|rccl|MIOpen|miopen)")
FUNCTION = re.compile(r"_*(hip(blas|rand|fft|sparse|solver)|roc(blas|rand|fft|sparse|solver|tx|tracer)|nccl|miopen)")
OURS = re.compile("lib(amdhip64|hiprtc)")


def lines(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def stand_in(folder, packages):
    """Writes into `folder` a library for each that those below the `packages` want and this machine lacks."""
    wanted, functions = set(), set()  # functions: NAME or NAME@VERSION
    files = [file for package in packages for file in package.rglob("*.so*")]
    for library in files:
        if library.read_bytes()[:4] != b"\x7fELF":
            continue
        wanted |= set(re.findall(r"NEEDED.*\[(.*)\]", "\n".join(lines("readelf", "-d", library))))
        symbols = [line.split()[-1] for line in lines("nm", "-D", "--undefined-only", library)]
        functions |= {symbol for symbol in symbols if FUNCTION.match(symbol)}
    there = "\n".join(lines("/sbin/ldconfig", "-p")) + " ".join(file.name for file in files)
    folder.mkdir(parents=True, exist_ok=True)
    source, versions = folder / "absent.c", folder / "absent.map"
    names = sorted({function.split("@")[0] for function in functions})
    source.write_text("".join(f"int {name}() {{ return 1; }}\n" for name in names))
    by_version = collections.defaultdict(list)
    for function in sorted(functions):
        if "@" in function:
            name, version = function.split("@")
            by_version[version].append(name)
    versions.write_text("".join(f"{version} {{ {'; '.join(members)}; }};\n" for version, members in by_version.items()))
    for name in sorted(wanted):
        if ROCM.match(name) and not OURS.match(name) and name not in there:
            subprocess.run(["cc", "-w", "-shared", "-fPIC", f"-Wl,-soname,{name}", f"-Wl,--version-script={versions}",
                            "-o", folder / name, source], check=True)
