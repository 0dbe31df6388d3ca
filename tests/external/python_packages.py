#!/usr/bin/env python3
"""Runs Python packages that bring machine code or kernels for AMD GPUs on emulated ones, against the CPU.

    tests/external/python_packages.py --python VENV/bin/python --headers DIR [--gpu NAME]... [PATTERN...]

VENV has pytest and those of these packages that are to be tried, from the package index (figures in docs/ are of these
versions): cupy-rocm-7-0 14.2.0, hip-python 10.0.0.0.1.2, openmm and openmm-hip-6 8.6.1, cyllama-rocm 0.2.18 (llama.cpp)
with gguf 0.19.0, pennylane-lightning-amdgpu 0.45.0 (Kokkos), mojolearn 0.8.62 (Mojo). DIR holds rocThrust's, rocPRIM's
and hipCUB's headers, which CuPy compiles with; it is filled from Debian's experimental when it is empty (./dev unpack).
ROCm's libraries that a package is linked with are stood in for by ones whose functions give errors
(absent_libraries.py). PATTERNs, regular expressions, choose among the cases. Each case has its own time; a run that is
started again goes on where it ended (--fresh: from the beginning).
"""

import argparse
import ctypes
import importlib.util
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from absent_libraries import stand_in
from programs import ROOT

FOLDER = ROOT / "build/external/packages"


# CuPy: what its own kernels and rocThrust's do, against NumPy -------------------------------------------------------

CUPY = {
    "arithmetic": lambda xp, a, i: (a + 2) * a / 3 - a ** 2,
    "transcendental": lambda xp, a, i: xp.sin(a) + xp.exp(-abs(a)) + xp.log1p(abs(a)) + xp.tanh(a),
    "integers": lambda xp, a, i: (i * 7 % 13) ^ (i >> 2) | (i & 5),
    "complex": lambda xp, a, i: abs(xp.exp(1j * a) * (a + 2j)),
    "half": lambda xp, a, i: (a.astype(xp.float16) * 2 + 1).astype(xp.float32),
    "casts": lambda xp, a, i: (a * 100).astype(xp.int8).astype(xp.float64),
    "broadcast": lambda xp, a, i: a[:40, None] * a[None, :50],
    "sum": lambda xp, a, i: xp.stack([a.sum(), a.mean(), a.std(), a.var()]),
    "sum_of_axis": lambda xp, a, i: a[:1000].reshape(10, 20, 5).sum(axis=1),
    "min_max": lambda xp, a, i: xp.stack([a.min(), a.max(), xp.ptp(a)]),
    "argmax": lambda xp, a, i: xp.stack([a.argmax(), a.argmin()]),
    "any_all": lambda xp, a, i: xp.stack([(a > 2).any(), (a > -9).all()]),
    "sort": lambda xp, a, i: xp.sort(a),
    "argsort": lambda xp, a, i: a[xp.argsort(a)],
    "lexsort": lambda xp, a, i: xp.lexsort(xp.stack([a, i % 3])),
    "scan": lambda xp, a, i: xp.cumsum(i),
    "product_scan": lambda xp, a, i: xp.cumprod(1 + a[:50] / 100),
    "where": lambda xp, a, i: xp.where(a > 0, a, -1),
    "nonzero": lambda xp, a, i: xp.nonzero(i % 3 == 0)[0],
    "gather": lambda xp, a, i: a[i % 77],
    "scatter": lambda xp, a, i: scattered(xp, a, i),
    "unique": lambda xp, a, i: xp.unique(i % 37),
    "histogram": lambda xp, a, i: xp.histogram(a, 20, (-3, 3))[0],
    "bincount": lambda xp, a, i: xp.bincount(i % 50),
    "searchsorted": lambda xp, a, i: xp.searchsorted(xp.sort(a), a[:100]),
    "percentile": lambda xp, a, i: xp.percentile(a, [5, 50, 95]),
    "matmul_of_integers": lambda xp, a, i: i[:600].reshape(20, 30) @ i[:600].reshape(30, 20),
    "pad_roll_flip": lambda xp, a, i: xp.flip(xp.roll(xp.pad(a, 7, mode="reflect"), 5)),
    "triangles": lambda xp, a, i: xp.tril(a[:900].reshape(30, 30)) + xp.diag(a[:30]),
    "interpolation": lambda xp, a, i: xp.interp(a, xp.linspace(-3, 3, 20), xp.linspace(0, 1, 20) ** 2),
}


def scattered(xp, a, i):
    out = xp.zeros(10, a.dtype)
    xp.add.at(out, i % 10, (a * 64).round() / 64)
    return out


@pytest.mark.parametrize("group", CUPY)
def test_cupy(group):
    cupy = pytest.importorskip("cupy")
    import numpy
    random = numpy.random.default_rng(1)
    a, i = random.standard_normal(3000).astype(numpy.float32), numpy.arange(3000) * 7919 % 3001
    expected = CUPY[group](numpy, a, i)
    cupy.testing.assert_allclose(CUPY[group](cupy, cupy.asarray(a), cupy.asarray(i)), expected, rtol=2e-5, atol=2e-6)


def test_cupy_raw_kernel():
    cupy = pytest.importorskip("cupy")
    kernel = cupy.RawKernel(r"""extern "C" __global__ void f(const float* x, float* y, int n) {
        __shared__ float tile[256];
        tile[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
        __syncthreads();
        y[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x] + n;
    }""", "f")
    x = cupy.arange(1024, dtype=cupy.float32)
    y = cupy.empty_like(x)
    kernel((4,), (256,), (x, y, cupy.int32(3)))
    assert (y.get() == x.get().reshape(4, 256)[:, ::-1].reshape(-1) + 3).all()


def test_cupy_own_kernels():
    cupy = pytest.importorskip("cupy")
    x = cupy.arange(1000, dtype=cupy.float64)
    square = cupy.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")
    norm = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    assert float(square(x, x + 3).sum()) == 9000
    assert float(norm(x)) == pytest.approx(math.sqrt(sum(i * i for i in range(1000))))


def test_cupy_random_of_xorwow():
    cupy = pytest.importorskip("cupy")
    draws = cupy.random.Generator(cupy.random.XORWOW(1)).random(20000)
    assert abs(float(draws.mean()) - 0.5) < 0.02 and abs(float(draws.std()) - 12 ** -0.5) < 0.02


def test_cupy_filters():
    cupy = pytest.importorskip("cupy")
    import cupyx.scipy.ndimage
    image = cupy.arange(400, dtype=cupy.float32).reshape(20, 20) % 7
    mean = cupyx.scipy.ndimage.uniform_filter(image, 3)
    assert float(mean[5, 5]) == pytest.approx(float(image[4:7, 4:7].mean()), rel=1e-5)


# HIP Python ---------------------------------------------------------------------------------------------------------

def checked(result):
    error, *values = result if isinstance(result, tuple) else (result,)
    assert int(error) == 0, str(error)
    return values[0] if len(values) == 1 else values


def test_hip_python():
    pytest.importorskip("hip")
    import numpy
    from hip import hip, hiprtc
    properties = checked(hip.hipGetDeviceProperties(0))
    source = b"""extern "C" __global__ void scale(float* x, float by, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= by;
    }"""
    program = checked(hiprtc.hiprtcCreateProgram(source, b"scale", 0, None, None))
    checked(hiprtc.hiprtcCompileProgram(program, 1, [b"--offload-arch=" + properties.gcnArchName.encode()]))
    code = bytearray(checked(hiprtc.hiprtcGetCodeSize(program)))
    checked(hiprtc.hiprtcGetCode(program, code))
    function = checked(hip.hipModuleGetFunction(checked(hip.hipModuleLoadData(code)), b"scale"))
    x = numpy.arange(1000, dtype=numpy.float32)
    on_gpu = checked(hip.hipMalloc(x.nbytes))
    checked(hip.hipMemcpy(on_gpu, x, x.nbytes, hip.hipMemcpyKind.hipMemcpyHostToDevice))
    checked(hip.hipModuleLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, None, None,
                                      (on_gpu, ctypes.c_float(2.5), ctypes.c_int(1000))))
    back = numpy.empty_like(x)
    checked(hip.hipMemcpy(back, on_gpu, x.nbytes, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
    assert (back == x * numpy.float32(2.5)).all()


# OpenMM: energies, forces and twenty steps, against its Reference platform --------------------------------------------

@pytest.mark.parametrize("method", ["NoCutoff", "CutoffPeriodic", "PME"])
def test_openmm(method):
    openmm = pytest.importorskip("openmm")
    import numpy
    count, edge = 64, 2.4
    system, forces = openmm.System(), openmm.NonbondedForce()
    system.setDefaultPeriodicBoxVectors([edge, 0, 0], [0, edge, 0], [0, 0, edge])
    forces.setNonbondedMethod(getattr(openmm.NonbondedForce, method))
    forces.setCutoffDistance(0.9)
    bonds, angles = openmm.HarmonicBondForce(), openmm.HarmonicAngleForce()
    for i in range(count):
        system.addParticle(40)
        forces.addParticle(0.1 * (-1) ** i, 0.34, 0.99)
    for i in range(0, count - 2, 4):
        bonds.addBond(i, i + 1, 0.6, 1000)
        angles.addAngle(i, i + 1, i + 2, 3, 100)
    for force in (forces, bonds, angles):
        system.addForce(force)
    grid = numpy.stack(numpy.meshgrid(*[numpy.arange(4) * 0.6] * 3), -1).reshape(-1, 3)
    places = grid + numpy.random.default_rng(0).normal(0, 0.02, grid.shape)

    def run(platform):
        context = openmm.Context(system, openmm.VerletIntegrator(0.001), openmm.Platform.getPlatformByName(platform))
        context.setPositions(places)
        state = context.getState(getEnergy=True, getForces=True)
        context.getIntegrator().step(20)
        later = context.getState(getPositions=True)
        return (state.getPotentialEnergy()._value, state.getForces(asNumpy=True)._value,
                later.getPositions(asNumpy=True)._value)

    (energy, force, place), (energy2, force2, place2) = run("Reference"), run("HIP")
    assert energy2 == pytest.approx(energy, rel=1e-4)
    assert abs(force2 - force).max() < 1e-3 * abs(force).max()
    assert abs(place2 - place).max() < 1e-4


# llama.cpp: a small Llama of random weights, against the same wheel on the CPU ------------------------------------------

def write_model(path, kind, width=256, layers=2, heads=4, kv_heads=2, inner=512, words=256):
    import gguf
    import numpy
    random, writer = numpy.random.default_rng(1), gguf.GGUFWriter(path, "llama")
    writer.add_context_length(512)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // heads)
    writer.add_vocab_size(words)
    writer.add_tokenizer_model("no_vocab")
    kind = getattr(gguf.GGMLQuantizationType, kind)

    def add(name, *shape):
        if len(shape) == 1:
            writer.add_tensor(name, (1 + random.standard_normal(shape) / 10).astype(numpy.float32))
            return
        values = (random.standard_normal(shape) / math.sqrt(shape[1])).astype(numpy.float32)
        if name == "token_embd.weight":
            writer.add_tensor(name, values)
        else:
            writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)

    add("token_embd.weight", words, width)
    add("output_norm.weight", width)
    add("output.weight", words, width)
    small = width // heads * kv_heads
    for layer in range(layers):
        for name, *shape in (("attn_norm", width), ("ffn_norm", width), ("attn_q", width, width), ("attn_k", small, width),
                             ("attn_v", small, width), ("attn_output", width, width), ("ffn_gate", inner, width),
                             ("ffn_up", inner, width), ("ffn_down", width, inner)):
            add(f"blk.{layer}.{name}.weight", *shape)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def hidden_states(path, on_gpu, flash, batch, count=100):
    """The last layer's output for each batch's last token: what the wheel's Python part can give."""
    import numpy
    from cyllama.llama import llama_cpp
    llama_cpp.disable_logging()
    llama_cpp.ggml_backend_load_all()
    model_options, options = llama_cpp.LlamaModelParams(), llama_cpp.LlamaContextParams()
    model_options.n_gpu_layers = 99 if on_gpu else 0
    options.n_ctx, options.n_batch, options.n_ubatch, options.n_threads = 256, 128, 128, 1
    options.flash_attn_type, options.embeddings, options.pooling_type = int(flash), True, 0
    options.offload_kqv = options.op_offload = on_gpu
    context = llama_cpp.LlamaContext(llama_cpp.LlamaModel(path, model_options, False), options, False)
    words, states = [(7 * i * i + 3 * i) % 256 for i in range(count)], []
    for at in range(0, count, batch):
        context.decode(llama_cpp.llama_batch_get_one(words[at:at + batch], at))
        states.append(numpy.array(context.get_embeddings_ith(-1)))
    return numpy.array(states)


# Without flash attention several tokens at once want hipBLAS, which is not there.
@pytest.mark.parametrize("kind,flash,batch", [("F32", 0, 1), ("F16", 0, 1), ("F16", 1, 1), ("Q8_0", 0, 1), ("Q8_0", 1, 50),
                                              ("Q5_0", 1, 50), ("Q4_0", 1, 1), ("Q4_1", 0, 1)])
def test_llama(kind, flash, batch, tmp_path):
    pytest.importorskip("cyllama")
    path = str(tmp_path / "model.gguf")
    write_model(path, kind)
    expected, got = (hidden_states(path, on_gpu, flash and on_gpu, batch) for on_gpu in (False, True))
    # The CPU rounds keys and values to f16, and both round what they multiply quantized weights with, to 8 bits each.
    assert abs(got - expected).max() < (0.01 if kind.startswith("F") else 0.35)
    error = ((got - expected) ** 2).mean() / (expected ** 2).mean()
    assert error < (1e-5 if kind.startswith("F") else 4e-3)


# PennyLane on Kokkos: quantum circuits, against its simulator on the CPU ----------------------------------------------

PENNYLANE = {
    "rotations": lambda q, t: [q.RX(t * i, i) or q.RY(t, i) or q.RZ(t + i, i) for i in range(5)],
    "entangled": lambda q, t: [q.Hadamard(i) and q.CNOT([i, i + 1]) and q.CRZ(t, [i + 1, i]) for i in range(4)],
    "three_qubits": lambda q, t: [q.Hadamard(0), q.RY(t, 1), q.Toffoli([0, 1, 2]), q.CSWAP([0, 3, 4])],
    "many_qubits": lambda q, t: [q.Hadamard(i) for i in range(5)] + [q.MultiRZ(t, range(5)), q.QFT(range(5))],
    "single_excitation": lambda q, t: [q.PauliX(0), q.SingleExcitation(t, [0, 1]), q.DoubleExcitation(t, [0, 1, 2, 3])],
}


@pytest.mark.parametrize("circuit", PENNYLANE)
def test_pennylane(circuit):
    pennylane = pytest.importorskip("pennylane")

    def run(name):
        @pennylane.qnode(pennylane.device(name, wires=5), diff_method="adjoint")
        def energy(t):
            PENNYLANE[circuit](pennylane, t)
            return pennylane.expval(pennylane.PauliZ(0) @ pennylane.PauliX(1) + 0.5 * pennylane.PauliZ(3))

        @pennylane.qnode(pennylane.device(name, wires=5))
        def probabilities(t):
            PENNYLANE[circuit](pennylane, t)
            return pennylane.probs(range(5))

        t = pennylane.numpy.array(0.37, requires_grad=True)
        gradient = 0 if circuit == "many_qubits" else pennylane.grad(energy)(t)
        return [float(energy(t)), float(gradient), *probabilities(0.37)]

    assert run("lightning.amdgpu") == pytest.approx(run("lightning.qubit"), abs=1e-9)


# mojolearn: machine learning compiled by Mojo, bit for bit against the records of real GPUs in the wheel -----------------

MOJOLEARN = """rf-clf et-clf gbdt-symmetric kmeans dbscan lasso svc spectral holtwinters gemm-pinned arima gp standard-scaler
kernel-ridge gmm hdbscan bootstrap ivf x-ann-ivf-pq x-ann-tsne x-cluster-minibatch-kmeans mamba2-decode-session
training-mlp-sessions x-huber-outliers x-decomp-rsvd-rank-deficient x-metrics-classification-report multioutput-ridge
x-metrics-splitters x-neighbors-lof x-prep-robust-scaler sequence-autoarima""".split()


@pytest.mark.parametrize("lane", MOJOLEARN)
def test_mojolearn(lane):
    if os.environ["HIPSIGHT_GPU"] != "mi300x":
        pytest.skip("mojolearn has code for gfx942 alone")
    if not importlib.util.find_spec("mojolearn"):
        pytest.skip("there is no mojolearn")
    done = subprocess.run([sys.executable, "-m", "mojolearn", "verify", "--no-models", "--lanes", lane, "--fixtures", "base"],
                          capture_output=True, text=True)
    assert done.returncode == 0 and "RESULT: VERIFIED" in done.stdout, done.stdout[-1500:] + done.stderr[-500:]


def main():
    from pytest_batches import TABLE, Suite, row
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--headers", type=Path, required=True)
    parser.add_argument("--gpu", action="append", help="default: mi300x and rx7900xtx")
    parser.add_argument("--seconds", type=float, default=240, help="for one case")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("pattern", nargs="*")
    options = parser.parse_args()
    python = options.python.absolute()
    if not (options.headers / "usr/include/thrust").exists():
        subprocess.run([ROOT / "dev", "unpack", "experimental", options.headers, "librocthrust-dev", "librocprim-dev",
                        "libhipcub-dev"], check=True)
    [packages] = (python.parent.parent / "lib").glob("python*/site-packages")
    stand_in(FOLDER / "absent", [*packages.glob("cupy*"), *packages.glob("cyllama*")])
    libraries = f"{FOLDER}/absent:{os.environ.get('LD_LIBRARY_PATH', '')}"
    suite = Suite(FOLDER, ROOT / "tests/external", python, [Path(__file__).name], options.seconds,
                  LD_LIBRARY_PATH=libraries, CUPY_CACHE_DIR=str(FOLDER / "cupy"),
                  CPLUS_INCLUDE_PATH=str(options.headers.absolute() / "usr/include"))
    table = [TABLE]
    for gpu in options.gpu or ("mi300x", "rx7900xtx"):
        if options.fresh:
            suite.forget(gpu)
        cases = [case for case in suite.all_cases(gpu)
                 if not options.pattern or any(re.search(wanted, case) for wanted in options.pattern)]
        table.append(row(gpu, suite.run(gpu, cases, 1)))
    print("\n".join(table))


if __name__ == "__main__":
    main()
