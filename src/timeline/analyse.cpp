#include <algorithm>
#include <map>
#include <tuple>

#include "timeline/record.h"

namespace hipsight::timeline {
namespace {

using Kind = TimelineOperation::Kind;

/// Stretches of time, in order, none touching another.
class Stretches {
 public:
  void add(Span span) {
    if (span.end > span.begin) all_.push_back(span);
  }
  void merge() {
    std::ranges::sort(all_, {}, &Span::begin);
    std::vector<Span> merged;
    for (const Span& span : all_)
      if (merged.empty() || span.begin > merged.back().end)
        merged.push_back(span);
      else
        merged.back().end = std::max(merged.back().end, span.end);
    all_ = std::move(merged);
  }
  const std::vector<Span>& all() const { return all_; }
  double seconds() const {
    double sum = 0;
    for (const Span& span : all_) sum += span.end - span.begin;
    return sum;
  }
  /// What of another one lies in these.
  double in_common(const Stretches& other) const {
    double sum = 0;
    auto at = other.all_.begin();
    for (const Span& span : all_) {
      while (at != other.all_.end() && at->end <= span.begin) ++at;
      for (auto it = at; it != other.all_.end() && it->begin < span.end; ++it)
        sum += std::min(it->end, span.end) - std::max(it->begin, span.begin);
    }
    return sum;
  }

 private:
  std::vector<Span> all_;
};

/// Of one device.
struct Device {
  Stretches kernels, copies, all;
  Stretches communication, computing;  ///< kernels: RCCL's, and all others
  std::vector<const Done*> launches;   ///< of kernels
};

/// Compute units that have no workgroup while one kernel runs and no other does: how long all of
/// them would have taken to do as much.
double left_over(const std::vector<const Done*>& launches) {
  std::vector<std::tuple<double, bool, std::size_t>> changes;  // when, whether it begins, which
  for (std::size_t i = 0; i < launches.size(); ++i) {
    changes.emplace_back(launches[i]->span.begin, true, i);
    changes.emplace_back(launches[i]->span.end, false, i);
  }
  std::ranges::sort(changes);
  double sum = 0, since = 0;
  std::size_t running = 0, which = 0;  // which: the sum of their numbers
  for (const auto& [when, begins, i] : changes) {
    if (running == 1) sum += (when - since) * (1 - launches[which]->filled);
    since = when;
    running += begins ? 1 : -std::size_t{1};
    which += begins ? i : -i;
  }
  return launches.size() > 1 ? sum : 0;
}

/// A kernel of RCCL's, or of our own librccl.
bool communicates(const Done& one) {
  return one.kind == Kind::Kernel &&
         (one.what.find("nccl") != std::string::npos || one.what.find("rccl") != std::string::npos);
}

void add_share(std::vector<TimelineShare>& to, const Done& one) {
  const auto known = std::ranges::find(to, one.what, &TimelineShare::what);
  TimelineShare& share = known == to.end()
                             ? to.emplace_back(TimelineShare{.what = one.what, .kind = one.kind})
                             : *known;
  ++share.times;
  share.seconds += one.span.end - one.span.begin;
}

}  // namespace

Timeline timeline_of(std::vector<Done> done, std::vector<Span> waits) {
  Timeline timeline;
  // Streams' operations in order; nothing depends on which thread came first.
  std::ranges::stable_sort(done, {}, [](const Done& one) {
    return std::tuple(one.span.begin, one.device, one.stream, one.span.end, one.submitted);
  });
  std::ranges::sort(waits, {}, [](const Span& span) { return std::pair(span.begin, span.end); });

  std::map<int, Device> devices;
  std::map<std::string_view, std::size_t> known;
  for (const Done& one : done) {
    timeline.seconds = std::max(timeline.seconds, one.span.end);
    timeline.operations.push_back({one.kind, one.what, one.device, one.stream, one.span.begin,
                                   one.span.end, one.submitted, one.range});
    const bool moves = one.kind == Kind::Copy || one.kind == Kind::Fill;
    if (one.kind != Kind::Kernel && !moves) continue;
    Device& device = devices[one.device];
    (moves ? device.copies : device.kernels).add(one.span);
    device.all.add(one.span);
    if (!moves) {
      device.launches.push_back(&one);
      (communicates(one) ? device.communication : device.computing).add(one.span);
    }
    add_share(timeline.shares, one);
  }
  std::ranges::stable_sort(timeline.shares, std::ranges::greater(), &TimelineShare::seconds);
  Stretches waiting;
  for (const Span& wait : waits) {
    timeline.seconds = std::max(timeline.seconds, wait.end);
    timeline.waits.push_back({wait.begin, wait.end});
    waiting.add(wait);
  }
  waiting.merge();

  double exposed = 0, communication = 0, after_waits = 0, gaps = 0, unfilled = 0;
  for (auto& [number, device] : devices) {
    device.kernels.merge(), device.copies.merge(), device.all.merge();
    device.communication.merge(), device.computing.merge();
    communication +=
        device.communication.seconds() - device.communication.in_common(device.computing);
    unfilled += left_over(device.launches);
    timeline.kernel_seconds += device.kernels.seconds();
    exposed += device.copies.seconds() - device.copies.in_common(device.kernels);
    // A GPU has nothing to do: since the host had waited for it, or since it came too late.
    const std::vector<Span>& busy = device.all.all();
    for (std::size_t i = 1; i < busy.size(); ++i) {
      const double begin = busy[i - 1].end, end = busy[i].begin;
      const bool waited = std::ranges::any_of(waiting.all(), [&](const Span& wait) {
        return wait.begin < begin && wait.end >= begin && wait.end < end;
      });
      (waited ? after_waits : gaps) += end - begin;
    }
  }
  timeline.copy_seconds = exposed;
  timeline.idle_seconds = after_waits + gaps;
  const auto lose = [&](const char* id, const char* change, double seconds) {
    if (seconds > 0.01 * timeline.seconds) timeline.losses.push_back({id, change, seconds});
  };
  lose(
      "exposed-copies",
      "copies run while no kernel does: copy in another stream, ahead of the kernels that need it, "
      "from pinned memory",
      exposed);
  lose(
      "exposed-communication",
      "kernels of RCCL run while no other kernel does: begin an all-reduce when its data is there, "
      "in another stream, and compute what does not need it meanwhile",
      communication);
  lose("host-waits",
       "the GPU has nothing to do after the host has waited for it: submit the next work before, "
       "and "
       "wait for events",
       after_waits);
  lose("launch-gaps",
       "the GPU is done before the host hands on more: launch less often, or by a graph", gaps);
  lose("few-workgroups",
       "kernels with fewer workgroups than compute units run alone: run independent ones side by "
       "side, in streams or branches of a graph, or give them more workgroups",
       unfilled);
  std::ranges::stable_sort(timeline.losses, std::ranges::greater(), &TimelineLoss::seconds);
  return timeline;
}

}  // namespace hipsight::timeline
