// How long a large program takes to start: 200 fat binaries with 16,000 kernels and 2,000
// variables, registered as its static constructors would, the first question for a device, and the
// end.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "table.h"

extern "C" {
void** __hipRegisterFatBinary(const void* wrapper);
void __hipRegisterFunction(void** binary, const void* stub, char* name, const char* device_name,
                           unsigned, void*, void*, void*, void*, int*);
void __hipRegisterVar(void** binary, void* variable, char* name, const char* device_name, int,
                      std::size_t size, int, int);
void __hipUnregisterFatBinary(void** binary);
int hipGetDeviceCount(int* count);
}

namespace hipsight::bench {
namespace {

constexpr std::size_t binaries = 200, kernels = 80, variables = 10;

struct Wrapper {
  std::uint32_t magic = 0x48495046, version = 1;  // what clang writes
  const void* image;
  const void* unused = nullptr;
};

/// The program's own part, which is there before it starts.
struct Program {
  std::vector<std::byte> images{binaries * 4096};
  std::vector<Wrapper> wrappers;
  std::vector<char> stubs = std::vector<char>(binaries * kernels);
  std::vector<std::uint64_t> shadows = std::vector<std::uint64_t>(binaries * variables);
  std::vector<std::string> names;

  Program() {
    for (std::size_t i = 0; i < binaries; ++i) wrappers.push_back({.image = &images[i * 4096]});
    for (std::size_t i = 0; i < stubs.size(); ++i)
      names.push_back(fmt::format("_ZN7library6detail6kernelILi{}EEEvPKfS3_Pfmmm", i));
  }
};

struct Seconds {
  double to_start, to_end;
};

Seconds start_and_end(Program& program) {
  const double begin = processor_seconds();
  std::vector<void**> handles;
  for (std::size_t b = 0; b < binaries; ++b) {
    void** handle = __hipRegisterFatBinary(&program.wrappers[b]);
    if (!handle) throw std::runtime_error("a fat binary was refused");
    for (std::size_t k = b * kernels; k < (b + 1) * kernels; ++k)
      __hipRegisterFunction(handle, &program.stubs[k], program.names[k].data(),
                            program.names[k].c_str(), ~0u, nullptr, nullptr, nullptr, nullptr,
                            nullptr);
    for (std::size_t v = b * variables; v < (b + 1) * variables; ++v)
      __hipRegisterVar(handle, &program.shadows[v], program.names[v].data(),
                       program.names[v].c_str(), 0, sizeof program.shadows[v], 0, 0);
    handles.push_back(handle);
  }
  int devices = 0;
  if (hipGetDeviceCount(&devices) || devices < 1) throw std::runtime_error("there is no device");
  const double middle = processor_seconds();
  for (void** handle : handles) __hipUnregisterFatBinary(handle);
  return {middle - begin, processor_seconds() - middle};
}

int run(const std::string& json) {
  setenv("HIPSIGHT_REPORT", "none", 1);
  Program program;
  // The first run counts: a program starts once.
  const Seconds first = start_and_end(program);
  fmt::print("{} fat binaries, {} kernels, {} variables, processor time\n\n", binaries,
             binaries * kernels, binaries * variables);
  return publish({{.name = "start: register all, count devices",
                   .value = first.to_start,
                   .unit = "s",
                   .high_is_better = false,
                   .floor = 1,
                   .aim = 0.3},
                  {.name = "end: unregister all",
                   .value = first.to_end,
                   .unit = "s",
                   .high_is_better = false,
                   .floor = 1,
                   .aim = 0.3}},
                 json);
}

}  // namespace
}  // namespace hipsight::bench

int main(int argc, char** argv) {
  return hipsight::bench::main_of(argc, argv, hipsight::bench::run);
}
