#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "hipsight/abi.h"
#include "hipsight/expected.h"
#include "hipsight/values.h"
#include "hipsight/wire.h"

/// Runs kernels of AMD GPUs, and tells what they did and how long they would take.
///
///     auto gpu = hipsight::Gpu::open("mi300x");
///     auto module = gpu->load_file("saxpy.co");
///     auto x = gpu->allocate(n * sizeof(float));
///     auto report = module->kernel("saxpy")->launch({.grid = {n / 256}, .block = {256}}, n, *x);
///
/// Threads: all that stands here may be called from several threads at once; one launch after
/// another gives the same as on one thread, launches at a time share the host's cores. A launch
/// returns when it has ended. Ownership: a Gpu, Module, Kernel or Buffer is a reference; what it
/// stands for goes with the last one, and a module keeps its GPU. Nothing throws but
/// std::bad_alloc of the program's own copies; nothing is printed, but for what a kernel prints.
namespace hipsight {

/// Of a GPU that is opened.
struct GpuOptions {
  std::uint32_t threads = 0;   ///< host threads; 0: one per core
  double timeout_seconds = 0;  ///< the longest that emulating a launch may take; 0: no limit
  bool strict = false;         ///< accesses beyond an allocation fail where a GPU lets them pass
  bool exact_matrix = false;   ///< matrix instructions sum as the hardware does (docs/matrix.md)
  bool interpret = false;      ///< never translate: slow
  /// Kernels compute no results: of a launch only what its prediction needs runs, and nothing of
  /// one like another before it in the same recordings. Buffers may be larger than the host's
  /// memory.
  bool timing_only = false;
  HIPSIGHT_FIELDS(threads, timeout_seconds, strict, exact_matrix, interpret, timing_only)
};

struct LaunchConfig {
  Dim3 grid = {};   ///< workgroups
  Dim3 block = {};  ///< work-items of a workgroup
  std::uint32_t dynamic_lds = 0;
  bool cooperative = false;
  /// Workgroups whose memory accesses are observed; 0: none, and no profile. A prediction needs
  /// some, and takes 64 where this is 0.
  std::uint32_t profile = 0;
  bool predict = false;
  Caches caches = Caches::Cold;  ///< of the prediction
  bool sampled_only = false;     ///< run only what is observed: results of the kernel are missing
  bool fidelity = false;         ///< say how exact the instructions were
  /// Instructions of a compute unit's waves that a prediction simulates, the rest being
  /// extrapolated; 0: as many as `hipsight predict`.
  std::uint64_t simulate = 0;
  std::string range = {};  ///< where in the program the launch is, for recordings (RecordedLaunch)
  /// Other GPUs that run the same machine code ("mi325x" beside "mi300x"), by name or file: the
  /// launch, which runs once, is predicted for each (KernelReport::also). A GPU of another target
  /// is refused (Error::Kind::Usage).
  std::vector<std::string> also = {};
  HIPSIGHT_FIELDS(grid, block, dynamic_lds, cooperative, profile, predict, caches, sampled_only,
                  fidelity, simulate, range, also)
};

/// What a Recording finds out of the launches that it sees.
struct RecordConfig {
  std::uint32_t profile = 0;  ///< as LaunchConfig's, of the first launch of each kernel
  bool predict = true;        ///< of each launch that differs from those before it
  Caches caches = Caches::Cold;
  bool fidelity = false;
  /// Tools of docs/check.md that look for errors, joined by commas: "memcheck,racecheck". Their
  /// findings are in the report. Empty: none. Not leakcheck, which is of a whole program, and not
  /// of a GPU that computes no results (Error::Kind::Usage).
  std::string check = {};
  HIPSIGHT_FIELDS(profile, predict, caches, fidelity, check)
};

namespace detail {

/// What an answer of the library holds.
template <class T>
Expected<T> value_of(HipsightAnswer answer) {
  const std::unique_ptr<HipsightAnswer, void (*)(HipsightAnswer*)> owner(
      &answer, [](HipsightAnswer* a) { hipsight_release_answer(*a); });
  wire::Reader reader({answer.bytes, answer.size});
  if (answer.failed) {
    Error error;
    reader.get(error);
    return error;
  }
  T value{};
  if constexpr (!std::is_same_v<T, std::monostate>) reader.get(value);
  if (!reader.whole()) return Error{Error::Kind::Incompatible, "", "the library's answer is cut"};
  return value;
}

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  wire::Writer writer;
  writer.put(value);
  return writer.bytes();
}

using Object = std::shared_ptr<HipsightObject>;
inline Object own(HipsightObject* object) {
  return {object, [](HipsightObject* o) {
            if (o) hipsight_release(o);
          }};
}

}  // namespace detail

/// Memory of a GPU, or lent to it. Its addresses are the host's too: host code reads and writes it
/// in place. A GPU's own is zeros at first.
class Buffer {
 public:
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// As so many whole values of a type.
  template <class T>
  std::span<T> as() const {
    return {reinterpret_cast<T*>(data_), size_ / sizeof(T)};
  }

 private:
  friend class Gpu;
  friend class Kernel;
  Buffer(std::shared_ptr<void> owner, std::size_t size)
      : owner_(std::move(owner)), data_(static_cast<std::byte*>(owner_.get())), size_(size) {}
  std::shared_ptr<void> owner_;
  std::byte* data_;
  std::size_t size_;
};

class Kernel {
 public:
  const KernelFacts& facts() const { return facts_; }

  /// Runs one launch to its end. `arguments` are the kernel's, in order: a Buffer for a pointer,
  /// else a value of just the kernel's type.
  /// Errors: InvalidLaunch, and what the kernel does wrong.
  template <class... Arguments>
  Expected<KernelReport> launch(const LaunchConfig& config, const Arguments&... arguments) const {
    return launch_list(config, std::vector<HipsightArgument>{pointer_to(arguments)...});
  }
  /// The same with arguments that only the run tells: where each lies, and its bytes.
  Expected<KernelReport> launch_list(const LaunchConfig& config,
                                     std::span<const HipsightArgument> arguments) const {
    const auto bytes = detail::bytes_of(config);
    return detail::value_of<KernelReport>(hipsight_launch(module_.get(), facts_.name.c_str(),
                                                          bytes.data(), bytes.size(),
                                                          arguments.data(), arguments.size()));
  }

 private:
  friend class Module;
  Kernel(detail::Object module, KernelFacts facts)
      : module_(std::move(module)), facts_(std::move(facts)) {}

  static HipsightArgument pointer_to(const Buffer& buffer) {
    return {&buffer.data_, sizeof buffer.data_};
  }
  template <class T>
  static HipsightArgument pointer_to(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>, "an argument of a kernel is plain bytes");
    return {&value, sizeof value};
  }

  detail::Object module_;
  KernelFacts facts_;
};

/// The device code of a file that fits a GPU, loaded there.
class Module {
 public:
  const std::vector<KernelFacts>& kernels() const { return kernels_; }

  /// The kernel of this name, as in the code object, or as in the source where only one is called
  /// so: "saxpy", "gemm<float>". Error: NotFound, with what there is.
  Expected<Kernel> kernel(std::string_view name) const {
    const KernelFacts* found = nullptr;
    std::string all;
    for (const KernelFacts& one : kernels_) {
      if (one.name == name) return Kernel(module_, one);
      all += "\n  " + one.title;
      if (!is_name_of(one.title, name)) continue;
      if (found)
        return Error{Error::Kind::Usage, std::string(name),
                     "two kernels are called '" + std::string(name) + "': take the whole name"};
      found = &one;
    }
    if (found) return Kernel(module_, *found);
    return Error{Error::Kind::NotFound, std::string(name),
                 "no kernel is called '" + std::string(name) + "'; there " +
                     (all.empty() ? "are none" : "are:" + all)};
  }

  /// A device variable's memory, by its name in the code object. Error: NotFound.
  Expected<std::span<std::byte>> variable(const std::string& name) const {
    void* address = nullptr;
    std::size_t size = 0;
    const auto done = detail::value_of<std::monostate>(
        hipsight_variable(module_.get(), name.c_str(), &address, &size));
    if (!done) return done.error();
    return std::span(static_cast<std::byte*>(address), size);
  }

 private:
  friend class Gpu;
  /// A template's title begins with what it gives.
  static bool is_name_of(std::string_view title, std::string_view name) {
    constexpr std::string_view gives = "void ";
    if (title.starts_with(gives) && !name.starts_with(gives)) title.remove_prefix(gives.size());
    return title.starts_with(name) && (title.size() == name.size() || title[name.size()] == '(');
  }

  Module(detail::Object module, std::vector<KernelFacts> kernels)
      : module_(std::move(module)), kernels_(std::move(kernels)) {}
  detail::Object module_;
  std::vector<KernelFacts> kernels_;
};

/// All launches on a GPU, of all threads, that begin between Gpu::record and `stop` or its end.
/// Several may be open at a time: each sees them all.
class Recording {
 public:
  /// What they did until now. Launches of one kernel with one block and one amount of LDS are one
  /// entry; launches that failed are in `errors`.
  Expected<RunReport> report() const {
    return detail::value_of<RunReport>(hipsight_recorded(recording_.get()));
  }
  /// Those that ended without an error, in the order in which they ended.
  Expected<std::vector<RecordedLaunch>> launches() const {
    return detail::value_of<std::vector<RecordedLaunch>>(
        hipsight_recorded_launches(recording_.get()));
  }
  /// Launches that run are still counted when they end.
  Done stop() const { return detail::value_of<std::monostate>(hipsight_stop(recording_.get())); }

 private:
  friend class Gpu;
  explicit Recording(detail::Object recording) : recording_(std::move(recording)) {}
  detail::Object recording_;
};

/// An emulated GPU with its memory. A process may have several, of several kinds.
class Gpu {
 public:
  /// Those that hipsight knows, by name.
  static Expected<std::vector<GpuFacts>> known() {
    return detail::value_of<std::vector<GpuFacts>>(hipsight_gpus());
  }

  /// `name`: as `hipsight gpus` lists it, or the path of a GPU file (docs/gpu-files.md).
  /// Errors: NotFound; Usage; Incompatible, when the library is older than these headers.
  static Expected<Gpu> open(const std::string& name, const GpuOptions& options = {}) {
    if (hipsight_abi_version() < hipsight_abi)
      return Error{Error::Kind::Incompatible, "libhipsight",
                   "libhipsight is older than the headers that this program was built with"};
    const auto bytes = detail::bytes_of(options);
    HipsightObject* object = nullptr;
    auto facts = detail::value_of<GpuFacts>(
        hipsight_open(name.c_str(), bytes.data(), bytes.size(), &object));
    if (!facts) return facts.error();
    return Gpu(detail::own(object), *std::move(facts));
  }

  const GpuFacts& facts() const { return facts_; }

  /// How long an all-reduce of `bytes` in each of so many such GPUs would take, in a node in which
  /// all have a link to each other. Error: Usage, where there are no such nodes.
  Expected<CollectiveTime> all_reduce(std::uint32_t ranks, std::uint64_t bytes) const {
    return detail::value_of<CollectiveTime>(hipsight_all_reduce(gpu_.get(), ranks, bytes));
  }
  /// How long any other operation would take, of GPUs like this one. Error: Usage, as above.
  Expected<CollectiveTime> time_of(const Collective& operation) const {
    const auto bytes = detail::bytes_of(operation);
    return detail::value_of<CollectiveTime>(
        hipsight_collective(gpu_.get(), bytes.data(), bytes.size()));
  }

  /// `label`: what errors call this memory. Error: OutOfMemory.
  Expected<Buffer> allocate(std::size_t bytes, const std::string& label = "buffer") const {
    void* memory = nullptr;
    const auto done = detail::value_of<std::monostate>(
        hipsight_allocate(gpu_.get(), bytes, label.c_str(), &memory));
    if (!done) return done.error();
    return Buffer(
        {memory, [gpu = gpu_](void* m) { hipsight_release_answer(hipsight_free(gpu.get(), m)); }},
        bytes);
  }

  /// Lets kernels use memory of the program's own, in place, until the Buffer goes; the memory must
  /// live as long. Error: Usage, when it shares bytes with another buffer.
  Expected<Buffer> lend(std::span<std::byte> memory, const std::string& label = "memory") const {
    const auto done = detail::value_of<std::monostate>(
        hipsight_lend(gpu_.get(), memory.data(), memory.size(), label.c_str()));
    if (!done) return done.error();
    return Buffer(
        {static_cast<void*>(memory.data()),
         [gpu = gpu_](void* m) { hipsight_release_answer(hipsight_take_back(gpu.get(), m)); }},
        memory.size());
  }

  /// A code object, a bundle (compressed or not), or a program or library with device code in it;
  /// `origin` is what errors call it. Error: BadCode.
  Expected<Module> load(std::span<const std::byte> image, const std::string& origin) const {
    HipsightObject* module = nullptr;
    return module_of(hipsight_load(gpu_.get(), image.data(), image.size(), origin.c_str(), &module),
                     module);
  }
  /// The same from a file. Errors: NotFound, BadCode.
  Expected<Module> load_file(const std::string& path) const {
    HipsightObject* module = nullptr;
    return module_of(hipsight_load_file(gpu_.get(), path.c_str(), &module), module);
  }

  /// Begins to collect what launches on this GPU do, whoever makes them. A launch that is predicted
  /// takes a second or so more; one that is like another before it does not.
  Expected<Recording> record(const RecordConfig& config = {}) const {
    const auto bytes = detail::bytes_of(config);
    HipsightObject* object = nullptr;
    const auto done = detail::value_of<std::monostate>(
        hipsight_record(gpu_.get(), bytes.data(), bytes.size(), &object));
    if (!done) return done.error();
    return Recording(detail::own(object));
  }

 private:
  Gpu(detail::Object gpu, GpuFacts facts) : gpu_(std::move(gpu)), facts_(std::move(facts)) {}

  static Expected<Module> module_of(HipsightAnswer answer, HipsightObject*& module) {
    auto kernels = detail::value_of<std::vector<KernelFacts>>(answer);
    if (!kernels) return kernels.error();
    return Module(detail::own(module), *std::move(kernels));
  }

  detail::Object gpu_;
  GpuFacts facts_;
};

}  // namespace hipsight
