// paged_attention: the cache must have elements of Q's type, or of fp8_e4m3 or fp8_e4m3_fnuz
#include "hipsight/kernels/paged_attention/problem.h"
using namespace hipsight::kernels;
#ifdef MISUSE
using Cached = bf16;
#else
using Cached = fp8_e4m3;
#endif
auto problem(Sequences<const f16, 128> q, PagedCache<Cached, 128> cache, Sequences<f16, 128> o) {
  return paged_attention_problem(q, cache, o, {});
}
