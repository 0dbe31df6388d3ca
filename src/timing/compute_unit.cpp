#include "timing/compute_unit.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "isa/operand_use.h"
#include "timing/costs.h"

namespace hipsight::timing {
namespace {

/// From the issue of an LDS read to its data, bank cycles apart. Not in public tables: assumed.
constexpr double lds_latency = 64;
/// A branch taken, until the wave issues again: instruction fetch. Fitted on assembly GEMMs of
/// ROCm/aiter.
constexpr double branch_penalty = 48;

/// What is known of an instruction, and who waited there.
struct Known {
  const isa::Instruction* instruction = nullptr;
  Cost cost;
  isa::OperandUses uses;  ///< with exact waits
  bool waits_for_counters = false;
  bool gone = false;  ///< the code is without it
  std::vector<Waited> waits;
  double issuing = 0;  ///< cycles of waves
};

/// A matrix or vector result that is not there yet.
struct Pending {
  Cost::Registers registers;
  double ready;
  Stall kind;
  const isa::Instruction* of;
  double accumulated;  ///< when a matrix instruction can add to it
};

/// What an instruction brings to its registers, from memory.
struct Brought {
  const isa::Instruction* by;
  double end;
  Stall kind;
};

/// A memory access that a wait counter counts.
struct UnderWay {
  double end;
  // Of what holds it up: itself, or one before it.
  Stall kind;
  const isa::Instruction* of;
};

/// What a wave has asked for.
struct InFlight {
  std::array<std::vector<UnderWay>, isa::kCounters> under_way;  ///< in order
  std::vector<Pending> pending;
  void clear() {
    for (auto& of_counter : under_way) of_counter.clear();
    pending.clear();
  }
};
struct WaveState : InFlight {
  const profile::WaveTrace* trace = nullptr;
  std::size_t path = 0, request = 0;
  std::span<Known* const> region;  ///< the instructions of that step of the path
  std::uint32_t at = 0;            ///< which of them is next
  double ready = 0;                ///< when its own last instruction lets it issue again
  double stored = 0;  ///< when its stores have come to the L2: before, it keeps its place
  const isa::Instruction* store = nullptr;  ///< the one that does so last
  Known* last = nullptr;                    ///< that it issued
  // Of a Rewrite: what is under way, one by one; when each load had come the last time; branches
  // taken.
  std::vector<Brought> brought;
  std::vector<std::pair<const isa::Instruction*, double>> came;
  unsigned jumps = 0;
  std::size_t group = 0;
  unsigned simd = 0, priority = 0;
};
struct GroupState {
  std::vector<std::size_t> at_barrier;  ///< waves
  double released = 0;                  ///< when the last one came
  std::size_t running = 0;
};

/// The latest of several times, and why.
struct Earliest {
  double time;
  Stall why = Stall::Issue;
  const isa::Instruction* of = nullptr;
  void after(double other, Stall reason, const isa::Instruction* whose = nullptr) {
    if (other > time) time = other, why = reason, of = whose;
  }
};

class ComputeUnit {
 public:
  ComputeUnit(const gpus::Gpu& gpu, const Rates& rates, const Work& work, std::uint64_t count,
              unsigned resident)
      : gpu_(gpu),
        traces_(work.groups),
        regions_(work.regions),
        lanes_(work.wave_lanes),
        handed_over_(work.handed_over),
        rewrite_(work.rewrite),
        count_(count),
        simds_(gpu.simds_per_cu),
        rates_(rates),
        memory_(gpu, rates, work.sharing, work.wave_lanes) {
    interval_ = gpu.issue_cycles;  // between two instructions of a wave
    for (unsigned i = 0; i < resident; ++i) start(0);
  }

  UnitRun run() {
    while (!queue_.empty()) {
      const Entry next = queue_.top();
      if (const auto again = step(next.wave(), next.time()))
        queue_.replace_top(entry(next.wave(), *again));
    }
    // Stores that no wave waited for.
    result_.cycles = memory_.finish(result_.cycles);
    const MemoryPath::Busy& busy = memory_.busy();
    result_.busy.l1 = busy.l1;
    result_.busy.l2 = busy.l2;
    result_.busy.mall = busy.mall;
    result_.busy.memory = busy.memory;
    for (const auto& [instruction, known] : known_) {
      result_.waits.insert(result_.waits.end(), known.waits.begin(), known.waits.end());
      result_.issued.push_back({instruction, known.issuing});
    }
    std::ranges::sort(result_.issued, {}, [](const Issued& i) { return i.instruction->address; });
    const auto key = [](const Waited& w) {  // the same on every host
      return std::tuple(-w.cycles, w.at->address, w.of ? w.of->address : 0, w.why);
    };
    std::ranges::sort(result_.waits, std::less(), key);
    return result_;
  }

 private:
  struct Simd {
    double vector = 0, matrix = 0, scalar = 0;  ///< when each is free
  };
  /// The wave that can go first, does; of several, one of the highest priority (s_setprio), and of
  /// those the oldest. One number that is compared without branches, which no host foretells: times
  /// are not negative, so their bits are in their order.
  struct Entry {
    unsigned __int128 key;
    Entry(double time, unsigned priority, std::size_t wave)
        : key(decltype(key){std::bit_cast<std::uint64_t>(time)} << 64 |
              std::uint64_t{~priority} << 32 | wave) {}
    double time() const { return std::bit_cast<double>(static_cast<std::uint64_t>(key >> 64)); }
    std::size_t wave() const { return static_cast<std::uint32_t>(key); }
    bool before(const Entry& other) const { return key < other.key; }
  };
  Entry entry(std::size_t wave, double time) const { return {time, waves_[wave].priority, wave}; }
  /// A heap. Mostly its first wave is asked, and goes on later: one pass puts the wave there.
  class Queue {
   public:
    bool empty() const { return heap_.empty(); }
    const Entry& top() const { return heap_.front(); }
    void push(const Entry& entry) {
      heap_.push_back(entry);
      std::ranges::push_heap(heap_, later);
    }
    void pop() {
      std::ranges::pop_heap(heap_, later);
      heap_.pop_back();
    }
    void replace_top(const Entry& entry) {
      std::size_t at = 0;
      for (std::size_t child; (child = 2 * at + 1) < heap_.size(); at = child) {
        if (child + 1 < heap_.size()) child += heap_[child + 1].before(heap_[child]);
        if (!heap_[child].before(entry)) break;
        heap_[at] = heap_[child];
      }
      heap_[at] = entry;
    }

   private:
    static bool later(const Entry& a, const Entry& b) { return b.before(a); }
    std::vector<Entry> heap_;
  };
  void wake(std::size_t wave, double time) { queue_.push(entry(wave, time)); }

  void start(double time) {
    if (started_ == count_) return;
    const profile::GroupTrace& trace = *traces_[started_++ % traces_.size()];
    time = std::max(time, next_start_);
    next_start_ = time + std::max(rates_.group_begins,
                                  rates_.wave_begins * static_cast<double>(trace.waves.size()));
    const std::size_t group = groups_.size();
    groups_.emplace_back().running = trace.waves.size();
    for (const profile::WaveTrace& wave : trace.waves) {
      WaveState& state = waves_.emplace_back();
      if (!spare_.empty()) {
        static_cast<InFlight&>(state) = std::move(spare_.back());
        spare_.pop_back();
      }
      state.trace = &wave;
      state.group = group;
      state.simd = next_simd_++ % simds_.size();
      state.ready = time;
      enter(state);
      wake(waves_.size() - 1, time);
    }
    if (trace.waves.empty()) end_of_group(time);
  }
  void end_of_group(double time) {
    result_.ends.push_back(time);
    result_.cycles = std::max(result_.cycles, time);
    start(time);
  }
  void end_of_wave(std::size_t index, double time) {
    WaveState& wave = waves_[index];
    wave.clear();
    spare_.push_back(std::move(static_cast<InFlight&>(wave)));
    GroupState& group = groups_[wave.group];
    if (--group.running == 0) return end_of_group(time);
    release(group, time);
  }
  /// Lets waves past the barrier once all that still run are there.
  void release(GroupState& group, double time) {
    group.released = std::max(group.released, time);
    if (group.at_barrier.size() < group.running) return;
    for (const std::size_t wave : group.at_barrier) {
      note(waves_[wave].last, nullptr, Stall::Barrier, group.released - waves_[wave].ready);
      waves_[wave].ready = group.released + interval_;
      wake(wave, waves_[wave].ready);
    }
    group.at_barrier.clear();
    group.released = 0;
  }

  Known& known(const isa::Instruction& in) {
    const auto found = known_.find(&in);
    if (found != known_.end()) return found->second;
    Known& its = known_[&in];
    its.instruction = &in;
    its.cost = cost_of(gpu_, in, lanes_);
    its.waits_for_counters = !rewrite_.exact_waits &&
                             std::ranges::any_of(its.cost.wait, [](auto& of) { return bool(of); });
    its.gone = rewrite_.without && rewrite_.without->contains(&in);
    if (rewrite_.exact_waits) its.uses = isa::operand_uses(in, lanes_);
    return its;
  }
  /// Has the wave begin the region that its path goes on with, if it does.
  void enter(WaveState& w) {
    w.at = 0;
    if (w.path == w.trace->path.size()) return;
    const std::size_t region = w.trace->path[w.path];
    std::vector<Known*>& all = known_of_region_[region];
    if (all.empty())
      for (std::uint32_t i = 0; i < regions_[region].count; ++i)
        all.push_back(&known(regions_[region].first[i]));
    w.region = all;
  }
  /// A wave waited before it issued `at`, if that is known.
  void note(Known* at, const isa::Instruction* of, Stall why, double cycles) {
    result_.stalls[static_cast<std::size_t>(why)] += cycles;
    if (cycles <= 0 || !at) return;
    const auto same = std::ranges::find_if(
        at->waits, [&](const Waited& w) { return w.why == why && w.of == of; });
    if (same == at->waits.end())
      at->waits.push_back({at->instruction, of, why, cycles});
    else
      same->cycles += cycles;
  }

  /// Whether other work would be in its place.
  bool waits_for_result(const isa::Instruction& in) const {
    return rewrite_.results_at_once && in.is(isa::Opcode::S_NOP);
  }
  /// Whether an unrolled loop has the instruction in other trips: its counter and its branch back.
  bool unrolled(const WaveState& w, const Cost& c) const {
    if (rewrite_.unrolled <= 1 || (c.pipe != isa::Pipe::Scalar && c.pipe != isa::Pipe::Branch))
      return false;
    const std::size_t next = w.path + 1;
    return next < w.trace->path.size() && w.trace->path[next] == w.trace->path[w.path] &&
           (w.jumps + 1) % rewrite_.unrolled != 0;
  }

  /// Issues the next instruction of the queue's first wave if it can, and says when that wave is to
  /// be asked again. Says nothing where others wake the wave, or it has ended: it left the queue.
  std::optional<double> step(std::size_t index, double now) {
    WaveState& w = waves_[index];
    if (w.path == w.trace->path.size()) {
      if (w.stored > now) {
        note(w.last, w.store, Stall::Store, w.stored - now);
        return w.stored;
      }
      queue_.pop();
      end_of_wave(index, now);
      return std::nullopt;
    }
    Known& its = *w.region[w.at];
    const Cost& c = its.cost;
    const bool gone = its.gone || unrolled(w, c);
    const Earliest at = gone ? Earliest{w.ready} : earliest(w, its);
    if (at.time > now) return at.time;
    note(&its, at.of, at.why, at.time - w.ready);
    w.last = &its;
    ++result_.instructions;
    if (gone) {
      w.ready = at.time;
    } else {
      issue(w, *its.instruction, c, at.time);
      w.ready = at.time + interval_ + (waits_for_result(*its.instruction) ? 0 : c.pause);
      if (c.priority) w.priority = *c.priority;
    }
    // On to the next one.
    if (++w.at == w.region.size()) {
      ++w.path;
      enter(w);
      const bool more = w.path < w.trace->path.size();
      const bool jumps = more && w.region.front()->instruction != its.instruction + 1;
      const bool again = more && w.trace->path[w.path] == w.trace->path[w.path - 1];
      if (jumps && (!again || ++w.jumps % rewrite_.unrolled == 0)) w.ready += branch_penalty;
    }
    its.issuing += w.ready - at.time;
    if (c.barrier && !its.gone) {
      GroupState& group = groups_[w.group];
      group.at_barrier.push_back(index);
      queue_.pop();
      release(group, w.ready);
      return std::nullopt;
    }
    return w.ready;
  }

  /// What the wave has asked for and the instruction needs, were there no waits in the code.
  void after_what_it_uses(const WaveState& w, const Known& its, Earliest& at) {
    const Cost& c = its.cost;
    for (const Brought& one : w.brought) {
      const isa::MemoryAccess& access = one.by->row->memory;
      const bool to_lds = access.with_lds() || (access.stores() && one.kind == Stall::Lds);
      bool needed = (c.barrier && (to_lds || access.stores())) ||
                    (c.pipe == isa::Pipe::Lds && access.with_lds());
      for (const isa::OperandUse& brings : known(*one.by).uses)
        for (const isa::OperandUse& use : its.uses) needed |= brings.writes && brings.overlaps(use);
      if (needed) at.after(one.end, one.kind, one.by);
    }
  }

  Earliest earliest(WaveState& w, const Known& its) {
    const Cost& c = its.cost;
    Earliest at{w.ready};
    if (rewrite_.exact_waits) after_what_it_uses(w, its, at);
    for (std::size_t i = 0; its.waits_for_counters && i < isa::kCounters; ++i) {
      if (!c.wait[i] || w.under_way[i].size() <= *c.wait[i]) continue;
      const std::vector<UnderWay>& all = w.under_way[i];
      const UnderWay& last = all[all.size() - 1 - *c.wait[i]];
      at.after(last.end, last.kind, last.of);
    }
    for (const Pending& pending : w.pending) {
      if (rewrite_.results_at_once) break;
      // A sum that goes on in the same registers need not leave the matrix unit.
      const bool goes_on = c.pipe == isa::Pipe::Matrix && c.result == pending.registers;
      bool needed = pending.registers.count && !goes_on && c.result.overlaps(pending.registers);
      for (const Cost::Registers& source : c.sources)
        needed |= source.count && source.overlaps(pending.registers) &&
                  !(goes_on && source == pending.registers);
      if (needed) at.after(pending.ready, pending.kind, pending.of);
      if (goes_on) at.after(pending.accumulated, pending.kind, pending.of);
    }
    const Simd& simd = simds_[w.simd];
    switch (c.pipe) {
      case isa::Pipe::Vector:
      case isa::Pipe::Transcendental:
        at.after(simd.vector, Stall::Vector);
        break;
      case isa::Pipe::Matrix:
        at.after(simd.matrix, Stall::Matrix);
        break;
      case isa::Pipe::Scalar:
      case isa::Pipe::ScalarMemory:
      case isa::Pipe::Branch:
        at.after(simd.scalar, Stall::ScalarUnit);
        break;
      case isa::Pipe::Lds:
        at.after(lds_ - queue_room, Stall::LdsPort);
        break;
      case isa::Pipe::Global:
      case isa::Pipe::Flat:
      case isa::Pipe::Scratch:
        at.after(memory_.free(), Stall::Memory);
        break;
      case isa::Pipe::Wait:
        break;
    }
    return at;
  }
  static Stall stall_of(isa::Counter counter) {
    constexpr std::array stalls{Stall::Load, Stall::Store, Stall::Lds, Stall::Scalar};
    return stalls[static_cast<std::size_t>(counter)];
  }

  void issue(WaveState& w, const isa::Instruction& in, const Cost& c, double now) {
    if (!w.pending.empty())
      std::erase_if(w.pending, [&](const Pending& p) { return p.ready <= now; });
    Simd& simd = simds_[w.simd];
    result_.energy_pj += c.energy_pj;
    switch (c.pipe) {
      case isa::Pipe::Vector:
      case isa::Pipe::Transcendental:
        simd.vector = now + c.busy;
        result_.busy.vector += c.busy;
        if (c.latency > c.busy)
          w.pending.push_back({c.result, now + c.latency, Stall::Result, &in, 0});
        break;
      case isa::Pipe::Matrix:
        simd.matrix = now + c.busy;
        result_.busy.matrix += c.busy;
        w.pending.push_back({c.result, now + c.latency, Stall::Result, &in, now + c.busy});
        break;
      case isa::Pipe::Scalar:
      case isa::Pipe::ScalarMemory:
      case isa::Pipe::Branch:
        simd.scalar = now + c.busy;
        result_.busy.scalar += c.busy;
        break;
      default:
        break;
    }
    if (c.moves) requests(w, in, c, now);
  }

  /// The accesses that this execution made: none when no lane was on.
  void requests(WaveState& w, const isa::Instruction& in, const Cost& c, double now) {
    const std::vector<profile::Request>& all = w.trace->requests;
    double end = now;
    isa::Counter kind = c.stores ? isa::Counter::Store : isa::Counter::Load;
    for (; w.request < all.size() && all[w.request].step == w.path &&
           all[w.request].instruction == &in;
         ++w.request) {
      const profile::Request& request = all[w.request];
      switch (request.space) {
        case engine::Access::Space::Lds: {
          kind = isa::Counter::Lds;
          const double cycles = request.lds_cycles / rates_.scales.bandwidths;
          lds_ = std::max(lds_, now) + cycles;
          result_.busy.lds += cycles;
          end = lds_ + rates_.scales.latencies * lds_latency;
          break;
        }
        case engine::Access::Space::Scalar:
          kind = isa::Counter::Scalar;
          end = memory_.scalar(in.cache != 0, now);
          break;
        default: {
          const MemoryPath::Ends ends = memory_.vector(request, c, now);
          end = ends.data;
          // It asks again until it is there.
          if (request.awaits && now < handed_over_) end += handed_over_ - now;
          if (request.hands_over) result_.handed_over = std::max(result_.handed_over, ends.safe);
          if (c.stores && ends.safe > w.stored) w.stored = ends.safe, w.store = &in;
          break;
        }
      }
    }
    if (end == now) return;
    if (rewrite_.one_trip_earlier && rewrite_.one_trip_earlier->contains(&in))
      end = came_before(w, in, end);
    if (rewrite_.exact_waits) {
      std::erase_if(w.brought, [&](const Brought& one) { return one.end <= now; });
      w.brought.push_back({&in, end, stall_of(kind)});
    }
    auto& before = w.under_way[static_cast<std::size_t>(isa::counter_of(in.gfx, kind))];
    before.erase(before.begin(),
                 std::ranges::find_if(before, [&](const UnderWay& one) { return one.end > now; }));
    before.push_back(before.empty() || before.back().end < end ? UnderWay{end, stall_of(kind), &in}
                                                               : before.back());
  }

  /// When what the wave asked for one trip earlier has come.
  static double came_before(WaveState& w, const isa::Instruction& in, double end) {
    const auto before = std::ranges::find(w.came, &in, [](const auto& one) { return one.first; });
    if (before != w.came.end()) return std::exchange(before->second, end);
    w.came.emplace_back(&in, end);
    return end;
  }

  /// Cycles of work that may wait in front of the LDS before waves are held. Fitted on the same.
  static constexpr double queue_room = 32;

  const gpus::Gpu& gpu_;
  const std::vector<const profile::GroupTrace*>& traces_;
  const std::vector<engine::RegionOfCode>& regions_;
  const unsigned lanes_;
  const double handed_over_;
  const Rewrite& rewrite_;
  const std::uint64_t count_;
  double interval_ = 4;
  std::vector<Simd> simds_;
  std::deque<WaveState> waves_;
  std::vector<InFlight> spare_;  ///< memory of waves that have ended, for others
  std::deque<GroupState> groups_;
  Queue queue_;
  std::unordered_map<const isa::Instruction*, Known> known_;
  std::vector<std::vector<Known*>> known_of_region_{regions_.size()};
  std::uint64_t started_ = 0;
  std::size_t next_simd_ = 0;
  double lds_ = 0;         ///< when it is free
  double next_start_ = 0;  ///< when the next workgroup can begin
  const Rates& rates_;
  MemoryPath memory_;
  UnitRun result_;
};

}  // namespace

std::string_view text(Stall stall) {
  constexpr std::array<std::string_view, kStalls> names{
      "loads",       "stores",      "LDS data", "scalar loads", "barriers", "vector unit",
      "matrix unit", "scalar unit", "LDS port", "memory pipe",  "results",  "issue"};
  return names[static_cast<std::size_t>(stall)];
}

UnitRun run_compute_unit(const gpus::Gpu& gpu, const Rates& rates, const Work& work,
                         std::uint64_t count, unsigned resident) {
  if (work.groups.empty() || !count) return {};
  return ComputeUnit(gpu, rates, work, count, std::max(1u, resident)).run();
}

}  // namespace hipsight::timing
