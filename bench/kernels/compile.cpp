// How long the kernel library takes to compile, for one GPU, without precompiled headers: each
// kernel of its tests alone, and files of one call each, for the host, too.
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
    {"grouped gemm", "kernels_grouped", "grouped_gemm.h"},
    {"attention", "kernels_attention", "attention.h"},
    {"gradients of attention", "kernels_backward", "attention_backward.h"},
    {"paged attention", "kernels_paged", "paged_attention.h"},
    {"rows", "kernels_rows", "rows.h"},
};

constexpr double most_seconds = 2;

/// What a file has beside its header: a call of an operation, with all kernels that it may start.
struct Call {
  const char *name, *header, *source;
};
constexpr Call calls[] = {
    {"an empty file", nullptr, ""},
    {"gemm()", "gemm.h",
     "Status call(RowMajor<const bf16> a, ColumnMajor<const bf16> b, RowMajor<bf16> c,\n"
     "            const float* bias) {\n"
     "  return gemm(nullptr, a, b, c, Bias(bias) | Gelu{});\n"
     "}\n"},
    {"gemm() with a workspace", "gemm.h",
     "Status call(RowMajor<const bf16> a, ColumnMajor<const bf16> b, RowMajor<bf16> c,\n"
     "            const float* bias, Workspace lent) {\n"
     "  return gemm(nullptr, a, b, c, Bias(bias) | Gelu{}, 1, lent);\n"
     "}\n"},
    {"gemm<large>()", "gemm.h",
     "Status call(RowMajor<const bf16> a, ColumnMajor<const bf16> b, RowMajor<bf16> c,\n"
     "            const float* bias) {\n"
     "  return gemm<TileSize::large>(nullptr, a, b, c, Bias(bias) | Gelu{});\n"
     "}\n"},
    {"gemm<small, tiny>() with a workspace", "gemm.h",
     "Status call(RowMajor<const bf16> a, ColumnMajor<const bf16> b, RowMajor<bf16> c,\n"
     "            const float* bias, Workspace lent) {\n"
     "  return gemm<TileSize::small, TileSize::tiny>(nullptr, a, b, c, Bias(bias) | Gelu{}, 1, "
     "lent);\n"
     "}\n"},
    {"grouped_gemm()", "grouped_gemm.h",
     "Status call(RowMajor<const bf16> a, ColumnMajor<const bf16> b, RowMajor<bf16> c,\n"
     "            RowGroups groups) {\n"
     "  return grouped_gemm(nullptr, a, b, c, groups);\n"
     "}\n"},
    {"attention()", "attention.h",
     "Status call(Sequences<const bf16, 128> q, Sequences<const bf16, 128> k,\n"
     "            Sequences<bf16, 128> o) {\n"
     "  return attention(nullptr, q, k, k, o);\n"
     "}\n"},
    {"paged_attention()", "paged_attention.h",
     "Status call(Sequences<const bf16, 128> q, PagedCache<bf16, 128> cache,\n"
     "            Sequences<bf16, 128> o) {\n"
     "  return paged_attention(nullptr, q, cache, o);\n"
     "}\n"},
    {"rms_norm()", "rows.h",
     "Status call(RowMajor<const bf16> x, const bf16* weight, RowMajor<bf16> y) {\n"
     "  return rms_norm(nullptr, x, weight, y, 1e-6f);\n"
     "}\n"},
};

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

/// Processor seconds that our hipcc takes for a source.
double seconds_to_compile(const std::string& text, const gpus::Gpu& gpu, const char* options) {
  const fs::path source = fs::temp_directory_path() / fmt::format("hipsight.{}.hip", getpid());
  std::ofstream(source) << text;
  const double before = seconds_of_children();
  const fs::path object = fs::path(source).replace_extension("o");
  run_command(fmt::format("{}/hipcc -std=c++20 -O3 --offload-arch={} {} -I{} -c {} -o {}",
                          programs().parent_path().string(), gpu.processor, options,
                          HIPSIGHT_KERNEL_HEADERS, source.string(), object.string()));
  const double seconds = seconds_of_children() - before;
  fs::remove(source);
  fs::remove(object);
  return seconds;
}

/// What the library's namespace has in a file of one of its headers.
std::string file_of(const char* header, const std::string& text) {
  return fmt::format(
      "#include \"hipsight/kernels/{}\"\n"
      "namespace hipsight::kernels {{\n"
      "{}\n"
      "}}\n",
      header, text);
}

/// What is over the limit is compiled anew: who shares the processor's cores makes it seem slower.
double seconds_of_instance(const std::string& kernel, const char* header, const gpus::Gpu& gpu) {
  const std::string text = file_of(header, fmt::format("template __global__ {};", kernel));
  double best = INFINITY;
  for (int tries = 3; tries > 0 && best >= most_seconds; --tries)
    best = std::min(best,
                    seconds_to_compile(text, gpu, "--offload-device-only --no-gpu-bundle-output"));
  return best;
}

double seconds_of_call(const Call& call, const gpus::Gpu& gpu) {
  const std::string text = call.header ? file_of(call.header, call.source) : "";
  double best = INFINITY;
  for (int tries = 3; tries > 0; --tries) best = std::min(best, seconds_to_compile(text, gpu, ""));
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
  for (const Call& call : calls)
    rows.push_back({.name = fmt::format("{}, to compile: {}", gpu, call.name),
                    .value = seconds_of_call(call, known),
                    .unit = "processor s",
                    .high_is_better = false,
                    .floor = NAN,
                    .aim = NAN,
                    .beside = {}});
}

}  // namespace hipsight::bench
