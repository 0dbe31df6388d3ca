// RDNA's short encodings whose 16-bit operands are high halves of registers, as newer compilers
// write them by default
// ("real" true16): each gives what its long encoding gives, where the halves stand in OP_SEL.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "assemble.h"
#include "isa/decode.h"
#include "isa/registers.h"
#include "machine.h"
#include "values.h"

namespace hipsight::test {
namespace {

using isa::VectorRegisters;

void fill(Machine& machine, std::uint64_t seed) {
  Values values{seed};
  for (unsigned r = 0; r < 128; ++r)
    for (unsigned lane = 0; lane < machine.lanes(); ++lane)
      machine.vgpr(r, lane) = static_cast<std::uint32_t>(values.random());
  machine.sgpr(engine::reg::vcc) = 0x5a5a1234;
}

isa::Instruction decoded(isa::Decoder& decoder, const char* processor, const std::string& text) {
  const auto code = assemble(processor, text, "+real-true16");
  const auto instruction = decoder.decode(code, 0);
  if (!instruction) throw std::runtime_error("not decoded: " + text);
  return *instruction;
}

/// The short encodings of 16-bit instructions with these halves, as text.
std::set<std::string> short_forms(const char* processor, isa::Decoder& decoder) {
  std::set<std::string> found;
  const struct {
    std::uint32_t first, operations, shift, fields;
  } formats[] = {
      {0x7e000000, 256, 9, 0x00000100},   // VOP1
      {0x00000000, 62, 25, 0x00000500},   // VOP2
      {0x7c000000, 256, 17, 0x00000500},  // VOPC
  };
  for (const auto& format : formats)
    for (std::uint32_t operation = 0; operation < format.operations; ++operation)
      for (std::uint32_t halves = 1; halves < 8; ++halves) {
        const bool vopc = format.shift == 17;
        std::uint32_t word = format.first | operation << format.shift | format.fields | 1;
        if (halves & 1) word |= 1u << 7;                        // source 0
        if (halves & 2 && format.shift != 9) word |= 1u << 16;  // source 1
        if (!vopc) word |= (halves & 4 ? 131u : 3u) << 17;      // destination
        const std::uint32_t words[]{word, 0x3c003c00};
        const auto instruction = decoder.decode(std::as_bytes(std::span(words)), 0);
        if (!instruction || instruction->size != 4) continue;
        const std::string text = decoder.text(*instruction);
        if (text.find(".h") != std::string::npos) found.insert(text);
      }
  return found;
}

TEST(True16, ShortEncodingsTakeHighHalves) {
  for (const char* processor : {"gfx1100", "gfx1201"}) {
    isa::Decoder decoder(processor);
    std::set<std::string> compared;
    for (const std::string& text : short_forms(processor, decoder)) {
      const auto cut = text.find("_e32");
      if (cut == std::string::npos) continue;  // there is no long encoding
      std::string other = text;
      other.replace(cut, 4, "_e64");
      for (const HostIsa& host_isa : host_isas()) {
        Machine one(processor, host_isa), two(processor, host_isa);
        fill(one, 7);
        fill(two, 7);
        one.run(*one.lower(decoded(decoder, processor, text)));
        two.run(*two.lower(decoded(decoder, processor, other)));
        for (unsigned r = 0; r < 128; ++r)
          for (unsigned lane = 0; lane < one.lanes(); ++lane)
            ASSERT_EQ(one.vgpr(r, lane), two.vgpr(r, lane))
                << processor << ": " << text << ", v" << r;
        ASSERT_EQ(one.sgpr(engine::reg::vcc), two.sgpr(engine::reg::vcc))
            << processor << ": " << text;
        ASSERT_EQ(one.wave().exec(), two.wave().exec()) << processor << ": " << text;
      }
      compared.insert(text.substr(0, cut));
    }
    EXPECT_GT(compared.size(), 70u) << processor;
  }
}

TEST(True16, MovesAndSwapsHalves) {
  for (const HostIsa& host_isa : host_isas())
    for (const char* processor : {"gfx1100", "gfx1201"}) {
      isa::Decoder decoder(processor);
      Machine machine(processor, host_isa);
      machine.vgpr(1, 5) = 0x11112222, machine.vgpr(3, 5) = 0x33334444;
      machine.run(*machine.lower(decoded(decoder, processor, "v_mov_b16_e32 v3.h, v1.l")));
      EXPECT_EQ(machine.vgpr(3, 5), 0x22224444u) << processor;
      machine.run(*machine.lower(decoded(decoder, processor, "v_swap_b16 v3.l, v1.h")));
      EXPECT_EQ(machine.vgpr(3, 5), 0x22221111u) << processor;
      EXPECT_EQ(machine.vgpr(1, 5), 0x44442222u) << processor;
    }
}

/// A result of 16 bits leaves the other half alive: what is dead is not kept.
TEST(True16, AnalysisKnowsHalves) {
  const char* processor = "gfx1201";
  isa::Decoder decoder(processor);
  const isa::RegisterUses uses(processor, false);
  for (const std::string encoding : {"_e32", "_e64"}) {
    const auto use =
        uses.of(decoded(decoder, processor, "v_add_f16" + encoding + " v3.h, v1.h, v2.l"));
    const auto has = [](const VectorRegisters& set, unsigned index, VectorRegisters::Half half) {
      return set.has(VectorRegisters::place(VectorRegisters::File::Vgpr, index, half));
    };
    EXPECT_TRUE(has(use.writes, 3, VectorRegisters::Half::High)) << encoding;
    EXPECT_FALSE(has(use.writes, 3, VectorRegisters::Half::Low)) << encoding;
    EXPECT_TRUE(has(use.reads, 1, VectorRegisters::Half::High)) << encoding;
    EXPECT_TRUE(has(use.reads, 2, VectorRegisters::Half::Low)) << encoding;
  }
}

}  // namespace
}  // namespace hipsight::test
