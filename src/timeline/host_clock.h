#pragma once

namespace hipsight::timeline {

/// What calls cost the host, in seconds.
///
/// A launch: RRZE-HPC/gpu-benches, gpu-small-kernels on MI210, has a kernel every 2.05 us with
/// graphs and without them. So the host takes no longer for a launch; it is assumed to take as
/// long.
constexpr double launch_cost = 2e-6;
/// Any call, one that launches too: assumed.
constexpr double call_cost = 0.1e-6;
/// Reading the program's own clock: about what clock_gettime takes on a machine of today. A loop
/// that waits for a clock ends.
constexpr double clock_cost = 25e-9;

/// The time of one thread of the host, as the GPU's clock has it: calls take what they cost, waits
/// last until what is waited for has ended, and what else the program does takes no time.
class HostClock {
 public:
  /// The calling thread's. It begins with the latest time that any thread has come to.
  static HostClock& of_thread();

  double now() const { return now_; }
  void spend(double seconds);
  /// It hands work to the GPU.
  void submit();
  /// The thread waited for what ended then.
  void wait_until(double time);
  /// It is a thread that does what begins then: a host function.
  void set(double time);

  /// Whether what ended then has ended by now. A thread that does nothing but ask polls: after
  /// `patience` times in vain its clock goes to the end of what it asks for.
  bool has_passed(double end);
  static constexpr unsigned patience = 1000;

  /// What the program's own clock says (--host-clock), some time later than it said before: this
  /// thread's time, but never before what any thread that calls HIP has come to. A thread that does
  /// not has a time of its own beside: how often it wakes depends on the machine.
  double of_program();
  /// The thread slept until then, on that clock.
  void sleep_until(double time);

 private:
  HostClock();
  void tell() const;
  void go_to(double time);

  double now_;
  bool calls_hip_ = false;
  unsigned asked_in_vain_ = 0;
};

}  // namespace hipsight::timeline
