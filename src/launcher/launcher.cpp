// Launches one kernel of a file with device code, on the GPU that HIPSIGHT_GPU names: what
// `hipsight run --grid ... FILE` runs. An ordinary HIP program, so that all that hipsight does with
// programs it does with lone code objects, too.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "code/fat_binary.h"
#include "config/environment.h"
#include "gpus/gpu.h"
#include "launcher/arguments.h"
#include "launcher/entry.h"
#include "support/error.h"
#include "support/files.h"
#include "support/printable.h"

extern "C" {
int hipModuleLoadData(void** module, const void* image);
int hipModuleGetFunction(void** function, void* module, const char* name);
int hipModuleLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned lds,
                          void* stream, void** arguments, void** extra);
int hipMalloc(void** memory, std::size_t bytes);
int hipMemset(void* memory, int value, std::size_t bytes);
int hipMemcpy(void* to, const void* from, std::size_t bytes, int kind);
int hipDeviceSynchronize();
const char* hipGetErrorString(int error);
}

namespace hipsight::launcher {
namespace {

constexpr int to_device = 1, usage_error = 125;

void check(int error, std::string_view what) {
  if (error) fail("{}: {}", what, hipGetErrorString(error));
}

struct Options {
  std::string file, kernel;
  std::vector<unsigned> grid, block;
  unsigned lds = 0;
  std::vector<std::string> arguments;
};

void* make_buffer(const Value& value, std::size_t index) {
  std::vector<std::byte> bytes;
  if (value.kind == Value::Kind::File) bytes = read_bytes(value.file);
  const std::size_t size = value.kind == Value::Kind::File ? bytes.size() : value.size;
  if (size == 0) fail("'{}' is empty", value.file);
  void* memory = nullptr;
  check(hipMalloc(&memory, size),
        fmt::format("argument {}: a buffer of {} bytes", index + 1, size));
  if (value.kind == Value::Kind::Zeros) check(hipMemset(memory, 0, size), "hipMemset");
  if (value.kind == Value::Kind::File)
    check(hipMemcpy(memory, bytes.data(), size, to_device), "hipMemcpy");
  if (value.kind != Value::Kind::Filled) return memory;
  constexpr std::size_t piece = 1 << 20;  // holds whole elements
  bytes.resize(std::min(size, piece));
  for (std::size_t at = 0; at < size; at += piece) {
    const std::size_t count = std::min(piece, size - at);
    fill({bytes.data(), count}, value.type, at, index);
    check(hipMemcpy(static_cast<std::byte*>(memory) + at, bytes.data(), count, to_device),
          "hipMemcpy");
  }
  return memory;
}

/// The device code of the file that fits the GPU, with the kernel in it.
struct Found {
  code::FatBinary binary;
  const code::Image* image = nullptr;
  std::shared_ptr<const code::CodeObject> code;
  const code::Kernel* kernel = nullptr;
};
Found find(std::span<const std::byte> file, const Options& options, const gpus::Gpu& gpu) {
  const code::Target target = code::Target::parse(gpu.target_id);
  const auto binaries = code::find_fat_binaries(file, options.file);
  if (binaries.empty()) fail("{}: there is no device code in it", options.file);
  for (std::size_t i = 0; i < binaries.size(); ++i) try {
      Found found;
      found.binary = code::FatBinary::open(binaries[i], options.file);
      found.image = &found.binary.select(target);
      found.code = code::CodeObject::read(found.image->elf, options.file);
      found.kernel = &choose(*found.code, options.kernel);
      return found;
    } catch (const Exception&) {
      if (i + 1 == binaries.size()) throw;
    }
  __builtin_unreachable();
}

void launch(const Options& options) {
  const Config config = config::read().config;
  gpus::use_folders(config.gpu_path);
  std::vector<Value> values;
  for (const std::string& text : options.arguments) values.push_back(parse(text));
  const std::vector<std::byte> file = read_bytes(options.file);
  const Found found = find(file, options, gpus::find(config.gpu, config.xnack));
  check(*found.kernel, values);

  std::vector<void*> buffers(values.size()), pointers;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Value& value = values[i];
    if (value.is_address())
      buffers[i] = value.kind == Value::Kind::Same ? buffers[value.same] : make_buffer(value, i);
    pointers.push_back(value.is_address() ? static_cast<void*>(&buffers[i]) : value.bytes.data());
  }
  void *module = nullptr, *function = nullptr;
  check(hipModuleLoadData(&module, found.image->elf.data()), options.file);
  check(hipModuleGetFunction(&function, module, found.kernel->name.c_str()), found.kernel->name);
  const auto& [grid, block] = std::pair(options.grid, options.block);
  check(hipModuleLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                              options.lds, nullptr, pointers.data(), nullptr),
        fmt::format("cannot launch {}", found.kernel->name));
  hipDeviceSynchronize();  // a kernel's own error is told by the report, and by the exit status
}

}  // namespace
}  // namespace hipsight::launcher

int hipsight_launch_command(int argc, char** argv) {
  hipsight::launcher::Options options;
  CLI::App app("Launches one kernel of a file with device code.", "hipsight_launch");
  app.add_option("file", options.file)->required();
  app.add_option("--kernel", options.kernel);
  for (const auto& [name, size] :
       {std::pair("--grid", &options.grid), std::pair("--block", &options.block)})
    app.add_option(name, *size)->delimiter(',')->expected(1, 3);
  app.add_option("--lds", options.lds);
  app.add_option("--arg", options.arguments);
  try {
    app.parse(argc, argv);
    options.grid.resize(3, 1);
    options.block.resize(3, 1);
    hipsight::launcher::launch(options);
    return 0;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "hipsight: {}\n", error.what());
  } catch (const std::exception& error) {
    fmt::print(stderr, "hipsight: {}\n", hipsight::printable(error.what(), true));
  }
  return hipsight::launcher::usage_error;
}
