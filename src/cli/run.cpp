#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "cli/commands.h"
#include "gpus/gpu.h"
#include "support/error.h"
#include "support/files.h"
#include "support/output_file.h"
#include "support/printable.h"
#include "support/run_state.h"

namespace hipsight::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libamdhip64.so";

// The folder of our libamdhip64: lib/ beside the command in a build tree, ../lib when installed.
fs::path library_folder() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  const std::array<fs::path, 2> folders = {here / "lib", here.parent_path() / "lib"};
  for (const fs::path& folder : folders)
    if (fs::exists(folder / kLibrary)) return folder;
  fail("cannot find {}: looked in {} and {}", kLibrary, folders[0].string(), folders[1].string());
}

void set(const char* name, const std::string& value) {
  setenv(name, value.c_str(), 1);
}

struct Program {
  bool foreign = false;   // an ELF for another machine: execvp would hand it to the shell
  bool complete = false;  // linked statically: it loads no library
};

Program read_program(const fs::path& file) {
  Elf64_Ehdr header;
  std::string why;
  const Descriptor in = open_to_read(file, why);
  if (!in || pread(in.number(), &header, sizeof header, 0) != sizeof header ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return {};
  if (header.e_machine != EM_X86_64) return {.foreign = true};
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  const std::size_t size = segments.size() * sizeof(Elf64_Phdr);
  if (header.e_type != ET_EXEC || header.e_phentsize != sizeof(Elf64_Phdr) ||
      pread(in.number(), segments.data(), size, static_cast<off_t>(header.e_phoff)) !=
          static_cast<ssize_t>(size))
    return {};
  return {.complete = std::ranges::none_of(
              segments, [](const Elf64_Phdr& segment) { return segment.p_type == PT_INTERP; })};
}

// Takes away what earlier runs left there, in all their processes (output_of_process), and says now
// rather than at the end what cannot be written. The program may go to another folder.
void prepare_outputs(const std::string& file) {
  prepare_output(file);
  for (std::uint32_t process = 2;; ++process) {
    const fs::path other = output_of_process(file, process);
    if (other == file || !fs::remove(other)) break;
  }
}

bool names_file(const config::Row& row, const std::string& text) {
  return row.is_file() && !text.empty() && text != "none" && text != "stderr";
}

// What the command line says, to the program's environment.
void hand_on(const config::Loaded& options) {
  for (const config::Row& row : config::rows()) {
    if (!options.is_from_command_line(row)) continue;
    std::string text = config::text_of(options.config, row);
    if (names_file(row, text)) {
      prepare_outputs(text);
      text = fs::absolute(text).string();  // the program may go to another folder
    }
    set(row.variable().c_str(), text);
  }
}

// What must come of the run beside the program's own work (docs/exit-codes.md).
std::uint32_t wanted_of(const config::Loaded& options) {
  const auto given = [&](const char* name) {
    const config::Row& row = config::row(name);
    return options.is_from_command_line(row) &&
           (!row.is_file() || names_file(row, config::text_of(options.config, row)));
  };
  std::uint32_t wanted = 0;
  if (given("json") || given("html") || given("values") || given("report") || given("csv") ||
      given("svg") || given("sarif"))
    wanted |= RunState::Reports;
  if (given("kernel") || given("launch") || given("profile") || given("fail-if"))
    wanted |= RunState::Launches;
  if (given("trace")) wanted |= RunState::Traces;
  if (given("capture")) wanted |= RunState::Captures;
  return wanted;
}

// A file of GPUs must be found from whatever folder the program goes to.
std::string gpu_to_use(const std::string& name) {
  gpus::find(name);  // fails now rather than in the program
  const bool file = name.find('/') != name.npos || name.ends_with(".toml");
  return file ? fs::absolute(name).string() : name;
}

}  // namespace

int run(const RunOptions& run) {
  const std::string gpu = gpu_to_use(run.options.config.gpu);
  hand_on(run.options);
  set("HIPSIGHT_GPU", gpu);

  const fs::path folder = library_folder();
  if (const fs::path leave = folder / "libhipsight_leave.so"; fs::exists(leave)) {
    share_run_state().wanted = wanted_of(run.options);
    std::string libraries = leave.string();
    if (run.options.config.host_clock)
      libraries += ":" + (folder / "libhipsight_clock.so").string();
    const std::string others = config::environment("LD_PRELOAD");
    set("LD_PRELOAD", libraries + (others.empty() ? "" : ":" + others));
    // GCC's sanitizer asks to be the first library; it does without.
    const std::string options = config::environment("ASAN_OPTIONS");
    set("ASAN_OPTIONS", options + (options.empty() ? "" : ":") + "verify_asan_link_order=0");
  }

  // DT_RUNPATH, which linkers write today, is searched after LD_LIBRARY_PATH.
  const std::string libraries = config::environment("LD_LIBRARY_PATH");
  set("LD_LIBRARY_PATH", folder.string() + (libraries.empty() ? "" : ":" + libraries));
  // What packages ask by name which GPU there is: rocminfo and others.
  if (const fs::path rocm = folder.parent_path() / "rocm"; fs::exists(rocm)) {
    set("PATH", (rocm / "bin").string() + ":" + run.options.config.search_path);
    // Compilers in the program (MLIR's ROCDL target, for one) find the linker and the bitcode by
    // it.
    if (config::environment("ROCM_PATH").empty()) set("ROCM_PATH", rocm.string());
  }
  // What makes Triton find us (docs/triton.md), behind the program's own modules.
  if (const fs::path modules = folder.parent_path() / "python"; fs::exists(modules)) {
    const std::string others = config::environment("PYTHONPATH");
    set("PYTHONPATH", (others.empty() ? "" : others + ":") + modules.string());
  }

  std::vector<std::string> program = run.program;
  if (!run.launcher.empty()) {
    program.insert(program.begin(), folder / "hipsight_launch");
    program.insert(program.end(), run.launcher.begin(), run.launcher.end());
  }
  std::vector<char*> arguments;
  for (std::string& argument : program) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  const bool has_folder = program[0].find('/') != std::string::npos;  // else from PATH
  const auto [foreign, complete] = has_folder ? read_program(program[0]) : Program{};
  if (complete)
    std::fprintf(stderr, "hipsight: %s is linked statically: it takes no HIP of ours\n",
                 printable(program[0]).c_str());
  if (!foreign) execvp(arguments[0], arguments.data());

  const int error = foreign ? ENOEXEC : errno;
  const bool here = fs::exists(program[0]);
  if (error == ENOENT && !(has_folder && here)) {
    const std::string name = printable(program[0]);
    std::fprintf(stderr, "hipsight: program not found: %s%s%s\n", name.c_str(),
                 here ? "; there is ./" : "", here ? name.c_str() : "");
    return kNotFound;
  }
  std::fprintf(stderr, "hipsight: cannot run %s: %s\n", printable(program[0]).c_str(),
               foreign ? "it is no x86-64 program (of a lone code object, --grid launches a kernel)"
               : error == ENOENT ? "its interpreter or loader is missing"
                                 : std::strerror(error));
  return kNotExecutable;
}

}  // namespace hipsight::cli
