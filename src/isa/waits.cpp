#include "isa/waits.h"

namespace hipsight::isa {
namespace {

constexpr std::size_t index(Counter counter) {
  return static_cast<std::size_t>(counter);
}
/// A field that holds its greatest value does not wait.
std::optional<std::uint8_t> field(std::uint32_t bits, unsigned shift, unsigned width) {
  const auto most = (1u << width) - 1, value = bits >> shift & most;
  return value == most ? std::nullopt : std::optional(static_cast<std::uint8_t>(value));
}

}  // namespace

Wait wait_of(const Instruction& in) {
  Wait wait;
  if (in.row->field != Field::Counters) return wait;
  const std::uint32_t bits = in.imm.counters();
  const auto set = [&](Counter counter, unsigned shift, unsigned width) {
    wait[index(counter)] = field(bits, shift, width);
  };
  switch (in.row->opcode) {
    case Opcode::S_WAITCNT:
      if (is_rdna(in.gfx)) {
        set(Counter::Load, 10, 6);
        set(Counter::Lds, 4, 6);
      } else {
        // vmcnt is split: bits 3:0 and 15:14.
        wait[index(Counter::Load)] = field((bits & 15) | (bits >> 14 & 3) << 4, 0, 6);
        set(Counter::Lds, 8, 4);
      }
      break;
    case Opcode::S_WAITCNT_VSCNT:
    case Opcode::S_WAIT_STORECNT:
      set(Counter::Store, 0, 6);
      break;
    case Opcode::S_WAITCNT_VMCNT:
    case Opcode::S_WAIT_LOADCNT:
      set(Counter::Load, 0, 6);
      break;
    case Opcode::S_WAITCNT_LGKMCNT:
    case Opcode::S_WAIT_DSCNT:
      set(Counter::Lds, 0, 6);
      break;
    case Opcode::S_WAIT_KMCNT:
      set(Counter::Scalar, 0, 5);
      break;
    case Opcode::S_WAIT_LOADCNT_DSCNT:
      set(Counter::Load, 8, 6);
      set(Counter::Lds, 0, 6);
      break;
    case Opcode::S_WAIT_STORECNT_DSCNT:
      set(Counter::Store, 8, 6);
      set(Counter::Lds, 0, 6);
      break;
    default:  // counters of exports and images
      break;
  }
  return wait;
}

Counter counter_of(Gfx gfx, Counter kind) {
  if (kind == Counter::Store && !is_rdna(gfx)) return Counter::Load;
  if (kind == Counter::Scalar && gfx != Gfx::Gfx12) return Counter::Lds;
  return kind;
}

}  // namespace hipsight::isa
