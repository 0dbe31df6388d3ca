#pragma once
// Kernels of a code object that the tests here compile, on one GPU: all that they take is pointers.

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "gpus/gpu.h"
#include "support/files.h"

namespace hipsight::engine {

struct Where {
  const char* gpu;
  const char* file;  ///< the code object
};
/// Names the cases of a parametrised test.
inline std::string name_of(const testing::TestParamInfo<Where>& info) {
  return info.param.gpu;
}

class Kernels {
 public:
  explicit Kernels(const Where& where, const Options& options = {.threads = 1})
      : Kernels(gpus::find(where.gpu), where.file, options) {}
  Kernels(gpus::Gpu gpu, const char* file, const Options& options = {.threads = 1})
      : engine(std::move(gpu), options), file_(file) {
    reload();
    engine.on_overrun([this](const std::string& what) { told.push_back(what); });
  }

  /// Unloads the module, and loads it anew.
  void reload() {
    module = nullptr;
    module = Module::load(code::CodeObject::read(read_bytes(file_), file_), engine.memory());
  }

  /// Device memory, zero-filled.
  std::uint32_t* array(std::size_t words) {
    return static_cast<std::uint32_t*>(
        engine.memory().allocate(words * 4, Memory::Kind::Device, "array"));
  }

  void on_overrun(std::function<void(const std::string&)> handler) {
    engine.on_overrun(std::move(handler));
  }

  /// Runs one workgroup, or several.
  void run(const std::string& name, std::uint32_t items,
           std::initializer_list<const std::uint32_t*> pointers, std::uint32_t workgroups,
           Observer* observer) {
    run(name, items, pointers, workgroups, std::vector{observer});
  }
  void run(const std::string& name, std::uint32_t items,
           std::initializer_list<const std::uint32_t*> pointers, std::uint32_t workgroups = 1,
           const std::vector<Observer*>& observers = {}) {
    const code::Kernel* kernel = module->object().find_kernel(name);
    ASSERT_NE(kernel, nullptr) << name;
    std::vector<std::byte> kernarg(kernel->kernarg_size);
    std::size_t argument = 0;
    for (const std::uint32_t* pointer : pointers)
      std::memcpy(kernarg.data() + kernel->arguments.at(argument++).offset, &pointer, 8);
    result = engine.run({.module = module,
                         .kernel = kernel,
                         .grid = {items * workgroups, 1, 1},
                         .block = {items, 1, 1},
                         .kernarg = kernarg,
                         .cooperative = cooperative,
                         .observers = observers,
                         .observed_only = observed_only});
  }

  bool observed_only = false;  ///< runs no other workgroups
  bool cooperative = false;

  Result result;                  ///< of the last run
  std::vector<std::string> told;  ///< what the engine says of what a kernel does

  const std::string& processor() const { return module->object().target().processor; }

 private:
  Engine engine;
  std::shared_ptr<Module> module;
  std::string file_;
};

}  // namespace hipsight::engine
