#!/usr/bin/env python3
"""Random kernels, compiled for the host and for GPUs, must leave the same bits, in each tier of the engine.

    tests/fuzz/kernels/fuzz_kernels.py                         # 100 kernels, everywhere
    ... --seed 7 --kernels 200 --batches 100 --some 2          # seeds 7 ... 106, each batch on 2
                                                               # pairs of target and level in turn
    ... --seed 7 --kernel 31 [--targets gfx942 --levels O0]    # that kernel again
    ... --seed 7 --kernel 31 --targets gfx942 --levels O0 --reduce   # with fewest statements

Needs a build (build/bin/run_kernels) and clang 22. Exit code 1: something differs.
"""
import argparse
import concurrent.futures
import itertools
import pathlib
import subprocess
import sys
import tempfile
import time

import generate

HERE = pathlib.Path(__file__).resolve().parent
TARGETS = {"gfx90a": "mi210", "gfx942": "mi300x", "gfx950": "mi355x", "gfx1100": "rx7900xtx",
           "gfx1201": "rx9070xt"}
WAVE64 = ["gfx1100-wave64", "gfx1201-wave64"]  # RDNA's other size of waves
LEVELS = ["O0", "O3"]
# Of calls and branches left as they are, contraction off: what the text says and nothing else.
COMMON = ["-std=c++20", "-w", "-ffp-contract=off", f"-I{HERE}"]
HOST = ["-O0", "-fPIC", "-shared", "-fno-math-errno", "-fexcess-precision=16"]


def device_flags(options, target, level):
    processor = target.split("-")[0]
    wide = processor.startswith("gfx9") or target.endswith("wave64")
    flags = ["-x", "hip", f"-{level}", f"--offload-arch={processor}", "-nogpuinc", "-nogpulib",
             "--offload-device-only", "--no-gpu-bundle-output", f"-DFUZZ_LANES={64 if wide else 32}"]
    if options.any_nan:
        flags.append("-DFUZZ_ANY_NAN")
    return flags + (["-mwavefrontsize64"] if target.endswith("wave64") else [])


class Failed(Exception):
    """clang did not compile some kernels."""


def compiled(options, kernels, flags, name, left_out=frozenset()):
    source, out = options.work / f"{name}.cpp", options.work / f"{name}.out"
    source.write_text(generate.source(kernels, left_out))
    command = [options.clang, *COMMON, *flags, str(source), "-o", str(out)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        lines = [line for line in result.stderr.splitlines() if "error:" in line or "Assertion" in line or "UNREACHABLE" in line]
        raise Failed((lines or result.stderr.splitlines() or ["clang failed"])[0])
    return out


def run(options, library, codes):
    """Lines of what differs."""
    command = [str(options.runner), *(["--tiers"] if options.any_nan else []), str(library), "all", ",".join(options.tiers)]
    for target, code in codes:
        command += [TARGETS[target.split("-")[0]], str(code)]
    result = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in result.stdout.splitlines() if line.startswith("DIFFERENT")]
    if result.returncode not in (0, 1) or (result.returncode == 1) != bool(lines):
        lines.append(f"run_kernels ended with {result.returncode}: {result.stderr.strip()[-500:]}")
    return lines


def combinations(options):
    return list(itertools.product(options.targets, options.levels))


def batch(options, seed, some):
    """Compiles and runs one batch on some pairs of target and level. Returns (kernels, runs, failures)."""
    numbers = [options.kernel] if options.kernel is not None else range(options.kernels)
    kernels = [generate.Kernel(seed, n) for n in numbers]
    skipped, codes = [], []
    library = compiled(options, kernels, HOST, f"host{seed}")
    for target, level in some:
        name = f"{target}.{level}.{seed}"
        try:
            codes.append((target, compiled(options, kernels, device_flags(options, target, level), name)))
        except Failed as problem:
            skipped.append(f"seed {seed}, {target} -{level}: not compiled: {problem}")
    failures = [f"seed {seed}: {line}" for line in run(options, library, codes)]
    if not options.keep:
        for file in [library, *(code for _, code in codes)]:
            file.unlink()
            file.with_suffix(".cpp").unlink()
    return len(kernels), len(kernels) * len(codes) * len(options.tiers), failures, skipped


def reduce(options):
    """Leaves out statements, the largest first, while the failure stays."""
    [(target, level)] = combinations(options)
    kernel = generate.Kernel(options.seed, options.kernel)

    def fails(left_out):
        try:
            library = compiled(options, [kernel], HOST, "host", left_out)
            code = compiled(options, [kernel], device_flags(options, target, level), "device", left_out)
        except Failed:
            return False
        return bool(run(options, library, [(target, code)]))

    left_out = frozenset()
    if not fails(left_out):
        sys.exit("it does not fail")

    def statements(nodes):
        for node in nodes:
            if node.number >= 0 and node.number not in left_out:
                yield node
                for _, inside in node.parts:
                    yield from statements(inside)

    def without(nodes):
        """Leaves out a run of statements together, or else each half of it."""
        nonlocal left_out
        if not nodes:
            return
        attempt = left_out | {node.number for node in nodes}
        if fails(attempt):
            left_out = attempt
        elif len(nodes) > 1:
            without(nodes[:len(nodes) // 2])
            without(nodes[len(nodes) // 2:])

    without([node for node in [*kernel.body, *kernel.tail] if node.number >= 0])
    for node in list(statements([*kernel.body, *kernel.tail])):
        without([node])
    print(kernel.text(left_out))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: text.split(",")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kernels", type=int, default=100, help="of a batch, which is compiled as one file")
    parser.add_argument("--batches", type=int, default=1, help="the seed grows by one for each")
    parser.add_argument("--kernel", type=int, help="this one alone")
    parser.add_argument("--targets", type=words, default=list(TARGETS), help=f"of {','.join([*TARGETS, *WAVE64])}")
    parser.add_argument("--levels", type=words, default=LEVELS)
    parser.add_argument("--tiers", type=words, default=["interpret", "translate"], help="interpret, auto, translate")
    parser.add_argument("--any-nan", action="store_true", help="keep NaNs and zeros as they are; compare tiers, not with the host")
    parser.add_argument("--some", type=int, help="pairs of target and level for each batch, in turn")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, help="begins no batch after this time")
    parser.add_argument("--reduce", action="store_true", help="print the kernel with what makes it fail")
    parser.add_argument("--keep", type=pathlib.Path, help="folder in which sources and code stay")
    parser.add_argument("--clang", default="clang++-22")
    parser.add_argument("--runner", type=pathlib.Path, default=HERE.parents[2] / "build/bin/run_kernels")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        options.work = options.keep or pathlib.Path(work)
        options.work.mkdir(exist_ok=True)
        if options.reduce:
            return reduce(options)
        return run_batches(options)


def run_batches(options):
    start = time.monotonic()
    pairs = combinations(options)
    some = options.some or len(pairs)

    def one(i):
        if options.seconds and time.monotonic() - start > options.seconds:
            return None
        turn = [pairs[(i * some + j) % len(pairs)] for j in range(some)]
        return batch(options, options.seed + i, turn)

    kernels = runs = failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for i, result in enumerate(pool.map(one, range(options.batches))):
            if result is None:
                continue
            count, ran, failures, skipped = result
            kernels, runs, failed = kernels + count, runs + ran, failed + len(failures)
            for line in failures + skipped:
                print(line, flush=True)
            if options.batches > 1:
                print(f"seed {options.seed + i}: {kernels} kernels, {runs} runs, {failed} failures, {time.monotonic() - start:.0f} s", flush=True)
    print(f"{kernels} kernels, {runs} runs on {len(pairs)} pairs of target and level, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
