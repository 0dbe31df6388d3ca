#include "isa/operand_use.h"

#include <algorithm>

#include "isa/entry.h"
#include "isa/matrix_scales.h"

namespace hipsight::isa {
namespace {

using Access = MemoryAccess;

unsigned width_of(Number number) {
  switch (number) {
    case Number::F64:
      return 64;
    case Number::F16:
    case Number::BF16:
      return 16;
    case Number::F8:
    case Number::I8:
      return 8;
    case Number::F6:
      return 6;
    case Number::F4:
    case Number::I4:
      return 4;
    default:
      return 32;
  }
}

/// A format that CBSZ or BLGP names: FP8, BF8, FP6, BF6, FP4.
unsigned bits_of_format(unsigned format) {
  return format < 2 ? 8 : format < 4 ? 6 : 4;
}

struct Finder {
  const Instruction& in;
  const Row& row;
  const unsigned lanes;
  OperandUses uses{};

  void add(const Operand& operand, unsigned registers, bool reads, bool writes) {
    constexpr unsigned null = 124;  // of RDNA
    if (operand.where == Where::Sgpr && operand.index == null && is_rdna(in.gfx)) return;
    uses.add(operand, registers, reads, writes);
  }
  void reads(const Operand& operand, unsigned registers) { add(operand, registers, true, false); }
  void writes(const Operand& operand, unsigned registers) { add(operand, registers, false, true); }

  /// In short encodings of RDNA, bit 7 of a 16-bit register says which half of it.
  Operand whole(Operand operand, Type type) const {
    const bool short_form =
        in.format == Format::Vop1 || in.format == Format::Vop2 || in.format == Format::Vopc;
    if (short_form && is_rdna(in.gfx) && is_16_bit(type) && operand.where == Where::Vgpr)
      operand.index &= 127;
    return operand;
  }

  void entry(const Shape& shape, const Operand& dst, const auto& src) {
    const bool scalar = shape.form == Form::Scalar, packed = shape.form == Form::Packed;
    for (unsigned i = 0; i < shape.operands; ++i) {
      const bool is_mask = shape.operand[i] == Type::B1;
      if (is_mask && scalar) continue;  // SCC
      if (!shape.old[i] && i >= src.size()) continue;
      const Operand& operand = shape.old[i] ? dst : src[i];
      reads(packed ? operand : whole(operand, shape.operand[i]),
            is_mask ? lanes / 32 : shape.registers(shape.operand[i]));
    }
    const bool is_mask = shape.result == Type::B1;
    if (!is_mask) writes(packed ? dst : whole(dst, shape.result), shape.registers(shape.result));
    const bool implied = is_rdna(in.gfx) && row.writes.exec;  // v_cmpx
    if ((is_mask || shape.bit_result) && !scalar && !implied) writes(in.sdst, lanes / 32);
  }

  void memory() {
    const Access& access = row.memory;
    const unsigned data = access.with_lds() ? 0 : access.dwords();  // of one access
    const bool described = access.address == Access::Address::Descriptor;
    if (row.pipe == Pipe::ScalarMemory) {
      reads(in.base, described ? 4 : 2);
      reads(in.soffset, 1);
      if (access.stores()) reads(in.dst, data * access.operands);
      if (access.does == Access::Does::Load || (access.atomic() && in.returns))
        writes(in.dst, data);
      return;
    }
    const bool by_register = access.address == Access::Address::Register;
    if (row.pipe == Pipe::Lds) {
      const unsigned operands =
          access.atomic() ? std::max(access.operands, access.accesses) : access.accesses;
      if (by_register) reads(in.src[0], 1);
      if (access.stores() && access.address != Access::Address::Wave)
        for (unsigned i = 0; i < operands; ++i) reads(in.src[1 + i], data);
      if (access.does == Access::Does::Load || (access.atomic() && in.returns))
        writes(in.dst, data * access.accesses);
      return;
    }
    if (described) {
      reads(in.src[0], in.offen && in.idxen ? 2 : 1);
      reads(in.base, 4);
      reads(in.soffset, 1);
    } else {
      const bool scratch = access.space == Access::Space::Scratch;
      const bool wide = !scratch && in.base.where != Where::Sgpr;
      if (by_register) reads(in.src[0], wide ? 2 : 1);
      reads(in.base, scratch ? 1 : 2);
    }
    if (access.stores()) reads(in.src[1], data * access.operands);
    if (access.does == Access::Does::Load || (access.atomic() && in.returns)) writes(in.dst, data);
  }

  void cache() {
    reads(in.base, row.registers.source[0]);
    reads(in.soffset, row.registers.source[1]);
  }

  void scales(const Instruction& load) {
    reads(load.src[0], 1);
    reads(load.src[1], 1);
  }

  void matrix() {
    if (in.is(Opcode::V_MFMA_LD_SCALE_B32)) return scales(in);
    if (row.with_scales) scales(scale_load(in));
    const unsigned result = matrix_registers(in, 2, lanes);
    for (unsigned i = 0; i < 2; ++i) reads(in.src[i], matrix_registers(in, i, lanes));
    // Sparse ones add to their result, and have an index.
    row.sparse ? reads(in.dst, result) : reads(in.src[2], result);
    if (row.sparse) reads(in.src[2], 1);
    writes(in.dst, result);
  }

  void named() {
    const Registers& registers = row.registers;
    const Type type = in.is(Opcode::V_SWAP_B16) ? Type::U16 : Type::U32;
    add(whole(in.dst, type), registers.result, registers.is_source || registers.keeps,
        !registers.is_source);
    for (unsigned i = 0; i < registers.source.size(); ++i)
      add(whole(in.src[i], type), registers.source[i], true, i == 0 && registers.swaps);
  }
};

}  // namespace

unsigned matrix_registers(const Instruction& in, unsigned operand, unsigned lanes) {
  const Row& row = *in.row;
  const Tile& t = row.tile;
  const bool rdna3 = in.gfx == Gfx::Gfx11;
  if (operand == 2) {
    // GFX11 has each element in a register of its own.
    const unsigned bits = rdna3 ? std::max(32u, width_of(row.result)) : width_of(row.result);
    return std::max(1u, t.m * t.n * t.blocks * bits / 32 / lanes);
  }
  const unsigned bits =
      row.formats_vary ? bits_of_format(operand ? in.blgp : in.cbsz) : width_of(row.number);
  const unsigned elements =
      (operand ? t.n : t.m) * t.k * t.blocks / (row.sparse && !operand ? 2 : 1);
  // GFX11's WMMA holds A and B in both halves of a wave of 32, and in all four quarters of one
  // of 64.
  const unsigned copies = rdna3 ? lanes / 16 : 1;
  return std::max(1u, elements * bits * copies / 32 / lanes);
}

OperandUses operand_uses(const Instruction& in, unsigned lanes) {
  Finder finder{in, *in.row, lanes};
  switch (in.row->kind) {
    case Kind::Entry:
      finder.entry(*in.row->shape, in.dst, in.src);
      break;
    case Kind::Memory:
      finder.memory();
      break;
    case Kind::Matrix:
      finder.matrix();
      break;
    case Kind::Cache:
      finder.cache();
      break;
    default:
      finder.named();
  }
  if (in.row_y && in.row_y->shape) finder.entry(*in.row_y->shape, in.dst_y, in.src_y);
  return finder.uses;
}

}  // namespace hipsight::isa
