// The architectures that kernels are written for, and the numbers of each that kernels are shaped
// by.
#pragma once

#include "../fp8.h"

namespace hipsight::kernels {

/// `host` is the scalar reference: one lane, one work-item, on any processor.
enum class Architecture { host, cdna2, cdna3, cdna4, rdna3, rdna4, ampere };

struct Facts {
  const char* name;
  int wave;          // lanes
  int shared_bytes;  // at most, of a workgroup; 48 KiB without opt-in on NVIDIA
  int bank_bytes;    // of all banks of the shared memory: what one cycle can serve
  int dies;          // that take workgroups in turn, each with an L2 of its own
};

/// Sources: AMD's CDNA2, CDNA3, CDNA4, RDNA3 and RDNA4 ISA guides and white papers; NVIDIA's CUDA
/// programming guide. hipsight's src/gpus has each number with its source.
HIPSIGHT_INLINE constexpr Facts facts(Architecture architecture) {
  switch (architecture) {
    case Architecture::cdna2:
      return {"gfx90a", 64, 65536, 128, 1};
    case Architecture::cdna3:
      return {"gfx942", 64, 65536, 128, 8};
    case Architecture::cdna4:
      return {"gfx950", 64, 163840, 256, 8};
    case Architecture::rdna3:
      return {"gfx11", 32, 65536, 128, 1};
    case Architecture::rdna4:
      return {"gfx12", 32, 65536, 128, 1};
    case Architecture::ampere:
      return {"sm_80", 32, 49152, 128, 1};
    case Architecture::host:
      break;
  }
  return {"host", 1, 1 << 20, 128, 1};
}

}  // namespace hipsight::kernels
