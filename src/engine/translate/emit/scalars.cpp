// Scalar instructions: values of the host's general registers.

#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <cstring>

#include "engine/translate/emit/emitter.h"

namespace hipsight::engine {
namespace {

/// Dwords of a scalar load from memory that the emitter knows; 0 of all others.
unsigned loaded_dwords(const Op& op) {
  const MemoryAccess& memory = op.instruction->row->memory;
  const bool known = memory.space == MemoryAccess::Space::Scalar &&
                     memory.does == MemoryAccess::Does::Load && memory.bytes >= 4 &&
                     memory.address == MemoryAccess::Address::Register;
  return known && op.imm % 4 == 0 ? memory.dwords() : 0;
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

/// What scalar loads read behind a place; all of it is looked at where the first one stands.
struct Emitter::ScalarRange {
  std::int64_t begin, end;
  Value* at = nullptr;  ///< the place, once that is done
};

void Emitter::emit_scalars(std::span<const Op* const> scalars, std::span<const Op* const> ops) {
  if (scalars.empty()) return;
  // Loads from the same registers, which no instruction before them writes.
  std::map<unsigned, ScalarRange> ranges;
  std::map<const Op*, ScalarRange*> range_of;
  Places written;
  for (const Op* op : scalars) {
    const isa::Operand &base = op->instruction->base, &offset = op->instruction->soffset;
    const std::int64_t end = op->imm + std::int64_t{4} * loaded_dwords(*op);
    if (end > op->imm && offset.where != isa::Where::Sgpr && !written.test(base.index) &&
        !written.test(base.index + 1u)) {
      ScalarRange& range = ranges.try_emplace(base.index, ScalarRange{op->imm, end}).first->second;
      range.begin = std::min(range.begin, op->imm);
      range.end = std::max(range.end, end);
      range_of[op] = &range;
    }
    written |= effects_of(*op, file_).writes;
  }

  llvm::BasicBlock* const leave = block("nothing_done");
  for (const Op* op : scalars) {
    const unsigned dwords = loaded_dwords(*op);
    ScalarRange alone{op->imm, op->imm + std::int64_t{4} * dwords};
    const auto shared = range_of.find(op);
    if (dwords)
      emit_scalar_load(*op, shared == range_of.end() ? alone : *shared->second, leave);
    else
      emit_scalar(*op);
  }
  // What only the arithmetic reads is not written unless that is interpreted.
  Places read;
  for (const Op* op : ops) read |= effects_of(*op, file_).reads;
  for (const auto& [place, value] : scalars_) {
    if (live_.test(place))
      build_.CreateAlignedStore(value, scalar_pointer(place), llvm::Align(4));
    else if (read.test(place))
      unwritten_[place] = value;
  }
  if (llvm::pred_empty(leave)) {
    leave->eraseFromParent();
    return;
  }
  llvm::IRBuilder<>::InsertPointGuard guard(build_);
  build_.SetInsertPoint(leave);
  build_.CreateStore(build_.getInt32(nothing_done), wave_at(wave_, offsetof(Wave, done_lanes)));
  build_.CreateRet(op_after(1));
}

void Emitter::write_unwritten() {
  for (const auto& [place, value] : unwritten_)
    build_.CreateAlignedStore(value, scalar_pointer(place), llvm::Align(4));
}

/// In the range that this worker knows to be inside one allocation, or all is left to the
/// interpreter, which finds that range.
void Emitter::emit_scalar_load(const Op& op, ScalarRange& range, llvm::BasicBlock* leave) {
  const isa::Instruction& in = *op.instruction;
  llvm::Type *const word = build_.getInt64Ty(), *const pointer = build_.getPtrTy();
  if (!range.at) {
    Value* at = scalar_pair(in.base.index);
    if (in.soffset.where == isa::Where::Sgpr)
      at = build_.CreateAdd(at, build_.CreateZExt(scalar_word(in.soffset.index), word));
    range.at = build_.CreateAnd(at, ~3ull);
    const auto behind = [&](std::int64_t bytes) {
      return build_.CreateAdd(range.at, build_.getInt64(static_cast<std::uint64_t>(bytes)));
    };
    const auto member = [&](Value* of, std::size_t offset, llvm::Type* type) {
      return build_.CreateLoad(type, wave_at(of, offset));
    };
    Value* const known = wave_at(member(wave_, offsetof(Wave, known), pointer),
                                 known_index(in.address) * sizeof(KnownRange));
    Value* const epoch = member(member(wave_, offsetof(Wave, memory_epoch), pointer), 0, word);
    Value* inside = build_.CreateICmpEQ(member(known, offsetof(KnownRange, epoch), word), epoch);
    Value* const begin = member(known, offsetof(KnownRange, begin), word);
    inside = build_.CreateAnd(inside, build_.CreateICmpUGE(behind(range.begin), begin));
    Value* const end = member(known, offsetof(KnownRange, end), word);
    inside = build_.CreateAnd(inside, build_.CreateICmpULE(behind(range.end), end));
    llvm::BasicBlock* const load = block("load");
    build_.CreateCondBr(inside, load, leave);
    build_.SetInsertPoint(load);
  }
  Value* const from = build_.CreateIntToPtr(range.at, pointer);
  const unsigned place = place_of(op.dst);
  const unsigned dwords = loaded_dwords(op);
  const auto load = [&](llvm::Type* type, unsigned dword) {
    Value* const at = wave_at(from, static_cast<std::uint64_t>(op.imm) + std::uint64_t{4} * dword);
    return build_.CreateAlignedLoad(type, at, llvm::Align(4));
  };
  for (unsigned i = 0; i + 1 < dwords; i += 2) {
    Value* const two = load(word, i);
    scalars_[place + i] = build_.CreateTrunc(two, build_.getInt32Ty());
    scalars_[place + i + 1] = build_.CreateTrunc(build_.CreateLShr(two, 32), build_.getInt32Ty());
  }
  if (dwords % 2) scalars_[place + dwords - 1] = load(build_.getInt32Ty(), dwords - 1);
}

}  // namespace hipsight::engine
