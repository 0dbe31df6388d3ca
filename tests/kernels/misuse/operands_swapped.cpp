// multiply: the first operand must be an A, the second one a B
#include "hipsight/kernels/tile/register_tile.h"
using namespace hipsight::kernels;
void step(const OperandTile<f16, Operand::a, 8>& a, const OperandTile<f16, Operand::b, 8>& b,
          Accumulator<f16, 8, 8>& sum) {
#ifdef MISUSE
  multiply(b, a, sum);
#else
  multiply(a, b, sum);
#endif
}
