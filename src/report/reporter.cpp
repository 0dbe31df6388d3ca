#include "report/reporter.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "conditions/condition.h"
#include "config/config.h"
#include "hipsight/report_file.h"
#include "report/html.h"
#include "report/progress.h"
#include "report/render.h"
#include "session/describe.h"
#include "support/error.h"
#include "support/output_file.h"
#include "support/printable.h"
#include "support/run_state.h"
#include "timing/recording.h"

namespace hipsight::report {
namespace {

void say(std::string_view text) {
  std::fputs(fmt::format("hipsight: {}\n", printable(text, true)).c_str(), stderr);
}

/// This process's own, where several were told to write this file.
std::string output_file(const std::string& file) {
  return file.empty() ? file : output_of_process(file, process_of_run()).string();
}

}  // namespace

Output Output::of(const Config& config) {
  Output output;
  if (config.report == "none" || config.report == "0") {
    output.text = Text::None;
  } else if (config.report != "stderr" && config.report != "1") {
    output.text = Text::File;
    output.text_file = output_file(config.report);
  }
  output.json_file = output_file(config.json);
  output.html_file = output_file(config.html);
  output.csv_file = output_file(config.csv);
  output.svg_file = output_file(config.svg);
  output.values_file = output_file(config.values);
  output.sarif_file = output_file(config.sarif);
  if (!config.suppress.empty())
    output.wishes.suppressions = check::Suppressions::read(config.suppress);
  output.timeline_file = output_file(config.timeline_file);
  output.wishes.timeline = config.timeline || !config.timeline_file.empty();
  output.fail_if = config.fail_if;
  output.wishes.profile = static_cast<unsigned>(config.profile);
  output.wishes.predict = config.predict;
  output.wishes.time = config.time == "predicted";
  if (config.predict && !config.profile) output.wishes.profile = session::usual_sample;
  if (config.caches == "mall") output.wishes.assumptions.caches = timing::Caches::InMall;
  if (config.caches == "warm") output.wishes.assumptions.caches = timing::Caches::Warm;
  output.wishes.assumptions.instructions = config.simulate;
  output.wishes.what_if = explain::parse_all_what_ifs(config.what_if);
  output.recording_file = output_file(config.record);
  output.wishes.sampled_only = config.sampled_only;
  output.wishes.timing_only = config.timing_only;
  output.details = Details::of(config.details);
  output.wishes.fidelity = config.fidelity;
  output.wishes.check = config.check;
  if (config.timing_only && !config.check.empty())
    fail("--timing-only runs a part of each launch: {} would see no more than that", config.check);
  if (!config.trace.empty()) {
    output.trace = TraceOptions::parse(config.trace);
    output.trace->file = output_file(config.trace_file);
    if (output.wishes.profile) fail("a trace and a profile: only one of them at a time");
  }
  return output;
}

Selection selection_of(const Config& config) {
  return {.kernel = config.kernel, .launch = config.launch};
}

struct Reporter::Impl {
  const Output output;
  session::Session session;
  Progress progress;
  std::mutex mutex;  ///< guards all that follows
  bool traced = false;
  std::vector<Launch*> tracing;
  std::optional<std::uint64_t> told;  ///< launches and errors that the last report had
  std::string ended;
  std::atomic<bool> failed = false;  ///< something asked for could not be written
  std::atomic<bool> condition_holds = false;

  Impl(gpus::Gpu gpu, Output o, const Selection& selection, ProgressOutput p,
       engine::Memory* memory)
      : output(std::move(o)),
        session(std::move(gpu), output.wishes, selection, memory),
        progress(p) {
    for (const std::string& file :
         {output.text_file, output.json_file, output.html_file, output.csv_file, output.svg_file,
          output.timeline_file, output.sarif_file, output.values_file, output.recording_file,
          output.trace ? output.trace->file : ""})
      if (!file.empty()) attempt([&] { prepare_output(file); });
  }

  /// Says of which kernels the condition to fail by holds.
  void judge() {
    if (output.fail_if.empty()) return;
    const conditions::Condition condition(output.fail_if);
    for (const MetCondition& one : conditions::met(session.report(), condition)) {
      condition_holds = true;
      say(fmt::format("fail if {}: {} in {}", output.fail_if, one.values, one.kernel));
    }
  }

  /// Does what may fail without harm to the program.
  template <class Work>
  void attempt(Work&& work) noexcept {
    try {
      work();
    } catch (const std::exception& error) {
      failed = true;
      say(error.what());
    }
  }
};

Reporter::Reporter(gpus::Gpu gpu, Output output, Selection selection, ProgressOutput progress,
                   engine::Memory* memory)
    : impl_(
          std::make_unique<Impl>(std::move(gpu), std::move(output), selection, progress, memory)) {}

Reporter::~Reporter() = default;

Reporter::Launch::Launch(Reporter& reporter, engine::Dispatch& dispatch, session::Range range)
    : reporter_(reporter),
      dispatch_(dispatch),
      launch_(reporter.impl_->session, dispatch, std::move(range)) {
  Impl& impl = *reporter.impl_;
  if (selected() && impl.output.trace) {
    const std::lock_guard lock(impl.mutex);
    if (!std::exchange(impl.traced, true))
      impl.attempt([&] {
        wave_trace_.emplace(*impl.output.trace, dispatch, number());
        dispatch.observers.push_back(&*wave_trace_);
        impl.tracing.push_back(this);
      });
  }
  impl.progress.begin(dispatch.kernel->name, session::workgroups(dispatch).volume(),
                      launch_.finished());
}

Reporter::Launch::~Launch() {
  Impl& impl = *reporter_.impl_;
  impl.progress.end(launch_.finished());
  if (!wave_trace_) return;
  const std::lock_guard lock(impl.mutex);
  std::erase(impl.tracing, this);
  impl.attempt([&] { wave_trace_->finish(); });
}

void Reporter::Launch::add(engine::Result result) noexcept {
  Impl& impl = *reporter_.impl_;
  impl.attempt([&] {
    launch_.add(result);
    const session::Observation* const observation = launch_.observation();
    if (impl.output.recording_file.empty() || !observation || !observation->trace()) return;
    const std::lock_guard lock(impl.mutex);
    timing::write(impl.output.recording_file, impl.session.gpu(), *observation->trace(), result,
                  observation->occupancy(), dispatch_.kernel->wavefront_size);
  });
}

void Reporter::Launch::add(const engine::KernelError& error) noexcept {
  reporter_.impl_->attempt([&] { launch_.add(error); });
}

void Reporter::add(const check::Finding& finding) {
  impl_->session.add(finding);
}
bool Reporter::checks(std::string_view tool) const {
  return impl_->session.checks(tool);
}
timeline::Record* Reporter::timeline() {
  return impl_->session.timeline();
}
std::string Reporter::selection() const {
  return selection_text(impl_->session.selection(), impl_->session.progress().launches);
}
std::string Reporter::text() const {
  return to_text(impl_->session.report(impl_->ended), impl_->output.details);
}
std::string Reporter::json() const {
  return to_json(impl_->session.report(impl_->ended));
}

void Reporter::finish(const std::string& how) noexcept {
  Impl& impl = *impl_;
  const Output& output = impl.output;
  impl.attempt([&] {
    impl.progress.stop();
    bool anew = false;
    const session::Session::Progress progress = impl.session.progress();
    {
      const std::lock_guard lock(impl.mutex);
      const std::uint64_t all = progress.launches + progress.errors;
      if (impl.told == all) return;
      anew = impl.told.has_value();
      impl.told = all;
      impl.ended = how;
      for (Launch* launch : impl.tracing) impl.attempt([&] { launch->wave_trace_->finish(); });
    }
    if (output.trace && !impl.traced)
      say("nothing is traced: " + selection());
    else if (!progress.selected && output.text != Output::Text::Stderr &&
             !impl.session.selection().everything())
      say("nothing is reported: " + selection());
    if (output.text == Output::Text::Stderr) {
      std::fflush(stdout);  // the program's output first, where both go to one place
      if (anew) std::fputs("\nhipsight: the report again, as the process went on:\n", stderr);
      std::fputs(text().c_str(), stderr);
    }
    if (output.text == Output::Text::File)
      impl.attempt([&] { write_output(output.text_file, text()); });
    if (!output.json_file.empty()) impl.attempt([&] { write_output(output.json_file, json()); });
    if (!output.html_file.empty())
      impl.attempt([&] {
        write_output(output.html_file, to_html(impl.session.report(impl.ended), source_text));
      });
    if (!output.svg_file.empty())
      impl.attempt(
          [&] { write_output(output.svg_file, what_if_svg(impl.session.report(impl.ended))); });
    if (!output.csv_file.empty())
      impl.attempt([&] { write_output(output.csv_file, to_csv(impl.session.report(impl.ended))); });
    if (!output.timeline_file.empty())
      impl.attempt([&] {
        write_output(output.timeline_file, timeline_trace(impl.session.report(impl.ended)));
      });
    if (!output.sarif_file.empty())
      impl.attempt(
          [&] { write_output(output.sarif_file, to_sarif(impl.session.report(impl.ended))); });
    if (!output.values_file.empty())
      impl.attempt(
          [&] { write_output(output.values_file, report_file(impl.session.report(impl.ended))); });
    impl.attempt([&] { impl.judge(); });
  });
  if (RunState* const state = run_state()) {
    if (impl.failed) state->failed = 1;
    if (!impl.failed) state->made |= RunState::Reports;
    if (impl.session.progress().selected) state->made |= RunState::Launches;
    if (impl.traced && !impl.failed) state->made |= RunState::Traces;
  }
}

bool Reporter::has_findings() const noexcept {
  return impl_->session.progress().findings != 0;
}

bool Reporter::condition_holds() const noexcept {
  return impl_->condition_holds;
}

bool Reporter::complete() const noexcept {
  const Output& output = impl_->output;
  const bool chosen = !impl_->session.selection().everything() || output.wishes.profile ||
                      output.trace || !output.fail_if.empty();
  return !impl_->failed && (impl_->session.progress().selected || !chosen);
}

}  // namespace hipsight::report
