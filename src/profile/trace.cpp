#include "profile/trace.h"

#include <algorithm>
#include <bit>

namespace hipsight::profile {
namespace {

/// What is kept of a workgroup: regions, and lines of requests; some 20 MB.
constexpr std::size_t kept_steps = std::size_t{1} << 18, kept_lines = std::size_t{1} << 20;

/// Numbers of the units of `unit` bytes that the active lanes touch, in order, each once.
unsigned touched(const engine::Access& access, unsigned unit, std::uint64_t* out) {
  unsigned count = 0;
  const bool dwords_apart = access.space == engine::Access::Space::Scratch;
  for (std::uint64_t left = access.mask; left; left &= left - 1) {
    const std::uint64_t at = access.at[std::countr_zero(left)];
    if (dwords_apart) {
      for (unsigned k = 0; k < (access.bytes + 3) / 4; ++k)
        out[count++] = (at + std::uint64_t{k} * access.lanes * 4) / unit;
    } else {
      for (std::uint64_t n = at / unit; n <= (at + access.bytes - 1) / unit; ++n) out[count++] = n;
    }
  }
  std::sort(out, out + count);
  return static_cast<unsigned>(std::unique(out, out + count) - out);
}

constexpr std::size_t most_units = 64 * 33;  // 128 bytes of a lane at the most

}  // namespace

unsigned request_bytes(const gpus::Gpu& gpu, bool stores) {
  return stores ? 64 : gpu.l1_line_bytes.value_or(128);
}

Use& Use::operator+=(const Use& other) {
  stores |= other.stores;
  requests += other.requests;
  lanes += other.lanes;
  bytes += other.bytes;
  sectors += other.sectors;
  lines += other.lines;
  lds_cycles += other.lds_cycles;
  lds_least += other.lds_least;
  return *this;
}

void GroupTrace::enters(unsigned wave, std::uint32_t region, std::uint64_t) {
  if (executions.size() <= region) executions.resize(region + 1);
  ++executions[region];
  if (waves.size() <= wave) waves.resize(wave + 1);
  if (++steps_ > kept_steps)
    cut = true;
  else
    waves[wave].path.push_back(region);
}

const LdsPort& GroupTrace::port(const isa::Instruction& in, unsigned bytes) {
  const auto known = ports_.find(&in);
  if (known != ports_.end()) return known->second;
  const isa::Work work = isa::work_of(in);
  const bool atomic = work.bytes_read && work.bytes_written;
  return ports_.try_emplace(&in, LdsPort(gpu_, work.bytes_written != 0, atomic, bytes))
      .first->second;
}

void GroupTrace::accesses(unsigned wave, const isa::Instruction& in, const engine::Access& access) {
  const auto [at, is_new] = uses.try_emplace(&in);
  Use& use = at->second;
  if (is_new) use.stores = isa::work_of(in).bytes_written != 0;
  const auto lanes = static_cast<unsigned>(std::popcount(access.mask));
  ++use.requests;
  use.lanes += lanes;
  use.bytes += static_cast<double>(lanes) * access.bytes;
  Request request{.instruction = &in, .stores = use.stores, .space = access.space};
  if (access.space == engine::Access::Space::Lds) {
    const LdsCost cost = port(in, access.bytes).cost(access.mask, access.at);
    use.lds_cycles += cost.cycles;
    use.lds_least += cost.least;
    request.lds_cycles = static_cast<std::uint16_t>(cost.cycles);
  } else {
    std::uint64_t sectors[most_units];
    use.sectors += touched(access, kSectorBytes, sectors);
    request.first = static_cast<std::uint32_t>(lines.size());
    request.count = add_lines(access, use.stores);
    use.lines += request.count;
  }
  if (cut || lines.size() > kept_lines || waves.size() <= wave) {
    cut = true;
    return;
  }
  request.step = static_cast<std::uint32_t>(waves[wave].path.size() - 1);
  waves[wave].requests.push_back(request);
}

std::uint32_t GroupTrace::add_lines(const engine::Access& access, bool stores) {
  std::uint64_t units[most_units];
  const unsigned count = touched(access, request_bytes(gpu_, stores), units);
  if (!cut) lines.insert(lines.end(), units, units + count);
  return count;
}

LaunchTrace::LaunchTrace(const gpus::Gpu& gpu, std::uint64_t workgroups, unsigned sample)
    : workgroups_(workgroups) {
  // Workgroups are dealt to the XCDs in turn. A launch that is small enough is observed whole.
  const bool whole = workgroups <= sample;
  const std::uint64_t step = whole ? 1 : gpu.xcds;
  const std::uint64_t near =
      whole ? workgroups : std::min<std::uint64_t>((sample + 1) / 2, workgroups / step);
  for (std::uint64_t i = 0; i < near; ++i) neighbours_.emplace_back(gpu, i * step);
  if (whole) return;
  for (std::uint64_t i = 0, far = sample / 2; i < far; ++i) {
    const std::uint64_t at = (2 * i + 1) * workgroups / (2 * far);
    if (at % step == 0 && at / step < near) continue;  // is one of them
    if (others_.empty() || others_.back().workgroup != at) others_.emplace_back(gpu, at);
  }
}

engine::GroupObserver* LaunchTrace::begins(std::uint64_t workgroup) {
  for (std::vector<GroupTrace>* traces : {&neighbours_, &others_}) {
    const auto at = std::ranges::lower_bound(*traces, workgroup, {}, &GroupTrace::workgroup);
    if (at != traces->end() && at->workgroup == workgroup) return &*at;
  }
  return nullptr;
}

}  // namespace hipsight::profile
