// attention_backward: dQ, dK and dV must have elements and heads like Q's, not const
#include "hipsight/kernels/attention_backward/problem.h"
using namespace hipsight::kernels;
#ifdef MISUSE
using OfValues = bf16;
#else
using OfValues = f16;
#endif
auto problem(Sequences<const f16, 64> x, Sequences<f16, 64> d, Sequences<OfValues, 64> d_v) {
  return attention_backward_problem(x, x, x, x, x, d, d, d_v, {});
}
