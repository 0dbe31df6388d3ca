#pragma once

namespace hipsight::runtime {

/// A signal that ends the process, a crash or an interrupt, still leaves the report so far. Signals
/// that the program handles itself, now or later, are its own.
void watch_signals();

}  // namespace hipsight::runtime
