#include "runtime/launch/recorder.h"

#include <fmt/format.h>

#include <atomic>

#include "code/readable_name.h"
#include "runtime/error.h"
#include "runtime/state.h"
#include "support/error.h"
#include "support/printable.h"
#include "support/quantity.h"
#include "support/run_state.h"

namespace hipsight::runtime {
namespace {

std::atomic<bool> begun{false}, done{false};

}  // namespace

std::unique_ptr<capture::Recorder> recorder_if_wanted(const report::Reporter::Launch& launch,
                                                      engine::Dispatch& dispatch) {
  Context& context = Context::get();
  const std::string& file = context.settings().capture;
  if (file.empty() || !launch.selected() || begun.exchange(true)) return nullptr;
  try {
    auto recorder =
        std::make_unique<capture::Recorder>(file, context.engine(), dispatch, launch.number());
    dispatch.in_order = true;
    complain(fmt::format("captures launch {} of the program: {}", launch.number(),
                         printable(code::readable_name(dispatch.kernel->name))));
    return recorder;
  } catch (const std::exception& error) {
    complain(fmt::format("nothing is captured: {}", error.what()));
    return nullptr;
  }
}

void finish_recording(capture::Recorder* recorder, const engine::KernelError* error) {
  if (!recorder) return;
  try {
    const std::uint64_t size = error ? recorder->finish(*error) : recorder->finish();
    if (RunState* const run = run_state()) run->made |= RunState::Captures;
    complain(fmt::format("wrote {} to {}", quantity(double(size), "B"),
                         Context::get().settings().capture));
    done = true;
  } catch (const std::exception& problem) {
    complain(problem.what());
  }
}

bool recording_is_missing(const Context& context) {
  if (context.settings().capture.empty() || done) return false;
  if (!begun)
    complain(fmt::format("nothing is captured: {}", context.session().selection()));
  else if (RunState* const run = run_state())
    run->failed = 1;
  return true;
}

}  // namespace hipsight::runtime
