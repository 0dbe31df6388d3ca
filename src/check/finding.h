#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/events.h"
#include "hipsight/values.h"

namespace hipsight::check {

/// Something wrong that a launch did: one cause, however often it happened.
struct Finding {
  std::string tool;         ///< "memcheck", "racecheck", "leakcheck"
  std::string text;         ///< what is wrong, in a line; then kernel, instruction, source and lane
  std::uint64_t count = 0;  ///< accesses of lanes; of races, workgroups
  std::uint64_t address = 0;  ///< of the instruction in its code object: findings are in this order
  std::uint64_t other = 0;    ///< of the one that it collides with
  std::string kernel = {};    ///< demangled; empty: the host did it
  Location at = {}, second = {};  ///< both instructions; the second one of races only
};

/// One finding for each cause, told by the first workgroup that had it: the same on any number of
/// host threads.
template <class Cause>
class FirstFindings {
 public:
  /// `make`: the finding, without its count; only asked for if it is to be told.
  template <class Make>
  void add(std::uint64_t workgroup, const Cause& cause, std::uint64_t count, const Make& make) {
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] = found_.try_emplace(cause);
    auto& [first, finding] = known->second;
    const std::uint64_t all = finding.count + count;
    if (is_new || workgroup < first) first = workgroup, finding = make();
    finding.count = all;
  }
  /// By the addresses of the instructions, and then by cause.
  std::vector<Finding> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<Finding> all;
    for (const auto& [cause, one] : found_) all.push_back(one.second);
    std::ranges::stable_sort(all, {},
                             [](const Finding& one) { return std::pair(one.address, one.other); });
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::map<Cause, std::pair<std::uint64_t, Finding>> found_;  ///< with the workgroup
};

/// Where an instruction is. Of one that comes from HIP's own headers or clang's, the line of the
/// program nearest to it.
Location location_of(const engine::Listing& listing, const isa::Instruction& instruction);
/// The same for people: "races.hip:22: 0x1a58 ds_read_b32 v5, v3".
std::string place_text(const engine::Listing& listing, const isa::Instruction& instruction);
/// Whether it comes from those headers: __syncthreads(), atomicAdd() and the like.
bool is_of_headers(const engine::Listing& listing, const isa::Instruction& instruction);

}  // namespace hipsight::check
