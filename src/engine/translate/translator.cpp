#include "engine/translate/translator.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "engine/launch/wave.h"
#include "engine/launch/workgroup.h"
#include "engine/translate/analysis/liveness.h"
#include "engine/translate/cluster.h"
#include "engine/translate/compiler.h"
#include "engine/translate/emit/emit.h"
#include "engine/translate/matrix.h"
#include "engine/watch/observe.h"
#include "engine/watch/observers.h"
#include "support/error.h"

namespace hipsight::engine {
namespace {

/// The ops that finish a cluster which compiled code bailed out of, one instruction at a time.
struct Rest {
  std::vector<Op> ops;
  std::vector<std::uint32_t> masks;
  std::vector<std::uint64_t> parameters;
  std::vector<Op> scalars;  ///< before it, if nothing was done
  std::vector<Op> stores;   ///< those of all lanes, after it
};
/// A loop that each slice goes round on its own.
struct LoopCode {
  std::shared_ptr<const Run> code;
  Run run = nullptr;
  std::vector<std::uint32_t> counters;  ///< of its parts
  const Op *begin = nullptr, *exit = nullptr;
};
struct Block {
  std::vector<Op> ops;
  std::deque<Rest> rests;
  std::deque<MatrixGroup> groups;
  LoopCode loop;
  CompiledCode code;
  std::vector<std::pair<std::size_t, std::size_t>> to_run;  ///< ops, and the numbers of their code

  /// Whether it is quicker than the ops as they are.
  bool has_code() const { return !rests.empty() || !groups.empty() || loop.run; }
};

/// What is known of the address of an op that accesses LDS or memory.
Affine address_of(const Op& op, const Affinities& affine, const RegisterFile& file) {
  if (op.shape || !op.instruction) return {};
  const unsigned at = place::at(static_cast<std::uint32_t>(op.src[0]), file.lanes * 4);
  const auto word = affine.words.find(at);
  const Affine known = word == affine.words.end() ? Affine{} : word->second;
  if (op.instruction->format != isa::Format::Global) return known.sure ? known : Affine{};
  // To be checked when it runs (Affinities::pairs).
  const auto stride =
      op.instruction->base.where == isa::Where::Sgpr ? signed_stride(known) : affine.pair_at(at);
  if (!stride) return {};
  return {.known = true, .stride = static_cast<std::uint32_t>(*stride)};
}

/// What the first op of a region does that is not translated.
Run counting(const RegisterFile& file) {
  return host_table().find("region")->run(file.lanes, false);
}

const Op* leave(Wave&, const Op*) {
  return nullptr;
}
const Op* go_to(Wave& w, const Op* op) {
  [[clang::musttail]] return op->target->run(w, op->target);
}

std::uint64_t read_bits(const Wave& w, std::uint32_t offset) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, reinterpret_cast<const std::byte*>(&w) + offset, w.lanes / 8);
  return bits;
}
void write_bits(Wave& w, std::uint32_t offset, std::uint64_t bits) {
  std::memcpy(w.bytes() + offset, &bits, w.lanes / 8);
}

bool accesses_memory(const Op& op) {
  return op.instruction->row->kind == isa::Kind::Memory;
}

void interpret(Wave& w, const std::vector<Op>& ops) {
  for (const Op* at = ops.data(); at;) at = at->run(w, at);
}

/// Interprets a cluster, or the trips of a loop, on the lanes that compiled code has not done.
void interpret_rest(Wave& w, const Op* op, std::uint32_t trips) {
  const Rest& rest = *reinterpret_cast<const Rest*>(op->imm);
  if (w.done_lanes == nothing_done) {
    interpret(w, rest.scalars);
    w.done_lanes = 0;
  }
  constexpr auto exec_offset =
      static_cast<std::uint32_t>(offsetof(Wave, scalar) + reg::exec * sizeof(std::uint32_t));
  const std::uint64_t done = (1ull << w.done_lanes) - 1, exec = read_bits(w, exec_offset);
  std::uint64_t masks[Wave::temporary_bytes / 8];
  std::memcpy(masks, w.temporary[0], rest.masks.size() * sizeof *masks);
  write_bits(w, exec_offset, exec & ~done);
  for (; trips; --trips) interpret(w, rest.ops);
  write_bits(w, exec_offset, exec);
  for (std::size_t m = 0; m < rest.masks.size(); ++m)
    write_bits(w, rest.masks[m], (read_bits(w, rest.masks[m]) & ~done) | (masks[m] & done));
  interpret(w, rest.stores);
}
const Op* finish_cluster(Wave& w, const Op* op) {
  interpret_rest(w, op, 1);
  return op + 1;
}
const Op* finish_loop(Wave& w, const Op* op) {
  interpret_rest(w, op, w.trips);
  return op + 1;
}

/// After a loop's trips, the first of which is counted already: out of it, or, when the budget is
/// used up, back to its begin once others have had a turn.
const Op* after_loop(Wave& w, const Op* op) {
  const std::uint64_t more = w.trips - 1;
  if (w.observers)
    for (std::uint64_t i = 0; i < more; ++i) observe_region(w, op);
  RegionCount& count = w.counts[op->counter];
  count.executions += more;
  count.lanes += more * static_cast<unsigned>(__builtin_popcountll(w.exec()));
  w.budget -= w.trips;
  const bool again = (w.scc != 0) == (op->flags != 0);
  if (!again) return op->target;
  w.stop = Stop::Yield;
  w.resume = reinterpret_cast<const Op*>(op->imm);
  return nullptr;
}

/// Some trips of a loop, unless its code bails out: then this one is done op by op, and more and
/// more after it.
const Op* go_round(Wave& w, const Op* op) {
  // The last trips of its budget too: a wave makes room for others at the same place in each tier.
  if (w.budget <= lanewise_trips) return op + 1;
  if (w.loops_to_skip) {
    --w.loops_to_skip;
    return op + 1;
  }
  const auto& loop = *reinterpret_cast<const LoopCode*>(op->imm);
  constexpr std::uint32_t most_to_skip = 64;
  if (loop.run(w, op) == op + 1) {
    w.loops_to_skip = w.next_loops_to_skip;
    w.next_loops_to_skip = std::min(2 * w.next_loops_to_skip, most_to_skip);
    return op + 1;
  }
  w.next_loops_to_skip = 1;
  const auto* made = reinterpret_cast<const RegionCount*>(w.bytes() + lanewise_counts_offset);
  for (const std::uint32_t counter : loop.counters) {
    w.counts[counter].executions += made->executions;
    w.counts[counter].lanes += made->lanes;
    ++made;
  }
  --w.counts[loop.counters.front()].executions;  // counted when the wave came here
  w.budget -= w.trips;
  if (!w.goes_round) return loop.exit;
  if (w.budget > 0) return loop.begin;
  w.stop = Stop::Yield;
  w.resume = loop.begin;
  return nullptr;
}

/// Where the first op of a translated region leads: the blocks for waves with every lane on, for
/// any, and for those that are observed. Each may be added while other threads run that op: what it
/// leads to is there before they see it.
const Op* full_block(const Op& first) {
  return __atomic_load_n(&first.target, __ATOMIC_ACQUIRE);
}
const Op* masked_block(const Op& first) {
  return reinterpret_cast<const Op*>(__atomic_load_n(&first.imm, __ATOMIC_ACQUIRE));
}

const Op* observed_block(const Op& first) {
  return reinterpret_cast<const Op*>(__atomic_load_n(&first.src[0], __ATOMIC_ACQUIRE));
}

bool has_all_lanes(const Wave& w, bool rows) {
  return w.exec() == w.full && (w.whole_rows || !rows);
}

/// The first op of a translated region, where there is no block for waves with every lane on, or
/// the wave is none.
[[gnu::noinline]] const Op* enter_otherwise(Wave& w, const Op* op) {
  const Op *const full = full_block(*op), *const masked = masked_block(*op),
                  *const observed = observed_block(*op);
  // Code for any EXEC serves until there is some for this one.
  const Op* const any = w.observers ? observed : masked;
  const bool best = any && (w.observers || full || w.exec() != w.full);
  if (!best && w.group->launch->program->translate_now(op->counter, w)) return op;
  if (any) return any;
  // A block begins with the op that stood here: that one, where there is none for this wave.
  return (full ? full : masked ? masked : observed)->run(w, op);
}

/// To the block for waves with every lane on: as its first op counts, but without looking at each
/// lane.
const Op* begin_full(Wave& w, const Op* region) {
  RegionCount& count = w.counts[region->counter];
  ++count.executions;
  count.lanes += w.lanes;
  const Op* const first = full_block(*region) + 1;
  [[clang::musttail]] return first->run(w, first);
}

/// The first op of a translated region: to the block for its EXEC, if there is one.
const Op* enter(Wave& w, const Op* op) {
  if (!full_block(*op) || w.observers || !has_all_lanes(w, op->flags & flag::whole_rows))
      [[unlikely]]
    [[clang::musttail]] return enter_otherwise(w, op);
  [[clang::musttail]] return begin_full(w, op);
}

/// The branch at the end of a block for waves with every lane on, back to its region: EXEC is as it
/// was, so all that `enter` looks at is. `imm`: what the branch does otherwise.
template <bool Scc>
const Op* again(Wave& w, const Op* op) {
  if ((w.scc != 0) != Scc) {
    const Op* const next = op + 1;
    [[clang::musttail]] return next->run(w, next);
  }
  if (w.observers || w.budget <= 1) [[unlikely]]
    [[clang::musttail]] return reinterpret_cast<Run>(op->imm)(w, op);
  --w.budget;
  [[clang::musttail]] return begin_full(w, op->target);
}

}  // namespace

bool is_translated(const Op& first, Variants one) {
  return (one.full       ? full_block(first)
          : one.observed ? observed_block(first)
                         : masked_block(first)) != nullptr;
}

Variants variant_for(const Wave& w, const Op& first, bool rows) {
  if (w.observers && w.observers->want_accesses()) return {.observed = true};
  if (full_block(first)) rows = __atomic_load_n(&first.flags, __ATOMIC_RELAXED) & flag::whole_rows;
  const bool full = has_all_lanes(w, rows);
  return {.full = full, .masked = !full};
}

bool wants_translation(const Wave& w) {
  return !w.observers || !w.group->launch->dispatch->observers.empty();
}

const Op* block_for(const Wave& w, const Op& first) {
  if (w.observers && w.observers->want_accesses()) return observed_block(first);
  const Op* const full = full_block(first);
  return full && has_all_lanes(w, first.flags & flag::whole_rows) ? full : masked_block(first);
}

Run own_run(const Op& first) {
  if (first.run != enter) return first.run;
  // A block begins with the op that stood here.
  for (const Op* const block : {full_block(first), masked_block(first), observed_block(first)})
    if (block) return block->run;
  return first.run;
}

BlockOp block_op(const Op& op) {
  if (op.run == go_to) return {.target = op.target, .compiled = {}};
  const Op& next = (&op)[1];
  if (next.run != finish_cluster && next.run != finish_loop) return {};
  BlockOp result;
  const Rest& rest = *reinterpret_cast<const Rest*>(next.imm);
  for (const auto* ops : {&rest.scalars, &rest.ops, &rest.stores})
    for (const Op& one : std::span(*ops).first(ops->size() - 1))
      if (result.compiled.empty() || result.compiled.back() != one.instruction)
        result.compiled.push_back(one.instruction);
  std::ranges::sort(result.compiled, {}, &isa::Instruction::address);
  return result;
}

Tier choose_tier(Tier wanted) {
  if (Engine::host_isa() != "sse4") return wanted;
  if (wanted == Tier::Translate) fail("this host cannot translate kernels: that needs AVX2");
  return Tier::Interpret;
}

struct Translator::Impl {
  struct Job {
    const Program* program;
    Task task;
  };

  std::mutex compiling;  ///< held while a region is translated
  std::optional<Compiler> compiler;
  std::deque<std::pair<const Program*, Block>> blocks;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  const Program* busy_with = nullptr;
  std::optional<std::thread> thread;
  std::mutex joining;
  bool quit = false;
  // A child after fork() has no thread, and may find the locks taken: it goes on as it is.
  const pid_t owner = getpid();
  bool is_here() const { return owner == getpid(); }

  /// `observed`: accesses to memory stay ops of the interpreter, in their order, which tell of
  /// them; and each region that is entered is an op that tells of that.
  const Op* make_block(const Program& program, const Task& task, bool masked,
                       bool observed = false) {
    const Region& region = task.region;
    Block& block = blocks.emplace_back(&program, Block{}).second;
    block.ops.push_back(*region.begin);
    Op& first = block.ops.front();
    first.run = counting(region.file);
    const std::span rest(region.begin + 1, region.end);
    const auto takes = [&](const Op& op) {
      return compiler->takes(op) && !(observed && accesses_memory(op));
    };
    // This block is run by waves with every lane on, unless it is masked.
    Addresses addresses;
    Affinities affine = task.affine, of_halves = task.of_halves;
    for (const Op& op : rest) {
      const bool global = op.instruction->format == isa::Format::Global;
      if (const Affine known = address_of(op, affine, region.file); known.known && !masked)
        addresses[&op] = {known};
      else if (const Affine half = address_of(op, of_halves, region.file);
               half.known && !masked && global != is_store(op))  // those that take halves
        addresses[&op] = {half, Affine::half};
      for (Affinities* now : {&affine, &of_halves})
        AffineFlow::step(*now, op, region.file, task.all_lanes || !masked);
    }
    if (is_uniform_loop(
            rest, region.begin, region.file,
            [&](const Op& op) { return takes(op) && !compiler->stores(op); },
            [&](const Op& op) { return compiler->takes_scalar(op); })) {
      add_loop(block, rest, task, masked, addresses);
      return finish(block);
    }
    if (task.loop && !observed) add_lanewise(block, *task.loop, region.file);
    // An access to memory looks at all lanes of a wave at once when it is interpreted, which is
    // quicker than slice by slice if nothing is known of the lanes' addresses.
    auto clusters = clusters_of(
        rest, region.file,
        [&](const Op& op) {
          const bool global = op.instruction->format == isa::Format::Global;
          return takes(op) && !(masked && is_store(op)) &&
                 (!global || (addresses.contains(&op) && op.instruction->cache == 0));
        },
        observed);
    join_scalars(clusters, region.file, [&](const Op& op) {
      return compiler->joins(op) && !(observed && accesses_memory(op));
    });
    // What is read after the arithmetic of each cluster.
    std::vector<Places> live(clusters.size());
    Live now{.here = {}, .after = task.live_after};
    for (std::size_t c = clusters.size(); c-- > 0;) {
      now.step_back(clusters[c].after, region.file, task.all_lanes);
      live[c] = now.all();
      now.step_back(clusters[c].arithmetic, region.file, task.all_lanes);
      now.step_back(clusters[c].scalars, region.file, task.all_lanes);
      now.step_back(clusters[c].before, region.file, task.all_lanes);
    }
    MatrixGroups grouped(block.ops, region.file, block.groups);
    const auto append = [&](std::span<const Op* const> ops) {
      for (const Op* op : ops) grouped.append(*op);
    };
    for (std::size_t c = 0; c < clusters.size(); ++c) {
      const Cluster& cluster = clusters[c];
      append(cluster.before);
      if (!cluster.is_worth_code()) {
        append(cluster.arithmetic);
      } else {
        for (const auto* ops : {&cluster.scalars, &cluster.arithmetic})
          for (const Op* op : *ops) grouped.come_before(effects_of(*op, region.file));
        add_code(block, cluster.scalars, cluster.arithmetic,
                 compiler->compile(cluster, region.file, live[c], masked, addresses),
                 finish_cluster);
      }
      append(cluster.after);
    }
    grouped.end_group();
    if (!masked) go_back_quickly(block.ops.back(), region);
    Op& back = block.ops.emplace_back();
    back.run = go_to;
    back.target = region.end;
    back.instruction = region.first;
    return finish(block);
  }

  /// If it is the branch that ends a loop of one region.
  static void go_back_quickly(Op& last, const Region& region) {
    if (last.target != region.begin || !last.instruction) return;
    const isa::Row& row = *last.instruction->row;
    if (!row.branches_on_scc()) return;
    last.imm = reinterpret_cast<std::intptr_t>(last.run);
    last.run = row.condition == isa::Condition::Scc1 ? again<true> : again<false>;
  }

  const Op* finish(Block& block) {
    block.code = compiler->finish();
    for (const auto& [op, number] : block.to_run) block.ops[op].run = (*block.code)[number];
    return block.ops.data();
  }

  /// The op that runs compiled code, and the one after it that interprets what that leaves.
  void add_code(Block& block, std::span<const Op* const> scalars, std::span<const Op* const> ops,
                Compiled code, Run finish) {
    Rest& rest = block.rests.emplace_back();
    for (const Op* op : scalars) rest.scalars.push_back(*op);
    for (const Op* op : ops) (is_store(*op) ? rest.stores : rest.ops).push_back(*op);
    const isa::Instruction* const first = (ops.empty() ? scalars : ops).front()->instruction;
    for (auto* part : {&rest.scalars, &rest.ops, &rest.stores}) part->emplace_back().run = leave;
    rest.masks = std::move(code.masks);
    rest.parameters = std::move(code.parameters);
    block.to_run.emplace_back(block.ops.size(), code.number);
    Op& run = block.ops.emplace_back();
    run.instruction = first;
    run.imm = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(rest.parameters.data()));
    Op& interpret = block.ops.emplace_back();
    interpret.run = finish;
    interpret.imm = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&rest));
    interpret.instruction = first;
  }

  void add_lanewise(Block& block, const Loop& loop, const RegisterFile& file) {
    block.loop.code = compiler->compile_lanewise(loop, file);
    if (!block.loop.code) return;
    block.loop.run = *block.loop.code;
    for (const LoopPart& part : loop.parts)
      block.loop.counters.push_back(part.region.begin->counter);
    block.loop.begin = loop.parts.front().region.begin;
    block.loop.exit = loop.exit;
    Op& run = block.ops.emplace_back();
    run.run = go_round;
    run.imm = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&block.loop));
    run.instruction = block.ops.front().instruction;
  }

  void add_loop(Block& block, std::span<const Op> ops, const Task& task, bool masked,
                const Addresses& addresses) {
    const Region& region = task.region;
    const Op& branch = ops.back();
    std::vector<const Op*> body;
    for (const Op& op : ops.first(ops.size() - 1)) body.push_back(&op);
    add_code(block, {}, body,
             compiler->compile_loop(body, branch, region.file, task.live_after, masked, addresses),
             finish_loop);
    Op& after = block.ops.emplace_back();
    after.run = after_loop;
    after.counter = region.begin->counter;
    after.flags = branch.instruction->row->condition == isa::Condition::Scc1;
    after.imm = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(region.begin));
    after.target = region.end;
    after.instruction = branch.instruction;
  }

  void translate(const Program& program, const Task& task) {
    const std::lock_guard lock(compiling);
    if (!compiler) compiler.emplace();
    const Region& region = task.region;
    Op& first = *region.begin;
    if (task.variants.full && !full_block(first)) {
      const Op* full = make_block(program, task, false);
      // What is no quicker for waves with every lane on is not for others. But where these have a
      // block, both do, or waves would ask for it again and again.
      if (!blocks.back().second.has_code() && !masked_block(first) && !observed_block(first)) {
        blocks.pop_back();
        full = nullptr;
      }
      if (!task.affine.words.empty() || !task.affine.pairs.empty())
        __atomic_fetch_or(&first.flags, flag::whole_rows, __ATOMIC_RELAXED);
      __atomic_store_n(&first.target, full, __ATOMIC_RELEASE);
    }
    if (task.variants.masked && !masked_block(first)) {
      const Op* const masked = make_block(program, task, true);
      __atomic_store_n(&first.imm, reinterpret_cast<std::intptr_t>(masked), __ATOMIC_RELEASE);
    }
    if (task.variants.observed && !observed_block(first)) {
      const Op* const observed = make_block(program, task, true, true);
      __atomic_store_n(&first.src[0], reinterpret_cast<std::uintptr_t>(observed), __ATOMIC_RELEASE);
    }
    const bool is_quicker = full_block(first) || masked_block(first) || observed_block(first);
    __atomic_store_n(&first.run, is_quicker ? enter : counting(region.file), __ATOMIC_RELEASE);
  }

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return quit || !jobs.empty(); });
      if (quit) return;
      const Job job = jobs.front();
      jobs.pop_front();
      busy_with = job.program;
      lock.unlock();
      try {
        translate(*job.program, job.task);
      } catch (const std::exception& e) {
        // The region stays as it is, and right.
        std::fprintf(stderr, "hipsight: a kernel is not translated: %s\n", e.what());
      }
      // Tables that LLVM has made meanwhile go away at exit before handlers that are older.
      std::atexit([] { instance().stop(); });
      lock.lock();
      busy_with = nullptr;
      changed.notify_all();
    }
  }
};

Translator& Translator::instance() {
  // Never destroyed: at exit, threads may still run its code.
  static Translator& translator = []() -> Translator& {
    auto* made = new Translator;
    std::atexit([] { instance().stop(); });
    return *made;
  }();
  return translator;
}
Translator::Translator() : impl_(std::make_unique<Impl>()) {}
Translator::~Translator() = default;

namespace {

struct StopAtExit {
  ~StopAtExit() {
    if (gettid() == getpid()) Translator::instance().stop();
  }
};

}  // namespace

void Translator::stop_before_exit() {
  thread_local const StopAtExit guard;
  (void)guard;
}

void Translator::stop() {
  if (!impl_->is_here()) return;
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->quit = true;
  }
  impl_->changed.notify_all();
  const std::lock_guard joining(impl_->joining);
  if (impl_->thread && impl_->thread->joinable()) impl_->thread->join();
}

void Translator::translate(const Program& program, const Task& task) {
  impl_->translate(program, task);
}

void Translator::request(const Program& program, const Task& task) {
  if (!impl_->is_here()) return;
  const std::lock_guard lock(impl_->mutex);
  impl_->jobs.push_back({&program, task});
  if (!impl_->thread) impl_->thread.emplace([this] { impl_->work(); });
  impl_->changed.notify_all();
}

void Translator::wait() {
  if (!impl_->is_here()) return;
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait(lock,
                      [&] { return impl_->quit || (impl_->jobs.empty() && !impl_->busy_with); });
}

void Translator::forget(const Program& program) {
  if (!impl_->is_here()) return;
  std::unique_lock lock(impl_->mutex);
  std::erase_if(impl_->jobs, [&](const Impl::Job& job) { return job.program == &program; });
  impl_->changed.wait(lock, [&] { return impl_->busy_with != &program; });
  lock.unlock();
  const std::lock_guard compiling(impl_->compiling);
  std::erase_if(impl_->blocks, [&](const auto& block) { return block.first == &program; });
}

}  // namespace hipsight::engine
