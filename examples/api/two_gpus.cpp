// Runs one kernel on two GPUs in one process; prints what it did there, and how long it would take.
//
//     two_gpus FILE      FILE: a program, bundle or code object with examples/api/triad.hip in it
#include <hipsight/hipsight.h>

#include <cstdio>
#include <vector>

namespace {

/// Runs the kernel on a GPU. False, after saying why, when it could not, or its results are wrong.
bool run(const char* name, const char* file) {
  const auto failed = [](const hipsight::Error& error) {
    std::fprintf(stderr, "%s\n", error.text.c_str());
    return false;
  };
  const auto gpu = hipsight::Gpu::open(name);
  if (!gpu) return failed(gpu.error());
  const auto module = gpu->load_file(file);
  if (!module) return failed(module.error());
  const auto triad = module->kernel("triad");
  if (!triad) return failed(triad.error());

  constexpr unsigned n = 1 << 20, block = 256;
  const auto a = gpu->allocate(n * sizeof(float)), b = gpu->allocate(n * sizeof(float));
  if (!a) return failed(a.error());
  if (!b) return failed(b.error());
  for (unsigned i = 0; i < n; ++i) b->as<float>()[i] = static_cast<float>(i % 100);

  const auto report =
      triad->launch({.grid = {n / block}, .block = {block}, .predict = true}, n, 2.0f, *a, *b);
  if (!report) return failed(report.error());
  for (unsigned i = 0; i < n; ++i)
    if (a->as<float>()[i] != 2 * static_cast<float>(i % 100)) return failed({{}, "", "wrong"});
  std::printf("%s: %llu wave-instructions, %.0f FLOP; predicted %.2f us, bound by %s\n",
              gpu->facts().title.c_str(),
              static_cast<unsigned long long>(report->counts.instructions),
              report->counts.floating_operations, 1e6 * report->prediction->seconds,
              report->prediction->bound.sentence.c_str());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return argc == 2 && run("mi300x", argv[1]) && run("rx7900xtx", argv[1]) ? 0 : 1;
}
