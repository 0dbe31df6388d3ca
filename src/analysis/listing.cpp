#include "analysis/listing.h"

#include <map>
#include <optional>

#include "isa/crash_guard.h"
#include "isa/decode.h"

namespace hipsight::analysis {
namespace {

bool leaves(const isa::Instruction& in) {
  return in.row->control == isa::Control::Jump || in.row->control == isa::Control::Call;
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
      if (instruction->row->has_target()) begins.push_back(branch_target(*instruction));
      if (instruction->row->ends_path()) break;
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
    if (!in.row->ends_path()) line.next = find(in.address + in.size);
    if (in.row->has_target()) line.target = find(branch_target(in));
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
    if (scalar && in.is(isa::Opcode::S_MOV_B64) && in.src[0].where == isa::Where::Sgpr &&
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
    using Does = isa::MemoryAccess::Does;
    const Does does = names_it ? in.row->memory.does : Does::Nothing;
    uses.push_back(does == Does::Store  ? Scratch::Store
                   : does == Does::Load ? Scratch::Load
                                        : Scratch::None);
  }
  return uses;
}

}  // namespace hipsight::analysis
