// attention: the elements must be f16 or bf16
#include "hipsight/kernels/attention/problem.h"
using namespace hipsight::kernels;
#ifdef MISUSE
using T = float;
#else
using T = f16;
#endif
auto problem(Sequences<const T, 128> q, Sequences<const T, 128> k, Sequences<const T, 128> v,
             Sequences<T, 128> o) {
  return attention_problem(q, k, v, o, {});
}
