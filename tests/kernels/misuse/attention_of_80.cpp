// attention: the size of a head must be a multiple of 32, up to 256
#include "hipsight/kernels/attention/problem.h"
using namespace hipsight::kernels;
#ifdef MISUSE
constexpr int head = 80;
#else
constexpr int head = 96;
#endif
auto problem(Sequences<const f16, head> qkv, Sequences<f16, head> o) {
  return attention_problem(qkv, qkv, qkv, o, {});
}
