#pragma once

#include <memory>

#include "capture/recorder.h"
#include "report/reporter.h"

namespace hipsight::runtime {

class Context;

/// The file for this launch, if it is the first selected one and HIPSIGHT_CAPTURE asks for it; it
/// then runs in order. Null otherwise. A file that cannot be written is told.
std::unique_ptr<capture::Recorder> recorder_if_wanted(const report::Reporter::Launch& launch,
                                                      engine::Dispatch& dispatch);
/// Completes the file of a launch that ended, by `error` if it failed.
void finish_recording(capture::Recorder* recorder, const engine::KernelError* error = nullptr);

/// At the end of the process: whether a launch was to be captured, but is in no file. Says so.
bool recording_is_missing(const Context& context);

}  // namespace hipsight::runtime
