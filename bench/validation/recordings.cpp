#include "validation/recordings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "support/error.h"
#include "support/zstd.h"

namespace hipsight::bench {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream bytes;
  if (!(bytes << in.rdbuf())) throw std::runtime_error("cannot read " + file.string());
  return bytes.str();
}
fs::path build_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path();
}

}  // namespace

std::vector<std::string> unpack(const fs::path& file) {
  std::istringstream lines;
  try {
    lines.str(decompress(contents(file)));
  } catch (const Exception& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
  std::vector<std::string> recordings;
  for (std::string line; std::getline(lines, line);) recordings.push_back(std::move(line));
  return recordings;
}

void pack(const fs::path& file, const std::vector<std::string>& recordings) {
  std::string lines;
  for (const std::string& one : recordings) lines += (is_zstd(one) ? decompress(one) : one) + "\n";
  std::ofstream out(file, std::ios::binary);
  out << compress(lines, 19);
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

fs::path programs() {
  return build_folder() / "bench";
}

void run_command(const std::string& command) {
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error(fmt::format("'{}' failed", command));
}

std::string record(const std::string& gpu, const std::string& options, const std::string& program,
                   const fs::path& from) {
  const fs::path file = fs::temp_directory_path() / fmt::format("hipsight.{}.recording", gettid());
  run_command(
      fmt::format("cd {} && {}/hipsight predict --gpu {} --sampled-only --no-report --timeout 300 "
                  "--record {} {} -- {}",
                  from.string(), build_folder().string(), gpu, file.string(), options, program));
  std::string bytes = contents(file);
  fs::remove(file);
  return bytes;
}

}  // namespace hipsight::bench
