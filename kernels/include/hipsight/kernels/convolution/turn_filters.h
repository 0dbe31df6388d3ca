// Filters whose channels and filters have changed places: what the gradient of images is multiplied
// by.
#pragma once

#include <cstdint>

#include "../arch/current.h"

namespace hipsight::kernels {

/// Of each group, out[channel][tap][filter] = in[filter][tap][channel]. A workgroup takes a tile of
/// one tap's matrix through shared memory, so that reads and writes are of neighbours.
template <class Value>
struct TurnFilters {
  const Value* in;
  Value* out;
  int filters, taps, channels, groups;  // filters and channels: of a group

  static constexpr int side = 64;
  static constexpr int threads_on_gpu = 256;
  static constexpr int threads = arch::current == Architecture::host ? 1 : threads_on_gpu;
  struct Shared {
    Value tile[side][side + 2];  // lines begin in banks of their own
  };

  HIPSIGHT_INLINE int across() const { return ceil_div(channels, side); }
  std::int64_t workgroups() const {
    return std::int64_t{groups} * taps * ceil_div(filters, side) * across();
  }

  HIPSIGHT_INLINE void run(int workgroup, Shared& shared) const {
    const int first_channel = workgroup % across() * side;
    workgroup /= across();
    const int down = ceil_div(filters, side), first_filter = workgroup % down * side;
    workgroup /= down;
    const int tap = workgroup % taps, group = workgroup / taps;
    const std::int64_t of_group = std::int64_t{group} * filters * channels;
    for (int i = arch::thread(); i < side * side; i += threads) {
      const int filter = first_filter + i / side, channel = first_channel + i % side;
      if (filter < filters && channel < channels)
        shared.tile[i / side][i % side] =
            in[of_group * taps + (std::int64_t{filter} * taps + tap) * channels + channel];
    }
    arch::barrier();
    for (int i = arch::thread(); i < side * side; i += threads) {
      const int filter = first_filter + i % side, channel = first_channel + i / side;
      if (filter < filters && channel < channels)
        out[of_group * taps + (std::int64_t{channel} * taps + tap) * filters + filter] =
            shared.tile[i % side][i / side];
    }
  }
};

}  // namespace hipsight::kernels
