#include "check/numcheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "check/registers.h"
#include "engine/engine.h"
#include "isa/entry.h"
#include "isa/operand_use.h"

namespace hipsight::check {

using engine::Access;
using isa::Type;

Numcheck::Kind Numcheck::kind_of_f32(std::uint32_t bits) {
  if ((bits & 0x7f800000) != 0x7f800000) return Kind::Number;
  return bits & 0x7fffff ? Kind::NaN : Kind::Infinity;
}
Numcheck::Kind Numcheck::kind_of_f16(std::uint32_t bits) {
  if ((bits & 0x7c00) != 0x7c00) return Kind::Number;
  return bits & 0x3ff ? Kind::NaN : Kind::Infinity;
}
Numcheck::Kind Numcheck::kind_of_bf16(std::uint32_t bits) {
  return kind_of_f32(bits << 16);
}
Numcheck::Kind Numcheck::kind_of_f64(std::uint32_t low, std::uint32_t high) {
  if ((high & 0x7ff00000) != 0x7ff00000) return Kind::Number;
  return low || (high & 0xfffff) ? Kind::NaN : Kind::Infinity;
}

class Numcheck::Group final : public engine::GroupObserver {
 public:
  Group(Numcheck& all, std::uint64_t number) : all_(all), number_(number) {}
  engine::Wants wants() const override { return {.regions = false}; }
  bool steps(unsigned) const override { return true; }
  void workgroup_ends() override { waves_ = {}; }

  void wave_begins(unsigned wave, std::uint64_t) override {
    if (waves_.size() <= wave) waves_.resize(wave + 1);
    waves_[wave] = {};
  }
  void step(unsigned wave, const engine::Step& step) override {
    Registers& held = waves_[wave];
    // What it reads is what was there before.
    const std::vector<Made> all =
        step.instruction ? made_by(*step.instruction) : std::vector<Made>();
    std::vector<Sources> sources;
    for (const Made& made : all) sources.push_back(sources_of(held, *step.instruction, made.types));
    for (const engine::Written& one : step.written) held.set(one, all_.lanes_);
    if (!step.instruction) return;
    for (std::size_t i = 0; i < all.size(); ++i) look(wave, *step.instruction, all[i], sources[i]);
    if (step.instruction->row->memory.does == isa::MemoryAccess::Does::Load &&
        step.instruction->row->pipe != isa::Pipe::Lds)
      loaded(wave, step);
  }
  void accesses(unsigned wave, const isa::Instruction& in, const Access& access) override {
    if (access.space == Access::Space::Lds || access.space == Access::Space::Scratch ||
        !access.stores() || births_.empty())
      return;
    const isa::Operand& data = in.src[1];
    if (data.where != isa::Where::Vgpr && data.where != isa::Where::Agpr) return;
    const Registers& held = waves_[wave];
    for (std::uint64_t left = access.touching(); left; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      for (unsigned i = 0; i < (access.bytes + 3) / 4; ++i)
        if (is_bad(held.at(data, i, lane), access.bytes == 2)) return tell(in);
    }
  }

 private:
  /// Floats that an instruction makes: where, and of which types it makes them.
  struct Made {
    isa::Operand in;
    Type type;
    unsigned registers;
    bool packed;  ///< two halves of a register
    std::vector<Type> types;
  };
  static bool is_float(Type type) {
    return type == Type::F32 || type == Type::F64 || type == Type::F16 || type == Type::BF16;
  }
  static std::vector<Made> made_by(const isa::Instruction& in) {
    std::vector<Made> made;
    const auto entry = [&](const isa::Row& row, const isa::Operand& dst) {
      if (row.kind != isa::Kind::Entry || !row.shape || !is_float(row.shape->result)) return;
      if (dst.where != isa::Where::Vgpr && dst.where != isa::Where::Agpr) return;
      const isa::Shape& shape = *row.shape;
      made.push_back({.in = dst,
                      .type = shape.result,
                      .registers = shape.registers(shape.result),
                      .packed = shape.form == isa::Form::Packed && isa::is_16_bit(shape.result),
                      .types = {shape.operand.begin(), shape.operand.begin() + shape.operands}});
    };
    if (in.row->kind == isa::Kind::Matrix && in.row->result == isa::Number::F32)
      made.push_back({in.dst,
                      Type::F32,
                      isa::matrix_registers(in, 2, 64),
                      false,
                      {Type::F32, in.row->number == isa::Number::F16    ? Type::F16
                                  : in.row->number == isa::Number::BF16 ? Type::BF16
                                                                        : Type::F32}});
    entry(*in.row, in.dst);
    if (in.row_y) entry(*in.row_y, in.dst_y);
    return made;
  }

  static Kind kind(Type type, std::uint32_t low, std::uint32_t high, bool packed) {
    const auto worse = [](Kind a, Kind b) { return std::max(a, b); };
    switch (type) {
      case Type::F32:
        return kind_of_f32(low);
      case Type::F64:
        return kind_of_f64(low, high);
      case Type::F16:
        return packed ? worse(kind_of_f16(low), kind_of_f16(low >> 16)) : kind_of_f16(low);
      case Type::BF16:
        return packed ? worse(kind_of_bf16(low), kind_of_bf16(low >> 16)) : kind_of_bf16(low);
      default:
        return Kind::Number;
    }
  }

  /// Lanes of whose sources one is a NaN, or an infinity; all of them where lanes exchange values.
  struct Sources {
    std::uint64_t nan = 0, infinity = 0;
  };
  Sources sources_of(const Registers& held, const isa::Instruction& in,
                     const std::vector<Type>& types) const {
    const bool exchanges = in.row->kind == isa::Kind::Matrix || in.variant == isa::Variant::Dpp16 ||
                           in.variant == isa::Variant::Dpp8;
    Sources bad;
    const auto look = [&](const isa::Operand& operand, unsigned registers) {
      for (const Type type : types)
        for (unsigned i = 0; is_float(type) && i < registers; i += type == Type::F64 ? 2 : 1)
          for (unsigned lane = 0; lane < all_.lanes_; ++lane) {
            const Kind one =
                kind(type, held.at(operand, i, lane), held.at(operand, i + 1, lane), true);
            if (one == Kind::Number) continue;
            (one == Kind::NaN ? bad.nan : bad.infinity) |= std::uint64_t{1} << lane;
          }
    };
    if (is_fixup(in)) {
      for (const unsigned i : {1u, 2u})
        look(in.src[i], in.is(isa::Opcode::V_DIV_FIXUP_F64) ? 2 : 1);
      return bad;
    }
    for (const isa::OperandUse& use : isa::operand_uses(in, all_.lanes_))
      if (use.reads) look(use.operand, use.registers);
    for (const isa::Operand& operand : in.src)
      if (operand.where == isa::Where::Constant && operand.literal) look(operand, 1);
    if (exchanges) return {bad.nan ? ~std::uint64_t{0} : 0, bad.infinity ? ~std::uint64_t{0} : 0};
    return bad;
  }
  /// The last step of a division, which puts right what those before it made of special values:
  /// its result is that of the numerator and the denominator.
  static bool is_fixup(const isa::Instruction& in) {
    return in.is(isa::Opcode::V_DIV_FIXUP_F32) || in.is(isa::Opcode::V_DIV_FIXUP_F64) ||
           in.is(isa::Opcode::V_DIV_FIXUP_F16);
  }
  /// And its first one, whose NaNs are meant.
  static bool is_scale(const isa::Instruction& in) {
    return in.is(isa::Opcode::V_DIV_SCALE_F32) || in.is(isa::Opcode::V_DIV_SCALE_F64);
  }

  void look(unsigned wave, const isa::Instruction& in, const Made& made, const Sources& from) {
    if (is_scale(in)) return;
    const Registers& held = waves_[wave];
    const unsigned step = made.type == Type::F64 ? 2 : 1;
    for (unsigned i = 0; i < made.registers; i += step)
      for (unsigned lane = 0; lane < all_.lanes_; ++lane) {
        const Kind now =
            kind(made.type, held.at(made.in, i, lane), held.at(made.in, i + 1, lane), made.packed);
        // A NaN may be born of infinities.
        const std::uint64_t bad = now == Kind::NaN ? from.nan : from.nan | from.infinity;
        if (now == Kind::Number || bad >> lane & 1) continue;
        has_halves_ |= isa::is_16_bit(made.type);
        note({&in, now}, {.wave = wave, .lane = lane, .count = 1});
      }
  }
  /// What comes from memory and is no number as f32: told if nothing is born here.
  void loaded(unsigned wave, const engine::Step& step) {
    for (const engine::Written& one : step.written) {
      if (one.file != engine::Written::File::Vector) continue;
      for (std::uint64_t left = one.mask; left; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        if (const Kind now = kind_of_f32(one.values[lane]); now != Kind::Number)
          note({step.instruction, now}, {.wave = wave, .lane = lane, .count = 1, .loaded = true});
      }
    }
  }
  void note(const Cause& cause, const Birth& birth) {
    const auto [known, is_new] = births_.try_emplace(cause, birth);
    if (!is_new) ++known->second.count;
  }

  bool is_bad(std::uint32_t value, bool half) const {
    if (half) return kind_of_f16(value) != Kind::Number;
    return kind_of_f32(value) != Kind::Number ||
           (has_halves_ &&
            (kind_of_f16(value) != Kind::Number || kind_of_f16(value >> 16) != Kind::Number));
  }
  void tell(const isa::Instruction& store) {
    const bool any_born =
        std::ranges::any_of(births_, [](const auto& one) { return !one.second.loaded; });
    for (const auto& [cause, birth] : births_)
      if (!any_born || !birth.loaded) all_.add(number_, cause, birth, store);
    births_.clear();
  }

  Numcheck& all_;
  const std::uint64_t number_;
  std::vector<Registers> waves_;
  std::map<Cause, Birth> births_;  ///< since the last store of one
  bool has_halves_ = false;        ///< 16-bit floats were born
};

std::unique_ptr<engine::GroupObserver> Numcheck::watcher_of(std::uint64_t workgroup) {
  return std::make_unique<Group>(*this, workgroup);
}

void Numcheck::add(std::uint64_t workgroup, const Cause& cause, const Birth& birth,
                   const isa::Instruction& store) {
  const auto& [in, kind] = cause;
  found_.add(workgroup, cause, birth.count, [&] {
    const char* const what = kind == Kind::NaN ? "NaN" : "infinity";
    const std::string sentence =
        birth.loaded
            ? fmt::format("a kernel stores what it has loaded: {}", what)
            : fmt::format("{} is born{}, and stored", what, kind == Kind::NaN ? "" : " of numbers");
    return Finding{.tool = "numcheck",
                   .text = fmt::format("{}\n  kernel      {}\n  {}        {}\n  stored      {}\n"
                                       "  workgroup   {}, wave {}, lane {}",
                                       sentence, kernel_, birth.loaded ? "load" : "born",
                                       place_text(*listing_, *in), place_text(*listing_, store),
                                       workgroup, birth.wave, birth.lane),
                   .address = in->address,
                   .other = static_cast<std::uint64_t>(kind),
                   .kernel = kernel_,
                   .at = location_of(*listing_, *in),
                   .second = location_of(*listing_, store)};
  });
}

}  // namespace hipsight::check
