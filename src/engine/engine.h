#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "code/code_object.h"
#include "engine/memory/memory.h"
#include "gpus/gpu.h"
#include "isa/instruction.h"

namespace hipsight {
struct Config;
}

namespace hipsight::engine {

class Observer;

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t volume() const { return std::uint64_t{x} * y * z; }
};

/// A code object placed in device memory. Kernels are decoded when they first run.
class Module {
 public:
  /// `at`: where its image has to begin; 0: anywhere.
  /// @throws Exception when the image cannot be loaded or relocated.
  static std::shared_ptr<Module> load(std::shared_ptr<const code::CodeObject> object,
                                      Memory& memory, std::uintptr_t at = 0);
  virtual ~Module() = default;

  const code::CodeObject& object() const { return *object_; }
  /// Address in device memory of a virtual address of the code object.
  std::byte* address(std::uint64_t virtual_address) const { return image_ + virtual_address; }

  struct Code {
    std::shared_ptr<const code::CodeObject> object;
    std::uintptr_t address = 0;  ///< where its image begins
  };
  /// Other code objects that are loaded, and whose functions its kernels have called.
  virtual std::vector<Code> called() const = 0;

 protected:
  std::shared_ptr<const code::CodeObject> object_;
  std::byte* image_ = nullptr;
};

/// One launch of one kernel.
/// What clocks say that kernels read, where they are not the host's. Each read by a wave is a
/// little later than the one before.
struct KernelClock {
  double seconds = 0;  ///< when the launch begins
  double ghz = 1;      ///< of the counter of cycles
  /// About what a loop takes that waits for a clock: assumed (docs/timeline.md).
  static constexpr double cycles_a_read = 64;
};

struct Dispatch {
  std::shared_ptr<Module> module;
  const code::Kernel* kernel = nullptr;
  Dim3 grid;   ///< work-items (not workgroups); need not be a multiple of `block`
  Dim3 block;  ///< work-items of a workgroup
  std::uint32_t dynamic_lds = 0;       ///< bytes beyond the kernel's fixed LDS
  std::span<const std::byte> kernarg;  ///< the whole kernarg segment, hidden arguments filled
  bool cooperative = false;
  int device = 0;  ///< the GPU, as memory numbers it: others' memory is reached over links
  /// Workgroups run in order on the calling thread, so that what comes of atomics is the same each
  /// time.
  bool in_order = false;
  /// In each byte of LDS, scratch and registers that a workgroup begins with. None: 0 in LDS, and
  /// what others have left.
  std::optional<std::uint8_t> unwritten = {};
  std::atomic<std::uint64_t>* finished = nullptr;  ///< if given, counts workgroups that have ended
  std::vector<Observer*> observers;                ///< are told what workgroups do
  /// Only workgroups that an observer chose run: what the launch would have computed is missing.
  bool observed_only = false;
  std::optional<KernelClock> clock = {};  ///< none: the host's

  /// How many workgroups there are; the last ones may be cut off by the grid.
  Dim3 groups() const {
    const auto parts = [](std::uint32_t items, std::uint32_t of) {
      return items / of + (items % of != 0);
    };
    return {parts(grid.x, block.x), parts(grid.y, block.y), parts(grid.z, block.z)};
  }
};

/// A stretch of code that always runs from its first to its last instruction under one EXEC.
struct RegionOfCode {
  const isa::Instruction* first = nullptr;  ///< the others follow in memory
  std::uint32_t count = 0;
};

/// How matrix instructions sum: by the quickest chain of FMAs, or as the hardware was measured to
/// (docs/matrix.md); or not at all, where only what else a kernel does is of interest.
enum class MatrixMode : std::uint8_t { Fast, Exact, Skip };

/// How often one instruction ran: exact.
struct InstructionCount {
  const isa::Instruction* instruction = nullptr;  ///< lives as long as the module
  std::uint64_t executions = 0;                   ///< wave-instructions
  std::uint64_t lanes = 0;                        ///< active lanes, summed over executions
};

struct Result {
  std::vector<InstructionCount> counts;  ///< instructions that ran, in address order
  std::vector<RegionOfCode> regions;  ///< by the numbers that observers are told, if there are any
  std::uint64_t waves = 0;
  std::uint64_t workgroups = 0;
  double host_seconds = 0;
  MatrixMode matrix = MatrixMode::Fast;
  std::uint64_t executed = 0;  ///< workgroups; of fewer than all, `counts` are scaled to all
};

/// How kernels run: by interpretation alone; translated as soon as control reaches them, which is
/// for tests; or translated in the background once that is worth it.
enum class Tier : std::uint8_t { Interpret, Translate, Auto };

struct Options {
  unsigned threads = 0;                  ///< host threads; 0: one per core
  std::chrono::milliseconds timeout{0};  ///< longest time of one launch; 0: no limit
  bool strict = false;  ///< accesses beyond an allocation are errors even where a GPU, which
                        ///< protects whole pages, would not notice
  Tier tier = Tier::Auto;
  MatrixMode matrix = MatrixMode::Fast;

  static Options of(const Config& config);
};

/// What a kernel did wrong; what() is the whole report: kernel, instruction, address, source line,
/// and for an access the nearest allocation.
class KernelError : public std::runtime_error {
 public:
  enum class Kind { UnknownInstruction, MemoryAccess, Timeout, Trap, InvalidLaunch, Deadlock };
  KernelError(Kind kind, std::string message)
      : std::runtime_error(std::move(message)), kind(kind) {}
  Kind kind;
};

/// Runs kernels on the host's cores.
class Engine {
 public:
  Engine(gpus::Gpu gpu, Options options);
  ~Engine();

  const gpus::Gpu& gpu() const;
  MatrixMode matrix() const;
  Memory& memory();

  /// Runs one launch to its end; launches may come from several threads.
  /// @throws KernelError.
  Result run(const Dispatch& dispatch);

  /// Called while waves wait on a host service (printf, device malloc): s_sendmsg doorbells.
  void on_doorbell(std::function<void(std::uint32_t)> handler);

  /// Called, once for each instruction, when an access runs beyond an allocation but not beyond its
  /// pages (Options::strict).
  void on_overrun(std::function<void(const std::string&)> handler);

  /// The host instruction set in use: "avx512", "avx2" or "sse4" (Host::isa).
  static std::string host_isa();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hipsight::engine
