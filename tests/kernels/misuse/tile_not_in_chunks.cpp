// SharedTile: a line is made of chunks of 16 bytes
#include "hipsight/kernels/tile/shared_tile.h"
using namespace hipsight::kernels;
#ifdef MISUSE
constexpr int depth = 12;
#else
constexpr int depth = 16;
#endif
SharedTile<f16, 32, depth, Swizzle{}> tile;
