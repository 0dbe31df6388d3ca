// SharedTile: the swizzle moves less than a chunk of 16 bytes
#include "hipsight/kernels/tile/shared_tile.h"
using namespace hipsight::kernels;
#ifdef MISUSE
constexpr int base = 3;
#else
constexpr int base = 4;
#endif
SharedTile<f16, 32, 64, Swizzle{.bits = 3, .base = base, .shift = 3}> tile;
