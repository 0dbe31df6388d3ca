// Scalar instructions: values of the host's general registers.

#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <cstring>

#include "engine/translate/emitter.h"

namespace hipsight::engine {
namespace {

/// Dwords of a scalar load from memory that the emitter knows; 0 of all others.
unsigned loaded_dwords(const Op& op) {
  using Load = std::pair<std::string_view, unsigned>;
  constexpr Load loads[]{{"S_LOAD_DWORD", 1},   {"S_LOAD_DWORDX2", 2}, {"S_LOAD_DWORDX3", 3},
                         {"S_LOAD_DWORDX4", 4}, {"S_LOAD_DWORDX8", 8}, {"S_LOAD_DWORDX16", 16}};
  const auto* at = std::ranges::find(loads, op.instruction->name, &Load::first);
  return op.shape || at == std::end(loads) || op.imm % 4 ? 0 : at->second;
}

bool is_integer(isa::Type t) {
  using enum isa::Type;
  return t != F64 && t != F32 && t != F16 && t != BF16;
}

}  // namespace

bool can_emit_scalar(const Op& op, const Library& library) {
  return op.shape && op.shape->form == isa::Form::Scalar && library.find(op.shape->name);
}

bool can_join(const Op& op, const Library& library) {
  const isa::Operand& dst = op.instruction->dst;
  if (dst.where == isa::Where::Sgpr && dst.index >= reg::exec) return false;
  if (loaded_dwords(op))
    return op.instruction->base.where == isa::Where::Sgpr && op.instruction->cache == 0;
  return can_emit_scalar(op, library) && is_integer(op.shape->result) &&
         std::ranges::all_of(op.shape->operand, is_integer);
}

Value* Emitter::scalar_pointer(unsigned place) {
  return wave_at(wave_,
                 place == place::scc ? offsetof(Wave, scc) : offsetof(Wave, scalar) + place * 4);
}

Value* Emitter::scalar_word(unsigned place) {
  if (const auto at = scalars_.find(place); at != scalars_.end() && at->second) return at->second;
  return build_.CreateAlignedLoad(build_.getInt32Ty(), scalar_pointer(place), llvm::Align(4));
}

void Emitter::emit_scalar(const Op& op) {
  const isa::Shape& shape = *op.shape;
  const llvm::Function& meaning = *library_->find(shape.name);
  ValueMap map;
  for (unsigned i = 0; i < shape.operands; ++i) {
    const isa::Type type = shape.operand[i];
    const bool wide = isa::is_64_bit(type);
    Value* value;
    if (type == isa::Type::B1) {
      value = scalar_word(place::scc);
    } else if (is_constant(op, i)) {
      std::uint64_t bits;
      std::memcpy(&bits, reinterpret_cast<const void*>(op.src[i]), sizeof bits);
      value = wide ? build_.getInt64(bits) : build_.getInt32(static_cast<std::uint32_t>(bits));
    } else {
      const unsigned place = place_of(op.src[i]);
      value = wide ? scalar_pair(place) : scalar_word(place);
    }
    map[meaning.getArg(2 + i)] = value;
  }
  Value* results[2]{};
  copy_here(meaning, map, results);
  if (results[1]) scalars_[place::scc] = results[1];
  if (!results[0]) return;
  const unsigned place = place_of(op.dst);
  scalars_[place] = build_.CreateTrunc(results[0], build_.getInt32Ty());
  if (isa::is_64_bit(shape.result))
    scalars_[place + 1] =
        build_.CreateTrunc(build_.CreateLShr(results[0], 32), build_.getInt32Ty());
}

void Emitter::emit_scalars(std::span<const Op* const> scalars, std::span<const Op* const> ops) {
  if (scalars.empty()) return;
  llvm::BasicBlock* const leave = block("nothing_done");
  for (const Op* op : scalars) loaded_dwords(*op) ? emit_scalar_load(*op, leave) : emit_scalar(*op);
  // What the arithmetic reads, too: it may be interpreted.
  Places wanted = live_;
  for (const Op* op : ops) wanted |= effects_of(*op, file_).reads;
  for (const auto& [place, value] : scalars_)
    if (wanted.test(place)) build_.CreateAlignedStore(value, scalar_pointer(place), llvm::Align(4));
  llvm::IRBuilder<>::InsertPointGuard guard(build_);
  build_.SetInsertPoint(leave);
  if (llvm::pred_empty(leave)) {
    build_.CreateUnreachable();
    leave->eraseFromParent();
    return;
  }
  build_.CreateStore(build_.getInt32(nothing_done), wave_at(wave_, offsetof(Wave, done_lanes)));
  build_.CreateRet(op_after(1));
}

/// In the range that this worker knows to be inside one allocation, or all is left to the
/// interpreter, which finds that range.
void Emitter::emit_scalar_load(const Op& op, llvm::BasicBlock* leave) {
  const isa::Instruction& in = *op.instruction;
  const unsigned dwords = loaded_dwords(op);
  llvm::Type* const word = build_.getInt64Ty();
  Value* offset = build_.getInt64(static_cast<std::uint64_t>(op.imm));
  if (in.soffset.where == isa::Where::Sgpr)
    offset = build_.CreateAdd(offset, build_.CreateZExt(scalar_word(in.soffset.index), word));
  Value* const at = build_.CreateAnd(build_.CreateAdd(scalar_pair(in.base.index), offset), ~3ull);
  const auto member = [&](Value* of, std::size_t where, llvm::Type* type) {
    return build_.CreateLoad(type, wave_at(of, where));
  };
  Value* const known = wave_at(member(wave_, offsetof(Wave, known), build_.getPtrTy()),
                               known_index(in.address) * sizeof(KnownRange));
  Value* const epoch =
      member(member(wave_, offsetof(Wave, memory_epoch), build_.getPtrTy()), 0, word);
  Value* const last = build_.CreateAdd(at, build_.getInt64(4 * dwords));
  Value* inside = build_.CreateICmpEQ(member(known, offsetof(KnownRange, epoch), word), epoch);
  inside = build_.CreateAnd(
      inside, build_.CreateICmpUGE(at, member(known, offsetof(KnownRange, begin), word)));
  inside = build_.CreateAnd(
      inside, build_.CreateICmpULE(last, member(known, offsetof(KnownRange, end), word)));
  llvm::BasicBlock* const load = block("load");
  build_.CreateCondBr(inside, load, leave);
  build_.SetInsertPoint(load);
  Value* const from = build_.CreateIntToPtr(at, build_.getPtrTy());
  const unsigned place = place_of(op.dst);
  for (unsigned i = 0; i < dwords; ++i)
    scalars_[place + i] = build_.CreateAlignedLoad(
        build_.getInt32Ty(), wave_at(from, std::uint64_t{4} * i), llvm::Align(4));
}

}  // namespace hipsight::engine
