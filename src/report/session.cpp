#include "report/session.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include "code/readable_name.h"
#include "profile/cache.h"
#include "report/kernel_report.h"
#include "report/progress.h"
#include "support/environment.h"
#include "support/error.h"
#include "support/output_file.h"
#include "support/pattern.h"
#include "support/printable.h"
#include "support/run_state.h"
#include "timing/recording.h"

namespace hipsight::report {
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

engine::Dim3 workgroups(const engine::Dispatch& dispatch) {
  const auto ceil = [](std::uint32_t a, std::uint32_t b) {
    return std::uint32_t((std::uint64_t{a} + b - 1) / std::max(b, 1u));
  };
  return {ceil(dispatch.grid.x, dispatch.block.x), ceil(dispatch.grid.y, dispatch.block.y),
          ceil(dispatch.grid.z, dispatch.block.z)};
}

bool same(const engine::Dim3& a, const engine::Dim3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

// AMDGPUUsage, compute_pgm_rsrc1: WGP_MODE of GFX10 and later.
constexpr std::uint32_t kWgpMode = 1u << 29;

timing::Resources resources(const gpus::Gpu& gpu, const engine::Dispatch& dispatch) {
  const code::Kernel& kernel = *dispatch.kernel;
  timing::Resources need;
  need.vgprs = kernel.vgprs;
  need.sgprs = kernel.sgprs;
  need.lds_bytes = kernel.lds_bytes + dispatch.dynamic_lds;
  need.workgroup_size = std::uint32_t(dispatch.block.volume());
  need.wavefront_size = kernel.wavefront_size;
  need.wgp_mode = gpu.cus_per_wgp > 1 && (kernel.descriptor.rsrc1 & kWgpMode);
  return need;
}

KernelReport describe(const gpus::Gpu& gpu, const engine::Dispatch& dispatch) {
  const code::Kernel& kernel = *dispatch.kernel;
  KernelReport report;
  report.name = kernel.name;
  report.title = code::readable_name(kernel.name);
  if (dispatch.module) report.target = dispatch.module->object().target().text();
  report.block = dispatch.block;
  report.grid = workgroups(dispatch);
  report.wavefront_size = kernel.wavefront_size;
  report.vgprs = kernel.vgprs;
  report.agprs = kernel.agprs;
  report.sgprs = kernel.sgprs;
  report.vgpr_spills = kernel.vgpr_spills;
  report.sgpr_spills = kernel.sgpr_spills;
  report.fixed_lds = kernel.lds_bytes;
  report.dynamic_lds = dispatch.dynamic_lds;
  report.scratch = kernel.scratch_bytes;
  report.code_size = kernel.code_size;
  report.occupancy = timing::occupancy(gpu, resources(gpu, dispatch));
  return report;
}

void say(std::string_view text) {
  std::fputs(fmt::format("hipsight: {}\n", printable(text, true)).c_str(), stderr);
}

/// The file of this process that a variable names.
std::string output_file(const char* variable) {
  const std::string file = environment(variable);
  return file.empty() ? file : output_of_process(file, process_of_run()).string();
}

}  // namespace

Output Output::from_environment() {
  Output output;
  const std::string text = environment("HIPSIGHT_REPORT");
  if (text == "none" || text == "0") {
    output.text = Text::None;
  } else if (!text.empty() && text != "stderr" && text != "1") {
    output.text = Text::File;
    output.text_file = output_file("HIPSIGHT_REPORT");
  }
  output.json_file = output_file("HIPSIGHT_JSON");
  const std::string sample = environment("HIPSIGHT_PROFILE");
  const char* const end = sample.data() + sample.size();
  if (!sample.empty() &&
      (std::from_chars(sample.data(), end, output.profile).ptr != end || output.profile == 0))
    fail("HIPSIGHT_PROFILE={}: expected a number of workgroups", sample);
  const std::string caches = environment("HIPSIGHT_CACHES");
  if (!caches.empty() && caches != "cold" && caches != "mall" && caches != "warm")
    fail("HIPSIGHT_CACHES={}: it takes cold, mall or warm", caches);
  if (caches == "mall") output.assumptions.caches = timing::Caches::InMall;
  if (caches == "warm") output.assumptions.caches = timing::Caches::Warm;
  const std::string simulated = environment("HIPSIGHT_SIMULATE");
  const char* const last = simulated.data() + simulated.size();
  std::uint64_t& instructions = output.assumptions.instructions;
  if (!simulated.empty() &&
      (std::from_chars(simulated.data(), last, instructions).ptr != last || instructions == 0))
    fail("HIPSIGHT_SIMULATE={}: expected a number of instructions", simulated);
  output.recording_file = output_file("HIPSIGHT_RECORD");
  output.sampled_only = environment("HIPSIGHT_SAMPLED_ONLY") == "1";
  output.tables = environment("HIPSIGHT_PREDICT") != "1";
  output.fidelity = environment("HIPSIGHT_FIDELITY") == "1";
  if (const std::string wave = environment("HIPSIGHT_TRACE"); !wave.empty()) {
    output.trace = TraceOptions::parse(wave);
    output.trace->file = output_file("HIPSIGHT_TRACE_FILE");
    if (output.profile) fail("HIPSIGHT_TRACE and HIPSIGHT_PROFILE: only one of them at a time");
  }
  return output;
}

Selection Selection::from_environment() {
  Selection selection;
  selection.kernel = environment("HIPSIGHT_KERNEL");
  const std::string launch = environment("HIPSIGHT_LAUNCH");
  const char* const end = launch.data() + launch.size();
  if (!launch.empty() &&
      (std::from_chars(launch.data(), end, selection.launch).ptr != end || selection.launch == 0))
    fail("HIPSIGHT_LAUNCH={}: expected the number of a launch, from 1", launch);
  return selection;
}

namespace {

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

}  // namespace

struct Session::Impl {
  Output output;
  mutable std::mutex mutex;
  RunReport run;
  Selector selector;
  Progress progress;
  bool traced = false, selected = false;
  bool failed = false;                ///< something asked for could not be written
  std::optional<std::uint64_t> told;  ///< launches and errors that the last report had
  std::vector<Launch*> running;
  std::set<std::pair<std::string, std::uint64_t>> profiled;  ///< mangled names, and code sizes

  Impl(Output o, const Selection& selection, ProgressOutput p)
      : output(std::move(o)), selector(selection), progress(p) {
    run.selection = selection;
    for (const std::string& file : {output.text_file, output.json_file, output.recording_file,
                                    output.trace ? output.trace->file : ""})
      if (!file.empty()) attempt([&] { prepare_output(file); });
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

  KernelReport& find(const engine::Dispatch& dispatch) {
    for (KernelReport& known : run.kernels) {
      const code::Kernel& kernel = *dispatch.kernel;
      if (known.name == kernel.name && same(known.block, dispatch.block) &&
          known.dynamic_lds == dispatch.dynamic_lds && known.fixed_lds == kernel.lds_bytes &&
          known.vgprs == kernel.vgprs && known.code_size == kernel.code_size) {
        known.grids_differ = known.grids_differ || !same(known.grid, workgroups(dispatch));
        return known;
      }
    }
    return run.kernels.emplace_back(describe(run.gpu, dispatch));
  }

  RunReport judged() const {
    std::lock_guard lock(mutex);
    RunReport result = run;
    for (const Launch* launch : running)
      result.unfinished.push_back({code::readable_name(launch->dispatch_.kernel->name),
                                   launch->finished_, workgroups(launch->dispatch_).volume()});
    for (KernelReport& kernel : result.kernels) {
      const timing::Launches launches{&kernel.summary, kernel.occupancy, kernel.wavefront_size, {}};
      kernel.roofs = timing::roofs(result.gpu, launches);
      kernel.verdict = explain::verdict(result.gpu, launches, kernel.roofs);
    }
    return result;
  }
};

Session::Session(gpus::Gpu gpu, Output output, Selection selection, ProgressOutput progress)
    : impl_(std::make_unique<Impl>(std::move(output), selection, progress)) {
  impl_->run.gpu = std::move(gpu);
}

Session::~Session() = default;

Session::Launch::Launch(Session& session, engine::Dispatch& dispatch)
    : session_(session), dispatch_(dispatch) {
  Impl& impl = *session.impl_;
  dispatch.finished = &finished_;
  {
    std::lock_guard lock(impl.mutex);
    number_ = ++impl.run.launches;
    impl.running.push_back(this);
    selected_ = impl.selector.take(dispatch.kernel->name);
    impl.selected = impl.selected || selected_;
    if (selected_ && impl.output.profile &&
        impl.profiled.emplace(dispatch.kernel->name, dispatch.kernel->code_size).second) {
      const timing::Occupancy occupancy = describe(impl.run.gpu, dispatch).occupancy;
      const std::uint64_t at_once = std::uint64_t{occupancy.workgroups} *
                                    impl.run.gpu.compute_units * impl.run.gpu.simds_per_cu /
                                    std::max(1u, occupancy.simds);
      const std::uint64_t lanes = dispatch.kernel->wavefront_size;
      const std::uint64_t scratch = (std::uint64_t{dispatch.kernel->scratch_bytes} + 4) * lanes *
                                    ((dispatch.block.volume() + lanes - 1) / lanes);
      trace_.emplace(impl.run.gpu, workgroups(dispatch).volume(), impl.output.profile, at_once,
                     scratch);
      dispatch.observer = &*trace_;
      dispatch.observed_only = impl.output.sampled_only;
    }
    if (selected_ && impl.output.trace && !std::exchange(impl.traced, true)) {
      impl.attempt([&] {
        wave_trace_.emplace(*impl.output.trace, dispatch, number_);
        dispatch.observer = &*wave_trace_;
      });
    }
  }
  impl.progress.begin(dispatch.kernel->name, workgroups(dispatch).volume(), finished_);
}

Session::Launch::~Launch() {
  Impl& impl = *session_.impl_;
  impl.progress.end(finished_);
  const std::lock_guard lock(impl.mutex);
  std::erase(impl.running, this);
  if (wave_trace_) impl.attempt([&] { wave_trace_->finish(); });
}

void Session::Launch::add(engine::Result result) noexcept {
  if (!selected_) return;
  Impl& impl = *session_.impl_;
  const std::lock_guard lock(impl.mutex);
  impl.attempt([&] { add_to_report(result); });
}

void Session::Launch::add_to_report(engine::Result& result) {
  Impl& impl = *session_.impl_;
  if (dispatch_.observed_only) trace_->count(result);
  KernelReport& report = impl.find(dispatch_);
  report.summary.add(result);
  if (trace_) {
    profile::simulate_caches(impl.run.gpu, *trace_);
    const code::CodeObject& object = dispatch_.module->object();
    report.registers =
        describe(object, *dispatch_.kernel, impl.run.gpu, resources(impl.run.gpu, dispatch_));
    report.profile = describe(profile::profile(*trace_, result), object, *report.registers,
                              report.wavefront_size);
    report.profile->launch = number_;
    report.profile->tables = impl.output.tables;
    if (!impl.output.recording_file.empty())
      impl.attempt([&] {
        timing::write(impl.output.recording_file, impl.run.gpu, *trace_, result, report.occupancy,
                      report.wavefront_size);
      });
    report.prediction = timing::predict(impl.run.gpu, *trace_, result, report.occupancy,
                                        report.wavefront_size, impl.output.assumptions);
    report.waits = describe(*report.prediction, object);
  }
  if (!impl.output.fidelity) return;
  if (!report.fidelity) report.fidelity.emplace();
  report.fidelity->add(result);
}

void Session::Launch::add(const engine::KernelError& error) noexcept {
  Impl& impl = *session_.impl_;
  const std::lock_guard lock(impl.mutex);
  impl.attempt([&] {
    impl.run.errors.push_back({code::readable_name(dispatch_.kernel->name),
                               std::string(text_of(error.kind)), error.what()});
  });
}

std::string Session::selection() const {
  std::lock_guard lock(impl_->mutex);
  return selection_text(impl_->run);
}
std::string Session::text() const {
  return to_text(impl_->judged());
}
std::string Session::json() const {
  return to_json(impl_->judged());
}

void Session::finish(const std::string& how) noexcept {
  Impl& impl = *impl_;
  const Output& output = impl.output;
  impl.attempt([&] {
    impl.progress.stop();
    bool anew = false;
    {
      const std::lock_guard lock(impl.mutex);
      const std::uint64_t all = impl.run.launches + impl.run.errors.size();
      if (impl.told == all) return;
      anew = impl.told.has_value();
      impl.told = all;
      impl.run.ended = how;
      for (Launch* launch : impl.running)
        if (launch->wave_trace_) impl.attempt([&] { launch->wave_trace_->finish(); });
    }
    if (output.trace && !impl.traced)
      say("nothing is traced: " + selection());
    else if (!impl.selected && output.text != Output::Text::Stderr &&
             !impl.run.selection.everything())
      say("nothing is reported: " + selection());
    if (output.text == Output::Text::Stderr) {
      std::fflush(stdout);  // the program's output first, where both go to one place
      if (anew) std::fputs("\nhipsight: the report again, as the process went on:\n", stderr);
      std::fputs(text().c_str(), stderr);
    }
    if (output.text == Output::Text::File)
      impl.attempt([&] { write_output(output.text_file, text()); });
    if (!output.json_file.empty()) impl.attempt([&] { write_output(output.json_file, json()); });
  });
  if (RunState* const state = run_state()) {
    if (impl.failed) state->failed = 1;
    if (!impl.failed) state->made |= RunState::Reports;
    if (impl.selected) state->made |= RunState::Launches;
    if (impl.traced && !impl.failed) state->made |= RunState::Traces;
  }
}

bool Session::complete() const noexcept {
  const Output& output = impl_->output;
  const bool chosen = !impl_->run.selection.everything() || output.profile || output.trace;
  return !impl_->failed && (impl_->selected || !chosen);
}

}  // namespace hipsight::report
