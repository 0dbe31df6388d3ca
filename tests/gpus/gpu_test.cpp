#include "gpus/gpu.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "support/error.h"

namespace hipsight::gpus {
namespace {

std::string error_of(std::string_view text) {
  try {
    parse(text, "mine.toml");
  } catch (const Exception& error) {
    return error.what();
  }
  return "no error";
}

TEST(Gpus, the_built_in_ones_are_there) {
  std::set<std::string> names;
  for (const Gpu& gpu : all()) names.insert(gpu.name);
  for (const char* name : {"mi210", "mi250x", "mi300a", "mi300x", "mi308x", "mi325x", "mi350x",
                           "mi355x", "rx7900xtx", "strix_halo", "rx9070xt"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Gpus, every_number_has_a_source) {
  for (const Gpu& gpu : all()) {
    EXPECT_GT(gpu.facts.size(), 30u) << gpu.name;
    for (const Gpu::Fact& fact : gpu.facts)
      EXPECT_FALSE(fact.source.empty()) << gpu.name << " " << fact.key;
  }
}

// Operations per clock of the file, times compute units and clock, against the TFLOPS that AMD's
// product pages print.
TEST(Gpus, rates_give_the_published_peaks) {
  struct Peak {
    const char *gpu, *type;
    bool matrix;
    double tflops;
  };
  const Peak peaks[] = {
      {"mi210", "f64", false, 22.6},     {"mi210", "f64", true, 45.3},
      {"mi210", "f16", true, 181.0},     {"mi300x", "f64", false, 81.7},
      {"mi300x", "f64", true, 163.4},    {"mi300x", "f32", false, 163.4},
      {"mi300x", "xf32", true, 653.7},   {"mi300x", "f16", true, 1307.4},
      {"mi300x", "fp8", true, 2614.9},   {"mi300a", "f16", true, 980.6},
      {"mi300a", "f64", true, 122.6},    {"mi325x", "bf16", true, 1307.4},
      {"mi350x", "f64", false, 72.1},    {"mi350x", "f32", true, 144.2},
      {"mi355x", "f64", false, 78.6},    {"mi355x", "f64", true, 78.6},
      {"mi355x", "f32", false, 157.3},   {"mi355x", "f16", true, 2516.6},
      {"mi355x", "fp8", true, 5033.2},   {"mi355x", "fp4", true, 10066.3},
      {"rx7900xtx", "f32", false, 61.4}, {"rx7900xtx", "f16", true, 122.8},
      {"strix_halo", "f16", true, 59.4}, {"rx9070xt", "f32", false, 48.7},
      {"rx9070xt", "f16", true, 195},    {"rx9070xt", "fp8", true, 389},
  };
  for (const Peak& peak : peaks) {
    const Gpu gpu = find(peak.gpu);
    const Gpu::Rate* rate = gpu.rate(peak.type);
    ASSERT_TRUE(rate) << peak.gpu << " " << peak.type;
    const auto operations = peak.matrix ? rate->matrix : rate->vector;
    ASSERT_TRUE(operations) << peak.gpu << " " << peak.type;
    const double tflops = *operations * gpu.compute_units * gpu.clock_ghz * 1e-3;
    EXPECT_NEAR(tflops / peak.tflops, 1, 0.005) << peak.gpu << " " << peak.type;
  }
}

TEST(Gpus, registers_and_waves_are_those_of_the_instruction_set) {
  EXPECT_EQ(find("mi300x").max_threads_per_multiprocessor(), 2048u);
  EXPECT_EQ(find("rx7900xtx").max_threads_per_multiprocessor(), 2048u);
  EXPECT_EQ(find("mi300x").hip_multiprocessors(), 304u);
  EXPECT_EQ(find("rx7900xtx").hip_multiprocessors(), 48u);
  EXPECT_EQ(find("mi355x").max_lds_per_workgroup, 160u * 1024);
}

/// Traces are of the program: what goes to the L2 at once is in them.
TEST(Gpus, those_of_a_target_load_the_same_lines) {
  for (const Gpu& one : all())
    for (const Gpu& other : all())
      if (one.target_id == other.target_id)
        EXPECT_EQ(one.l1_line_bytes, other.l1_line_bytes) << one.name << " " << other.name;
}

TEST(Gpus, names_are_found_in_any_case) {
  EXPECT_EQ(find("MI300X").name, "mi300x");
}

TEST(Gpus, xnack_turns_on_what_can_be) {
  EXPECT_EQ(find("mi210", true).target_id, "gfx90a:sramecc+:xnack+");
  EXPECT_EQ(find("rx7900xtx", true).target_id, "gfx1100");
  EXPECT_EQ(find("mi210").target_id, "gfx90a:sramecc+:xnack-");
}

TEST(Gpus, an_unknown_name_lists_those_that_exist) {
  try {
    find("mi999");
    FAIL();
  } catch (const Exception& error) {
    EXPECT_NE(std::string(error.what()).find("unknown GPU 'mi999'; there are: mi210, mi250x"),
              std::string::npos)
        << error.what();
  }
}

TEST(Gpus, errors_name_file_line_and_key) {
  EXPECT_EQ(error_of("name = \"x\"\nbase = \"mi300x\"\ncompute_units = 3"),
            "mine.toml:3: compute_units: expected { value = NUMBER, source = \"TEXT\" }");
  EXPECT_EQ(error_of("name = \"x\"\nbase = \"mi300x\"\ncompute_units = { value = 3 }"),
            "mine.toml:3: compute_units: every number needs its 'source'; expected { value = "
            "NUMBER, source = \"TEXT\" }");
  EXPECT_EQ(error_of("name = \"x\"\nbase = \"mi300x\"\ncompute_unit = 3"),
            "mine.toml:3: unknown key 'compute_unit'");
  EXPECT_NE(error_of("name = \"x\"\nbase = \"mi1\"").find("mine.toml:2: base: no built-in GPU"),
            std::string::npos);
  EXPECT_NE(error_of("name = \"x\"\nbase = \"mi300x\"\nclock_ghz = { value = 0, source = \"s\" }")
                .find("mine.toml:3: clock_ghz: 0 is out of range"),
            std::string::npos);
  EXPECT_NE(error_of("name = \"x\"\nbase = \"mi300x\"\nclock_ghz = { value = nan, source = \"s\" }")
                .find("out of range"),
            std::string::npos);
  EXPECT_NE(error_of("name = \"x\"\nbase = \"mi300x\"\nxcds = { value = 1.5, source = \"s\" }")
                .find("whole number"),
            std::string::npos);
  EXPECT_NE(error_of("name = \"x\"\nbase = \"mi300x\"\n[rates.f33]\nvector = 1")
                .find("rates.f33: unknown type"),
            std::string::npos);
  EXPECT_NE(error_of("name = \"x\"\ntitle = \"X\"\ntarget_id = \"gfx942\"")
                .find("mine.toml: 'compute_units' is missing"),
            std::string::npos);
  EXPECT_NE(error_of("name = ").find("mine.toml:1: not TOML"), std::string::npos);
  EXPECT_EQ(error_of("title = \"x\""), "mine.toml: 'name' is missing");
}

TEST(Gpus, a_file_may_build_on_a_built_in_gpu) {
  const Gpu gpu = parse(
      "name = \"half\"\nbase = \"mi300x\"\ncompute_units = { value = 152, source = \"a guess\" }\n"
      "[rates.fp4]\nmatrix = { value = 8192, source = \"a wish\" }\n",
      "mine.toml");
  EXPECT_EQ(gpu.compute_units, 152u);
  EXPECT_EQ(gpu.processor, "gfx942");
  EXPECT_EQ(*gpu.rate("fp4")->matrix, 8192);
  EXPECT_EQ(*gpu.rate("f16")->matrix, *find("mi300x").rate("f16")->matrix);
  EXPECT_EQ(gpu.facts.front().source, "a guess");
}

TEST(Gpus, a_path_reads_that_file) {
  const auto file = std::filesystem::temp_directory_path() / "hipsight_gpu_test.toml";
  std::ofstream(file) << "name = \"mine\"\nbase = \"rx7900xtx\"\n";
  EXPECT_EQ(find(file.string()).name, "mine");
  std::filesystem::remove(file);
  try {
    find(file.string());
    FAIL();
  } catch (const Exception& error) {
    EXPECT_EQ(error.what(),
              "GPU file: cannot read '" + file.string() + "': No such file or directory");
  }
}

TEST(Gpus, a_path_of_a_pipe_or_a_device_is_an_error) {
  for (const char* path : {"/dev/zero", "/tmp/"}) EXPECT_THROW(find(path), Exception) << path;
  const auto pipe = std::filesystem::temp_directory_path() / "hipsight_gpu_test.pipe.toml";
  mkfifo(pipe.c_str(), 0600);
  EXPECT_THROW(find(pipe.string()), Exception);
  std::filesystem::remove(pipe);
}

// What no GPU has is refused by a sentence with the range, and what no double holds, too.
TEST(Gpus, every_number_has_a_range) {
  std::set<std::string> keys;
  for (const Gpu& gpu : all())
    for (const Gpu::Fact& fact : gpu.facts)
      if (!fact.key.starts_with("lds_phases.")) keys.insert(fact.key);
  EXPECT_GT(keys.size(), 45u);
  for (const std::string& key : keys)
    for (const char* value : {"-1", "1e+300", "-inf", "9223372036854775807", "9007199254740993",
                              "-9223372036854775808"}) {
      const auto at = key.rfind('.');
      const std::string text = "name = \"x\"\nbase = \"mi300x\"\n" +
                               (at == key.npos ? "" : "[" + key.substr(0, at) + "]\n") +
                               key.substr(at == key.npos ? 0 : at + 1) + " = { value = " + value +
                               ", source = \"s\" }";
      EXPECT_NE(error_of(text).find(key + ": " + value + " is out of range; expected "),
                std::string::npos)
          << error_of(text);
    }
}

TEST(Gpus, numbers_must_fit_together) {
  const auto error_with = [](const std::string& key, const std::string& value) {
    return error_of("name = \"x\"\nbase = \"mi300x\"\n" + key + " = { value = " + value +
                    ", source = \"s\" }");
  };
  for (const char* line : {"256", "4096", "1048576", "16"})
    EXPECT_NE(error_with("l1_line_bytes", line).find("out of range; expected 32 to 128 bytes"),
              std::string::npos);
  EXPECT_NE(error_with("l1_line_bytes", "96").find("96 is no power of two"), std::string::npos);
  EXPECT_EQ(error_with("l1_line_bytes", "64"), "no error");
  EXPECT_EQ(error_with("xcds", "305"), "mine.toml: xcds is more than compute_units");
}

}  // namespace
}  // namespace hipsight::gpus
