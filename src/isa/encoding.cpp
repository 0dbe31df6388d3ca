// Fields of each encoding, as the ISA manuals' chapter "Microcode Formats" gives them: AMD Instinct
// MI200, MI300 (CDNA3), CDNA4, RDNA3 and RDNA4 instruction set architecture reference guides.
#include <bit>
#include <string_view>

#include "isa/decode.h"
#include "isa/entry.h"
#include "isa/matrix_scales.h"

namespace hipsight::isa {
namespace {

constexpr std::uint16_t vcc = 106, exec = 126;
constexpr std::uint8_t keep_unused = 2;  // SDWA's dst_unused:UNUSED_PRESERVE
constexpr std::uint32_t literal_code = 255;

constexpr std::uint32_t bits(std::uint32_t word, unsigned high, unsigned low) {
  return (word >> low) & ((1u << (high - low + 1)) - 1);
}
constexpr std::int32_t signed_bits(std::uint32_t word, unsigned high, unsigned low) {
  const unsigned width = high - low + 1;
  return static_cast<std::int32_t>(bits(word, high, low) << (32 - width)) >> (32 - width);
}

Operand vgpr(std::uint32_t index) {
  return {.where = Where::Vgpr, .index = static_cast<std::uint16_t>(index)};
}
Operand data_register(std::uint32_t index, bool accumulator) {
  return {.where = accumulator ? Where::Agpr : Where::Vgpr,
          .index = static_cast<std::uint16_t>(index)};
}
Operand sgpr(std::uint32_t index) {
  return {.where = Where::Sgpr, .index = static_cast<std::uint16_t>(index)};
}
Operand constant(std::uint32_t value) {
  return {.where = Where::Constant, .value = value};
}

/// A 9-bit source code (8 bits for scalar instructions).
Operand source(std::uint32_t code, std::uint32_t literal) {
  if (code >= 256) return vgpr(code - 256);
  if (code <= 127) return sgpr(code);
  if (code <= 192) return constant(code - 128);
  if (code <= 208) return constant(static_cast<std::uint32_t>(-static_cast<int>(code - 192)));
  if (code >= 240 && code <= 248) {
    // 1/(2 pi) as f32; narrower and wider types have their own rounding of it, see engine/operands.
    constexpr float values[]{0.5f, -0.5f, 1, -1, 2, -2, 4, -4, 0.15915494309189532f};
    Operand result = constant(std::bit_cast<std::uint32_t>(values[code - 240]));
    result.inline_float = true;
    return result;
  }
  if (code == literal_code) {
    Operand result = constant(literal);
    result.literal = true;
    return result;
  }
  return {.where = Where::Special, .index = static_cast<std::uint16_t>(code)};
}

/// Vector instructions that give a carry, or a bit for each lane beside their result.
bool writes_carry(const Row& row) {
  return row.shape && row.shape->form == Form::Vector && row.shape->bit_result;
}

/// S0 * K + S1
bool is_mix_constant(Opcode opcode) {
  using enum Opcode;
  return opcode == S_FMAMK_F32 || opcode == V_FMAMK_F16 || opcode == V_FMAMK_F32 ||
         opcode == V_MADMK_F16 || opcode == V_MADMK_F32;
}
/// S0 * S1 + K
bool is_add_constant(Opcode opcode) {
  using enum Opcode;
  return opcode == S_FMAAK_F32 || opcode == V_FMAAK_F16 || opcode == V_FMAAK_F32 ||
         opcode == V_MADAK_F16 || opcode == V_MADAK_F32;
}

struct Reader {
  Instruction& in;
  bool rdna = is_rdna(in.gfx);
  bool gfx12 = in.gfx == Gfx::Gfx12;
  std::uint32_t w0 = in.words[0], w1 = in.words[1], w2 = in.words[2];

  void read() {
    const std::uint32_t w = w0;
    if (bits(w, 31, 23) == 0b101111101) return sop1();
    if (bits(w, 31, 23) == 0b101111110) return sopc();
    if (bits(w, 31, 23) == 0b101111111) return sopp();
    if (bits(w, 31, 28) == 0b1011) return sopk();
    if (bits(w, 31, 30) == 0b10) return sop2();
    if (bits(w, 31, 25) == 0b0111111) return vop1();
    if (bits(w, 31, 25) == 0b0111110) return vopc();
    if (bits(w, 31, 31) == 0) return vop2();
    if (rdna) {
      if (bits(w, 31, 26) == 0b110101) return vop3();
      if (bits(w, 31, 24) == 0b11001100) return vop3p();
      if (bits(w, 31, 26) == 0b110010) return vopd();
      if (bits(w, 31, 26) == 0b111101) return gfx12 ? smem_gfx12() : smem_gfx11();
      if (bits(w, 31, 26) == 0b110110) return ds(25, 18, 17, 0);
      if (gfx12) {
        if (bits(w, 31, 24) == 0xec) return flat_gfx12(Format::Flat);
        if (bits(w, 31, 24) == 0xed) return flat_gfx12(Format::Scratch);
        if (bits(w, 31, 24) == 0xee) return flat_gfx12(Format::Global);
        if (bits(w, 31, 26) == 0b110001) return mubuf_gfx12();
      } else {
        if (bits(w, 31, 26) == 0b110111) return flat_gfx11();
        if (bits(w, 31, 26) == 0b111000) return mubuf_gfx11();
        if (bits(w, 31, 26) == 0b111010) return mtbuf(&Reader::mubuf_gfx11);
      }
    } else {
      if (bits(w, 31, 23) == 0b110100111) return is_matrix() ? mai() : vop3p();
      if (bits(w, 31, 26) == 0b110100) return vop3();
      if (bits(w, 31, 26) == 0b110000) return smem_gfx9();
      if (bits(w, 31, 26) == 0b110110) return ds(24, 17, 16, bits(w, 25, 25));
      if (bits(w, 31, 26) == 0b110111) return flat_gfx9();
      if (bits(w, 31, 26) == 0b111000) return mubuf_gfx9();
      if (bits(w, 31, 26) == 0b111010) return mtbuf(&Reader::mubuf_gfx9);
    }
    in.format = Format::Other;
  }

  bool is_matrix() const {
    return (in.row->kind == Kind::Matrix && !in.is(Opcode::V_MFMA_LD_SCALE_B32)) ||
           in.is(Opcode::V_ACCVGPR_READ_B32) || in.is(Opcode::V_ACCVGPR_WRITE_B32);
  }

  void sop1() {
    in.format = Format::Sop1;
    in.dst = sgpr(bits(w0, 22, 16));
    in.src[0] = source(bits(w0, 7, 0), w1);
    if (in.is(Opcode::S_SENDMSG_RTN_B32) || in.is(Opcode::S_SENDMSG_RTN_B64))
      in.src[0] = constant(bits(w0, 7, 0));
  }
  void sop2() {
    in.format = Format::Sop2;
    in.dst = sgpr(bits(w0, 22, 16));
    in.src[0] = source(bits(w0, 7, 0), w1);
    in.src[1] = source(bits(w0, 15, 8), w1);
    if (is_mix_constant(in.row->opcode)) in.src[2] = in.src[1], in.src[1] = constant(w1);
    if (is_add_constant(in.row->opcode)) in.src[2] = constant(w1);
  }
  void sopc() {
    in.format = Format::Sopc;
    in.src[0] = source(bits(w0, 7, 0), w1);
    in.src[1] = source(bits(w0, 15, 8), w1);
  }
  void sopk() {
    in.format = Format::Sopk;
    in.dst = sgpr(bits(w0, 22, 16));
    in.imm = {in.row->field, signed_bits(w0, 15, 0)};
    in.src[0] = in.size == 8 ? constant(w1) : in.dst;
    in.src[1] = constant(static_cast<std::uint32_t>(in.imm.bits()));
  }
  void sopp() {
    in.format = Format::Sopp;
    in.imm = {in.row->field, signed_bits(w0, 15, 0)};
  }

  // --- vector ---------------------------------------------------------------------------------

  /// SDWA and DPP replace source 0 by code 249, 250, 233 or 234 and add a word.
  Operand vector_source0(std::uint32_t code, std::uint32_t extra) {
    if (!rdna && code == 249) return sdwa(extra);
    if (code == 250) return dpp16(extra);
    if (rdna && (code == 233 || code == 234)) {
      in.variant = Variant::Dpp8;
      in.dpp8 = bits(extra, 31, 8);
      in.fetch_inactive = code == 234;
      return vgpr(bits(extra, 7, 0));
    }
    return source(code, extra);
  }

  Operand dpp16(std::uint32_t w) {
    in.variant = Variant::Dpp16;
    in.dpp_ctrl = static_cast<std::uint16_t>(bits(w, 16, 8));
    in.fetch_inactive = rdna && bits(w, 18, 18);
    in.bound_ctrl = bits(w, 19, 19);
    in.bank_mask = static_cast<std::uint8_t>(bits(w, 27, 24));
    in.row_mask = static_cast<std::uint8_t>(bits(w, 31, 28));
    Operand result = vgpr(bits(w, 7, 0));
    result.negate = bits(w, 20, 20);
    result.absolute = bits(w, 21, 21);
    return result;
  }

  Operand sdwa(std::uint32_t w) {
    in.variant = Variant::Sdwa;
    in.dst_select = static_cast<std::uint8_t>(bits(w, 10, 8));
    in.dst_unused = static_cast<std::uint8_t>(bits(w, 12, 11));
    in.clamp = bits(w, 13, 13);
    in.omod = static_cast<std::uint8_t>(bits(w, 15, 14));
    Operand result = bits(w, 23, 23) ? source(bits(w, 7, 0), 0) : vgpr(bits(w, 7, 0));
    result.select = static_cast<std::uint8_t>(bits(w, 18, 16));
    result.sign_extend = bits(w, 19, 19);
    result.negate = bits(w, 20, 20);
    result.absolute = bits(w, 21, 21);
    return result;
  }

  /// Source 1 of VOP2 and VOPC, with what SDWA and DPP say of it.
  Operand vector_source1(std::uint32_t index) {
    Operand result = vgpr(index);
    if (in.variant == Variant::Sdwa) {
      if (bits(w1, 31, 31)) result = source(index, 0);
      result.select = static_cast<std::uint8_t>(bits(w1, 26, 24));
      result.sign_extend = bits(w1, 27, 27);
      result.negate = bits(w1, 28, 28);
      result.absolute = bits(w1, 29, 29);
    } else if (in.variant == Variant::Dpp16) {
      result.negate = bits(w1, 22, 22);
      result.absolute = bits(w1, 23, 23);
    }
    return result;
  }

  void vop1() {
    in.format = Format::Vop1;
    in.dst = vgpr(bits(w0, 24, 17));
    in.src[0] = vector_source0(bits(w0, 8, 0), w1);
    if (in.is(Opcode::V_READFIRSTLANE_B32)) in.dst = sgpr(bits(w0, 24, 17));
    select_part();
    if (in.is(Opcode::V_ACCVGPR_MOV_B32)) {
      in.dst.where = Where::Agpr;
      if (in.src[0].where == Where::Vgpr) in.src[0].where = Where::Agpr;
    }
  }
  void vop2() {
    in.format = Format::Vop2;
    in.dst = vgpr(bits(w0, 24, 17));
    in.src[0] = vector_source0(bits(w0, 8, 0), w1);
    in.src[1] = vector_source1(bits(w0, 16, 9));
    in.src[2] = sgpr(vcc);  // carry in, or the select mask
    if (is_mix_constant(in.row->opcode)) in.src[2] = in.src[1], in.src[1] = constant(w1);
    if (is_add_constant(in.row->opcode)) in.src[2] = constant(w1);
    in.sdst = sgpr(vcc);
    in.op_sel_hi = 7;  // V_PK_FMAC_F16: halves as they lie
  }
  void vopc() {
    in.format = Format::Vopc;
    in.src[0] = vector_source0(bits(w0, 8, 0), w1);
    in.src[1] = vector_source1(bits(w0, 16, 9));
    in.sdst = sgpr(compare_destination(vcc));
    if (in.variant == Variant::Sdwa) {
      in.clamp = in.omod = 0;
      in.dst_select = 6;
      if (bits(w1, 15, 15)) in.sdst = sgpr(bits(w1, 14, 8));
    }
  }
  std::uint16_t compare_destination(std::uint32_t given) const {
    return static_cast<std::uint16_t>(rdna && in.row->writes.exec ? exec : given);
  }

  void vop3() {
    in.format = Format::Vop3;
    const std::uint32_t codes[]{bits(w1, 8, 0), bits(w1, 17, 9), bits(w1, 26, 18)};
    in.dst = vgpr(bits(w0, 7, 0));
    in.src[0] = vector_source0(codes[0], w2);
    in.src[1] = source(codes[1], w2);
    in.src[2] = source(codes[2], w2);
    in.src[3] = sgpr(vcc);  // V_DIV_FMAS
    in.clamp = bits(w0, 15, 15);
    in.omod = static_cast<std::uint8_t>(bits(w1, 28, 27));
    for (unsigned i = 0; i < 3; ++i) in.src[i].negate ^= bits(w1, 29 + i, 29 + i) != 0;
    if (writes_carry(*in.row)) {
      in.sdst = sgpr(bits(w0, 14, 8));
      return;
    }
    for (unsigned i = 0; i < 3; ++i) {
      in.src[i].absolute |= bits(w0, 8 + i, 8 + i) != 0;
      in.src[i].high = bits(w0, 11 + i, 11 + i);
    }
    in.op_sel = static_cast<std::uint8_t>(bits(w0, 14, 11));
    in.dst.high = bits(w0, 14, 14);
    if (in.is(Opcode::V_BITOP3_B16) || in.is(Opcode::V_BITOP3_B32)) {
      // The fields of the float modifiers hold a truth table.
      in.src[3] = constant(bits(w1, 28, 27) << 6 | bits(w0, 10, 8) << 3 | bits(w1, 31, 29));
      in.omod = 0;
      for (Operand& source : in.src) source.negate = source.absolute = false;
    }
    select_part();
    // The lane's number is the third operand: no register is read for it.
    if (in.is(Opcode::V_MBCNT_LO_U32_B32) || in.is(Opcode::V_MBCNT_HI_U32_B32))
      in.src[2] = constant(0);
    const Shape* const shape = in.row->shape;
    if (shape && shape->result == Type::B1)
      in.sdst = sgpr(compare_destination(bits(w0, 7, 0))), in.dst = {};
    if (in.is(Opcode::V_READLANE_B32) || in.is(Opcode::V_READFIRSTLANE_B32))
      in.dst = sgpr(bits(w0, 7, 0));
    if (shape && shape->form == Form::Scalar) {  // V_S_RCP_F32 and the like
      in.dst = sgpr(bits(w0, 7, 0));
      in.src[1] = constant(bits(w1, 29, 29) | bits(w0, 8, 8) << 1 | bits(w0, 15, 15) << 2 |
                           bits(w1, 28, 27) << 3);
    }
  }

  /// Conversions of FP8, BF8 and FP4: which byte or word they read is their last operand, and which
  /// byte they write a part of the result, as with SDWA.
  void select_part() {
    if (in.row->kind != Kind::Entry) return;
    const std::string_view name = in.name();
    const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
    if (!name.starts_with("V_CVT_") || !(has("FP8") || has("BF8") || has("FP4"))) return;
    std::uint32_t low = in.op_sel & 3u;
    const std::uint32_t high = in.op_sel >> 2;
    const bool scaled = has("SCALEF32");
    // Pairs are a source of 16 bits, so the short encoding can name a register's high half.
    if (rdna && in.format == Format::Vop1 && has("_PK_F32_") && in.src[0].where == Where::Vgpr &&
        in.src[0].index >= 128)
      in.src[0].index &= 127, low = 1;
    if (has("_SR_F") || has("_SR_B") || has("PK_FP4_"))
      in.dst_select = static_cast<std::uint8_t>(high), in.dst_unused = keep_unused;
    else if (!scaled && (name.ends_with("FP8") || name.ends_with("BF8")))
      // GFX12 numbers bytes with the bits exchanged (RDNA4 ISA, V_CVT_F32_FP8).
      in.src[1] = constant(has("PK") ? low & 1 : gfx12 ? low >> 1 | (low & 1) << 1 : low);
    else if (name.ends_with("FP8") || name.ends_with("BF8") || name.ends_with("FP4"))
      in.src[2] = constant(has("PK") && !name.ends_with("FP4") ? low & 1 : low);
  }

  void vop3p() {
    in.format = Format::Vop3p;
    in.dst = vgpr(bits(w0, 7, 0));
    in.src[0] = vector_source0(bits(w1, 8, 0), w2);
    in.src[1] = source(bits(w1, 17, 9), w2);
    in.src[2] = source(bits(w1, 26, 18), w2);
    in.clamp = bits(w0, 15, 15);
    in.op_sel = static_cast<std::uint8_t>(bits(w0, 13, 11));
    in.op_sel_hi = static_cast<std::uint8_t>(bits(w1, 28, 27) | bits(w0, 14, 14) << 2);
    in.neg_hi = static_cast<std::uint8_t>(bits(w0, 10, 8));
    in.neg_lo = static_cast<std::uint8_t>(bits(w1, 31, 29));
    // Fields that are operands of the meaning: what dot products and v_fma_mix do to sources,
    // which source is signed, or which half is moved.
    in.src[3] = constant(in.op_sel | in.op_sel_hi << 3 | in.neg_lo << 6 | in.neg_hi << 9);
    if (in.is(Opcode::V_FMA_MIXHI_F16)) in.dst.high = true;
    if (in.is(Opcode::V_DOT4_I32_IU8) || in.is(Opcode::V_DOT8_I32_IU4))
      in.src[3] = constant(in.neg_lo);
    if (in.is(Opcode::V_PK_MOV_B32)) in.src[2] = constant(in.op_sel);
  }

  void mai() {
    in.format = Format::Mai;
    // With scales: behind scale_load.
    constexpr unsigned scaled = 16;
    if (in.size == scaled) w0 = in.words[2], w1 = in.words[3];
    in.cbsz = static_cast<std::uint8_t>(bits(w0, 10, 8));
    // It has another use where CBSZ and BLGP name formats.
    if (!in.row->formats_vary) in.abid = static_cast<std::uint8_t>(bits(w0, 14, 11));
    in.blgp = static_cast<std::uint8_t>(bits(w1, 31, 29));
    in.dst = data_register(bits(w0, 7, 0), bits(w0, 15, 15));
    in.src[0] = source(bits(w1, 8, 0), w2);
    in.src[1] = source(bits(w1, 17, 9), w2);
    in.src[2] = source(bits(w1, 26, 18), w2);
    if (in.src[0].where == Where::Vgpr && bits(w1, 27, 27)) in.src[0].where = Where::Agpr;
    if (in.src[1].where == Where::Vgpr && bits(w1, 28, 28)) in.src[1].where = Where::Agpr;
    const bool index = in.row->sparse;  // lies in a VGPR, wherever the tile is
    if (in.src[2].where == Where::Vgpr && bits(w0, 15, 15) && !index) in.src[2].where = Where::Agpr;
    if (in.is(Opcode::V_ACCVGPR_READ_B32))
      in.dst.where = Where::Vgpr, in.src[0].where = Where::Agpr;
    if (in.is(Opcode::V_ACCVGPR_WRITE_B32)) {
      in.dst.where = Where::Agpr;
      // LLVM sets the bit that would make it an AGPR.
      if (in.src[0].where == Where::Agpr) in.src[0].where = Where::Vgpr;
    }
  }

  void vopd() {
    in.format = Format::Vopd;
    const std::uint32_t x = bits(w1, 31, 24);
    in.dst = vgpr(x);
    in.dst_y = vgpr(bits(w1, 23, 17) << 1 | !(x & 1));
    in.src[0] = source(bits(w0, 8, 0), w2);
    in.src[1] = vgpr(bits(w0, 16, 9));
    in.src_y[0] = source(bits(w1, 8, 0), w2);
    in.src_y[1] = vgpr(bits(w1, 16, 9));
    in.src[2] = in.src_y[2] = sgpr(vcc);
    const auto place_constant = [&](const Row& row, auto& src) {
      if (is_mix_constant(row.opcode)) src[2] = src[1], src[1] = constant(w2);
      if (is_add_constant(row.opcode)) src[2] = constant(w2);
    };
    place_constant(*in.row, in.src);
    place_constant(*in.row_y, in.src_y);
  }

  // --- memory ---------------------------------------------------------------------------------

  void smem_gfx9() {
    smem();
    in.cache = static_cast<std::uint8_t>(bits(w0, 16, 16));
    const bool has_offset = bits(w0, 17, 17), has_sgpr = bits(w0, 14, 14);
    if (has_offset) in.offset = signed_bits(w1, 20, 0);
    if (has_sgpr) in.soffset = sgpr(bits(w1, 31, 25));
    if (!has_offset && !has_sgpr) in.soffset = sgpr(bits(w1, 6, 0));
  }
  void smem_gfx11() {
    smem();
    in.cache = static_cast<std::uint8_t>(bits(w0, 14, 13));
    in.offset = signed_bits(w1, 20, 0);
    scalar_offset(bits(w1, 31, 25));
  }
  void smem_gfx12() {
    smem();
    in.cache = static_cast<std::uint8_t>(bits(w0, 24, 21));
    in.offset = signed_bits(w1, 23, 0);
    scalar_offset(bits(w1, 31, 25));
  }
  void smem() {
    in.format = Format::Smem;
    in.base = sgpr(bits(w0, 5, 0) * 2);
    in.dst = sgpr(bits(w0, 12, 6));
    if (in.is(Opcode::S_ATC_PROBE) || in.is(Opcode::S_ATC_PROBE_BUFFER))
      in.dst = constant(bits(w0, 12, 6));
  }
  void scalar_offset(std::uint32_t code) {
    constexpr std::uint32_t null = 124;
    if (code != null) in.soffset = source(code, 0);
  }

  void ds(unsigned op_high, unsigned op_low, unsigned gds, bool accumulator) {
    in.format = Format::Ds;
    in.offset = static_cast<std::int32_t>(bits(w0, 15, 0));
    in.gds = bits(w0, gds, gds) && !gfx12;
    in.src[0] = vgpr(bits(w1, 7, 0));
    in.src[1] = data_register(bits(w1, 15, 8), accumulator);
    in.src[2] = data_register(bits(w1, 23, 16), accumulator);
    in.dst = data_register(bits(w1, 31, 24), accumulator);
  }

  void flat_gfx9() {
    constexpr Format segments[]{Format::Flat, Format::Scratch, Format::Global, Format::Other};
    in.format = segments[bits(w0, 15, 14)];
    const bool accumulator = bits(w1, 23, 23);
    in.cache =
        static_cast<std::uint8_t>(bits(w0, 16, 16) | bits(w0, 17, 17) << 1 | bits(w0, 25, 25) << 2);
    in.offset = in.format == Format::Flat ? static_cast<std::int32_t>(bits(w0, 11, 0))
                                          : signed_bits(w0, 12, 0);
    const std::uint32_t base = bits(w1, 22, 16);
    if (in.format != Format::Flat && base != 0x7f) in.base = sgpr(base);
    // Bit 13 is "load to LDS" on gfx90a, where scratch has one address of the two, and from gfx940
    // on "scratch uses its vector address".
    const bool vector_address =
        in.gfx == Gfx::Gfx90a ? in.base.where == Where::None : bits(w0, 13, 13);
    if (in.format != Format::Scratch || vector_address) in.src[0] = vgpr(bits(w1, 7, 0));
    in.src[1] = data_register(bits(w1, 15, 8), accumulator);
    in.dst = data_register(bits(w1, 31, 24), accumulator);
  }

  void flat_gfx11() {
    constexpr Format segments[]{Format::Flat, Format::Scratch, Format::Global, Format::Other};
    in.format = segments[bits(w0, 17, 16)];
    in.cache = static_cast<std::uint8_t>(bits(w0, 15, 13));
    in.offset = in.format == Format::Flat ? static_cast<std::int32_t>(bits(w0, 11, 0))
                                          : signed_bits(w0, 12, 0);
    flat_rdna_base(bits(w1, 22, 16));
    if (in.format != Format::Scratch || bits(w1, 23, 23)) in.src[0] = vgpr(bits(w1, 7, 0));
    in.src[1] = vgpr(bits(w1, 15, 8));
    in.dst = vgpr(bits(w1, 31, 24));
  }
  void flat_gfx12(Format format) {
    in.format = format;
    in.cache = static_cast<std::uint8_t>(bits(w1, 22, 18));
    in.offset = signed_bits(w2, 31, 8);
    flat_rdna_base(bits(w0, 6, 0));
    if (format != Format::Scratch || bits(w1, 17, 17)) in.src[0] = vgpr(bits(w2, 7, 0));
    in.src[1] = vgpr(bits(w1, 30, 23));
    in.dst = vgpr(bits(w1, 7, 0));
  }
  void flat_rdna_base(std::uint32_t code) {
    constexpr std::uint32_t null = 124;
    if (in.format != Format::Flat && code != null) in.base = sgpr(code);
  }

  void mubuf_gfx9() {
    in.format = Format::Mubuf;
    const bool accumulator = bits(w1, 23, 23);
    in.offset = static_cast<std::int32_t>(bits(w0, 11, 0));
    in.offen = bits(w0, 12, 12);
    in.idxen = bits(w0, 13, 13);
    in.cache =
        static_cast<std::uint8_t>(bits(w0, 14, 14) | bits(w0, 17, 17) << 1 | bits(w0, 15, 15) << 2);
    mubuf(bits(w1, 7, 0), bits(w1, 15, 8), bits(w1, 20, 16) * 4, bits(w1, 31, 24), accumulator);
  }
  void mubuf_gfx11() {
    in.format = Format::Mubuf;
    in.offset = static_cast<std::int32_t>(bits(w0, 11, 0));
    in.offen = bits(w1, 22, 22);
    in.idxen = bits(w1, 23, 23);
    in.cache = static_cast<std::uint8_t>(bits(w0, 14, 12));
    mubuf(bits(w1, 7, 0), bits(w1, 15, 8), bits(w1, 20, 16) * 4, bits(w1, 31, 24), false);
  }
  void mubuf_gfx12() {
    in.format = Format::Mubuf;
    if (in.row->field == Field::Format) {
      in.format = Format::Mtbuf;
      in.imm = {Field::Format, static_cast<std::int32_t>(bits(w1, 29, 23))};
    }
    in.offset = signed_bits(w2, 31, 8);
    in.offen = bits(w1, 30, 30);
    in.idxen = bits(w1, 31, 31);
    in.cache = static_cast<std::uint8_t>(bits(w1, 22, 18));
    mubuf(bits(w2, 7, 0), bits(w1, 7, 0), bits(w1, 17, 9), bits(w0, 6, 0), false);
  }
  /// Typed buffers: as MUBUF, but for a format.
  void mtbuf(void (Reader::*fields)()) {
    (this->*fields)();
    in.format = Format::Mtbuf;
    if (!rdna)
      in.cache = static_cast<std::uint8_t>(bits(w0, 14, 14) | bits(w1, 22, 22) << 1 |
                                           bits(w1, 21, 21) << 2);
    in.imm = {Field::Format, static_cast<std::int32_t>(bits(w0, 25, 19))};
  }
  void mubuf(std::uint32_t address, std::uint32_t data, std::uint32_t resource,
             std::uint32_t offset, bool accumulator) {
    if (in.offen || in.idxen) in.src[0] = vgpr(address);
    in.base = sgpr(resource);
    in.soffset = source(offset, 0);
    in.src[1] = data_register(data, accumulator);
    in.dst = in.src[1];
  }
};

}  // namespace

void read_fields(Instruction& instruction) {
  Reader{instruction}.read();
  // VOP3 has eight bits for a scalar result, and 128 scalar registers to write.
  for (const Operand& result : {instruction.dst, instruction.sdst})
    if (result.where == Where::Sgpr && result.index > exec + 1) instruction.format = Format::Other;
}

Instruction scale_load(const Instruction& scaled) {
  Instruction load;
  load.address = scaled.address;
  load.size = 8;
  load.gfx = scaled.gfx;
  load.row = &row_of(Opcode::V_MFMA_LD_SCALE_B32);
  load.words = scaled.words;
  read_fields(load);
  return load;
}

}  // namespace hipsight::isa
