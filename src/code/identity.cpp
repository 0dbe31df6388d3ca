#include "code/identity.h"

namespace hipsight::code {
namespace {

using namespace llvm::ELF;

// LLVM AMDGPUUsage, "AMDGPU ELF Header e_flags": EF_AMDGPU_MACH.
std::string_view processor_of(unsigned mach) {
  switch (mach) {
    case EF_AMDGPU_MACH_AMDGCN_GFX600:
      return "gfx600";
    case EF_AMDGPU_MACH_AMDGCN_GFX601:
      return "gfx601";
    case EF_AMDGPU_MACH_AMDGCN_GFX602:
      return "gfx602";
    case EF_AMDGPU_MACH_AMDGCN_GFX700:
      return "gfx700";
    case EF_AMDGPU_MACH_AMDGCN_GFX701:
      return "gfx701";
    case EF_AMDGPU_MACH_AMDGCN_GFX702:
      return "gfx702";
    case EF_AMDGPU_MACH_AMDGCN_GFX703:
      return "gfx703";
    case EF_AMDGPU_MACH_AMDGCN_GFX704:
      return "gfx704";
    case EF_AMDGPU_MACH_AMDGCN_GFX705:
      return "gfx705";
    case EF_AMDGPU_MACH_AMDGCN_GFX801:
      return "gfx801";
    case EF_AMDGPU_MACH_AMDGCN_GFX802:
      return "gfx802";
    case EF_AMDGPU_MACH_AMDGCN_GFX803:
      return "gfx803";
    case EF_AMDGPU_MACH_AMDGCN_GFX805:
      return "gfx805";
    case EF_AMDGPU_MACH_AMDGCN_GFX810:
      return "gfx810";
    case EF_AMDGPU_MACH_AMDGCN_GFX900:
      return "gfx900";
    case EF_AMDGPU_MACH_AMDGCN_GFX902:
      return "gfx902";
    case EF_AMDGPU_MACH_AMDGCN_GFX904:
      return "gfx904";
    case EF_AMDGPU_MACH_AMDGCN_GFX906:
      return "gfx906";
    case EF_AMDGPU_MACH_AMDGCN_GFX908:
      return "gfx908";
    case EF_AMDGPU_MACH_AMDGCN_GFX909:
      return "gfx909";
    case EF_AMDGPU_MACH_AMDGCN_GFX90A:
      return "gfx90a";
    case EF_AMDGPU_MACH_AMDGCN_GFX90C:
      return "gfx90c";
    case 0x040:
      return "gfx940";  // reserved since LLVM 21, which dropped gfx940 and gfx941
    case 0x04b:
      return "gfx941";
    case EF_AMDGPU_MACH_AMDGCN_GFX942:
      return "gfx942";
    case EF_AMDGPU_MACH_AMDGCN_GFX950:
      return "gfx950";
    case EF_AMDGPU_MACH_AMDGCN_GFX1010:
      return "gfx1010";
    case EF_AMDGPU_MACH_AMDGCN_GFX1011:
      return "gfx1011";
    case EF_AMDGPU_MACH_AMDGCN_GFX1012:
      return "gfx1012";
    case EF_AMDGPU_MACH_AMDGCN_GFX1013:
      return "gfx1013";
    case EF_AMDGPU_MACH_AMDGCN_GFX1030:
      return "gfx1030";
    case EF_AMDGPU_MACH_AMDGCN_GFX1031:
      return "gfx1031";
    case EF_AMDGPU_MACH_AMDGCN_GFX1032:
      return "gfx1032";
    case EF_AMDGPU_MACH_AMDGCN_GFX1033:
      return "gfx1033";
    case EF_AMDGPU_MACH_AMDGCN_GFX1034:
      return "gfx1034";
    case EF_AMDGPU_MACH_AMDGCN_GFX1035:
      return "gfx1035";
    case EF_AMDGPU_MACH_AMDGCN_GFX1036:
      return "gfx1036";
    case EF_AMDGPU_MACH_AMDGCN_GFX1100:
      return "gfx1100";
    case EF_AMDGPU_MACH_AMDGCN_GFX1101:
      return "gfx1101";
    case EF_AMDGPU_MACH_AMDGCN_GFX1102:
      return "gfx1102";
    case EF_AMDGPU_MACH_AMDGCN_GFX1103:
      return "gfx1103";
    case EF_AMDGPU_MACH_AMDGCN_GFX1150:
      return "gfx1150";
    case EF_AMDGPU_MACH_AMDGCN_GFX1151:
      return "gfx1151";
    case EF_AMDGPU_MACH_AMDGCN_GFX1152:
      return "gfx1152";
    case EF_AMDGPU_MACH_AMDGCN_GFX1153:
      return "gfx1153";
    case EF_AMDGPU_MACH_AMDGCN_GFX1200:
      return "gfx1200";
    case EF_AMDGPU_MACH_AMDGCN_GFX1201:
      return "gfx1201";
    case EF_AMDGPU_MACH_AMDGCN_GFX1250:
      return "gfx1250";
    case EF_AMDGPU_MACH_AMDGCN_GFX1251:
      return "gfx1251";
    case EF_AMDGPU_MACH_AMDGCN_GFX9_GENERIC:
      return "gfx9-generic";
    case EF_AMDGPU_MACH_AMDGCN_GFX9_4_GENERIC:
      return "gfx9-4-generic";
    case EF_AMDGPU_MACH_AMDGCN_GFX10_1_GENERIC:
      return "gfx10-1-generic";
    case EF_AMDGPU_MACH_AMDGCN_GFX10_3_GENERIC:
      return "gfx10-3-generic";
    case EF_AMDGPU_MACH_AMDGCN_GFX11_GENERIC:
      return "gfx11-generic";
    case EF_AMDGPU_MACH_AMDGCN_GFX12_GENERIC:
      return "gfx12-generic";
    default:
      return {};
  }
}

/// A two-bit feature of e_flags: 0 unsupported, 1 any, 2 off, 3 on.
Feature feature_of(unsigned bits) {
  return bits == 3 ? Feature::On : bits == 2 ? Feature::Off : Feature::Any;
}

}  // namespace

Identity identify(const Elf& elf) {
  const Elf::Header& header = elf.header();
  if (header.e_machine != EM_AMDGPU)
    elf.bad("ELF machine {} is not AMDGPU ({})", std::uint16_t{header.e_machine}, +EM_AMDGPU);
  if (header.e_ident[EI_OSABI] != ELFOSABI_AMDGPU_HSA)
    elf.bad("ELF OS ABI {} is not HSA ({})", header.e_ident[EI_OSABI], +ELFOSABI_AMDGPU_HSA);
  if (header.e_type != ET_DYN)
    elf.bad("ELF type {} is not a linked code object (a shared object, {})",
            std::uint16_t{header.e_type}, +ET_DYN);

  // ELFABIVERSION_AMDGPU_HSA_V4 is 2, V5 3, V6 4.
  Identity identity;
  identity.version = header.e_ident[EI_ABIVERSION] + 2u;
  if (identity.version < 4 || identity.version > 6)
    elf.bad("code object version {} is not supported: 4, 5 and 6 are", identity.version);

  std::uint32_t flags = header.e_flags;
  std::string_view processor = processor_of(flags & EF_AMDGPU_MACH);
  if (processor.empty())
    elf.bad("unknown processor {:#x} in e_flags {:#x}", flags & EF_AMDGPU_MACH, flags);
  identity.target.processor = processor;
  identity.target.xnack = feature_of((flags & EF_AMDGPU_FEATURE_XNACK_V4) >> 8);
  identity.target.sramecc = feature_of((flags & EF_AMDGPU_FEATURE_SRAMECC_V4) >> 10);
  if (identity.version >= 6)
    identity.generic_version =
        (flags & EF_AMDGPU_GENERIC_VERSION) >> EF_AMDGPU_GENERIC_VERSION_OFFSET;
  return identity;
}

}  // namespace hipsight::code
