#include "engine/translate/analysis/affine.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "isa/entry.h"
#include "isa/instruction.h"

namespace hipsight::engine {
namespace {

std::uint8_t bits_of(std::uint32_t value) {
  return static_cast<std::uint8_t>(32 - std::countl_zero(value));
}
std::uint8_t limited(unsigned bits) {
  return static_cast<std::uint8_t>(std::min(bits, 32u));
}

/// Bits that change within a group lie below this one, if nothing is carried beyond; else none.
std::optional<unsigned> span_of(const Affine& a, unsigned group) {
  if (a.stride >> 31 || !a.sure) return std::nullopt;
  const unsigned span = a.stride ? bits_of(a.stride * (group - 1)) : 0;
  if (a.stride >= 1u << (32 - std::countr_zero(group)) || a.zeros < span) return std::nullopt;
  return span;
}

Affine add(const Affine& a, const Affine& b) {
  const bool sure = a.sure && b.sure;
  // Of two that grow, one's fault might hide the other's.
  if (!sure && a.stride && b.stride) return {};
  return {.known = a.known && b.known,
          .stride = a.stride + b.stride,
          .zeros = std::min(a.zeros, b.zeros),
          .bits = limited(std::max(a.bits, b.bits) + 1u),
          .sure = sure};
}
Affine shift_left(const Affine& a, unsigned n) {
  return {.known = a.known,
          .stride = a.stride << n,
          .zeros = limited(a.zeros + n),
          .bits = limited(a.bits + n),
          .sure = a.sure};
}
Affine shift_right(const Affine& a, unsigned n, unsigned group) {
  const auto span = span_of(a, group);
  if (!a.known || !span) return {};
  Affine r{.known = true,
           .stride = 0,
           .zeros = 0,
           .bits = limited(a.bits - std::min<unsigned>(a.bits, n))};
  if (*span <= n) return r;
  if (a.zeros < n || a.stride & ((1u << n) - 1))
    return {.bits = r.bits, .rough = static_cast<std::uint8_t>(*span - n)};
  r.stride = a.stride >> n;
  r.zeros = static_cast<std::uint8_t>(a.zeros - n);
  return r;
}
std::uint32_t below(unsigned bit) {
  return bit >= 32 ? ~0u : (1u << bit) - 1;
}
/// With a constant.
Affine mask(const Affine& a, std::uint32_t with, unsigned group) {
  const auto span = a.known ? span_of(a, group) : a.rough;
  if (!span) return {};
  // Bits below the stride's lowest one are 0.
  const std::uint32_t changing =
      below(*span) & ~below(a.stride ? static_cast<unsigned>(std::countr_zero(a.stride)) : 0);
  const Affine r{
      .known = true,
      .stride = 0,
      .zeros = std::max<std::uint8_t>(a.zeros, static_cast<std::uint8_t>(std::countr_zero(with))),
      .bits = std::min(a.bits, bits_of(with))};
  if ((with & changing) == 0) return r;
  if (!a.known || (with & changing) != changing)
    return {.bits = r.bits, .rough = bits_of(with & changing)};
  return {.known = true, .stride = a.stride, .zeros = a.zeros, .bits = r.bits};
}
/// Low bits that are 0 in every lane.
unsigned zeros_of(const Affine& a) {
  return std::min<unsigned>(a.zeros, static_cast<unsigned>(std::countr_zero(a.stride)));
}
Affine either(const Affine& a, const Affine& b, unsigned group) {
  // No bit in common: the same as a sum.
  if (a.known && b.known && (zeros_of(a) >= b.bits || zeros_of(b) >= a.bits)) {
    Affine sum = add(a, b);
    sum.bits = std::max(a.bits, b.bits);
    return sum;
  }
  if (a.uniform() && b.uniform()) return {.known = true, .bits = std::max(a.bits, b.bits)};
  const Affine &growing = a.stride ? a : b, &same = a.stride ? b : a;
  const auto span = span_of(growing, group);
  if (!same.uniform() || !growing.known || !span) return {};
  if (zeros_of(same) >= *span)  // bits beyond those that change
    return {.known = true,
            .stride = growing.stride,
            .zeros = std::min(growing.zeros, same.zeros),
            .bits = std::max(a.bits, b.bits)};
  // Bits that change from lane to lane and meet one that does not: then the last lane's is missing.
  return {.known = true, .stride = growing.stride, .sure = false};
}

/// An operand: what is known of it, and its value if it is constant.
struct Known {
  Affine affine;
  std::optional<std::uint32_t> value;
};
Known known_constant(std::uint32_t value) {
  return {{.known = true,
           .stride = 0,
           .zeros = static_cast<std::uint8_t>(std::countr_zero(value)),
           .bits = bits_of(value)},
          value};
}

Affine multiply(const Known& a, const Known& b) {
  const Known &constant = a.value ? a : b, &other = a.value ? b : a;
  if (!constant.value || !other.affine.known || !other.affine.sure) return {};
  const std::uint32_t c = *constant.value;
  return {
      .known = true,
      .stride = other.affine.stride * c,
      .zeros = limited(other.affine.zeros + (c ? static_cast<unsigned>(std::countr_zero(c)) : 32u)),
      .bits = limited(other.affine.bits + bits_of(c))};
}

Affine result_of(isa::Opcode opcode, std::span<const Known> k, unsigned group) {
  using enum isa::Opcode;
  const auto constant = [&](unsigned i) { return k[i].value; };
  const auto amount = [&](unsigned i) { return *constant(i) & 31; };
  const Affine none;
  const Affine &a = k[0].affine, &b = k.size() > 1 ? k[1].affine : none,
               &c = k.size() > 2 ? k[2].affine : none;
  const bool short_factors = a.bits <= 24 && b.bits <= 24;
  switch (opcode) {
    case V_MOV_B32:
      return a;
    case V_ADD_U32:
    case V_ADD_CO_U32:
      return add(a, b);
    case V_LSHLREV_B32:
      return constant(0) ? shift_left(b, amount(0)) : none;
    case V_LSHRREV_B32:
      return constant(0) ? shift_right(b, amount(0), group) : none;
    case V_AND_B32:
      return constant(0)   ? mask(b, *constant(0), group)
             : constant(1) ? mask(a, *constant(1), group)
                           : none;
    case V_OR_B32:
      return either(a, b, group);
    case V_MUL_LO_U32:
      return multiply(k[0], k[1]);
    case V_MUL_U32_U24:
      return short_factors ? multiply(k[0], k[1]) : none;
    case V_LSHL_ADD_U32:
      return constant(1) ? add(shift_left(a, amount(1)), c) : none;
    case V_ADD_LSHL_U32:
      return constant(2) ? shift_left(add(a, b), amount(2)) : none;
    case V_ADD3_U32:
      return add(add(a, b), c);
    case V_LSHL_OR_B32:
      return constant(1) ? either(shift_left(a, amount(1)), c, group) : none;
    case V_OR3_B32:
      return either(either(a, b, group), c, group);
    case V_AND_OR_B32:
      return constant(1) ? either(mask(a, *constant(1), group), c, group) : none;
    case V_BFE_U32:
      return constant(1) && constant(2)
                 ? mask(shift_right(a, amount(1), group), (1u << amount(2)) - 1, group)
                 : none;
    case V_MAD_U32_U24:
      return short_factors ? add(multiply(k[0], k[1]), c) : none;
    default:
      return none;
  }
}

/// What both say of a place.
template <class Known>
std::map<unsigned, Known> common(const std::map<unsigned, Known>& a,
                                 const std::map<unsigned, Known>& b) {
  std::map<unsigned, Known> both;
  for (const auto& [place, known] : a)
    if (const auto other = b.find(place); other != b.end() && other->second == known)
      both.emplace(place, known);
  return both;
}

Affinities meet(const Affinities& a, const Affinities& b) {
  Affinities met(a.group);
  met.pairs = common(a.pairs, b.pairs);
  met.clamped = common(a.clamped, b.clamped);
  met.constants = common(a.constants, b.constants);
  for (const auto& [place, x] : a.words) {
    const auto y = b.words.find(place);
    if (y == b.words.end() || y->second.known != x.known || y->second.stride != x.stride) continue;
    met.words[place] = {.known = x.known,
                        .stride = x.stride,
                        .zeros = std::min(x.zeros, y->second.zeros),
                        .bits = std::max(x.bits, y->second.bits),
                        .rough = std::max(x.rough, y->second.rough),
                        .sure = x.sure && y->second.sure};
  }
  return met;
}

}  // namespace

namespace {

bool is_word(isa::Type type) {
  return type == isa::Type::U32 || type == isa::Type::I32;
}
/// Strides beyond this are not followed.
constexpr std::int64_t widest = 1 << 26;

/// What an op makes of pairs of registers.
class PairStep {
 public:
  PairStep(const Affinities& now, const Op& op, const RegisterFile& file)
      : now_(now), op_(op), file_(file) {}

  std::optional<std::int64_t> pair;                             ///< of the result, if it is one
  std::optional<Affine> low;                                    ///< of its first register
  std::optional<std::pair<unsigned, std::int64_t>> other_pair;  ///< completed by the result
  std::optional<Carry> carry;
  std::optional<Clamped> clamped;

  void run() {
    using enum isa::Opcode;
    switch (op_.instruction->row->opcode) {
      case V_ASHRREV_I32:
        return extend();
      case V_LSHLREV_B64:
        return shift();
      case V_LSHL_ADD_U64:
        return shift_and_add();
      case V_MAD_U64_U32:
      case V_MAD_I64_I32:
        return multiply_and_add();
      case V_MOV_B64:
        return move();
      case V_ADD_CO_U32:
        return add_low();
      case V_ADDC_CO_U32:
        return add_high();
      case V_MIN_I32:
      case V_MAX_I32:
        return clamp(true);
      case V_MIN_U32:
      case V_MAX_U32:
        return clamp(false);
      default:
        return;
    }
  }

 private:
  unsigned place_of(std::uint64_t offset) const {
    return place::at(static_cast<std::uint32_t>(offset), file_.lanes * 4);
  }
  std::optional<std::uint32_t> constant(unsigned i) const {
    if (op_.base[i] != Base::Constant) return std::nullopt;
    return *reinterpret_cast<const std::uint32_t*>(op_.src[i]);
  }
  bool is_scalar(unsigned i) const {
    return op_.base[i] == Base::Constant || op_.broadcast >> i & 1;
  }
  Affine word(unsigned i) const {
    if (is_scalar(i)) return {.known = true};
    const auto at = now_.words.find(place_of(op_.src[i]));
    return op_.step[i] && at != now_.words.end() ? at->second : Affine{};
  }
  std::optional<std::int64_t> pair_of(unsigned i) const {
    if (is_scalar(i)) return 0;
    return op_.step[i] ? now_.pair_at(place_of(op_.src[i])) : std::nullopt;
  }
  static std::optional<std::int64_t> sum(std::optional<std::int64_t> a,
                                         std::optional<std::int64_t> b) {
    // Of two that grow, both might wrap.
    if (!a || !b || (*a && *b)) return std::nullopt;
    return *a + *b;
  }
  static std::optional<std::int64_t> shifted(std::optional<std::int64_t> a, unsigned n) {
    if (!a || n > 16) return std::nullopt;
    const std::int64_t r = *a * (1 << n);
    return r > widest || r < -widest ? std::nullopt : std::optional(r);
  }

  void extend() {
    if (constant(0) != 31 || !op_.step[1]) return;
    const unsigned low_place = place_of(op_.src[1]);
    if (place_of(op_.dst) != low_place + 1) return;
    if (const auto cut = clamped_word(1, true))
      other_pair = {low_place, cut->stride};
    else if (const auto stride = signed_stride(word(1)))
      other_pair = {low_place, *stride};
  }
  std::optional<Clamped> clamped_word(unsigned i, bool is_signed) const {
    if (!op_.step[i]) return std::nullopt;
    const auto at = now_.clamped.find(place_of(op_.src[i]));
    if (at == now_.clamped.end() || at->second.is_signed != is_signed) return std::nullopt;
    return at->second;
  }
  void clamp(bool is_signed) {
    for (unsigned i = 0; i < 2; ++i) {
      if (!word(1 - i).uniform()) continue;
      const Affine growing = word(i);
      if (const auto before = clamped_word(i, is_signed))
        clamped = before;
      else if (const auto stride = signed_stride(growing);
               stride && *stride && (growing.sure || *stride > 0))
        clamped = Clamped{*stride, is_signed};
    }
  }
  void shift() {
    const auto n = constant(0);
    if (!n) return;
    pair = shifted(pair_of(1), *n & 63);
    low = shift_left(word(1), *n & 31);
    if ((*n & 63) > 31) low.reset();
  }
  void shift_and_add() {
    const auto n = constant(1);
    if (!n || (*n & 7) > 4) return;
    pair = sum(shifted(pair_of(0), *n & 7), pair_of(2));
    low = add(shift_left(word(0), *n & 7), word(2));
  }
  void multiply_and_add() {
    if (!word(0).uniform() || !word(1).uniform()) return;
    pair = pair_of(2);
    low = add(Affine{.known = true}, word(2));
  }
  void move() {
    pair = pair_of(0);
    low = word(0);
  }
  void add_low() {
    if (!(op_.flags & flag::write_bits)) return;
    carry = Carry{.low = place_of(op_.dst), .operand = {}};
    for (unsigned i = 0; i < 2; ++i) {
      Carry::Operand& operand = carry->operand[i];
      operand.stride = pair_of(i);
      if (op_.step[i]) operand.high = place_of(op_.src[i]) + 1;
      if (const auto cut = clamped_word(i, false))
        operand.word_stride = cut->stride;
      else
        operand.word_stride = signed_stride(word(i));
    }
  }
  void add_high() {
    if (op_.base[2] != Base::Wave) return;
    const auto found = now_.carries.find(place_of(op_.src[2]));
    if (found == now_.carries.end() || place_of(op_.dst) != found->second.low + 1) return;
    // High halves of scalars are taken for what they are: they do not change from lane to lane.
    const auto stride = [&](const Carry::Operand& operand, unsigned high) {
      if (op_.step[high] ? operand.high == place_of(op_.src[high]) : !operand.high)
        return operand.stride;
      return operand.high && constant(high) == 0 ? operand.word_stride : std::nullopt;
    };
    const auto& [a, b] = found->second.operand;
    auto both = sum(stride(a, 0), stride(b, 1));
    if (!both) both = sum(stride(a, 1), stride(b, 0));
    if (both) other_pair = {found->second.low, *both};
  }

  const Affinities& now_;
  const Op& op_;
  const RegisterFile& file_;
};

/// Forgets what is said of places that are written.
void forget(Affinities& now, const Places& written) {
  const auto is_written = [&](const auto& at) { return written.test(at.first); };
  std::erase_if(now.words, is_written);
  std::erase_if(now.constants, is_written);
  std::erase_if(now.clamped, is_written);
  std::erase_if(now.pairs, [&](const auto& pair) {
    return written.test(pair.first) || written.test(pair.first + 1);
  });
  std::erase_if(now.carries, [&](const auto& at) {
    const Carry& carry = at.second;
    const auto changed = [&](unsigned place) { return place && written.test(place); };
    return written.test(at.first) || written.test(at.first + 1) || changed(carry.low) ||
           changed(carry.operand[0].high) || changed(carry.operand[1].high);
  });
}

}  // namespace

std::optional<std::int64_t> signed_stride(const Affine& a) {
  const auto stride = static_cast<std::int32_t>(a.stride);
  if (!a.known || stride > widest || stride < -widest) return std::nullopt;
  return stride;
}

std::optional<std::int64_t> Affinities::pair_at(unsigned place) const {
  if (const auto found = pairs.find(place); found != pairs.end()) return found->second;
  const auto low = words.find(place), high = words.find(place + 1);
  if (high == words.end() || !high->second.uniform()) return std::nullopt;
  if (const auto cut = clamped.find(place); cut != clamped.end() && !cut->second.is_signed)
    return cut->second.stride;
  return low == words.end() ? std::nullopt : signed_stride(low->second);
}

void AffineFlow::step(Affinities& now, const Op& op, const RegisterFile& file, bool all_lanes) {
  const Effects effects = effects_of(op, file);
  Affine result;
  const isa::Shape* shape = op.shape;
  const bool plain =
      shape && shape->form == isa::Form::Vector && !op.prepare && !op.finish && all_lanes;
  bool uniform = plain;
  if (plain && is_word(shape->result)) {
    Known known[4];
    for (unsigned i = 0; i < shape->operands; ++i) {
      const isa::Type type = shape->operand[i];
      if (op.base[i] == Base::Constant && is_word(type)) {
        known[i] = known_constant(*reinterpret_cast<const std::uint32_t*>(op.src[i]));
      } else if (op.broadcast >> i & 1 && is_word(type)) {
        const auto constant = now.constants.find(place::at(op.origin[i], file.lanes * 4));
        if (constant != now.constants.end())
          known[i] = known_constant(constant->second);
        else
          known[i].affine = {.known = true};
      } else if (op.step[i] && is_word(type)) {
        const auto at =
            now.words.find(place::at(static_cast<std::uint32_t>(op.src[i]), file.lanes * 4));
        if (at != now.words.end()) known[i].affine = at->second;
      }
      uniform &= known[i].affine.uniform();
    }
    const isa::Instruction& in = *op.instruction;
    result = result_of(in.row->opcode, std::span(known).first(shape->operands), now.group);
    const bool by_lane =
        in.is(isa::Opcode::V_MBCNT_LO_U32_B32) || in.is(isa::Opcode::V_MBCNT_HI_U32_B32);
    if (!result.known && uniform && !by_lane) result = {.known = true};
  }
  PairStep pairs(now, op, file);
  if (plain) pairs.run();
  forget(now, effects.writes);
  if (!effects.movable && op.instruction->format > isa::Format::Smem) now = Affinities(now.group);
  if (!effects.complete) now.constants.clear();
  const unsigned to = place::at(op.dst, file.lanes * 4);
  if (pairs.low && pairs.low->known) result = *pairs.low;
  if (result.known || result.rough < 32) now.words[to] = result;
  if (shape && op.instruction->is(isa::Opcode::S_MOVK_I32))
    now.constants[to] = *reinterpret_cast<const std::uint32_t*>(op.src[1]);
  if (shape && op.instruction->is(isa::Opcode::S_MOV_B32) && op.base[0] == Base::Constant)
    now.constants[to] = *reinterpret_cast<const std::uint32_t*>(op.src[0]);
  if (pairs.pair) now.pairs[to] = *pairs.pair;
  if (pairs.pair == 0) now.words[to] = now.words[to + 1] = {.known = true};
  if (pairs.other_pair) now.pairs[pairs.other_pair->first] = pairs.other_pair->second;
  if (pairs.carry) now.carries[place::at(op.bit_dst, file.lanes * 4)] = *pairs.carry;
  if (pairs.clamped) now.clamped[to] = *pairs.clamped;
}

AffineFlow::AffineFlow(std::span<const Region> regions, const Liveness& liveness, bool kernel,
                       unsigned group)
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
  Affinities first(group);
  // Work-item numbers: x in the low ten bits of v0, y and z above (LLVM's AMDGPUUsage, "VGPR").
  if (kernel)
    first.words[place::vector] = {.known = true,
                                  .stride = 1,
                                  .zeros = static_cast<std::uint8_t>(std::countr_zero(group)),
                                  .bits = 30};
  enter(0, first);
  for (std::size_t r = 1; r < regions.size(); ++r)
    if (liveness.is_entered_from_elsewhere(r)) enter(r, Affinities(group));
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
