#include "runtime/abi.h"

namespace hipsight::runtime {

const int abi_version = HIPSIGHT_ABI_VERSION;

}  // namespace hipsight::runtime
