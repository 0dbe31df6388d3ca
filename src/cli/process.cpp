#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "cli/commands.h"
#include "gpus/gpu.h"
#include "hipsight/report_file.h"
#include "support/error.h"
#include "support/files.h"
#include "support/printable.h"

namespace hipsight::cli {
namespace {

namespace fs = std::filesystem;

// What a program that failed has said, as far as a person reads it.
std::string last_lines(const std::string& text) {
  constexpr int most = 12;
  std::size_t begin = text.size();
  for (int lines = 0; begin > 0 && lines <= most; --begin)
    if (text[begin - 1] == '\n' && begin != text.size() && ++lines == most) break;
  return text.substr(begin, text.find_last_not_of('\n') + 1 - begin);
}

}  // namespace

int in_process(const std::function<int()>& work) {
  std::fflush(nullptr);
  const pid_t parent = getpid(), child = fork();
  if (child < 0) fail("cannot start a process");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(kUsageError);
    try {
      _exit(work());
    } catch (const Exception& error) {
      std::fprintf(stderr, "hipsight: %s\n", printable(error.what(), true).c_str());
      _exit(kUsageError);
    }
  }
  // An interrupt of the terminal is for the program: what it leaves is still to be put away.
  const auto before = std::signal(SIGINT, SIG_IGN);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, before);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string problem(int code, const std::string& output) {
  if (code == 0) return {};
  const std::string status =
      code > 128 ? fmt::format("signal {}", code - 128) : fmt::format("exit code {}", code);
  return output.empty() ? status : fmt::format("{}\n{}", status, last_lines(output));
}

int run_process(const RunOptions& options, const fs::path& output) {
  return in_process([&] {
    if (!options.folder.empty()) fs::current_path(options.folder);
    if (!output.empty()) {
      const int file = open(output.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_APPEND, 0600);
      dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
      dup2(file, STDOUT_FILENO);
      dup2(file, STDERR_FILENO);
    }
    return run(options);
  });
}

std::optional<report::GpuRun> run_for_report(RunOptions options, const std::string& gpu,
                                             const fs::path& scratch) {
  const fs::path values = scratch / "values", output = scratch / "output";
  const auto set = [&](const char* name, const std::string& text) {
    options.options.from_command_line(config::row(name), text);
  };
  set("gpu", gpu);
  set("report", "none");
  set("json", "");
  set("values", values);
  fs::remove(values);
  const int code = run_process(options, output);
  report::GpuRun result{gpus::find(gpu).name, {}, problem(code, read_file(output))};
  if (auto report = read_report(values)) result.report = *std::move(report);
  if (code == kInterrupted) return std::nullopt;
  return result;
}

int run_tool(std::vector<std::string> words) {
  return in_process([&] {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    return kNotExecutable;
  });
}

}  // namespace hipsight::cli
