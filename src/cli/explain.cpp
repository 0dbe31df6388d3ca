#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "analysis/listing.h"
#include "capture/file.h"
#include "cli/commands.h"
#include "code/code_object.h"
#include "code/fat_binary.h"
#include "code/readable_name.h"
#include "gpus/gpu.h"
#include "report/render.h"
#include "session/describe.h"
#include "session/launch_rules.h"
#include "support/error.h"
#include "support/files.h"
#include "support/printable.h"

namespace hipsight::cli {
namespace {

namespace fs = std::filesystem;

/// What a name on the command line stands for.
enum class What { Program, Source, Capture, Code };

What what_is(const std::string& name) {
  constexpr std::string_view endings[]{".hip", ".cu", ".cpp", ".cc", ".cxx"};
  const fs::path path(name);
  if (std::ranges::find(endings, path.extension().string()) != std::end(endings))
    return What::Source;
  std::string why;
  const Descriptor in = open_to_read(path, why);
  Elf64_Ehdr header{};
  if (!in) return What::Program;
  const ssize_t read = pread(in.number(), &header, sizeof header, 0);
  const std::string_view begin(reinterpret_cast<const char*>(&header),
                               static_cast<std::size_t>(std::max<ssize_t>(0, read)));
  if (begin.starts_with(capture::kMagic)) return What::Capture;
  if (begin.starts_with("__CLANG_OFFLOAD_BUNDLE__") || begin.starts_with("CCOB")) return What::Code;
  const bool elf = begin.size() == sizeof header && begin.starts_with(ELFMAG);
  return elf && header.e_machine == EM_AMDGPU ? What::Code : What::Program;
}

/// Whether a source makes a program: it has a main of its own.
bool has_main(const std::string& source) {
  const auto word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = source.find("main"); at != source.npos; at = source.find("main", at + 4)) {
    const std::size_t after = source.find_first_not_of(" \t", at + 4);
    if ((at == 0 || !word(source[at - 1])) && after != source.npos && source[after] == '(')
      return true;
  }
  return false;
}

/// Compiles with lines, to a program or, for a lone kernel, a code object.
void compile(const std::string& source, const fs::path& to, const gpus::Gpu& gpu, bool program) {
  const fs::path hipcc = fs::read_symlink("/proc/self/exe").parent_path() / "rocm/bin/hipcc";
  if (!fs::exists(hipcc))
    fail("{}: there is no hipcc with this hipsight: compile it, and name the program",
         printable(source));
  const std::string processor = gpu.target_id.substr(0, gpu.target_id.find(':'));
  std::vector<std::string> words{hipcc, "--offload-arch=" + processor, "-O3", "-gline-tables-only"};
  if (!program) words.emplace_back("--genco");
  words.insert(words.end(), {source, "-o", to.string()});
  if (const int code = run_tool(words); code != 0)
    fail("{}: hipcc failed with exit code {}", printable(source), code);
}

/// Vector, scalar and other instructions in the code, however often they run.
std::string mix(const code::CodeObject& object, const code::Kernel& kernel) {
  std::map<std::string_view, unsigned> counts;
  const analysis::Listing listing = analysis::listing(object, kernel);
  for (const auto& line : listing.lines) {
    const isa::Pipe pipe = line.instruction.row->pipe;
    ++counts[isa::text(pipe)];
  }
  std::vector<std::pair<std::string_view, unsigned>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           [](const auto& one) { return one.second; });
  std::string text = fmt::format("{} instructions", listing.lines.size());
  for (const auto& [pipe, count] : sorted) text += fmt::format(", {} {}", count, pipe);
  return text + (listing.leaves ? "; functions that it calls are not counted" : "");
}

/// What the code in a file alone tells: nothing runs. `asked`: the name on the command line.
int explain_code(const RunOptions& options, const std::string& asked) {
  const Config& config = options.options.config;
  const std::string& name = options.program.front();
  const gpus::Gpu gpu = gpus::find(config.gpu, config.xnack);
  const std::vector<std::byte> bytes = read_bytes(name);
  const code::FatBinary fat = code::FatBinary::open(bytes, asked);
  const code::Image& image = fat.select(code::Target::parse(gpu.target_id));
  const auto object = code::CodeObject::read(image.elf, asked);
  fmt::print("hipsight: {} ({}, {}); nothing runs: the code alone\n", gpu.title, gpu.name,
             gpu.target_id);
  unsigned shown = 0;
  for (const code::Kernel& kernel : object->kernels()) {
    const std::string title = code::readable_name(kernel.name);
    if (!config.kernel.empty() && title.find(config.kernel) == title.npos) continue;
    ++shown;
    KernelReport report;
    report.kernel = session::describe(kernel, object.get());
    const std::uint32_t block = std::min(kernel.max_flat_workgroup_size, gpu.max_workgroup_size);
    const timing::Resources resources = session::resources_of(gpu, kernel, block, 0);
    report.occupancy = session::occupancy_facts(gpu, resources);
    report.registers = session::register_use(*object, kernel, gpu, resources).registers;
    fmt::print("\n{}\n{}  its code\n            {}\n", printable(title),
               report::resources_text(report), mix(*object, kernel));
    fmt::print("            workgroups of {}, the most that it was compiled for\n", block);
  }
  if (shown == 0)
    fail("{}: no kernel matching '{}' in it", printable(asked), printable(config.kernel));
  fmt::print(
      "\nto run one and have it predicted: hipsight explain --grid X --block Y --arg ... -- {}\n",
      printable(asked));
  return 0;
}

int explain_source(const RunOptions& options) {
  const std::string source = options.program.front();
  const gpus::Gpu gpu = gpus::find(options.options.config.gpu);
  const TemporaryFolder folder;
  const bool program = options.launcher.empty() && has_main(read_text(source));
  const fs::path made = folder / fs::path(source).stem();
  compile(source, made, gpu, program);
  RunOptions compiled = options;
  compiled.program.front() = made;
  if (!program && options.launcher.empty()) return explain_code(compiled, source);
  return run_process(compiled);
}

}  // namespace

int explain(const RunOptions& options) {
  const std::string& name = options.program.front();
  switch (what_is(name)) {
    case What::Source:
      return explain_source(options);
    case What::Capture:
      if (options.program.size() > 1) fail("explain: a capture takes no arguments");
      return replay({.file = name, .options = options.options, .dump_file = {}});
    case What::Code:
      if (options.launcher.empty()) return explain_code(options, name);
      break;
    case What::Program:
      break;
  }
  return options.also.empty() ? run(options) : run_side_by_side(options);
}

}  // namespace hipsight::cli
