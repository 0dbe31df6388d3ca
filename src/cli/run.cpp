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
#include "support/environment.h"
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
void name_output(const char* variable, const std::string& file) {
  if (file.empty()) return;
  prepare_output(file);
  for (std::uint32_t process = 2;; ++process) {
    const fs::path other = output_of_process(file, process);
    if (other == file || !fs::remove(other)) break;
  }
  set(variable, fs::absolute(file).string());
}

void name_outputs(const RunOptions& options) {
  name_output("HIPSIGHT_JSON", options.json_file);
  name_output("HIPSIGHT_REPORT", options.report_file);
  name_output("HIPSIGHT_RECORD", options.recording_file);
  name_output("HIPSIGHT_TRACE_FILE", options.trace_file);
  name_output("HIPSIGHT_CAPTURE", options.capture_file);
}

// What must come of the run beside the program's own work (docs/exit-codes.md).
std::uint32_t wanted_of(const RunOptions& options) {
  std::uint32_t wanted = 0;
  if (!options.json_file.empty() || !options.report_file.empty()) wanted |= RunState::Reports;
  if (!options.kernel.empty() || options.launch || options.profile) wanted |= RunState::Launches;
  if (!options.trace.empty()) wanted |= RunState::Traces;
  if (!options.capture_file.empty()) wanted |= RunState::Captures;
  return wanted;
}

}  // namespace

// A file of GPUs must be found from whatever folder the program goes to.
std::string gpu_to_use(const std::string& asked) {
  const std::string from_environment = environment("HIPSIGHT_GPU");
  const std::string name = !asked.empty()              ? asked
                           : !from_environment.empty() ? from_environment
                                                       : "mi300x";
  gpus::find(name);  // fails now rather than in the program
  const bool file = name.find('/') != name.npos || name.ends_with(".toml");
  return file ? fs::absolute(name).string() : name;
}

int capture(const RunOptions& options, const std::string& file) {
  RunOptions captured = options;
  captured.capture_file = file;
  return run(captured);
}

int run(const RunOptions& options) {
  set("HIPSIGHT_GPU", gpu_to_use(options.gpu));
  if (options.gpus) set("HIPSIGHT_GPUS", fmt::format("{}", *options.gpus));
  if (!options.kernel.empty()) set("HIPSIGHT_KERNEL", options.kernel);
  if (options.launch) set("HIPSIGHT_LAUNCH", fmt::format("{}", *options.launch));
  if (!options.progress_seconds.empty()) set("HIPSIGHT_PROGRESS", options.progress_seconds);
  if (options.timeout_seconds) set("HIPSIGHT_TIMEOUT", fmt::format("{}", *options.timeout_seconds));
  if (options.strict) set("HIPSIGHT_STRICT", "1");
  if (!options.matrix.empty()) set("HIPSIGHT_MATRIX", options.matrix);
  if (options.threads) set("HIPSIGHT_THREADS", fmt::format("{}", *options.threads));
  name_outputs(options);
  if (options.profile) set("HIPSIGHT_PROFILE", fmt::format("{}", options.profile));
  if (!options.caches.empty()) set("HIPSIGHT_CACHES", options.caches);
  if (options.simulate) set("HIPSIGHT_SIMULATE", fmt::format("{}", *options.simulate));
  if (options.sampled_only) {
    set("HIPSIGHT_SAMPLED_ONLY", "1");
    if (options.matrix.empty()) set("HIPSIGHT_MATRIX", "skip");  // results are missing anyhow
  }
  if (options.predict) set("HIPSIGHT_PREDICT", "1");
  if (options.fidelity) set("HIPSIGHT_FIDELITY", "1");
  if (!options.trace.empty()) set("HIPSIGHT_TRACE", options.trace);
  if (options.no_report) set("HIPSIGHT_REPORT", "none");

  const fs::path folder = library_folder();
  if (const fs::path leave = folder / "libhipsight_leave.so"; fs::exists(leave)) {
    share_run_state().wanted = wanted_of(options);
    const std::string others = environment("LD_PRELOAD");
    set("LD_PRELOAD", leave.string() + (others.empty() ? "" : ":" + others));
    // GCC's sanitizer asks to be the first library; it does without.
    const std::string options = environment("ASAN_OPTIONS");
    set("ASAN_OPTIONS", options + (options.empty() ? "" : ":") + "verify_asan_link_order=0");
  }

  // DT_RUNPATH, which linkers write today, is searched after LD_LIBRARY_PATH.
  const std::string libraries = environment("LD_LIBRARY_PATH");
  set("LD_LIBRARY_PATH", folder.string() + (libraries.empty() ? "" : ":" + libraries));
  // What packages ask by name which GPU there is: rocminfo and others.
  if (const fs::path rocm = folder.parent_path() / "rocm"; fs::exists(rocm)) {
    set("PATH", (rocm / "bin").string() + ":" + environment("PATH"));
    // Compilers in the program (MLIR's ROCDL target, for one) find the linker and the bitcode by
    // it.
    if (environment("ROCM_PATH").empty()) set("ROCM_PATH", rocm.string());
  }
  // What makes Triton find us (docs/triton.md), behind the program's own modules.
  if (const fs::path modules = folder.parent_path() / "python"; fs::exists(modules)) {
    const std::string others = environment("PYTHONPATH");
    set("PYTHONPATH", (others.empty() ? "" : others + ":") + modules.string());
  }

  std::vector<std::string> program = options.program;
  if (!options.launcher.empty()) {
    program.insert(program.begin(), folder / "hipsight_launch");
    program.insert(program.end(), options.launcher.begin(), options.launcher.end());
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
