#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "report/render.h"
#include "support/printable.h"
#include "support/quantity.h"

namespace hipsight::report {
namespace {

constexpr std::size_t lines_shown = 8, instructions_shown = 4;
constexpr double worth_it = 0.01;  // of the waves' time
constexpr std::size_t width = 100;

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string cut(std::string text, std::size_t most) {
  if (text.size() > most) text.replace(most - 3, text.npos, "...");
  return text;
}

std::string shares(const std::vector<Amount>& amounts) {
  std::string out;
  for (const Amount& one : amounts)
    if (one.value >= worth_it)
      out += fmt::format("{}{} {:.0f} %", out.empty() ? "" : ", ", one.of, 100 * one.value);
  return out;
}

void add_time(std::string& out, const Prediction& p) {
  if (const std::string waits = shares(p.stalls); !waits.empty())
    out += fmt::format("  what waves wait for\n{:12}{}\n", "", paragraph(waits, 12));
  if (const std::string busy = shares(p.busy); !busy.empty())
    out += fmt::format("  what is busy\n{:12}{}\n", "", paragraph(busy, 12));
}

/// Lines, and below each its instructions that take most; code without lines has those alone.
void add_lines(std::string& out, const KernelReport& kernel, Sources& sources) {
  const std::vector<HotLine>& lines = kernel.prediction->lines;
  if (lines.empty()) return;
  out += "  hottest lines\n";
  for (std::size_t i = 0; i < std::min(lines_shown, lines.size()); ++i) {
    const HotLine& line = lines[i];
    if (i && line.share < worth_it) break;
    std::string place = source_of(line.at);
    if (place.empty()) place = fmt::format("{} ({:#x})", line.at.instruction, line.at.address);
    out += fmt::format("    {:>4.0f} %  {}, {}\n", 100 * line.share, printable(place),
                       line.cause.empty() ? "to issue" : "waits for " + line.cause);
    if (!line.at.line) continue;
    const std::string_view text = trimmed(sources.line(line.at.file, line.at.line));
    if (!text.empty()) out += fmt::format("{:12}{}\n", "", cut(printable(text), width - 12));
    if (!kernel.profile) continue;
    std::vector<const ProfileRow*> rows;
    for (const ProfileRow& row : kernel.profile->instructions)
      if (row.at.line == line.at.line && row.at.file == line.at.file && row.time >= worth_it / 2)
        rows.push_back(&row);
    std::ranges::stable_sort(rows, std::ranges::greater(), &ProfileRow::time);
    rows.resize(std::min(instructions_shown, rows.size()));
    for (const ProfileRow* row : rows)
      out += fmt::format("{:12}{:>4.0f} %  {:x}  {}\n", "", 100 * row->time, row->at.address,
                         row->at.instruction);
  }
}

}  // namespace

std::string paragraph(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    std::size_t end = std::min(text.find(' '), text.size());
    if (text.substr(end).starts_with(" %")) end = std::min(text.find(' ', end + 1), text.size());
    if (column > indent && column + 1 + end > width) {
      out += fmt::format("\n{:{}}", "", indent);
      column = indent;
    } else if (column > indent) {
      out += ' ', ++column;
    }
    out += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string resources_text(const KernelReport& kernel) {
  const KernelFacts& facts = kernel.kernel;
  std::string takes = fmt::format("{} VGPRs", facts.vgprs);
  if (facts.agprs) takes += fmt::format(" ({} of them AGPRs)", facts.agprs);
  if (kernel.registers)
    takes += fmt::format(", of which {} hold what is read later at {}",
                         kernel.registers->live_vgprs + kernel.registers->live_agprs,
                         text_of(kernel.registers->at));
  takes += fmt::format("; {} SGPRs; {} bytes of LDS; {} bytes of scratch a work-item", facts.sgprs,
                       facts.lds_bytes + kernel.dynamic_lds, facts.scratch_bytes);
  if (facts.vgpr_spills) takes += fmt::format("; {} VGPRs spilled", facts.vgpr_spills);
  std::string out = "  what it takes of a compute unit\n";
  out += fmt::format("    {:<8}{}\n", "", paragraph(takes, 12));
  std::string waves = kernel.occupancy.sentence;
  if (kernel.occupancy.steps.empty() &&
      kernel.occupancy.waves_per_simd < kernel.occupancy.max_waves_per_simd)
    waves += "; nothing that it takes alone would make them more";
  for (const OccupancyStep& step : kernel.occupancy.steps)
    waves +=
        fmt::format("; with {} {} at the most: {:.3g}", step.at_most, step.of, step.waves_per_simd);
  if (kernel.prediction && kernel.prediction->full_occupancy_seconds)
    waves += fmt::format("; with all {} it would take {}", kernel.occupancy.max_waves_per_simd,
                         duration(*kernel.prediction->full_occupancy_seconds));
  return out + fmt::format("    {:<8}{}\n", "", paragraph(waves, 12));
}

namespace {

void add_advice(std::string& out, const KernelReport& kernel) {
  const std::vector<Advice>& advice = kernel.verdict.advice;
  out += "  what to change, by what it saves (docs/advice.md)\n";
  if (advice.empty()) out += "            nothing that the model knows would save 5 %\n";
  for (std::size_t i = 0; i < advice.size(); ++i)
    out += fmt::format("    {}. {}\n{:12}{}\n{:12}{}\n", i + 1, advice[i].id, "",
                       paragraph(text_of(advice[i]), 12), "", paragraph(advice[i].evidence, 12));
}

}  // namespace

std::string explanation(const KernelReport& kernel, Sources& sources) {
  std::string out;
  add_time(out, *kernel.prediction);
  add_lines(out, kernel, sources);
  out += resources_text(kernel);
  add_advice(out, kernel);
  return out;
}

}  // namespace hipsight::report
