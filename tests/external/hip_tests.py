#!/usr/bin/env python3
"""Builds and runs AMD's hip-tests, the unit tests of HIP's API, on an emulated GPU.

    tests/external/hip_tests.py --source DIR [--headers HIP CLR] [--gpu NAME] [--only REGEX] [--case REGEX]

DIR is a clone of github.com/ROCm/hip-tests. HIP and CLR are clones of github.com/ROCm/HIP and
github.com/ROCm/clr at the tag of the same ROCm, for their headers; without --headers they are those of
build/sdk/hip5 (HIP 5.7, for which hip-tests has the tag rocm-5.7.1).

The programs are built as the suite's own CMake files say, in build/external/hip-tests, by build/hipcc for
one GPU. A file that does not compile is named and left out. Every case runs in a process of its own. What
the suite's configuration disables for that GPU is not run, except with --disabled. Prints a line for each
program, and what failed; the text of a failed case is in build/external/hip-tests/failed.
"""

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from programs import ROOT, run

WORK = ROOT / "build/external/hip-tests"
ROCM = WORK / "rocm"  # what the suite takes for an installed ROCm
SKIPPED = {
    "texture": "images", "surface": "images", "gl_interop": "graphics", "vulkan_interop": "graphics",
}
TARGETS = {"mi210": "gfx90a", "mi300x": "gfx942", "mi355x": "gfx950", "rx7900xtx": "gfx1100", "rx9070xt": "gfx1201"}

# The suite's compiler. What most of a file's time goes to, HIP's headers and Catch, is compiled once for
# the device and once for the host. A file that defines something before its first #include cannot use it.
HIPCC = r"""#!/usr/bin/env bash
declare -A value
for ((i = 1; i < $#; ++i)); do
  j=$((i + 1)) value[${!i}]=${!j}
done
source=${value[-c]:-} object=${value[-o]:-}
compile=("@HIPCC@" "$@" -w)
[[ -n $source && " $* " != *" --genco "* ]] || exec "${compile[@]}"
shared() {
  [[ " $* " != *rdc* && $source == *.cc ]] && grep -m1 '^ *#' "$source" | grep -q include || return
  "${compile[@]}" -include-pch @WORK@/device.pch --cuda-device-only -o "$object.hipfb" &&
    "${compile[@]}" -include-pch @WORK@/host.pch --cuda-host-only -Xclang -fcuda-include-gpubinary \
      -Xclang "$object.hipfb"
}
rm -f "$object.failed"
shared "$@" 2>/dev/null || "${compile[@]}" || {
  echo "$source" >"$object.failed"
  "@HIPCC@" -c -x c++ /dev/null -o "$object"
}
"""


def make_rocm(headers):
    """Lays out what the suite expects of ROCm, and says which version of HIP it is."""
    for folder in ("bin", "llvm/bin", "include", "share/hip"):
        (ROCM / folder).mkdir(parents=True, exist_ok=True)
    sdk = Path(os.environ.get("HIPSIGHT_SDK", ROOT / "build/sdk/hip5"))
    link(ROCM / "amdgcn", sdk / "amdgcn")
    link(ROCM / "lib", ROOT / "build/lib")
    link(ROCM / "llvm/bin/clang-cpp", shutil.which("clang-cpp-22"))
    if headers:
        hip, clr = headers
        for include in (hip / "include", clr / "hipamd/include"):
            shutil.copytree(include, ROCM / "include", dirs_exist_ok=True)
        numbers = re.findall(r"^\d+$", (hip / "VERSION").read_text(), re.M)
        names = ("HIP_VERSION_MAJOR", "HIP_VERSION_MINOR", "HIP_VERSION_PATCH")
        (ROCM / "share/hip/version").write_text("".join(f"{n}={v}\n" for n, v in zip(names, numbers)))
        (ROCM / "include/hip/hip_version.h").write_text(
            "#pragma once\n" + "".join(f"#define {n} {v}\n" for n, v in zip(names, numbers))
            + "#define HIP_VERSION (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)\n"
            + "#define HIP_VERSION_GITHASH \"\"\n#define __HIP_HAS_GET_PCH 1\n")
    else:
        shutil.copytree(sdk / "include", ROCM / "include", dirs_exist_ok=True)
        shutil.copytree(sdk / "share", ROCM / "share", dirs_exist_ok=True)
    version = dict(re.findall(r"^HIP_VERSION_(\w+)=(\d+)", (ROCM / "share/hip/version").read_text(), re.M))
    script(ROCM / "bin/hipconfig", f"#!/bin/sh\necho {version['MAJOR']}.{version['MINOR']}.{version['PATCH']}-0\n")
    script(ROCM / "bin/hipcc", HIPCC.replace("@HIPCC@", str(ROOT / "build/hipcc")).replace("@WORK@", str(WORK)))


def link(at, to):
    at.unlink(missing_ok=True)
    at.symlink_to(to)


def script(path, text):
    path.write_text(text)
    path.chmod(0o755)


def configure(source, target):
    """CMake, and the precompiled headers."""
    settings = {
        "HIP_PLATFORM": "amd", "HIP_PATH": ROCM, "ROCM_PATH": ROCM, "OFFLOAD_ARCH_STR": f"--offload-arch={target}",
        "BUILD_SHARED_LIBS": "ON",  # else it wants two libraries of ROCm's that it does not use
        "CMAKE_CXX_FLAGS": "-O1",
    }
    subprocess.run(["cmake", "-G", "Ninja", "-S", source / "catch", "-B", WORK / "build",
                    *(f"-D{name}={value}" for name, value in settings.items())],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    catch = source / "catch"
    common = WORK / "common.hh"
    common.write_text("#include <hip_test_common.hh>\n")
    for side in ("device", "host"):
        subprocess.run(
            [ROOT / "build/hipcc", "-std=c++17", "-O1", f"--offload-arch={target}", "-w", "-Wno-deprecated",
             f'-DKERNELS_PATH="{catch}/kernels/"', *(f"-I{catch / f}" for f in
             ("external/Catch2", "include", "kernels", "external/picojson")), f"--cuda-{side}-only",
             "--no-gpu-bundle-output", "-fsyntax-only", "-x", "hip", common,
             "-Xclang", "-emit-pch", "-Xclang", "-o", "-Xclang", WORK / f"{side}.pch"], check=True)


def programs_of(folder):
    """The names of a folder's test programs, and of all that its CMake file can build."""
    text = re.sub(r"#.*", "", (folder / "CMakeLists.txt").read_text())
    tests = re.findall(r"hip_add_exe_to_target\(\s*NAME\s+(\w+)", text)
    others = re.findall(r"(?:add_executable|add_custom_target|add_library)\(\s*([\w.]+)", text)
    return list(dict.fromkeys(tests)), others


def build(targets, jobs):
    """Builds what CMake knows of these, and returns all that it knows."""
    known = subprocess.run(["ninja", "-C", WORK / "build", "-t", "targets", "all"],
                           capture_output=True, text=True, check=True).stdout
    known = set(re.findall(r"^([^:\s/]+): phony", known, re.M))
    done = subprocess.run(["ninja", "-C", WORK / "build", "-k0", f"-j{jobs}", *(t for t in targets if t in known)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    (WORK / "build.log").write_text(done.stdout)
    return known


def disabled_cases(target):
    """A pattern of the cases that the suite's configuration disables for this GPU."""
    file = WORK / f"build/catch_tests/hipTestMain/config/config_amd_linux_{target}.json"
    if not file.is_file():
        return re.compile("$.")
    names = json.loads(file.read_text())["DisabledTests"]
    return re.compile("|".join(re.escape(name).replace(r"\*", ".*") for name in names))


def run_case(program, case, options):
    """What became of one case, and its text."""
    name = re.sub(r"([,\[\]])", r"\\\1", case)
    code, text = run([program, name], options.gpu, options.seconds, program.parent, HIPSIGHT_GPUS=str(options.gpus))
    if code is None:
        return "time", text
    if code == 0:
        return "skipped" if "HIP_SKIP_THIS_TEST" in text else "passed", text
    return "failed", text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--headers", type=Path, nargs=2, metavar=("HIP", "CLR"))
    parser.add_argument("--gpu", default="mi300x", choices=TARGETS)
    parser.add_argument("--gpus", type=int, default=2, help="how many of them (2)")
    parser.add_argument("--only", default="", metavar="REGEX", help="of FOLDER/PROGRAM, to build and run")
    parser.add_argument("--case", default="", metavar="REGEX", help="of the cases to run")
    parser.add_argument("--seconds", type=float, default=60, help="for each case (60)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of the build")
    parser.add_argument("--disabled", action="store_true", help="run what AMD disables, too")
    options = parser.parse_args()
    source = options.source.resolve()
    target = TARGETS[options.gpu]
    fresh = not (WORK / "build/build.ninja").is_file()
    if fresh:
        make_rocm(options.headers)
    os.environ["HIPSIGHT_SDK"] = str(ROCM)  # whose headers build/hipcc takes from here on
    if fresh:
        configure(source, target)
    disabled = re.compile("$.") if options.disabled else disabled_cases(target)
    sums = collections.Counter()
    (WORK / "failed").mkdir(exist_ok=True)
    print(f"{'program':40} {'passed':>7} {'failed':>7} {'time':>7} {'skipped':>7} {'disabled':>8}")
    for folder in sorted(f for f in (source / "catch/unit").iterdir() if (f / "CMakeLists.txt").is_file()):
        tests, others = programs_of(folder)
        tests = [t for t in tests if re.search(options.only, f"{folder.name}/{t}")]
        if not tests:
            continue
        if why := SKIPPED.get(folder.name):
            print(f"{folder.name:40} not run: {why}")
            continue
        known = build(tests + others, options.jobs)
        for test in tests:
            if test not in known:
                print(f"{folder.name + '/' + test:40} not run: CMake leaves it out")
                continue
            program = WORK / "build/catch_tests/unit" / folder.name / test
            if not program.is_file():
                print(f"{folder.name + '/' + test:40} does not build, see {WORK.relative_to(ROOT)}/build.log")
                sums["programs that do not build"] += 1
                continue
            listed = run([program, "--list-test-names-only"], options.gpu, options.seconds, program.parent)[1].splitlines()
            counts, failures = collections.Counter(), []
            for case in filter(None, map(str.strip, listed)):
                if not re.search(options.case, case):
                    continue
                if disabled.fullmatch(case):
                    counts["disabled"] += 1
                    continue
                what, text = run_case(program, case, options)
                counts[what] += 1
                if what in ("failed", "time"):
                    failures.append(f"  {what}: {case}")
                    (WORK / "failed" / re.sub(r"\W+", "_", case)).write_text(text)
            columns = " ".join(f"{counts[what]:7}" for what in ("passed", "failed", "time", "skipped"))
            print(f"{folder.name + '/' + test:40} {columns} {counts['disabled']:8}", *failures, sep="\n", flush=True)
            sums += counts
    for note in sorted((WORK / "build").rglob("*.failed")):
        print("does not compile:", Path(note.read_text().strip()).relative_to(source))
    ran = sums["passed"] + sums["failed"]
    print(", ".join(f"{count} {what}" for what, count in sums.items()))
    print(f"{100 * sums['passed'] / max(ran, 1):.1f} % of the {ran} cases that came to an end passed")
    return sums["failed"] != 0


if __name__ == "__main__":
    sys.exit(main())
