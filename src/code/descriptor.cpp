#include "code/descriptor.h"

namespace hipsight::code {

std::uint32_t lanes_of(const Descriptor& descriptor) {
  constexpr unsigned wavefront_size32 = 10;
  return descriptor.properties >> wavefront_size32 & 1 ? 32 : 64;
}

std::uint32_t vector_registers_of(const Descriptor& descriptor, bool rdna) {
  // GRANULATED_WORKITEM_VGPR_COUNT (LLVM AMDGPUUsage, "compute_pgm_rsrc1").
  const std::uint32_t granules = (descriptor.rsrc1 & 63) + 1;
  return granules * (rdna && lanes_of(descriptor) == 64 ? 4 : 8);
}

}  // namespace hipsight::code
