#include "timing/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "isa/operand_use.h"
#include "timing/roofs.h"

namespace hipsight::timing {
namespace {

/// Where a value comes from: bits.
using Origin = std::uint8_t;
constexpr Origin argument = 1;  ///< a scalar load by what the kernel began with: its arguments
constexpr Origin loaded = 2;    ///< out of memory, beyond the arguments
constexpr Origin computed = 4;  ///< arithmetic on what was loaded
constexpr Origin summed = 8;    ///< a product's result, or made of one

/// What a wave has in its registers, and has put elsewhere.
struct State {
  std::array<Origin, 256 + 256 + 128> registers{};
  Origin lds = 0, scratch = 0;
  bool stored_sums = false;
  bool operator==(const State&) const = default;

  /// Of registers that an operand names.
  std::span<Origin> of(const isa::Operand& operand, unsigned count) {
    std::size_t begin = 0, size = 256;
    switch (operand.where) {
      case isa::Where::Vgpr:
        break;
      case isa::Where::Agpr:
        begin = 256;
        break;
      case isa::Where::Sgpr:
        begin = 512, size = 128;
        break;
      default:
        return {};
    }
    if (operand.index >= size) return {};
    return std::span(registers).subspan(begin + operand.index,
                                        std::min<std::size_t>(count, size - operand.index));
  }
  Origin from(const isa::Operand& operand, unsigned count) {
    const auto all = of(operand, count);
    return std::accumulate(all.begin(), all.end(), Origin{},
                           [](Origin a, Origin b) { return Origin(a | b); });
  }
};

/// Instructions that leave values as they are: where those lie is all that changes.
bool moves(const isa::Instruction& in) {
  using isa::Kind;
  const Kind kind = in.row->kind;
  if (kind == Kind::LaneAccess || kind == Kind::Permute || kind == Kind::PermuteRows ||
      kind == Kind::Swap || kind == Kind::Relative)
    return true;
  for (const std::string_view name :
       {"V_MOV_", "V_PK_MOV_", "V_ACCVGPR_", "V_PERM_B32", "V_CNDMASK_", "V_PACK_B32_F16"})
    if (in.name().starts_with(name)) return true;
  return false;
}
bool crosses_lanes(const isa::Instruction& in) {
  using isa::Kind;
  const Kind kind = in.row->kind;
  const bool swaps_rows = kind == Kind::Swap && in.name().starts_with("V_PERMLANE");
  return kind == Kind::Permute || kind == Kind::PermuteRows || swaps_rows ||
         in.variant == isa::Variant::Dpp16 || in.variant == isa::Variant::Dpp8;
}

/// Follows values through what the waves of a workgroup did.
class Origins {
 public:
  Origins(const std::vector<engine::RegionOfCode>& regions, unsigned lanes, Doings& doings)
      : regions_(regions), lanes_(lanes), doings_(doings) {}

  void follow(const profile::WaveTrace& wave) {
    State state;
    double read = 0, before_last_product = 0;
    for (const std::uint32_t region : wave.path) {
      // A loop soon does the same as before.
      Known& known = known_.at(region);
      if (!known.walked || known.before != state) known = walk(region, state);
      if (known.products > 0) before_last_product = read + known.read_before_last_product;
      read += known.read;
      state = known.after;
      products_ += known.products;
    }
    sums_read_ += before_last_product;
  }
  /// Of all waves: products, and how often a sum was computed with before the last of them.
  double products() const { return products_; }
  double sums_read() const { return sums_read_; }

 private:
  struct Known {
    bool walked = false;
    State before, after;
    double products = 0, read = 0, read_before_last_product = 0;
  };

  Known walk(std::uint32_t region, const State& before) {
    Known known{.walked = true, .before = before, .after = before};
    for (const isa::Instruction& in : std::span(regions_[region].first, regions_[region].count)) {
      step(in, known);
      if (is_product(in)) ++known.products, known.read_before_last_product = known.read;
    }
    return known;
  }
  static bool is_product(const isa::Instruction& in) {
    return in.row->kind == isa::Kind::Matrix && in.row->tile.m > 0;
  }

  void step(const isa::Instruction& in, Known& known) {
    State& state = known.after;
    const isa::OperandUses uses = isa::operand_uses(in, lanes_);
    Origin from = 0;
    for (const isa::OperandUse& use : uses)
      if (use.reads) from |= state.from(use.operand, use.registers);
    Origin result = from;
    switch (in.row->kind) {
      case isa::Kind::Matrix:
        if (!is_product(in)) return;
        for (unsigned i = 0; i < 2; ++i) {
          const Origin of = state.from(in.src[i], isa::matrix_registers(in, i, lanes_));
          doings_.chains |= (of & summed) != 0;
          doings_.converts |= (of & computed) && !(of & summed);
        }
        doings_.scales_in_matrix |= in.row->with_scales;
        doings_.goes_on |= state.stored_sums;
        result = summed;
        break;
      case isa::Kind::Memory:
        result = access(in, from, state);
        break;
      case isa::Kind::Entry:
        if (in.row->pipe != isa::Pipe::Vector && in.row->pipe != isa::Pipe::Transcendental) break;
        if (moves(in)) break;
        if (from & loaded) result |= computed;
        if ((from & summed) && isa::work_of(in).operations_per_lane > 0) ++known.read;
        break;
      default:
        break;
    }
    for (const isa::OperandUse& use : uses)
      if (use.writes) std::ranges::fill(state.of(use.operand, use.registers), result);
  }

  /// Where what it loads comes from.
  Origin access(const isa::Instruction& in, Origin from, State& state) {
    using Space = isa::MemoryAccess::Space;
    const isa::MemoryAccess& memory = in.row->memory;
    switch (memory.space) {
      case Space::Scalar:
        return from & (argument | loaded) ? loaded : argument;
      case Space::Lds:
        if (memory.stores()) state.lds |= from & (computed | summed);
        return loaded | state.lds;
      case Space::Scratch:
        if (memory.stores()) state.scratch |= from;
        return state.scratch;
      default:
        break;
    }
    // Of a lane's address the low half: an index goes there. Of a buffer's index and offset both.
    const Origin at = state.from(in.src[0], in.offen && in.idxen ? 2 : 1) |
                      state.from(in.soffset, 1) | state.from(in.base, is_buffer(in) ? 4 : 2);
    doings_.gathers |= at & loaded;
    if (memory.stores()) state.stored_sums |= from & summed;
    return loaded;
  }
  static bool is_buffer(const isa::Instruction& in) {
    return in.row->memory.address == isa::MemoryAccess::Address::Descriptor;
  }

  const std::vector<engine::RegionOfCode>& regions_;
  const unsigned lanes_;
  Doings& doings_;
  std::vector<Known> known_ = std::vector<Known>(regions_.size());
  double products_ = 0, sums_read_ = 0;
};

/// The counts of one execution.
void count(const isa::Instruction& in, double times, Doings& doings) {
  const isa::Work work = isa::work_of(in);
  doings.crosses |= crosses_lanes(in);
  if (in.name().starts_with("V_CVT_")) doings.conversions += times;
  switch (work.pipe) {
    case isa::Pipe::Matrix:
      if (work.tile.m > 0) doings.matrix.at(static_cast<std::size_t>(work.number)) += times;
      break;
    case isa::Pipe::Transcendental:
      doings.transcendental += times;
      break;
    case isa::Pipe::Lds:
      doings.lds = true;
      break;
    case isa::Pipe::Global:
    case isa::Pipe::Flat:
      doings.memory += times;
      doings.atomics |= in.row->memory.atomic();
      break;
    default:
      break;
  }
}

/// Transcendental instructions for each matrix one. A GEMM may apply a function to what it has
/// summed up; attention takes one for four to eight matrix ones.
constexpr double few = 0.05;
/// Sums computed with, for each matrix instruction, before the last of them: of blocks that are
/// scaled one by one some, else none.
constexpr double hardly = 0.02;

std::string of_products(const Doings& d) {
  const auto most = std::ranges::max_element(d.matrix);
  const std::string_view type = rate_name(static_cast<isa::Number>(most - d.matrix.begin()));
  const auto family = [&](std::string_view what) { return fmt::format("{}, {}", what, type); };
  if (d.transcendental > few * d.products())
    return family(d.chains ? "attention" : "GEMM with functions");
  if (d.gathers) return family("gathered GEMM");
  if (d.unlike) return family("uneven GEMM");
  if (d.goes_on) return family("persistent GEMM");  // LDS may have had sums: nothing of chains
  if (d.chains) return family("chained GEMM");
  if (d.converts) return family("converting GEMM");
  std::string what = d.scales_in_matrix ? "MX GEMM" : d.scales ? "scaled GEMM" : "GEMM";
  return family((d.shares || d.atomics ? "split " : "") + what);
}

/// Whether neighbouring lanes access neighbouring places, in the main: there are at most so many
/// times the lines that the bytes fill.
constexpr double apart = 1.5;
bool is_strided(const gpus::Gpu& gpu, const profile::LaunchTrace& trace, unsigned lanes) {
  double lines = 0, filled = 0;
  for (const profile::GroupTrace& group : trace.neighbours())
    for (const profile::WaveTrace& wave : group.waves)
      for (const profile::Request& request : wave.requests) {
        if (!request.in_vector_memory() || request.count == 0) continue;
        const isa::Work work = isa::work_of(*request.instruction);
        const double bytes =
            double(lanes) * (request.stores ? work.bytes_written : work.bytes_read);
        const double line = profile::request_bytes(gpu, request.stores);
        lines += request.count;
        filled += std::max(1.0, bytes / line);
      }
  return lines > apart * filled;
}

/// Of the level that is busiest, if it is busier than what computes.
std::string stream_of(const Prediction& prediction) {
  for (const Prediction::Unit& unit : prediction.units) {  // busiest first
    if (unit.busy <= 0 || unit.name == "vector unit") break;
    for (const std::string_view level : {"L1", "L2", "MALL", "memory"})
      if (unit.name == level) return fmt::format("stream, {}", level);
  }
  return "arithmetic";
}

}  // namespace

double Doings::products() const {
  return std::accumulate(matrix.begin(), matrix.end(), 0.0);
}

Doings doings_of(const profile::LaunchTrace& trace, const engine::Result& result,
                 std::uint32_t wavefront_size, bool unlike) {
  Doings doings;
  doings.unlike = unlike;
  // Of the workgroups that were observed; recordings have no others' counts.
  std::vector<double> turns(result.regions.size());
  const profile::GroupTrace* most = nullptr;
  double of_most = -1;
  for (const profile::GroupTrace& group : trace.neighbours()) {
    double steps = 0;
    for (const profile::WaveTrace& wave : group.waves) {
      for (const std::uint32_t region : wave.path) ++turns.at(region);
      steps += double(wave.path.size());
      doings.shares |= std::ranges::any_of(wave.requests, [](const profile::Request& request) {
        return request.awaits || request.hands_over;
      });
    }
    if (steps > of_most) most = &group, of_most = steps;
  }
  for (std::size_t i = 0; i < turns.size(); ++i)
    if (turns[i] > 0)
      for (const isa::Instruction& in : std::span(result.regions[i].first, result.regions[i].count))
        count(in, turns[i], doings);
  if (!most) return doings;
  Origins origins(result.regions, wavefront_size, doings);
  for (const profile::WaveTrace& wave : most->waves) origins.follow(wave);
  doings.scales = origins.sums_read() > hardly * origins.products();
  return doings;
}

std::string family_of(const gpus::Gpu& gpu, const profile::LaunchTrace& trace, const Doings& doings,
                      std::uint64_t workgroups, std::uint32_t wavefront_size,
                      const Prediction& prediction) {
  if (doings.products() > 0) return of_products(doings);
  if (doings.memory == 0) return "";
  const auto& groups = trace.neighbours();
  const bool exchanges = doings.lds || doings.crosses;
  if (workgroups == 1 && groups.front().waves.size() == 1 && doings.gathers && !exchanges)
    return "one wave";
  if (exchanges) return "exchange of lanes";
  if (doings.gathers) return "gather";
  if (doings.atomics || doings.shares) return "atomics";
  if (doings.unlike) return "uneven";
  if (doings.transcendental + doings.conversions > few * doings.memory) return "elementwise";
  if (prediction.launch_seconds > prediction.seconds / 2) return "small launch";
  return is_strided(gpu, trace, wavefront_size) ? "strided" : stream_of(prediction);
}

}  // namespace hipsight::timing
