// Which loads there are, and those from memory.

#include <fmt/format.h>
#include <llvm/IR/Instructions.h>

#include "engine/translate/emit/emitter.h"

namespace hipsight::engine {

const MemoryAccess* load_of(const Op& op) {
  const MemoryAccess& memory = op.instruction->row->memory;
  const bool space = memory.in_lds() || memory.space == MemoryAccess::Space::Global;
  const bool known = memory.does == MemoryAccess::Does::Load && space && memory.bytes >= 4 &&
                     memory.layout == MemoryAccess::Layout::Plain &&
                     memory.address == MemoryAccess::Address::Register;
  return known ? &memory : nullptr;
}

void Emitter::emit_load(Node& node, const MemoryAccess& load) {
  if (load.in_lds()) {
    if (!node.result[0] && !pending_.contains(node.result)) emit_lds_loads(node.first[0]);
    return;
  }
  const auto index = static_cast<std::size_t>(&node - nodes_.data());
  if (places_.contains(index)) return load_at_place(index);
  const isa::Instruction& in = *node.op->instruction;
  const auto [base, high] = base_and_high(node);
  call("GLOBAL " + std::to_string(load.dwords()),
       {wave_, base, build_.getInt32(known_index(in.address)), value_of(node.first[0]), high},
       node.result);
}

std::pair<Value*, Value*> Emitter::base_and_high(const Node& node) {
  const isa::Operand& scalar = node.op->instruction->base;
  Value* const offset = parameter(Parameter::Offset, static_cast<std::uint64_t>(node.op->imm));
  if (scalar.where == isa::Where::Sgpr)
    return {build_.CreateAdd(offset, scalar_pair(scalar.index)), splat(0)};
  return {offset, value_of(node.second[0])};
}

void Emitter::call(const std::string& name, std::initializer_list<Value*> arguments,
                   Value** results) {
  const llvm::Function& function = *library_->find(name);
  ValueMap map;
  unsigned at = 4;
  for (Value* argument : arguments) map[function.getArg(at++)] = argument;
  copy_here(function, map, results);
}

std::string_view pattern_of(std::int32_t stride, unsigned bytes) {
  if (stride == 0) return " uniform";
  const bool side_by_side = stride == static_cast<std::int32_t>(bytes) && bytes != 12;
  return side_by_side ? " contiguous" : " strided";
}

Address Emitter::address_of(const Op& op) const {
  if (!options_.addresses || options_.masked) return {};
  const auto found = options_.addresses->find(&op);
  return found == options_.addresses->end() ? Address{} : found->second;
}

Value* Emitter::lane_offsets() {
  llvm::SmallVector<llvm::Constant*, 16> offsets;
  for (unsigned l = 0; l < lanes_; ++l) offsets.push_back(build_.getInt32(l * 4));
  return llvm::ConstantVector::get(offsets);
}

Value* Emitter::scalar_pair(unsigned index) {
  if (scalars_.contains(index) || scalars_.contains(index + 1))  // a loop changes them
    return build_.CreateOr(
        build_.CreateZExt(scalar_word(index), build_.getInt64Ty()),
        build_.CreateShl(build_.CreateZExt(scalar_word(index + 1), build_.getInt64Ty()), 32));
  return build_.CreateAlignedLoad(
      build_.getInt64Ty(), wave_at(wave_, offsetof(Wave, scalar) + index * 4), llvm::Align(4));
}

}  // namespace hipsight::engine
