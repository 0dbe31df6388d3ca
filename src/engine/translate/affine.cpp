#include "engine/translate/affine.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>

#include "isa/entry.h"
#include "isa/instruction.h"

namespace hipsight::engine {
namespace {

constexpr unsigned log_group = std::countr_zero(Affine::group);

std::uint8_t bits_of(std::uint32_t value) {
  return static_cast<std::uint8_t>(32 - std::countl_zero(value));
}
std::uint8_t limited(unsigned bits) {
  return static_cast<std::uint8_t>(std::min(bits, 32u));
}

/// Bits that change within a group lie below this one, if nothing is carried beyond; else none.
std::optional<unsigned> span_of(const Affine& a) {
  if (a.stride >> 31) return std::nullopt;
  const unsigned span = a.stride ? bits_of(a.stride * (Affine::group - 1)) : 0;
  if (a.stride >= 1u << (32 - log_group) || a.zeros < span) return std::nullopt;
  return span;
}

Affine add(const Affine& a, const Affine& b) {
  return {.known = a.known && b.known,
          .stride = a.stride + b.stride,
          .zeros = std::min(a.zeros, b.zeros),
          .bits = limited(std::max(a.bits, b.bits) + 1u)};
}
Affine shift_left(const Affine& a, unsigned n) {
  return {.known = a.known,
          .stride = a.stride << n,
          .zeros = limited(a.zeros + n),
          .bits = limited(a.bits + n)};
}
Affine shift_right(const Affine& a, unsigned n) {
  const auto span = span_of(a);
  if (!a.known || !span) return {};
  Affine r{.known = true,
           .stride = 0,
           .zeros = 0,
           .bits = limited(a.bits - std::min<unsigned>(a.bits, n))};
  if (*span <= n) return r;
  if (a.zeros < n || a.stride & ((1u << n) - 1)) return {};
  r.stride = a.stride >> n;
  r.zeros = static_cast<std::uint8_t>(a.zeros - n);
  return r;
}
/// With a constant.
Affine mask(const Affine& a, std::uint32_t with) {
  const auto span = span_of(a);
  if (!a.known || !span) return {};
  const std::uint32_t changing = *span == 32 ? ~0u : (1u << *span) - 1;
  const Affine r{
      .known = true,
      .stride = 0,
      .zeros = std::max<std::uint8_t>(a.zeros, static_cast<std::uint8_t>(std::countr_zero(with))),
      .bits = std::min(a.bits, bits_of(with))};
  if ((with & changing) == 0) return r;
  if ((with & changing) != changing) return {};
  return {.known = true, .stride = a.stride, .zeros = a.zeros, .bits = r.bits};
}
/// Low bits that are 0 in every lane.
unsigned zeros_of(const Affine& a) {
  return std::min<unsigned>(a.zeros, static_cast<unsigned>(std::countr_zero(a.stride)));
}
Affine either(const Affine& a, const Affine& b) {
  // No bit in common: the same as a sum.
  if (a.known && b.known && (zeros_of(a) >= b.bits || zeros_of(b) >= a.bits)) {
    Affine sum = add(a, b);
    sum.bits = std::max(a.bits, b.bits);
    return sum;
  }
  return {};
}

/// An operand: what is known of it, and its value if it is constant.
struct Known {
  Affine affine;
  std::optional<std::uint32_t> value;
};

Affine multiply(const Known& a, const Known& b) {
  const Known &constant = a.value ? a : b, &other = a.value ? b : a;
  if (!constant.value || !other.affine.known) return {};
  const std::uint32_t c = *constant.value;
  return {
      .known = true,
      .stride = other.affine.stride * c,
      .zeros = limited(other.affine.zeros + (c ? static_cast<unsigned>(std::countr_zero(c)) : 32u)),
      .bits = limited(other.affine.bits + bits_of(c))};
}

Affine result_of(std::string_view name, std::span<const Known> k) {
  const auto constant = [&](unsigned i) { return k[i].value; };
  const auto& a = k[0].affine;
  if (name == "V_MOV_B32") return a;
  if (k.size() < 2) return {};
  const auto& b = k[1].affine;
  if (name == "V_ADD_U32" || name == "V_ADD_CO_U32") return add(a, b);
  if (name == "V_LSHLREV_B32" && constant(0)) return shift_left(b, *constant(0) & 31);
  if (name == "V_LSHRREV_B32" && constant(0)) return shift_right(b, *constant(0) & 31);
  if (name == "V_AND_B32" && constant(0)) return mask(b, *constant(0));
  if (name == "V_AND_B32" && constant(1)) return mask(a, *constant(1));
  if (name == "V_OR_B32") return either(a, b);
  const bool short_factors = a.bits <= 24 && b.bits <= 24;
  if (name == "V_MUL_LO_U32" || (name == "V_MUL_U32_U24" && short_factors))
    return multiply(k[0], k[1]);
  if (k.size() < 3) return {};
  const auto& c = k[2].affine;
  if (name == "V_LSHL_ADD_U32" && constant(1)) return add(shift_left(a, *constant(1) & 31), c);
  if (name == "V_ADD_LSHL_U32" && constant(2)) return shift_left(add(a, b), *constant(2) & 31);
  if (name == "V_ADD3_U32") return add(add(a, b), c);
  if (name == "V_LSHL_OR_B32" && constant(1)) return either(shift_left(a, *constant(1) & 31), c);
  if (name == "V_OR3_B32") return either(either(a, b), c);
  if (name == "V_AND_OR_B32" && constant(1)) return either(mask(a, *constant(1)), c);
  if (name == "V_BFE_U32" && constant(1) && constant(2))
    return mask(shift_right(a, *constant(1) & 31), (1u << (*constant(2) & 31)) - 1);
  if (name == "V_MAD_U32_U24" && short_factors) return add(multiply(k[0], k[1]), c);
  return {};
}

Affinities meet(const Affinities& a, const Affinities& b) {
  Affinities met;
  for (const auto& [place, x] : a) {
    const auto y = b.find(place);
    if (y == b.end() || y->second.stride != x.stride) continue;
    met[place] = {.known = true,
                  .stride = x.stride,
                  .zeros = std::min(x.zeros, y->second.zeros),
                  .bits = std::max(x.bits, y->second.bits)};
  }
  return met;
}

}  // namespace

void AffineFlow::step(Affinities& now, const Op& op, const RegisterFile& file, bool all_lanes) {
  const Effects effects = effects_of(op, file);
  Affine result;
  const isa::Shape* shape = op.shape;
  const bool word = shape && shape->form == isa::Form::Vector && !op.prepare && !op.finish &&
                    (shape->result == isa::Type::U32 || shape->result == isa::Type::I32);
  if (word && all_lanes) {
    Known known[4];
    bool uniform = true;
    for (unsigned i = 0; i < shape->operands; ++i) {
      const isa::Type type = shape->operand[i];
      const bool is_word = type == isa::Type::U32 || type == isa::Type::I32;
      if (op.base[i] == Base::Constant && is_word) {
        const std::uint32_t value = *reinterpret_cast<const std::uint32_t*>(op.src[i]);
        known[i].value = value;
        known[i].affine = {.known = true,
                           .stride = 0,
                           .zeros = static_cast<std::uint8_t>(std::countr_zero(value)),
                           .bits = bits_of(value)};
      } else if (op.broadcast >> i & 1 && is_word) {
        known[i].affine = {.known = true};
      } else if (op.step[i] && is_word) {
        const auto at = now.find(place::at(static_cast<std::uint32_t>(op.src[i]), file.lanes * 4));
        if (at != now.end()) known[i].affine = at->second;
      }
      uniform &= known[i].affine.uniform();
    }
    result = result_of(shape->name, std::span(known).first(shape->operands));
    const bool by_lane = shape->name.starts_with("V_MBCNT");
    if (!result.known && uniform && !by_lane) result = {.known = true};
  }
  for (auto at = now.begin(); at != now.end();)
    at = effects.writes.test(at->first) ? now.erase(at) : std::next(at);
  if (!effects.movable && op.instruction->format > isa::Format::Smem) now.clear();
  if (result.known) now[place::at(op.dst, file.lanes * 4)] = result;
}

AffineFlow::AffineFlow(std::span<const Region> regions, const Liveness& liveness, bool kernel)
    : before_(regions.size()) {
  std::vector<bool> met(regions.size());
  std::vector<std::size_t> todo;
  const auto enter = [&](std::size_t r, const Affinities& state) {
    Affinities joined = met[r] ? meet(before_[r], state) : state;
    if (met[r] && joined == before_[r]) return;
    met[r] = true;
    before_[r] = std::move(joined);
    todo.push_back(r);
  };
  Affinities first;
  // Work-item numbers: x in the low ten bits of v0, y and z above (LLVM's AMDGPUUsage, "VGPR").
  if (kernel) first[place::vector] = {.known = true, .stride = 1, .zeros = log_group, .bits = 30};
  enter(0, first);
  for (std::size_t r = 1; r < regions.size(); ++r)
    if (liveness.is_entered_from_elsewhere(r)) enter(r, {});
  while (!todo.empty()) {
    const std::size_t r = todo.back();
    todo.pop_back();
    Affinities now = before_[r];
    for (const Op* op = regions[r].begin + 1; op != regions[r].end; ++op)
      step(now, *op, regions[r].file, liveness.all_lanes(r));
    for (const std::size_t next : liveness.next(r)) enter(next, now);
  }
}

}  // namespace hipsight::engine
