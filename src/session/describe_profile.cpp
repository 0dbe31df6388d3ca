#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analysis/listing.h"
#include "session/describe.h"
#include "session/locations.h"

namespace hipsight::session {
namespace {

using Line = std::pair<std::string, std::uint32_t>;  // file and number

/// Counts what a listing does with scratch, by source line.
void count_scratch(Registers& registers, const analysis::Listing& listing,
                   const code::Kernel& kernel, Locations& locations) {
  std::map<Line, unsigned> of_line;
  unsigned most = 0;
  const std::vector<analysis::Scratch> uses = analysis::scratch_uses(listing, kernel);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == analysis::Scratch::None) continue;
    ++(uses[i] == analysis::Scratch::Store ? registers.scratch_stores : registers.scratch_loads);
    const Location location = locations.of(listing.lines[i].instruction);
    const unsigned here = ++of_line[{location.file, location.line}];
    if (!location.line || here <= most) continue;
    most = here;
    registers.scratch_line.file = location.file;
    registers.scratch_line.line = location.line;
  }
}

bool is_vector_memory(isa::Pipe pipe) {
  return pipe == isa::Pipe::Global || pipe == isa::Pipe::Flat || pipe == isa::Pipe::Scratch;
}

void add(ProfileRow& row, const profile::InstructionProfile& from, bool vector_memory) {
  row.executions += from.executions;
  row.lds_cycles += from.scaled(static_cast<double>(from.use.lds_cycles));
  row.lds_conflict_cycles +=
      from.scaled(static_cast<double>(from.use.lds_cycles - from.use.lds_least));
  row.caches.l1_loads += from.caches.l1_loads;
  row.caches.l1_hits += from.caches.l1_hits;
  row.caches.l2_requests += from.caches.l2_requests;
  row.caches.l2_hits += from.caches.l2_hits;
  if (!vector_memory) return;
  row.requests += from.scaled(static_cast<double>(from.use.requests));
  row.sectors += from.scaled(static_cast<double>(from.use.sectors));
  row.bytes += from.scaled(from.use.bytes);
}

}  // namespace

RegisterUse register_use(const code::CodeObject& object, const code::Kernel& kernel,
                         const gpus::Gpu& gpu, const timing::Resources& resources) {
  RegisterUse use;
  Registers& registers = use.registers;
  registers.vgprs = kernel.vgprs - kernel.agprs;
  registers.agprs = kernel.agprs;
  const analysis::Listing listing = analysis::listing(object, kernel);
  const auto live = analysis::live_registers(listing, registers.vgprs);
  Locations locations(object);
  registers.live_vgprs = live.most().vgprs;
  registers.live_agprs = live.most().agprs;
  if (!listing.lines.empty()) registers.at = locations.of(listing.lines[live.fullest].instruction);
  for (std::size_t i = 0; i < listing.lines.size(); ++i)
    use.live.emplace(listing.lines[i].instruction.address, live.at[i]);
  registers.calls = listing.leaves;
  registers.waves_per_simd = timing::occupancy(gpu, resources).waves_per_simd();
  if (const auto fewer = timing::with_fewer_vgprs(gpu, resources)) {
    registers.vgprs_for_more = fewer->vgprs;
    registers.waves_per_simd_with_fewer = fewer->occupancy.waves_per_simd();
  }
  count_scratch(registers, listing, kernel, locations);
  registers.spills = kernel.vgpr_spills > 0;
  return use;
}

Profile describe(const profile::Profile& from, const code::CodeObject& object,
                 const RegisterUse& registers, std::uint32_t wavefront_size) {
  Profile profile;
  profile.workgroups = from.workgroups;
  profile.observed = from.observed;
  profile.neighbours = from.neighbours;
  profile.sampling_error = from.sampling_error;
  profile.cut = from.cut;
  profile.sector_bytes = profile::kSectorBytes;
  Locations locations(object);
  std::map<Line, ProfileRow> lines;
  std::map<Line, std::uint64_t> lanes_of_line;
  std::uint64_t lanes = 0;
  const auto mean = [&](std::uint64_t active, std::uint64_t executions) {
    return executions
               ? static_cast<double>(active) / (static_cast<double>(executions) * wavefront_size)
               : 0;
  };
  for (const profile::InstructionProfile& one : from.instructions) {
    const isa::Instruction& in = *one.instruction;
    const bool vector_memory = is_vector_memory(isa::work_of(in).pipe);
    ProfileRow& row = profile.instructions.emplace_back();
    row.at = locations.of(in);
    if (const auto live = registers.live.find(in.address); live != registers.live.end()) {
      row.live_vgprs = live->second.vgprs;
      row.live_agprs = live->second.agprs;
    }
    add(row, one, vector_memory);
    row.active_lanes = mean(one.lanes, one.executions);
    const Line key{row.at.file, row.at.line};
    ProfileRow& line = lines[key];
    line.at.file = row.at.file;
    line.at.line = row.at.line;
    add(line, one, vector_memory);
    std::uint64_t& of_line = lanes_of_line[key];
    of_line += one.lanes;
    line.active_lanes = mean(of_line, line.executions);
    add(profile.all, one, vector_memory);
    lanes += one.lanes;
  }
  profile.all.active_lanes = mean(lanes, profile.all.executions);
  for (auto& [key, line] : lines) profile.lines.push_back(std::move(line));
  std::ranges::sort(profile.lines, std::ranges::greater(), &ProfileRow::executions);
  return profile;
}

void add_times(Profile& profile, const timing::Prediction& prediction) {
  std::map<std::uint64_t, double> by_address;
  for (const timing::Prediction::Hot& hot : prediction.hot)
    by_address[hot.at->address] += hot.share;
  std::map<Line, double> by_line;
  for (ProfileRow& row : profile.instructions) {
    const auto found = by_address.find(row.at.address);
    if (found == by_address.end()) continue;
    row.time = found->second;
    by_line[{row.at.file, row.at.line}] += found->second;
  }
  for (ProfileRow& row : profile.lines) row.time = by_line[{row.at.file, row.at.line}];
}

}  // namespace hipsight::session
