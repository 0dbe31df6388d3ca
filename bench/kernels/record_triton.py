"""Records how Triton's own matmul and attention run: its tutorials 03 and 06, as they stand.

    hipsight predict --gpu NAME --sampled-only --sample 1 --no-report -- \\
        build/triton-venv/bin/python record_triton.py SOURCE FOLDER CASE...

SOURCE is a checkout of triton (github.com/triton-lang/triton, branch release/3.7.x). A case is "matmul TYPE
M N K", of f16, bf16 or the GPU's own fp8, B being in memory N x K, or "attention HEAD BATCHES HEADS LENGTH", which is
in f16, or "causal" in place of "attention". Each is launched in every configuration that the kernel's autotuner would try; the recording of the one that is predicted to be quickest
comes into FOLDER, under the case's number. TRITON_CACHE_DIR is a folder for what Triton compiles.
"""

import importlib.util
import json
import os
import sys
from pathlib import Path

import torch
import triton

FAILED, NO_SUCH_CONFIGURATION = 3, 4


def load(file, end=None):
    """A tutorial as a module, what it does from the line `end` on left out."""
    cut = Path(os.environ["TRITON_CACHE_DIR"]) / f"{file.stem}.py"
    cut.write_text(file.read_text().split(end)[0] if end else file.read_text())
    spec = importlib.util.spec_from_file_location("tutorial", cut)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def choose(kernel, number, **arguments):
    """Leaves an autotuned kernel one of the configurations that it would try."""
    prune = kernel.early_config_prune
    configs = prune(kernel.configs, {}, **arguments) if prune else kernel.configs
    if number >= len(configs):
        os._exit(NO_SUCH_CONFIGURATION)
    kernel.configs = [configs[number]]


def type_of(name):
    if name == "fp8":
        fnuz = triton.runtime.driver.active.get_current_target().arch == "gfx942"
        return torch.float8_e4m3fnuz if fnuz else torch.float8_e4m3fn
    return {"f16": torch.float16, "bf16": torch.bfloat16}[name]


def matmul(source, number, name, *sizes):
    m, n, k = map(int, sizes)
    dtype = type_of(name)
    tutorial = load(source / "03-matrix-multiplication.py", "# %%\n# Unit Test")
    choose(tutorial.matmul_kernel, number)
    tutorial.matmul(torch.empty(m, k, dtype=dtype), torch.empty(n, k, dtype=dtype).T)


def attention(source, number, *sizes, causal=False):
    head, batches, heads, length = map(int, sizes)
    tutorial = load(source / "06-fused-attention.py")
    choose(tutorial._attn_fwd, number, N_CTX=length, STAGE=3 if causal else 1)
    q, k, v = (torch.empty(batches, heads, length, head, dtype=torch.float16) for _ in range(3))
    tutorial.attention(q, k, v, causal, head**-0.5, False)


def causal(*arguments):
    attention(*arguments, causal=True)


def launch(source, case, number, file):
    """In a process of its own, since a runtime records one launch: its exit status."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.environ.update(HIPSIGHT_RECORD=f"{file}.recording", HIPSIGHT_JSON=f"{file}.json")
    operation, *words = case.split()
    try:
        globals()[operation](source, number, *words)
    except ImportError:
        raise  # no configuration will do
    except Exception as error:  # too much shared memory, say
        print(f"{case}, configuration {number}: {error!r}"[:300], file=sys.stderr)
        os._exit(FAILED)
    sys.exit(0)  # the runtime writes its report


def seconds(file):
    kernels = json.loads(Path(f"{file}.json").read_text())["kernels"]
    assert len(kernels) == 1, kernels
    return kernels[0]["prediction"]["seconds"]


def main():
    source, folder, *cases = sys.argv[1:]
    source = Path(source) / "python/tutorials"
    for index, case in enumerate(cases):
        best, config = float("inf"), None
        new = Path(folder) / "new"
        number = 0
        while (status := launch(source, case, number, new)) != NO_SUCH_CONFIGURATION:
            if status not in (0, FAILED):
                sys.exit(f"{case}, configuration {number}: ended with {status}")
            if status == 0 and (time := seconds(new)) < best:
                best, config = time, number
                os.replace(f"{new}.recording", Path(folder) / str(index))
            number += 1
        print(f"{case}: {best * 1e6:.1f} us, configuration {config} of {number}", flush=True)


if __name__ == "__main__":
    os.environ.setdefault("CC", "clang-22")
    main()
