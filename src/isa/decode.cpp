#include "isa/decode.h"

#include <llvm/Support/raw_ostream.h>

#include <cstring>
#include <set>
#include <unordered_map>

#include "isa/aliases.h"
#include "isa/llvm_target.h"
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

const Row* row_of_opcode(std::string_view name) {
  return &row_of(canonical(meaning_of(name)));
}

/// What LLVM's number of an opcode means; found once.
struct Meaning {
  const Row *row = nullptr, *row_y = nullptr;
  bool returns = false;
};

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
  explicit Impl(std::string_view processor) : gfx(gfx_of(processor)), target(processor, gfx) {}

  const Gfx gfx;
  LlvmTarget target;
  std::unordered_map<unsigned, Meaning> meanings;

  const Meaning& meaning(unsigned opcode) {
    auto [at, fresh] = meanings.try_emplace(opcode);
    if (!fresh) return at->second;
    std::string_view name = target.instructions->getName(opcode);
    Meaning& result = at->second;
    if (name.starts_with("V_DUAL_")) {
      const auto split = name.find("_X_");
      result.row = row_of_opcode("V_" + std::string(name.substr(7, split - 7)));
      result.row_y = row_of_opcode("V_" + std::string(name.substr(split + 3)));
    } else {
      result.row = row_of_opcode(name);
      result.returns = result.row->memory.returns || name.find("_RTN") != name.npos;
    }
    return result;
  }
};

Decoder::Decoder(std::string_view processor) : impl_(std::make_unique<Impl>(processor)) {}
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;

Gfx Decoder::gfx() const {
  return impl_->gfx;
}

std::optional<Instruction> Decoder::decode(std::span<const std::byte> code, std::uint64_t address) {
  llvm::MCInst inst;
  std::uint64_t size = 0;
  if (!impl_->target.decode(code, address, inst, size)) return std::nullopt;
  const Meaning& meaning = impl_->meaning(inst.getOpcode());
  Instruction result;
  result.address = address;
  result.size = static_cast<std::uint8_t>(size);
  result.gfx = impl_->gfx;
  result.row = meaning.row;
  result.row_y = meaning.row_y;
  result.returns = meaning.returns;
  std::memcpy(result.words.data(), code.data(), std::min<std::size_t>(size, sizeof result.words));
  read_fields(result);
  return result;
}

std::string Decoder::text(const Instruction& instruction) {
  std::string out = impl_->target.text(bytes_of(instruction), instruction.address);
  if (out.empty()) return std::string(instruction.name()) + " (malformed)";
  const auto begin = out.find_first_not_of(" \t");
  out.erase(0, begin == std::string::npos ? out.size() : begin);
  for (char& c : out)
    if (c == '\t') c = ' ';
  return out;
}

}  // namespace hipsight::isa
