#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "beside.h"
#include "kernels.h"
#include "validation/recordings.h"

namespace hipsight::bench {
namespace {

namespace fs = std::filesystem;
const fs::path folder = HIPSIGHT_KERNEL_BENCH;

const std::set<std::string> triton_gpus{"mi210", "mi300x", "mi355x", "rx7900xtx", "rx9070xt"};

struct Case {
  std::string operation;  ///< as the bench tells it
  std::string shape;
  std::string theirs;  ///< for record_triton.py
  std::string ours;
  int sample = 1;  ///< workgroups to observe of theirs: more than one where they differ
  std::string observed = "--sample 1";  ///< of ours
};

bool multiplies_fp8(const std::string& gpu) {
  return !std::isnan(matrix_rate(gpus::find(gpu), "fp8"));
}

std::vector<Case> cases(const std::string& gpu) {
  struct Shape {
    int m, n, k;
  };
  constexpr Shape shapes[] = {
      {1024, 1024, 1024}, {2048, 2048, 2048},  {4096, 4096, 4096},
      {8192, 8192, 8192}, {2048, 28672, 4096},  // Llama-3 8B, gate up
      {16, 28672, 4096},  {16, 7168, 16384},    // DeepSeek-V3, o
  };
  std::vector<Case> all;
  for (const std::string type : {"f16", "bf16", "fp8"}) {
    if (type == "fp8" && !multiplies_fp8(gpu)) continue;
    for (const auto& [m, n, k] : shapes) {
      const std::string what = fmt::format("{} {} {} {}", type, m, n, k);
      all.push_back({fmt::format("matmul{} in {}", m == 16 ? " of 16 rows" : "", type),
                     fmt::format("{} x {} x {}", m, n, k), "matmul " + what,
                     "kernels_gemm_launch " + what, 1, observed_of_gemm(m, n)});
    }
  }
  // 16 heads, 16,384 queries in all.
  constexpr std::pair<int, int> attentions[] = {{128, 1024}, {128, 4096}, {128, 16384}, {64, 4096}};
  for (const auto& [head, length] : attentions) {
    const std::string shape = fmt::format("{} keys, heads of {}", length, head),
                      what = fmt::format("{} {} 16 {}", head, 16384 / length, length);
    all.push_back(
        {"attention in f16", shape, "attention " + what, "kernels_attention_launch f16 " + what});
    if (length == 4096)
      all.push_back({"causal attention in f16", shape, "causal " + what,
                     "kernels_attention_launch --causal f16 " + what, 64, "--sample 64"});
  }
  return all;
}

fs::path file_of(const std::string& gpu) {
  return folder / "triton" / (gpu + ".zst");
}

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream bytes;
  if (!(bytes << in.rdbuf())) throw std::runtime_error("cannot read " + file.string());
  return bytes.str();
}

/// What is recorded of a GPU: cases and their recordings, which lie in the file in turn.
std::map<std::string, std::string> recorded(const std::string& gpu) {
  std::map<std::string, std::string> known;
  if (!fs::exists(file_of(gpu))) return known;
  const std::vector<std::string> packed = unpack(file_of(gpu));
  for (std::size_t i = 0; i + 1 < packed.size(); i += 2) known[packed[i]] = packed[i + 1];
  return known;
}

void write(const std::string& gpu, const std::map<std::string, std::string>& known) {
  std::vector<std::string> all;
  for (const auto& [theirs, recording] : known) all.insert(all.end(), {theirs, recording});
  pack(file_of(gpu), all);
}

}  // namespace

void record_triton(const std::string& source, const std::string& gpu) {
  if (!triton_gpus.contains(gpu)) return;
  const fs::path build = programs().parent_path(), work = build / "bench/triton" / gpu;
  fs::create_directories(work);
  auto known = recorded(gpu);
  for (const Case& one : cases(gpu)) {
    if (known.contains(one.theirs)) continue;
    fs::remove(work / "0");
    run_command(fmt::format(
        "TRITON_CACHE_DIR={0} {1}/hipsight predict --gpu {2} --sampled-only --sample {3} "
        "--no-report -- {1}/triton-venv/bin/python {4}/record_triton.py {5} {0} '{6}'",
        work.string(), build.string(), gpu, one.sample, folder.string(), source, one.theirs));
    known[one.theirs] = contents(work / "0");
    write(gpu, known);  // one by one, as each takes minutes
  }
}

std::vector<Contest> triton_contests(const std::string& gpu) {
  if (!triton_gpus.contains(gpu)) return {};
  const auto known = recorded(gpu);
  std::vector<Contest> contests;
  std::vector<std::string> recordings;
  for (const Case& one : cases(gpu)) {
    const auto found = known.find(one.theirs);
    if (found == known.end()) {
      fmt::print("{}: no recording of Triton's '{}'\n", gpu, one.theirs);
      continue;
    }
    contests.push_back({.gpu = gpu,
                        .against = "Triton, " + one.operation,
                        .shape = one.shape,
                        .ours = one.ours,
                        .observed = one.observed,
                        .theirs = {}});
    recordings.push_back(found->second);
  }
  oneapi::tbb::parallel_for(std::size_t{0}, contests.size(),
                            [&](std::size_t i) { contests[i].theirs = forecast({recordings[i]}); });
  return contests;
}

}  // namespace hipsight::bench
