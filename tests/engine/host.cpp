// The host as the environment has it: HIPSIGHT_HOST_ISA for the tests that run again on less.
#include "engine/host.h"

#include "config/environment.h"

namespace hipsight::engine {
namespace {

// Before static objects, which may already ask what the host can do.
[[gnu::constructor(200)]] void tell() {
  set_host(Host::of(config::read().config));
}

}  // namespace
}  // namespace hipsight::engine
