// How many kernels there are, and that of each of them figures are recorded: kpi.json, which
// `hipsight kpi check --exact` compares with what they are now (CMakeLists.txt).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/code_object.h"
#include "code/fat_binary.h"
#include "support/files.h"

namespace hipsight {
namespace {

struct Program {
  const char *name, *file;
};
constexpr Program programs[] = {
    {"gemm", KERNELS_GEMM},           {"grouped", KERNELS_GROUPED},
    {"attention", KERNELS_ATTENTION}, {"backward", KERNELS_BACKWARD},
    {"paged", KERNELS_PAGED},         {"rows", KERNELS_ROWS},
    {"training", KERNELS_TRAINING},   {"moe", KERNELS_MOE},
    {"append", KERNELS_APPEND},       {"convolution", KERNELS_CONVOLUTION},
    {"causal", KERNELS_CAUSAL},       {"int4", KERNELS_INT4}};

/// All that a program holds, for each processor: "gfx942", ...
void for_each_kernel(const std::string& program,
                     const std::function<void(const std::string&, const code::Kernel&)>& use) {
  const std::vector<std::byte> bytes = read_bytes(program);
  for (const auto bundle : code::find_fat_binaries(bytes, program)) {
    const code::FatBinary binary = code::FatBinary::open(bundle, program);
    for (const code::Image& image : binary.images) {
      const auto object = code::CodeObject::read(image.elf, program);
      for (const code::Kernel& kernel : object->kernels()) use(image.target.processor, kernel);
    }
  }
}

/// How many there are.
std::map<std::string, std::size_t> kernels_in(const char* program) {
  std::map<std::string, std::size_t> counts;
  for_each_kernel(program,
                  [&](const std::string& processor, const code::Kernel&) { ++counts[processor]; });
  return counts;
}

struct Gpu {
  const char *name, *processor;
};
constexpr Gpu gpus[] = {{"mi210", "gfx90a"},
                        {"mi300x", "gfx942"},
                        {"mi355x", "gfx950"},
                        {"rx7900xtx", "gfx1100"},
                        {"rx9070xt", "gfx1201"}};

/// Whether the programs are built for it (HIPSIGHT_KERNEL_GPUS).
bool is_built(const Gpu& gpu) {
  return std::string_view(KERNELS_TARGETS).find(gpu.processor) != std::string_view::npos;
}

/// Of each case and GPU, the kernels that figures are recorded of.
std::map<std::pair<std::string, std::string>, std::set<std::string>> recorded() {
  std::ifstream in(KERNELS_FACTS);
  std::map<std::pair<std::string, std::string>, std::set<std::string>> all;
  const auto facts = nlohmann::json::parse(in);
  for (const auto& one : facts) {
    const std::string kernel = one.at("kernel");  // "... [the launch's shape]"
    all[{one.at("case"), one.at("gpu")}].insert(kernel.substr(0, kernel.rfind(" [")));
  }
  return all;
}

/// All that is built is launched, so that something is recorded of it.
TEST(Facts, AreRecordedOfEachKernel) {
  auto all = recorded();
  for (const Program& program : programs)
    for (const Gpu& gpu : gpus | std::views::filter(is_built)) {
      // In the place of tiny tiles other GPUs have small ones.
      const std::string processor = gpu.processor;
      const bool has_all =
          program.name != std::string("gemm") || processor == "gfx942" || processor == "gfx950";
      EXPECT_EQ((all[{program.name, gpu.name}].size()),
                kernels_in(program.file)[processor] - !has_all)
          << program.name << " on " << gpu.name;
    }
}

/// Those of ./dev kernels do not, either.
TEST(Instances, SpillNothing) {
  std::vector<std::string> files;
  for (const Program& program : programs) files.push_back(program.file);
  if (std::getenv("HIPSIGHT_EVERY_INSTANCE"))
    for (const char* operation : {"gemm", "grouped", "attention", "backward", "paged"})
      files.push_back(std::string(KERNELS_EVERY) + operation);
  for (const std::string& file : files) {
    int kernels = 0;
    for_each_kernel(file, [&](const std::string& processor, const code::Kernel& kernel) {
      EXPECT_EQ(kernel.vgpr_spills, 0u) << processor << ": " << kernel.name;
      kernels++;
    });
    EXPECT_GT(kernels, 0) << file;
  }
}

/// For each of five GPUs, all that is built, which is what is recorded, and Strix Halo's. More
/// would take CI too long: it is for ./dev kernels.
TEST(Instances, AreAHundredAndTwentyAGpuAtTheMost) {
  std::size_t all = 0;
  for (const auto& [of, kernels] : recorded()) all += kernels.size();
  for (const auto& [processor, kernels] : kernels_in(KERNELS_STRIX_HALO)) all += kernels;
  EXPECT_GT(all, 0u);
  EXPECT_LE(all, 120 * std::size(gpus));
}

}  // namespace
}  // namespace hipsight
