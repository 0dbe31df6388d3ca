#pragma once
// The parts of one host instruction set's code.

#include "engine/level/operands.h"
#include "engine/level/table.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

/// Runs a wave until it stops.
void run(Wave& wave);

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

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
