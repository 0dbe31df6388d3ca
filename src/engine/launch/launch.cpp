// Workgroups on host threads. A workgroup's waves run in turn on one thread, each until it ends,
// waits at a barrier, or has used up its budget of backward branches; a workgroup all of whose
// waves do nothing but spin makes room for others, since it may wait for them. No more workgroups
// are on their way at once than the GPU itself would hold.

#include "engine/launch/launch.h"

#include <fmt/format.h>
#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "code/readable_name.h"
#include "engine/launch/stepper.h"
#include "engine/memory/access_memory.h"
#include "engine/memory/overruns.h"
#include "engine/translate/translator.h"
#include "engine/watch/observers.h"
#include "engine/watch/order_watch.h"
#include "support/machine_clock.h"

namespace hipsight::engine {
namespace {

constexpr std::int64_t wave_budget = 4096;  ///< backward branches of a wave in one turn
constexpr unsigned patience = 8;            ///< turns of a workgroup without progress
constexpr std::int64_t spin_budget = 1024;  ///< the budget once patience has run out

/// Executions from which on translating a region pays: about 5 ns saved on each instruction for
/// 0.15 ms spent on it.
constexpr std::uint64_t worth_translating = 5000;
constexpr std::uint64_t longest_look = 64;  ///< turns between looks for such regions
constexpr std::uint64_t turns_between_clocks = 16;
constexpr std::uint64_t choices_between_clocks = 1 << 16;  ///< workgroups that no observer wanted

/// Bytes behind a workgroup's LDS that whole host registers may be read from.
constexpr std::size_t lds_slack = 64;

struct AlignedDelete {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
};
using Block = std::unique_ptr<std::byte[], AlignedDelete>;
Block make_block(std::size_t size) {
  return Block(static_cast<std::byte*>(::operator new[](size, std::align_val_t{64})));
}

/// A workgroup with the memory of its waves, LDS and scratch; used again for the next one.
struct Slot {
  Workgroup group;
  Block waves, lds, scratch;
  unsigned idle = 0;                        ///< turns of its waves since one made progress
  std::uint64_t stuck_since = 0;            ///< of stuck_workgroups
  bool is_observed = false;                 ///< as the launch's observers want it
  std::map<const Wave*, Stepper> steppers;  ///< of waves that are told of step by step
  Observers observers;
  std::optional<OrderWatch> order_watch;

  Slot(const Launch& launch, std::uint32_t max_waves)
      : waves(make_block(launch.file.wave_bytes() * max_waves)),
        lds(make_block(lds_room(launch.lds_bytes) + lds_slack)),
        scratch(make_block(std::max<std::size_t>(
            64, std::size_t{launch.scratch_bytes + 4} * launch.file.lanes * max_waves))),
        observers(*launch.program) {
    group.launch = &launch;
    group.lds = lds.get();
    group.lds_bytes = launch.lds_bytes;
    for (std::uint32_t i = 0; i < max_waves; ++i) {
      auto* wave = new (waves.get() + i * launch.file.wave_bytes()) Wave;
      wave->scratch = scratch.get() + i * std::size_t{launch.scratch_bytes + 4} * launch.file.lanes;
      wave->index_in_group = i;
      group.waves.push_back(wave);
    }
    place_group(group);
    clear_scalars();
  }

  void start(std::uint64_t index) {
    const Launch& launch = *group.launch;
    const Dim3 &grid = launch.dispatch->grid, &block = launch.dispatch->block;
    // As few divisions as it takes: one is as long as a tenth of a short wave.
    const std::uint64_t row =
        launch.groups.x == launch.groups.volume() ? 0 : index / launch.groups.x;
    const std::uint64_t plane = launch.groups.z == 1 ? 0 : row / launch.groups.y;
    group.id[0] = static_cast<std::uint32_t>(index - row * launch.groups.x);
    group.id[1] = static_cast<std::uint32_t>(row - plane * launch.groups.y);
    group.id[2] = static_cast<std::uint32_t>(plane);
    // The last workgroups may be cut off by the grid.
    const std::uint32_t size[]{std::min(block.x, grid.x - group.id[0] * block.x),
                               std::min(block.y, grid.y - group.id[1] * block.y),
                               std::min(block.z, grid.z - group.id[2] * block.z)};
    group.started =
        (size[0] * size[1] * size[2] + launch.file.lanes - 1) >> (launch.file.lanes == 64 ? 6 : 5);
    group.running = group.started;
    group.barriers = {};
    idle = 0;
    stuck_since = 0;
    // Kernels read what none of them wrote and multiply it by zero (MAGMA's trmv): on a GPU that is
    // what earlier kernels left, here it could be a NaN of the host's, and differ between runs.
    const std::optional<std::uint8_t>& unwritten = launch.dispatch->unwritten;
    std::memset(lds.get(), unwritten.value_or(0), lds_room(launch.lds_bytes));
    steppers.clear();
    if (!observers.empty()) observers.clear();
    for (Observer* const observer : launch.dispatch->observers)
      if (GroupObserver* const observed = observer->begins(index)) observers.add(*observed);
    is_observed = !observers.empty();
    if (launch.dispatch->observed_only) forget(0);
    if (unwritten) forget(*unwritten);
    if (is_observed) clear_scalars();  // what changes is told of: not what others have left
    order_watch.reset();
    if (!is_observed && launch.watches_order && index == 0)
      observers.add(order_watch.emplace(group));
    group.start.observers = observers.empty() ? nullptr : &observers;
    start_waves(group, size);
    if (is_observed) begin_observing();
  }

  void begin_observing() {
    for (std::uint32_t i = 0; i < group.started; ++i) {
      Wave& wave = *group.waves[i];
      observers.wave_begins(i, wave.exec() & wave.full);
      if (observers.steps(i))
        steppers.try_emplace(&wave, *group.launch->program, group.launch->file, wave);
    }
  }
  void end_observing() {
    for (Wave* wave : group.waves) wave->observers = nullptr;
    observers.clear();
    order_watch.reset();
    is_observed = false;
  }

  /// What its waves tell of goes to one worker's memory.
  void work_for(RegionCount* counts, KnownRange* known) {
    if (group.start.counts == counts) return;
    group.start.counts = counts;
    group.start.known = known;
    for (Wave* wave : group.waves) {
      wave->counts = counts;
      wave->known = known;
    }
  }

  /// Scalar registers are as they are when a wave starts, also those that are not set up then.
  void clear_scalars() {
    for (Wave* wave : group.waves) std::ranges::copy(group.start.scalar, wave->scalar);
  }

  /// Fills registers and scratch: where results of matrix instructions are left out, the kernel
  /// reads what it did not write, and that must be the same in each run.
  void forget(std::uint8_t value) {
    const Launch& launch = *group.launch;
    for (Wave* wave : group.waves) {
      std::memset(wave->vgpr(0), value, launch.file.wave_bytes() - sizeof(Wave));
      std::memset(wave->scratch, value, std::size_t{launch.scratch_bytes} * launch.file.lanes);
    }
  }
};

/// A counter for each region that a program can have. A thread keeps them for its next launch,
/// since there are many, most of which are never touched.
class Counters {
 public:
  explicit Counters(std::size_t limit) {
    if (!kept.empty()) {
      memory_ = std::move(kept.back());
      kept.pop_back();
    }
    if (memory_.limit >= limit) return;
    memory_ = {Zeros(static_cast<RegionCount*>(std::calloc(limit, sizeof(RegionCount)))), limit};
    if (!memory_.counts) throw std::bad_alloc();
  }
  RegionCount* get() const { return memory_.counts.get(); }
  RegionCount& operator[](std::size_t region) const { return memory_.counts[region]; }
  /// None but the first ones were used; nobody uses them any more.
  void keep(std::size_t used) {
    std::fill_n(get(), used, RegionCount{});
    kept.push_back(std::move(memory_));
  }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  using Zeros = std::unique_ptr<RegionCount[], Free>;
  struct Memory {
    Zeros counts;
    std::size_t limit = 0;
  };
  static thread_local std::vector<Memory> kept;  ///< two: of workgroups observed, and not
  Memory memory_;
};
thread_local std::vector<Counters::Memory> Counters::kept;

class Execution {
 public:
  Execution(const Launch& launch, std::chrono::milliseconds timeout, std::uint64_t resident)
      : launch_(launch),
        timeout_(timeout),
        resident_(resident),
        total_(launch.groups.volume()),
        max_waves_(static_cast<std::uint32_t>(
            (launch.dispatch->block.volume() + launch.file.lanes - 1) / launch.file.lanes)),
        deadline_(MachineClock::now() + timeout) {}

  void work() {
    Worker worker(*this);
    try {
      worker.run();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_ = true;
    }
    worker.merge();
  }

  Result result() {
    if (error_) std::rethrow_exception(error_);
    Result result;
    result.workgroups = total_;
    result.executed = total_ - skipped_;
    const auto all_of = [&](std::uint64_t part) {
      return skipped_ ? static_cast<std::uint64_t>(static_cast<double>(part) *
                                                   static_cast<double>(total_) /
                                                   static_cast<double>(result.executed))
                      : part;
    };
    result.waves = all_of(waves_);
    const auto regions = launch_.program->regions();
    launch_.program->add_executions(counts_);
    if (!launch_.dispatch->observers.empty()) result.regions.assign(regions.begin(), regions.end());
    for (std::size_t r = 0; r < counts_.size(); ++r) {
      if (!counts_[r].executions) continue;
      for (std::uint32_t i = 0; i < regions[r].count; ++i)
        result.counts.push_back(
            {regions[r].first + i, all_of(counts_[r].executions), all_of(counts_[r].lanes)});
    }
    std::ranges::sort(result.counts, {},
                      [](const InstructionCount& c) { return c.instruction->address; });
    return result;
  }

 private:
  struct Worker {
    Execution& execution_;
    Counters counts;
    std::optional<Counters> observed_counts;  ///< of workgroups that are observed
    std::unique_ptr<AccessMemory> accesses = std::make_unique<AccessMemory>();
    std::vector<std::unique_ptr<Slot>> free;
    std::uint64_t waves = 0;
    unsigned csr = 0;  ///< the host's modes now
    std::uint64_t turns = 0, look_at = 1;
    /// Counts of regions that were to be translated, by then; and for waves that are observed.
    std::vector<RegionCount> asked, asked_observed;
    std::vector<std::uint64_t> earlier;  ///< executions of regions in launches that have ended

    explicit Worker(Execution& execution)
        : execution_(execution), counts(execution.launch_.program->region_limit()) {
      earlier = execution.launch_.program->executions();
    }

    void run() {
      csr = _mm_getcsr();
      const struct Restore {
        unsigned csr;
        ~Restore() { _mm_setcsr(csr); }
      } restore{csr};
      while (auto slot = next()) {
        if (turn(*slot)) {
          waves += slot->group.started;
          execution_.finished();
          free.push_back(std::move(slot));
        } else {
          execution_.suspend(std::move(slot));
        }
      }
    }

    /// A new workgroup, or one that was suspended; null when there is nothing left to run.
    std::unique_ptr<Slot> next() {
      for (;;) {
        if (execution_.stop_) return nullptr;
        if (auto slot = execution_.resume()) return slot;
        std::uint64_t index;
        if (execution_.take(index)) {
          std::unique_ptr<Slot> slot;
          if (!free.empty()) {
            slot = std::move(free.back());
            free.pop_back();
          } else {
            slot = std::make_unique<Slot>(execution_.launch_, execution_.max_waves_);
          }
          slot->start(index);
          return slot;
        }
        if (auto slot = execution_.resume_any()) return slot;
        return nullptr;
      }
    }

    /// Runs a workgroup; false when it only spins.
    bool turn(Slot& slot) {
      Workgroup& group = slot.group;
      slot.work_for(counts_of(slot), accesses->range);
      while (group.running) {
        const Turn made = run_once(slot);
        if (!slot.observers.empty() && slot.observers.have_enough()) {
          if (execution_.launch_.dispatch->observed_only) return true;
          slot.end_observing();
          slot.work_for(counts_of(slot), accesses->range);
        }
        if (slot.order_watch && made.yields) slot.order_watch->yields();
        // Where waves only wait for each other's turns, it shows later whether they spin.
        if (made.progress)
          slot.idle = 0;
        else
          slot.idle += made.is_idle();
        if (execution_.stop_) return true;
        if (slot.idle && execution_.are_all(stuck_workgroups(group, slot.stuck_since)))
          report_deadlock(group);
        ++turns;
        if (execution_.launch_.tier == Tier::Auto && turns >= look_at) look();
        // Reading the clock takes as long as starting a wave.
        if (made.is_idle() || turns % turns_between_clocks == 0) execution_.check_time(group);
        if (slot.idle && execution_.launch_.dispatch->observed_only) let_go(group);
        if (slot.idle > patience && execution_.others_wait()) return false;
      }
      if (slot.order_watch) slot.order_watch->settle();
      if (slot.is_observed) slot.observers.workgroup_ends();
      return true;
    }

    RegionCount* counts_of(const Slot& slot) {
      if (!slot.is_observed) return counts.get();
      if (!observed_counts) observed_counts.emplace(execution_.launch_.program->region_limit());
      return observed_counts->get();
    }

    /// Waves that spin for a workgroup that does not run leave their loop by its first branch.
    static void let_go(Workgroup& group) {
      for (std::uint32_t i = 0; i < group.started; ++i) {
        Wave& wave = *group.waves[i];
        if (wave.stop != Stop::Yield || !wave.observers || !wave.observers->spins(i)) continue;
        const Op* at = wave.resume;
        const auto leaves = [](const Op& op) {
          return op.instruction &&
                 (op.instruction->row->has_target() || op.instruction->row->ends_path());
        };
        while (!leaves(*at)) ++at;
        if (!at->instruction->row->ends_path())
          wave.resume = at->flags & flag::backward ? at + 1 : at->target;
      }
    }

    /// Has regions translated that have run often: looked for ever less often, up to a point.
    void look() {
      look_at = turns + std::min(turns, longest_look);
      earlier.resize(execution_.launch_.program->regions().size());
      if (observed_counts) look_at_observed();
      ask(counts, asked, false, [&](std::size_t r) { return earlier[r]; });
    }
    /// Of what ran before, as large a part was observed as now.
    void look_at_observed() {
      ask(*observed_counts, asked_observed, true, [&](std::size_t r) {
        const auto observed = static_cast<double>((*observed_counts)[r].executions);
        const auto all = observed + static_cast<double>(counts[r].executions);
        return static_cast<std::uint64_t>(static_cast<double>(earlier[r]) * observed / all);
      });
    }
    void ask(const Counters& now, std::vector<RegionCount>& last, bool observed, auto before) {
      Program& program = *execution_.launch_.program;
      last.resize(earlier.size());
      for (std::size_t r = 0; r < last.size(); ++r) {
        const RegionCount since{now[r].executions - last[r].executions,
                                now[r].lanes - last[r].lanes};
        if (!since.executions) continue;
        // Again and again, since other waves may come.
        const std::uint64_t all = since.executions + (last[r].executions ? 0 : before(r));
        if (all < worth_translating) continue;
        last[r] = now[r];
        program.translate_soon(r, since, has_whole_rows(execution_.launch_.dispatch->block),
                               observed);
      }
    }

    /// A turn of each wave that can go on.
    Turn run_once(Slot& slot) {
      const std::span waves(slot.group.waves.data(), slot.group.started);
      const bool looks = slot.idle > patience || slot.is_observed;
      const std::int64_t budget = looks ? spin_budget : wave_budget;
      if (slot.steppers.empty() && !execution_.has_timeout()) [[likely]]
        return run_waves(waves, budget, csr);
      Turn made;
      for (Wave* const& wave : waves) {
        const auto stepper = slot.steppers.find(wave);
        if (stepper == slot.steppers.end()) {
          made.add(run_waves({&wave, 1}, budget, csr));
        } else if (wave->stop != Stop::End && wave->stop != Stop::Barrier) {
          if (wave->stop != Stop::Others) wave->budget = budget;
          wave->stop = Stop::None;
          _mm_setcsr(wave->csr_32);
          stepper->second.run(*wave);
          csr = wave->csr_32;
          made.add(wave->stop);
          if (wave->stop == Stop::End) end_wave(*wave);
        }
        // Sixteen waves that use up their budgets in long loops take seconds.
        if (wave->stop == Stop::Yield) execution_.check_time(slot.group);
      }
      return made;
    }

    void merge() {
      const std::size_t regions = execution_.launch_.program->regions().size();
      const std::lock_guard lock(execution_.mutex_);
      execution_.waves_ += waves;
      execution_.counts_.resize(std::max(execution_.counts_.size(), regions));
      const auto add = [&](Counters& some) {
        for (std::size_t r = 0; r < regions; ++r) {
          execution_.counts_[r].executions += some[r].executions;
          execution_.counts_[r].lanes += some[r].lanes;
        }
        some.keep(regions);
      };
      if (observed_counts) add(*observed_counts);
      add(counts);
    }
  };

  bool take(std::uint64_t& index) {
    if (launch_.dispatch->observed_only) return take_chosen(index);
    if (next_ - finished_ >= resident_) return false;
    index = next_.fetch_add(1, std::memory_order_relaxed);
    return index < total_;
  }
  /// The same where only workgroups run that an observer chooses.
  bool take_chosen(std::uint64_t& index) {
    const std::vector<Observer*>& observers = launch_.dispatch->observers;
    const std::lock_guard lock(mutex_);
    if (next_ - finished_ >= resident_) return false;
    for (std::uint64_t tries = 1;; ++tries) {
      index = total_;
      for (const Observer* one : observers) index = std::min(index, one->next_choice(next_));
      finished(index - next_);
      skipped_ += index - next_;
      next_ = index;
      if (index == total_) return false;
      ++next_;
      if (std::ranges::any_of(observers, [&](Observer* one) { return one->begins(index); }))
        return true;
      finished();
      ++skipped_;
      if (tries % choices_between_clocks == 0) check_time();
    }
  }
  void finished(std::uint64_t workgroups = 1) {
    finished_ += workgroups;
    if (launch_.dispatch->finished) *launch_.dispatch->finished += workgroups;
  }

  /// Whether so many workgroups are all that have begun and not ended, and no other may begin.
  bool are_all(std::uint64_t workgroups) const {
    const std::uint64_t begun = std::min<std::uint64_t>(next_, total_);
    return workgroups && workgroups == begun - finished_ &&
           (begun == total_ || workgroups >= resident_);
  }

  void suspend(std::unique_ptr<Slot> slot) {
    const std::lock_guard lock(mutex_);
    suspended_.push_back(std::move(slot));
    any_suspended_ = true;
    turns_since_resume_ = 0;
  }
  /// Suspended workgroups and new ones take turns.
  std::unique_ptr<Slot> resume() {
    if (!any_suspended_) return nullptr;  // as nearly always
    const std::lock_guard lock(mutex_);
    if (suspended_.empty()) return nullptr;
    if (next_ < total_ && turns_since_resume_++ == 0) return nullptr;
    return pop();
  }
  std::unique_ptr<Slot> resume_any() {
    const std::lock_guard lock(mutex_);
    return suspended_.empty() ? nullptr : pop();
  }
  std::unique_ptr<Slot> pop() {
    auto slot = std::move(suspended_.front());
    suspended_.pop_front();
    any_suspended_ = !suspended_.empty();
    turns_since_resume_ = 0;
    return slot;
  }
  bool others_wait() {
    if (next_ < total_) return true;
    const std::lock_guard lock(mutex_);
    return !suspended_.empty();
  }
  bool has_timeout() const { return timeout_.count() != 0; }
  bool time_is_up() const { return has_timeout() && MachineClock::now() >= deadline_; }
  /// Ends the launch when its time is up; the workgroup shows where the kernel is.
  void check_time(const Workgroup& group) const {
    if (!group.running) return check_time();
    if (!time_is_up()) return;
    const Wave* stuck = group.waves[0];
    for (const Wave* w : group.waves)
      if (w->group && w->stop == Stop::Yield) {
        stuck = w;
        break;
      }
    report_timeout(*stuck, std::chrono::duration<double>(timeout_).count());
  }
  /// The same between workgroups.
  void check_time() const {
    if (!time_is_up()) return;
    throw KernelError(
        KernelError::Kind::Timeout,
        fmt::format("the kernel did not end within {:g} s; {} of its {} workgroups had ended\n"
                    "  kernel      {}",
                    std::chrono::duration<double>(timeout_).count(), finished_.load(), total_,
                    code::readable_name(launch_.dispatch->kernel->name)));
  }

  const Launch& launch_;
  const std::chrono::milliseconds timeout_;
  const std::uint64_t resident_;
  const std::uint64_t total_;
  const std::uint32_t max_waves_;
  const MachineClock::time_point deadline_;
  std::atomic<std::uint64_t> next_{0}, finished_{0};
  std::uint64_t skipped_ = 0;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::deque<std::unique_ptr<Slot>> suspended_;
  std::atomic<bool> any_suspended_{false};
  unsigned turns_since_resume_ = 0;
  std::vector<RegionCount> counts_;
  std::uint64_t waves_ = 0;
  std::exception_ptr error_;
};

}  // namespace

Result run_launch(const Launch& launch, Pool& pool, std::chrono::milliseconds timeout,
                  std::uint64_t resident) {
  const auto begin = MachineClock::now();
  // Each host thread has one in hand.
  Execution execution(launch, timeout, std::max<std::uint64_t>(resident, pool.size()));
  const ProgramListing listing(*launch.program);
  for (Observer* const observer : launch.dispatch->observers)
    observer->launch_begins({.dispatch = *launch.dispatch,
                             .groups = launch.groups,
                             .lanes = launch.file.lanes,
                             .lds_bytes = launch.lds_bytes,
                             .scratch_bytes = launch.scratch_bytes,
                             .listing = listing});
  const std::uint64_t groups = launch.groups.volume();
  const std::uint64_t others = launch.dispatch->in_order ? 0 : pool.size() - 1;
  const auto helpers = static_cast<unsigned>(std::min<std::uint64_t>(groups - 1, others));
  pool.run(helpers, [&] { execution.work(); });
  Result result = execution.result();
  for (Observer* const observer : launch.dispatch->observers) observer->launch_ends();
  result.host_seconds = std::chrono::duration<double>(MachineClock::now() - begin).count();
  return result;
}

}  // namespace hipsight::engine
