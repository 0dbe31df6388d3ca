#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/launch/wave.h"
#include "engine/program/program.h"

namespace hipsight::engine {

struct Overruns;

/// A semaphore of the whole GPU (GWS). Waves queue for it with tickets that are called in order.
struct GlobalSemaphore {
  std::uint32_t count = 0;
  std::uint64_t last_ticket = 0, called = 0;
};
struct GlobalSemaphores {
  static constexpr unsigned number = 64;
  std::mutex mutex;
  std::array<GlobalSemaphore, number> all;
  /// Counts what may let a wave go on; and how many workgroups were found since then that cannot.
  std::uint64_t changes = 1, stuck = 0;

  /// Of a wave: the semaphore and the place in its queue.
  static std::uint64_t ticket(unsigned semaphore, std::uint64_t place) {
    return place * number + semaphore;
  }
  bool has_called(std::uint64_t ticket) const {
    return all[ticket % number].called >= ticket / number;
  }
};

/// What registers hold when a wave starts, as far as it is the same for all waves of a launch, and
/// which scalar registers get the rest.
struct WaveStart {
  static constexpr unsigned none = ~0u;
  alignas(64) std::uint32_t scalar[reg::scalar_count]{};
  unsigned scalars = 0;  ///< that are set up, from s0 on
  std::uint32_t mode = 0, csr_32 = 0, csr_64 = 0;
  unsigned scratch_resource_at = none, scratch_at = none;
  unsigned group_at[3]{none, none, none};  ///< x, y and z of the workgroup
};

/// What all workgroups of a launch share.
struct Launch {
  const Dispatch* dispatch = nullptr;
  Program* program = nullptr;
  Memory* memory = nullptr;
  RegisterFile file;
  const Op* entry = nullptr;
  isa::Gfx gfx = isa::Gfx::Gfx942;
  Tier tier = Tier::Interpret;
  Dim3 groups;                      ///< workgroups
  std::uint32_t lds_bytes = 0;      ///< of a workgroup
  std::uint32_t scratch_bytes = 0;  ///< of a work-item, dynamic stack included
  std::uint32_t xcds = 1;
  const void* kernarg = nullptr;
  const void* dispatch_packet = nullptr;
  const void* queue = nullptr;
  const std::function<void(std::uint32_t)>* doorbell = nullptr;
  Overruns* overruns = nullptr;
  GlobalSemaphores* semaphores = nullptr;
  bool watches_order = false;  ///< of the first workgroup's waves (OrderWatch)
  WaveStart start;
  std::vector<std::uint32_t> work_item_ids;  ///< v0 of each wave of a workgroup that is not cut off
};

/// Whether rows of work-items are whole groups of lanes (AffineFlow).
constexpr bool has_whole_rows(const Dim3& block) {
  return block.x % 16 == 0;
}

/// A barrier of a workgroup: its own, or one that waves join by number (GFX12).
struct Barrier {
  static constexpr std::uint8_t named = 1, workgroup = 2;  ///< kinds, as bits of Wave::passes
  static constexpr unsigned numbers = 32;                  ///< number 0 stands for the workgroup's
  std::uint32_t signals = 0;
  std::uint32_t members =
      0;  ///< of a named one; of the workgroup's are all waves that have not ended
};

/// A workgroup on its way: its waves, its LDS and what they wait for.
struct Workgroup {
  const Launch* launch = nullptr;
  std::uint32_t id[3] = {0, 0, 0};
  std::byte* lds = nullptr;
  std::uint32_t lds_bytes = 0;
  std::vector<Wave*> waves;
  Wave start;                 ///< what they start with, all up to Wave::counts
  std::uint32_t started = 0;  ///< waves of the present workgroup
  std::uint32_t running = 0;  ///< waves that have not ended
  std::array<Barrier, Barrier::numbers> barriers;
  std::uint32_t phase = 0;  ///< barriers that have completed
};

/// Registers of a kernel's waves, from its descriptor.
RegisterFile register_file(const code::Kernel& kernel, isa::Gfx gfx);
// --- what waves wait for (synchronisation.cpp) --------------------------------------------------

/// A wave's signal to a barrier: 0 for the workgroup's. The members pass it once all have
/// signalled.
void signal_barrier(Wave& wave, const Op* op, unsigned number);
/// Whether the wave may pass the barrier of a kind; else it is to stop.
bool may_pass(Wave& wave, const Op* op, std::uint8_t kind);
/// Members of a barrier: of the workgroup's are all waves that have not ended.
std::uint32_t members(const Workgroup& group, unsigned number);
/// The wave is no longer a member of the barrier that it joined.
void leave_barrier(Wave& wave);
/// A wave has ended: those that it kept waiting may go on.
void end_wave(Wave& wave);

/// Operations on semaphores of the GPU (GWS), with a value where they take one. False: the wave has
/// to try again later.
enum class SemaphoreOperation : std::uint8_t {
  Init,
  Signal,
  SignalMany,
  Wait,
  ReleaseAll,
  Barrier
};
bool use_semaphore(Wave& wave, SemaphoreOperation operation, unsigned number, std::uint32_t value);

/// How many workgroups have been found to wait for what only others could bring about, this one
/// among them; 0 if one of its waves may go on. `seen`: what the workgroup keeps for it.
std::uint64_t stuck_workgroups(const Workgroup& group, std::uint64_t& seen);

/// v0 of the waves of a workgroup, one after the other.
std::vector<std::uint32_t> work_item_ids(const Dim3& block, std::uint32_t lanes);
/// Of a launch that is set up otherwise.
WaveStart wave_start(const Launch& launch);
/// What waves start with in all workgroups that will be at `group`.
void place_group(Workgroup& group);
/// Starts the waves of a workgroup that is `size` work-items large, as Workgroup::start says.
void start_waves(Workgroup& group, const std::uint32_t* size);
/// Makes waves copies of one (Workgroup::start), with their work-items' numbers in v0. Of general
/// scalar registers, only the first ones are set up, and need to be copied.
void copy_waves(std::span<Wave* const> waves, const Wave& start, unsigned scalars,
                const std::uint32_t* work_items);
/// What a turn of some waves came to.
struct Turn {
  bool progress = false;  ///< a wave came to a barrier, or ended
  bool yields = false;    ///< a wave may only spin
  bool waits = false;     ///< a wave lets the others come as far
  void add(Stop stop) {
    progress |= stop == Stop::Barrier || stop == Stop::End;
    yields |= stop == Stop::Yield;
    waits |= stop == Stop::Others;
  }
  void add(const Turn& other) {
    progress |= other.progress;
    yields |= other.yields;
    waits |= other.waits;
  }
  /// Whether no wave came further, as far as one can tell.
  bool is_idle() const { return !progress && (yields || !waits); }
};
/// Runs each wave that can go on until it stops, one after the other. `csr`: the host's modes.
Turn run_waves(std::span<Wave* const> waves, std::int64_t budget, unsigned& csr);

/// An access outside every allocation. True when the GPU would not notice it either, once that is
/// told (Overruns): it is done. False when an observer forgives it: the lane does nothing.
/// @throws KernelError otherwise.
bool report_access(const Wave& wave, const Op* op, std::uint64_t address, unsigned bytes,
                   unsigned lane, const char* what);
/// An access outside the workgroup's LDS, at `address` in it. Returns whether it lies in the last
/// block of what the workgroup got; beyond, and where an observer forgives it, loads give 0 and
/// stores vanish. @throws KernelError where that is an error.
bool report_lds_access(const Wave& wave, const Op* op, std::uint64_t address, unsigned bytes,
                       unsigned lane);
/// Reports of what instructions do wrong: each throws a KernelError that names kernel, instruction,
/// address and source line.
[[noreturn]] void report_unknown(const Wave& wave, const Op* op);
[[noreturn]] void report_bad_jump(const Wave& wave, const Op* op, std::uint64_t target);
[[noreturn]] void report_trap(const Wave& wave, const Op* op);
[[noreturn]] void report_timeout(const Wave& wave, double seconds);
[[noreturn]] void report_deadlock(const Workgroup& group);
/// In words, that the order of waves decided a value in LDS at `at`: a wave loads it or stores to
/// it first, and `wave` stores to it with no barrier between.
std::string report_order(const Wave& wave, const isa::Instruction& first, unsigned first_wave,
                         const isa::Instruction& store, std::uint64_t at);

/// Whether [address, address + bytes) lies in one allocation, in memory that may be stored to if
/// that is what is done; the bounds of that.
bool find_range(const Wave& wave, std::uintptr_t address, std::size_t bytes, bool stores,
                KnownRange& range);
/// Whether an access is known to be one that a GPU lets pass, and that was told of.
bool is_known_overrun(const Wave& wave, const Op* op, std::uint64_t address, unsigned bytes);
/// The op at a device address, decoded if need be.
const Op* jump(Wave& wave, const Op* from, std::uint64_t target);
/// Device address of an op's instruction.
std::uint64_t device_address(const Wave& wave, const Op* op);
/// What the counter of cycles says, and the clock of 100 MHz.
std::uint64_t cycle_clock(Wave& wave);
std::uint64_t wall_clock(Wave& wave);
/// Rings the host's doorbell (s_sendmsg).
void ring_doorbell(const Wave& wave, std::uint32_t message);
/// MODE was written: the host's rounding and denormal modes follow.
void mode_changed(Wave& wave);
/// Value of a hardware register (s_getreg), by id; see the ISA manuals' "Hardware registers".
std::uint32_t hardware_register(const Wave& wave, unsigned id);

}  // namespace hipsight::engine
