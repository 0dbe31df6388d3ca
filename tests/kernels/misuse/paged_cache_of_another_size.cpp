// paged_attention: the heads of Q, O and the cache must have the same size
#include "hipsight/kernels/paged_attention/problem.h"
using namespace hipsight::kernels;
#ifdef MISUSE
constexpr int size = 64;
#else
constexpr int size = 128;
#endif
auto problem(Sequences<const f16, size> q, PagedCache<f16, 128> cache, Sequences<f16, 128> o) {
  return paged_attention_problem(q, cache, o, {});
}
