#pragma once

namespace hipsight {

/// The clock that a program's own calls are answered by (src/program_clock), as the runtime has it.
struct ProgramClock {
  /// The calling thread's time in seconds. Each call is a little later than the thread's last one.
  double (*now)();
  /// The calling thread has slept until then.
  void (*sleep_until)(double seconds);
};

/// What src/program_clock exports, by the name `hipsight_use_program_clock`.
using UseProgramClock = void(const ProgramClock& clock);

}  // namespace hipsight
