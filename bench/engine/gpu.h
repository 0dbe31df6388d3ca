#pragma once
// Kernels of HIP code on an emulated GPU, without the HIP runtime.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"

namespace hipsight::bench {

/// What a launch did, and what it took.
struct Ran {
  double instructions = 0;  ///< wave-instructions
  double seconds = 0;       ///< of the launching thread's processor time
  double on_the_wall = 0;   ///< seconds
  std::size_t code = 0;     ///< instructions of the program that were reached
};

class Gpu {
 public:
  /// `name`: as `hipsight gpus` lists it.
  Gpu(const std::string& name, const engine::Options& options);

  engine::Engine& engine() { return engine_; }
  const std::string& processor() const { return engine_.gpu().processor; }
  unsigned wave() const { return engine_.gpu().wavefront_size; }

  /// Device memory with a copy of these, or zeros; it lives as long as the GPU.
  template <class T>
  T* array(const std::vector<T>& values) {
    T* to = array<T>(values.size());
    std::ranges::copy(values, to);
    return to;
  }
  template <class T>
  T* array(std::size_t size) {
    return static_cast<T*>(allocate(size * sizeof(T)));
  }

 private:
  void* allocate(std::size_t bytes);

  engine::Engine engine_;
};

/// While it lives, launches are observed.
class Observing {
 public:
  explicit Observing(engine::Observer& observer);
  ~Observing();
  Observing(const Observing&) = delete;
  Observing& operator=(const Observing&) = delete;
};

/// A kernel and the launch of it that is measured.
class Launch {
 public:
  /// `file`: a code object, or a program with HIP code in it. `name`: the kernel's, or a part of
  /// it.
  Launch(Gpu& gpu, const std::filesystem::path& file, std::string_view name);

  /// Sizes in workgroups and in work-items of one; then the kernel's arguments.
  template <class... Arguments>
  Launch& with(engine::Dim3 groups, engine::Dim3 block, const Arguments&... arguments) {
    const void* values[]{&arguments...};
    prepare(groups, block, values);
    return *this;
  }

  /// @throws engine::KernelError.
  Ran run() const;

 private:
  void prepare(engine::Dim3 groups, engine::Dim3 block, std::span<const void* const> arguments);

  engine::Engine* engine_;
  std::shared_ptr<engine::Module> module_;
  const code::Kernel* kernel_ = nullptr;
  engine::Dim3 grid_, block_;
  std::vector<std::byte> kernarg_;
};

}  // namespace hipsight::bench
