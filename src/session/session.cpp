#include "session/session.h"

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "code/readable_name.h"
#include "session/describe.h"
#include "support/pattern.h"

namespace hipsight::session {
namespace {

std::string_view text_of(engine::KernelError::Kind kind) {
  using Kind = engine::KernelError::Kind;
  switch (kind) {
    case Kind::UnknownInstruction:
      return "unknown instruction";
    case Kind::MemoryAccess:
      return "memory access";
    case Kind::Timeout:
      return "timeout";
    case Kind::Trap:
      return "trap";
    case Kind::InvalidLaunch:
      return "invalid launch";
    case Kind::Deadlock:
      return "deadlock";
  }
  return "error";
}

/// Knows which launches are selected as they come.
class Selector {
 public:
  explicit Selector(const Selection& selection) : launch_(selection.launch) {
    if (!selection.kernel.empty()) pattern_.emplace(selection.kernel);
  }

  bool take(const std::string& kernel) {
    return matches(kernel) && (++matching_ == launch_ || launch_ == 0);
  }

 private:
  bool matches(const std::string& kernel) {
    if (!pattern_) return true;
    const auto [known, is_new] = known_.try_emplace(kernel);
    if (is_new) known->second = pattern_->is_in(code::readable_name(kernel));
    return known->second;
  }

  std::optional<Pattern> pattern_;
  std::unordered_map<std::string, bool> known_;  // by mangled name
  std::uint64_t launch_, matching_ = 0;
};

/// What a Tally has in common: mangled name, code size, block, dynamic LDS and range.
using Shape = std::tuple<std::string, std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t,
                         std::uint32_t, std::string>;
Shape shape_of(const engine::Dispatch& dispatch, const std::string& range) {
  const code::Kernel& kernel = *dispatch.kernel;
  return {kernel.name,
          kernel.code_size,
          dispatch.block.x,
          dispatch.block.y,
          dispatch.block.z,
          dispatch.dynamic_lds,
          range};
}

/// Shares of all predicted time; the kernel that takes most of it first.
void rank(std::vector<KernelReport>& kernels) {
  double all = 0;
  for (const KernelReport& kernel : kernels) all += kernel.verdict.seconds;
  for (KernelReport& kernel : kernels)
    kernel.verdict.share = all > 0 ? kernel.verdict.seconds / all : 0;
  std::ranges::stable_sort(kernels, std::ranges::greater(),
                           [](const KernelReport& kernel) { return kernel.verdict.seconds; });
}

}  // namespace

struct Session::Impl {
  const gpus::Gpu gpu;
  const Wishes wishes;
  const Wishes without_profile;  ///< of launches after a kernel's first
  const Wishes only_time;        ///< of those that differ from others before
  const Selection selection;
  engine::Memory* const memory;                  ///< or null
  std::optional<check::Written> written;         ///< for initcheck
  const std::unique_ptr<Uncomputed> uncomputed;  ///< with timing_only; else null

  const std::unique_ptr<KeptTimes> kept;  ///< where each launch is timed; else null
  LaunchTimes times;
  timeline::Record timeline;

  mutable std::mutex mutex;  ///< guards all that follows
  Selector selector;
  Progress progress;
  std::list<Tally> tallies;  ///< in order of first launch
  std::vector<FailedLaunch> errors;
  std::vector<const Launch*> running;
  std::set<Shape> profiled;
  std::vector<Finding> findings;
  using Cause = std::tuple<std::string, std::uint64_t, std::uint64_t>;
  std::map<Cause, std::size_t> known_findings;  ///< see add
  std::set<std::string> partly_checked;
  std::uint64_t suppressed = 0;
  std::vector<RangeReport> ranges;
  std::map<std::string, std::set<std::uint64_t>> entries;  ///< of each range

  static Wishes completed(Wishes wishes) {
    wishes.time |= wishes.timing_only;
    wishes.sampled_only |= wishes.timing_only;
    return wishes;
  }

  Impl(gpus::Gpu g, const Wishes& w, const Selection& s, engine::Memory* m)
      : gpu(std::move(g)),
        wishes(completed(w)),
        without_profile{.fidelity = w.fidelity, .assumptions = {}},
        only_time{.profile = w.profile ? w.profile : usual_sample,
                  .predict = false,
                  .tables = false,
                  .sampled_only = wishes.sampled_only,
                  .fidelity = w.fidelity,
                  .time = true,
                  .timing_only = w.timing_only,
                  .assumptions = w.assumptions},
        selection(s),
        memory(m),
        uncomputed(wishes.timing_only && m ? std::make_unique<Uncomputed>(*m) : nullptr),
        kept(wishes.time ? std::make_unique<KeptTimes>(gpu, only_time.profile, w.assumptions)
                         : nullptr),
        times(gpu, m, uncomputed.get(), kept.get()),
        selector(s) {
    if (wishes.check.find("initcheck") != std::string::npos && m) written.emplace(*m);
  }

  /// One cause, in however many launches: a kernel's instructions, and the error's first words. Of
  /// races between the same two lines, one: unrolled loops have many.
  void add(const std::string& kernel, const check::Finding& found) {
    if (wishes.suppressions.has(found)) {
      ++suppressed;
      return;
    }
    const bool by_lines = found.tool == "racecheck" && found.at.line && found.second.line;
    const std::string words = found.text.substr(0, found.text.find_first_of(":\n"));
    const auto [known, is_new] = known_findings.try_emplace(
        {kernel + '\n' + words + '\n' + (by_lines ? found.at.file + '\n' + found.second.file : ""),
         by_lines ? found.at.line : found.address, by_lines ? found.second.line : found.other},
        findings.size());
    if (is_new)
      findings.push_back(
          {found.text, found.tool, found.count, found.kernel, found.at, found.second});
    else
      findings[known->second].count += found.count;
    progress.findings = findings.size();
  }

  Tally& tally(const engine::Dispatch& dispatch, const std::string& range) {
    for (Tally& known : tallies)
      if (known.takes(dispatch, range)) return known;
    return tallies.emplace_back(gpu, dispatch, range);
  }

  void enter(const Range& range) {
    if (range.name.empty()) return;
    std::set<std::uint64_t>& known = entries[range.name];
    if (known.empty()) ranges.push_back({.name = range.name});
    known.insert(range.entry);
  }
};

Session::Session(gpus::Gpu gpu, Wishes wishes, const Selection& selection, engine::Memory* memory)
    : impl_(std::make_unique<Impl>(std::move(gpu), wishes, selection, memory)) {}
Session::~Session() = default;

const gpus::Gpu& Session::gpu() const {
  return impl_->gpu;
}

const Selection& Session::selection() const {
  return impl_->selection;
}

Session::Launch::Launch(Session& session, engine::Dispatch& dispatch, Range range)
    : session_(session), dispatch_(dispatch), range_(std::move(range)) {
  Impl& impl = *session.impl_;
  const code::Kernel& kernel = *dispatch.kernel;
  dispatch.finished = &finished_;
  bool profiles = false;
  {
    const std::lock_guard lock(impl.mutex);
    number_ = ++impl.progress.launches;
    impl.running.push_back(this);
    selected_ = impl.selector.take(kernel.name);
    impl.progress.selected |= selected_;
    if (selected_) impl.enter(range_);
    profiles = selected_ && impl.wishes.profile &&
               impl.profiled.insert(shape_of(dispatch, range_.name)).second;
  }
  if (impl.wishes.time) asked_ = impl.times.ask(dispatch);
  if (impl.wishes.timing_only && !asked_->predict && !profiles)
    repeated_ = impl.times.repeated(*asked_);
  const Uncomputed* const uncomputed = impl.uncomputed.get();
  if (profiles)
    observation_.emplace(impl.gpu, impl.wishes, dispatch, impl.memory, uncomputed);
  else if (asked_ && asked_->predict)
    observation_.emplace(impl.gpu, impl.only_time, dispatch, impl.memory, uncomputed);
  else if (selected_)
    observation_.emplace(impl.gpu, impl.without_profile, dispatch);
  const auto checks = [&](std::string_view tool) { return selected_ && session.checks(tool); };
  if (checks("memcheck")) dispatch.observers.push_back(&memcheck_.emplace());
  if (checks("racecheck")) {
    dispatch.observers.push_back(&racecheck_.emplace(impl.memory));
    dispatch.in_order = true;
  }
  // What other launches write counts, too.
  if (impl.written) {
    dispatch.observers.push_back(&initcheck_.emplace(*impl.written, *impl.memory));
    dispatch.in_order = true;
    dispatch.unwritten = 0;
  }
  if (checks("numcheck")) dispatch.observers.push_back(&numcheck_.emplace());
  if (checks("shufflecheck")) dispatch.observers.push_back(&shufflecheck_.emplace());
  if (checks("waitcheck")) dispatch.observers.push_back(&waitcheck_.emplace());
  if (checks("synccheck")) dispatch.observers.push_back(&synccheck_.emplace());
}

Session::Launch::~Launch() {
  const std::lock_guard lock(session_.impl_->mutex);
  std::erase(session_.impl_->running, this);
  const auto collect = [&](const auto& tool) {
    if (!tool) return;
    for (const check::Finding& found : tool->findings())
      session_.impl_->add(dispatch_.kernel->name, found);
  };
  collect(memcheck_);
  collect(racecheck_);
  collect(synccheck_);
  collect(initcheck_);
  collect(waitcheck_);
  collect(numcheck_);
  collect(shufflecheck_);
  const auto partly = [&](const char* why) {
    session_.impl_->partly_checked.insert(code::readable_name(dispatch_.kernel->name) + why);
  };
  if (racecheck_ && racecheck_->is_partial()) partly(" touched more memory than racecheck watches");
  if (initcheck_ && initcheck_->is_partial())
    partly(" calls the host, or too much memory is unwritten for initcheck");
}

void Session::Launch::rehearse(engine::Engine& engine, const engine::Dispatch& dispatch) {
  if (initcheck_ && selected_) initcheck_->rehearse(engine, dispatch);
}

void Session::Launch::add(engine::Result& ran) {
  engine::Result same;  // of another launch, though this one may have run for others who watch it
  if (repeated_) same = *repeated_;
  engine::Result& result = repeated_ ? same : ran;
  LaunchTimes& times = session_.impl_->times;
  if (asked_ && !asked_->predict) taken_ = times.of(*asked_, dispatch_, result);
  if (!observation_) return;
  Observed observed;
  try {
    observed = observation_->finish(result);
  } catch (const std::exception& error) {
    if (asked_ && asked_->predict) taken_ = times.estimate(dispatch_, result, error.what());
    throw;
  }
  if (session_.impl_->uncomputed) session_.impl_->uncomputed->add(observed.stored);
  if (observed.time && asked_) {
    taken_ = times.add(*asked_, result, *observed.time);
    if (session_.impl_->wishes.timing_only) times.keep(*asked_, result, observed.stored);
    if (!observed.decided_by.empty()) times.doubt(dispatch_, observed.decided_by);
  }
  if (!selected_) return;
  if (observed.profile) observed.profile->launch = number_;
  const std::lock_guard lock(session_.impl_->mutex);
  session_.impl_->tally(dispatch_, range_.name).add(dispatch_, std::move(observed), taken_.seconds);
}

void Session::Launch::add(const engine::KernelError& error) {
  if (initcheck_) initcheck_->failed();
  const std::lock_guard lock(session_.impl_->mutex);
  session_.impl_->errors.push_back({code::readable_name(dispatch_.kernel->name),
                                    std::string(text_of(error.kind)), error.what()});
  ++session_.impl_->progress.errors;
}

bool Session::checks(std::string_view tool) const {
  return impl_->wishes.check.find(tool) != std::string::npos;
}

void Session::add(const check::Finding& finding) {
  if (!checks(finding.tool)) return;
  const std::lock_guard lock(impl_->mutex);
  impl_->add(finding.kernel, finding);
}

timeline::Record* Session::timeline() {
  return impl_->wishes.timeline ? &impl_->timeline : nullptr;
}

Session::Progress Session::progress() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->progress;
}

RunReport Session::report(const std::string& ended) const {
  RunReport report;
  report.gpu = describe(impl_->gpu);
  report.selection = impl_->selection;
  report.ended = ended;
  const std::lock_guard lock(impl_->mutex);
  report.launches = impl_->progress.launches;
  report.errors = impl_->errors;
  report.checked = impl_->wishes.check;
  report.findings = impl_->findings;
  report.timing_only = impl_->wishes.timing_only;
  if (impl_->uncomputed) report.missing_results = impl_->uncomputed->reads();
  report.suppressed = impl_->suppressed;
  report.partly_checked.assign(impl_->partly_checked.begin(), impl_->partly_checked.end());
  for (const Tally& tally : impl_->tallies) report.kernels.push_back(tally.report(impl_->gpu));
  for (KernelReport& kernel : report.kernels)
    if (!kernel.prediction && impl_->wishes.profile && impl_->wishes.predict)
      kernel.verdict.why_none = "the launch that was observed did not end";
  rank(report.kernels);
  report.estimated = impl_->times.estimated();
  report.ranges = impl_->ranges;
  if (impl_->wishes.timeline) report.timeline = impl_->timeline.timeline();
  for (RangeReport& range : report.ranges) {
    range.times = impl_->entries.at(range.name).size();
    for (const KernelReport& kernel : report.kernels)
      if (kernel.range == range.name) range.seconds += kernel.verdict.seconds;
  }
  for (const Launch* launch : impl_->running)
    report.unfinished.push_back({code::readable_name(launch->dispatch_.kernel->name),
                                 launch->finished_, workgroups(launch->dispatch_).volume()});
  return report;
}

}  // namespace hipsight::session
