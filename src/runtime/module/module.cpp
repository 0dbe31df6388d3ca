#include "runtime/module/module.h"

#include <fmt/format.h>
#include <malloc.h>

#include <atomic>
#include <vector>

#include "code/code_object.h"
#include "code/fat_binary.h"
#include "runtime/memory/mapping.h"
#include "runtime/module/registration.h"
#include "runtime/state.h"
#include "support/error.h"
#include "support/files.h"

namespace hipsight::runtime {
namespace {

Handles<hipModule_t, Module>& modules() {
  static auto& handles = *new Handles<hipModule_t, Module>(0x11);
  return handles;
}

Handles<hipFunction_t, Function>& functions() {
  static auto& handles = *new Handles<hipFunction_t, Function>(0x12);
  return handles;
}

/// Runs a step that reads the user's image: its error is told and becomes `code`.
template <class Step>
auto step(hipError_t code, Step&& step) {
  try {
    return step();
  } catch (const Exception& error) {
    complain(error.what());
    fail_with(code);
  }
}

hipModule_t add(std::shared_ptr<Module> module) {
  module->make_managed();
  return modules().add(std::move(module));
}

}  // namespace

std::vector<std::byte> read_image(const char* path) {
  return step(hipErrorFileNotFound, [&] { return read_bytes(path); });
}

std::shared_ptr<Module> Module::load(std::span<const std::byte> image, const std::string& origin,
                                     int device) {
  Context& context = Context::get();
  const auto bundle =
      step(hipErrorInvalidImage, [&] { return code::FatBinary::open(image, origin); });
  const code::Image& fitting =
      *step(hipErrorNoBinaryForGpu, [&] { return &bundle.select(context.target()); });
  std::shared_ptr<Module> module(new Module);
  module->device_ = device;
  module->code_ = step(hipErrorInvalidImage, [&] {
    return engine::Module::load(code::CodeObject::read(fitting.elf, origin), context.memory());
  });
  module->variables_.emplace(*module->code_, context.memory());
  return module;
}

std::span<const std::byte> whole_image(const void* image, const std::string& origin) {
  return {static_cast<const std::byte*>(image), step(hipErrorInvalidImage, [&] {
            return code::fat_binary_size(image, readable_bytes(image), origin);
          })};
}

std::shared_ptr<Module> Module::load(const void* image, const std::string& origin, int device) {
  return load(whole_image(image, origin), origin, device);
}

// The C library keeps what is freed between what is not: of 1,000 small modules more than half.
Module::~Module() {
  variables_.reset();
  for (const auto& [name, function] : functions_) functions().remove(function->handle);
  functions_.clear();
  if (!code_) return;  // it was not loaded
  static std::atomic<std::size_t> freed{0};
  constexpr std::size_t much = 8 << 20;
  freed += object().elf().size();
  code_.reset();
  if (freed < much) return;
  freed = 0;
  malloc_trim(0);
}

void Module::make_managed() {
  variables_->make_managed(device_, hipMemAttachGlobal);
}

std::shared_ptr<Function> Module::function(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (const auto known = functions_.find(name); known != functions_.end()) return known->second;
  const code::Kernel* kernel = object().find_kernel(name);
  if (!kernel) return nullptr;
  auto function = std::make_shared<Function>(code_, kernel, device_);
  function->handle = functions().add(function);
  functions_.emplace(name, function);
  return function;
}

std::shared_ptr<Function> find_function_if_any(hipFunction_t handle) {
  auto function = functions().find(handle);
  return function ? function : find_library_function(handle);
}

std::shared_ptr<Function> find_function(hipFunction_t handle) {
  auto function = find_function_if_any(handle);
  require(function != nullptr, hipErrorInvalidHandle);
  return function;
}

HIP_API hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  return api([&] {
    require(module && image);
    *module = add(Module::load(image, fmt::format("module image at {}", image), current_device()));
    return hipSuccess;
  });
}

HIP_API hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned options,
                                       unsigned* option_names, void** option_values) {
  return hipModuleLoadData(module, image);
}

HIP_API hipError_t hipModuleLoad(hipModule_t* module, const char* path) {
  return api([&] {
    require(module && path && *path);
    Context::get();
    *module = add(Module::load(read_image(path), path, current_device()));
    return hipSuccess;
  });
}

HIP_API hipError_t hipModuleLoadFatBinary(hipModule_t* module, const void* image) {
  return hipModuleLoadData(module, image);
}

HIP_API hipError_t hipModuleUnload(hipModule_t module) {
  return api([&] {
    require(module != nullptr, hipErrorInvalidHandle);
    require(modules().remove(module) != nullptr, hipErrorNotFound);
    return hipSuccess;
  });
}

HIP_API hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module,
                                        const char* name) {
  return api([&] {
    require(function && name);
    const auto found = modules().find(module);
    require(found != nullptr, hipErrorInvalidHandle);
    const auto kernel = found->function(name);
    require(kernel != nullptr, hipErrorNotFound);
    *function = kernel->handle;
    return hipSuccess;
  });
}

HIP_API hipError_t hipModuleGetFunctionCount(unsigned* count, hipModule_t module) {
  return api([&] {
    require(count != nullptr);
    const auto found = modules().find(module);
    require(found != nullptr, hipErrorInvalidHandle);
    *count = static_cast<unsigned>(found->object().kernels().size());
    return hipSuccess;
  });
}

HIP_API hipError_t hipModuleEnumerateFunctions(hipFunction_t* functions, unsigned count,
                                               hipModule_t module) {
  return api([&] {
    require(functions && count);
    const auto found = modules().find(module);
    require(found != nullptr, hipErrorInvalidHandle);
    for (const code::Kernel& kernel : found->object().kernels()) {
      if (count-- == 0) break;
      *functions++ = found->function(kernel.name)->handle;
    }
    return hipSuccess;
  });
}

HIP_API hipError_t hipModuleGetGlobal(hipDeviceptr_t* address, std::size_t* size,
                                      hipModule_t module, const char* name) {
  return api([&] {
    require(name != nullptr && (address || size));
    const auto found = modules().find(module);
    require(found != nullptr, hipErrorInvalidHandle);
    const auto variable = found->variable(name);
    require(variable.has_value(), hipErrorNotFound);
    if (address) *address = variable->address;
    if (size) *size = variable->size;
    return hipSuccess;
  });
}

HIP_API hipError_t hipGetFuncBySymbol(hipFunction_t* function, const void* stub) {
  return api([&] {
    require(function != nullptr);
    *function = registered_function(stub, current_device())->handle;
    return hipSuccess;
  });
}

}  // namespace hipsight::runtime
