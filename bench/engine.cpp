// Speed of the engine on one host thread: wave-instructions a second on the sgemm example, beside
// what the host itself can do.
//   bench_engine FILE.json    (run by ./dev bench engine)

#include "engine/engine.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "code/fat_binary.h"
#include "gpus/gpu.h"
#include "support/error.h"
#include "table.h"

namespace hipsight::bench {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail("cannot read {}: build the examples first", path.string());
  std::vector<std::byte> bytes(std::filesystem::file_size(path));
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

/// The sgemm example's kernel on one GPU, with its matrices in device memory.
class Sgemm {
 public:
  Sgemm(const std::filesystem::path& program, const std::string& gpu, std::uint32_t size)
      : engine_(gpus::find(gpu), {.threads = 1}), size_(size) {
    const auto file = read_file(program);
    const auto bundles = code::find_fat_binaries(file, program.string());
    if (bundles.empty()) fail("{} holds no device code", program.string());
    const auto binary = code::FatBinary::open(bundles.front(), program.string());
    const auto& image = binary.select(code::Target::parse(engine_.gpu().target_id));
    module_ =
        engine::Module::load(code::CodeObject::read(image.elf, program.string()), engine_.memory());
    for (const auto& kernel : module_->object().kernels())
      if (kernel.name.find("sgemm") != std::string::npos) kernel_ = &kernel;
    if (!kernel_) fail("{} holds no kernel 'sgemm'", program.string());
    kernarg_.resize(kernel_->kernarg_size);
    const std::size_t bytes = std::size_t{size} * size * sizeof(float);
    for (unsigned i = 0; i < 3; ++i) put(i, size);
    for (unsigned i = 3; i < 6; ++i) {
      void* matrix = engine_.memory().allocate(bytes, engine::Memory::Kind::Device, "matrix");
      if (!matrix) fail("no memory for a matrix of {} bytes", bytes);
      auto* values = static_cast<float*>(matrix);
      for (std::size_t v = 0; v < std::size_t{size} * size; ++v)
        values[v] = static_cast<float>(v % 251) / 251.0f - 0.5f;
      put(i, matrix);
    }
  }

  /// Wave-instructions that ran, and the processor seconds they took.
  std::pair<double, double> run() {
    constexpr std::uint32_t tile = 64, threads = 256;
    const std::uint32_t groups = (size_ + tile - 1) / tile;
    const double begin = processor_seconds();
    const auto result = engine_.run({.module = module_,
                                     .kernel = kernel_,
                                     .grid = {groups * threads, groups, 1},
                                     .block = {threads, 1, 1},
                                     .kernarg = kernarg_});
    const double seconds = processor_seconds() - begin;
    double instructions = 0;
    for (const auto& count : result.counts) instructions += static_cast<double>(count.executions);
    return {instructions, seconds};
  }

 private:
  template <class T>
  void put(unsigned argument, const T& value) {
    std::memcpy(kernarg_.data() + kernel_->arguments.at(argument).offset, &value, sizeof value);
  }

  engine::Engine engine_;
  std::shared_ptr<engine::Module> module_;
  const code::Kernel* kernel_ = nullptr;
  std::vector<std::byte> kernarg_;
  std::uint32_t size_;
};

/// GFLOP/s of independent FMAs on this host's registers, at the width that the compiler chose for
/// the machine it runs on.
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] float fma_chains(int steps) {
  constexpr int chains = 96;  // fill the pipelines, and still fit into sixteen registers
  float sum[chains];
  for (int i = 0; i < chains; ++i) sum[i] = static_cast<float>(i);
  for (int s = 0; s < steps; ++s)
    for (int i = 0; i < chains; ++i) sum[i] = __builtin_fmaf(sum[i], 0.999f, 0.001f);
  float total = 0;
  for (const float value : sum) total += value;
  return total;
}
double host_gflops() {
  constexpr int steps = 200000;
  const double begin = processor_seconds();
  volatile float keep = fma_chains(steps);
  (void)keep;
  return 96.0 * 2 * steps / (processor_seconds() - begin) * 1e-9;
}
double host_copy_gb_per_s() {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  static std::vector<std::byte> from(bytes, std::byte{1}), to(bytes);
  const double begin = processor_seconds();
  std::memcpy(to.data(), from.data(), bytes);
  return 2.0 * bytes / (processor_seconds() - begin) * 1e-9;
}

int run(const std::string& json) {
  const auto build = std::filesystem::canonical("/proc/self/exe").parent_path().parent_path();
  constexpr std::uint32_t size = 512;
  std::vector<Row> rows;
  fmt::print("one thread, {} code, sgemm {}x{}x{}, best runs, processor time\n\n",
             engine::Engine::host_isa(), size, size, size);
  for (const char* gpu : {"mi210", "mi300x", "mi355x", "rx7900xtx", "rx9070xt"}) {
    Sgemm sgemm(build / "examples/sgemm", gpu, size);
    const auto [rate, flops] = best_of(25, [&] {
      const auto [instructions, seconds] = sgemm.run();
      return std::pair(instructions / seconds * 1e-9, 2.0 * size * size * size / seconds * 1e-9);
    });
    rows.push_back({.name = fmt::format("sgemm on {}", gpu),
                    .value = rate,
                    .unit = "G wave-instructions/s",
                    .floor = 0.1,
                    .aim = 0.2});
    rows.push_back({.name = fmt::format("sgemm on {}, arithmetic", gpu),
                    .value = flops,
                    .unit = "GFLOP/s",
                    .floor = none,
                    .aim = none});
  }
  rows.push_back({.name = "host, FMA in registers",
                  .value = best_of(5, host_gflops),
                  .unit = "GFLOP/s",
                  .floor = none,
                  .aim = none});
  rows.push_back({.name = "host, copy of 64 MiB, read and written",
                  .value = best_of(5, host_copy_gb_per_s),
                  .unit = "GB/s",
                  .floor = none,
                  .aim = none});
  return publish(rows, json);
}

}  // namespace
}  // namespace hipsight::bench

int main(int argc, char** argv) {
  return hipsight::bench::main_of(argc, argv, hipsight::bench::run);
}
