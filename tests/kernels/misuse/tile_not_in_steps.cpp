// OperandTile: the lines do not fit the lines of this GPU's matrix step
#include "hipsight/kernels/tile/register_tile.h"
using namespace hipsight::kernels;
#ifdef MISUSE
constexpr int lines = 6;
#else
constexpr int lines = 8;
#endif
OperandTile<f16, Operand::a, lines> tile;
