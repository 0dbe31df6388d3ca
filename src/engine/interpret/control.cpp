// Control flow, EXEC and messages: what SOPP and the EXEC-writing scalar instructions do.

#include <immintrin.h>
#include <time.h>

#include <utility>

#include "engine/interpret/interpret.h"
#include "engine/launch/workgroup.h"
#include "engine/watch/observe.h"
#include "isa/instruction.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {
namespace {

// --- regions and branches ---------------------------------------------------------------------

const Op* begin_region(Wave& w, const Op* op) {
  RegionCount& count = w.counts[op->counter];
  ++count.executions;
  count.lanes += static_cast<unsigned>(__builtin_popcountll(w.exec()));
  if (w.observers) [[unlikely]]
    observe_region(w, op);
  return op + 1;
}

/// Backward branches use up the wave's budget, so that a wave that spins lets others run.
const Op* take(Wave& w, const Op* op) {
  if (op->flags & flag::backward && --w.budget <= 0) return stop(w, Stop::Yield, op->target);
  return op->target;
}
template <class Condition>
const Op* branch_if(Wave& w, const Op* op) {
  return Condition{}(w) ? take(w, op) : op + 1;
}
struct Always {
  bool operator()(const Wave&) const { return true; }
};
struct Scc0 {
  bool operator()(const Wave& w) const { return w.scc == 0; }
};
struct Scc1 {
  bool operator()(const Wave& w) const { return w.scc != 0; }
};
std::uint64_t lane_bits(const Wave& w, unsigned index) {
  return w.pair(index) & w.full;
}
struct Vccz {
  bool operator()(const Wave& w) const { return lane_bits(w, reg::vcc) == 0; }
};
struct Vccnz {
  bool operator()(const Wave& w) const { return lane_bits(w, reg::vcc) != 0; }
};
struct Execz {
  bool operator()(const Wave& w) const { return lane_bits(w, reg::exec) == 0; }
};
struct Execnz {
  bool operator()(const Wave& w) const { return lane_bits(w, reg::exec) != 0; }
};

std::uint64_t wide_source(Wave& w, const Op* op, int i) {
  std::uint64_t value;
  std::memcpy(&value, source(w, op, i), sizeof value);
  return value;
}
void write_pair(Wave& w, const Op* op, std::uint64_t value) {
  std::memcpy(w.bytes() + op->dst, &value, sizeof value);
}
std::uint64_t next_address(const Wave& w, const Op* op) {
  return device_address(w, op) + op->instruction->size;
}
const Op* get_pc(Wave& w, const Op* op) {
  write_pair(w, op, next_address(w, op));
  return op + 1;
}
const Op* jump_counted(Wave& w, const Op* op, std::uint64_t target) {
  const Op* to = jump(w, op, target);
  if (--w.budget <= 0) return stop(w, Stop::Yield, to);
  return to;
}
const Op* set_pc(Wave& w, const Op* op) {
  return jump_counted(w, op, wide_source(w, op, 0));
}
const Op* swap_pc(Wave& w, const Op* op) {
  const std::uint64_t target = wide_source(w, op, 0);
  write_pair(w, op, next_address(w, op));
  return jump_counted(w, op, target);
}
const Op* call(Wave& w, const Op* op) {
  write_pair(w, op, next_address(w, op));
  return jump_counted(
      w, op, next_address(w, op) + static_cast<std::uint64_t>(op->instruction->imm.distance()));
}

// --- paths that take turns ----------------------------------------------------------------------

/// MODE[31:29]: the depth of the stack of paths, which lie in s[0:3], s[4:7] and so on: EXEC and
/// the address.
constexpr unsigned depth_shift = 29;
void set_depth(Wave& w, unsigned depth) {
  w.mode = (w.mode & ~(7u << depth_shift)) | (depth & 7) << depth_shift;
}

/// Lanes in `mask` go to the target, the others on: the fewer first, while the others wait.
const Op* fork(Wave& w, const Op* op, std::uint64_t mask, std::uint64_t target) {
  const std::uint64_t exec = w.exec(), pass = mask & exec, fail = ~mask & exec;
  if (pass == exec) return jump_counted(w, op, target);
  if (fail == exec) return op + 1;
  const bool fail_first = __builtin_popcountll(fail) < __builtin_popcountll(pass);
  const unsigned depth = w.mode >> depth_shift;
  w.set_pair(depth * 4, fail_first ? pass : fail);
  w.set_pair(depth * 4 + 2, fail_first ? target : next_address(w, op));
  set_depth(w, depth + 1);
  w.set_pair(reg::exec, fail_first ? fail : pass);
  return fail_first ? op + 1 : jump_counted(w, op, target);
}
const Op* fork_to_register(Wave& w, const Op* op) {
  return fork(w, op, wide_source(w, op, 0), wide_source(w, op, 1));
}
const Op* fork_to_constant(Wave& w, const Op* op) {
  std::uint64_t mask;
  std::memcpy(&mask, w.bytes() + op->dst, sizeof mask);
  return fork(w, op, mask,
              next_address(w, op) + static_cast<std::uint64_t>(op->instruction->imm.distance()));
}
/// Back to the path that waits, unless the stack is as deep as before the fork.
const Op* join(Wave& w, const Op* op) {
  const auto before = static_cast<std::uint32_t>(wide_source(w, op, 0));
  const unsigned depth = w.mode >> depth_shift;
  if (depth == before) return op + 1;
  const unsigned top = (depth - 1) & 7;
  set_depth(w, top);
  w.set_pair(reg::exec, w.pair(top * 4));
  return jump_counted(w, op, w.pair(top * 4 + 2));
}

/// Wave64's halves one after the other; a register keeps EXEC of the half that waits.
const Op* begin_halves(Wave& w, const Op* op) {
  std::uint32_t &low = w.scalar[reg::exec], &high = w.scalar[reg::exec + 1];
  if (!low && !high) return take(w, op);
  const std::uint32_t waits = low ? high : low;
  std::memcpy(w.bytes() + op->dst, &waits, sizeof waits);
  if (low) high = 0;
  return op + 1;
}
const Op* end_halves(Wave& w, const Op* op) {
  std::uint32_t &low = w.scalar[reg::exec], &high = w.scalar[reg::exec + 1];
  std::uint32_t waits;
  std::memcpy(&waits, w.bytes() + op->dst, sizeof waits);
  if (high) {
    low = waits;
  } else if (waits) {
    high = waits;
    std::memcpy(w.bytes() + op->dst, &low, sizeof low);
    low = 0;
    return take(w, op);
  }
  return op + 1;
}

/// VSKIP: goes on in code in which vector instructions do nothing, or back.
const Op* set_vector_skip(Wave& w, const Op* op) {
  std::uint32_t bits, index;
  std::memcpy(&bits, source(w, op, 0), sizeof bits);
  std::memcpy(&index, source(w, op, 1), sizeof index);
  w.skips_vectors = bits >> (index & 31) & 1;
  return jump(w, op, next_address(w, op));
}

// --- waits and messages -------------------------------------------------------------------------

const Op* nothing(Wave&, const Op* op) {
  return op + 1;
}
const Op* end_program(Wave& w, const Op* op) {
  return stop(w, Stop::End, op);
}
const Op* sleep(Wave& w, const Op* op) {
  return stop(w, Stop::Yield, op + 1);
}
const Op* send_message(Wave& w, const Op* op) {
  ring_doorbell(w, static_cast<std::uint32_t>(op->instruction->imm.number()));
  return op + 1;
}
const Op* trap(Wave& w, const Op* op) {
  report_trap(w, op);
}
const Op* unknown(Wave& w, const Op* op) {
  report_unknown(w, op);
}

// --- EXEC ---------------------------------------------------------------------------------------

template <class Meaning, bool Wide, bool Save, bool NotResult = false>
const Op* exec_op(Wave& w, const Op* op) {
  // dst = EXEC; EXEC = meaning(source, EXEC); SCC = EXEC != 0. s_*_wrexec: dst = the new EXEC.
  const std::uint64_t mask = Wide ? ~0ull : 0xffffffffull;
  std::uint64_t source_value = 0;
  std::memcpy(&source_value, source(w, op, 0), Wide ? 8 : 4);
  const std::uint64_t before = w.exec();
  const std::uint64_t after = Meaning{}(source_value, before) & mask;
  const std::uint64_t result = Save ? before : after;
  std::memcpy(w.bytes() + op->dst, &result, Wide ? 8 : 4);
  std::memcpy(&w.scalar[reg::exec], &after, Wide ? 8 : 4);
  w.scc = after != 0;
  return op + 1;
}
using u64 = std::uint64_t;
struct And {
  u64 operator()(u64 s, u64 e) const { return s & e; }
};
struct Or {
  u64 operator()(u64 s, u64 e) const { return s | e; }
};
struct Xor {
  u64 operator()(u64 s, u64 e) const { return s ^ e; }
};
struct AndNot1 {
  u64 operator()(u64 s, u64 e) const { return s & ~e; }
};  // andn2: S0 & ~EXEC
struct OrNot1 {
  u64 operator()(u64 s, u64 e) const { return s | ~e; }
};  // orn2
struct AndNot0 {
  u64 operator()(u64 s, u64 e) const { return ~s & e; }
};  // andn1
struct OrNot0 {
  u64 operator()(u64 s, u64 e) const { return ~s | e; }
};  // orn1
struct Nand {
  u64 operator()(u64 s, u64 e) const { return ~(s & e); }
};
struct Nor {
  u64 operator()(u64 s, u64 e) const { return ~(s | e); }
};
struct Xnor {
  u64 operator()(u64 s, u64 e) const { return ~(s ^ e); }
};

// --- hardware registers -------------------------------------------------------------------------

constexpr unsigned hwreg_mode = 1;
std::uint32_t mask_of(const isa::HardwareRegister& field) {
  return field.width == 32 ? ~0u : (1u << field.width) - 1;
}
/// RDNA's SHADER_CYCLES, or SHADER_CYCLES_LO and _HI.
constexpr unsigned hwreg_cycles = 29, hwreg_cycles_high = 30;

std::uint32_t value_of(Wave& w, const isa::Instruction& in, unsigned id) {
  if (id == hwreg_mode) return w.mode;
  if (isa::is_rdna(in.gfx) && id == hwreg_cycles) return static_cast<std::uint32_t>(cycle_clock(w));
  if (isa::is_rdna(in.gfx) && id == hwreg_cycles_high)
    return static_cast<std::uint32_t>(cycle_clock(w) >> 32);
  return hardware_register(w, id);
}
const Op* get_register(Wave& w, const Op* op) {
  const isa::HardwareRegister field = op->instruction->imm.hardware_register();
  const std::uint32_t value = value_of(w, *op->instruction, field.id);
  const std::uint32_t part = value >> field.first & mask_of(field);
  std::memcpy(w.bytes() + op->dst, &part, 4);
  return op + 1;
}
void set_field(Wave& w, const Op* op, std::uint32_t value) {
  const isa::HardwareRegister field = op->instruction->imm.hardware_register();
  if (field.id != hwreg_mode) return;  // others have no effect on results
  const std::uint32_t mask = mask_of(field) << field.first;
  w.mode = (w.mode & ~mask) | (value << field.first & mask);
  mode_changed(w);
}
const Op* set_register(Wave& w, const Op* op) {
  // The encoding's destination field is the source here.
  std::uint32_t value;
  std::memcpy(&value, w.bytes() + op->dst, 4);
  set_field(w, op, value);
  return op + 1;
}
const Op* set_register_constant(Wave& w, const Op* op) {
  set_field(w, op, op->instruction->src[0].value);
  return op + 1;
}
const Op* round_mode(Wave& w, const Op* op) {
  w.mode = (w.mode & ~0xfu) | (static_cast<std::uint32_t>(op->instruction->imm.number()) & 0xf);
  mode_changed(w);
  return op + 1;
}
const Op* denormal_mode(Wave& w, const Op* op) {
  w.mode = (w.mode & ~0xf0u) | (static_cast<std::uint32_t>(op->instruction->imm.number()) & 0xf)
                                   << 4;
  mode_changed(w);
  return op + 1;
}

const Op* fence(Wave&, const Op* op) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return op + 1;
}

// --- clocks -------------------------------------------------------------------------------------

const Op* cycle_time(Wave& w, const Op* op) {
  write_pair(w, op, cycle_clock(w));
  return op + 1;
}
const Op* real_time(Wave& w, const Op* op) {
  write_pair(w, op, wall_clock(w));
  return op + 1;
}
/// Messages that are answered: the time is the only one that programs ask for.
template <bool Wide>
const Op* ask_by_message(Wave& w, const Op* op) {
  constexpr std::uint32_t get_realtime = 131;
  if (op->instruction->src[0].value != get_realtime) report_unknown(w, op);
  const std::uint64_t value = wall_clock(w);
  std::memcpy(w.bytes() + op->dst, &value, Wide ? 8 : 4);
  return op + 1;
}

}  // namespace

namespace {

constexpr std::size_t line = 64;

/// Written out: a call of the library's memcpy takes twice as long.
template <std::size_t... I>
void copy_lines(std::byte* to, const std::byte* from, std::index_sequence<I...>) {
  (std::memcpy(to + I * line, from + I * line, line), ...);
}
/// Some members of a wave, whole lines.
template <std::size_t Begin, std::size_t End>
void copy_members(std::byte* to, const std::byte* from) {
  static_assert(Begin % line == 0 && End % line == 0);
  copy_lines(to + Begin, from + Begin, std::make_index_sequence<(End - Begin) / line>());
}

}  // namespace

void copy(Wave* const* waves, std::uint32_t count, const Wave& start, unsigned scalars,
          const std::uint32_t* work_items) {
  const unsigned lanes = start.lanes;
  const auto* const from = reinterpret_cast<const std::byte*>(&start);
  for (; count; --count, ++waves, work_items += lanes) {
    std::byte* const to = (*waves)->bytes();
    for (std::size_t at = 0; at < scalars * sizeof *Wave::scalar; at += line)
      std::memcpy(to + at, from + at, line);
    // TTMP registers, M0 and EXEC. Where writes to NULL go, nobody reads.
    constexpr std::size_t special = 112;
    copy_members<special * sizeof *Wave::scalar, reg::trash * sizeof *Wave::scalar>(to, from);
    copy_members<sizeof Wave::scalar, offsetof(Wave, counts)>(to, from);
    std::byte* const v0 = to + Wave::vector_file_offset();
    const auto* const ids = reinterpret_cast<const std::byte*>(work_items);
    copy_lines(v0, ids, std::make_index_sequence<2>());
    if (lanes == 64) copy_lines(v0 + 2 * line, ids + 2 * line, std::make_index_sequence<2>());
  }
#ifdef __AVX__
  _mm256_zeroupper();
#endif
}

Turn run(Wave* const* waves, std::uint32_t count, std::int64_t budget, unsigned& csr) {
  Turn turn;
  unsigned now = csr;
  for (; count; --count, ++waves) {
    Wave& w = **waves;
    if (w.stop == Stop::End || w.stop == Stop::Barrier) continue;
    if (w.stop != Stop::Others) w.budget = budget;
    w.stop = Stop::None;
    if (now != w.csr_32) _mm_setcsr(w.csr_32);  // which takes longer than to look
    const Op* op = w.resume;
    do op = op->run(w, op);
    while (op);
#ifdef __AVX__
    _mm256_zeroupper();
#endif
    now = w.csr_32;
    turn.add(w.stop);
    if (w.stop == Stop::End) end_wave(w);
  }
  csr = now;
  return turn;
}

void add_control(Table& table) {
  const auto add = [&](std::string_view name, Run run) { table.add(name, {run, run}); };
  add("region", begin_region);
  add("unknown", unknown);
  add("fence", fence);
  add("S_BRANCH", branch_if<Always>);
  add("S_CBRANCH_SCC0", branch_if<Scc0>);
  add("S_CBRANCH_SCC1", branch_if<Scc1>);
  add("S_CBRANCH_VCCZ", branch_if<Vccz>);
  add("S_CBRANCH_VCCNZ", branch_if<Vccnz>);
  add("S_CBRANCH_EXECZ", branch_if<Execz>);
  add("S_CBRANCH_EXECNZ", branch_if<Execnz>);
  add("S_GETPC_B64", get_pc);
  add("S_SETPC_B64", set_pc);
  add("S_SWAPPC_B64", swap_pc);
  add("S_CALL_B64", call);
  add("S_CBRANCH_G_FORK", fork_to_register);
  add("S_CBRANCH_I_FORK", fork_to_constant);
  add("S_CBRANCH_JOIN", join);
  add("S_SUBVECTOR_LOOP_BEGIN", begin_halves);
  add("S_SUBVECTOR_LOOP_END", end_halves);
  add("S_SETVSKIP", set_vector_skip);
  for (const char* name :
       {"S_NOP", "S_WAITCNT", "S_WAITCNT_VSCNT", "S_WAITCNT_VMCNT", "S_WAITCNT_EXPCNT",
        "S_WAITCNT_LGKMCNT", "S_WAITCNT_DEPCTR", "S_WAIT_ALU", "S_WAIT_IDLE", "S_WAIT_EVENT",
        "S_WAIT_LOADCNT", "S_WAIT_STORECNT", "S_WAIT_DSCNT", "S_WAIT_KMCNT", "S_WAIT_SAMPLECNT",
        "S_WAIT_BVHCNT", "S_WAIT_EXPCNT", "S_WAIT_LOADCNT_DSCNT", "S_WAIT_STORECNT_DSCNT",
        "S_DELAY_ALU", "S_CLAUSE", "S_INST_PREFETCH", "S_SET_INST_PREFETCH_DISTANCE", "S_SETPRIO",
        "S_TTRACEDATA", "S_TTRACEDATA_IMM", "S_ICACHE_INV", "S_DCACHE_INV", "S_DCACHE_WB",
        "S_DCACHE_INV_VOL", "S_DCACHE_WB_VOL", "S_GL1_INV", "S_INCPERFLEVEL", "S_DECPERFLEVEL",
        "S_VERSION", "S_CODE_END", "BUFFER_WBL2", "BUFFER_INV", "BUFFER_WBINVL1",
        "BUFFER_WBINVL1_VOL", "BUFFER_INVL2", "BUFFER_GL0_INV", "BUFFER_GL1_INV", "GLOBAL_INV",
        "GLOBAL_WB", "GLOBAL_WBINV", "S_SETKILL", "S_PREFETCH_INST", "S_PREFETCH_DATA",
        "S_PREFETCH_INST_PC_REL", "S_PREFETCH_DATA_PC_REL", "S_BUFFER_PREFETCH_DATA", "S_WAKEUP",
        "V_NOP", "DS_NOP", "V_PIPEFLUSH", "S_SETHALT", "S_SINGLEUSE_VDST", "S_SETPRIO_INC_WG",
        // Hints on caches, traps that no debugger waits for.
        "S_DCACHE_DISCARD", "S_DCACHE_DISCARD_X2", "S_ATC_PROBE", "S_ATC_PROBE_BUFFER",
        "S_CBRANCH_CDBGSYS", "S_CBRANCH_CDBGUSER", "S_CBRANCH_CDBGSYS_OR_USER",
        "S_CBRANCH_CDBGSYS_AND_USER", "V_CLREXCP",
        // Of waves that ask for registers as they go, which HSA cannot start.
        "S_ALLOC_VGPR"})
    add(name, nothing);
  add("S_ENDPGM", end_program);
  add("S_ENDPGM_SAVED", end_program);
  add("S_ENDPGM_ORDERED_PS_DONE", end_program);
  add("S_SLEEP", sleep);
  add("S_SLEEP_VAR", sleep);
  add("S_SENDMSG", send_message);
  add("S_TRAP", trap);
  add("S_GETREG_B32", get_register);
  add("S_SETREG_B32", set_register);
  add("S_SETREG_IMM32_B32", set_register_constant);
  add("S_ROUND_MODE", round_mode);
  add("S_DENORM_MODE", denormal_mode);
  add("S_MEMTIME", cycle_time);
  add("S_MEMREALTIME", real_time);
  add("S_SENDMSG_RTN_B32", ask_by_message<false>);
  add("S_SENDMSG_RTN_B64", ask_by_message<true>);

#define HIPSIGHT_SAVEEXEC(NAME, MEANING)                        \
  add("S_" NAME "_SAVEEXEC_B64", exec_op<MEANING, true, true>); \
  add("S_" NAME "_SAVEEXEC_B32", exec_op<MEANING, false, true>);
  HIPSIGHT_SAVEEXEC("AND", And)
  HIPSIGHT_SAVEEXEC("OR", Or)
  HIPSIGHT_SAVEEXEC("XOR", Xor)
  HIPSIGHT_SAVEEXEC("ANDN2", AndNot1)
  HIPSIGHT_SAVEEXEC("ORN2", OrNot1)
  HIPSIGHT_SAVEEXEC("ANDN1", AndNot0)
  HIPSIGHT_SAVEEXEC("ORN1", OrNot0)
  HIPSIGHT_SAVEEXEC("NAND", Nand)
  HIPSIGHT_SAVEEXEC("NOR", Nor)
  HIPSIGHT_SAVEEXEC("XNOR", Xnor)
#undef HIPSIGHT_SAVEEXEC
  add("S_ANDN1_WREXEC_B64", exec_op<AndNot0, true, false>);
  add("S_ANDN1_WREXEC_B32", exec_op<AndNot0, false, false>);
  add("S_ANDN2_WREXEC_B64", exec_op<AndNot1, true, false>);
  add("S_ANDN2_WREXEC_B32", exec_op<AndNot1, false, false>);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
