// Encodings as the ISA manuals' chapter "Microcode Formats" gives them: AMD Instinct MI200, MI300
// (CDNA3), CDNA4, RDNA3 and RDNA4 instruction set architecture reference guides.
#include "isa/opcodes.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "isa/decode.h"

namespace hipsight::isa {
namespace {

enum class PartKind { Bits, Source, ScalarSource };

struct Part {
  unsigned word, high, low;
  std::uint32_t usual = 0;  ///< what it is where an opcode has no use for it
  PartKind kind = PartKind::Bits;
};
constexpr Part source(unsigned word, unsigned high, unsigned low) {
  return {word, high, low, 0, PartKind::Source};
}
constexpr Part scalar_source(unsigned word, unsigned high, unsigned low) {
  return {word, high, low, 0, PartKind::ScalarSource};
}

/// Fixed high bits of the word that has the opcode, where that is, and the fields.
struct Encoding {
  std::uint32_t fixed;
  unsigned op_high, op_low;
  std::vector<Part> fields;
  unsigned op_word = 0;
  std::uint32_t first_word = 0;  ///< where another one has the opcode
};

const std::vector<Encoding> common{
    // SOP1, SOPC, SOPP, SOPK, SOP2
    {0b101111101u << 23, 15, 8, {{0, 22, 16}, scalar_source(0, 7, 0)}},
    {0b101111110u << 23, 22, 16, {scalar_source(0, 15, 8), scalar_source(0, 7, 0)}},
    {0b101111111u << 23, 22, 16, {{0, 15, 0}}},
    {0b1011u << 28, 27, 23, {{0, 22, 16}, {0, 15, 0}}},
    {0b10u << 30, 29, 23, {{0, 22, 16}, scalar_source(0, 15, 8), scalar_source(0, 7, 0)}},
    // VOP1, VOPC, VOP2
    {0b0111111u << 25, 16, 9, {{0, 24, 17}, source(0, 8, 0)}},
    {0b0111110u << 25, 24, 17, {{0, 16, 9}, source(0, 8, 0)}},
    {0, 30, 25, {{0, 24, 17}, {0, 16, 9}, source(0, 8, 0)}},
};

/// VOP3, and VOP3P where op_sel_hi is set: clamp, op_sel, abs, dst, sources, omod, neg.
std::vector<Part> three_sources(std::uint32_t op_sel_hi) {
  return {{0, 15, 15},
          {0, 14, 14, op_sel_hi >> 2},
          {0, 13, 11},
          {0, 10, 8},
          {0, 7, 0},
          source(1, 8, 0),
          source(1, 17, 9),
          source(1, 26, 18),
          {1, 28, 27, op_sel_hi & 3},
          {1, 31, 29}};
}

/// The four bytes of the second word and others: DS, FLAT and MUBUF before GFX12.
std::vector<Part> four_bytes_and(std::vector<Part> fields) {
  fields.insert(fields.end(), {{1, 7, 0}, {1, 15, 8}, {1, 31, 24}});
  return fields;
}

std::vector<Encoding> gfx9() {
  constexpr std::uint32_t vop3 = 0b110100u << 26, vop3p = 0b110100111u << 23, ds = 0b110110u << 26,
                          flat = 0b110111u << 26, mubuf = 0b111000u << 26, smem = 0b110000u << 26,
                          mtbuf = 0b111010u << 26;
  std::vector<Encoding> all{
      {vop3, 25, 16, three_sources(0)},
      {vop3p, 22, 16, three_sources(7)},  // matrix instructions too
      {ds, 24, 17, four_bytes_and({{0, 25, 25}, {0, 16, 16}, {0, 15, 8}, {0, 7, 0}, {1, 23, 16}})},
      {mubuf, 24, 18,
       four_bytes_and(
           {{0, 11, 0}, {0, 13, 12}, {0, 15, 14}, {0, 17, 16}, {1, 20, 16}, {1, 23, 23}})},
      {mtbuf, 18, 15,
       four_bytes_and({{0, 11, 0}, {0, 13, 12}, {0, 25, 19}, {1, 20, 16}, {1, 23, 23}})},
      {smem, 25, 18, {{0, 5, 0}, {0, 12, 6}, {0, 14, 14}, {0, 17, 16}, {1, 20, 0}, {1, 31, 25}}},
      // Matrix instructions with scales: V_MFMA_LD_SCALE_B32, then another.
      {.fixed = vop3p,
       .op_high = 22,
       .op_low = 16,
       .fields = {{0, 12, 11},
                  {0, 15, 13},
                  {0, 10, 0},
                  source(1, 8, 0),
                  source(1, 17, 9),
                  {1, 26, 18},
                  {1, 28, 27},
                  {1, 31, 29},
                  {2, 15, 15},
                  {2, 14, 11, 1},
                  {2, 10, 8},
                  {2, 7, 0},
                  source(3, 8, 0),
                  source(3, 17, 9),
                  source(3, 26, 18),
                  {3, 28, 27},
                  {3, 31, 29}},
       .op_word = 2,
       .first_word = vop3p | 0x2cu << 16},
  };
  for (const std::uint32_t segment :
       {0u, 1u, 2u})  // FLAT (whose offset is unsigned), SCRATCH, GLOBAL
    all.push_back({flat | segment << 14, 24, 18,
                   four_bytes_and({{0, segment ? 12u : 11u, 0},
                                   {0, 13, 13},
                                   {0, 17, 16},
                                   {0, 25, 25},
                                   {1, 22, 16, segment ? 0x7fu : 0},
                                   {1, 23, 23}})});
  return all;
}

/// VOP3, VOP3P and VOPD of GFX11 and GFX12, and others.
std::vector<Encoding> rdna_vector_and(std::vector<Encoding> others) {
  constexpr std::uint32_t vop3 = 0b110101u << 26, vop3p = 0b11001100u << 24, vopd = 0b110010u << 26;
  std::vector<Encoding> all{
      {vop3, 25, 16, three_sources(0)},
      {vop3p, 22, 16, three_sources(7)},
      {vopd,
       25,
       17,
       {{0, 16, 9}, source(0, 8, 0), {1, 31, 24}, {1, 23, 17}, {1, 16, 9}, source(1, 8, 0)}},
  };
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

std::vector<Encoding> gfx11() {
  constexpr std::uint32_t ds = 0b110110u << 26, flat = 0b110111u << 26, mubuf = 0b111000u << 26,
                          smem = 0b111101u << 26, mtbuf = 0b111010u << 26, null = 124;
  std::vector<Encoding> all = rdna_vector_and({
      {mtbuf, 18, 15, four_bytes_and({{0, 11, 0}, {0, 25, 19}, {1, 20, 16}, {1, 23, 22}})},
      {ds, 25, 18, four_bytes_and({{0, 17, 17}, {0, 15, 8}, {0, 7, 0}, {1, 23, 16}})},
      {mubuf, 25, 18, four_bytes_and({{0, 11, 0}, {0, 14, 12}, {1, 20, 16}, {1, 23, 22}})},
      {smem, 25, 18, {{0, 5, 0}, {0, 12, 6}, {0, 14, 13}, {1, 20, 0}, {1, 31, 25, null}}},
  });
  for (const std::uint32_t segment : {0u, 1u, 2u})
    all.push_back(
        {flat | segment << 16, 24, 18,
         four_bytes_and(
             {{0, segment ? 12u : 11u, 0}, {0, 15, 13}, {1, 22, 16, null}, {1, 23, 23}})});
  return all;
}

std::vector<Encoding> gfx12() {
  constexpr std::uint32_t ds = 0b110110u << 26, mubuf = 0b110001u << 26, smem = 0b111101u << 26,
                          null = 124;
  std::vector<Encoding> all = rdna_vector_and({
      {ds, 25, 18, four_bytes_and({{0, 15, 8}, {0, 7, 0}, {1, 23, 16}})},
      {smem, 18, 13, {{0, 5, 0}, {0, 12, 6}, {0, 24, 21}, {1, 23, 0}, {1, 31, 25, null}}},
  });
  constexpr std::uint32_t flat = 0xecu << 24, scratch = 0xedu << 24, global = 0xeeu << 24;
  for (const std::uint32_t fixed : {flat, scratch, global})
    all.push_back({fixed,
                   21,
                   14,
                   {{0, 6, 0, null},
                    {1, 7, 0},
                    {1, 17, 17},
                    {1, 22, 18},
                    {1, 30, 23},
                    {2, 7, 0},
                    {2, 31, 8}}});
  all.push_back(
      {mubuf,
       21,
       14,
       {{0, 6, 0, null}, {1, 7, 0}, {1, 17, 9}, {1, 22, 18}, {1, 31, 30}, {2, 7, 0}, {2, 31, 8}}});
  return all;
}

std::vector<Encoding> encodings(Gfx gfx) {
  std::vector<Encoding> all = common;
  const std::vector<Encoding> more = gfx == Gfx::Gfx12   ? gfx12()
                                     : gfx == Gfx::Gfx11 ? gfx11()
                                                         : gfx9();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Ways to extend a first source: its code, and the word that follows. A plain form is one that
/// every instruction takes that takes any.
struct Extension {
  std::uint32_t source, plain, random_bits;
};
constexpr std::array extensions{
    Extension{249, 0x06060600, 0xff},                          // SDWA, of two sources
    Extension{249, 0x00060600, 0xff},                          // of one
    Extension{249, 0x06060000, 0xff},                          // of a comparison
    Extension{250, 0xff000000, 0xff},                          // DPP16, by quads
    Extension{250, 0xff080100, 0xff},                          // and by rows
    Extension{233, 0, ~0u},                                    // DPP8
    Extension{234, 0, ~0u},           Extension{255, 0, ~0u},  // a literal
};

/// A source operand: registers, VCC, M0, EXEC, inline constants, apertures, literals, SDWA and DPP.
std::uint32_t any_source(PartKind kind, std::mt19937& random) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  switch (below(8)) {
    case 0:
      return below(106);
    case 1:
      return 106 + below(22);
    case 2:
      return 128 + below(128);
    case 3:
      return kind == PartKind::Source ? extensions[below(extensions.size())].source : 255;
    default:
      return kind == PartKind::Source ? 256 + below(256) : below(106);
  }
}

std::uint32_t mask(unsigned high, unsigned low) {
  return static_cast<std::uint32_t>((std::uint64_t{2} << (high - low)) - 1) << low;
}

void set(Words& words, const Part& field, std::uint32_t value) {
  const std::uint32_t where = mask(field.high, field.low);
  words[field.word] = (words[field.word] & ~where) | (value << field.low & where);
}

// RDNA's v_cmpx has EXEC for a destination, and nothing else.
constexpr std::uint32_t exec = 126;
bool is_destination(const Part& field) {
  return field.kind == PartKind::Bits && field.word == 0 && field.high == 7 && field.low == 0;
}

/// Words of an opcode that decode, if its encoding has it, and that it takes, if any of these are:
/// usual operands with VGPRs for sources, SGPRs, or a VGPR and SGPRs; with one of the flags set
/// (GDS, LDS); or with EXEC for its destination. Half of the opcodes do not exist, and LLVM takes
/// longest to find that out.
std::optional<Words> plain_words(Decoder& decoder, const Encoding& encoding, std::uint32_t opcode) {
  const auto usual = [&](std::uint32_t first_source, std::uint32_t others) {
    Words words{encoding.first_word};
    words[encoding.op_word] = encoding.fixed | opcode << encoding.op_low;
    for (const Part& field : encoding.fields)
      set(words, field,
          field.kind != PartKind::Source ? field.usual
          : field.low == 0               ? first_source
                                         : others);
    return words;
  };
  constexpr std::uint32_t sgpr = 0, vgpr = 256;
  std::vector all{usual(vgpr, vgpr), usual(sgpr, sgpr), usual(vgpr, sgpr)};
  for (const Part& field : encoding.fields) {
    const bool narrow = field.kind == PartKind::Bits && field.high - field.low < 2;
    if (narrow || is_destination(field))
      set(all.emplace_back(all.front()), field, narrow ? 1 : exec);
  }
  std::optional<Words> illegal;
  for (const Words& words : all) {
    const auto in = decoder.decode(bytes_of(words), 0);
    if (!in || in->name() == "V_ILLEGAL") continue;  // a word of zeros is no instruction
    if (takes_its_operands(decoder.text(*in))) return words;
    if (!illegal) illegal = words;
  }
  return illegal;
}

}  // namespace

void for_every_opcode(Decoder& decoder, unsigned tries, std::mt19937& random,
                      const std::function<bool(const Words&)>& use) {
  for (const Encoding& encoding : encodings(decoder.gfx())) {
    const std::uint32_t opcodes = 2u << (encoding.op_high - encoding.op_low);
    for (std::uint32_t opcode = 0; opcode < opcodes; ++opcode) {
      const std::optional<Words> plain = plain_words(decoder, encoding, opcode);
      bool wanted = plain.has_value();
      // What is not there is drawn too: words depend on the seed, and not on what LLVM takes.
      for (unsigned i = 0; i < tries; ++i) {
        Words words{encoding.first_word};
        words[encoding.op_word] = encoding.fixed | opcode << encoding.op_low;
        // A third of the tries go through the plain extensions, so that short runs meet them all.
        const Extension& extension = extensions[i / 3 % extensions.size()];
        const bool plainly_extended = i % 3 == 0;
        for (std::size_t w = encoding.fields.back().word + 1; w < words.size(); ++w) {
          const auto word = static_cast<std::uint32_t>(random());
          words[w] = plainly_extended ? extension.plain | (word & extension.random_bits)
                     : word % 2       ? word
                                      : word & static_cast<std::uint32_t>(random());
        }
        const bool all_usual = random() % 4 == 0;
        for (const Part& field : encoding.fields) {
          const bool bits = field.kind == PartKind::Bits;
          std::uint32_t value =
              bits ? static_cast<std::uint32_t>(random()) : any_source(field.kind, random);
          if (field.kind == PartKind::Source && field.low == 0 && plainly_extended)
            value = extension.source;
          // Modifiers are narrow, and most opcodes take few of them.
          const unsigned odds = field.high - field.low < 6 ? 4 : 2;
          if (bits && (all_usual || random() % odds)) value = field.usual;
          if (is_destination(field) && i % 8 == 1) value = exec;
          set(words, field, value);
        }
        wanted = wanted && use(words);
        if (plain && !wanted) break;
      }
      // Of some no chance operands are ones that it takes: the tiles of matrix instructions.
      wanted = wanted && use(*plain);
      for (const Part& field : encoding.fields) {
        if (field.kind != PartKind::Source || field.low != 0) continue;
        for (std::size_t i = 0; wanted && i < extensions.size(); ++i) {
          Words words = *plain;
          set(words, field, extensions[i].source);
          words[encoding.fields.back().word + 1] = extensions[i].plain;
          wanted = use(words);
        }
      }
    }
  }
}

bool takes_its_operands(std::string_view text) {
  return text.find("/*") == text.npos;
}

std::span<const LeftOut> left_out() {
  static constexpr auto all = std::to_array<LeftOut>({
      {"image_", "images"},
      {"exp", "exports of graphics shaders"},
      {"export", "exports of graphics shaders"},
      {"lds_direct_load", "parameters of graphics shaders"},
      {"lds_param_load", "parameters of graphics shaders"},
      {"ds_direct_load", "parameters of graphics shaders"},
      {"ds_param_load", "parameters of graphics shaders"},
      {"v_interp_", "interpolation in graphics shaders"},
      {"ds_ordered_count", "GDS: order of graphics waves"},
      {"ds_add_gs_reg", "GDS: geometry shaders"},
      {"ds_sub_gs_reg", "GDS: geometry shaders"},
      {"ds_bvh_", "ray tracing"},
      {"s_sendmsg_rtn", "messages of graphics shaders"},
      {"v_screen_partition_", "tiles of graphics"},
      {"v_illegal", "no instruction"},
      {"s_rfe_", "return from a trap handler, which is privileged code"},
      {"s_sendmsghalt", "stops the wave until a debugger resumes it"},
  });
  return all;
}

bool is_left_out(std::string_view mnemonic) {
  return std::ranges::any_of(
      left_out(), [&](const LeftOut& what) { return mnemonic.starts_with(what.prefix); });
}

}  // namespace hipsight::isa
