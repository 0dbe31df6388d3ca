// OperandTile: the shared tile's elements are of another type
#include "hipsight/kernels/tile/register_tile.h"
using namespace hipsight::kernels;
#ifdef MISUSE
using Element = bf16;
#else
using Element = f16;
#endif
void load(const SharedTile<Element, 64, 64, Swizzle{}>& shared) {
  OperandTile<f16, Operand::a, 8> tile;
  tile.load(shared, 0, 0);
}
