#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <functional>

#include "cli/commands.h"
#include "support/error.h"
#include "support/printable.h"

namespace hipsight::cli {
namespace {

/// Does that in a process of its own, which ends with this one. Returns as run_process.
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

}  // namespace

int run_process(const RunOptions& options, const std::filesystem::path& output) {
  return in_process([&] {
    if (!output.empty()) {
      const int file = open(output.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_APPEND, 0600);
      dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
      dup2(file, STDOUT_FILENO);
      dup2(file, STDERR_FILENO);
    }
    return run(options);
  });
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
