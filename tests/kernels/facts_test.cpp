// What the kernels are made of, kept in files, a line for each kernel: tests/kernels/facts. A
// change is a change of these files: HIPSIGHT_GOLDEN=renew writes them anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

namespace {

nlohmann::json report(const std::string& gpu) {
  const std::string file = testing::TempDir() + "hipsight_kernels_" + gpu + ".json";
  const std::string command = fmt::format(
      "{} predict --sampled-only --sample 4 --no-report --json {} --gpu {} -- {} "
      "--gtest_also_run_disabled_tests --gtest_filter=*EachKernel >/dev/null",
      HIPSIGHT_COMMAND, file, gpu, KERNELS_GEMM);
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream in(file);
  return nlohmann::json::parse(in);
}

/// "_Float16, row-major times column-major, Identity, to _Float16, tiles 0" of "void
/// hipsight::kernels::gemm_kernel<...>(...)".
std::string short_name(std::string title) {
  title = std::regex_replace(title, std::regex("hipsight::kernels::|std::"), "");
  title = std::regex_replace(title, std::regex("\\((Order|TileSize)\\)"), "");
  std::smatch parts;
  const std::regex form(
      "gemm_kernel<GemmProblem<(\\S+), ([01]), ([01]), (\\S+), (.*)>, ([012]), .*");
  if (!std::regex_search(title, parts, form)) return title;
  const auto order = [&](int i) { return parts[i] == "0" ? "row" : "column"; };
  return fmt::format("{}, {}-major times {}-major, {}, to {}, tiles {}", parts[1].str(), order(2),
                     order(3), parts[5].str(), parts[4].str(), parts[6].str());
}

std::string facts(const nlohmann::json& kernel) {
  const auto& used = kernel.at("resources");
  return fmt::format(
      "{}: {} VGPRs, {} spilled, scratch {} B, LDS {} B, {} waves a SIMD, {} instructions, {} of "
      "them "
      "matrix, {} LDS, {} vector; {} cycles of bank conflicts\n",
      short_name(kernel.at("title")), used.at("vgprs").dump(), used.at("vgpr_spills").dump(),
      used.at("scratch_bytes").dump(), used.at("lds_bytes").dump(),
      kernel.at("occupancy").at("waves_per_simd").get<double>(),
      kernel.at("instructions").at("all").dump(), kernel.at("instructions").at("matrix").dump(),
      kernel.at("instructions").at("lds").dump(), kernel.at("instructions").at("vector").dump(),
      kernel.at("profile").at("all").at("lds_cycles").at("conflicts").get<double>());
}

class Facts : public testing::TestWithParam<const char*> {};

TEST_P(Facts, AreThoseOfTheFile) {
  const nlohmann::json kernels = report(GetParam()).at("kernels");
  EXPECT_EQ(kernels.size(), 10u);
  std::string now;
  for (const auto& kernel : kernels) now += facts(kernel);
  const std::string file = std::string(KERNELS_FACTS "/") + GetParam() + ".txt";
  const char* renew = std::getenv("HIPSIGHT_GOLDEN");
  if (renew && std::string(renew) == "renew") std::ofstream(file) << now;
  std::ifstream in(file);
  std::stringstream kept;
  kept << in.rdbuf();
  EXPECT_EQ(now, kept.str()) << file << ": HIPSIGHT_GOLDEN=renew writes it anew";
}

INSTANTIATE_TEST_SUITE_P(Kernels, Facts,
                         testing::Values("mi210", "mi300x", "mi355x", "rx7900xtx", "rx9070xt"),
                         [](const auto& gpu) { return std::string(gpu.param); });

}  // namespace
