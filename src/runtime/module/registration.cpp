#include "runtime/module/registration.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "runtime/state.h"

namespace hipsight::runtime {
namespace {

/// What the compiler passes to __hipRegisterFatBinary (clang: __CudaFatBinaryWrapper).
struct FatBinaryWrapper {
  std::uint32_t magic;  ///< "HIPF"
  std::uint32_t version;
  const void* binary;
  const void* unused;
};
constexpr std::uint32_t fat_binary_magic = 0x48495046;

struct ManagedVariable {
  const char* name;  ///< of the device's pointer to it
  void** pointer;    ///< the host's pointer to it
  std::size_t size;
};

/// One registered fat binary. Only pointers into the program are kept; nothing is read before a
/// kernel is launched or a variable asked for: large programs register thousands of kernels.
struct Binary {
  const void* image = nullptr;
  std::mutex mutex;
  std::vector<std::shared_ptr<Module>> modules;  ///< by device
  std::vector<ManagedVariable> managed;

  std::shared_ptr<Module> module(int device);
};

struct Entry {
  Binary* binary;
  const char* name;
};

struct Registry {
  std::shared_mutex mutex;
  std::unordered_map<Binary*, std::unique_ptr<Binary>> binaries;
  std::unordered_map<const void*, Entry> kernels;    ///< by host stub
  std::unordered_map<const void*, Entry> variables;  ///< by host variable
};

Registry& registry() {
  static auto& registry = *new Registry;
  return registry;
}

std::string origin_of(const void* image) {
  Dl_info info{};
  return dladdr(image, &info) && info.dli_fname ? info.dli_fname
                                                : fmt::format("fat binary at {}", image);
}

std::shared_ptr<Module> Binary::module(int device) {
  const std::lock_guard lock(mutex);
  modules.resize(std::max<std::size_t>(modules.size(), static_cast<std::size_t>(device) + 1));
  auto& module = modules[static_cast<std::size_t>(device)];
  if (!module) {
    module = Module::load(image, origin_of(image), device);
    // In device code a managed variable is a pointer that the runtime sets.
    for (const ManagedVariable& variable : managed)
      if (const auto pointer = module->variable(variable.name);
          pointer && pointer->size >= sizeof(void*))
        memory().copy(pointer->address, variable.pointer, sizeof(void*));
  }
  return module;
}

void add_entry(std::unordered_map<const void*, Entry>& entries, void** handle, const void* host,
               const char* name) {
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  auto* binary = reinterpret_cast<Binary*>(handle);
  if (host && name && all.binaries.contains(binary)) entries.emplace(host, Entry{binary, name});
}

/// The entry of a host address. The lock is kept while the entry is used: dlclose in another thread
/// would take the binary away.
template <class Use>
auto with_entry(const std::unordered_map<const void*, Entry>& entries, const void* host,
                hipError_t otherwise, Use&& use) {
  const std::shared_lock lock(registry().mutex);
  const auto found = entries.find(host);
  require(found != entries.end(), otherwise);
  return use(found->second);
}

}  // namespace

std::shared_ptr<Function> registered_function(const void* stub, int device) {
  // Functions of modules and kernels of libraries may stand where a stub may.
  if (!registered_name(stub))
    if (auto function = find_function_if_any(static_cast<hipFunction_t>(const_cast<void*>(stub))))
      return function;
  return with_entry(registry().kernels, stub, hipErrorInvalidDeviceFunction,
                    [&](const Entry& entry) {
                      auto function = entry.binary->module(device)->function(entry.name);
                      if (!function) {
                        complain(fmt::format("{}: no kernel {} in the device code",
                                             origin_of(entry.binary->image), entry.name));
                        fail_with(hipErrorInvalidDeviceFunction);
                      }
                      return function;
                    });
}

Variable registered_variable(const void* host_variable, int device) {
  return with_entry(registry().variables, host_variable, hipErrorInvalidSymbol,
                    [&](const Entry& entry) {
                      const auto module = entry.binary->module(device);
                      for (const ManagedVariable& managed : entry.binary->managed)
                        if (static_cast<const void*>(managed.pointer) == host_variable)
                          return Variable{static_cast<std::byte*>(*managed.pointer), managed.size};
                      const auto variable = module->variable(entry.name);
                      require(variable.has_value(), hipErrorInvalidSymbol);
                      return *variable;
                    });
}

const char* registered_name(const void* stub) {
  const std::shared_lock lock(registry().mutex);
  const auto found = registry().kernels.find(stub);
  return found == registry().kernels.end() ? nullptr : found->second.name;
}

// These are called from the program's static constructors: no exception may leave them, and nothing
// may depend on the order of ours.

HIP_API void** __hipRegisterFatBinary(const void* data) noexcept try {
  const auto* wrapper = static_cast<const FatBinaryWrapper*>(data);
  if (!wrapper || wrapper->magic != fat_binary_magic || wrapper->version != 1) {
    complain("__hipRegisterFatBinary: not a fat binary of version 1; its kernels cannot run");
    return nullptr;
  }
  auto binary = std::make_unique<Binary>();
  binary->image = wrapper->binary;
  Binary* handle = binary.get();
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  all.binaries.emplace(handle, std::move(binary));
  return reinterpret_cast<void**>(handle);
} catch (...) {
  translate_exception();
  return nullptr;
}

HIP_API void __hipUnregisterFatBinary(void** handle) noexcept try {
  if (is_forked_child()) return;
  Registry& all = registry();
  std::unique_ptr<Binary> ended;
  const std::unique_lock lock(all.mutex);
  const auto found = all.binaries.find(reinterpret_cast<Binary*>(handle));
  if (found == all.binaries.end()) return;
  ended = std::move(found->second);
  all.binaries.erase(found);
  const auto is_of_it = [&](const auto& item) { return item.second.binary == ended.get(); };
  std::erase_if(all.kernels, is_of_it);
  std::erase_if(all.variables, is_of_it);
} catch (...) {
  translate_exception();
}

HIP_API void __hipRegisterFunction(void** handle, const void* stub, char* device_function,
                                   const char* device_name, unsigned thread_limit, void* thread_id,
                                   void* block_id, void* block_dim, void* grid_dim,
                                   int* warp_size) noexcept try {
  add_entry(registry().kernels, handle, stub, device_name);
} catch (...) {
  translate_exception();
}

HIP_API void __hipRegisterVar(void** handle, void* variable, char* host_name, char* device_name,
                              int is_extern, std::size_t size, int is_constant,
                              int is_global) noexcept try {
  add_entry(registry().variables, handle, variable, device_name);
} catch (...) {
  translate_exception();
}

// The host uses the pointer without asking first, so the memory must be there from the start.
HIP_API void __hipRegisterManagedVar(void* handle, void** pointer, void* initial_value,
                                     const char* name, std::size_t size,
                                     unsigned alignment) noexcept try {
  if (!pointer || !name) return;
  try {
    *pointer = memory().allocate(size, engine::Memory::Kind::Managed,
                                 fmt::format("__managed__ {}", name), 0, hipMemAttachGlobal);
  } catch (const Failure&) {
    *pointer = nullptr;
  }
  if (!*pointer) *pointer = std::calloc(1, size);  // no device: the host's part still works
  if (*pointer && initial_value) memory().copy(*pointer, initial_value, size);
  add_entry(registry().variables, static_cast<void**>(handle), static_cast<void*>(pointer), name);
  const std::unique_lock lock(registry().mutex);
  const auto binary = registry().binaries.find(static_cast<Binary*>(handle));
  if (binary != registry().binaries.end()) binary->second->managed.push_back({name, pointer, size});
} catch (...) {
  translate_exception();
}

// Texture and surface references, which HIP 5 deprecated, are not supported; the functions that
// would use them say so.
HIP_API void __hipRegisterTexture(void**, void*, char*, char*, int, int, int) noexcept {}
HIP_API void __hipRegisterSurface(void**, void*, char*, char*, int, int) noexcept {}

HIP_API const char* hipKernelNameRefByPtr(const void* stub, hipStream_t stream) {
  return registered_name(stub);
}

HIP_API const char* hipKernelNameRef(hipFunction_t function) {
  try {
    return find_function(function)->kernel->name.c_str();
  } catch (const Failure&) {
    return nullptr;
  }
}

HIP_API hipError_t hipGetSymbolAddress(void** address, const void* symbol) {
  return api([&] {
    require(address != nullptr);
    *address = registered_variable(symbol, current_device()).address;
    return hipSuccess;
  });
}

HIP_API hipError_t hipGetSymbolSize(std::size_t* size, const void* symbol) {
  return api([&] {
    require(size != nullptr);
    *size = registered_variable(symbol, current_device()).size;
    return hipSuccess;
  });
}

}  // namespace hipsight::runtime
