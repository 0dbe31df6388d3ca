#include <fmt/format.h>

#include <algorithm>
#include <execution>
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

const std::set<std::string> gpus{"mi300x", "mi355x", "rx7900xtx", "rx9070xt"};

struct Case {
  std::string operation;  ///< as the bench tells it
  std::string shape;
  std::string theirs;  ///< for record_triton.py
  std::string ours;
  int sample = 1;  ///< workgroups to observe of theirs: more than one where they differ
  std::string observed = "--sample 1";  ///< of ours
};

std::vector<Case> cases() {
  struct Shape {
    int m, n, k;
  };
  constexpr Shape shapes[] = {
      {1024, 1024, 1024}, {2048, 2048, 2048},  {4096, 4096, 4096},
      {8192, 8192, 8192}, {2048, 28672, 4096},  // Llama-3 8B, gate up
      {16, 28672, 4096},  {16, 7168, 16384},    // DeepSeek-V3, o
  };
  std::vector<Case> all;
  for (const auto& [m, n, k] : shapes)
    all.push_back({m == 16 ? "matmul of 16 rows" : "matmul", fmt::format("{} x {} x {}", m, n, k),
                   fmt::format("matmul {} {} {}", m, n, k),
                   fmt::format("kernels_gemm_launch f16 {} {} {}", m, n, k), 1,
                   observed_of_gemm(m, n)});
  // 16 heads, 16,384 queries in all.
  constexpr std::pair<int, int> attentions[] = {{128, 1024}, {128, 4096}, {64, 4096}};
  for (const auto& [head, length] : attentions) {
    const std::string shape = fmt::format("{} keys, heads of {}", length, head),
                      what = fmt::format("{} {} 16 {}", head, 16384 / length, length);
    all.push_back(
        {"attention", shape, "attention " + what, "kernels_attention_launch f16 " + what});
    if (length == 4096)
      all.push_back({"causal attention", shape, "causal " + what,
                     "kernels_attention_launch --causal f16 " + what, 64, "--sample 64"});
  }
  return all;
}

/// Cases and their recordings, in turn.
fs::path file_of(const std::string& gpu) {
  return folder / "triton" / (gpu + ".zst");
}

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream bytes;
  if (!(bytes << in.rdbuf())) throw std::runtime_error("cannot read " + file.string());
  return bytes.str();
}

}  // namespace

void record_triton(const std::string& source, const std::string& gpu) {
  if (!gpus.contains(gpu)) return;
  const fs::path build = programs().parent_path(), work = build / "bench/triton";
  fs::create_directories(work);
  std::vector<std::string> all;
  for (const int sample : {1, 64}) {
    std::string command = fmt::format(
        "TRITON_CACHE_DIR={0} {1}/hipsight predict --gpu {2} --sampled-only --sample {3} "
        "--no-report -- {1}/triton-venv/bin/python {4}/record_triton.py {5} {0}",
        work.string(), build.string(), gpu, sample, folder.string(), source);
    std::vector<std::string> these;
    for (const Case& one : cases())
      if (one.sample == sample) these.push_back(one.theirs);
    for (const std::string& one : these) command += fmt::format(" '{}'", one);
    run_command(command);
    for (std::size_t i = 0; i < these.size(); ++i)
      all.insert(all.end(), {these[i], contents(work / fmt::format("{}", i))});
  }
  pack(file_of(gpu), all);
}

std::vector<Contest> triton_contests(const std::string& gpu) {
  if (!gpus.contains(gpu)) return {};
  const std::vector<std::string> packed = unpack(file_of(gpu));
  std::map<std::string, std::string> known;
  for (std::size_t i = 0; i + 1 < packed.size(); i += 2) known[packed[i]] = packed[i + 1];
  std::vector<Contest> contests;
  std::vector<std::string> recordings;
  for (const Case& one : cases()) {
    const auto found = known.find(one.theirs);
    if (found == known.end()) {
      fmt::print("{}: no recording of Triton's '{}'\n", gpu, one.theirs);
      continue;
    }
    contests.push_back({.gpu = gpu,
                        .against = fmt::format("Triton, {} in f16", one.operation),
                        .shape = one.shape,
                        .ours = one.ours,
                        .observed = one.observed,
                        .theirs = {}});
    recordings.push_back(found->second);
  }
  std::transform(std::execution::par, contests.begin(), contests.end(), recordings.begin(),
                 contests.begin(), [](Contest contest, const std::string& recording) {
                   contest.theirs = forecast({recording});
                   return contest;
                 });
  return contests;
}

}  // namespace hipsight::bench
