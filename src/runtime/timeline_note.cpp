#include "runtime/timeline_note.h"

#include <algorithm>
#include <string_view>

#include "runtime/state.h"
#include "timeline/host_clock.h"
#include "timeline/record.h"

namespace hipsight::runtime {
namespace {

using Kind = TimelineOperation::Kind;

thread_local const Submitted* under_way = nullptr;

timeline::Record* record() {
  return Context::get().session().timeline();
}

Kind kind_of(const Operation& operation) {
  if (operation.type == hipGraphNodeTypeKernel) return Kind::Kernel;
  if (operation.type == hipGraphNodeTypeMemcpy) return Kind::Copy;
  if (operation.type == hipGraphNodeTypeMemset) return Kind::Fill;
  if (operation.type == hipGraphNodeTypeHost) return Kind::HostFunction;
  return operation.what == "event" ? Kind::Event : Kind::Other;
}

void note(const Operation& operation, const Submitted& submitted, const timeline::Span& span) {
  timeline::Record* const to = record();
  if (!to || operation.type == hipGraphNodeTypeGraph) return;
  const Kind kind = kind_of(operation);
  // A node takes what its graph's launch did; of others, those that take no time say nothing.
  if (kind == Kind::Other && span.end <= span.begin) return;
  std::string what = operation.what;
  if (constexpr std::string_view kernel = "kernel "; what.starts_with(kernel))
    what.erase(0, kernel.size());
  const double units = Context::get().gpu().compute_units;
  to->add({.kind = kind,
           .what = std::move(what),
           .device = submitted.device,
           .stream = submitted.stream,
           .submitted = submitted.at,
           .span = span,
           .range = submitted.range,
           .filled = std::min(1.0, double(operation.workgroups) / units)});
}

/// While it lives, nodes of graphs belong to this operation.
struct UnderWay {
  const Submitted* const before = under_way;
  explicit UnderWay(const Submitted& now) { under_way = &now; }
  ~UnderWay() { under_way = before; }
};

}  // namespace

void do_noted(const Operation& operation, const Submitted& submitted, timeline::Span& span) {
  const UnderWay scope(submitted);
  operation.run(span);
  note(operation, submitted, span);
}

void do_node(const Operation& operation, timeline::Span& span) {
  operation.run(span);
  if (under_way) note(operation, *under_way, span);
}

void wait_noted(double until) {
  timeline::HostClock& clock = timeline::HostClock::of_thread();
  if (timeline::Record* const to = record(); to && until > clock.now())
    to->add_wait({clock.now(), until});
  clock.wait_until(until);
}

}  // namespace hipsight::runtime
