#include "run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace programs {
namespace {

namespace fs = std::filesystem;

std::vector<char*> pointers(const Words& words) {
  std::vector<char*> list;
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

[[noreturn]] void become(const Words& command, const Words& environment, int out, int err) {
  setpgid(0, 0);  // what the program starts ends with it
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execve(command[0].c_str(), pointers(command).data(), pointers(environment).data());
  _exit(126);
}

/// Reads both pipes until they are closed; false when that takes too long.
bool read_all(int out, int err, Outcome& outcome, double limit_seconds) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(limit_seconds);
  pollfd pipes[] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string* const texts[] = {&outcome.out, &outcome.err};
  for (int left = 2; left > 0;) {
    const std::chrono::duration<double> time = deadline - std::chrono::steady_clock::now();
    if (time.count() <= 0) return false;
    poll(pipes, 2, static_cast<int>(time.count() * 1000) + 1);
    for (int i = 0; i < 2; ++i) {
      if (pipes[i].fd < 0 || pipes[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t size = read(pipes[i].fd, buffer, sizeof buffer);
      if (size > 0) {
        texts[i]->append(buffer, static_cast<std::size_t>(size));
      } else {
        pipes[i].fd = -1;
        --left;
      }
    }
  }
  return true;
}

}  // namespace

Outcome run(const Words& command, const Environment& environment, double limit_seconds) {
  Words variables = {"PATH=/usr/bin:/bin"};
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);

  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) throw std::runtime_error("no pipe");
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) become(command, variables, out[1], err[1]);
  close(out[1]);
  close(err[1]);

  Outcome outcome;
  outcome.timed_out = !read_all(out[0], err[0], outcome, limit_seconds);
  if (outcome.timed_out) kill(-child, SIGKILL);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  close(out[0]);
  close(err[0]);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  outcome.memory_kib = usage.ru_maxrss;
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  return outcome;
}

Outcome hipsight_run(const Words& options, const Words& program, const Environment& environment) {
  Words command = {HIPSIGHT_COMMAND, "run"};
  command.insert(command.end(), options.begin(), options.end());
  command.emplace_back("--");
  command.push_back(folder() / program[0]);
  command.insert(command.end(), program.begin() + 1, program.end());
  return run(command, environment);
}

Environment in_tier(const std::string& tier) {
  return {{"HIPSIGHT_ENGINE", tier}, {"HIPSIGHT_CACHE", "off"}};
}

fs::path folder() {
  return PROGRAMS;
}

std::string source_of(const std::string& program, const std::string& text) {
  const fs::path file = fs::path(PROGRAM_SOURCES) / (program + ".hip");
  std::istringstream lines(read_file(file));
  std::string line, found;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.find(text) == line.npos) continue;
    if (!found.empty()) throw std::runtime_error(text + " is there twice");
    found = fmt::format("{}:{}", file.string(), number);
  }
  if (found.empty()) throw std::runtime_error(text + " is not there");
  return found;
}

testing::Matcher<std::string> names_line_near(const std::string& place) {
  const std::string file = place.substr(0, place.rfind(':') + 1);
  const int line = std::stoi(place.substr(file.size()));
  std::vector<testing::Matcher<std::string>> near;
  for (int i = line - 4; i <= line + 4; ++i)
    near.push_back(testing::HasSubstr(file + std::to_string(i) + ":"));
  return testing::AnyOfArray(near);
}

std::string describe(const Outcome& o) {
  return fmt::format("status {}, signal {}, {:.1f} s{}\n--- stdout\n{}--- stderr\n{}---\n",
                     o.status, o.signal, o.seconds, o.timed_out ? ", stopped" : "", o.out, o.err);
}

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary) << content;
}

Scratch::Scratch() {
  std::string pattern = fs::temp_directory_path() / "hipsight_programs.XXXXXX";
  if (!mkdtemp(pattern.data())) throw std::runtime_error("no folder");
  path_ = pattern;
}

Scratch::~Scratch() {
  fs::remove_all(path_);
}

}  // namespace programs
