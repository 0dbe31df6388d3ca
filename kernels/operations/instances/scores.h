// What becomes of scores, as kernels take it: -DCAPPED, -DSUNK.
#pragma once

#include "hipsight/kernels/attention/band.h"
#include "hipsight/kernels/attention/scores.h"
#include "tensors.h"

namespace hipsight::kernels {

inline Band band_of(const hipsight_attention_options* options) {
  if (options->window > 0) return Band::window(options->window);
  return options->causal ? Band::causal() : Band{};
}

/// run(what the instance is compiled for)
template <class Run>
auto with_changes([[maybe_unused]] const hipsight_tensor* sinks,
                  [[maybe_unused]] const hipsight_attention_options* options, Run run) {
#if defined(CAPPED) && defined(SUNK)
  return run(SoftCap{options->soft_cap}, Sinks{data_of<const float>(sinks)});
#elif defined(CAPPED)
  return run(SoftCap{options->soft_cap});
#elif defined(SUNK)
  return run(Sinks{data_of<const float>(sinks)});
#else
  return run();
#endif
}

}  // namespace hipsight::kernels
