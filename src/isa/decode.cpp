#include "isa/decode.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <unordered_map>

#include "isa/aliases.h"
#include "isa/crash_guard.h"
#include "support/error.h"

namespace hipsight::isa {
namespace {

/// Parts of LLVM's opcode names that say encoding, generation or address form, not meaning.
bool is_suffix(std::string_view part) {
  static const std::set<std::string_view> suffixes{
      "e32",     "e64",   "e96",   "dpp",     "dpp8",   "sdwa",      "t16",     "fake16", "vi",
      "si",      "ci",    "gfx6",  "gfx7",    "gfx8",   "gfx9",      "gfx90a",  "gfx940", "gfx950",
      "gfx10",   "gfx11", "gfx12", "gfx1250", "not",    "gfx12plus", "acd",     "vcd",    "vgprcd",
      "w32",     "w64",   "exact", "agpr",    "OFFEN",  "OFFSET",    "IDXEN",   "BOTHEN", "SADDR",
      "SVS",     "ST",    "VE",    "RTN",     "IMM",    "SGPR",      "VBUFFER", "ec",     "alt",
      "twoaddr", "pad",   "s",     "nop",     "nosdst", "threeaddr", "opt",     "format", "OPT",
      "gfx13",   "mac",   "early", "f8",      "f6",     "f4",        "M0"};
  return suffixes.contains(part);
}

std::string_view meaning_of(std::string_view opcode) {
  for (;;) {
    const auto cut = opcode.rfind('_');
    if (cut == std::string_view::npos || !is_suffix(opcode.substr(cut + 1))) return opcode;
    // DS_ADD_RTN_U32 keeps its RTN inside; only trailing parts go.
    opcode = opcode.substr(0, cut);
  }
}

/// Names are shared by all decoders. They outlive what is destroyed at exit: reports are written
/// then.
std::string_view intern(std::string_view name) {
  static std::mutex mutex;
  static auto& names = *new std::set<std::string, std::less<>>;
  const std::lock_guard lock(mutex);
  auto found = names.find(name);
  if (found == names.end()) found = names.emplace(name).first;
  return *found;
}

/// What an opcode number means; found once.
struct Meaning {
  std::string_view name, name_y;
  bool returns = false;
};

void initialise_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
}

}  // namespace

Gfx gfx_of(std::string_view processor) {
  if (processor == "gfx90a") return Gfx::Gfx90a;
  if (processor == "gfx942" || processor == "gfx9-4-generic") return Gfx::Gfx942;
  if (processor == "gfx950") return Gfx::Gfx950;
  if (processor.starts_with("gfx11")) return Gfx::Gfx11;
  if (processor == "gfx1200" || processor == "gfx1201" || processor == "gfx12-generic")
    return Gfx::Gfx12;
  fail(
      "no instruction set for processor '{}': hipsight runs gfx90a, gfx942, gfx950, gfx11 and "
      "gfx12",
      processor);
}

struct Decoder::Impl {
  Gfx gfx;
  std::string processor;
  llvm::Triple triple{"amdgcn-amd-amdhsa"};
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  // RDNA's wave64: for operands that wave32 has not (index keys of SWMMAC).
  std::unique_ptr<llvm::MCSubtargetInfo> wide_subtarget;
  std::unique_ptr<llvm::MCDisassembler> wide_disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
  std::unordered_map<unsigned, Meaning> meanings;

  const Meaning& meaning(unsigned opcode) {
    auto [at, fresh] = meanings.try_emplace(opcode);
    if (!fresh) return at->second;
    std::string_view name = instructions->getName(opcode);
    Meaning& result = at->second;
    if (name.starts_with("V_DUAL_")) {
      const auto split = name.find("_X_");
      std::string x = "V_" + std::string(name.substr(7, split - 7));
      std::string y = "V_" + std::string(name.substr(split + 3));
      result.name = intern(canonical(meaning_of(x)));
      result.name_y = intern(canonical(meaning_of(y)));
    } else {
      result.name = intern(canonical(meaning_of(name)));
      result.returns = name.find("_RTN") != std::string_view::npos;
    }
    return result;
  }

  bool decode(std::span<const std::byte> code, std::uint64_t address, llvm::MCInst& inst,
              std::uint64_t& size) {
    return decode_with(*disassembler, code, address, inst, size) ||
           (wide_disassembler && decode_with(*wide_disassembler, code, address, inst, size));
  }
  static bool decode_with(const llvm::MCDisassembler& disassembler, std::span<const std::byte> code,
                          std::uint64_t address, llvm::MCInst& inst, std::uint64_t& size) {
    const llvm::ArrayRef bytes(reinterpret_cast<const std::uint8_t*>(code.data()), code.size());
    inst.clear();
    llvm::MCDisassembler::DecodeStatus status = llvm::MCDisassembler::Fail;
    const bool survived = guard_crashes(
        [&] { status = disassembler.getInstruction(inst, size, bytes, address, llvm::nulls()); });
    return survived && status == llvm::MCDisassembler::Success && size != 0 && size <= code.size();
  }
};

Decoder::Decoder(std::string_view processor) : impl_(std::make_unique<Impl>()) {
  initialise_llvm();
  impl_->gfx = gfx_of(processor);
  impl_->processor = processor;
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(impl_->triple, error);
  if (!target) fail("LLVM has no AMDGPU target: {}", error);
  llvm::MCTargetOptions options;
  impl_->registers.reset(target->createMCRegInfo(impl_->triple));
  impl_->assembly.reset(target->createMCAsmInfo(*impl_->registers, impl_->triple, options));
  impl_->instructions.reset(target->createMCInstrInfo());
  impl_->subtarget.reset(target->createMCSubtargetInfo(impl_->triple, processor, ""));
  impl_->context = std::make_unique<llvm::MCContext>(
      impl_->triple, impl_->assembly.get(), impl_->registers.get(), impl_->subtarget.get());
  impl_->disassembler.reset(target->createMCDisassembler(*impl_->subtarget, *impl_->context));
  if (is_rdna(impl_->gfx)) {
    impl_->wide_subtarget.reset(
        target->createMCSubtargetInfo(impl_->triple, processor, "+wavefrontsize64"));
    impl_->wide_disassembler.reset(
        target->createMCDisassembler(*impl_->wide_subtarget, *impl_->context));
  }
  impl_->printer.reset(target->createMCInstPrinter(impl_->triple, 0, *impl_->assembly,
                                                   *impl_->instructions, *impl_->registers));
}

Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;

Gfx Decoder::gfx() const {
  return impl_->gfx;
}

std::optional<Instruction> Decoder::decode(std::span<const std::byte> code, std::uint64_t address) {
  llvm::MCInst inst;
  std::uint64_t size = 0;
  if (!impl_->decode(code, address, inst, size)) return std::nullopt;
  const Meaning& meaning = impl_->meaning(inst.getOpcode());
  Instruction result;
  result.address = address;
  result.size = static_cast<std::uint8_t>(size);
  result.gfx = impl_->gfx;
  result.name = meaning.name;
  result.name_y = meaning.name_y;
  result.returns = meaning.returns;
  std::memcpy(result.words.data(), code.data(), std::min<std::size_t>(size, sizeof result.words));
  read_fields(result);
  return result;
}

std::string Decoder::text(const Instruction& instruction) {
  llvm::MCInst inst;
  std::uint64_t size = 0;
  const std::span code(reinterpret_cast<const std::byte*>(instruction.words.data()),
                       instruction.size);
  if (!impl_->decode(code, instruction.address, inst, size)) return "(not an instruction)";
  std::string out;
  llvm::raw_string_ostream stream(out);
  // LLVM prints some malformed instructions no better than it decodes them.
  if (!guard_crashes([&] {
        impl_->printer->printInst(&inst, instruction.address, "", *impl_->subtarget, stream);
      }))
    return std::string(instruction.name) + " (malformed)";
  const auto begin = out.find_first_not_of(" \t");
  out.erase(0, begin == std::string::npos ? out.size() : begin);
  for (char& c : out)
    if (c == '\t') c = ' ';
  return out;
}

}  // namespace hipsight::isa
