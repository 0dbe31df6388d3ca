#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/program/op.h"

namespace hipsight::engine {

struct Workgroup;
class Observers;
class Memory;

/// Why a wave stopped running.
enum class Stop : std::uint8_t {
  None,
  End,
  Barrier,
  Others,  ///< until each of the others has had a turn (wait_for_waves)
  Yield,   ///< as it may wait for something that others do
  Error
};

/// Numbers of special scalar registers in the scalar file.
namespace reg {
constexpr unsigned vcc = 106, exec = 126;
constexpr unsigned m0_cdna = 124, null_rdna = 124, m0_rdna = 125;
constexpr unsigned trash = 128;  ///< where writes to NULL go
constexpr unsigned scalar_count = 160;
}  // namespace reg

/// Addresses of LDS and scratch among the generic (flat) ones. Host pointers are below 2^47.
namespace aperture {
constexpr std::uint64_t shared_base = 0x1'0000'0000'0000ull;
constexpr std::uint64_t private_base = 0x2'0000'0000'0000ull;
constexpr std::uint64_t size = 1ull << 32;
}  // namespace aperture

/// How often a stretch of code ran; see Op::counter.
struct RegionCount {
  std::uint64_t executions = 0;
  std::uint64_t lanes = 0;
};

/// A range of memory that was found to be inside one allocation, remembered per instruction.
struct KnownRange {
  std::uintptr_t begin = 1, end = 0;
  std::uint64_t epoch = 0;
  static constexpr std::size_t of_loads = 256, count = 2 * of_loads;
};
/// Which of a worker's ranges belongs to the instruction at an address. Those of stores are apart,
/// since they may lie in less memory.
constexpr std::size_t known_index(std::uint64_t address, bool stores = false) {
  return address / 4 % KnownRange::of_loads + (stores ? KnownRange::of_loads : 0);
}

/// One wavefront: its registers and where it stands. The vector registers follow the struct in
/// memory: VGPR r at `vgpr_offset(r)` bytes from the wave, `lanes` dwords each, AGPRs after VGPRs.
struct alignas(64) Wave {
  // All up to `counts` is what its workgroup's waves start with, when one begins
  // (Workgroup::start); but for EXEC of a wave that is cut off, and what tells waves apart.

  // Scalar registers by their encoding; VCC, M0 and EXEC stand among them.
  std::uint32_t scalar[reg::scalar_count];

  const Op* resume = nullptr;          ///< next op
  std::uint64_t dpp_reads = 0;         ///< lanes for which the DPP instruction reads something
  std::int64_t budget = 0;             ///< branches until the wave yields
  Observers* observers = nullptr;      ///< of the workgroup, if it has some
  std::uint64_t semaphore_ticket = 0;  ///< GlobalSemaphores: where it queues; 0: nowhere
  std::uint32_t scc = 0;
  std::uint32_t mode = 0;  ///< MODE: rounding and denormals (bits 0-7), and the rest as encoded
  std::uint32_t csr_32 = 0x1f80, csr_64 = 0x1f80;  ///< MXCSR for f32, and for f64 and f16
  Stop stop = Stop::None;
  std::uint8_t joined = 0;     ///< the named barrier that the wave is a member of
  std::uint8_t passes = 0;     ///< kinds of barriers that it need not wait for (Barrier)
  std::uint8_t waits_for = 0;  ///< the kind of barrier that it is stopped at
  bool signalled = false;      ///< the workgroup's barrier, which is not complete yet
  bool skips_vectors = false;  ///< VSKIP: vector instructions do nothing
  bool whole_rows = false;     ///< starts with every lane on, of rows of sixteen work-items
  bool goes_round = false;     ///< from `trips` of a loop to its begin again, not out of it

  // What stays from one workgroup to the next.
  RegionCount* counts = nullptr;
  KnownRange* known = nullptr;  ///< the worker's; see known_index
  std::uint64_t full = 0;       ///< EXEC with every lane on
  Workgroup* group = nullptr;
  const std::atomic<std::uint64_t>* memory_epoch = nullptr;  ///< changes when an allocation ends
  std::byte* lds = nullptr;                                  ///< the workgroup's
  std::uint32_t lds_bytes = 0;
  std::uint32_t lanes = 64;
  std::uint32_t register_bytes = 256;
  std::uint32_t scratch_bytes = 0;  ///< per lane

  // What a wide result or a prepared source is written to before it is masked or selected from.
  // Each holds two registers of 64 lanes; the last one is for results.
  static constexpr unsigned temporaries = 5, temporary_bytes = 512;
  alignas(64) std::byte temporary[temporaries][temporary_bytes];

  std::byte* scratch = nullptr;  ///< dword-interleaved: address a of lane l at (a/4*lanes+l)*4+a%4
  std::uint32_t index_in_group = 0;
  std::uint32_t clock_reads = 0;  ///< see KernelClock
  std::uint32_t done_lanes = 0;   ///< lanes that translated code had finished when it bailed out
  std::uint32_t trips = 0;        ///< times that a translated loop went round
  /// Entries of translated loops that are still left to the interpreter, and how many there will be
  /// after the next one that bails out.
  std::uint32_t loops_to_skip = 0, next_loops_to_skip = 1;

  std::byte* bytes() { return reinterpret_cast<std::byte*>(this); }
  std::uint64_t exec() const { return pair(reg::exec); }
  std::uint64_t vcc() const { return pair(reg::vcc); }
  std::uint64_t pair(unsigned index) const {
    return scalar[index] | std::uint64_t{scalar[index + 1]} << 32;
  }
  void set_pair(unsigned index, std::uint64_t value) {
    scalar[index] = static_cast<std::uint32_t>(value);
    scalar[index + 1] = static_cast<std::uint32_t>(value >> 32);
  }
  static constexpr std::size_t vector_file_offset();
  std::uint32_t* vgpr(unsigned index);
};

constexpr std::size_t Wave::vector_file_offset() {
  return sizeof(Wave);
}
inline std::uint32_t* Wave::vgpr(unsigned index) {
  return reinterpret_cast<std::uint32_t*>(bytes() + vector_file_offset() + index * register_bytes);
}

}  // namespace hipsight::engine
