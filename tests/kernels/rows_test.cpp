// Operations on rows against float64, on the GPU that the program runs on and on the scalar
// reference.
#include "every_instance.h"
#include "normal.h"
#include "rows_trial.h"

namespace {

template <class W>
Row rms_norm(const Row& x, const Managed<W>& weight, double epsilon) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  const double factor = 1 / std::sqrt(squares / x.size() + epsilon);
  Row result(x.size());
  for (std::size_t i = 0; i < x.size(); i++) result[i] = x[i] * factor * number(weight[i]);
  return result;
}

TEST(Rows, RmsNorm) {
  test_rows<bf16, bf16>(rms_norm_bf16,
                        {Workers::lanes, Workers::wave, Workers::workgroup, Workers::wide,
                         Workers::large, Workers::streamed, Workers::chosen},
                        Scales::none, 1e-5f, 0x1p-20, [](const auto& trial) {
                          return [&](const Row& x, const Row&) {
                            return rms_norm(x, trial.weight, 1e-5f);
                          };
                        });
}

/// What is normalised is the sum in bf16, which is written, too; also over the residual itself.
TEST(Rows, RmsNormOfSumQuantised) {
  test_rows<bf16, fp8_e4m3_fnuz>(
      rms_norm_residual_bf16_fnuz_per_token, {Workers::workgroup, Workers::streamed},
      Scales::of_rows, 1e-5f, 0x1p-20, [](const auto& trial) {
        return [&, row = 0](const Row& x, const Row& other) mutable {
          Row sum(x.size());
          for (std::size_t i = 0; i < x.size(); i++) {
            sum[i] = number(static_cast<bf16>(static_cast<float>(x[i] + other[i])));
            EXPECT_EQ(number(trial.sum[trial.at(row, int(i))]), sum[i]) << "the sum";
          }
          row++;
          return rms_norm(sum, trial.weight, 1e-5f);
        };
      });
}

/// The same by a mean and a variance, from and to other types.
TEST(Rows, LayerNormOfSumQuantised) {
  test_rows<f16, std::int8_t>(
      layer_norm_residual_f16_int8_per_token, {Workers::streamed}, Scales::of_rows, 1e-3f, 0x1p-18,
      [](const auto& trial) {
        return [&, row = 0](const Row& x, const Row& other) mutable {
          Row sum(x.size());
          for (std::size_t i = 0; i < x.size(); i++) {
            sum[i] = number(static_cast<f16>(static_cast<float>(x[i] + other[i])));
            EXPECT_EQ(number(trial.sum[trial.at(row, int(i))]), sum[i]) << "the sum";
          }
          row++;
          return layer_norm(sum, trial.weight, trial.bias);
        };
      });
}

/// NaNs and infinities stay in their row; one whose squares are more than f32 holds becomes zeros.
TEST(Rows, NormsNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const bool on_host : {false, true})
    for (const auto& [workers, columns] : {std::pair{Workers::lanes, 77}, {Workers::wave, 999}}) {
      Trial<bf16, bf16> trial({.workers = workers,
                               .on_host = on_host,
                               .rows = 6,
                               .columns = columns,
                               .stride = columns,
                               .number = 1e-5f},
                              Scales::none);
      trial.in[trial.at(1, 5)] = bf16(std::nanf(""));
      trial.in[trial.at(3, columns - 1)] = bf16(-infinity);
      ASSERT_EQ(rms_norm_bf16(trial.test), "");
      trial.check([&](const Row& x, const Row&) { return rms_norm(x, trial.weight, 1e-5f); },
                  0x1p-20);
      EXPECT_TRUE(std::isnan(number(trial.out[trial.at(1, 0)])));
      EXPECT_EQ(number(trial.out[trial.at(3, 0)]), 0);
      for (int i = 0; i < columns; i++) trial.in[trial.at(2, i)] = bf16(0x1p70f);
      ASSERT_EQ(rms_norm_bf16(trial.test), "");
      for (int i = 0; i < columns; i++) EXPECT_EQ(number(trial.out[trial.at(2, i)]), 0);
    }
}

/// A NaN makes its row NaNs, which are 0 in int8 and do not count for the scale.
TEST(Rows, LayerNormNotFinite) {
  for (const bool on_host : {false, true}) {
    using Both = Trial<f16, std::int8_t>;
    const RowCase test{.workers = Workers::streamed,
                       .on_host = on_host,
                       .rows = 3,
                       .columns = 300,
                       .stride = 301,
                       .number = 1e-3f};
    Both finite(test, Scales::of_rows), other(test, Scales::of_rows);
    other.in[other.at(1, 299)] = f16(std::nanf(""));
    ASSERT_EQ(layer_norm_residual_f16_int8_per_token(finite.test), "");
    ASSERT_EQ(layer_norm_residual_f16_int8_per_token(other.test), "");
    for (int row = 0; row < 3; row++)
      for (int i = 0; i < 300; i++) {
        const auto at = other.at(row, i);
        EXPECT_EQ(other.out[at], row == 1 ? 0 : finite.out[at]) << "row " << row;
      }
    EXPECT_TRUE(std::isfinite(other.scale[1]));
  }
}

TEST(Rows, ResidualInPlace) {
  for (const Workers workers : {Workers::workgroup, Workers::streamed}) {
    using Both = Trial<bf16, fp8_e4m3_fnuz>;
    const RowCase test{
        .workers = workers, .rows = 3, .columns = 1000, .stride = 1001, .number = 1e-5f};
    Both apart(test, Scales::of_rows), in_place(test, Scales::of_rows);
    in_place.test.sum = in_place.other.data();
    ASSERT_EQ(rms_norm_residual_bf16_fnuz_per_token(apart.test), "");
    ASSERT_EQ(rms_norm_residual_bf16_fnuz_per_token(in_place.test), "");
    for (int row = 0; row < 3; row++)
      for (int column = 0; column < 1000; column++) {
        const auto at = apart.at(row, column);
        EXPECT_EQ(number(apart.sum[at]), number(in_place.other[at]));
        EXPECT_EQ(apart.out[at].bits, in_place.out[at].bits);
      }
  }
}

Definition softmax_of(double scale) {
  return [=](const Row& x, const Row&) {
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (const double value : x) most = std::fmax(most, value);
    Row result(x.size());
    for (std::size_t i = 0; i < x.size(); i++) sum += result[i] = std::exp(scale * (x[i] - most));
    for (double& value : result) value /= sum;
    return result;
  };
}

TEST(Rows, Softmax) {
  test_rows<float, float>(softmax_f32, {Workers::streamed}, Scales::none, 1.5f, 0x1p-18,
                          [](const auto&) { return softmax_of(1.5); });
  test_rows<f16, f16>(softmax_f16, {Workers::wave}, Scales::none, 0.125f, 0x1p-18,
                      [](const auto&) { return softmax_of(0.125); });
}

/// Large values, -inf (what masks leave), and rows that have no softmax: NaN, inf, nothing but
/// -inf.
TEST(Rows, SoftmaxNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const bool on_host : {false, true}) {
    Trial<float, float> trial({.workers = Workers::streamed,
                               .on_host = on_host,
                               .rows = 6,
                               .columns = 77,
                               .stride = 77,
                               .number = 1},
                              Scales::none);
    for (int i = 0; i < 77; i++) trial.in[trial.at(0, i)] += 3e38f;
    for (int i = 10; i < 77; i++) trial.in[trial.at(1, i)] = -infinity;
    trial.in[trial.at(2, 5)] = std::nanf("");
    trial.in[trial.at(3, 76)] = infinity;
    for (int i = 0; i < 77; i++) trial.in[trial.at(4, i)] = -infinity;
    ASSERT_EQ(softmax_f32(trial.test), "");
    trial.check(softmax_of(1), 0x1p-18);
    for (const int row : {2, 3, 4}) EXPECT_TRUE(std::isnan(trial.out[trial.at(row, 0)])) << row;
    EXPECT_EQ(trial.out[trial.at(1, 20)], 0);
  }
}

double silu(double x) {
  return x / (1 + std::exp(-x));
}

TEST(Rows, Gated) {
  test_rows<f16, std::int8_t>(silu_f16_int8_per_block,
                              {Workers::lanes, Workers::wave, Workers::chosen}, Scales::of_blocks,
                              0, 0x1p-20, [](const auto&) { return gated(silu); });
}

TEST(Rows, Quantise) {
  test_rows<float, fp8_e4m3>(quantise_f32_e4m3_per_tensor, {Workers::wave}, Scales::one, 0, 0x1p-22,
                             [](const auto&) { return same; });
  test_rows<float, std::int8_t>(quantise_f32_int8_per_token, {Workers::wave}, Scales::of_rows, 0,
                                0x1p-22, [](const auto&) { return same; });
}

template <class In, class Out>
void test_dequantise(RowRun run, Workers workers, Scales scales) {
  for (const Size& size : sizes(workers))
    for (const bool on_host : {false, true}) {
      if (!on_host && std::is_same_v<In, fp8_e4m3_fnuz> && !has_fp8<In>()) continue;
      Trial<In, Out> trial({.workers = workers,
                            .on_host = on_host,
                            .rows = size.rows,
                            .columns = size.columns,
                            .stride = size.columns + 5},
                           scales);
      for (std::size_t i = 0; i < trial.scale.all().size(); i++)
        trial.scale[i] = 0.5f + 0.125f * static_cast<float>(i % 7);
      const std::string error = run(trial.test);
      ASSERT_EQ(error, "");
      for (int row = 0; row < size.rows; row++)
        for (int column = 0; column < size.columns; column++) {
          const double want = number(trial.in[trial.at(row, column)]) * trial.scale_at(row, column);
          ASSERT_NEAR(number(trial.out[trial.at(row, column)]), want,
                      std::fabs(want) * (format_of<Out>().relative + 0x1p-24))
              << "row " << row << " column " << column;
        }
    }
}

TEST(Rows, Dequantise) {
  test_dequantise<fp8_e4m3, float>(dequantise_e4m3_per_tensor_f32, Workers::lanes, Scales::one);
  test_dequantise<fp8_e4m3_fnuz, bf16>(dequantise_fnuz_per_token_bf16, Workers::wave,
                                       Scales::of_rows);
  test_dequantise<std::int8_t, f16>(dequantise_int8_per_block_f16, Workers::wave,
                                    Scales::of_blocks);
}

/// The nearest of all 256, of two the one whose last bit is 0, and none beyond the largest.
template <class T>
int nearest_code(float value) {
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  const double in_range = std::fmin(std::fmax(double(value), -T::largest), T::largest);
  for (int code = 0; code < 256; code++) {
    const double distance =
        std::fabs(number(T::of_bits(static_cast<std::uint8_t>(code))) - in_range);
    const bool nearer = distance < least || (distance == least && code % 2 == 0);
    if (nearer && !std::isnan(distance) && std::signbit(value) == (code >= 128))
      best = code, least = distance;
  }
  return best;
}

/// Every number of the format, the middle between each two, its neighbours in f32, and what is no
/// number or beyond all.
template <class T>
void test_rounding(RowRun run) {
  std::vector<float> values{0,
                            1e-30f,
                            1e-40f,
                            1e30f,
                            3e38f,
                            T::largest * 1.03f,
                            T::largest * 1.5f,
                            std::numeric_limits<float>::infinity()};
  for (int code = 0; code < 127; code++) {
    const float low = static_cast<float>(T::of_bits(static_cast<std::uint8_t>(code)));
    const float high = static_cast<float>(T::of_bits(static_cast<std::uint8_t>(code + 1)));
    values.push_back(low);
    if (std::isnan(high)) continue;
    const float middle = (low + high) / 2;
    for (const float value : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, high)})
      values.push_back(value);
  }
  const auto count = static_cast<int>(values.size());
  for (int i = 0; i < count; i++) values.push_back(-values[i]);
  for (const bool on_host : {false, true}) {
    Trial<float, T> trial({.workers = Workers::wave,
                           .on_host = on_host,
                           .rows = 1,
                           .columns = 2 * count + 1,
                           .stride = 2 * count + 1},
                          Scales::one);
    trial.scale[0] = 1;
    for (int i = 0; i < 2 * count; i++) trial.in[i] = values[i];
    trial.in[2 * count] = std::nanf("");
    ASSERT_EQ(run(trial.test), "");
    for (int i = 0; i < 2 * count; i++) {
      const float rounded = static_cast<float>(trial.out[i]);
      if (rounded == 0)  // -0 is 0, where the format has one
        EXPECT_EQ(static_cast<float>(T::of_bits(nearest_code<T>(std::fabs(values[i])))), 0.0f);
      else
        EXPECT_EQ(int(trial.out[i].bits), nearest_code<T>(values[i])) << values[i];
    }
    EXPECT_TRUE(std::isnan(static_cast<float>(trial.out[2 * count])));
  }
}

TEST(Rows, RoundingTo8Bits) {
  test_rounding<fp8_e4m3>(quantise_f32_e4m3_per_tensor);
  test_rounding<fp8_e4m3_fnuz>(quantise_f32_fnuz_per_tensor);
}

/// Zeros get a scale with an inverse; denormals are numbers; a NaN is 0 in int8 and does not reach
/// the scale.
TEST(Rows, QuantiseExtremes) {
  for (const bool on_host : {false, true}) {
    Trial<float, std::int8_t> trial(
        {.workers = Workers::wave, .on_host = on_host, .rows = 3, .columns = 40, .stride = 40},
        Scales::of_rows);
    for (int i = 0; i < 40; i++) {
      trial.in[trial.at(0, i)] = 0;
      trial.in[trial.at(1, i)] = 1e-40f;
    }
    trial.in[trial.at(2, 7)] = std::nanf("");
    trial.in[trial.at(2, 8)] = -1000;
    ASSERT_EQ(quantise_f32_int8_per_token(trial.test), "");
    for (int i = 0; i < 40; i++) {
      EXPECT_EQ(trial.out[trial.at(0, i)], 0);
      EXPECT_EQ(trial.out[trial.at(1, i)], 0);
    }
    EXPECT_GT(trial.scale[0], 0);
    EXPECT_FLOAT_EQ(trial.scale[2], 1000.0f / 127);
    EXPECT_EQ(trial.out[trial.at(2, 7)], 0);
    EXPECT_EQ(trial.out[trial.at(2, 8)], -127);
  }
}

template <class T>
void test_rope(RopeRun run, bool halves) {
  struct Shape {
    int tokens, heads, size, pairs;
  };
  for (const Shape& s : {Shape{1, 1, 2, 1}, Shape{5, 3, 128, 64}, Shape{7, 2, 80, 19},
                         Shape{3, 4, 70, 35}, Shape{4, 2, 64, 16}})
    for (const int gap : {0, 3})
      for (const bool with_positions : {false, true})
        for (const bool on_host : {false, true}) {
          SCOPED_TRACE(testing::Message() << s.tokens << " tokens, " << s.heads << " heads of "
                                          << s.size << ", " << s.pairs << " pairs");
          const int table_rows = 50, head_stride = s.size + gap;
          const int token_stride = s.heads * head_stride + gap;
          Managed<T> in(s.tokens * token_stride, T(0.0f)), out(s.tokens * token_stride, T(7.0f));
          Managed<float> cosine(table_rows * s.pairs, 0), sine(table_rows * s.pairs, 0);
          Managed<int> positions(s.tokens, 0);
          std::mt19937 generator(s.size);
          Normal normal;
          for (T& value : in.all()) value = static_cast<T>(normal(generator));
          for (int i = 0; i < table_rows * s.pairs; i++) {
            cosine[i] = std::cos(normal(generator));
            sine[i] = std::sin(normal(generator));
          }
          for (int i = 0; i < s.tokens; i++) positions[i] = (i * 17 + 31) % table_rows;
          const RopeCase test{.on_host = on_host,
                              .tokens = s.tokens,
                              .heads = s.heads,
                              .size = s.size,
                              .pairs = s.pairs,
                              .token_stride = token_stride,
                              .head_stride = head_stride,
                              .in = in.data(),
                              .out = out.data(),
                              .cosine = cosine.data(),
                              .sine = sine.data(),
                              .table_rows = table_rows,
                              .positions = with_positions ? positions.data() : nullptr};
          ASSERT_EQ(run(test), "");
          std::vector<double> want(out.all().size(), 7);
          for (int token = 0; token < s.tokens; token++)
            for (int head = 0; head < s.heads; head++) {
              const int at = token * token_stride + head * head_stride;
              for (int i = 0; i < s.size; i++) want[at + i] = number(in[at + i]);
              for (int p = 0; p < s.pairs; p++) {
                const int row = with_positions ? positions[token] : token;
                const double c = cosine[row * s.pairs + p], sin = sine[row * s.pairs + p];
                const int i = halves ? p : 2 * p, j = halves ? p + s.pairs : 2 * p + 1;
                const double x = number(in[at + i]), y = number(in[at + j]);
                want[at + i] = x * c - y * sin, want[at + j] = x * sin + y * c;
              }
            }
          for (std::size_t i = 0; i < want.size(); i++)
            ASSERT_NEAR(number(out[i]), want[i],
                        std::fabs(want[i]) * format_of<T>().relative + 0x1p-20)
                << "element " << i;
          RopeCase in_place = test;
          in_place.out = in.data();
          ASSERT_EQ(run(in_place), "");
          for (int token = 0; token < s.tokens; token++)
            for (int i = 0; i < s.size; i++)
              ASSERT_EQ(number(in[token * token_stride + i]), number(out[token * token_stride + i]))
                  << "in place";
        }
}

TEST(Rows, Rope) {
  test_rope<bf16>(rope_halves_bf16, true);
  test_rope<f16>(rope_neighbours_f16, false);
}

/// Rows of which a wave has one may lie further apart than 32-bit offsets reach.
TEST(Rows, FarApart) {
  const int columns = 300;
  const std::int64_t stride = (std::int64_t{1} << 28) + 8;
  void* data = nullptr;
  ASSERT_EQ(hipMallocManaged(&data, (stride + columns) * sizeof(bf16), hipMemAttachGlobal),
            hipSuccess);
  bf16* const first = static_cast<bf16*>(data);
  bf16* const second = first + stride;
  for (int i = 0; i < columns; i++) first[i] = second[i] = bf16(3.0f);
  Managed<bf16> weight(columns, bf16(1.0f));
  EXPECT_EQ(rms_norm_bf16({.workers = Workers::wave,
                           .rows = 2,
                           .columns = columns,
                           .stride = stride,
                           .in = data,
                           .weight = weight.data(),
                           .out = data,
                           .number = 1e-6f}),
            "");
  for (int i = 0; i < columns; i++) {
    EXPECT_EQ(float(first[i]), 1);
    EXPECT_EQ(float(second[i]), 1);
  }
  EXPECT_EQ(hipFree(data), hipSuccess);
}

/// Every kernel once, for facts_test.cpp.
TEST(Rows, DISABLED_EachKernel) {
  const auto launch = [](auto in, auto out, RowRun run, std::initializer_list<Workers> teams,
                         Scales scales, int columns) {
    for (const Workers workers : teams) {
      Trial<decltype(in), decltype(out)> trial(
          {.workers = workers, .rows = 256, .columns = columns, .stride = columns, .number = 1},
          scales);
      EXPECT_EQ(run(trial.test), "");
    }
  };
  using enum Workers;
  const fp8_e4m3 ocp{0.0f};
  const fp8_e4m3_fnuz fnuz{0.0f};
  const std::int8_t i8{};
  launch(bf16(), bf16(), rms_norm_bf16, {lanes}, Scales::none, 128);
  launch(bf16(), bf16(), rms_norm_bf16, {wave}, Scales::none, 1024);
  launch(bf16(), bf16(), rms_norm_bf16, {workgroup}, Scales::none, 4096);
  launch(bf16(), bf16(), rms_norm_bf16, {wide, large, streamed}, Scales::none, 8192);
  launch(bf16(), fnuz, rms_norm_residual_bf16_fnuz_per_token, {workgroup, streamed},
         Scales::of_rows, 4096);
  launch(f16(), i8, layer_norm_residual_f16_int8_per_token, {streamed}, Scales::of_rows, 4096);
  launch(0.0f, 0.0f, softmax_f32, {streamed}, Scales::none, 4096);
  launch(f16(), f16(), softmax_f16, {wave}, Scales::none, 1024);
  launch(f16(), i8, silu_f16_int8_per_block, {lanes, wave}, Scales::of_blocks, 256);
  launch(0.0f, ocp, quantise_f32_e4m3_per_tensor, {wave}, Scales::one, 4096);
  launch(0.0f, fnuz, quantise_f32_fnuz_per_tensor, {wave}, Scales::one, 4096);
  launch(0.0f, i8, quantise_f32_int8_per_token, {wave}, Scales::of_rows, 1024);
  launch(ocp, 0.0f, dequantise_e4m3_per_tensor_f32, {lanes}, Scales::one, 256);
  if (has_fp8<fp8_e4m3_fnuz>())
    launch(fnuz, bf16(), dequantise_fnuz_per_token_bf16, {wave}, Scales::of_rows, 4096);
  launch(i8, f16(), dequantise_int8_per_block_f16, {wave}, Scales::of_blocks, 4096);
  const auto rotate = [](auto value, RopeRun run) {
    const int tokens = 256, heads = 4, size = 128, pairs = 64;
    const Managed<decltype(value)> values(tokens * heads * size, value);
    const Managed<float> table(tokens * pairs, 0);
    EXPECT_EQ(run({.tokens = tokens,
                   .heads = heads,
                   .size = size,
                   .pairs = pairs,
                   .token_stride = heads * size,
                   .head_stride = size,
                   .in = values.data(),
                   .out = values.data(),
                   .cosine = table.data(),
                   .sine = table.data(),
                   .table_rows = tokens}),
              "");
  };
  rotate(bf16(1.0f), rope_halves_bf16);
  rotate(f16(1.0f), rope_neighbours_f16);
}

TEST(Rows, WithoutRowsOrColumns) {
  EXPECT_EQ(rms_norm_bf16({.rows = 0, .columns = 5, .stride = 5}), "");
  EXPECT_EQ(rms_norm_bf16({.rows = 5, .columns = 0, .stride = 0}), "");
  EXPECT_EQ(
      softmax_f16({.workers = Workers::wave, .rows = 0, .columns = 5, .stride = 5, .number = 1}),
      "");
}

/// Rows without columns have scales, too, if these are of rows: those of zeros.
TEST(Rows, ScalesOfRowsWithoutColumns) {
  for (const bool on_host : {false, true}) {
    Managed<float> scales(4, -1);
    const RowCase test{
        .workers = Workers::wave, .on_host = on_host, .rows = 3, .scales = scales.data()};
    EXPECT_EQ(quantise_f32_int8_per_token(test), "");
    for (int row = 0; row < 3; row++) EXPECT_EQ(scales[row], 0x1p-100f / 127) << row;
    EXPECT_EQ(scales[3], -1);
  }
  EXPECT_EQ(quantise_f32_int8_per_token({.workers = Workers::wave, .rows = 3}),
            "convert: the output's scales is a null pointer");
}

TEST(Rows, ErrorsNameWhatIsWrong) {
  EXPECT_EQ(rms_norm_bf16({.rows = 2, .columns = 5, .stride = 4}),
            "rms_norm: the input's stride of 4 is less than its 5 columns");
  EXPECT_EQ(rms_norm_bf16({.rows = 2, .columns = 5, .stride = 1 << 29}),
            "rms_norm: the input's stride of 536870912 is more than 268435455, the largest that "
            "kernels take for rows of up to 256 columns");
  EXPECT_EQ(rms_norm_bf16({.rows = 1, .columns = 1 << 28, .stride = 1 << 28}),
            "rms_norm: the input is a null pointer");
  EXPECT_EQ(rms_norm_bf16({.rows = 2, .columns = 5, .stride = 5}),
            "rms_norm: the input is a null pointer");
  EXPECT_EQ(rms_norm_bf16({.rows = -2, .columns = 5, .stride = 5}),
            "rms_norm: a size is negative: -2 x 5");
  EXPECT_EQ(rms_norm_bf16({.rows = 1, .columns = 1 << 29, .stride = 1 << 29}),
            "rms_norm: rows of 536870912 columns are longer than 268435456, the longest that "
            "kernels take");
  const int some = 0;
  int written = 0;
  EXPECT_EQ(rms_norm_bf16({.rows = 1 << 28,
                           .columns = 1,
                           .stride = 1,
                           .in = &some,
                           .weight = &some,
                           .out = &written}),
            "rms_norm: 16777216 workgroups of 256 work-items are more than a launch takes");
  RowCase test{.rows = 1, .columns = 2, .stride = 2, .in = &some};
  EXPECT_EQ(rms_norm_bf16(test), "rms_norm: the output is a null pointer");
  EXPECT_EQ(softmax_f16(test), "softmax: the output is a null pointer");
  Managed<f16> out(2, f16(0.0f));
  test.out = out.data();
  EXPECT_EQ(softmax_f16(test), "softmax: the scale, 0.000000, must be positive and finite");
  test.number = std::numeric_limits<float>::infinity();
  EXPECT_EQ(softmax_f16(test), "softmax: the scale, inf, must be positive and finite");
  EXPECT_EQ(rope_halves_bf16({.tokens = 1,
                              .heads = 1,
                              .size = 8,
                              .pairs = 5,
                              .in = &some,
                              .out = out.data(),
                              .cosine = test.scales,
                              .sine = test.scales}),
            "rope: a table is a null pointer");
  const float one = 1;
  EXPECT_EQ(rope_halves_bf16({.tokens = 1,
                              .heads = 1,
                              .size = 8,
                              .pairs = 5,
                              .in = &some,
                              .out = out.data(),
                              .cosine = &one,
                              .sine = &one}),
            "rope: the tables have 5 columns, for heads of 8 values: at most half as many fit");
  RopeCase heads{.tokens = 2, .heads = 2, .size = 8, .token_stride = 16, .head_stride = 7};
  EXPECT_EQ(rope_halves_bf16(heads),
            "rope: the input's stride of heads of 7 is less than the 8 values of a head");
  heads.head_stride = 8, heads.token_stride = 5;
  EXPECT_EQ(rope_halves_bf16(heads),
            "rope: the input's stride of tokens of 5 is less than the 8 values of a head");
}

}  // namespace
