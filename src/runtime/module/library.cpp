// Libraries: code objects whose kernels run on whatever device is current.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "runtime/module/module.h"
#include "runtime/state.h"

namespace hipsight::runtime {
namespace {

class Library;

struct LibraryKernel {
  std::weak_ptr<Library> library;
  std::string name;
};

Handles<hipLibrary_t, Library>& libraries() {
  static auto& handles = *new Handles<hipLibrary_t, Library>(0x1d);
  return handles;
}

/// A kernel of a library may stand where a function may, so its handle is no function's.
Handles<hipFunction_t, LibraryKernel>& library_kernels() {
  static auto& handles = *new Handles<hipFunction_t, LibraryKernel>(0x1c);
  return handles;
}

/// What hipLibrary_t stands for.
class Library : public std::enable_shared_from_this<Library> {
 public:
  Library(std::vector<std::byte> image, std::string origin)
      : image_(std::move(image)), origin_(std::move(origin)) {}
  ~Library() {
    for (const auto& [name, kernel] : kernels_) library_kernels().remove(kernel);
  }

  hipLibrary_t handle = nullptr;

  std::shared_ptr<Module> module(int device) {
    const std::lock_guard lock(mutex_);
    auto& module = modules_[device];
    if (!module) {
      module = Module::load(image_, origin_, device);
      module->make_managed();
    }
    return module;
  }

  /// Null when there is no such kernel.
  hipFunction_t kernel(const std::string& name) {
    if (!module(current_device())->object().find_kernel(name)) return nullptr;
    const std::lock_guard lock(mutex_);
    hipFunction_t& kernel = kernels_[name];
    if (!kernel)
      kernel = library_kernels().add(
          std::make_shared<LibraryKernel>(LibraryKernel{weak_from_this(), name}));
    return kernel;
  }

 private:
  std::vector<std::byte> image_;
  std::string origin_;
  std::mutex mutex_;
  std::map<int, std::shared_ptr<Module>> modules_;  ///< by device
  std::map<std::string, hipFunction_t> kernels_;
};

std::shared_ptr<Library> find_library(hipLibrary_t handle) {
  auto library = libraries().find(handle);
  require(library != nullptr, hipErrorInvalidHandle);
  return library;
}

std::shared_ptr<LibraryKernel> find_kernel(hipKernel_t handle) {
  auto kernel = library_kernels().find(reinterpret_cast<hipFunction_t>(handle));
  require(kernel != nullptr, hipErrorInvalidHandle);
  return kernel;
}

std::shared_ptr<Function> function_on(const LibraryKernel& kernel, int device) {
  const auto library = kernel.library.lock();
  return library ? library->module(device)->function(kernel.name) : nullptr;
}

std::shared_ptr<Function> function_on(hipKernel_t kernel, int device) {
  const auto found = find_kernel(kernel);
  require_device(device);
  auto function = function_on(*found, device);
  require(function != nullptr, hipErrorInvalidHandle);
  return function;
}

hipError_t load(hipLibrary_t* result, std::vector<std::byte> image, std::string origin) {
  auto library = std::make_shared<Library>(std::move(image), std::move(origin));
  (void)library->module(current_device());  // says now what is wrong with it
  *result = library->handle = libraries().add(library);
  return hipSuccess;
}

/// A variable of a library on the current device.
hipError_t find_variable(void** address, std::size_t* size, hipLibrary_t library, const char* name,
                         bool managed) {
  return api([&] {
    require(name && (address || size));
    const auto module = find_library(library)->module(current_device());
    const auto variable = module->variable(name);
    require(variable.has_value() && module->is_managed(name) == managed, hipErrorNotFound);
    if (address) *address = variable->address;
    if (size) *size = variable->size;
    return hipSuccess;
  });
}

}  // namespace

std::shared_ptr<Function> find_library_function(hipFunction_t kernel) {
  const auto found = library_kernels().find(kernel);
  return found ? function_on(*found, current_device()) : nullptr;
}

// Options are for compilers of PTX: there is nothing to choose.

HIP_API hipError_t hipLibraryLoadData(hipLibrary_t* library, const void* code, void* jit_options,
                                      void** jit_values, unsigned jit_count, void* options,
                                      void** values, unsigned count) {
  return api([&] {
    require(library && code);
    const std::string origin = fmt::format("library image at {}", code);
    const auto image = whole_image(code, origin);
    return load(library, {image.begin(), image.end()}, origin);
  });
}

HIP_API hipError_t hipLibraryLoadFromFile(hipLibrary_t* library, const char* path,
                                          void* jit_options, void** jit_values, unsigned jit_count,
                                          void* options, void** values, unsigned count) {
  return api([&] {
    require(library && path && *path);
    return load(library, read_image(path), path);
  });
}

HIP_API hipError_t hipLibraryUnload(hipLibrary_t library) {
  return api([&] {
    require(libraries().remove(library) != nullptr, hipErrorInvalidHandle);
    return hipSuccess;
  });
}

HIP_API hipError_t hipLibraryGetKernel(hipKernel_t* kernel, hipLibrary_t library,
                                       const char* name) {
  return api([&] {
    require(kernel && name);
    const hipFunction_t found = find_library(library)->kernel(name);
    require(found != nullptr, hipErrorNotFound);
    *kernel = reinterpret_cast<hipKernel_t>(found);
    return hipSuccess;
  });
}

HIP_API hipError_t hipLibraryGetKernelCount(unsigned* count, hipLibrary_t library) {
  return api([&] {
    require(count != nullptr);
    const auto module = find_library(library)->module(current_device());
    *count = static_cast<unsigned>(module->object().kernels().size());
    return hipSuccess;
  });
}

HIP_API hipError_t hipLibraryEnumerateKernels(hipKernel_t* kernels, unsigned count,
                                              hipLibrary_t library) {
  return api([&] {
    require(kernels && count);
    const auto found = find_library(library);
    const auto module = found->module(current_device());
    for (const code::Kernel& kernel : module->object().kernels()) {
      if (count-- == 0) break;
      *kernels++ = reinterpret_cast<hipKernel_t>(found->kernel(kernel.name));
    }
    return hipSuccess;
  });
}

HIP_API hipError_t hipLibraryGetGlobal(void** address, std::size_t* size, hipLibrary_t library,
                                       const char* name) {
  return find_variable(address, size, library, name, false);
}
HIP_API hipError_t hipLibraryGetManaged(void** address, std::size_t* size, hipLibrary_t library,
                                        const char* name) {
  return find_variable(address, size, library, name, true);
}

HIP_API hipError_t hipKernelGetLibrary(hipLibrary_t* library, hipKernel_t kernel) {
  return api([&] {
    require(library != nullptr);
    const auto found = find_kernel(kernel)->library.lock();
    require(found != nullptr, hipErrorInvalidHandle);
    *library = found->handle;
    return hipSuccess;
  });
}

HIP_API hipError_t hipKernelGetName(const char** name, hipKernel_t kernel) {
  return api([&] {
    require(name != nullptr);
    *name = find_kernel(kernel)->name.c_str();
    return hipSuccess;
  });
}

HIP_API hipError_t hipKernelGetFunction(hipFunction_t* function, hipKernel_t kernel) {
  return api([&] {
    require(function != nullptr);
    *function = function_on(kernel, current_device())->handle;
    return hipSuccess;
  });
}

HIP_API hipError_t hipKernelGetParamInfo(hipKernel_t kernel, std::size_t index, std::size_t* offset,
                                         std::size_t* size) {
  return api([&] {
    require(offset != nullptr);
    const auto function = function_on(kernel, current_device());
    const auto& arguments = function->kernel->arguments;
    require(index < arguments.size() && !arguments[index].is_hidden());
    *offset = arguments[index].offset;
    if (size) *size = arguments[index].size;
    return hipSuccess;
  });
}

HIP_API hipError_t hipKernelGetAttribute(int* value, hipFunction_attribute which,
                                         hipKernel_t kernel, hipDevice_t device) {
  return api([&] {
    require(value != nullptr);
    *value = attribute(*function_on(kernel, device), which);
    return hipSuccess;
  });
}

HIP_API hipError_t hipKernelSetAttribute(hipFunction_attribute which, int value, hipKernel_t kernel,
                                         hipDevice_t device) {
  return api([&] {
    set_attribute(*function_on(kernel, device), which, value);
    return hipSuccess;
  });
}
// hipFuncAttribute has the numbers of hipFunction_attribute.
HIP_API hipError_t hipKernelSetAttributeForDevice(hipKernel_t kernel, hipFuncAttribute which,
                                                  int value, int device) {
  return hipKernelSetAttribute(static_cast<hipFunction_attribute>(which), value, kernel, device);
}

}  // namespace hipsight::runtime
