// Arguments of a launch as the command line has them.
#include "launcher/arguments.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "support/error.h"

namespace hipsight::launcher {
namespace {

std::string error_of(std::string_view text) try {
  parse(text);
  return "";
} catch (const Exception& error) {
  return error.what();
}
template <class T>
T value_of(std::string_view text) {
  const Value value = parse(text);
  T result{};
  EXPECT_EQ(value.kind, Value::Kind::Bytes);
  EXPECT_EQ(value.bytes.size(), sizeof result) << text;
  std::memcpy(&result, value.bytes.data(), std::min(sizeof result, value.bytes.size()));
  return result;
}

TEST(Arguments, NumbersOfEachType) {
  EXPECT_EQ(value_of<double>("f64:1e300"), 1e300);
  EXPECT_EQ(value_of<float>("f32:-1.5"), -1.5f);
  EXPECT_EQ(value_of<std::uint16_t>("f16:1.5"), 0x3e00);
  EXPECT_EQ(value_of<std::uint16_t>("bf16:-2"), 0xc000);
  EXPECT_EQ(value_of<std::int64_t>("i64:-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(value_of<std::int32_t>("i32:-7"), -7);
  EXPECT_EQ(value_of<std::int16_t>("i16:300"), 300);
  EXPECT_EQ(value_of<std::int8_t>("i8:-128"), -128);
  EXPECT_EQ(value_of<std::uint64_t>("u64:18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(value_of<std::uint32_t>("u32:4294967295"), UINT32_MAX);
  EXPECT_EQ(value_of<std::uint8_t>("u8:255"), 255);
  EXPECT_EQ(value_of<std::uint64_t>("null"), 0u);
  EXPECT_EQ(value_of<std::uint32_t>("bytes:0102Ff80"), 0x80ff0201u);
}

TEST(Arguments, Buffers) {
  EXPECT_EQ(parse("buffer:12").size, 12u);
  EXPECT_EQ(parse("buffer:3k").size, 3072u);
  EXPECT_EQ(parse("buffer:5G").size, 5ull << 30);
  EXPECT_EQ(parse("buffer:1M").kind, Value::Kind::Zeros);
  const Value filled = parse("buffer:2M:bf16");
  EXPECT_EQ(filled.kind, Value::Kind::Filled);
  EXPECT_EQ(filled.size, 2u << 20);
  EXPECT_EQ(filled.type, Type::BF16);
  EXPECT_EQ(parse("buffer:@/a:b").file, "/a:b");
  EXPECT_EQ(parse("same:2").same, 1u);
}

TEST(Arguments, ThatMakeNoSense) {
  for (const char* text : {"",
                           "1.5",
                           "f32",
                           "f32:",
                           "f32:1.5x",
                           "i8:128",
                           "u32:-1",
                           "i32:1.5",
                           "f33:1",
                           "buffer:",
                           "buffer:0",
                           "buffer:x",
                           "buffer:4T",
                           "buffer:999999999G",
                           "buffer:4:f33",
                           "buffer:@",
                           "bytes:",
                           "bytes:123",
                           "bytes:0g",
                           "same:0",
                           "same:x"}) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(text), error.npos) << text << ": " << error;
  }
}

TEST(Arguments, FillIsTheSameInPieces) {
  std::vector<std::byte> whole(4096), pieces(4096);
  for (const Type type : {Type::F64, Type::F32, Type::F16, Type::BF16, Type::I64, Type::U8}) {
    fill(whole, type, 0, 3);
    for (std::size_t at = 0; at < pieces.size(); at += 1024)
      fill({pieces.data() + at, 1024}, type, at, 3);
    EXPECT_EQ(whole, pieces);
  }
}

TEST(Arguments, FloatsAreDrawnFromMinusOneToOne) {
  std::vector<float> numbers(1 << 16), others(1 << 16);
  fill(std::as_writable_bytes(std::span(numbers)), Type::F32, 0, 1);
  fill(std::as_writable_bytes(std::span(others)), Type::F32, 0, 2);
  EXPECT_NE(numbers, others);
  double sum = 0, squares = 0;
  for (const float x : numbers) {
    ASSERT_TRUE(x >= -1 && x <= 1) << x;
    sum += x, squares += double(x) * x;
  }
  EXPECT_NEAR(sum / 65536, 0, 0.02);
  EXPECT_NEAR(squares / 65536, 1.0 / 3, 0.02);
}

TEST(Arguments, WholeNumbersCount) {
  std::vector<std::uint8_t> numbers(300);
  fill(std::as_writable_bytes(std::span(numbers)), Type::U8, 0, 1);
  EXPECT_EQ(numbers[255], 255);
  EXPECT_EQ(numbers[256], 0);
}

TEST(Arguments, AreThoseOfTheKernel) {
  code::Kernel kernel;
  kernel.name = "_Z5scalefPf";
  kernel.arguments = {
      {"", "by_value", 0, 4}, {"x", "global_buffer", 8, 8}, {"", "hidden_block_count_x", 16, 4}};
  const auto wrong = [&](std::vector<std::string> texts) -> std::string {
    std::vector<Value> values;
    for (const std::string& text : texts) values.push_back(parse(text));
    try {
      check(kernel, values);
      return "";
    } catch (const Exception& error) {
      return error.what();
    }
  };
  EXPECT_EQ(wrong({"f32:1", "buffer:4"}), "");
  EXPECT_EQ(wrong({"f32:1", "null"}), "");
  EXPECT_EQ(wrong({"f32:1"}),
            "1 arguments are given (--arg), not 2; scale(float, float*) takes:\n"
            "  argument 1: 4 bytes\n  argument 2: a buffer 'x'");
  EXPECT_EQ(wrong({"f64:1", "buffer:4"}).substr(0, 35), "argument 1 is given with 8 bytes; s");
  EXPECT_EQ(wrong({"f32:1", "same:1"}).substr(0, 40), "argument 2 is to be the same as argument");
  kernel.arguments[1].value_kind = "image";
  EXPECT_EQ(wrong({"f32:1", "null"}).substr(0, 37), "argument 2 cannot be given from here;");
}

}  // namespace
}  // namespace hipsight::launcher
