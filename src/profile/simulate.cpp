#include "profile/simulate.h"

#include "profile/cache.h"
#include "profile/lds.h"

namespace hipsight::profile {

void simulate(const gpus::Gpu& gpu, LaunchTrace& trace) {
  simulate_lds(gpu, trace);
  simulate_caches(gpu, trace);
}

}  // namespace hipsight::profile
