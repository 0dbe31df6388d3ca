#include "engine/translate/analysis/lane_masks.h"

#include <cstring>
#include <memory>
#include <vector>

#include "engine/launch/wave.h"
#include "engine/program/program.h"
#include "isa/entry.h"
#include "isa/instruction.h"

namespace hipsight::engine {
namespace {

constexpr unsigned source_0 = 0, source_1 = 2, destination = 4;  // scalar registers

/// The result and EXEC after an op's code has run on these values.
struct Outcome {
  std::uint64_t result, exec;
  std::uint32_t scc;
};
Outcome run(const Op& op, std::uint64_t a, std::uint64_t b, std::uint64_t exec, std::uint32_t scc) {
  const auto wave = std::make_unique<Wave>();
  std::memset(wave->scalar, 0, sizeof wave->scalar);
  wave->set_pair(source_0, a);
  wave->set_pair(source_1, b);
  wave->set_pair(reg::exec, exec);
  wave->scc = scc;
  const auto at = [](unsigned index) {
    return static_cast<std::uint32_t>(offsetof(Wave, scalar) + index * sizeof(std::uint32_t));
  };
  // Code goes on to the next op by itself.
  Op code[2]{op, {}};
  code[1].run = [](Wave&, const Op*) -> const Op* { return nullptr; };
  Op& copy = code[0];
  copy.base[0] = copy.base[1] = Base::Wave;
  copy.src[0] = at(source_0);
  copy.src[1] = at(source_1);
  copy.dst = at(destination);
  copy.run(*wave, &copy);
  return {wave->pair(destination), wave->exec(), wave->scc};
}

std::uint64_t repeat(TruthTable table) {
  return table * 0x0101'0101'0101'0101ull;
}
/// A table's results for whole masks.
std::uint64_t on_masks(TruthTable table, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t result = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (table >> i & 1) result |= (i & 1 ? a : ~a) & (i & 2 ? b : ~b) & (i & 4 ? c : ~c);
  return result;
}

}  // namespace

std::optional<MaskOp> mask_op_of(const Op& op, const RegisterFile& file) {
  const isa::Instruction& in = *op.instruction;
  if (in.row->logic == isa::Logic::None || in.row->width != file.lanes) return std::nullopt;
  const std::uint64_t full = file.lanes == 64 ? ~0ull : 0xffff'ffffull;
  // Every combination of three bits, again and again.
  constexpr std::uint64_t a = 0xaaaa'aaaa'aaaa'aaaa, b = 0xcccc'cccc'cccc'cccc,
                          c = 0xf0f0'f0f0'f0f0'f0f0;
  const Outcome first = run(op, a & full, b & full, c & full, 0);
  const MaskOp found{static_cast<TruthTable>(first.result), static_cast<TruthTable>(first.exec),
                     run(op, a & full, b & full, c & full, 1).scc == first.scc};
  if (first.result != (repeat(found.result) & full) || first.exec != (repeat(found.exec) & full))
    return std::nullopt;
  // On other masks a lane's result is no different; and SCC has no part in it.
  std::uint64_t mixed = 0x9e37'79b9'7f4a'7c15;
  const auto next = [&] {
    mixed ^= mixed << 13;
    mixed ^= mixed >> 7;
    mixed ^= mixed << 17;
    return mixed & full;
  };
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint64_t x = next(), y = next(), z = next();
    const Outcome outcome = run(op, x, y, z, i & 1);
    if (outcome.result != (on_masks(found.result, x, y, z) & full) ||
        outcome.exec != (on_masks(found.exec, x, y, z) & full))
      return std::nullopt;
  }
  return found;
}

LaneBit apply(TruthTable table, const std::array<LaneBit, 3>& bits) {
  // Bits that are not known are variables; the same ones are one.
  std::vector<LaneBit> variables;
  std::array<unsigned, 3> variable{};
  for (unsigned i = 0; i < 3; ++i) {
    if (bits[i].kind == LaneBit::Kind::Zero || bits[i].kind == LaneBit::Kind::One) continue;
    variable[i] = static_cast<unsigned>(variables.size());
    if (bits[i].kind == LaneBit::Kind::Initial)
      for (unsigned v = 0; v < variables.size(); ++v)
        if (variables[v] == bits[i]) variable[i] = v;
    if (variable[i] == variables.size()) variables.push_back(bits[i]);
  }
  const unsigned cases = 1u << variables.size();
  unsigned result = 0;
  for (unsigned values = 0; values < cases; ++values) {
    unsigned index = 0;
    for (unsigned i = 0; i < 3; ++i) {
      const bool constant =
          bits[i].kind == LaneBit::Kind::Zero || bits[i].kind == LaneBit::Kind::One;
      const bool bit =
          constant ? bits[i].kind == LaneBit::Kind::One : (values >> variable[i] & 1) != 0;
      index |= static_cast<unsigned>(bit) << i;
    }
    result |= (table >> index & 1u) << values;
  }
  if (result == 0) return LaneBit::zero();
  if (result == (1u << cases) - 1) return {LaneBit::Kind::One, 0};
  for (unsigned v = 0; v < variables.size(); ++v) {
    unsigned column = 0;
    for (unsigned values = 0; values < cases; ++values) column |= (values >> v & 1u) << values;
    if (column == result && variables[v].kind == LaneBit::Kind::Initial) return variables[v];
  }
  return {};
}

}  // namespace hipsight::engine
