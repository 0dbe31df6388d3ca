#include "isa/scope.h"

namespace hipsight::isa {
namespace {

/// GFX12's field: CU, SE, DEV, SYS. A workgroup shares a CU, or in WGP mode what SE says.
Scope scope_field(const Instruction& in) {
  constexpr Scope scopes[]{Scope::Wave, Scope::Workgroup, Scope::Agent, Scope::System};
  return scopes[in.cache & 3];
}
/// gfx942's sc0 and sc1, of loads, stores and cache operations.
Scope scope_bits(const Instruction& in) {
  constexpr unsigned sc0 = 1, sc1 = 4;
  if (in.cache & sc1) return in.cache & sc0 ? Scope::System : Scope::Agent;
  return in.cache & sc0 ? Scope::Workgroup : Scope::Wave;
}
bool has_scope_bits(Gfx gfx) {
  return gfx == Gfx::Gfx942 || gfx == Gfx::Gfx950;
}

}  // namespace

Scope scope_of(const Instruction& in) {
  if (in.format == Format::Ds) return Scope::Workgroup;
  if (in.gfx == Gfx::Gfx12) return scope_field(in);
  const bool vector = in.format >= Format::Flat && in.format <= Format::Mtbuf;
  if (!vector) return Scope::Wave;
  // Atomics are done in the L2; sc1 of gfx942's says system, sc0 that the old value comes back.
  // That of gfx90a and gfx11 is the memory's matter: fine-grained or not.
  if (in.row->memory.atomic()) {
    constexpr unsigned sc1 = 4;
    return has_scope_bits(in.gfx) && !(in.cache & sc1) ? Scope::Agent : Scope::System;
  }
  if (has_scope_bits(in.gfx)) return scope_bits(in);
  return is_coherent(in) ? Scope::System : Scope::Wave;
}

bool stores_say_scope(Gfx gfx) {
  return has_scope_bits(gfx) || gfx == Gfx::Gfx12;
}

CacheWork cache_work(const Instruction& in) {
  const Scope by_bits = in.gfx == Gfx::Gfx12     ? scope_field(in)
                        : has_scope_bits(in.gfx) ? scope_bits(in)
                                                 : Scope::System;
  switch (in.row->opcode) {
    case Opcode::BUFFER_GL0_INV:
      return {.invalidates = true, .scope = Scope::Workgroup};
    case Opcode::BUFFER_GL1_INV:
      return {.invalidates = true, .scope = Scope::Agent};
    case Opcode::BUFFER_WBINVL1:
    case Opcode::BUFFER_WBINVL1_VOL:
      return {.writes_back = true, .invalidates = true, .scope = Scope::Agent};
    case Opcode::BUFFER_INVL2:
    case Opcode::BUFFER_INV:
    case Opcode::GLOBAL_INV:
      return {.invalidates = true, .scope = by_bits};
    case Opcode::BUFFER_WBL2:
    case Opcode::GLOBAL_WB:
      return {.writes_back = true, .scope = by_bits};
    case Opcode::GLOBAL_WBINV:
      return {.writes_back = true, .invalidates = true, .scope = by_bits};
    case Opcode::S_DCACHE_INV:
    case Opcode::S_DCACHE_INV_VOL:
    case Opcode::S_GL1_INV:
      return {.invalidates = true, .scope = Scope::Agent, .scalar = true};
    case Opcode::S_DCACHE_WB:
    case Opcode::S_DCACHE_WB_VOL:
      return {.writes_back = true, .scope = Scope::Agent, .scalar = true};
    default:
      return {};
  }
}

}  // namespace hipsight::isa
