// Kernels for gfx1151, which is RDNA 3 as gfx1100 is, against float64.
#include "attention_case.h"
#include "attention_reference.h"
#include "gemm_case.h"
#include "rows_trial.h"

namespace {

TEST(StrixHalo, Gemm) {
  const int m = 70, n = 41, k = 200;
  Managed<f16> a(m * k, f16(0)), b(n * k, f16(0));
  Managed<float> c(m * n, 0);
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  for (f16& value : a.all()) value = static_cast<f16>(normal(generator));
  for (f16& value : b.all()) value = static_cast<f16>(normal(generator));
  ASSERT_EQ(run_f16({.m = m, .n = n, .k = k, .a_stride = k, .b_stride = k, .c_stride = n}, a.data(),
                    b.data(), nullptr, c.data()),
            "");
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0, magnitude = 0;
      for (int d = 0; d < k; d++) {
        const double product = number(a[i * k + d]) * number(b[j * k + d]);
        sum += product, magnitude += std::fabs(product);
      }
      ASSERT_NEAR(c[i * n + j], sum, k * 0x1p-23 * magnitude) << "row " << i << " column " << j;
    }
}

TEST(StrixHalo, Attention) {
  const int head = 64, queries = 70, keys = 130;
  Managed<f16> q(queries * head, f16(0)), k(keys * head, f16(0)), v(keys * head, f16(0)),
      o(queries * head, f16(0));
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  for (const auto* operand : {&q, &k, &v})
    for (f16& value : operand->all()) value = static_cast<f16>(normal(generator));
  const AttentionCase test{.head = head,
                           .value_head = head,
                           .queries = queries,
                           .keys = keys,
                           .after = 0,
                           .stride = head,
                           .head_stride = head,
                           .key_stride = head,
                           .key_head_stride = head};
  ASSERT_EQ(run_attention_f16(test, q.data(), k.data(), v.data(), o.data(), nullptr), "");
  for (int s = 0; s < queries; s++) {
    const AttentionReference reference(
        head, head, keys, 0, [&](int key) { return key <= s + keys - queries; },
        [&](int i) { return number(q[s * head + i]); },
        [&](int key, int i) { return number(k[key * head + i]); },
        [&](int key, int i) { return number(v[key * head + i]); });
    for (int i = 0; i < head; i++)
      ASSERT_NEAR(number(o[s * head + i]), reference.result(i), reference.tolerance(i, 0x1p-11))
          << "query " << s << " element " << i;
  }
}

TEST(StrixHalo, LayerNorm) {
  test_rows<float, float>(
      layer_norm_f32, {Workers::chosen}, Scales::none, 1e-3f, 0x1p-18, [](const auto& trial) {
        return [&](const Row& x, const Row&) { return layer_norm(x, trial.weight, trial.bias); };
      });
}

/// A variance of 1 beside a mean of 10000, whose square has no digit for it in f32; a NaN and an
/// infinity, which make their rows NaNs.
TEST(StrixHalo, LayerNormOfLargeMeansAndNotFinite) {
  for (const bool on_host : {false, true}) {
    Trial<float, float> trial(
        {.on_host = on_host, .rows = 4, .columns = 201, .stride = 201, .number = 1e-3f},
        Scales::none);
    for (float& value : trial.in.all()) value = value / 3 + 10000;
    trial.in[trial.at(1, 200)] = std::nanf("");
    trial.in[trial.at(3, 0)] = std::numeric_limits<float>::infinity();
    ASSERT_EQ(layer_norm_f32(trial.test), "");
    trial.check([&](const Row& x, const Row&) { return layer_norm(x, trial.weight, trial.bias); },
                0x1p-9);  // the mean is off by 2^-24 of 10000
    EXPECT_TRUE(std::isnan(trial.out[trial.at(3, 5)]));
  }
}

double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

TEST(StrixHalo, Gelu) {
  test_rows<bf16, bf16>(gelu_bf16, {Workers::chosen}, Scales::none, 0, 0x1p-20,
                        [](const auto&) { return gated(gelu); });
}

TEST(StrixHalo, Quantise) {
  test_rows<float, fp8_e4m3_fnuz>(quantise_f32_fnuz_per_block, {Workers::chosen}, Scales::of_blocks,
                                  0, 0x1p-22, [](const auto&) { return same; });
}

}  // namespace
