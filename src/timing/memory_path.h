#pragma once

#include <deque>
#include <unordered_map>
#include <utility>

#include "gpus/gpu.h"
#include "profile/trace.h"
#include "timing/assumed.h"
#include "timing/costs.h"

namespace hipsight::timing {

/// What if latencies were so many times as long as the model has them, and bandwidths as wide:
/// those of LDS, caches and memory.
struct Scales {
  double latencies = 1, bandwidths = 1;
};

/// What a compute unit can do in a cycle.
struct Rates {
  double l2_bytes, mall_bytes, memory_bytes;  ///< its share, bytes per cycle
  double clock_ghz;            ///< at which it runs: beyond the L2 things take as long as ever
  double l2_of_its_share = 1;  ///< of the L2's share the part that its path there lets it have
  double active = 1;           ///< share of the GPU's compute units that have work
  double units = 1;            ///< compute units that are taken as one: those of a WGP
  // Where lines lie that a workgroup touches first, of those that no other one brought: shares that
  // the L2 has, and of the rest the MALL.
  double in_l2 = 0, in_mall = 0;
  double kept_by_mall = 1;  ///< the share of what the L2 has lost
  // From the begin of a wave, and of a workgroup, to the next one's.
  double wave_begins = 0, group_begins = 0;
  Scales scales = {};  ///< that bandwidths above have in them already
};

/// Loads, stores and atomics of a compute unit on their way: L1, L2, MALL, memory. Each is a pipe
/// of a bandwidth and a latency; times are cycles.
class MemoryPath {
 public:
  using Sharing = std::unordered_map<const isa::Instruction*, profile::Sharing>;
  MemoryPath(const gpus::Gpu& gpu, const Rates& rates, const Sharing& sharing, unsigned lanes)
      : gpu_(gpu), rates_(rates), sharing_(sharing), lanes_(lanes) {}

  struct Ends {
    double data;  ///< when the data is there, or the store counts as done
    double safe;  ///< when what was stored needs its wave no more
  };
  /// A request to vector memory that is issued at `now`; times do not fall from call to call.
  Ends vector(const profile::Request& request, const Cost& cost, double now);
  /// When the data of a scalar load is there. `coherent`: past the scalar cache.
  double scalar(bool coherent, double now) const;

  /// From when on a vector memory instruction can issue.
  double free() const;
  /// When all is done, of what waves do until `now`, and in memory.
  double finish(double now);

  struct Busy {
    double l1 = 0, l2 = 0, mall = 0, memory = 0;
  };
  const Busy& busy() const { return busy_; }

 private:
  /// Where an instruction's lines come from. Of shares of a line that its executions had so far,
  /// what is not yet a whole one.
  struct Origin {
    profile::Sharing sharing;
    double from_mall = 0, from_memory = 0, arriving = 0;
  };
  Origin& origin(const isa::Instruction* instruction);
  /// Until when a pipe is taken that is free from `end` on.
  static double take(double& end, double& busy, double begin, double bytes, double rate);
  void drain(double now);
  void write_back(double bytes, double now);

  double cycles_of(double ns) const { return ns * rates_.clock_ghz; }
  /// The GPU's file says how long it takes from a load to the next one that depends on it: with the
  /// issue of the load and of its wait.
  double issued(double latency) const {
    return rates_.scales.latencies * (latency - 2 * gpu_.issue_cycles);
  }
  double l1_latency() const { return issued(gpu_.l1_latency.value_or(assumed::l1_latency)); }
  double l2_latency() const { return issued(gpu_.l2_latency.value_or(assumed::l2_latency)); }
  /// The GPU's file has cycles at its own clock, and for memory with the translation of addresses.
  /// `lines`: of the request.
  double memory_latency(double lines = many) const {
    return beyond_l2(
        gpu_.dram_latency.value_or(assumed::dram_latency) - translation_ns * gpu_.clock_ghz, lines);
  }
  double mall_latency(double lines = many) const {
    return gpu_.mall_latency ? beyond_l2(*gpu_.mall_latency, lines) : memory_latency(lines);
  }
  double beyond_l2(double latency, double lines) const;
  double far_latency() const { return rates_.in_mall > 0.5 ? mall_latency() : memory_latency(); }
  static constexpr double many = 64;
  /// A page whose address the compute unit did not know. Fitted on MI300X's gpu-latency.
  static constexpr double translation_ns = 50;

  const gpus::Gpu& gpu_;
  const Rates& rates_;
  const Sharing& sharing_;
  const unsigned lanes_;
  std::unordered_map<const isa::Instruction*, Origin> origins_;
  double l1_ = 0, l2_ = 0, mall_ = 0, memory_ = 0;   ///< when each is free
  double dirty_ = 0;                                 ///< bytes in the L2 to be written back
  std::deque<std::pair<double, double>> under_way_;  ///< ends and bytes
  double bytes_under_way_ = 0;
  Busy busy_;
};

}  // namespace hipsight::timing
