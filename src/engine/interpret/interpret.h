#pragma once
// The parts of one host instruction set's code.

#include "engine/interpret/operands.h"
#include "engine/interpret/table.h"
#include "engine/launch/workgroup.h"
#include "isa/instruction.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

/// copy_waves and run_waves.
void copy(Wave* const* waves, std::uint32_t count, const Wave& start, unsigned scalars,
          const std::uint32_t* work_items);
Turn run(Wave* const* waves, std::uint32_t count, std::int64_t budget, unsigned& csr);

/// Ends a call of run(): what an op that stops its wave gives.
inline const Op* stop(Wave& w, Stop why, const Op* resume) {
  w.stop = why;
  w.resume = resume;
  return nullptr;
}

inline std::uint32_t m0(const Wave& w, const Op* op) {
  return w.scalar[isa::is_rdna(op->instruction->gfx) ? reg::m0_rdna : reg::m0_cdna];
}

void add_control(Table& table);
void add_cross_lane(Table& table);
void add_scalar_memory(Table& table);
void add_vector_memory(Table& table);
void add_lds(Table& table);
void add_matrix(Table& table);
void add_exact_matrix(Table& table);
void add_sparse_matrix(Table& table);
void add_scaled_matrix(Table& table);
void add_wide_conversions(Table& table);
void add_synchronisation(Table& table);
/// The entries of src/isa/entries, in several translation units.
void add_all_entries(Table& table);

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
