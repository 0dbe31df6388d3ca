#include "engine/observer.h"

#include <bit>

#include "engine/workgroup.h"

namespace hipsight::engine {

void observe_region(const Wave& w, const Op* op) {
  w.observer->enters(w.index_in_group, op->counter, w.exec() & w.full);
}

void observe_access(const Wave& w, const Op* op, Access::Space space, unsigned bytes,
                    std::uint64_t mask, const std::uint64_t* at) {
  std::uint64_t offsets[64];
  if (space == Access::Space::Lds || space == Access::Space::Scratch) {
    const std::byte* begin = space == Access::Space::Lds ? w.lds : w.group->waves.front()->scratch;
    for (std::uint64_t left = mask; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      offsets[lane] = at[lane] - reinterpret_cast<std::uintptr_t>(begin);
    }
    at = offsets;
  }
  w.observer->accesses(w.index_in_group, *op->instruction, {space, bytes, w.lanes, mask, at});
}

void observe_fill(const Wave& w, const Op* op, unsigned bytes, std::uint64_t mask,
                  std::uint64_t first, unsigned stride) {
  std::uint64_t at[64];
  for (unsigned lane = 0; lane < 64; ++lane) at[lane] = first + lane * stride;
  w.observer->fills_lds(w.index_in_group, *op->instruction,
                        {Access::Space::Lds, bytes, w.lanes, mask, at});
}

}  // namespace hipsight::engine
