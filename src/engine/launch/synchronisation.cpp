// What waves wait for: barriers of workgroups, whose waves take turns on one host thread, and
// semaphores of the GPU.

#include "engine/launch/workgroup.h"
#include "engine/watch/observers.h"

namespace hipsight::engine {
namespace {

/// Lets the members of a barrier pass when all have signalled.
void check_barrier(Workgroup& group, unsigned number) {
  Barrier& barrier = group.barriers[number];
  const std::uint32_t needed = members(group, number);
  if (needed == 0 || barrier.signals < needed) return;
  barrier.signals = 0;
  ++group.phase;
  Observers* const observers = group.waves.front()->observers;
  if (observers) observers->completes(number);
  const std::uint8_t kind = number ? Barrier::named : Barrier::workgroup;
  for (std::uint32_t i = 0; i < group.started; ++i) {
    Wave& wave = *group.waves[i];
    if (number && wave.joined != number) continue;
    if (wave.stop == Stop::Barrier && wave.waits_for == kind) [[likely]] {
      wave.stop = Stop::None;
      if (observers) observers->passes(wave.index_in_group, number);
    } else if (wave.stop != Stop::End) {
      wave.passes |= kind;
    }
    if (!number) wave.signalled = false;
  }
}

}  // namespace

std::uint32_t members(const Workgroup& group, unsigned number) {
  return number ? group.barriers[number].members : group.running;
}

void signal_barrier(Wave& wave, const Op* op, unsigned number) {
  if (wave.observers)
    wave.observers->signals(wave.index_in_group,
                            {number, *op->instruction, wave.exec() & wave.full});
  ++wave.group->barriers[number].signals;
  if (!number) wave.signalled = true;
  check_barrier(*wave.group, number);
}

bool may_pass(Wave& wave, const Op* op, std::uint8_t kind) {
  if (wave.observers) wave.observers->comes_to(wave.index_in_group, *op->instruction);
  if (wave.passes & kind) {
    wave.passes = static_cast<std::uint8_t>(wave.passes & ~kind);
    if (wave.observers)
      wave.observers->passes(wave.index_in_group, kind == Barrier::named ? wave.joined : 0);
    return true;
  }
  wave.waits_for = kind;
  return false;
}

void leave_barrier(Wave& wave) {
  const unsigned number = wave.joined;
  if (!number) return;
  wave.joined = 0;
  Barrier& barrier = wave.group->barriers[number];
  if (barrier.members) --barrier.members;
  check_barrier(*wave.group, number);
}

void end_wave(Wave& wave) {
  Workgroup& group = *wave.group;
  if (wave.observers) wave.observers->wave_ends(wave.index_in_group);
  --group.running;
  if (wave.signalled) --group.barriers[0].signals;
  check_barrier(group, 0);
}

bool use_semaphore(Wave& wave, SemaphoreOperation operation, unsigned number, std::uint32_t value) {
  const Launch& launch = *wave.group->launch;
  if (launch.dispatch->observed_only) return true;  // others, which do not run, would be waited for
  GlobalSemaphores& semaphores = *launch.semaphores;
  const std::lock_guard lock(semaphores.mutex);
  GlobalSemaphore& semaphore = semaphores.all[number % GlobalSemaphores::number];
  if (wave.semaphore_ticket) {
    if (!semaphores.has_called(wave.semaphore_ticket)) return false;
    wave.semaphore_ticket = 0;
    return true;
  }
  ++semaphores.changes;
  semaphores.stuck = 0;
  const auto queue = [&] {
    wave.semaphore_ticket =
        GlobalSemaphores::ticket(number % GlobalSemaphores::number, ++semaphore.last_ticket);
  };
  const auto signal = [&] {
    if (semaphore.called < semaphore.last_ticket)
      ++semaphore.called;
    else
      ++semaphore.count;
  };
  const auto wait = [&] {
    const bool passes = semaphore.count > 0;
    if (passes)
      --semaphore.count;
    else
      queue();
    return passes;
  };
  switch (operation) {
    case SemaphoreOperation::Init:
      semaphore.count = value;
      return true;
    case SemaphoreOperation::Signal:
      signal();
      return true;
    case SemaphoreOperation::SignalMany:
      for (std::uint32_t i = 0; i < value; ++i) signal();
      return true;
    case SemaphoreOperation::ReleaseAll:
      semaphore.called = semaphore.last_ticket;
      return true;
    case SemaphoreOperation::Wait:
      return wait();
    case SemaphoreOperation::Barrier:
      // The count is how many waves are still to come behind this one.
      if (semaphore.count == 0) {
        semaphore.called = semaphore.last_ticket;
        semaphore.count = value;
        return true;
      }
      --semaphore.count;
      queue();
      return false;
  }
  return true;
}

std::uint64_t stuck_workgroups(const Workgroup& group, std::uint64_t& seen) {
  GlobalSemaphores& semaphores = *group.launch->semaphores;
  const std::lock_guard lock(semaphores.mutex);
  for (std::uint32_t i = 0; i < group.started; ++i) {
    const Wave& wave = *group.waves[i];
    const bool waits = wave.stop == Stop::Barrier ||
                       (wave.semaphore_ticket && !semaphores.has_called(wave.semaphore_ticket));
    if (wave.stop != Stop::End && !waits) return 0;
  }
  if (seen != semaphores.changes) ++semaphores.stuck;
  seen = semaphores.changes;
  return semaphores.stuck;
}

}  // namespace hipsight::engine
