#include "timing/memory_path.h"

#include <algorithm>
#include <cmath>

namespace hipsight::timing {
namespace {

// Fitted on assembly GEMMs of ROCm/aiter, gfx942 and gfx950 (docs/timing.md):

/// Bytes that a compute unit may have under way from beyond its L1.
constexpr double most_under_way = 23000;
/// Of atomics, and of scalar loads that pass the caches, in latencies of memory.
constexpr double atomic_latency = 1.5, coherent_scalar_latency = 2.25;
/// By how much latencies beyond the L2 are shorter where hardly a compute unit has work: by so much
/// times the square of the share that has none.
constexpr double unloaded = 0.3;
/// A store takes the way to the MALL for so much longer than a load. Fitted on MI300A's
/// gpu-l2-stream.
constexpr double mall_store = 1.8;
/// Cycles of work that may wait in front of the L1 before waves are held.
constexpr double queue_room = 32;

/// Of a scalar load that its cache has, as arguments are later on. Fitted on gpu-l2-stream, read,
/// of MI210 and MI300A.
constexpr double scalar_latency = 60;
/// A store takes the way to the L2 for so much longer than a load of as many bytes, and is done
/// after so many of its latencies. Fitted on gpu-l2-stream of MI210 and MI300A.
constexpr double l2_store = 2.8, store_latency = 1.75;

/// Adds a share of a line to a sum; whether a whole one is full now.
bool fills(double& sum, double share) {
  sum += share;
  const bool full = sum >= 1;
  sum -= std::floor(sum);
  return full;
}

}  // namespace

MemoryPath::Origin& MemoryPath::origin(const isa::Instruction* instruction) {
  const auto [known, is_new] = origins_.try_emplace(instruction);
  if (is_new)
    if (const auto at = sharing_.find(instruction); at != sharing_.end())
      known->second.sharing = at->second;
  return known->second;
}

double MemoryPath::take(double& end, double& busy, double begin, double bytes, double rate) {
  end = std::max(end, begin) + bytes / rate;
  busy += bytes / rate;
  return end;
}

/// The L2 writes back while nothing else goes to memory.
void MemoryPath::drain(double now) {
  if (memory_ >= now) return;
  const double written = std::min(dirty_, (now - memory_) * rates_.memory_bytes);
  dirty_ -= written;
  memory_ += written / rates_.memory_bytes;
}
/// Stores stay in the compute unit's share of the L2; beyond it what comes must wait.
void MemoryPath::write_back(double bytes, double now) {
  busy_.memory += bytes / rates_.memory_bytes;
  dirty_ += bytes;
  const double over = dirty_ - double(gpu_.l2_bytes) / gpu_.compute_units * rates_.units;
  if (over <= 0) return;
  memory_ = std::max(memory_, now) + over / rates_.memory_bytes;
  dirty_ -= over;
}

/// A lone line has the latency of dependent loads, which is one of a GPU that does nothing else: it
/// opens a row of DRAM for itself.
double MemoryPath::beyond_l2(double latency, double lines) const {
  const double idle = 1 - rates_.active;
  return cycles_of(issued(latency) / gpu_.clock_ghz) *
         (1 - unloaded * idle * idle * (lines - 1) / lines);
}

MemoryPath::Ends MemoryPath::vector(const profile::Request& request, const Cost& cost, double now) {
  const double line = profile::request_bytes(gpu_, cost.stores);
  // Addresses of sixteen lanes, or 64 bytes of data, a cycle.
  const double pipe = std::max(lanes_ / 16.0, request.count * line / 64) /
                      (rates_.units * rates_.scales.bandwidths);
  l1_ = std::max(l1_, now) + pipe;
  busy_.l1 += pipe;
  Ends ends{.data = l1_ + l1_latency(), .safe = now};
  const double beyond_l1 = request.count - request.from_l1;
  if (beyond_l1 == 0) return ends;

  Origin& o = origin(request.instruction);
  const double first = request.first_touches;
  const double again = beyond_l1 - first - request.reused;  // the L2 has lost them
  const double unshared = first * (1 - rates_.in_l2);       // where no other workgroup brought them
  double memory = unshared * (1 - o.sharing.l2 - o.sharing.arriving - o.sharing.mall);
  double mall = unshared * o.sharing.mall + memory * rates_.in_mall + again * rates_.kept_by_mall;
  memory = memory * (1 - rates_.in_mall) + again * (1 - rates_.kept_by_mall);
  if (!gpu_.mall_bytes.value_or(0)) memory += std::exchange(mall, 0);

  // The oldest ones must have come before so many bytes can be under way.
  const double bytes = beyond_l1 * line;
  double begin = now;
  while (!under_way_.empty() && bytes_under_way_ + bytes > most_under_way * rates_.units) {
    begin = std::max(begin, under_way_.front().first);
    bytes_under_way_ -= under_way_.front().second;
    under_way_.pop_front();
  }

  const double at_l2 =
      take(l2_, busy_.l2, begin, bytes * (cost.stores ? l2_store : 1), rates_.l2_bytes);
  double& data = ends.data;
  ends.safe = at_l2 + l2_latency() * (cost.stores ? store_latency : 1);
  data = std::max(data, ends.safe);
  // The L2 fetches whole lines of its own.
  const double fetched = cost.stores ? line : std::max(line, 128.0);
  const bool from_mall = fills(o.from_mall, mall + memory),
             from_memory = fills(o.from_memory, memory),
             arrives = fills(o.arriving, unshared * o.sharing.arriving);
  if (gpu_.mall_bytes.value_or(0) && mall + memory > 0) {
    const double there =
        take(mall_, busy_.mall, begin, (mall + memory) * fetched * (cost.stores ? mall_store : 1),
             rates_.mall_bytes);
    if (from_mall) data = std::max(data, there + mall_latency(request.count));
  }
  drain(now);
  if (cost.stores) {
    write_back(memory * fetched, now);
  } else if (memory > 0) {
    const double there = take(memory_, busy_.memory, begin, memory * fetched, rates_.memory_bytes);
    if (from_memory) data = std::max(data, there + memory_latency(request.count));
  }
  if (arrives) data = std::max(data, begin + far_latency());
  if (cost.atomic) ends.safe = data = std::max(data, begin + atomic_latency * far_latency());
  if (request.pages) data += rates_.scales.latencies * cycles_of(translation_ns);
  under_way_.emplace_back(data, bytes);
  bytes_under_way_ += bytes;
  return ends;
}

double MemoryPath::scalar(bool coherent, double now) const {
  return now + (coherent ? coherent_scalar_latency * far_latency()
                         : rates_.scales.latencies * scalar_latency);
}

double MemoryPath::free() const {
  // Nor may more wait for memory than the way there and back hides.
  return std::max(l1_ - queue_room, memory_ - memory_latency());
}

double MemoryPath::finish(double now) {
  drain(now);
  return std::max({now, l1_, l2_, mall_, memory_}) + dirty_ / rates_.memory_bytes;
}

}  // namespace hipsight::timing
