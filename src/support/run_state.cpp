#include "support/run_state.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "support/error.h"
#include "support/files.h"

namespace hipsight {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "HIPSIGHT_RUN";

std::atomic<RunState*> joined{nullptr};

void* map(int file) {
  void* const memory = mmap(nullptr, sizeof(RunState), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

RunState& share_run_state() {
  // Out of the way of programs that count on the next free number.
  constexpr int least = 100;
  const Descriptor made(memfd_create("hipsight run", MFD_CLOEXEC));
  const int kept = made ? fcntl(made.number(), F_DUPFD, least) : -1;
  void* const memory = kept >= 0 && ftruncate(kept, sizeof(RunState)) == 0 ? map(kept) : nullptr;
  if (!memory) fail("cannot make what processes of a run share: {}", std::strerror(errno));
  setenv(kVariable, fmt::format("{}:{}", getpid(), kept).c_str(), 1);
  return *new (memory) RunState;
}

void join_run(const std::string& name) {
  char* end = nullptr;
  const long process = std::strtol(name.c_str(), &end, 10);
  if (process <= 0 || *end != ':') return;
  const std::string path = fmt::format("/proc/{}/fd/{}", process, std::atoi(end + 1));
  const Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info{};
  if (!file || fstat(file.number(), &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_size != sizeof(RunState))
    return;
  auto* const found = static_cast<RunState*>(map(file.number()));
  if (found && found->magic == RunState::kMagic) joined = found;
}

RunState* run_state() {
  return joined;
}

std::uint32_t process_of_run() {
  static const std::uint32_t number = run_state() ? ++run_state()->processes : 1;
  return number;
}

fs::path output_of_process(const fs::path& file, std::uint32_t process) {
  std::error_code error;
  const auto kind = fs::status(file, error).type();
  if (process <= 1 || (kind != fs::file_type::regular && kind != fs::file_type::not_found))
    return file;
  fs::path name = file.stem();
  name += fmt::format(".{}", process);
  name += file.extension();
  return file.parent_path() / name;
}

}  // namespace hipsight
