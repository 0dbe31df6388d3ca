#pragma once

#include <cstddef>

namespace hipsight::runtime {

/// Forgets what programs said of earlier managed memory in this range.
void forget_advice(const void* pointer, std::size_t size);

}  // namespace hipsight::runtime
