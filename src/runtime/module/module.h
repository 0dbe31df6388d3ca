#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "runtime/handles.h"
#include "runtime/hip_types.h"
#include "services/variables.h"

namespace hipsight::runtime {

/// A kernel of a module that is loaded on one device: what hipFunction_t stands for.
struct Function {
  std::shared_ptr<engine::Module> code;
  const code::Kernel* kernel = nullptr;
  int device = 0;
  hipFunction_t handle = nullptr;
  std::atomic<int> dynamic_lds{-1};  ///< that the program asked for; -1: all that there is
};

/// An attribute of a kernel (occupancy.cpp). @throws Failure hipErrorInvalidValue.
int attribute(const Function& function, hipFunction_attribute which);
/// Sets what a program may set. @throws Failure hipErrorInvalidValue.
void set_attribute(Function& function, hipFunction_attribute which, int value);

using services::Variable;

/// A code object loaded on one device: what hipModule_t stands for, and what a registered fat
/// binary becomes when it is first needed.
class Module {
 public:
  /// Opens a code object or fat binary and loads what fits the device.
  /// @throws Failure hipErrorInvalidImage or hipErrorNoBinaryForGpu, after telling the user why.
  static std::shared_ptr<Module> load(std::span<const std::byte> image, const std::string& origin,
                                      int device);
  /// The same for an image whose end is not known.
  static std::shared_ptr<Module> load(const void* image, const std::string& origin, int device);
  ~Module();

  /// Gives its managed variables memory, where no host code has registered them and so has them.
  void make_managed();

  /// Null when the module has no such kernel.
  std::shared_ptr<Function> function(std::string_view name);
  std::optional<Variable> variable(std::string_view name) const { return variables_->find(name); }
  bool is_managed(std::string_view variable) const { return variables_->is_managed(variable); }
  const code::CodeObject& object() const { return code_->object(); }

 private:
  Module() = default;
  std::shared_ptr<engine::Module> code_;
  int device_ = 0;
  std::optional<services::Variables> variables_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Function>, std::less<>> functions_;
};

/// An image whose end is not known. @throws Failure hipErrorInvalidImage, after telling the user
/// why.
std::span<const std::byte> whole_image(const void* image, const std::string& origin);
/// The bytes of a file. @throws Failure hipErrorFileNotFound, after telling the user.
std::vector<std::byte> read_image(const char* path);

/// The function on the current device of a library's kernel (library.cpp); null if it is none.
std::shared_ptr<Function> find_library_function(hipFunction_t kernel);

/// The function behind a handle, be it a function's or a library's kernel's; or null.
std::shared_ptr<Function> find_function_if_any(hipFunction_t handle);
/// The function behind a handle. @throws Failure hipErrorInvalidHandle.
std::shared_ptr<Function> find_function(hipFunction_t handle);

}  // namespace hipsight::runtime
