// Appending to a cache against its definition, on the GPU that the program runs on and on the
// scalar reference.
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "append_case.h"
#include "hipsight/kernels/fp8.h"
#include "managed.h"
#include "normal.h"

namespace {

using f16 = _Float16;
using bf16 = __bf16;
using hipsight::kernels::fp8_e4m3;
using hipsight::kernels::fp8_e4m3_fnuz;
using testing::HasSubstr;

template <class T>
double number(T value) {
  return static_cast<double>(static_cast<float>(value));
}

std::size_t index(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

template <class T, class Cached>
void test_append(std::string (*run)(const AppendCase&), float scale, double relative,
                 double absolute) {
  for (const bool on_host : {false, true})
    for (const auto& [tokens, heads, size] :
         {std::tuple{1, 1, 8}, {5, 3, 64}, {33, 8, 128}, {4, 2, 256}}) {
      SCOPED_TRACE(testing::Message() << tokens << " x " << heads << " x " << size);
      constexpr int places = 4, pages = 12;
      const std::int64_t row = heads * size, stride = row + 16;
      const auto count = index(tokens * stride);
      const auto cached = index(pages * places * row);
      const Managed<T> keys(count, T(0)), values(count, T(0));
      const Managed<Cached> to_keys(cached, Cached(7.0f)), to_values(cached, Cached(7.0f));
      const Managed<int> slots(static_cast<std::size_t>(tokens), -1);
      std::mt19937 random(1);
      Normal normal;
      for (T& one : keys.all()) one = T(scale * normal(random));
      for (T& one : values.all()) one = T(scale * normal(random));
      for (int i = 0; i < tokens; i++)  // 29 and 48 have no common factor: each has its own
        if (i % 4 != 3) slots[static_cast<std::size_t>(i)] = i * 29 % (pages * places);
      ASSERT_EQ(run({.on_host = on_host,
                     .tokens = tokens,
                     .heads = heads,
                     .size = size,
                     .page_places = places,
                     .token_stride = stride,
                     .keys = keys.data(),
                     .values = values.data(),
                     .to_keys = to_keys.data(),
                     .to_values = to_values.data(),
                     .slots = slots.data(),
                     .key_scale = scale,
                     .value_scale = 2 * scale}),
                "");
      std::vector<int> token_of(pages * places, -1);
      for (int i = 0; i < tokens; i++)
        if (slots[static_cast<std::size_t>(i)] >= 0)
          token_of[static_cast<std::size_t>(slots[static_cast<std::size_t>(i)])] = i;
      for (int slot = 0; slot < pages * places; slot++)
        for (std::int64_t i = 0; i < row; i++) {
          const auto at = index(slot * row + i);
          const int token = token_of[static_cast<std::size_t>(slot)];
          if (token < 0) {
            ASSERT_EQ(number(to_keys[at]), number(Cached(7.0f)));
            ASSERT_EQ(number(to_values[at]), number(Cached(7.0f)));
            continue;
          }
          const auto from = index(token * stride + i);
          const double key = number(keys[from]) / scale, value = number(values[from]) / scale / 2;
          ASSERT_NEAR(number(to_keys[at]), key, relative * std::abs(key) + absolute);
          ASSERT_NEAR(number(to_values[at]), value, relative * std::abs(value) + absolute);
        }
    }
}

TEST(Append, OfTheSameType) {
  test_append<bf16, bf16>(append_bf16, 1, 0, 0.004);
}

TEST(Append, ToFp8) {
  test_append<f16, fp8_e4m3>(append_f16_to_e4m3, 0.25f, 0x1p-4, 0x1p-9);
  test_append<f16, fp8_e4m3_fnuz>(append_f16_to_fnuz, 0.25f, 0x1p-4, 0x1p-9);
}

TEST(Append, Refuses) {
  const Managed<bf16> memory(64, bf16(0.0f));
  const Managed<int> slots(1, 0);
  AppendCase test{.tokens = 1,
                  .heads = 1,
                  .size = 8,
                  .token_stride = 8,
                  .keys = memory.data(),
                  .values = memory.data(),
                  .to_keys = memory.data(),
                  .to_values = memory.data(),
                  .slots = slots.data()};
  EXPECT_EQ(append_bf16(test), "");
  test.size = 12;
  EXPECT_THAT(append_bf16(test), HasSubstr("heads of 12 values"));
  test.size = 8, test.page_places = 0;
  EXPECT_THAT(append_bf16(test), HasSubstr("a page has 0 places"));
  test.page_places = 16, test.key_scale = -1;
  EXPECT_THAT(append_bf16(test), HasSubstr("the keys' factor"));
  test.key_scale = 1, test.slots = nullptr;
  EXPECT_THAT(append_bf16(test), HasSubstr("the slots is a null pointer"));
  test.tokens = 0;
  EXPECT_EQ(append_bf16(test), "");
}

/// For what is told of them (kpi.toml).
TEST(Append, DISABLED_EachKernel) {
  constexpr int tokens = 64, heads = 8, size = 128;
  const Managed<float> from(tokens * heads * size, 0.5f), to(tokens * heads * size, 0),
      others(tokens * heads * size, 0);
  const Managed<int> slots(tokens, 3);
  const AppendCase test{.tokens = tokens,
                        .heads = heads,
                        .size = size,
                        .token_stride = heads * size,
                        .keys = from.data(),
                        .values = from.data(),
                        .to_keys = to.data(),
                        .to_values = others.data(),
                        .slots = slots.data()};
  EXPECT_EQ(append_bf16(test), "");
  EXPECT_EQ(append_f16_to_e4m3(test), "");
  EXPECT_EQ(append_f16_to_fnuz(test), "");
}

}  // namespace
