// attention_backward: the size of a head must be a multiple of 32, up to 128
#include "hipsight/kernels/attention_backward/problem.h"
using namespace hipsight::kernels;
#ifdef MISUSE
constexpr int head = 160;
#else
constexpr int head = 96;
#endif
auto problem(Sequences<const f16, head> x, Sequences<f16, head> d) {
  return attention_backward_problem(x, x, x, x, x, d, d, d, {});
}
