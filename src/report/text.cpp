#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include "report/render.h"
#include "support/printable.h"
#include "support/quantity.h"

namespace hipsight::report {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kLabel = 16;  // two spaces, the label, a space

// One labelled row; further lines are indented to the label's column.
void row(std::string& out, std::string_view label, std::string_view text) {
  fmt::format_to(std::back_inserter(out), "  {:<{}}{}\n", label, kLabel - 2, text);
}

// `items` joined by `separator`, broken before column kWidth.
std::string wrapped(const std::vector<std::string>& items, std::string_view separator) {
  std::string out;
  std::size_t column = kLabel;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool last = i + 1 == items.size();
    const std::size_t length = items[i].size() + (last ? 0 : separator.size());
    if (i > 0 && column + length > kWidth) {
      while (out.ends_with(' ')) out.pop_back();
      out += fmt::format("\n{:{}}", "", kLabel);
      column = kLabel;
    }
    out += items[i];
    if (!last) out += separator;
    column += length;
  }
  return out;
}

std::string words(std::string_view text) {
  return paragraph(text, kLabel);
}

std::string lower_case(std::string_view name) {
  std::string out(name);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return out;
}

std::string dimensions(const Dim3& d) {
  if (d.z > 1) return fmt::format("{} x {} x {}", d.x, d.y, d.z);
  if (d.y > 1) return fmt::format("{} x {}", d.x, d.y);
  return fmt::format("{}", d.x);
}

std::string geometry(const KernelReport& kernel) {
  return fmt::format("{} workgroups{} of {} work-items, {} waves of {} in all",
                     dimensions(kernel.grid),
                     kernel.grids_differ ? " (first launch; others differ)" : "",
                     dimensions(kernel.block), kernel.counts.waves, kernel.kernel.wavefront_size);
}

std::string resources(const KernelReport& report) {
  const KernelFacts& kernel = report.kernel;
  std::vector<std::string> items = {fmt::format("{} VGPRs", kernel.vgprs)};
  if (kernel.agprs) items.back() += fmt::format(" ({} of them AGPRs)", kernel.agprs);
  items.push_back(fmt::format("{} SGPRs", kernel.sgprs));
  items.push_back(fmt::format("LDS {} B", kernel.lds_bytes + report.dynamic_lds));
  if (report.dynamic_lds) items.back() += fmt::format(" ({} dynamic)", report.dynamic_lds);
  items.push_back(fmt::format("scratch {} B a work-item", kernel.scratch_bytes));
  if (kernel.vgpr_spills || kernel.sgpr_spills)
    items.push_back(
        fmt::format("spilled {} VGPRs, {} SGPRs", kernel.vgpr_spills, kernel.sgpr_spills));
  return wrapped(items, ", ");
}

std::string instructions(const Counts& counts) {
  std::vector<std::string> items = {quantity(static_cast<double>(counts.instructions), "") +
                                    " in all"};
  for (const Amount& pipe : counts.by_pipe)
    if (pipe.value > 0) items.push_back(fmt::format("{} {}", pipe.of, quantity(pipe.value, "")));
  return wrapped(items, ", ");
}

std::string operations(const Counts& counts) {
  std::vector<std::string> items;
  for (const Amount& amount : counts.vector_operations)
    if (!amount.of.starts_with('i'))  // i32 and its kind are no FLOP
      items.push_back(fmt::format("vector {} {}", amount.of, quantity(amount.value, "")));
  for (const Amount& amount : counts.matrix_operations)
    items.push_back(fmt::format("matrix {} {}", amount.of, quantity(amount.value, "")));
  return items.empty() ? "none" : wrapped(items, ", ");
}

std::string bytes(const Counts& counts) {
  std::vector<std::string> items;
  for (const auto& [name, space] :
       {std::pair{"global", counts.global}, std::pair{"flat", counts.flat},
        std::pair{"LDS", counts.lds}, std::pair{"scratch", counts.scratch},
        std::pair{"scalar", counts.scalar}}) {
    if (space.read + space.written == 0) continue;
    items.push_back(fmt::format("{} {} read", name, quantity(space.read, "B")));
    if (space.written > 0)
      items.back() += fmt::format(" + {} written", quantity(space.written, "B"));
  }
  return items.empty() ? "none" : wrapped(items, ", ");
}

std::string fidelity(const Fidelity& fidelity) {
  double all = 0;
  for (const Amount& kind : fidelity.executions) all += kind.value;
  std::vector<std::string> shares;
  for (const Amount& kind : fidelity.executions)
    shares.push_back(fmt::format("{:.3g} % {}", 100 * kind.value / all, kind.of));
  std::string out = fmt::format("{} of the instructions that ran", wrapped(shares, ", "));
  for (const Fidelity::Inexact& one : fidelity.inexact)
    out += fmt::format("\n{:{}}{}", "", kLabel,
                       words(fmt::format("{}, {} times: {}; {}", lower_case(one.name),
                                         quantity(static_cast<double>(one.executions), ""),
                                         one.fidelity, one.why)));
  return out;
}

/// What is known of the error of a prediction.
std::string trust(const Prediction& p) {
  if (!p.error)
    return p.family.empty()
               ? "nothing like it was measured"
               : fmt::format("nothing of its family ({}) was measured on this GPU", p.family);
  return fmt::format("{}, as nine of ten that were measured ({}, {} points)", between(*p.error),
                     p.family, p.error->points);
}

std::string prediction(const Prediction& p, const Occupancy& occupancy) {
  std::string text = fmt::format(
      "{}; {} (docs/timing.md). The launch itself {} of it, {} cycles at {:.3g} GHz, bound by {}",
      duration(p.seconds), trust(p), duration(p.launch_seconds), quantity(p.cycles, ""),
      p.clock_ghz, p.bound.sentence);
  if (p.bound.kind == Bound::Kind::Occupancy && p.full_occupancy_seconds)
    text += fmt::format("; with all {} waves a SIMD instead of {:.3g} it would take {}",
                        occupancy.max_waves_per_simd, occupancy.waves_per_simd,
                        duration(*p.full_occupancy_seconds));
  std::string out = words(text);
  const auto list = [&](const char* what, const std::vector<Amount>& shares) {
    std::vector<std::string> items;
    for (const Amount& share : shares)
      if (share.value >= 0.005)
        items.push_back(
            fmt::format("{} {:.{}f} %", share.of, 100 * share.value, share.value < 0.0995 ? 1 : 0));
    if (items.empty()) return;
    items.front() = what + items.front();
    out += fmt::format("\n{:{}}{}", "", kLabel, wrapped(items, ", "));
  };
  list("busy: ", p.busy);
  list("waves wait for: ", p.stalls);
  return out + text_of(p.waits, kLabel);
}

std::string roofs(const Roofline& roofline) {
  std::string out;
  for (const Roof& roof : roofline.roofs) {
    if (!out.empty()) out += fmt::format("\n{:{}}", "", kLabel);
    out += fmt::format("{:>8}  {}: {}", duration(roof.seconds), roof.name, roof.evidence);
  }
  if (!roofline.unknown.empty()) {
    std::vector<std::string> items = roofline.unknown;
    items.front() = " unknown  " + items.front();
    items.back() += ": no rate in the GPU's file";
    out += fmt::format("\n{:{}}{}", "", kLabel, wrapped(items, ", "));
  }
  return out;
}

void add_counts(std::string& out, const GpuFacts& gpu, const KernelReport& kernel) {
  row(out, "grid", geometry(kernel));
  row(out, "takes", resources(kernel));
  row(out, "occupancy",
      fmt::format("{} ({} workgroup{} a compute unit{})", kernel.occupancy.sentence,
                  kernel.occupancy.workgroups, kernel.occupancy.workgroups == 1 ? "" : "s",
                  kernel.occupancy.simds > gpu.simds_per_cu ? " pair" : ""));
  row(out, "instructions", instructions(kernel.counts));
  if (const double active = kernel.counts.active_lanes; active > 0)
    row(out, "active lanes", fmt::format("{:.3g} %, mean of vector instructions", 100 * active));
  row(out, "FLOP", operations(kernel.counts));
  row(out, "bytes asked", bytes(kernel.counts));
}

void add(std::string& out, const GpuFacts& gpu, const KernelReport& kernel, const Details& details,
         Sources& sources) {
  out += "\n";
  for (const AnswerLine& line : answer(kernel))
    if (line.label.empty())
      out += line.text + "\n";
    else
      row(out, line.label, line.text);  // five lines, however long names are
  if (kernel.prediction && !kernel.verdict.what_if.empty())
    row(out, "what if", what_if_text(kernel, kLabel));
  if (details.explanation && kernel.prediction) out += explanation(kernel, sources);
  if (details.counts || !kernel.prediction) add_counts(out, gpu, kernel);
  if (details.roofs) {
    if (const auto& intensity = kernel.roofline.arithmetic_intensity)
      row(out, "intensity", fmt::format("{:.3g} FLOP per byte asked of memory", *intensity));
    if (!kernel.roofline.roofs.empty()) row(out, "roofs", roofs(kernel.roofline));
  }
  if (details.advice)
    for (const Advice& advice : kernel.verdict.advice)
      row(out, advice.id.size() + 3 < kLabel ? advice.id : "advice",
          words(text_of(advice) + "; " + advice.evidence));
  if (details.registers && kernel.registers) {
    row(out, "registers", words(text_of(*kernel.registers)));
    if (const std::string scratch = scratch_text(*kernel.registers); !scratch.empty())
      row(out, "scratch", words(scratch));
  }
  if (details.prediction && kernel.prediction)
    row(out, "predicted", prediction(*kernel.prediction, kernel.occupancy));
  if (details.profile && kernel.profile) row(out, "profile", text_of(*kernel.profile, kLabel));
  if (kernel.fidelity) row(out, "fidelity", fidelity(*kernel.fidelity));
  if (details.counts) row(out, "emulated in", duration(kernel.counts.host_seconds));
}

/// The kernels of each range, by the time that they take each time it is entered.
void add_ranges(std::string& out, const RunReport& run) {
  for (const RangeReport& range : run.ranges) {
    const auto times = static_cast<double>(range.times);
    out +=
        fmt::format("\n{}: entered {} time{}, kernels take {} each time\n", printable(range.name),
                    range.times, range.times == 1 ? "" : "s", duration(range.seconds / times));
    for (const KernelReport& kernel : run.kernels) {
      if (kernel.range != range.name) continue;
      const double launches = static_cast<double>(kernel.counts.launches) / times;
      out += fmt::format("  {:>10}  {:>4.3g} launch{}  {}\n",
                         kernel.prediction ? duration(kernel.verdict.seconds / times) : "?",
                         launches, launches == 1 ? "  " : "es", printable(kernel.kernel.title));
    }
  }
}

}  // namespace

std::string selection_text(const Selection& selection, std::uint64_t launches) {
  std::string text = "only ";
  if (selection.launch) text += fmt::format("launch {} of ", selection.launch);
  text += selection.kernel.empty() ? "all kernels"
                                   : fmt::format("kernels matching '{}'", selection.kernel);
  return fmt::format("{}; the program made {} launch{} in all", text, launches,
                     launches == 1 ? "" : "es");
}

/// What was looked for, and found.
static void add_findings(std::string& out, const RunReport& run) {
  for (const Finding& one : run.findings) {
    out += fmt::format("\n{}: {}\n", one.tool, one.text);
    if (one.count > 1) out += fmt::format("  {} times in all\n", one.count);
  }
  out +=
      fmt::format("\n{}: {} finding{} in {} launch{}\n", run.checked, run.findings.size(),
                  run.findings.size() == 1 ? "" : "s", run.launches, run.launches == 1 ? "" : "es");
  if (run.suppressed) {
    out.pop_back();
    out += fmt::format("; {} suppressed\n", run.suppressed);
  }
  for (const std::string& one : run.partly_checked)
    out += fmt::format("partly checked: {}\n", printable(one));
}

std::string to_text(const RunReport& run, const Details& details) {
  std::string out = fmt::format("\nhipsight: {} ({}, {}), emulated\n", run.gpu.title, run.gpu.name,
                                run.gpu.target_id);
  if (!run.selection.everything()) out += selection_text(run.selection, run.launches) + "\n";
  if (run.kernels.empty())
    out += run.selection.everything() ? "no kernel ran to its end\n"
                                      : "no such launch ran to its end\n";
  Sources sources(source_text);
  if (run.timeline) {
    out += timeline_text(run);
  } else if (run.checked.empty()) {
    for (const KernelReport& kernel : run.kernels) add(out, run.gpu, kernel, details, sources);
    add_ranges(out, run);
  } else {
    add_findings(out, run);
  }
  if (!run.errors.empty()) {
    out += fmt::format("\n{} launch{} failed:\n", run.errors.size(),
                       run.errors.size() == 1 ? "" : "es");
    for (const FailedLaunch& error : run.errors)
      out += fmt::format("  {}: {}\n", printable(error.kernel), error.kind);
  }
  if (!run.ended.empty())
    out += fmt::format("\nthe process ended by {}: this is what it had done\n", run.ended);
  for (const UnfinishedLaunch& one : run.unfinished)
    out += fmt::format("  under way: {}, {} of {} workgroups done\n", printable(one.kernel),
                       one.workgroups_done, one.workgroups);
  for (const EstimatedLaunches& one : run.estimated)
    out +=
        fmt::format("\nestimated, not predicted: the time of {} launch{} of {}: {}\n", one.launches,
                    one.launches == 1 ? "" : "es", printable(one.kernel), printable(one.why));
  if (const std::string mind = caveat(run); !mind.empty()) {
    out += "\n";
    row(out, "mind", words(mind));
  }
  return printable(out, true);
}

}  // namespace hipsight::report
