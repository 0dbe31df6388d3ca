// Where calls come in. One object for each library or test that holds the runtime:
// HIPSIGHT_ABI_VERSION is for threads that came through no front.
#include "runtime/abi.h"

#include "runtime/exports.h"

namespace hipsight::runtime {
namespace {

constinit thread_local const HipsightFront* caller = nullptr;

}  // namespace

const HipsightFront* front() noexcept {
  return caller;
}

int abi_version() noexcept {
  return caller ? caller->version : HIPSIGHT_ABI_VERSION;
}

}  // namespace hipsight::runtime

const void* hipsight_enter(const HipsightFront* front, unsigned number) {
  hipsight::runtime::caller = front;
  return hipsight::runtime::exports()[number].address;
}
