#include "runtime/rtc/clang.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <optional>
#include <string_view>

#include "config/toolchain.h"
#include "runtime/state.h"
#include "support/files.h"
#include "support/printable.h"

extern char** environ;

namespace hipsight::runtime {
namespace {

namespace fs = std::filesystem;

constexpr int clang_crashed = 254;  // clang's exit status then, with -fno-crash-diagnostics

/// Runs a command with its output in a file. Returns its exit status, or nothing when it did not
/// start or was ended by a signal.
std::optional<int> run_command(const std::vector<std::string>& command, const fs::path& output) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  // The compiler is no GPU program: what was preloaded into this one is not for it.
  std::vector<char*> environment;
  for (char** entry = environ; *entry; ++entry)
    if (!std::string_view(*entry).starts_with("LD_PRELOAD=")) environment.push_back(*entry);
  environment.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  pid_t child = 0;
  const int error = posix_spawn(&child, command[0].c_str(), &files, nullptr, arguments.data(),
                                environment.data());
  posix_spawn_file_actions_destroy(&files);
  if (error) return std::nullopt;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return std::nullopt;
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

}  // namespace

fs::path find_sdk() {
  return config::find_sdk(config());
}

fs::path find_clang(const fs::path& sdk) {
  return config::find_clang(config(), sdk);
}

RtcOutput failure(std::string log) {
  return {.log = std::move(log), .code = {}, .symbols = {}};
}

RtcOutput missing(std::string log) {
  static std::atomic<bool> said{false};
  if (!said.exchange(true)) std::fputs(printable(log, true).c_str(), stderr);
  return failure(std::move(log));
}

RtcOutput run(const std::vector<std::string>& command, const fs::path& log,
              const fs::path& output) {
  const std::optional<int> status = run_command(command, log);
  if (!status)
    return missing(
        fmt::format("{}hipsight: {} did not run to its end\n", read_file(log), command[0]));
  RtcOutput result = failure(read_file(log));
  result.crashed = status == clang_crashed;
  if (status != 0) return result;
  const std::string bytes = read_file(output);
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  result.code.assign(begin, begin + bytes.size());
  result.compiled = true;
  return result;
}

}  // namespace hipsight::runtime
