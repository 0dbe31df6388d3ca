// What encodings do to operands before an instruction's meaning, and to results after it:
// modifiers, halves, SDWA and DPP (interpret/operands.cpp does the same for the interpreter).

#include <llvm/IR/Instructions.h>

#include "engine/program/dpp.h"
#include "engine/translate/emit/emitter.h"

namespace hipsight::engine {

using isa::Type;

namespace {

struct Part {
  unsigned width, shift;
};
/// A part of a register that SDWA selects: bytes 0 to 3, words 4 and 5.
Part part_of(unsigned select) {
  return select < 4 ? Part{8, select * 8} : Part{16, (select - 4) * 16};
}

}  // namespace

bool can_emit_encoding(const Op& op, unsigned slice_lanes) {
  const isa::Instruction& in = *op.instruction;
  if (op.finish && (in.clamp || in.omod)) return false;
  if (!is_dpp(in)) return true;
  if (in.fetch_inactive) return false;  // what lanes that are off hold is not followed
  // Masks of lanes are written whole; rows in the same way, and so both halves of a row where a
  // slice is one.
  const bool makes_mask = op.shape->result == Type::B1 || op.shape->bit_result;
  const bool banks_alike = slice_lanes != 8 || (in.bank_mask & 3) == in.bank_mask >> 2;
  return op.shape->form == isa::Form::Vector && !makes_mask && in.row_mask == 0xf && banks_alike &&
         dpp_stays_in_rows(in, static_cast<int>(slice_lanes));
}

bool keeps_part(const Op& op) {
  const isa::Instruction& in = *op.instruction;
  if (!op.finish) return false;
  if (is_dpp(in)) return !dpp_writes_zeros(in) || in.bank_mask != 0xf || op.half != Half::Zero;
  return in.dst_select < 6 ? in.dst_unused == 2 : op.half != Half::Zero;
}

Value* Emitter::permuted(const isa::Instruction& in, Value* value) {
  llvm::SmallVector<int, 16> from;  // those behind the lanes are 0
  for (int lane = 0; lane < static_cast<int>(lanes_); ++lane) {
    const int other = dpp_lane(in, lane, static_cast<int>(file_.lanes));
    from.push_back(other < 0 ? static_cast<int>(lanes_) + lane : other);
  }
  return build_.CreateShuffleVector(value, llvm::Constant::getNullValue(value->getType()), from);
}

Value* Emitter::readable(const isa::Instruction& in) {
  Value* const all =
      llvm::Constant::getAllOnesValue(llvm::FixedVectorType::get(build_.getInt1Ty(), lanes_));
  return permuted(in, options_.masked ? active_ : all);
}

Value* Emitter::operand(const Node& node, unsigned i, unsigned which) {
  const Op& op = *node.op;
  const isa::Instruction& in = *op.instruction;
  const Type type = op.shape->operand[i];
  Value* value = plain_operand(node, i, which);
  if (is_constant(op, i) || !(op.prepare >> i & 1)) return value;
  const isa::Operand& o = op.shape->old[i] ? in.dst : in.src[i];
  // Nothing is known of the result at leaders, whose other lanes are not there.
  if (i == 0 && is_dpp(in) && !at_leaders_)
    value = build_.CreateSelect(readable(in), permuted(in, value), splat(0));
  if (o.high && isa::is_16_bit(type)) {
    value = build_.CreateLShr(value, 16);
  } else if (in.variant == isa::Variant::Sdwa && o.select < 6) {
    const auto [width, shift] = part_of(o.select);
    value = build_.CreateShl(value, 32 - width - shift);
    value =
        o.sign_extend ? build_.CreateAShr(value, 32 - width) : build_.CreateLShr(value, 32 - width);
  }
  if (op.shape->old[i]) return value;
  const bool sign_here = !isa::is_64_bit(type) || which == 1;
  const std::uint32_t sign = isa::is_16_bit(type) ? 0x8000u : 0x80000000u;
  if (o.absolute && sign_here) value = build_.CreateAnd(value, splat(~sign));
  if (o.negate && sign_here) value = build_.CreateXor(value, splat(sign));
  return value;
}

void Emitter::finish(Node& node) {
  const Op& op = *node.op;
  const isa::Instruction& in = *op.instruction;
  if (!op.finish) return;
  Value*& result = node.result[0];
  // What the register held stays in some bits.
  const auto over = [&](Value* bits, std::uint32_t mask) {
    return build_.CreateOr(bits, build_.CreateAnd(value_of(node.before[0]), splat(~mask)));
  };
  if (in.dst_select < 6) {
    const auto [width, shift] = part_of(in.dst_select);
    const std::uint32_t mask = ((1u << width) - 1) << shift;
    const unsigned up = 32 - width - shift;
    if (in.dst_unused == 1)
      result = build_.CreateAnd(build_.CreateAShr(build_.CreateShl(result, shift + up), up),
                                splat(~0u << shift));
    else
      result = build_.CreateAnd(build_.CreateShl(result, shift), splat(mask));
    if (in.dst_unused == 2) result = over(result, mask);
  } else if (op.half == Half::KeepHigh) {
    result = over(build_.CreateAnd(result, splat(0xffff)), 0xffff);
  } else if (op.half == Half::KeepLow) {
    result = over(build_.CreateShl(result, 16), 0xffff0000u);
  }
  if (!is_dpp(in) || at_leaders_ || !keeps_part(op)) return;
  llvm::SmallVector<llvm::Constant*, 16> may_write;
  for (unsigned lane = 0; lane < lanes_; ++lane)
    may_write.push_back(build_.getInt1(dpp_may_write(in, lane)));
  Value* written = llvm::ConstantVector::get(may_write);
  if (!dpp_writes_zeros(in)) written = build_.CreateAnd(written, readable(in));
  for (unsigned r = 0; r < op.shape->registers(op.shape->result); ++r)
    node.result[r] = build_.CreateSelect(written, node.result[r], value_of(node.before[r]));
}

}  // namespace hipsight::engine
