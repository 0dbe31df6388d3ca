// rope: the values must be of f32, f16 or bf16, the output's not const
#include "hipsight/kernels/rows/problem.h"
using namespace hipsight::kernels;
#ifdef MISUSE
using T = fp8_e4m3;
#else
using T = f16;
#endif
auto problem(Heads<T> x, RowMajor<float> table) {
  return rope_problem<Pairing::halves>(x, x, table, table, nullptr);
}
