#include "isa/llvm_target.h"

#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <mutex>
#include <string>

#include "isa/crash_guard.h"
#include "support/error.h"

namespace hipsight::isa {
namespace {

void initialise_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
}

bool decode_with(const llvm::MCDisassembler& disassembler, std::span<const std::byte> code,
                 std::uint64_t address, llvm::MCInst& inst, std::uint64_t& size) {
  const llvm::ArrayRef bytes(reinterpret_cast<const std::uint8_t*>(code.data()), code.size());
  inst.clear();
  llvm::MCDisassembler::DecodeStatus status = llvm::MCDisassembler::Fail;
  const bool survived = guard_crashes(
      [&] { status = disassembler.getInstruction(inst, size, bytes, address, llvm::nulls()); });
  return survived && status == llvm::MCDisassembler::Success && size != 0 && size <= code.size();
}

}  // namespace

LlvmTarget::LlvmTarget(std::string_view processor, Gfx gfx) {
  initialise_llvm();
  const llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) fail("LLVM has no AMDGPU target: {}", error);
  const llvm::MCTargetOptions options;
  registers.reset(target->createMCRegInfo(triple));
  assembly.reset(target->createMCAsmInfo(*registers, triple, options));
  instructions.reset(target->createMCInstrInfo());
  subtarget.reset(target->createMCSubtargetInfo(triple, processor, ""));
  context =
      std::make_unique<llvm::MCContext>(triple, assembly.get(), registers.get(), subtarget.get());
  disassembler.reset(target->createMCDisassembler(*subtarget, *context));
  if (is_rdna(gfx)) {
    halves_subtarget.reset(target->createMCSubtargetInfo(triple, processor, "+real-true16"));
    halves_disassembler.reset(target->createMCDisassembler(*halves_subtarget, *context));
    wide_subtarget.reset(target->createMCSubtargetInfo(triple, processor, "+wavefrontsize64"));
    wide_disassembler.reset(target->createMCDisassembler(*wide_subtarget, *context));
  }
  printer.reset(target->createMCInstPrinter(triple, 0, *assembly, *instructions, *registers));
}

bool LlvmTarget::decode(std::span<const std::byte> code, std::uint64_t address, llvm::MCInst& inst,
                        std::uint64_t& size) const {
  return (halves_disassembler && decode_with(*halves_disassembler, code, address, inst, size)) ||
         decode_with(*disassembler, code, address, inst, size) ||
         (wide_disassembler && decode_with(*wide_disassembler, code, address, inst, size));
}

std::string LlvmTarget::text(std::span<const std::byte> code, std::uint64_t address) const {
  llvm::MCInst inst;
  std::uint64_t size = 0;
  std::string out;
  for (const auto* from : {&disassembler, &halves_disassembler, &wide_disassembler}) {
    if (!*from || !decode_with(**from, code, address, inst, size)) continue;
    out.clear();
    llvm::raw_string_ostream stream(out);
    // LLVM prints some malformed instructions no better than it decodes them.
    if (!guard_crashes([&] { printer->printInst(&inst, address, "", *subtarget, stream); }))
      return "";
    // It decodes, and then says that it should not have.
    if (out.find("Invalid register") == std::string::npos) return out;
  }
  return out;
}

}  // namespace hipsight::isa
