#include "validation/recordings.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Compression.h>
#include <llvm/Support/Error.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace hipsight::bench {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream bytes;
  if (!(bytes << in.rdbuf())) throw std::runtime_error("cannot read " + file.string());
  return bytes.str();
}
std::uint64_t number(const char* at) {
  std::uint64_t value = 0;
  for (int i = 8; i--;) value = value << 8 | static_cast<unsigned char>(at[i]);
  return value;
}
std::string bytes_of(std::uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i, value >>= 8) bytes += static_cast<char>(value & 255);
  return bytes;
}
fs::path build_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path();
}

}  // namespace

std::vector<std::string> unpack(const fs::path& file) {
  const std::string packed = contents(file);
  llvm::SmallVector<std::uint8_t, 0> bytes;
  // The length of it all comes first.
  if (packed.size() < 8) throw std::runtime_error(file.string() + " is too short");
  if (llvm::Error error = llvm::compression::zstd::decompress(
          llvm::arrayRefFromStringRef(llvm::StringRef(packed).drop_front(8)), bytes,
          number(packed.data())))
    throw std::runtime_error(file.string() + ": " + llvm::toString(std::move(error)));
  const std::string_view all = llvm::toStringRef(bytes);
  std::vector<std::string> recordings;
  for (std::size_t at = 0; at + 8 <= all.size();) {
    const std::uint64_t length = number(all.data() + at);
    recordings.emplace_back(all.substr(at + 8, length));
    at += 8 + length;
  }
  return recordings;
}

void pack(const fs::path& file, const std::vector<std::string>& recordings) {
  std::string all;
  for (const std::string& one : recordings) all += bytes_of(one.size()) + one;
  llvm::SmallVector<std::uint8_t, 0> packed;
  llvm::compression::zstd::compress(llvm::arrayRefFromStringRef(all), packed, 19);
  std::ofstream out(file, std::ios::binary);
  out << bytes_of(all.size()) << llvm::toStringRef(packed).str();
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
