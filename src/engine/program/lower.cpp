#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "engine/launch/wave.h"
#include "engine/program/program.h"
#include "isa/entry.h"
#include "isa/matrix_scales.h"

namespace hipsight::engine {
namespace {

using isa::Format;
using isa::Operand;
using isa::Type;
using isa::Where;

std::uint32_t scalar_offset(unsigned index) {
  return static_cast<std::uint32_t>(offsetof(Wave, scalar) + index * 4);
}

/// The type as which a source reads an inline constant. v_fma_mix: f32, unless op_sel_hi is set.
Type type_of_constant(const isa::Instruction& in, const isa::Shape& shape, unsigned i) {
  const bool is_f32 = in.row->mixed && !(in.op_sel_hi >> i & 1);
  return is_f32 ? Type::F32 : shape.constant[i];
}

/// Whether an inline constant of 16 bits is in both halves of the source, not in the low one only:
/// on RDNA of V_PK_FMAC_F16 (LLVM, getPKFMACF16InlineEncoding), and of dot products of 16-bit
/// floats (RDNA3 and RDNA4 ISA, 7.2.1 f. and "Packed Math": but V_DOT2_F32_F16 of RDNA3 goes by
/// op_sel).
bool fills_both_halves(const isa::Instruction& in, const isa::Shape& shape, unsigned i) {
  if (!isa::is_rdna(in.gfx)) return false;
  if (in.is(isa::Opcode::V_PK_FMAC_F16)) return true;
  if (in.is(isa::Opcode::V_DOT2_F32_F16) && in.gfx == isa::Gfx::Gfx11) return false;
  return in.row->products == 2 && isa::is_16_bit(type_of_constant(in, shape, i)) &&
         isa::is_float(type_of_constant(in, shape, i));
}

/// Bits of a constant operand for a type, low and high register. Of 16-bit sources floats are
/// 16-bit floats in the low half, integers have all 32 bits, and floats of integer sources are f32
/// (LLVM, getInlineEncodingV216).
std::uint64_t constant_bits(const Operand& o, Type type, bool packed) {
  if (o.literal) {
    // A 32-bit literal is the high half of an f64, and is extended for 64-bit integers.
    if (type == Type::F64) return std::uint64_t{o.value} << 32;
    if (type == Type::I64)
      return static_cast<std::uint64_t>(
          static_cast<std::int64_t>(static_cast<std::int32_t>(o.value)));
    return o.value;
  }
  if (o.inline_float) {
    const float value = std::bit_cast<float>(o.value);
    const bool inverse_2_pi = o.value == 0x3e22f983;
    switch (type) {
      case Type::F16: {
        if (inverse_2_pi) return 0x3118;
        // 0.5, 1, 2 and 4 are exact: rebias the exponent.
        const std::uint32_t exponent = (o.value >> 23 & 0xff) - 127 + 15;
        return (o.value >> 16 & 0x8000) | exponent << 10;
      }
      case Type::BF16:
        return o.value >> 16;
      case Type::F64:
      case Type::I64:
      case Type::U64:
        return inverse_2_pi ? 0x3fc45f306dc9c882ull
                            : std::bit_cast<std::uint64_t>(static_cast<double>(value));
      default:
        return o.value;
    }
  }
  const auto extended =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(o.value)));
  if (isa::is_64_bit(type) || packed) return extended;
  return o.value;
}

std::uint64_t with_modifiers(std::uint64_t bits, const Operand& o, Type type) {
  const std::uint64_t sign = isa::is_16_bit(type)   ? 0x8000u
                             : isa::is_64_bit(type) ? 1ull << 63
                                                    : 0x80000000u;
  if (o.absolute) bits &= ~sign;
  if (o.negate) bits ^= sign;
  return bits;
}

struct Lowering {
  const LoweringContext& context;
  ConstantPool& constants;
  const bool rdna = isa::is_rdna(context.gfx);
  const std::uint32_t register_bytes = context.file.lanes * 4;
  Operand missing{};  ///< a register that is named, and that waves do not have

  std::uint32_t vector_offset(const Operand& o) const {
    // Registers beyond the last one fall into the slack behind them.
    const RegisterFile& file = context.file;
    const unsigned index =
        std::min(o.index + (o.where == Where::Agpr ? file.vgprs : 0), file.vgprs + file.agprs);
    return static_cast<std::uint32_t>(sizeof(Wave) + index * register_bytes);
  }
  /// Whether the register exists; code that names others is malformed. Where accumulators begin
  /// does not end the others: both are of one file (LLVM AMDGPUUsage, ACCUM_OFFSET: "offset of a
  /// first AccVGPR in the unified register file").
  bool exists(const Operand& o, unsigned registers) {
    if (o.where != Where::Vgpr && o.where != Where::Agpr) return true;
    const RegisterFile& file = context.file;
    const unsigned last = o.index + registers;
    if (last <= (o.where == Where::Agpr ? file.agprs : file.vgprs + file.agprs)) return true;
    missing = {.where = o.where, .index = static_cast<std::uint16_t>(last - 1)};
    return false;
  }
  std::uint32_t scalar_destination(const Operand& o) const {
    const bool null = rdna && o.index == reg::null_rdna;
    return scalar_offset(null ? reg::trash : o.index);
  }
  /// Values of the special source codes (ISA manuals, "Scalar operands"); LDS and scratch apertures
  /// are hipsight's own choice of addresses that no host pointer has.
  static std::optional<std::uint64_t> special(unsigned code) {
    switch (code) {
      case 235:
        return aperture::shared_base;
      case 236:
        return aperture::shared_base + aperture::size - 1;
      case 237:
        return aperture::private_base;
      case 238:
        return aperture::private_base + aperture::size - 1;
      default:
        return std::nullopt;
    }
  }

  /// Sixteen-bit registers of true16 encodings: bit 7 of the register says which half.
  void split_half(isa::Instruction& in, Operand& o, Type type) const {
    const bool short_form =
        in.format == Format::Vop1 || in.format == Format::Vop2 || in.format == Format::Vopc;
    if (rdna && short_form && isa::is_16_bit(type) && o.where == Where::Vgpr && o.index >= 128) {
      o.index = static_cast<std::uint16_t>(o.index & 127);
      o.high = true;
    }
  }

  /// False when the operand has no place hipsight knows.
  bool place_vector_source(isa::Instruction& in, Op& op, const isa::Shape& shape, unsigned i) {
    const Type type = shape.operand[i];
    Operand& o = shape.old[i] ? in.dst : in.src[i];
    const bool packed = shape.form == isa::Form::Packed;
    const bool packed_pair = packed && !isa::is_16_bit(type);
    if (type == Type::B1) {
      if (o.where == Where::Sgpr)
        op.src[i] = scalar_offset(o.index);
      else if (o.where == Where::Constant)
        op.base[i] = Base::Constant,
        op.src[i] = constants.scalar(constant_bits(o, Type::I64, false));
      else
        return false;
      return true;
    }
    if (!packed) split_half(in, o, type);
    const bool half = !packed && o.high && isa::is_16_bit(type);
    const bool modified =
        !packed && !shape.old[i] &&
        (o.negate || o.absolute || half || (in.variant == isa::Variant::Sdwa && o.select != 6));
    const bool permuted =
        i == 0 && (in.variant == isa::Variant::Dpp16 || in.variant == isa::Variant::Dpp8);
    switch (o.where) {
      case Where::Vgpr:
      case Where::Agpr:
        if (!exists(o, shape.registers(type))) return false;
        op.step[i] = 64;
        if (modified || permuted || (shape.old[i] && half)) {
          op.prepare |= 1u << i;
          op.vector_origin |= 1u << i;
          op.origin[i] = vector_offset(o);
          op.src[i] = offsetof(Wave, temporary) + i * Wave::temporary_bytes;
        } else {
          op.src[i] = vector_offset(o);
        }
        return true;
      case Where::Sgpr:
        op.origin[i] = scalar_offset(o.index);
        op.src[i] = offsetof(Wave, temporary) + i * Wave::temporary_bytes;
        if (modified || permuted) {
          op.prepare |= 1u << i;
          op.step[i] = 64;
        } else {
          op.broadcast |= 1u << i;
        }
        return true;
      case Where::Constant:
      case Where::Special: {
        std::uint64_t bits;
        if (o.where == Where::Constant) {
          bits = constant_bits(o, type_of_constant(in, shape, i), packed_pair);
          if (!o.literal && fills_both_halves(in, shape, i)) bits = (bits & 0xffff) * 0x10001;
          if (half) bits >>= 16;
          bits = with_modifiers(bits, o, type);
        } else if (const auto value = special(o.index)) {
          bits = *value;
        } else {
          return false;
        }
        op.base[i] = Base::Constant;
        op.src[i] = constants.slices(static_cast<std::uint32_t>(bits),
                                     static_cast<std::uint32_t>(bits >> 32));
        return true;
      }
      case Where::None:
        return false;
    }
    return false;
  }

  bool place_scalar_source(isa::Instruction& in, Op& op, const isa::Shape& shape, unsigned i) {
    const Type type = shape.operand[i];
    if (type == Type::B1) return true;  // SCC
    const Operand& o = shape.old[i] ? in.dst : in.src[i];
    switch (o.where) {
      case Where::Sgpr:
        op.src[i] = scalar_offset(o.index);
        return true;
      case Where::Constant:
        op.base[i] = Base::Constant;
        op.src[i] = constants.scalar(constant_bits(o, type, false));
        return true;
      case Where::Special:
        if (const auto value = special(o.index)) {
          op.base[i] = Base::Constant;
          op.src[i] = constants.scalar(*value);
          return true;
        }
        if (o.index == 253 && !isa::is_64_bit(type)) {
          op.src[i] = offsetof(Wave, scc);
          return true;
        }
        return false;
      default:
        return false;
    }
  }

  /// Where a 16-bit result goes. On GFX9 the instructions that also have short encodings clear the
  /// other half, VOP3-only ones keep it, but for those called legacy; on later GPUs all keep it
  /// (LLVM, GCNSubtarget::zeroesHigh16BitsOfDest; Vega ISA, V_MAD_LEGACY_U16).
  Half half_of(isa::Instruction& in, const isa::Shape& shape) {
    if (shape.form == isa::Form::Packed || !isa::is_16_bit(shape.result)) return Half::Zero;
    split_half(in, in.dst, shape.result);
    if (in.dst.high) return Half::KeepLow;
    if (rdna) return Half::KeepHigh;
    if (in.row->clears_half) return Half::Zero;
    constexpr unsigned first_vop3_only = 0x1c0;
    const bool vop3_only =
        in.format == Format::Vop3p ||
        (in.format == Format::Vop3 && (in.words[0] >> 16 & 0x3ff) >= first_vop3_only);
    return vop3_only ? Half::KeepHigh : Half::Zero;
  }

  bool place_vector_result(isa::Instruction& in, Op& op, const isa::Shape& shape) {
    if (shape.result == Type::B1 || shape.bit_result) {
      op.flags |= flag::write_bits;
      op.bit_dst = scalar_destination(in.sdst);
      if (in.row->writes.exec) {
        op.flags |= flag::write_exec;
        if (rdna) op.flags &= ~flag::write_bits;
      }
      if (shape.result == Type::B1) return true;
    }
    op.half = half_of(in, shape);
    if (in.dst.where == Where::Sgpr) return false;
    if (!exists(in.dst, shape.registers(shape.result))) return false;
    op.dst = vector_offset(in.dst);
    const bool partial = in.dst_select < 6;
    op.finish = in.clamp || in.omod || op.half != Half::Zero || partial ||
                in.variant == isa::Variant::Dpp16 || in.variant == isa::Variant::Dpp8;
    return true;
  }

  /// Whether the code of a vector instruction without a shape reads this source from vector
  /// registers alone. Where an encoding names something else, it is no such instruction.
  static bool is_vector_source(const isa::Instruction& in, unsigned i) {
    using enum isa::Opcode;
    switch (in.row->kind) {
      case isa::Kind::Matrix:
        if (in.is(V_MFMA_LD_SCALE_B32)) return false;
        return i < 2 || (i == 2 && in.src[i].where != Where::Constant);
      case isa::Kind::PermuteRows:
        return i == 0 || (i == 1 && (in.is(V_PERMLANE16_VAR_B32) || in.is(V_PERMLANEX16_VAR_B32)));
      case isa::Kind::Convert:
        return i == 0 || (i == 1 && (in.is(V_CVT_SCALEF32_2XPK16_FP6_F32) ||
                                     in.is(V_CVT_SCALEF32_2XPK16_BF6_F32)));
      case isa::Kind::Swap:
        return i == 0;
      case isa::Kind::Sad:
        return i == 2;
      default:
        return in.is(V_SWAPREL_B32) && i == 0;
    }
  }
  /// Of the constants of instructions without a shape.
  static Type constant_type(const isa::Instruction& in, unsigned i) {
    if (in.row->kind == isa::Kind::Matrix) {
      // C's elements of 16 bits: the low half is what the code takes.
      const isa::Number c = in.row->result;
      return c == isa::Number::F64    ? Type::F64
             : c == isa::Number::F16  ? Type::F16
             : c == isa::Number::BF16 ? Type::BF16
                                      : Type::U32;
    }
    return i < 3 && in.row->registers.source[i] == 2 ? Type::U64 : Type::U32;
  }

  /// Places of instructions without a shape: memory, control, cross-lane and matrix instructions
  /// read them as their own code needs. False when an operand is none that the code takes.
  bool place_plainly(const isa::Instruction& in, Op& op) {
    const bool computes = in.format >= Format::Vop1 && in.format <= Format::Vopd;
    for (unsigned i = 0; i < 4; ++i) {
      const Operand& o = in.src[i];
      const bool vector = o.where == Where::Vgpr || o.where == Where::Agpr;
      if (computes && o.where != Where::None && !vector && is_vector_source(in, i)) return false;
      std::uint64_t bits;
      switch (o.where) {
        case Where::None:
          continue;
        case Where::Vgpr:
        case Where::Agpr:
          if (computes && !exists(o, 1)) return false;
          op.src[i] = vector_offset(o);
          op.step[i] = 64;
          op.vector_origin |= 1u << i;
          continue;
        case Where::Sgpr:
          op.src[i] = scalar_offset(o.index);
          continue;
        case Where::Constant:
          bits = constant_bits(o, constant_type(in, i), false);
          break;
        case Where::Special: {
          const auto value = special(o.index);
          if (!value) return false;
          bits = *value;
          break;
        }
      }
      op.base[i] = Base::Constant;
      op.src[i] = in.format <= Format::Smem
                      ? constants.scalar(bits)
                      : constants.slices(static_cast<std::uint32_t>(bits),
                                         static_cast<std::uint32_t>(bits >> 32));
    }
    if (computes && !exists(in.dst, 1)) return false;
    if (in.dst.where == Where::Sgpr)
      op.dst = scalar_destination(in.dst);
    else if (in.dst.where != Where::None)
      op.dst = vector_offset(in.dst);
    const bool relative = computes && in.row->kind == isa::Kind::Relative;
    op.imm = relative ? std::int64_t{context.file.vgprs} : std::int64_t{in.offset};
    return true;
  }

  bool place(isa::Instruction& in, Op& op, const isa::Shape& shape) {
    op.shape = &shape;
    if (shape.form == isa::Form::Scalar) {
      for (unsigned i = 0; i < shape.operands; ++i)
        if (!place_scalar_source(in, op, shape, i)) return false;
      if (shape.result != Type::B1) op.dst = scalar_destination(in.dst);
      return true;
    }
    for (unsigned i = 0; i < shape.operands; ++i)
      if (!place_vector_source(in, op, shape, i)) return false;
    if (shape.form == isa::Form::Packed)
      op.imm = in.op_sel | in.op_sel_hi << 3 | in.neg_lo << 6 | in.neg_hi << 9;
    if (!place_vector_result(in, op, shape)) return false;
    const bool packed = shape.form == isa::Form::Packed;
    op.plain = !op.prepare && !op.finish && !(packed && (op.broadcast || in.neg_lo || in.neg_hi));
    return true;
  }

  std::string_view code_name(const isa::Instruction& in, const isa::Shape* shape,
                             std::string& storage) const {
    const bool ocp =
        in.row->small_floats && (context.gfx == isa::Gfx::Gfx950 || context.gfx == isa::Gfx::Gfx12);
    const bool exact = context.matrix == MatrixMode::Exact && in.row->sums_exactly;
    const auto has_variant = [&](bool of_ocp, bool of_exact) {
      storage = std::string(in.name()) + (of_ocp ? "@OCP" : "") + (of_exact ? "@EXACT" : "");
      return isa::find_shape(storage) || context.table.find(storage);
    };
    if (exact && has_variant(ocp, true)) return storage;
    if (ocp && has_variant(true, false)) return storage;
    const bool integer = shape && shape->result != Type::B1 && !isa::is_float(shape->result);
    if (in.clamp && integer) return storage = std::string(in.name()) + "_CLAMP";
    if (in.row->products == 2) {
      const bool rdna4 = context.gfx == isa::Gfx::Gfx12, cdna2 = context.gfx == isa::Gfx::Gfx90a;
      storage = std::string(in.name()) + (rdna4   ? "@RDNA4"
                                          : rdna  ? "@RDNA3"
                                          : cdna2 ? "@CDNA2"
                                                  : "");
      if (isa::find_shape(storage)) return storage;
    }
    if (context.sram_ecc && isa::is_d16_load(in)) return storage = std::string(in.name()) + "@ECC";
    return in.name();
  }

  /// Runs an op with the registers that M0 says.
  Op with_index(const Op& op) {
    Op indexed;
    indexed.instruction = op.instruction;
    indexed.target = constants.op(op);
    indexed.imm = context.file.vgprs + context.file.agprs;
    indexed.run = context.table.find("indexed")->run(context.file.lanes, false);
    return indexed;
  }

  Op one(isa::Instruction& in) {
    Op op;
    op.instruction = &in;
    std::string storage;
    const std::string_view name = code_name(in, in.row->shape, storage);
    const bool own = name.data() == in.name().data();
    const isa::Shape* shape = own ? in.row->shape : isa::find_shape(name);
    const Code* code = context.table.find(name);
    missing = {};
    bool known = code != nullptr && in.format != Format::Other;
    if (in.is(isa::Opcode::V_SWAP_B16))
      for (Operand* operand : {&in.dst, &in.src[0]}) split_half(in, *operand, Type::U16);
    const bool indexed = context.indexed && in.format >= Format::Vop1 && in.format <= Format::Vopd;
    if (known) known = shape ? place(in, op, *shape) : place_plainly(in, op);
    if (!known) {
      code = context.table.find("unknown");
      op.imm = missing.where == Where::None   ? 0
               : missing.where == Where::Agpr ? no_accumulator + missing.index
                                              : no_register + missing.index;
    }
    const bool skipped = (context.file.skips_vectors && in.format >= Format::Vop1) ||
                         (context.matrix == MatrixMode::Skip && in.row->kind == isa::Kind::Matrix);
    if (skipped) code = context.table.find("S_NOP");
    op.run = code->run(context.file.lanes, op.plain);
    return indexed && known && !skipped ? with_index(op) : op;
  }
};

bool reads(const isa::Instruction& in, const isa::Operand& destination) {
  for (const Operand& o : in.src)
    if (o.where == Where::Vgpr && o.index == destination.index) return true;
  const isa::Shape* shape = in.row->shape;
  if (shape)
    for (unsigned i = 0; i < shape->operands; ++i)
      if (shape->old[i] && in.dst.index == destination.index) return true;
  return false;
}

}  // namespace

std::uint64_t ConstantPool::slices(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t value = low | std::uint64_t{high} << 32;
  const auto [at, fresh] = by_value_.try_emplace(value, 0);
  if (fresh) {
    Slices& slices = slices_.emplace_back();
    std::fill_n(slices.words.begin(), lanes_, low);
    std::fill_n(slices.words.begin() + lanes_, lanes_, high);
    at->second = reinterpret_cast<std::uintptr_t>(&slices);
  }
  return at->second;
}

std::uint64_t ConstantPool::scalar(std::uint64_t value) {
  return reinterpret_cast<std::uintptr_t>(&scalars_.emplace_back(value));
}

void lower(isa::Instruction& in, LoweringContext& context, ConstantPool& constants,
           std::deque<isa::Instruction>& extra, std::vector<Op>& ops) {
  if (in.is(isa::Opcode::S_SET_GPR_IDX_ON)) context.indexed = true;
  if (in.is(isa::Opcode::S_SET_GPR_IDX_OFF)) context.indexed = false;
  Lowering lowering{context, constants};
  if (in.row->with_scales) {
    isa::Instruction& load = extra.emplace_back(isa::scale_load(in));
    ops.push_back(lowering.one(load));
  }
  if (isa::is_synchronising(in)) {
    // What the wave has stored is to be seen before it loads: the host may do the load first.
    isa::Instruction& wait = extra.emplace_back(in);
    wait.row = &isa::row_of(isa::Opcode::S_WAITCNT);
    wait.format = Format::Sopp;
    Op& fence = ops.emplace_back();
    fence.instruction = &wait;
    fence.run = context.table.find("fence")->run(context.file.lanes, false);
  }
  if (!in.row_y) {
    ops.push_back(lowering.one(in));
    return;
  }
  // Dual issue: both halves read before either writes.
  isa::Instruction& x = extra.emplace_back(in);
  isa::Instruction& y = extra.emplace_back(in);
  x.format = y.format = Format::Vop3;  // plain operands
  y.row = in.row_y;
  x.row_y = y.row_y = nullptr;
  y.dst = in.dst_y;
  for (unsigned i = 0; i < 3; ++i) y.src[i] = in.src_y[i];
  y.src[3] = {};
  const bool y_reads_x = reads(y, x.dst), x_reads_y = reads(x, y.dst);
  Op first = lowering.one(x), second = lowering.one(y);
  if (y_reads_x && !x_reads_y) std::swap(first, second);
  if (y_reads_x && x_reads_y) {
    // x's result waits in a temporary register; it is copied once y has read.
    isa::Instruction& copy = extra.emplace_back(x);
    copy.row = &isa::row_of(isa::Opcode::V_MOV_B32);
    copy.src[0] = x.dst;
    Op move = lowering.one(copy);
    first.dst = static_cast<std::uint32_t>(offsetof(Wave, temporary) + 3 * Wave::temporary_bytes);
    move.src[0] = first.dst;
    ops.insert(ops.end(), {first, second, move});
    return;
  }
  ops.push_back(first);
  ops.push_back(second);
}

}  // namespace hipsight::engine
