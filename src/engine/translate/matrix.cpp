#include "engine/translate/matrix.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string>
#include <utility>

#include "engine/program/program.h"
#include "isa/instruction.h"

namespace hipsight::engine {
namespace {

/// The chain whose sums lie where an instruction's result does.
MatrixGroup::Chain* chain_of(MatrixGroup& group, const Op& op) {
  MatrixGroup::Chain* const end = group.chain + group.chains;
  MatrixGroup::Chain* const at =
      std::find_if(group.chain, end, [&](const auto& chain) { return chain.first->dst == op.dst; });
  return at == end ? nullptr : at;
}

/// Puts chains that have the same operands A side by side, two and two. Chains do not depend on
/// each other.
void pair_chains(MatrixGroup& group) {
  using Chain = MatrixGroup::Chain;
  Chain* const end = group.chain + group.chains;
  for (Chain* chain = group.chain; chain < end; ++chain) {
    const auto same = [&](const Chain& other) {
      return std::equal(chain->step, chain->step + chain->steps, other.step,
                        other.step + other.steps,
                        [](const auto& one, const auto& two) { return one.a == two.a; });
    };
    Chain* const other = std::find_if(chain + 1, end, same);
    if (other == end) continue;
    chain->pair = true;
    std::swap(*++chain, *other);
  }
}

}  // namespace

std::optional<GroupedMatrix> grouped_matrix(const Op& op, const RegisterFile& file) {
  const isa::Instruction& in = *op.instruction;
  if (op.shape || (in.format != isa::Format::Vop3p && in.format != isa::Format::Mai))
    return std::nullopt;
  const auto code = [&](const char* suffix) {
    const Code* const found = host_table().find(std::string(in.name()) + suffix);
    return found ? found->run(file.lanes, false) : nullptr;
  };
  const Run sum = code(MatrixGroup::sum);
  const bool plain = !in.cbsz && !in.blgp && !in.neg_lo && !in.neg_hi && in.gfx != isa::Gfx::Gfx12;
  // Not so where it is to be exact, or has an index on its registers.
  if (!sum || !plain || op.run != code("")) return std::nullopt;
  if (op.base[0] == Base::Constant || op.base[1] == Base::Constant) return std::nullopt;
  const isa::Tile& tile = in.row->tile;
  // RDNA3 has each row of A, and column of B, in two lanes.
  const unsigned lanes = file.lanes == 32 ? tile.m : file.lanes;
  // More operands make longer chains, but leave the sums less room in the host's first cache: worth
  // it where an element serves many products.
  static_assert(MatrixGroup::most == 32 / 2);
  const unsigned most = std::min(tile.m / 2, MatrixGroup::most_elements / (tile.m * tile.k));
  return GroupedMatrix{.widen = code(MatrixGroup::widen),
                       .sum = sum,
                       .operand = tile.m * tile.k / 2 / lanes,
                       .result = tile.m * tile.n / file.lanes,
                       .most = most};
}

Places MatrixGroups::places(std::uint64_t offset, unsigned count) const {
  Places result;
  const unsigned first = place::at(static_cast<std::uint32_t>(offset), file_->lanes * 4);
  for (unsigned i = 0; i < count; ++i) result.set(first + i);
  return result;
}

void MatrixGroups::append(const Op& op) {
  const auto how = grouped_matrix(op, *file_);
  if (!how) {
    come_before(effects_of(op, *file_));
    ops_->push_back(op);
    return;
  }
  if (open_ && how->sum == sum_ && take(op, *how)) return;
  end_group();
  groups_->emplace_back();
  open_ = true;
  sum_ = how->sum;
  begin_ = ops_->size();
  written_ = read_ = {};
  take(op, *how);
}

/// Adds an instruction to the group, unless the sums could not be done together with it.
bool MatrixGroups::take(const Op& op, const GroupedMatrix& how) {
  MatrixGroup& group = groups_->back();
  const bool constant = op.base[2] == Base::Constant;
  const Places d = places(op.dst, how.result),
               c = constant ? Places() : places(op.src[2], how.result);
  const Places in = places(op.src[0], how.operand) | places(op.src[1], how.operand);
  MatrixGroup::Chain* chain = chain_of(group, op);
  const bool goes_on = chain && !constant && op.src[2] == op.dst;
  if ((in & written_).any()) return false;
  if (!goes_on && ((d & (written_ | read_)).any() || (c & written_).any())) return false;
  if (goes_on ? chain->steps == std::size(chain->step) : group.chains == MatrixGroup::most_chains)
    return false;
  const auto find = [&](unsigned operand, const Op* const* all, unsigned count) {
    unsigned i = 0;
    while (i < count && (all[i]->src[operand] != op.src[operand] || overwritten_[operand][i])) ++i;
    return i;
  };
  const unsigned a = find(0, group.a, group.as), b = find(1, group.b, group.bs);
  if (a == how.most || b == how.most) return false;

  if (!goes_on) {
    chain = &group.chain[group.chains++];
    *chain = {.first = &op, .steps = 0, .pair = false, .step = {}};
    read_ |= c;
  }
  chain->step[chain->steps++] = {static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b)};
  written_ |= d;
  if (a < group.as && b < group.bs) return true;
  // An op that widens what is new, or the one before this that does so already.
  const bool follows = ops_->size() > begin_ && ops_->back().run == how.widen;
  MatrixGroup::Part part{static_cast<std::uint8_t>(group.as), 0,
                         static_cast<std::uint8_t>(group.bs), 0};
  if (follows)
    part = std::bit_cast<MatrixGroup::Part>(ops_->back().dst);
  else
    ops_->push_back(op);
  const auto add = [&](unsigned operand, unsigned index, const Op** all, unsigned& count) {
    if (index < count) return;
    all[count++] = &op;
    overwritten_[operand][index] = false;
    operands_[operand][index] = places(op.src[operand], how.operand);
  };
  add(0, a, group.a, group.as);
  add(1, b, group.b, group.bs);
  part.a_end = static_cast<std::uint8_t>(group.as);
  part.b_end = static_cast<std::uint8_t>(group.bs);
  Op& widen = ops_->back();
  widen.run = how.widen;
  widen.dst = std::bit_cast<std::uint32_t>(part);
  widen.imm = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&group));
  return true;
}

void MatrixGroups::come_before(const Effects& effects) {
  if (!open_) return;
  if (!effects.movable || (effects.reads & written_).any() ||
      (effects.writes & (written_ | read_)).any())
    return end_group();
  for (unsigned operand = 0; operand < 2; ++operand)
    for (unsigned i = 0; i < MatrixGroup::most; ++i)
      if ((effects.writes & operands_[operand][i]).any()) overwritten_[operand][i] = true;
}

void MatrixGroups::end_group() {
  if (!std::exchange(open_, false)) return;
  MatrixGroup& group = groups_->back();
  pair_chains(group);
  Op& op = ops_->emplace_back(*group.chain[0].first);
  op.run = sum_;
  op.imm = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&group));
}

}  // namespace hipsight::engine
