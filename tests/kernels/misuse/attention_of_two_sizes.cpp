// attention: the heads of Q, K, V and O must have the same size
#include "hipsight/kernels/attention/problem.h"
using namespace hipsight::kernels;
#ifdef MISUSE
constexpr int values = 64;
#else
constexpr int values = 128;
#endif
auto problem(Sequences<const f16, 128> q, Sequences<const f16, 128> k,
             Sequences<const f16, values> v, Sequences<f16, 128> o) {
  return attention_problem(q, k, v, o, {});
}
