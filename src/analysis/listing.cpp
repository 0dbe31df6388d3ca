#include "analysis/listing.h"

#include <map>
#include <optional>

#include "isa/crash_guard.h"
#include "isa/decode.h"

namespace hipsight::analysis {
namespace {

bool ends(const isa::Instruction& in) {
  return in.name == "S_BRANCH" || in.name == "S_SETPC_B64" || in.name.starts_with("S_ENDPGM") ||
         in.name == "S_RFE_B64";
}
bool branches(const isa::Instruction& in) {
  return in.name == "S_BRANCH" || in.name.starts_with("S_CBRANCH_") ||
         in.name.starts_with("S_SUBVECTOR_LOOP_");
}
bool leaves(const isa::Instruction& in) {
  return in.name == "S_SETPC_B64" || in.name == "S_SWAPPC_B64" || in.name == "S_CALL_B64";
}

/// Where SOPP and SOPK branches go: so many dwords from the next instruction.
std::uint64_t target_of(const isa::Instruction& in) {
  return in.address + 4 + static_cast<std::uint64_t>(std::int64_t{in.imm} * 4);
}

}  // namespace

Listing listing(std::span<const std::byte> code, std::uint64_t address, std::uint64_t entry,
                std::string_view processor) {
  isa::Decoder decoder(processor);
  const isa::CrashGuard guard;
  std::map<std::uint64_t, isa::Instruction> reached;
  std::vector<std::uint64_t> begins{entry};
  while (!begins.empty()) {
    std::uint64_t at = begins.back();
    begins.pop_back();
    while (at >= address && at - address < code.size() && !reached.contains(at)) {
      const auto instruction = decoder.decode(code.subspan(at - address), at);
      if (!instruction) break;
      reached.emplace(at, *instruction);
      if (branches(*instruction)) begins.push_back(target_of(*instruction));
      if (ends(*instruction)) break;
      at += instruction->size;
    }
  }

  Listing listing;
  listing.processor = processor;
  std::map<std::uint64_t, std::size_t> line_of;
  for (const auto& [at, instruction] : reached) {
    if (at == entry) listing.entry = listing.lines.size();
    line_of[at] = listing.lines.size();
    listing.lines.push_back({instruction});
    listing.leaves |= leaves(instruction);
  }
  const auto find = [&](std::uint64_t at) {
    const auto found = line_of.find(at);
    return found == line_of.end() ? Listing::nowhere : found->second;
  };
  for (Listing::Line& line : listing.lines) {
    const isa::Instruction& in = line.instruction;
    if (!ends(in)) line.next = find(in.address + in.size);
    if (branches(in)) line.target = find(target_of(in));
  }
  return listing;
}

Listing listing(const code::CodeObject& object, const code::Kernel& kernel) {
  std::vector<std::byte> image(object.image_size());
  object.load(image.data(), 0);
  Listing result = listing(image, 0, kernel.entry, object.target().processor);
  result.sram_ecc = object.target().has_sram_ecc();
  return result;
}

namespace {

/// The first of the scalar registers that hold the resource of scratch memory, on GPUs where it is
/// reached by buffer instructions: s0, where the kernel asks for it, or where its first lines copy
/// it to (AMDGPUUsage, "Private Segment Buffer"). LLVM keeps these registers for that alone.
std::optional<unsigned> scratch_resource(const Listing& listing, const code::Kernel& kernel) {
  constexpr std::uint16_t private_segment_buffer = 1;
  if (!(kernel.descriptor.properties & private_segment_buffer)) return std::nullopt;
  for (std::size_t i = listing.entry; i < listing.lines.size(); ++i) {
    const auto& [in, next, target] = listing.lines[i];
    const bool scalar = in.dst.where == isa::Where::Sgpr;
    if (scalar && in.name == "S_MOV_B64" && in.src[0].where == isa::Where::Sgpr &&
        in.src[0].index == 2)
      return in.dst.index - 2u;
    const bool overwritten = scalar && in.dst.index < 4;
    if (overwritten || target != Listing::nowhere || next == Listing::nowhere) break;
  }
  return 0;
}

}  // namespace

std::vector<Scratch> scratch_uses(const Listing& listing, const code::Kernel& kernel) {
  const std::optional<unsigned> resource = scratch_resource(listing, kernel);
  std::vector<Scratch> uses;
  for (const auto& [in, next, target] : listing.lines) {
    const bool names_it = in.format == isa::Format::Scratch ||
                          (in.format == isa::Format::Mubuf && in.base.index == resource);
    uses.push_back(!names_it                      ? Scratch::None
                   : isa::has(in.name, "_STORE_") ? Scratch::Store
                   : isa::has(in.name, "_LOAD_")  ? Scratch::Load
                                                  : Scratch::None);
  }
  return uses;
}

}  // namespace hipsight::analysis
