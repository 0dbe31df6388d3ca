#include "timing/waits.h"

namespace hipsight::timing {
namespace {

constexpr std::size_t index(Counter counter) {
  return static_cast<std::size_t>(counter);
}
/// A field that holds its greatest value does not wait.
std::optional<std::uint8_t> field(std::int32_t imm, unsigned shift, unsigned bits) {
  const auto most = (1u << bits) - 1, value = static_cast<unsigned>(imm) >> shift & most;
  return value == most ? std::nullopt : std::optional(static_cast<std::uint8_t>(value));
}

}  // namespace

Wait wait_of(const isa::Instruction& in) {
  Wait wait;
  const auto set = [&](Counter counter, unsigned shift, unsigned bits) {
    wait[index(counter)] = field(in.imm, shift, bits);
  };
  if (in.name == "S_WAITCNT") {
    if (in.gfx < isa::Gfx::Gfx11) {
      // vmcnt is split: bits 3:0 and 15:14.
      const std::int32_t vm = (in.imm & 15) | (in.imm >> 14 & 3) << 4;
      wait[index(Counter::Load)] = field(vm, 0, 6);
      set(Counter::Lds, 8, 4);
    } else {
      set(Counter::Load, 10, 6);
      set(Counter::Lds, 4, 6);
    }
  } else if (in.name == "S_WAITCNT_VSCNT" || in.name == "S_WAIT_STORECNT") {
    set(Counter::Store, 0, 6);
  } else if (in.name == "S_WAITCNT_VMCNT" || in.name == "S_WAIT_LOADCNT") {
    set(Counter::Load, 0, 6);
  } else if (in.name == "S_WAITCNT_LGKMCNT" || in.name == "S_WAIT_DSCNT") {
    set(Counter::Lds, 0, 6);
  } else if (in.name == "S_WAIT_KMCNT") {
    set(Counter::Scalar, 0, 5);
  } else if (in.name == "S_WAIT_LOADCNT_DSCNT" || in.name == "S_WAIT_STORECNT_DSCNT") {
    set(in.name == "S_WAIT_LOADCNT_DSCNT" ? Counter::Load : Counter::Store, 8, 6);
    set(Counter::Lds, 0, 6);
  }
  return wait;
}

Counter counter_of(isa::Gfx gfx, Counter kind) {
  if (kind == Counter::Store && gfx < isa::Gfx::Gfx11) return Counter::Load;
  if (kind == Counter::Scalar && gfx < isa::Gfx::Gfx12) return Counter::Lds;
  return kind;
}

}  // namespace hipsight::timing
