#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "report/render.h"
#include "support/printable.h"
#include "support/quantity.h"

namespace hipsight::report {
namespace {

using Json = nlohmann::ordered_json;
using Kind = TimelineOperation::Kind;

constexpr std::size_t shares_shown = 12;

std::string_view text_of(Kind kind) {
  constexpr std::array texts{"kernel", "copy", "fill", "event", "host function", "other"};
  return texts.at(static_cast<std::size_t>(kind));
}

std::string percent(double part, double all) {
  return fmt::format("{:.0f} %", all > 0 ? 100 * part / all : 0);
}

std::string stream_name(std::uint32_t stream) {
  return stream == 0 ? "null stream" : fmt::format("stream {}", stream);
}

}  // namespace

std::string timeline_text(const RunReport& run) {
  const Timeline& t = *run.timeline;
  std::set<int> devices;
  for (const TimelineOperation& one : t.operations) devices.insert(one.device);
  const double all = t.seconds * static_cast<double>(std::max<std::size_t>(1, devices.size()));
  std::string out = fmt::format("\n{} on the GPU's clock", duration(t.seconds));
  if (devices.size() > 1) out += fmt::format(", of {} GPUs", devices.size());
  out += fmt::format(": kernels {}, copies alone {}, nothing to do in between {}\n",
                     percent(t.kernel_seconds, all), percent(t.copy_seconds, all),
                     percent(t.idle_seconds, all));
  if (t.shares.empty()) return out + "no kernel, copy or fill ran\n";
  out += fmt::format("  {:>9} {:>6} {:>8}\n", "time", "", "times");
  for (std::size_t i = 0; i < std::min(shares_shown, t.shares.size()); ++i) {
    const TimelineShare& share = t.shares[i];
    out += fmt::format("  {:>9} {:>6} {:>8}  {}\n", duration(share.seconds),
                       percent(share.seconds, all), share.times, printable(share.what));
  }
  if (t.shares.size() > shares_shown)
    out += fmt::format("  ... and {} more\n", t.shares.size() - shares_shown);
  if (t.losses.empty()) return out + "GPUs compute nearly all of that time\n";
  out += "what is lost, at the most, and what would save it (docs/timeline.md)\n";
  for (const TimelineLoss& loss : t.losses)
    out += fmt::format("  {:>9} {:>6}  {}\n{:20}{}\n", duration(loss.seconds),
                       percent(loss.seconds, all), loss.id, "", paragraph(loss.change, 20));
  return out;
}

std::string timeline_trace(const RunReport& run) {
  Json events = Json::array();
  if (!run.timeline) return Json{{"traceEvents", events}}.dump();
  constexpr double us = 1e6;  // the format's unit
  const auto name = [&](const char* what, int process, std::int64_t thread, std::string text) {
    events.push_back({{"ph", "M"},
                      {"name", what},
                      {"pid", process},
                      {"tid", thread},
                      {"args", {{"name", printable(text)}}}});
  };
  std::set<std::pair<int, std::uint32_t>> streams;
  for (const TimelineOperation& one : run.timeline->operations)
    streams.insert({one.device, one.stream});
  int last = -1;
  for (const auto& [device, stream] : streams) {
    if (device != last)
      name("process_name", device + 1, 0, fmt::format("GPU {}: {}", device, run.gpu.title));
    last = device;
    name("thread_name", device + 1, stream, stream_name(stream));
  }
  for (const TimelineOperation& one : run.timeline->operations) {
    Json arguments{{"submitted_us", one.submitted * us}};
    if (!one.range.empty()) arguments["range"] = printable(one.range);
    events.push_back({{"ph", "X"},
                      {"name", printable(one.what)},
                      {"cat", text_of(one.kind)},
                      {"pid", one.device + 1},
                      {"tid", one.stream},
                      {"ts", one.begin * us},
                      {"dur", (one.end - one.begin) * us},
                      {"args", std::move(arguments)}});
  }
  if (!run.timeline->waits.empty()) name("process_name", 0, 0, "host");
  for (const TimelineWait& wait : run.timeline->waits)
    events.push_back({{"ph", "X"},
                      {"name", "waits for the GPU"},
                      {"cat", "host"},
                      {"pid", 0},
                      {"tid", 0},
                      {"ts", wait.begin * us},
                      {"dur", (wait.end - wait.begin) * us}});
  return Json{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}}.dump(
             -1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace hipsight::report
