// All sizes of heads.
#include "attention_instances.h"

using namespace hipsight::kernels;

std::string run_attention_f16(const AttentionCase& test, const void* q, const void* k,
                              const void* v, void* o, float* log_sums) {
  return run_one_of<f16, 64, 96, 128, 192, 256>(test, q, k, v, o, log_sums);
}
