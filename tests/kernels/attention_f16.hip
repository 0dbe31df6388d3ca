// All sizes of heads.
#include "attention_instances.h"
#include "every_instance.h"

using namespace hipsight::kernels;

std::string run_attention_f16(const AttentionCase& test, const void* q, const void* k,
                              const void* v, void* o, float* log_sums) {
  return run_one_of<f16>(AllHeads(), test, q, k, v, o, log_sums);
}
