// How long an instance of the kernel library takes to compile: each kernel of its tests alone, for
// one GPU, without precompiled headers.
#include <fmt/format.h>
#include <llvm/Demangle/Demangle.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <span>

#include "code/code_object.h"
#include "code/fat_binary.h"
#include "gpus/gpu.h"
#include "kernels.h"
#include "validation/recordings.h"

namespace hipsight::bench {
namespace {

namespace fs = std::filesystem;

struct Operation {
  const char *name, *program, *header;
};
constexpr Operation operations[] = {
    {"gemm", "kernels_gemm", "gemm.h"},
    {"attention", "kernels_attention", "attention.h"},
    {"paged attention", "kernels_paged", "paged_attention.h"},
    {"rows", "kernels_rows", "rows.h"},
};

constexpr double most_seconds = 2;

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(fmt::format("there is no {}", file.string()));
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A program's kernels for a GPU, as C++ names them.
std::set<std::string> kernels_of(const fs::path& program, const gpus::Gpu& gpu) {
  const std::string bytes = contents(program);
  const auto device = code::Target::parse(gpu.target_id);
  std::set<std::string> all;
  for (const auto bundle :
       code::find_fat_binaries(std::as_bytes(std::span(bytes)), program.string())) {
    const auto binary = code::FatBinary::open(bundle, program.string());
    const auto object = code::CodeObject::read(binary.select(device).elf, binary.origin);
    for (const code::Kernel& kernel : object->kernels()) {
      const std::string name = llvm::demangle(kernel.name);
      all.insert(std::regex_replace(name, std::regex("std::bfloat16_t"), "__bf16"));
    }
  }
  return all;
}

/// Of all processes that were waited for.
double seconds_of_children() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Processor seconds that our hipcc takes.
double seconds_to_compile(const std::string& kernel, const char* header, const gpus::Gpu& gpu) {
  const fs::path source = fs::temp_directory_path() / fmt::format("hipsight.{}.hip", getpid());
  std::ofstream(source) << fmt::format(
      "#include \"hipsight/kernels/{}\"\n"
      "namespace hipsight::kernels {{\n"
      "template __global__ {};\n"
      "}}\n",
      header, kernel);
  const double before = seconds_of_children();
  const fs::path object = fs::path(source).replace_extension("o");
  run_command(fmt::format(
      "{}/hipcc -std=c++20 -O3 --offload-arch={} --offload-device-only --no-gpu-bundle-output -I{} "
      "-c {} -o {}",
      programs().parent_path().string(), gpu.processor, HIPSIGHT_KERNEL_HEADERS, source.string(),
      object.string()));
  const double seconds = seconds_of_children() - before;
  fs::remove(source);
  fs::remove(object);
  return seconds;
}

/// What is over the limit is compiled anew: who shares the processor's cores makes it seem slower.
double seconds_of_instance(const std::string& kernel, const char* header, const gpus::Gpu& gpu) {
  double best = INFINITY;
  for (int tries = 3; tries > 0 && best >= most_seconds; --tries)
    best = std::min(best, seconds_to_compile(kernel, header, gpu));
  return best;
}

/// Without namespaces, types of numbers and the kernel's arguments.
std::string short_name(const std::string& kernel) {
  const std::regex noise(
      "\\(hipsight::kernels::(Order|TileSize|RowSize|Pairing)\\)|hipsight::kernels::|^void ");
  return std::regex_replace(kernel.substr(0, kernel.rfind(">(") + 1), noise, "");
}

}  // namespace

void add_compile_times(const std::string& gpu, std::vector<Row>& rows) {
  const gpus::Gpu& known = gpus::find(gpu);
  for (const Operation& operation : operations) {
    std::vector<std::pair<double, std::string>> all;
    for (const std::string& kernel :
         kernels_of(programs().parent_path() / "bin" / operation.program, known))
      all.emplace_back(seconds_of_instance(kernel, operation.header, known), kernel);
    std::ranges::sort(all);
    rows.push_back(
        {.name = fmt::format("{}, slowest to compile: {}", gpu, short_name(all.back().second)),
         .value = all.back().first,
         .unit = "processor s",
         .high_is_better = false,
         .floor = most_seconds,
         .aim = NAN,
         .beside = {{"s, median", all[all.size() / 2].first}, {"instances", double(all.size())}}});
  }
}

}  // namespace hipsight::bench
