#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "report/render.h"
#include "report/roofline.h"
#include "support/embedded.h"
#include "support/formats.h"
#include "support/printable.h"
#include "support/quantity.h"

namespace hipsight::report {
namespace {

std::string percent(double share) {
  return fmt::format("{:.{}f} %", 100 * std::min(share, 1.0), share > 0 && share < 0.0995 ? 1 : 0);
}

/// Text that cells and rows are made of. What is not a number of ours goes through `markup`.
class Page {
 public:
  template <class... T>
  void put(fmt::format_string<T...> form, T&&... values) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<T>(values)...);
  }
  /// A bar of a share of its width.
  void bar(double share, std::string_view kind = "fill") {
    put(R"(<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">)"
        R"(<rect class="track" width="100" height="8"/>)"
        R"(<rect class="{}" width="{:.2f}" height="8"/></svg>)",
        kind, 100 * std::clamp(share, 0.0, 1.0));
  }
  void bar_row(std::string_view label, double share, std::string_view number,
               std::string_view kind = "fill") {
    put("<span>{}</span>", markup(label));
    bar(share, kind);
    put("<span class=\"n\">{}</span>\n", markup(number));
  }
  void fact(std::string_view label, std::string_view text) {
    put("<dt>{}</dt><dd>{}</dd>\n", label, markup(text));
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

/// The name without what it takes.
std::string_view short_name(std::string_view title) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < title.size(); ++i) {
    if (title[i] == '<') ++depth;
    if (title[i] == '>' && depth) --depth;
    if (title[i] == '(' && depth == 0 && i > 0) return title.substr(0, i);
  }
  return title;
}

std::string heading(const KernelReport& kernel) {
  const std::string name(short_name(kernel.kernel.title));
  return kernel.range.empty() ? name : fmt::format("{} in {}", name, kernel.range);
}

std::string place(const Location& at) {
  if (const std::string source = source_of(at); !source.empty()) return source;
  return at.instruction.empty() ? "" : fmt::format("{} at {:#x}", at.instruction, at.address);
}

void answer(Page& page, const KernelReport& kernel) {
  const Verdict& verdict = kernel.verdict;
  const Prediction& p = *kernel.prediction;
  page.put("<dl class=\"answer\">\n<div><dt>predicted time</dt><dd class=\"time\">{}</dd>",
           duration(p.seconds));
  const std::string launches =
      kernel.counts.launches == 1
          ? "1 launch"
          : fmt::format("{} launches take {}", kernel.counts.launches, duration(verdict.seconds));
  page.put("<dd><small>{}{}</small></dd></div>\n",
           p.error ? between(*p.error) + " in nine of ten; " : "", launches);
  page.put("<div><dt>bound by</dt><dd>{}</dd></div>\n", markup(verdict.bound));
  if (!p.lines.empty()) {
    const HotLine& line = p.lines.front();
    page.put(
        "<div><dt>hottest line</dt><dd><code>{}</code><small>{} of its waves’ time, mostly {}"
        "</small></dd></div>\n",
        markup(place(line.at)), percent(line.share),
        line.cause.empty() ? "to issue" : "waiting for " + markup(line.cause));
  }
  page.put("<div><dt>to try</dt>");
  if (verdict.advice.empty()) {
    page.put("<dd>nothing that the model knows would save 5 %</dd>");
  } else {
    const Advice& advice = verdict.advice.front();
    page.put("<dd>{}<small><span class=\"gain\">−{:.0f} %</span>, to {}</small></dd>",
             markup(advice.change), 100 * advice.gain, duration(advice.seconds));
  }
  page.put("</div>\n</dl>\n");
}

void breakdown(Page& page, const Prediction& p) {
  constexpr double shown = 0.005;
  page.put("<div class=\"two\">\n<div><h3>What its waves wait for</h3><div class=\"bars\">\n");
  for (const Amount& cause : p.stalls)
    if (cause.value >= shown) page.bar_row(cause.of, cause.value, percent(cause.value), "hotfill");
  page.put("</div></div>\n<div><h3>How busy units are</h3><div class=\"bars\">\n");
  for (const Amount& unit : p.busy)
    if (unit.value >= shown) page.bar_row(unit.of, unit.value, percent(unit.value));
  page.put("</div></div>\n</div>\n");
}

void advice(Page& page, const KernelReport& kernel) {
  if (kernel.verdict.advice.empty()) return;
  page.put("<h3>What to try</h3>\n<ol class=\"advice\">\n");
  for (const Advice& one : kernel.verdict.advice) {
    const std::string at = place(one.at);
    page.put("<li><p>{}{}</p>", markup(one.change),
             at.empty() ? "" : fmt::format(" <code>{}</code>", markup(at)));
    page.put("<div class=\"bars\">");
    page.bar_row("now", 1, duration(kernel.prediction->seconds));
    page.bar_row("then", 1 - one.gain, duration(one.seconds), "goodfill");
    page.put("</div><p class=\"why\">{} · {}</p></li>\n", markup(one.evidence), markup(one.id));
  }
  page.put("</ol>\n");
}

/// What was asked about by --what-if: the time then, beside the longest of all.
void what_ifs(Page& page, const KernelReport& kernel) {
  if (kernel.verdict.what_if.empty()) return;
  double longest = kernel.prediction->seconds;
  for (const WhatIf& one : kernel.verdict.what_if) longest = std::max(longest, one.seconds);
  page.put(
      "<h3>What if</h3>\n<div class=\"scroll\"><table><thead><tr><th class=\"l\">change</th>"
      "<th>time</th><th></th><th class=\"l\"></th><th class=\"l\">bound "
      "by</th></tr></thead><tbody>\n");
  const auto row = [&](const std::string& change, double seconds, const std::string& difference,
                       const std::string& bound) {
    page.put("<tr><td class=\"l\">{}</td><td>{}</td><td>{}</td><td class=\"bar\">", markup(change),
             seconds > 0 ? duration(seconds) : "none", difference);
    page.bar(seconds / longest);
    page.put("</td><td class=\"l\">{}</td></tr>\n", markup(bound));
  };
  row("now", kernel.prediction->seconds, "", kernel.verdict.bound);
  for (const WhatIf& one : kernel.verdict.what_if)
    one.why_none.empty() ? row(one.change, one.seconds, change_of_time(one.gain), one.bound)
                         : row(one.change, 0, "", one.why_none);
  page.put("</tbody></table></div>\n");
}

/// Of five steps, how hot a share of the time is.
int heat(double share) {
  constexpr std::array steps{0.005, 0.02, 0.05, 0.12, 0.3};
  return static_cast<int>(std::ranges::count_if(steps, [&](double s) { return share >= s; }));
}

std::string ratio(double part, double whole) {
  return whole > 0 ? percent(part / whole) : "";
}

constexpr std::string_view head =
    "<th>executions</th><th>lanes on</th><th>sectors a request</th><th>L1 hits</th>"
    "<th>L2 hits</th><th>conflicts</th>";

void time_cell(Page& page, const ProfileRow& row) {
  page.put("<tr><td class=\"h{}\">{}</td>", heat(row.time),
           row.time >= 0.0005 ? percent(row.time) : "");
}

void cells(Page& page, const ProfileRow& row) {
  page.put("<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
           quantity(double(row.executions), ""), percent(row.active_lanes),
           row.requests > 0 ? fmt::format("{:.3g}", row.sectors / row.requests) : "",
           ratio(double(row.caches.l1_hits), double(row.caches.l1_loads)),
           ratio(double(row.caches.l2_hits), double(row.caches.l2_requests)),
           ratio(row.lds_conflict_cycles, row.lds_cycles));
}

void source(Page& page, const Profile& profile, Sources& sources) {
  std::vector<const ProfileRow*> rows;
  std::map<std::string_view, double> times;  // of files: the kernel's own before what it includes
  for (const ProfileRow& row : profile.lines)
    if (row.at.line) rows.push_back(&row), times[row.at.file] += row.time;
  if (rows.empty()) return;
  std::ranges::sort(rows, {}, [&](const ProfileRow* row) {
    return std::tuple(-times[row->at.file], std::string_view(row->at.file), row->at.line);
  });
  page.put(
      "<details open><summary>Source lines</summary><div class=\"scroll\"><table><thead><tr>"
      "<th>time</th><th class=\"l\">line</th><th class=\"l\">source</th>{}</tr></thead><tbody>\n",
      head);
  for (const ProfileRow* row : rows) {
    time_cell(page, *row);
    page.put("<td class=\"l\">{}</td><td class=\"code h{}\">{}</td>", markup(place(row->at)),
             heat(row->time), markup(sources.line(row->at.file, row->at.line)));
    cells(page, *row);
  }
  page.put("</tbody></table></div></details>\n");
}

void instructions(Page& page, const Profile& profile) {
  page.put(
      "<details><summary>{} instructions that ran</summary><div class=\"scroll\">"
      "<table class=\"isa\"><thead><tr><th>time</th><th class=\"l\">address</th>"
      "<th class=\"l\">instruction</th><th class=\"l\">line</th>{}</tr></thead>\n<tbody>\n",
      profile.instructions.size(), head);
  // Bodies of so many rows are laid out when they come into view.
  constexpr std::size_t together = 50;
  for (std::size_t i = 0; i < profile.instructions.size(); ++i) {
    const ProfileRow& row = profile.instructions[i];
    if (i && i % together == 0) page.put("</tbody><tbody>\n");
    time_cell(page, row);
    page.put("<td class=\"l code\">{:x}</td><td class=\"code h{}\">{}</td><td class=\"l\">{}</td>",
             row.at.address, heat(row.time), markup(row.at.instruction), markup(source_of(row.at)));
    cells(page, row);
  }
  page.put("</tbody></table></div></details>\n");
}

void roofline(Page& page, const KernelReport& kernel) {
  if (const std::string svg = roofline_svg(kernel); !svg.empty())
    page.put(
        "<section><h3>Roofline</h3><p class=\"small\">Ceilings are those of the compute units "
        "that have work.</p>{}</section>\n",
        svg);
}

void roofs(Page& page, const KernelReport& kernel) {
  const std::vector<Roof>& all = kernel.roofline.roofs;
  if (all.empty()) return;
  const double most = std::max(all.front().seconds, kernel.verdict.seconds);
  page.put(
      "<details><summary>Roofs: the time that one resource alone would take</summary>"
      "<div class=\"bars\">\n");
  if (kernel.prediction)
    page.bar_row("predicted", kernel.verdict.seconds / most, duration(kernel.verdict.seconds),
                 "hotfill");
  for (const Roof& roof : all) page.bar_row(roof.name, roof.seconds / most, duration(roof.seconds));
  page.put("</div></details>\n");
}

void facts(Page& page, const KernelReport& kernel) {
  const KernelFacts& facts = kernel.kernel;
  const auto dimensions = [](const Dim3& d) { return fmt::format("{} x {} x {}", d.x, d.y, d.z); };
  page.put("<details><summary>Launch and resources</summary><dl class=\"facts\">\n");
  page.fact("grid", fmt::format("{} workgroups of {} work-items{}", dimensions(kernel.grid),
                                dimensions(kernel.block),
                                kernel.grids_differ ? "; other launches had other grids" : ""));
  page.fact("registers", fmt::format("{} VGPRs, {} SGPRs; {} VGPRs spilled", facts.vgprs,
                                     facts.sgprs, facts.vgpr_spills));
  if (kernel.registers) page.fact("live registers", text_of(*kernel.registers));
  page.fact("LDS", fmt::format("{} B", facts.lds_bytes + kernel.dynamic_lds));
  page.fact("occupancy", kernel.occupancy.sentence);
  for (const OccupancyStep& step : kernel.occupancy.steps)
    page.fact("next step", fmt::format("with {} {} at the most: {:.3g} waves per SIMD",
                                       step.at_most, step.of, step.waves_per_simd));
  page.fact("instructions", quantity(double(kernel.counts.instructions), "") + " of waves");
  page.fact("FLOP", quantity(kernel.counts.floating_operations, ""));
  page.fact("memory",
            fmt::format("{} read, {} written, as asked for",
                        quantity(kernel.counts.global.read + kernel.counts.flat.read, "B"),
                        quantity(kernel.counts.global.written + kernel.counts.flat.written, "B")));
  if (const auto& p = kernel.prediction)
    page.fact("prediction",
              fmt::format("{} cycles at {:.3g} GHz, {} of it the launch itself",
                          quantity(p->cycles, ""), p->clock_ghz, duration(p->launch_seconds)));
  page.put("</dl></details>\n");
}

void overview(Page& page, const RunReport& run) {
  page.put(
      "<section class=\"overview\" aria-label=\"all kernels\"><div class=\"scroll\"><table><thead>"
      "<tr><th class=\"l\">kernel</th><th>launches</th><th>time</th><th class=\"l\">share</th>"
      "<th class=\"l\">bound by</th></tr></thead><tbody>\n");
  for (std::size_t i = 0; i < run.kernels.size(); ++i) {
    const KernelReport& kernel = run.kernels[i];
    const bool predicted = kernel.prediction.has_value();
    page.put(
        "<tr><td class=\"name\"><a href=\"#k{}\">{}</a></td><td>{}</td><td>{}</td>"
        "<td class=\"bar\">",
        i + 1, markup(heading(kernel)), kernel.counts.launches,
        predicted ? duration(kernel.verdict.seconds) : "");
    page.bar(kernel.verdict.share, "hotfill");
    page.put("</td><td class=\"l\">{}</td></tr>\n",
             markup(predicted ? kernel.verdict.bound : "not predicted"));
  }
  page.put("</tbody></table></div></section>\n");
}

}  // namespace

std::string to_html(const RunReport& run, const SourceText& text) {
  Page page;
  Sources sources(text);
  page.put(R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{} on {}</title>
<style>
{}</style></head><body>
)",
           run.kernels.empty() ? "No kernel" : markup(short_name(run.kernels[0].kernel.title)),
           markup(run.gpu.title), page_files().front().text);
  page.put(
      "<header><h1>{}</h1><p>{} · {} compute units at {} GHz · emulated by hipsight</p></header>\n",
      markup(run.gpu.title), markup(run.gpu.target_id), run.gpu.compute_units, run.gpu.clock_ghz);
  page.put("<main>\n");
  if (!run.selection.everything())
    page.put("<p class=\"mind\">{}</p>\n", markup(selection_text(run.selection, run.launches)));
  for (const FailedLaunch& error : run.errors)
    page.put("<p class=\"mind\"><b>{} failed:</b> {}</p>\n", markup(error.kernel),
             markup(error.message));
  if (const std::string mind = caveat(run); !mind.empty())
    page.put("<p class=\"mind\">Mind: {}.</p>\n", markup(mind));
  if (run.kernels.empty()) page.put("<p>No kernel ran to its end.</p>\n");
  if (run.kernels.size() > 1) overview(page, run);
  for (std::size_t i = 0; i < run.kernels.size(); ++i) {
    const KernelReport& kernel = run.kernels[i];
    page.put("<article id=\"k{}\"><h2>{}</h2><p class=\"signature code\">{}</p>\n", i + 1,
             markup(heading(kernel)), markup(kernel.kernel.title));
    if (kernel.prediction) {
      answer(page, kernel);
      breakdown(page, *kernel.prediction);
      advice(page, kernel);
      what_ifs(page, kernel);
      roofline(page, kernel);
    } else {
      page.put("<p>No prediction: {}.</p>\n", markup(kernel.verdict.why_none));
    }
    if (kernel.profile) {
      source(page, *kernel.profile, sources);
      instructions(page, *kernel.profile);
    }
    roofs(page, kernel);
    facts(page, kernel);
    page.put("</article>\n");
  }
  page.put("</main></body></html>\n");
  return page.take();
}

}  // namespace hipsight::report
