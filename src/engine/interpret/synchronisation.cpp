// Barriers, and semaphores of the GPU (GWS).

#include "engine/interpret/interpret.h"
#include "engine/launch/workgroup.h"
#include "isa/instruction.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {
namespace {

const Op* pass(Wave& w, const Op* op, std::uint8_t kind) {
  return may_pass(w, op, kind) ? op + 1 : stop(w, Stop::Barrier, op + 1);
}

[[gnu::noinline]] const Op* complete_barrier(Wave& w, const Op* op) {
  signal_barrier(w, op, 0);
  return pass(w, op, Barrier::workgroup);
}
const Op* barrier(Wave& w, const Op* op) {
  Workgroup& group = *w.group;
  const std::uint32_t signals = group.barriers[0].signals + 1;
  if (signals >= group.running || w.passes & Barrier::workgroup || w.observers) [[unlikely]]
    [[clang::musttail]] return complete_barrier(w, op);
  // As nearly always: others are still to come.
  group.barriers[0].signals = signals;
  w.signalled = true;
  w.waits_for = Barrier::workgroup;
  return stop(w, Stop::Barrier, op + 1);
}

/// Lets the other waves come as far: to such a place of theirs, a barrier, or their end. A wave
/// that is alone on its way goes on.
const Op* wait_for_others(Wave& w, const Op* op) {
  const Workgroup& group = *w.group;
  if (group.barriers[0].signals - w.signalled + 1 >= group.running) return op + 1;
  return --w.budget > 0 ? stop(w, Stop::Others, op + 1) : stop(w, Stop::Yield, op);
}
/// The same where the first lane's address, as FLAT has it, lies in LDS.
const Op* wait_if_lds(Wave& w, const Op* op) {
  const std::uint64_t on = w.exec() & w.full;
  if (!on) return op + 1;
  std::uint32_t high;
  std::memcpy(&high,
              w.bytes() + op->src[0] + w.register_bytes +
                  static_cast<unsigned>(__builtin_ctzll(on)) * sizeof high,
              sizeof high);
  return high == aperture::shared_base >> 32 ? wait_for_others(w, op) : op + 1;
}

// --- GFX12: signal and wait apart, and barriers that waves join by number -----------------------

constexpr int own = -1, none = 0;

/// The barrier that an operand names: M0's, or a constant; -1 is the workgroup's own. Barrier 0 is
/// none, and the one of trap handlers (-2) is out of a kernel's reach.
int barrier_number(const Wave& w, const Op* op) {
  const isa::Operand& operand = op->instruction->src[0];
  if (operand.where == isa::Where::Sgpr) return static_cast<int>(w.scalar[reg::m0_rdna] & 31);
  const int number = static_cast<int>(operand.value);
  return number == own || (number > 0 && number < static_cast<int>(Barrier::numbers)) ? number
                                                                                      : none;
}
unsigned index_of(int number) {
  return number == own ? 0 : static_cast<unsigned>(number);
}

const Op* barrier_signal(Wave& w, const Op* op) {
  const int number = barrier_number(w, op);
  if (number != none) signal_barrier(w, op, index_of(number));
  return op + 1;
}
/// SCC: no other wave has signalled since the barrier was last complete.
const Op* barrier_signal_is_first(Wave& w, const Op* op) {
  const int number = barrier_number(w, op);
  w.scc = number != none && w.group->barriers[index_of(number)].signals == 0;
  if (number != none) signal_barrier(w, op, index_of(number));
  return op + 1;
}
const Op* barrier_wait(Wave& w, const Op* op) {
  const std::int32_t which = op->instruction->imm.number();
  if (which == own) return pass(w, op, Barrier::workgroup);
  return which < own || !w.joined ? op + 1 : pass(w, op, Barrier::named);
}
/// M0[22:16]: how many waves are to join.
const Op* barrier_init(Wave& w, const Op* op) {
  const int number = barrier_number(w, op);
  if (number > none)
    w.group->barriers[index_of(number)] = {.signals = 0,
                                           .members = w.scalar[reg::m0_rdna] >> 16 & 127};
  return op + 1;
}
const Op* barrier_join(Wave& w, const Op* op) {
  const int number = barrier_number(w, op);
  w.joined = static_cast<std::uint8_t>(number > none ? number : 0);
  w.passes = static_cast<std::uint8_t>(w.passes & ~Barrier::named);
  return op + 1;
}
const Op* barrier_leave(Wave& w, const Op* op) {
  leave_barrier(w);
  return op + 1;
}
/// Bit 0: valid; 10:4: members; 22:16: signals.
const Op* barrier_state(Wave& w, const Op* op) {
  const int number = barrier_number(w, op);
  std::uint32_t state = 0;
  if (number != none) {
    const std::uint32_t in_it = members(*w.group, index_of(number));
    const std::uint32_t signals = w.group->barriers[index_of(number)].signals;
    state = (signals & 127) << 16 | (in_it & 127) << 4 | (in_it ? 1 : 0);
  }
  std::memcpy(w.bytes() + op->dst, &state, sizeof state);
  return op + 1;
}

// --- GWS ----------------------------------------------------------------------------------------

/// The semaphore is M0[21:16] plus the offset; its value that of the first lane that is on.
template <SemaphoreOperation operation>
const Op* semaphore(Wave& w, const Op* op) {
  const unsigned m0 = isa::is_rdna(op->instruction->gfx) ? reg::m0_rdna : reg::m0_cdna;
  const unsigned number = (w.scalar[m0] >> 16 & 63) + static_cast<unsigned>(op->imm);
  const std::uint64_t on = w.exec() & w.full;
  const unsigned lane = on ? static_cast<unsigned>(__builtin_ctzll(on)) : 0;
  std::uint32_t value;
  std::memcpy(&value, w.bytes() + op->src[0] + lane * 4, sizeof value);
  return use_semaphore(w, operation, number, value) ? op + 1 : stop(w, Stop::Yield, op);
}

}  // namespace

void add_synchronisation(Table& table) {
  const auto add = [&](std::string_view name, Run run) { table.add(name, {run, run}); };
  add("wait for waves", wait_for_others);
  add("wait for waves if LDS", wait_if_lds);
  add("S_BARRIER", barrier);
  add("S_BARRIER_SIGNAL", barrier_signal);
  add("S_BARRIER_SIGNAL_ISFIRST", barrier_signal_is_first);
  add("S_BARRIER_WAIT", barrier_wait);
  add("S_BARRIER_INIT", barrier_init);
  add("S_BARRIER_JOIN", barrier_join);
  add("S_BARRIER_LEAVE", barrier_leave);
  add("S_GET_BARRIER_STATE", barrier_state);
  add("DS_GWS_INIT", semaphore<SemaphoreOperation::Init>);
  add("DS_GWS_SEMA_V", semaphore<SemaphoreOperation::Signal>);
  add("DS_GWS_SEMA_BR", semaphore<SemaphoreOperation::SignalMany>);
  add("DS_GWS_SEMA_P", semaphore<SemaphoreOperation::Wait>);
  add("DS_GWS_SEMA_RELEASE_ALL", semaphore<SemaphoreOperation::ReleaseAll>);
  add("DS_GWS_BARRIER", semaphore<SemaphoreOperation::Barrier>);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
