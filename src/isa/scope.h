#pragma once

#include <cstdint>

#include "isa/instruction.h"

namespace hipsight::isa {

/// Who is meant to see what an instruction does to memory, from the narrowest on.
enum class Scope : std::uint8_t { Wave, Workgroup, Agent, System };

/// The widest scope that an access to memory is coherent for, as its cache policy says: what LLVM
/// makes atomics of (AMDGPUUsage, "Memory Model gfx90a", "gfx942", "gfx10-gfx11" and "gfx12").
/// Where one encoding stands for several scopes, the widest of them. LDS: the workgroup's.
Scope scope_of(const Instruction& instruction);

/// Whether stores say their scope. On gfx90a and gfx11 an atomic store to an agent looks as a plain
/// one does.
bool stores_say_scope(Gfx gfx);

/// What an instruction that orders memory does to caches.
struct CacheWork {
  bool writes_back = false;  ///< what was written before is seen by the scope: a release
  bool invalidates = false;  ///< what is read afterwards is what the scope wrote: an acquire
  Scope scope = Scope::Wave;
  bool scalar = false;  ///< of the scalar caches
};
/// Nothing, for what is no such instruction (Kind::Cache), or only a hint.
CacheWork cache_work(const Instruction& instruction);

}  // namespace hipsight::isa
