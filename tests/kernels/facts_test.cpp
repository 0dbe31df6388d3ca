// What the kernels are made of and what they are predicted to take, kept in files, a line for each
// kernel: tests/kernels/facts. A change is a change of these files: HIPSIGHT_GOLDEN=renew writes
// them anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "code/code_object.h"
#include "code/fat_binary.h"

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
    {"causal", KERNELS_CAUSAL}};

/// All that a program holds, for each processor: "gfx942", ...
void for_each_kernel(const std::string& program,
                     const std::function<void(const std::string&, const code::Kernel&)>& use) {
  std::ifstream in(program, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (const auto bundle : code::find_fat_binaries(std::as_bytes(std::span(bytes)), program)) {
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

nlohmann::json report(const Program& program, const std::string& gpu) {
  const std::string file =
      fmt::format("{}hipsight_kernels_{}_{}.json", testing::TempDir(), program.name, gpu);
  // Attention branches on what it computes, so the sums are wanted.
  const std::string command = fmt::format(
      "{} predict --sampled-only --sample 4 --threads 1 --matrix fast --no-report --json {} "
      "--gpu {} -- {} "
      "--gtest_also_run_disabled_tests --gtest_filter=*EachKernel >/dev/null",
      HIPSIGHT_COMMAND, file, gpu, program.file);
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream in(file);
  return nlohmann::json::parse(in);
}

/// "_Float16, row-major times column-major, Identity, to _Float16, tiles 0" of "void
/// hipsight::kernels::gemm_kernel<...>(...)", and "RmsNorm<bfloat16_t, ...>, a wave" of a
/// row_kernel.
std::string short_name(std::string title) {
  title = std::regex_replace(title, std::regex("hipsight::kernels::|std::"), "");
  title = std::regex_replace(title, std::regex("\\((Order|TileSize|RowSize)\\)"), "");
  title = std::regex_replace(title, std::regex(", NoScales"), "");
  std::smatch parts;
  const std::regex gemm(
      "gemm_kernel<GemmProblem<(\\S+), ([01]), ([01]), ([^,]+), (.*)>, ([0-3]), (true|false), .*");
  if (std::regex_search(title, parts, gemm)) {
    const auto order = [&](int i) { return parts[i] == "0" ? "row" : "column"; };
    return fmt::format("{}, {}-major times {}-major, {}, to {}, tiles {}{}", parts[1].str(),
                       order(2), order(3), parts[5].str(), parts[4].str(), parts[6].str(),
                       parts[7] == "true" ? ", shares" : "");
  }
  title = std::regex_replace(title, std::regex("Matrix<([^<>]+(<[^<>]*>)?)( const)?, 0>"), "$1");
  const std::regex grouped(
      "grouped_gemm_kernel<GroupedGemmProblem<(.+?), ([01]), (\\S+), (.*)>, ([0-2]), "
      "GroupedArguments<.*");
  if (std::regex_search(title, parts, grouped))
    return fmt::format("{} times {}-major, {}, to {}, tiles {}", parts[1].str(),
                       parts[2] == "0" ? "row" : "column", parts[4].str(), parts[3].str(),
                       parts[5].str());
  const std::regex convolution(
      "gemm_kernel<ConvolutionProblem<(\\S+), ([01]), ([01]), \\S+, (.*?), "
      "(WindowTile<.*?, (true|false)>|GlobalTile<).*> ?>, ([0-3]), (true|false), .*");
  if (std::regex_search(title, parts, convolution)) {
    const char* what = parts[2] == "1"      ? "gradient of filters"
                       : parts[6] == "true" ? "gradient of images, strided"
                                            : "result, or gradient of images";
    return fmt::format("{}, {}, {}, tiles {}{}", what, parts[1].str(), parts[4].str(),
                       parts[7].str(), parts[8] == "true" ? ", shares" : "");
  }
  const std::regex causal("causal_convolution_kernel<CausalConvolutionWork<([^>]+), (\\d)>.*");
  if (std::regex_search(title, parts, causal))
    return fmt::format("causal convolution, {}, {} taps", parts[1].str(), parts[2].str());
  const std::regex turn("turn_filters_kernel<TurnFilters<([^>]+)>.*");
  if (std::regex_search(title, parts, turn)) return "turn filters, " + parts[1].str();
  const std::regex attention(
      "attention_kernel<AttentionWorkgroup<(\\S+, \\d+), ScoreChange<(true|false), (true|false)>>, "
      ".*");
  const auto change = [&](int i) {
    return std::string(parts[i] == "true" ? ", capped" : "") +
           (parts[i + 1] == "true" ? ", sinks" : "");
  };
  if (std::regex_search(title, parts, attention)) return parts[1].str() + change(2);
  const std::regex backward(
      "attention_backward_kernel<BackwardWorkgroup<(\\S+, \\d+), \\(Gradients\\)([0-3])>>.*");
  if (std::regex_search(title, parts, backward)) {
    constexpr const char* gradients[] = {"queries", "keys", "values", "keys and values"};
    return fmt::format("{}, gradients of {}", parts[1].str(), gradients[std::stoi(parts[2])]);
  }
  const std::regex paged(
      "paged_attention_kernel<PagedWorkgroup<(\\S+), (\\S+), (\\d+), ScoreChange<(true|false), "
      "(true|false)>>>.*");
  if (std::regex_search(title, parts, paged))
    return fmt::format("{}, cache of {}, {}{}", parts[1].str(), parts[2].str(), parts[3].str(),
                       change(4));
  const std::regex combine("combine_splits_kernel<CombineWorkgroup<(\\S+, \\d+)>>.*");
  if (std::regex_search(title, parts, combine)) return parts[1].str() + ", splits combined";
  const std::regex rope("rope_kernel<\\(Pairing\\)([01]), ([^>]+)>.*");
  if (std::regex_search(title, parts, rope))
    return fmt::format("Rope<{}, {}>", parts[1] == "0" ? "halves" : "neighbours", parts[2].str());
  const std::regex norm("norm_backward_kernel<(.*), ([0-5])>\\(.*");
  const std::regex sums("column_sums_kernel<([^>]+)>.*");
  const std::regex append("append_to_cache_kernel<([^>]+), (\\S+)>\\(.*");
  if (std::regex_search(title, parts, append))
    return fmt::format("append, {} to {}", parts[1].str(), parts[2].str());
  const std::regex moe("moe_(route|sort|combine)_kernel<([^>]+)>.*");
  if (std::regex_search(title, parts, moe))
    return fmt::format("{}, {}", parts[1].str(), parts[2].str());
  if (std::regex_search(title, parts, sums))
    return fmt::format("sums over rows, {}", parts[1].str());
  const std::regex row("row_kernel<(.*), ([0-5])>\\(.*");
  if (!std::regex_search(title, parts, norm) && !std::regex_search(title, parts, row)) return title;
  constexpr const char* teams[] = {
      "lanes", "a wave", "a workgroup", "a wide workgroup", "a large workgroup", "streamed"};
  return parts[1].str() + ", " + teams[std::stoi(parts[2])];
}

double conflicts(const nlohmann::json& kernel) {
  const auto& all = kernel.at("profile").at("all");  // a kernel need not use the LDS
  return all.contains("lds_cycles") ? all.at("lds_cycles").at("conflicts").get<double>() : 0;
}

std::string facts(const nlohmann::json& kernel) {
  const auto& used = kernel.at("resources");
  return fmt::format(
      "{}: {} VGPRs, {} spilled, scratch {} B, LDS {} B, {} waves a SIMD, {} instructions, {} of "
      "them "
      "matrix, {} LDS, {} vector; {} cycles of bank conflicts; predicted {} cycles, bound by {}\n",
      short_name(kernel.at("title")), used.at("vgprs").dump(), used.at("vgpr_spills").dump(),
      used.at("scratch_bytes").dump(), used.at("lds_bytes").dump(),
      kernel.at("occupancy").at("waves_per_simd").get<double>(),
      kernel.at("instructions").at("all").dump(), kernel.at("instructions").at("matrix").dump(),
      kernel.at("instructions").at("lds").dump(), kernel.at("instructions").at("vector").dump(),
      conflicts(kernel), std::lround(kernel.at("prediction").at("cycles").get<double>()),
      kernel.at("prediction").at("bound").get<std::string>());
}

/// Lines by their text: reports have kernels in an order that depends on how long they take.
std::string in_order(const std::string& text) {
  std::istringstream in(text);
  std::multiset<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.insert(line + "\n");
  std::string all;
  for (const std::string& line : lines) all += line;
  return all;
}

struct Gpu {
  const char *name, *processor;
};
constexpr Gpu gpus[] = {{"mi210", "gfx90a"},
                        {"mi300x", "gfx942"},
                        {"mi355x", "gfx950"},
                        {"rx7900xtx", "gfx1100"},
                        {"rx9070xt", "gfx1201"}};

using Case = std::tuple<Program, Gpu>;
class Facts : public testing::TestWithParam<Case> {};

TEST_P(Facts, AreThoseOfTheFile) {
  const auto& [program, gpu] = GetParam();
  const nlohmann::json kernels = report(program, gpu.name).at("kernels");
  // In the place of tiny tiles other GPUs have small ones.
  const std::string processor = gpu.processor;
  const bool has_all =
      program.name != std::string("gemm") || processor == "gfx942" || processor == "gfx950";
  EXPECT_EQ(kernels.size(), kernels_in(program.file)[processor] - !has_all)
      << "not all that are built are run";
  std::string now;
  for (const auto& kernel : kernels) {
    EXPECT_EQ(kernel.at("resources").at("vgpr_spills"), 0) << short_name(kernel.at("title"));
    now += facts(kernel);
  }
  now = in_order(now);
  const std::string file = fmt::format("{}/{}/{}.txt", KERNELS_FACTS, program.name, gpu.name);
  const char* renew = std::getenv("HIPSIGHT_GOLDEN");
  if (renew && std::string(renew) == "renew") std::ofstream(file) << now;
  std::ifstream in(file);
  std::stringstream kept;
  kept << in.rdbuf();
  EXPECT_EQ(now, in_order(kept.str())) << file << ": HIPSIGHT_GOLDEN=renew writes it anew";
}

/// Nor do those of ./dev kernels.
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

/// For each of five GPUs, all that is built. More would take CI too long: it is for ./dev kernels.
TEST(Instances, AreAHundredAndTwentyAGpuAtTheMost) {
  std::vector<const char*> files{KERNELS_STRIX_HALO};
  for (const Program& program : programs) files.push_back(program.file);
  std::size_t all = 0;
  for (const char* file : files)
    for (const auto& [processor, kernels] : kernels_in(file)) all += kernels;
  EXPECT_GT(all, 0u);
  EXPECT_LE(all, 120 * std::size(gpus));
}

INSTANTIATE_TEST_SUITE_P(Kernels, Facts,
                         testing::Combine(testing::ValuesIn(programs), testing::ValuesIn(gpus)),
                         [](const auto& test) {
                           return fmt::format("{}_{}", std::get<Program>(test.param).name,
                                              std::get<Gpu>(test.param).name);
                         });

}  // namespace
}  // namespace hipsight
