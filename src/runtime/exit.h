#pragma once

namespace hipsight::runtime {

/// Keeps the program's exit status for the end of the process, where the report is written and the
/// status changed if a kernel failed.
void watch_exit();

}  // namespace hipsight::runtime
