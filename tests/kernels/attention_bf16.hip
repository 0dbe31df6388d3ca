// The size of most models' heads.
#include "attention_instances.h"
#include "every_instance.h"

using namespace hipsight::kernels;

std::string run_attention_bf16(const AttentionCase& test, const void* q, const void* k,
                               const void* v, void* o, float* log_sums) {
  const auto values = [](const void* data) { return static_cast<const bf16*>(data); };
  if (test.cap != 0) {
    if (test.head != 128) return "no such kernel here";
    const auto run = [&](const auto&... asked) {
      return run_attention<128>(test, values(q), values(k), values(v), static_cast<bf16*>(o),
                                log_sums, asked...);
    };
    return test.sinks ? run(SoftCap{test.cap}, Sinks{test.sinks}) : run(SoftCap{test.cap});
  }
  if (test.sinks) return "no such kernel here";
  if (test.head == 192 && test.value_head == 128)  // a prompt of latent attention
    return run_attention<192, 128>(test, values(q), values(k), values(v), static_cast<bf16*>(o),
                                   log_sums);
  return run_one_of<bf16>(EveryHeadOr<128>(), test, q, k, v, o, log_sums);
}
