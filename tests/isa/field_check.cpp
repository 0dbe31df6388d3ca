#include "field_check.h"

#include <algorithm>
#include <array>
#include <span>

#include "comparison.h"
#include "isa/entry.h"
#include "isa/matrix_scales.h"

namespace hipsight::test {
namespace {

using isa::Format;
using isa::Gfx;
using isa::Instruction;
using isa::Operand;
using isa::Shape;
using isa::Type;
using isa::Variant;
using isa::Where;

unsigned registers_of(Type type, bool packed = false) {
  return isa::is_64_bit(type) || (packed && !isa::is_16_bit(type)) ? 2 : 1;
}

/// Operands of entries that are no operands of the text: fields of the encoding that the meaning
/// needs, VCC of v_div_fmas, the lane's number.
unsigned implied_operands(const Instruction& in) {
  const std::string_view name = in.name();
  if (name.starts_with("V_S_") || name.starts_with("V_DIV_FMAS") || name.starts_with("V_MBCNT") ||
      name == "V_PK_MOV_B32" || name.starts_with("V_BITOP3"))
    return 1;
  const bool small = has(name, "FP8") || has(name, "BF8") || has(name, "FP4");
  if (!name.starts_with("V_CVT_") || !small) return 0;
  const bool from = name.ends_with("FP8") || name.ends_with("BF8") || name.ends_with("FP4");
  return from ? 1 : 0;
}

class FieldCheck {
 public:
  FieldCheck(const Instruction& in, const InstructionText& text)
      : in(in),
        text(text, in.format == Format::Vop1 || in.format == Format::Vop2 ||
                       in.format == Format::Vopc || in.format == Format::Vopd),
        rdna(isa::is_rdna(in.gfx)),
        shape(in.row->shape) {}

  std::string run() {
    switch (in.format) {
      case Format::Sop1:
      case Format::Sop2:
      case Format::Sopc:
        scalar();
        break;
      case Format::Sopk:
        scalar_constant();
        break;
      case Format::Sopp:
        program_control();
        break;
      case Format::Smem:
        scalar_memory();
        break;
      case Format::Vop1:
      case Format::Vop2:
      case Format::Vopc:
      case Format::Vop3:
        vector();
        break;
      case Format::Vop3p:
        packed();
        break;
      case Format::Mai:
        matrix();
        break;
      case Format::Ds:
        lds();
        break;
      case Format::Flat:
      case Format::Global:
      case Format::Scratch:
        flat();
        break;
      case Format::Mubuf:
      case Format::Mtbuf:
        buffer();
        break;
      default:
        text.problem("a format that is not compared");
    }
    return text.finish();
  }

  /// Half of a dual-issue instruction.
  std::string run_half(const Operand& dst, std::span<const Operand> src) {
    text.operand(dst, 1);
    for (const Operand& source : src)
      if (text.operands_left()) text.operand(source, 1);
    return text.finish();
  }

 private:
  unsigned mask_registers() const { return rdna ? 1 : 2; }
  unsigned registers(unsigned i) const {
    if (!shape || i >= shape->operands) return 0;
    if (shape->operand[i] == Type::B1) return mask_registers();
    return registers_of(shape->operand[i], shape->form == isa::Form::Packed);
  }
  unsigned result_registers() const {
    return shape ? registers_of(shape->result, shape->form == isa::Form::Packed) : 0;
  }

  // --- scalar -----------------------------------------------------------------------------------

  void scalar() {
    const std::size_t sources = in.format == Format::Sop1 ? 1 : 2;
    const bool result = shape ? shape->result != Type::B1
                              : text.operands_left() > sources || in.name() == "S_GETPC_B64";
    if (in.format != Format::Sopc && result) text.operand(in.dst, result_registers());
    for (unsigned i = 0; i < 3 && text.operands_left(); ++i) {
      if (text.next()->kind == '-') return text.skip_rest();  // sendmsg(), gpr_idx()
      text.operand(in.src[i], registers(i));
    }
  }

  void scalar_constant() {
    const std::string_view name = in.name();
    if (has(name, "SETREG")) {
      hardware_register();
      return in.size == 8 ? text.operand(in.src[0], 0) : text.operand(in.dst, 1);
    }
    if (name != "S_VERSION") text.operand(in.dst, name == "S_CALL_B64" ? 2 : 0);
    if (has(name, "GETREG")) return hardware_register();
    if ((text.next() && text.next()->kind == '-') || name == "S_VERSION") return text.skip_rest();
    text.integer(in.imm.bits(), 16);
  }
  /// hwreg(NAME, first bit, width)
  void hardware_register() {
    if (text.next()->kind == '#') return text.integer(in.imm.bits(), 16);
    const std::string words = text.next()->text;
    const auto comma = words.find(',');
    unsigned first = 0, width = 32;
    if (comma != std::string::npos) std::sscanf(words.c_str() + comma, ", %u, %u", &first, &width);
    const isa::HardwareRegister ours = in.imm.hardware_register();
    if (ours.first != first || ours.width != width) text.problem("hwreg");
    text.skip_operand();
  }

  void program_control() {
    if (!text.next() || text.next()->kind != '#' || has(in.name(), "WAIT")) return text.skip_rest();
    text.integer(in.imm.bits(), 16);
  }

  void scalar_memory() {
    const std::string_view name = in.name();
    if (!text.operands_left()) return;  // cache control
    if (has(name, "PREFETCH")) return text.skip_rest();
    if (!has(name, "DISCARD"))
      text.operand(in.dst, has(name, "LOAD") ? (isa::work_of(in).bytes_read + 3) / 4 : 0);
    if (name.starts_with("S_MEM") || name.starts_with("S_GET")) return;
    text.operand(in.base, has(name, "BUFFER") ? 4 : 2);
    const bool null = text.next() && text.next()->text == "null";
    if (in.soffset.where == Where::None && !null) {
      text.integer(in.offset);
    } else {
      null ? text.skip_operand() : text.operand(in.soffset, 1);
      text.number("offset", in.offset);
    }
    cache(false);
  }

  // --- vector -----------------------------------------------------------------------------------

  void vector() {
    const std::string_view name = in.name();
    if (!text.operands_left()) return text.skip_rest();  // v_nop
    const bool compare = name.starts_with("V_CMP");
    if (!compare) text.operand(in.dst, result_registers(), shape ? shape->result : Type::None);
    const bool carry = shape && shape->bit_result;
    if (carry || (compare && !(rdna && name.starts_with("V_CMPX"))))
      text.operand(in.sdst, mask_registers());
    sources();
    text.flag("clamp", in.clamp);
    output_multiplier();
    if (in.format == Format::Vop3 && !carry) operand_selects();
    if (name.starts_with("V_BITOP3")) text.number("bitop3", in.src[3].value);
    lanes();
    if (in.variant == Variant::Sdwa) parts(!compare);
  }

  void operand_selects() {
    if (text.length("op_sel") == 4) return text.bits("op_sel", in.op_sel, 4);
    // Halves of 16-bit registers are in the operands, and not always in op_sel too.
    if (text.only_halves()) return;
    // Which byte a conversion reads or writes is an operand of its own, behind the sources.
    const bool byte = in.gfx == Gfx::Gfx12 && implied_operands(in) && !has(in.name(), "_PK_") &&
                      (has(in.name(), "FP8") || has(in.name(), "BF8"));
    if (byte) return text.number("byte_sel", in.src[source_count].value);
    const bool byte_of_result = in.gfx == Gfx::Gfx12 && has(in.name(), "V_CVT_SR_");
    if (byte_of_result) return text.number("byte_sel", in.dst_select);
    // The list ends with the destination's bit, behind as many sources as there are.
    const unsigned all = (1u << source_count) - 1;
    text.bits("op_sel", (in.op_sel & all) | (in.op_sel >> 3 & 1u) << source_count,
              source_count + 1);
  }

  void sources() {
    unsigned expected = 0;
    if (shape) {
      for (unsigned i = 0; i < shape->operands; ++i) expected += !shape->old[i];
      expected -= implied_operands(in);
      if (expected != text.operands_left())
        text.problem("the entry takes " + std::to_string(expected) + " sources, the text " +
                     std::to_string(text.operands_left()));
    }
    source_count = static_cast<unsigned>(text.operands_left());
    for (unsigned i = 0; i < 4 && text.operands_left(); ++i)
      text.operand(in.src[i], registers(i), shape ? shape->operand[i] : Type::None);
  }

  void output_multiplier() {
    const std::string mul = text.modifier("mul"), div = text.modifier("div");
    const unsigned theirs = mul == "2" ? 1 : mul == "4" ? 2 : div == "2" ? 3 : 0;
    if (theirs != in.omod) text.problem("omod: ours " + std::to_string(in.omod));
  }

  /// DPP.
  void lanes() {
    if (in.variant != Variant::Dpp16 && in.variant != Variant::Dpp8) return;
    text.number("fi", in.fetch_inactive);
    if (in.variant == Variant::Dpp8) {
      std::string selects;
      for (unsigned i = 0; i < 8; ++i)
        selects += (i ? "," : "[") + std::to_string(in.dpp8 >> (3 * i) & 7);
      return text.word("dpp8", selects + "]");
    }
    text.number("row_mask", in.row_mask);
    text.number("bank_mask", in.bank_mask);
    text.number("bound_ctrl", in.bound_ctrl);
    const unsigned control = in.dpp_ctrl, amount = control & 15;
    const auto with = [&](const char* name, unsigned value) { text.number(name, value, -1); };
    if (control < 0x100)
      return text.word("quad_perm", "[" + std::to_string(control & 3) + "," +
                                        std::to_string(control >> 2 & 3) + "," +
                                        std::to_string(control >> 4 & 3) + "," +
                                        std::to_string(control >> 6 & 3) + "]");
    if (control == 0x130) return with("wave_shl", 1);
    if (control == 0x134) return with("wave_rol", 1);
    if (control == 0x138) return with("wave_shr", 1);
    if (control == 0x13c) return with("wave_ror", 1);
    if (control == 0x140) return text.flag("row_mirror", true);
    if (control == 0x141) return text.flag("row_half_mirror", true);
    if (control == 0x142) return with("row_bcast", 15);
    if (control == 0x143) return with("row_bcast", 31);
    constexpr std::array shifts{"row_shl", "row_shr", "row_ror"};
    if (control < 0x130) return with(shifts[(control >> 4) - 0x10], amount);
    if (control < 0x160) return with(rdna ? "row_share" : "row_newbcast", amount);
    with("row_xmask", amount);
  }

  /// SDWA.
  void parts(bool result) {
    constexpr std::array selects{"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                 "WORD_0", "WORD_1", "DWORD",  "?"};
    constexpr std::array unused{"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "?"};
    if (result) {
      text.word("dst_sel", selects[in.dst_select], "DWORD");
      text.word("dst_unused", unused[in.dst_unused], "UNUSED_PAD");
    }
    text.word("src0_sel", selects[in.src[0].select]);
    if (in.format != Format::Vop1) text.word("src1_sel", selects[in.src[1].select]);
  }

  void packed() {
    const std::string_view name = in.name();
    const bool mix = has(name, "_MIX"), wmma = has(name, "MMA");
    if (name != "V_MFMA_LD_SCALE_B32")
      text.operand(in.dst, wmma ? 0 : mix ? 1 : result_registers());
    source_count = static_cast<unsigned>(text.operands_left());
    for (unsigned i = 0; i < 3 && text.operands_left(); ++i) {
      Operand source = in.src[i];
      if (mix) {
        source.negate = in.neg_lo >> i & 1;
        source.absolute = in.neg_hi >> i & 1;
      }
      text.operand(source, wmma ? 0 : registers(i));
    }
    const unsigned all = (1u << source_count) - 1;
    if (name.starts_with("V_SWMMAC"))
      text.number("index_key", in.op_sel);
    else
      text.bits("op_sel", in.op_sel & all, source_count);
    text.bits("op_sel_hi", in.op_sel_hi & all, source_count, mix ? 0 : all);
    if (!mix) {
      text.bits("neg_lo", in.neg_lo & all, source_count);
      text.bits("neg_hi", in.neg_hi & all, source_count);
    }
    text.flag("clamp", in.clamp);
    lanes();
  }

  void matrix() {
    text.operand(in.dst, 0);
    for (unsigned i = 0; i < 3 && text.operands_left(); ++i) text.operand(in.src[i], 0);
    if (in.name().starts_with("V_ACCVGPR")) return;
    if (in.name().starts_with("V_MFMA_SCALE_")) {
      const Instruction load = isa::scale_load(in);
      for (unsigned i = 0; i < 2; ++i) text.operand(load.src[i], 1);
      const unsigned length = std::max(text.length("op_sel"), text.length("op_sel_hi"));
      text.bits("op_sel", load.op_sel & 3, length);
      text.bits("op_sel_hi", load.op_sel_hi & 3, length);
    }
    text.number("cbsz", in.cbsz);
    text.number("abid", in.abid);
    const bool f64 = has(in.name(), "F64");  // there the field negates
    text.number("blgp", f64 && in.gfx != Gfx::Gfx90a ? 0 : in.blgp);
    text.bits("neg", f64 && in.gfx != Gfx::Gfx90a ? in.blgp : 0, 3);
  }

  // --- memory -----------------------------------------------------------------------------------

  void lds() {
    const std::string_view name = in.name();
    const isa::Work work = isa::work_of(in);
    const bool pair = has(name, "READ2") || has(name, "WRITE2") || has(name, "XCHG2");
    bool result = false;
    for (const char* part : {"READ", "RTN", "PERMUTE", "SWIZZLE", "CONSUME", "APPEND"})
      result |= has(name, part);
    if (result) text.operand(in.dst, (work.bytes_read + 3) / 4);
    const unsigned data = (work.bytes_written / (pair ? 2 : 1) + 3) / 4;
    for (unsigned i = has(name, "ADDTID"); i < 3 && text.operands_left(); ++i)
      text.operand(in.src[i], i == 0 ? 1 : data);
    if (pair) {
      text.number("offset0", in.offset & 0xff);
      text.number("offset1", in.offset >> 8);
    } else if (has(name, "SWIZZLE") && text.modifier("offset").starts_with("swizzle")) {
    } else {
      text.number("offset", in.offset);
    }
    text.flag("gds", in.gds);
  }

  /// Registers of a memory instruction's result and data.
  struct Data {
    bool result = false, data = false;
    unsigned result_registers = 0, data_registers = 0;
  };
  Data data_of() const {
    const std::string_view name = in.name();
    const isa::Work work = isa::work_of(in);
    const bool atomic = has(name, "ATOMIC"), load = has(name, "LOAD");
    const unsigned operands = has(name, "CMPSWAP") ? 2 : 1;
    if (in.format == Format::Mtbuf) {  // a register for each component, or for two
      const auto components = static_cast<unsigned>(name.size() - name.rfind('_') - 1);
      const unsigned registers = has(name, "D16") ? (components + 1) / 2 : components;
      return {load, !load, registers, registers};
    }
    return {.result = (load && !in.row->memory.with_lds()) || (atomic && in.returns),
            .data = !load,
            .result_registers = (work.bytes_read + 3) / 4,
            .data_registers = (work.bytes_written + 3) / 4 * operands};  // and the comparand
  }

  void flat() {
    if (!text.operands_left()) return text.skip_rest();  // cache control
    const Data data = data_of();
    const bool base = in.base.where != Where::None;
    const bool add_lane = has(in.name(), "ADDTID");
    if (data.result) text.operand(in.dst, data.result_registers);
    if (!add_lane) text.operand(in.src[0], in.format == Format::Scratch ? 1 : base ? 1 : 2);
    if (data.data) text.operand(in.src[1], data.data_registers);
    if (in.format != Format::Flat) text.operand(in.base, in.format == Format::Scratch ? 1 : 2);
    text.number("offset", in.offset);
    if (in.gfx == Gfx::Gfx90a) text.flag("lds", in.row->memory.with_lds());
    cache(true);
  }

  void buffer() {
    if (!text.operands_left()) return text.skip_rest();  // cache control
    const Data data = data_of();
    // An atomic's result takes the place of its data.
    if (!in.row->memory.with_lds())
      text.operand(in.dst, data.data ? data.data_registers : data.result_registers);
    if (!has(in.name(), "STORE_LDS")) text.operand(in.src[0], in.offen && in.idxen ? 2 : 1);
    text.operand(in.base, 4);
    text.operand(in.soffset, 1);
    text.number("offset", in.offset);
    text.flag("offen", in.offen);
    text.flag("idxen", in.idxen);
    text.flag("lds", in.row->memory.with_lds());
    if (in.format == Format::Mtbuf)
      static_cast<void>(text.modifier("format"));  // buffer_format_test.cpp
    cache(true);
  }

  void cache(bool vector) {
    const auto flags = [&](std::initializer_list<const char*> names) {
      unsigned bit = 0;
      for (const char* name : names) text.flag(name, in.cache >> bit++ & 1);
    };
    switch (in.gfx) {
      case Gfx::Gfx90a:
        return vector ? flags({"glc", "slc", "scc"}) : flags({"glc"});
      case Gfx::Gfx942:
      case Gfx::Gfx950:
        return vector ? flags({"sc0", "nt", "sc1"}) : flags({"glc"});
      case Gfx::Gfx11:
        if (!vector) return flags({"dlc", "glc"});
        return in.format == Format::Mubuf ? flags({"slc", "dlc", "glc"})
                                          : flags({"dlc", "glc", "slc"});
      case Gfx::Gfx12: {
        constexpr std::array scopes{"SCOPE_CU", "SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS"};
        text.word("scope", scopes[in.cache & 3], scopes[0]);
        if (text.modifier("th").empty() != (in.cache >> 2 == 0)) text.problem("th");
      }
    }
  }

  const Instruction& in;
  Comparison text;
  const bool rdna;
  const Shape* shape;
  unsigned source_count = 0;
};

}  // namespace

std::string difference(const Instruction& in, std::string_view text) {
  const std::vector<InstructionText> halves = read_text(text, in.gfx);
  if (in.format != Format::Vopd) return FieldCheck(in, halves[0]).run();
  if (halves.size() != 2) return "not two instructions";
  return FieldCheck(in, halves[0]).run_half(in.dst, in.src) +
         FieldCheck(in, halves[1]).run_half(in.dst_y, in.src_y);
}

}  // namespace hipsight::test
