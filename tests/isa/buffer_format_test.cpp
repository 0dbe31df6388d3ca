// Formats of buffers, by the names that LLVM's disassembler gives their codes.
#include "isa/buffer_format.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "assemble.h"
#include "isa/decode.h"

namespace hipsight::test {
namespace {

/// "10_10_10_2": fields from the highest bits to the lowest.
std::string bits_text(const isa::BufferFormat& format) {
  std::string text;
  for (const unsigned bits : format.bits)
    if (bits) text = text.empty() ? fmt::format("{}", bits) : fmt::format("{}_{}", bits, text);
  return text;
}
std::string number_text(const isa::BufferFormat& format) {
  constexpr const char* names[]{"UNORM", "SNORM", "USCALED", "SSCALED",
                                "UINT",  "SINT",  "",        "FLOAT"};
  return names[static_cast<unsigned>(format.number)];
}

/// A typed load with a format code, as LLVM prints it.
std::string printed(const char* processor, const char* format, unsigned code) {
  isa::Decoder decoder(processor);
  const auto bytes =
      assemble(processor, fmt::format("tbuffer_load_format_x v0, v1, s[4:7], {} idxen",
                                      fmt::format(fmt::runtime(format), code)));
  const auto instruction = decoder.decode(bytes, 0);
  EXPECT_TRUE(instruction.has_value());
  EXPECT_EQ(instruction->format, isa::Format::Mtbuf);
  EXPECT_EQ(instruction->imm.format(), code);
  EXPECT_TRUE(instruction->idxen);
  return decoder.text(*instruction);
}

TEST(BufferFormat, OfRdnaIsWhatLlvmNames) {
  for (const char* processor : {"gfx1100", "gfx1201"}) {
    const isa::Gfx gfx = isa::gfx_of(processor);
    int named = 0;
    for (unsigned code = 0; code < 128; ++code) {
      const std::string text = printed(processor, "null format:{}", code);
      const auto format = isa::buffer_format(gfx, code);
      if (!format) {
        EXPECT_TRUE(code == 0 || text.find(fmt::format("format:{}", code)) != text.npos) << text;
        continue;
      }
      ++named;
      EXPECT_EQ(isa::buffer_format_code(gfx, *format), code);
      if (code == 1) continue;  // the default, which is not printed
      const auto name = fmt::format("[BUF_FMT_{}_{}]", bits_text(*format), number_text(*format));
      EXPECT_NE(text.find(name), text.npos) << name << ": " << text;
    }
    EXPECT_EQ(named, 63);
  }
}

TEST(BufferFormat, OfCdnaIsWhatLlvmNames) {
  for (const char* processor : {"gfx90a", "gfx942"}) {
    const isa::Gfx gfx = isa::gfx_of(processor);
    int named = 0;
    for (unsigned code = 0; code < 128; ++code) {
      const std::string text = printed(processor, "0 format:{}", code);
      const auto format = isa::buffer_format(gfx, code);
      if (!format) {
        EXPECT_TRUE(text.find("INVALID") != text.npos || text.find("RESERVED") != text.npos)
            << text;
        continue;
      }
      ++named;
      EXPECT_EQ(isa::buffer_format_code(gfx, *format), code);
      // What is the default, 8 bits or UNORM, is not printed.
      const auto bits = "BUF_DATA_FORMAT_" + bits_text(*format);
      const auto number = "BUF_NUM_FORMAT_" + number_text(*format);
      if (bits_text(*format) != "8") EXPECT_NE(text.find(bits), text.npos) << bits << ": " << text;
      if (number_text(*format) != "UNORM")
        EXPECT_NE(text.find(number), text.npos) << number << ": " << text;
    }
    EXPECT_EQ(named, 14 * 7);
  }
}

}  // namespace
}  // namespace hipsight::test
