#include "engine/gpu.h"

#include <fstream>
#include <utility>

#include "code/fat_binary.h"
#include "gpus/gpu.h"
#include "services/kernarg.h"
#include "support/error.h"
#include "table.h"

namespace hipsight::bench {
namespace {

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail("cannot read {}: build it first", path.string());
  std::vector<std::byte> bytes(std::filesystem::file_size(path));
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

}  // namespace

static std::vector<engine::Observer*> observers;

Observing::Observing(engine::Observer& observer) {
  observers.push_back(&observer);
}
Observing::~Observing() {
  observers.pop_back();
}

Gpu::Gpu(const std::string& name, const engine::Options& options)
    : engine_(gpus::find(name), options) {}

void* Gpu::allocate(std::size_t bytes) {
  void* array = engine_.memory().allocate(bytes, engine::Memory::Kind::Device, "array");
  if (!array) fail("no memory for an array of {} bytes", bytes);
  return array;
}

Launch::Launch(Gpu& gpu, const std::filesystem::path& file, std::string_view name)
    : engine_(&gpu.engine()) {
  const auto bytes = read_file(file);
  const auto bundles = code::find_fat_binaries(bytes, file.string());
  if (bundles.empty()) fail("{} holds no device code", file.string());
  const auto binary = code::FatBinary::open(bundles.front(), file.string());
  const auto& image = binary.select(code::Target::parse(engine_->gpu().target_id));
  module_ =
      engine::Module::load(code::CodeObject::read(image.elf, file.string()), engine_->memory());
  kernel_ = module_->object().find_kernel(std::string(name));
  for (const auto& kernel : module_->object().kernels())
    if (!kernel_ && kernel.name.find(name) != std::string::npos) kernel_ = &kernel;
  if (!kernel_) fail("{} holds no kernel '{}'", file.string(), name);
}

void Launch::prepare(engine::Dim3 groups, engine::Dim3 block,
                     std::span<const void* const> arguments) {
  grid_ = {groups.x * block.x, groups.y * block.y, groups.z * block.z};
  block_ = block;
  std::vector<void*> parameters;
  for (const void* argument : arguments) parameters.push_back(const_cast<void*>(argument));
  const auto wanted = std::ranges::count_if(kernel_->arguments, [](const code::Argument& argument) {
    return !argument.value_kind.starts_with("hidden_");
  });
  if (std::cmp_not_equal(wanted, parameters.size()))
    fail("{} takes {} arguments, not {}", kernel_->name, wanted, parameters.size());
  kernarg_ = services::kernarg(*kernel_, {.grid = grid_, .block = block_}, parameters.data());
}

Ran Launch::run() const {
  const double begin = thread_seconds();
  const auto result = engine_->run({.module = module_,
                                    .kernel = kernel_,
                                    .grid = grid_,
                                    .block = block_,
                                    .kernarg = kernarg_,
                                    .observers = observers});
  Ran ran{.seconds = thread_seconds() - begin,
          .on_the_wall = result.host_seconds,
          .code = result.counts.size()};
  for (const auto& count : result.counts) ran.instructions += static_cast<double>(count.executions);
  return ran;
}

}  // namespace hipsight::bench
