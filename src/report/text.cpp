#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include "report/kernel_report.h"
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

std::string wrapped_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return wrapped(words, " ");
}

std::string lower_case(std::string_view name) {
  std::string out(name);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return out;
}

std::string dimensions(const engine::Dim3& d) {
  if (d.z > 1) return fmt::format("{} x {} x {}", d.x, d.y, d.z);
  if (d.y > 1) return fmt::format("{} x {}", d.x, d.y);
  return fmt::format("{}", d.x);
}

std::string launches(const KernelReport& kernel) {
  const profile::Summary& sum = kernel.summary;
  return fmt::format("{} launch{}", sum.launches, sum.launches == 1 ? "" : "es");
}

std::string geometry(const KernelReport& kernel) {
  return fmt::format("{} workgroups{} of {} work-items, {} waves of {} in all",
                     dimensions(kernel.grid),
                     kernel.grids_differ ? " (first launch; others differ)" : "",
                     dimensions(kernel.block), kernel.summary.waves, kernel.wavefront_size);
}

std::string resources(const KernelReport& kernel) {
  std::vector<std::string> items = {fmt::format("{} VGPRs", kernel.vgprs)};
  if (kernel.agprs) items.back() += fmt::format(" ({} of them AGPRs)", kernel.agprs);
  items.push_back(fmt::format("{} SGPRs", kernel.sgprs));
  items.push_back(fmt::format("LDS {} B", kernel.fixed_lds + kernel.dynamic_lds));
  if (kernel.dynamic_lds) items.back() += fmt::format(" ({} dynamic)", kernel.dynamic_lds);
  items.push_back(fmt::format("scratch {} B a work-item", kernel.scratch));
  if (kernel.vgpr_spills || kernel.sgpr_spills)
    items.push_back(
        fmt::format("spilled {} VGPRs, {} SGPRs", kernel.vgpr_spills, kernel.sgpr_spills));
  return wrapped(items, ", ");
}

std::string instructions(const KernelReport& kernel) {
  const profile::Summary& sum = kernel.summary;
  std::vector<std::string> items = {quantity(double(sum.all_instructions()), "") + " in all"};
  for (std::size_t i = 0; i < profile::kPipes; ++i)
    if (sum.instructions[i])
      items.push_back(
          fmt::format("{} {}", isa::text(isa::Pipe(i)), quantity(double(sum.instructions[i]), "")));
  return wrapped(items, ", ");
}

std::string operations(const KernelReport& kernel) {
  std::vector<std::string> items;
  const auto list = [&](const char* pipe, const auto& operations) {
    for (std::size_t i = 0; i < profile::kNumbers; ++i)
      if (operations[i] > 0 && (profile::is_floating(isa::Number(i)) || pipe[0] == 'm'))
        items.push_back(
            fmt::format("{} {} {}", pipe, isa::text(isa::Number(i)), quantity(operations[i], "")));
  };
  list("vector", kernel.summary.vector_operations);
  list("matrix", kernel.summary.matrix_operations);
  return items.empty() ? "none" : wrapped(items, ", ");
}

std::string bytes(const KernelReport& kernel) {
  const profile::Summary& sum = kernel.summary;
  std::vector<std::string> items;
  for (const auto& [name, space] :
       {std::pair{"global", sum.global}, std::pair{"flat", sum.flat}, std::pair{"LDS", sum.lds},
        std::pair{"scratch", sum.scratch}, std::pair{"scalar", sum.scalar}}) {
    if (space.total() == 0) continue;
    items.push_back(fmt::format("{} {} read", name, quantity(space.read, "B")));
    if (space.written > 0)
      items.back() += fmt::format(" + {} written", quantity(space.written, "B"));
  }
  return items.empty() ? "none" : wrapped(items, ", ");
}

std::string fidelity(const profile::FidelitySummary& sum) {
  std::vector<std::string> shares;
  for (const isa::Fidelity kind :
       {isa::Fidelity::Exact, isa::Fidelity::Approximate, isa::Fidelity::Assumed})
    shares.push_back(fmt::format("{:.3g} % {}",
                                 100 * double(sum.executions_of(kind)) / double(sum.executions),
                                 isa::text(kind)));
  std::string out = fmt::format("{} of the instructions that ran", wrapped(shares, ", "));
  for (const auto& [name, of] : sum.inexact)
    out += fmt::format("\n{:{}}{}", "", kLabel,
                       wrapped_words(fmt::format("{}, {} times: {}; {}", lower_case(name),
                                                 quantity(double(of.executions), ""),
                                                 isa::text(of.note.fidelity), of.note.why)));
  return out;
}

/// How far off a prediction may be.
std::string trust(const timing::Prediction& p) {
  if (!p.error)
    return p.family.empty() ? "UNVALIDATED: nothing like it was measured"
                            : fmt::format("UNVALIDATED: no {} was measured on this GPU", p.family);
  const auto [least, most] = p.seconds_between();
  const std::string between = std::isfinite(most)
                                  ? fmt::format("from {} to {}", duration(least), duration(most))
                                  : "at least " + duration(least);
  return fmt::format("{}, as nine of ten that were measured ({}, {} points{})", between, p.family,
                     p.error->points, p.error->fitted ? ", which the model was fitted on" : "");
}

std::string prediction(const timing::Prediction& p, const std::vector<Wait>& waits) {
  std::string out = wrapped_words(fmt::format(
      "{}; {} (docs/timing.md). The launch itself {} of it, {} cycles at {:.3g} GHz, bound by {}",
      duration(p.seconds), trust(p), duration(p.launch_seconds), quantity(p.cycles, ""),
      p.clock_ghz, p.bound));
  const auto list = [&](const char* what, const auto& shares, auto share) {
    std::vector<std::string> items;
    for (const auto& one : shares)
      if (share(one) >= 0.005)
        items.push_back(
            fmt::format("{} {:.{}f} %", one.name, 100 * share(one), share(one) < 0.0995 ? 1 : 0));
    if (items.empty()) return;
    items.front() = what + items.front();
    out += fmt::format("\n{:{}}{}", "", kLabel, wrapped(items, ", "));
  };
  list("busy: ", p.units, [](const auto& unit) { return unit.busy; });
  list("waves wait for: ", p.stalls, [](const auto& cause) { return cause.share; });
  return out + text_of(waits, kLabel);
}

std::string roofs(const KernelReport& kernel) {
  std::string out;
  for (const timing::Roof& roof : kernel.roofs.roofs) {
    if (!out.empty()) out += fmt::format("\n{:{}}", "", kLabel);
    out += fmt::format("{:>8}  {}: {}", duration(roof.seconds), roof.name, roof.evidence);
  }
  if (!kernel.roofs.unknown.empty()) {
    std::vector<std::string> items = kernel.roofs.unknown;
    items.front() = " unknown  " + items.front();
    items.back() += ": no rate in the GPU's file";
    out += fmt::format("\n{:{}}{}", "", kLabel, wrapped(items, ", "));
  }
  return out;
}

void add(std::string& out, const gpus::Gpu& gpu, const KernelReport& kernel) {
  fmt::format_to(std::back_inserter(out), "\n{}: {}\n", printable(kernel.title), launches(kernel));
  row(out, "grid", geometry(kernel));
  row(out, "takes", resources(kernel));
  row(out, "occupancy",
      fmt::format("{} ({} workgroup{} a compute unit{})", timing::text(kernel.occupancy),
                  kernel.occupancy.workgroups, kernel.occupancy.workgroups == 1 ? "" : "s",
                  kernel.occupancy.simds > gpu.simds_per_cu ? " pair" : ""));
  row(out, "instructions", instructions(kernel));
  if (const double active = kernel.summary.active_lanes(kernel.wavefront_size); active > 0)
    row(out, "active lanes", fmt::format("{:.3g} %, mean of vector instructions", 100 * active));
  row(out, "FLOP", operations(kernel));
  row(out, "bytes asked", bytes(kernel));
  if (kernel.verdict.arithmetic_intensity)
    row(out, "intensity",
        fmt::format("{:.3g} FLOP per byte asked of memory", *kernel.verdict.arithmetic_intensity));
  if (!kernel.roofs.roofs.empty()) row(out, "roofs", roofs(kernel));
  row(out, "verdict", wrapped_words(kernel.verdict.sentence));
  if (kernel.registers) row(out, "registers", wrapped_words(text_of(*kernel.registers)));
  if (kernel.registers && !scratch_text(*kernel.registers).empty())
    row(out, "scratch", wrapped_words(scratch_text(*kernel.registers)));
  if (kernel.prediction) row(out, "predicted", prediction(*kernel.prediction, kernel.waits));
  if (kernel.profile && kernel.profile->tables)
    row(out, "profile", text_of(*kernel.profile, kLabel));
  if (kernel.fidelity) row(out, "fidelity", fidelity(*kernel.fidelity));
  row(out, "emulated in", duration(kernel.summary.host_seconds));
}

}  // namespace

std::string selection_text(const RunReport& run) {
  std::string text = "only ";
  if (run.selection.launch) text += fmt::format("launch {} of ", run.selection.launch);
  text += run.selection.kernel.empty() ? "all kernels"
                                       : fmt::format("kernels matching '{}'", run.selection.kernel);
  return fmt::format("{}; the program made {} launch{} in all", text, run.launches,
                     run.launches == 1 ? "" : "es");
}

std::string to_text(const RunReport& run) {
  std::string out = fmt::format("\nhipsight: {} ({}, {}), emulated\n", run.gpu.title, run.gpu.name,
                                run.gpu.target_id);
  if (!run.selection.everything()) out += selection_text(run) + "\n";
  if (run.kernels.empty())
    out += run.selection.everything() ? "no kernel ran to its end\n"
                                      : "no such launch ran to its end\n";
  for (const KernelReport& kernel : run.kernels) add(out, run.gpu, kernel);
  if (!run.errors.empty()) {
    out += fmt::format("\n{} launch{} failed:\n", run.errors.size(),
                       run.errors.size() == 1 ? "" : "es");
    for (const ErrorReport& error : run.errors)
      out += fmt::format("  {}: {}\n", printable(error.kernel), error.kind);
  }
  if (!run.ended.empty())
    out += fmt::format("\nthe process ended by {}: this is what it had done\n", run.ended);
  for (const UnfinishedReport& one : run.unfinished)
    out += fmt::format("  under way: {}, {} of {} workgroups done\n", printable(one.kernel),
                       one.done, one.workgroups);
  if (!run.kernels.empty()) {
    out += "\n";
    row(out, "mind", wrapped_words(explain::caveat()));
  }
  return printable(out, true);
}

}  // namespace hipsight::report
