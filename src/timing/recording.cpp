#include "timing/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "support/error.h"
#include "support/output_file.h"
#include "support/printable.h"
#include "timing/schedule.h"

namespace hipsight::timing {
namespace {

/// The first word of a recording, its version, and "\n". Before version 2 there were no footprints
/// and pages, before version 3 nothing of what workgroups hand to each other; before version 4 no
/// scalar registers, and nothing of unlike workgroups.
constexpr std::string_view magic = "hipsight recording ";
constexpr char version = '4';

/// Numbers are LEB128; signed ones zigzag; doubles in 2^-20.
class Writer {
 public:
  void number(std::uint64_t value) {
    for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
    bytes += static_cast<char>(value);
  }
  void integer(std::int64_t value) {
    number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }
  void share(double value) { number(static_cast<std::uint64_t>(std::llround(value * (1 << 20)))); }
  void text(std::string_view value) {
    number(value.size());
    bytes += value;
  }

  std::string bytes = fmt::format("{}{}\n", magic, version);
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {
    if (!rest_.starts_with(magic) || rest_.size() < magic.size() + 2)
      fail("this is no recording of hipsight");
    version_ = rest_[magic.size()];
    if (version_ < '1' || version_ > version)
      fail("the recording is of a version that this hipsight does not know");
    rest_.remove_prefix(magic.size() + 2);
  }
  bool has_footprints() const { return version_ >= '2'; }
  bool has_handovers() const { return version_ >= '3'; }
  bool has_scalars() const { return version_ >= '4'; }
  std::uint64_t number(std::uint64_t most = ~0ull) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint64_t byte = static_cast<unsigned char>(take(1)[0]);
      if (shift < 64) value |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    if (value > most)
      fail("the recording is damaged: {} where at most {} makes sense", value, most);
    return value;
  }
  std::int64_t integer() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
  }
  double share() { return static_cast<double>(number()) / (1 << 20); }
  std::string_view text() { return take(number()); }
  /// A count of things of at least a byte each.
  std::size_t count() { return number(rest_.size()); }

 private:
  std::string_view take(std::size_t size) {
    if (size > rest_.size()) fail("the recording ends too early");
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }
  std::string_view rest_;
  char version_ = version;
};

/// Each in the same order for the Writer and the Reader.
template <class Visit>
void visit_occupancy(Occupancy& o, Visit&& visit) {
  for (std::uint32_t* value : {&o.waves_per_workgroup, &o.simds, &o.workgroups,
                               &o.max_waves_per_simd, &o.compiler_waves_per_simd})
    visit(*value);
}

/// Registers are numbered by turns: one of each sort.
constexpr std::array sorts{isa::Where::Vgpr, isa::Where::Agpr, isa::Where::Sgpr};

void write_operand(Writer& w, const isa::Operand& operand) {
  const auto sort = std::ranges::find(sorts, operand.where);
  w.number(sort == sorts.end() ? 0
                               : 1 + operand.index * sorts.size() +
                                     static_cast<std::uint64_t>(sort - sorts.begin()));
}
isa::Operand read_operand(Reader& r) {
  const std::uint64_t known = r.has_scalars() ? sorts.size() : 2;
  const std::uint64_t code = r.number(known * 1024);
  isa::Operand operand;
  if (!code) return operand;
  operand.where = sorts.at((code - 1) % known);
  operand.index = static_cast<std::uint16_t>((code - 1) / known);
  return operand;
}

/// What values flow through, beside the result and the first three sources.
template <class Visit>
void visit_others(auto& in, Visit&& visit) {
  for (auto* operand : {&in.sdst, &in.src[3], &in.base, &in.soffset, &in.dst_y, &in.src_y[0],
                        &in.src_y[1], &in.src_y[2]})
    visit(*operand);
}

void write_instruction(Writer& w, const isa::Instruction& in) {
  w.text(in.name());
  w.text(in.row_y ? in.row_y->name : "");
  w.number(static_cast<unsigned>(in.format));
  w.number(static_cast<unsigned>(in.gfx));
  // Of immediates only those that take time: waits.
  const bool waits = isa::work_of(in).pipe == isa::Pipe::Wait || in.format == isa::Format::Mtbuf;
  w.integer(waits ? in.imm.bits() : 0);
  w.number(in.cbsz);
  w.number(in.blgp);
  w.number(in.size);
  w.number(in.cache);
  write_operand(w, in.dst);
  for (unsigned i = 0; i < 3; ++i) write_operand(w, in.src[i]);
  visit_others(in, [&](const isa::Operand& operand) { write_operand(w, operand); });
  w.number(static_cast<unsigned>(in.variant));
  w.number(in.offen * 4 + in.idxen * 2 + in.returns);
}
void read_instruction(Reader& r, isa::Instruction& in) {
  in.row = &isa::row_of(r.text());
  if (const std::string_view second = r.text(); !second.empty()) in.row_y = &isa::row_of(second);
  in.format = static_cast<isa::Format>(r.number(static_cast<unsigned>(isa::Format::Other)));
  in.gfx = static_cast<isa::Gfx>(r.number(static_cast<unsigned>(isa::Gfx::Gfx12)));
  in.imm = {in.row->field, static_cast<std::int32_t>(r.integer())};
  in.cbsz = static_cast<std::uint8_t>(r.number(255));
  in.blgp = static_cast<std::uint8_t>(r.number(255));
  in.size = static_cast<std::uint8_t>(r.number(255));
  in.cache = static_cast<std::uint8_t>(r.number(255));
  in.dst = read_operand(r);
  for (unsigned i = 0; i < 3; ++i) in.src[i] = read_operand(r);
  if (!r.has_scalars()) return;
  visit_others(in, [&](isa::Operand& operand) { operand = read_operand(r); });
  in.variant = static_cast<isa::Variant>(r.number(static_cast<unsigned>(isa::Variant::Dpp8)));
  const std::uint64_t bits = r.number(7);
  in.offen = bits & 4, in.idxen = bits & 2, in.returns = bits & 1;
}

void write_requests(Writer& w, const profile::WaveTrace& wave,
                    const std::map<const isa::Instruction*, std::uint32_t>& number_of) {
  w.number(wave.requests.size());
  std::uint32_t step = 0, instruction = 0;
  for (const profile::Request& q : wave.requests) {
    w.number(q.step - step);
    w.integer(std::int64_t{number_of.at(q.instruction)} - instruction);
    step = q.step;
    instruction = number_of.at(q.instruction);
    w.number(static_cast<unsigned>(q.space) * 2 + q.stores);
    w.number(q.awaits * 2 + q.hands_over);
    for (const std::uint32_t value :
         {std::uint32_t{q.lds_cycles}, q.count, std::uint32_t{q.from_l1},
          std::uint32_t{q.first_touches}, std::uint32_t{q.reused}, std::uint32_t{q.pages}})
      w.number(value);
  }
}
void read_requests(Reader& r, profile::WaveTrace& wave, const std::vector<isa::Instruction>& code) {
  wave.requests.resize(r.count());
  std::uint64_t step = 0;
  std::int64_t instruction = 0;
  for (profile::Request& q : wave.requests) {
    step += r.number();
    instruction += r.integer();
    if (step >= wave.path.size() || instruction < 0 ||
        static_cast<std::uint64_t>(instruction) >= code.size())
      fail("the recording is damaged: an access of no instruction");
    q.step = static_cast<std::uint32_t>(step);
    q.instruction = &code[static_cast<std::size_t>(instruction)];
    const std::uint64_t kind =
        r.number(static_cast<unsigned>(engine::Access::Space::Scalar) * 2 + 1);
    q.space = static_cast<engine::Access::Space>(kind / 2);
    q.stores = kind & 1;
    if (r.has_handovers()) {
      const std::uint64_t hands = r.number(3);
      q.awaits = hands / 2;
      q.hands_over = hands & 1;
    }
    const auto small = [&] { return static_cast<std::uint16_t>(r.number(0xffff)); };
    q.lds_cycles = small();
    q.count = small();
    q.least = q.count ? static_cast<std::uint16_t>(q.count) : q.lds_cycles;  // is not recorded
    q.from_l1 = small();
    q.first_touches = small();
    q.reused = small();
    if (r.has_footprints()) q.pages = small();
  }
}

/// Instructions of the regions that a group ran, numbered in the order in which they lie; numbers
/// leave a gap where code does.
std::map<const isa::Instruction*, std::uint32_t> number(
    const std::vector<engine::RegionOfCode>& regions, const std::set<std::uint32_t>& ran) {
  std::map<const isa::Instruction*, std::uint32_t> numbers;
  for (const std::uint32_t region : ran)
    for (std::uint32_t i = 0; i < regions[region].count; ++i)
      numbers[regions[region].first + i] = 0;
  std::uint32_t next = 0;
  const isa::Instruction* before = nullptr;
  for (auto& [instruction, its] : numbers) {
    if (before && instruction != before + 1) ++next;
    its = next++;
    before = instruction;
  }
  return numbers;
}

/// Of the workgroups that were observed whole, the one that does most nearly what one of the launch
/// does on the average: the first one, where all do the same.
const profile::GroupTrace& typical(const profile::LaunchTrace& trace, const engine::Result& result,
                                   double instructions) {
  const auto off = [&](const profile::GroupTrace& group) {
    return std::fabs(group.instructions(result.regions) - instructions);
  };
  return *std::ranges::min_element(trace.neighbours(), {}, off);
}

/// Whether workgroups do more than others.
bool unlike(const gpus::Gpu& gpu, const profile::LaunchTrace& trace, const engine::Result& result) {
  std::vector<double> work;
  for (const auto* groups : {&trace.neighbours(), &trace.others()})
    for (const profile::GroupTrace& group : *groups)
      work.push_back(group.instructions(result.regions));
  return differ(work, result.workgroups <= gpu.compute_units);
}

}  // namespace

void write(const std::string& file, const gpus::Gpu& gpu, const profile::LaunchTrace& trace,
           const engine::Result& result, const Occupancy& occupancy, std::uint32_t wavefront_size) {
  if (trace.neighbours().empty()) fail("no workgroup was observed: there is nothing to record");
  Writer w;
  w.text(gpu.name);
  Occupancy o = occupancy;
  visit_occupancy(o, [&](std::uint32_t value) { w.number(value); });
  w.number(wavefront_size);
  w.number(result.workgroups);
  double instructions = 0;
  for (const engine::InstructionCount& count : result.counts)
    instructions += static_cast<double>(count.executions);
  w.number(static_cast<std::uint64_t>(instructions));
  const profile::GroupTrace& group =
      typical(trace, result, instructions / double(std::max<std::uint64_t>(1, result.workgroups)));
  w.number(static_cast<std::uint64_t>(trace.footprint.launch));
  w.number(static_cast<std::uint64_t>(trace.footprint.xcd));
  w.number(unlike(gpu, trace, result));

  std::set<std::uint32_t> ran;
  for (const profile::WaveTrace& wave : group.waves) ran.insert(wave.path.begin(), wave.path.end());
  const auto numbers = number(result.regions, ran);
  w.number(numbers.empty() ? 0 : numbers.rbegin()->second + 1);
  w.number(numbers.size());
  std::uint32_t last = 0;
  for (const auto& [instruction, its] : numbers) {
    w.number(its - last);
    last = its;
    write_instruction(w, *instruction);
    const auto known = trace.sharing.find(instruction);
    w.number(known != trace.sharing.end());
    if (known != trace.sharing.end())
      for (const double share : {known->second.l2, known->second.arriving, known->second.mall})
        w.share(share);
  }
  w.number(ran.size());
  std::map<std::uint32_t, std::uint32_t> renumbered;
  for (const std::uint32_t region : ran) {
    renumbered.try_emplace(region, static_cast<std::uint32_t>(renumbered.size()));
    w.number(numbers.at(result.regions[region].first));
    w.number(result.regions[region].count);
  }
  w.number(group.cut);
  w.number(group.waves.size());
  for (const profile::WaveTrace& wave : group.waves) {
    w.number(wave.path.size());
    for (const std::uint32_t region : wave.path) w.number(renumbered.at(region));
    write_requests(w, wave, numbers);
  }
  write_output(file, w.bytes);
}

std::unique_ptr<Recording> read(std::string_view bytes) {
  Reader r(bytes);
  // A name and never a file, whoever the recording comes from.
  const std::string_view gpu = r.text();
  const auto known = std::ranges::find(gpus::all(), gpu, &gpus::Gpu::name);
  if (known == gpus::all().end())
    fail("the recording is of the GPU '{}', which is not known here", printable(gpu));
  auto recording = std::make_unique<Recording>(*known);
  Recording& all = *recording;
  visit_occupancy(all.occupancy, [&](std::uint32_t& value) {
    value = static_cast<std::uint32_t>(r.number(1 << 20));
  });
  all.wavefront_size = static_cast<std::uint32_t>(r.number(64));
  all.result.workgroups = r.number();
  const std::uint64_t instructions = r.number();
  if (r.has_footprints()) {
    all.trace.footprint.launch = double(r.number());
    all.trace.footprint.xcd = double(r.number());
  }
  if (r.has_scalars()) all.trace.unlike_others = r.number(1);
  all.code.resize(r.number(1 << 24));
  std::uint64_t last = 0, address = 0;
  for (std::size_t i = r.count(); i--;) {
    last += r.number();
    if (last >= all.code.size()) fail("the recording is damaged: too much code");
    isa::Instruction& in = all.code[last];
    read_instruction(r, in);
    in.address = address;
    address += in.size;
    if (!r.number(1)) continue;
    profile::Sharing& sharing = all.trace.sharing[&in];
    for (double* share : {&sharing.l2, &sharing.arriving, &sharing.mall}) *share = r.share();
  }
  all.result.regions.resize(r.count());
  for (engine::RegionOfCode& region : all.result.regions) {
    const std::uint64_t first = r.number(all.code.size());
    region.count = static_cast<std::uint32_t>(r.number(all.code.size() - first));
    region.first = all.code.data() + first;
    if (region.count == 0) fail("the recording is damaged: a region without code");
  }
  if (!all.code.empty())
    all.result.counts.push_back({.instruction = all.code.data(), .executions = instructions});
  profile::GroupTrace& group = all.trace.neighbours().emplace_back(all.gpu, 0);
  group.cut = r.number(1);
  group.waves.resize(r.count());
  for (profile::WaveTrace& wave : group.waves) {
    wave.path.resize(r.count());
    for (std::uint32_t& region : wave.path) {
      region = static_cast<std::uint32_t>(r.number());
      if (region >= all.result.regions.size()) fail("the recording is damaged: no such region");
    }
    read_requests(r, wave, all.code);
  }
  return recording;
}

}  // namespace hipsight::timing
