// Operations of training against float64, on the GPU that the program runs on and on the scalar
// reference.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "managed.h"
#include "normal.h"
#include "training_case.h"

namespace {

using f16 = _Float16;
using bf16 = __bf16;
using testing::HasSubstr;

template <class T>
constexpr double relative = std::is_same_v<T, float> ? 0x1p-23
                            : std::is_same_v<T, f16> ? 0x1p-10
                                                     : 0x1p-7;

template <class T>
double number(T value) {
  return static_cast<double>(static_cast<float>(value));
}

/// Rows apart from each other by some values that nobody may read or write.
template <class T>
struct Matrix {
  int rows, columns;
  std::int64_t stride;
  Managed<T> data;

  Matrix(int rows_, int columns_, std::int64_t stride_, int seed)
      : rows(rows_),
        columns(columns_),
        stride(stride_),
        data(static_cast<std::size_t>(rows_ * stride_), T(std::nanf(""))) {
    std::mt19937 random(static_cast<unsigned>(seed));
    Normal values;
    for (int row = 0; row < rows; row++)
      for (int column = 0; column < columns; column++) (*this)(row, column) = T(values(random));
  }
  T& operator()(int row, int column) const {
    return data[static_cast<std::size_t>(row * stride + column)];
  }
  double at(int row, int column) const { return number((*this)(row, column)); }
};

/// A result near what it must be: by rounding, and by an error of `scale`, the size of the terms
/// that it is a sum of.
template <class T>
void expect_near(double found, double wanted, double scale, const char* what, int row, int column) {
  ASSERT_NEAR(found, wanted, relative<T> * std::abs(wanted) + 0x1p-17 * scale)
      << what << ", row " << row << ", column " << column;
}

template <class T>
void expect_untouched(const Matrix<T>& matrix) {
  for (int row = 0; row < matrix.rows; row++)
    for (auto i = matrix.columns; i < matrix.stride; i++)
      ASSERT_TRUE(std::isnan(number(matrix(row, static_cast<int>(i))))) << row << ", " << i;
}

/// Of a row of x and of the gradient of the result: what a norm's definition gives. `centred`: of
/// layer_norm.
struct OfRow {
  std::vector<double> normal;  // x, normalised
  double factor, whole, along;
};
template <class T>
OfRow of_row(const Matrix<T>& x, const Matrix<T>& d, const Managed<T>& weight, int row,
             double epsilon, bool centred) {
  const int n = x.columns;
  double mean = 0, squares = 0;
  for (int i = 0; centred && i < n; i++) mean += x.at(row, i) / n;
  for (int i = 0; i < n; i++) squares += (x.at(row, i) - mean) * (x.at(row, i) - mean) / n;
  OfRow of{.normal = {}, .factor = 1 / std::sqrt(squares + epsilon), .whole = 0, .along = 0};
  for (int i = 0; i < n; i++) {
    of.normal.push_back((x.at(row, i) - mean) * of.factor);
    const double wd = d.at(row, i) * number(weight[static_cast<std::size_t>(i)]);
    if (centred) of.whole += wd / n;
    of.along += wd * of.normal.back() / n;
  }
  return of;
}

template <class T>
void test_norm(TrainingRun* run, bool centred, std::initializer_list<int> sizes) {
  for (const bool on_host : {false, true})
    for (const int columns : sizes)
      for (const int rows : {1, 37}) {
        if (on_host && columns > 1000) continue;
        SCOPED_TRACE(testing::Message() << rows << " x " << columns << (on_host ? ", host" : ""));
        const std::int64_t stride = columns + (columns % 2 ? 3 : 8);
        const Matrix<T> x(rows, columns, stride, 1), d(rows, columns, stride, 2),
            out(rows, columns, stride, 3);
        const Matrix<T> weight(1, columns, columns, 4);
        const Managed<T> d_weight(static_cast<std::size_t>(columns), T(9)),
            d_bias(static_cast<std::size_t>(columns), T(9));
        TrainingCase test;
        test.on_host = on_host, test.rows = rows, test.columns = columns, test.stride = stride;
        test.in = x.data.data(), test.d_out = d.data.data(), test.out = out.data.data();
        test.weight = weight.data.data(), test.number = 1e-5f;
        test.d_weight = d_weight.data(), test.d_bias = d_bias.data();
        ASSERT_EQ(run(test), "");
        std::vector<double> of_weight(static_cast<std::size_t>(columns)), of_bias = of_weight;
        for (int row = 0; row < rows; row++) {
          const OfRow of = of_row(x, d, weight.data, row, 1e-5, centred);
          for (int i = 0; i < columns; i++) {
            const auto at = static_cast<std::size_t>(i);
            const double n = of.normal[at], wd = d.at(row, i) * weight.at(0, i);
            expect_near<T>(out.at(row, i), of.factor * (wd - of.whole - n * of.along),
                           of.factor * (std::abs(wd) + std::abs(n) + 1), "d_x", row, i);
            of_weight[at] += d.at(row, i) * n, of_bias[at] += d.at(row, i);
          }
        }
        for (int i = 0; i < columns; i++) {
          const auto at = static_cast<std::size_t>(i);
          expect_near<T>(number(d_weight[at]), of_weight[at], 10, "d_weight", 0, i);
          if (centred) expect_near<T>(number(d_bias[at]), of_bias[at], 10, "d_bias", 0, i);
        }
        expect_untouched(out);
      }
}

TEST(Training, RmsNormBackward) {
  test_norm<bf16>(rms_norm_backward_bf16, false, {1, 77, 256, 999, 2048, 4096, 5000, 16384});
}

TEST(Training, LayerNormBackward) {
  test_norm<float>(layer_norm_backward_f32, true, {1, 77, 256, 999, 2048, 4096, 8192});
}

/// More rows than teams: each has several, and the sums are of all.
TEST(Training, NormBackwardOfManyRows) {
  constexpr int rows = 20000, columns = 16;
  const Matrix<float> x(rows, columns, columns, 1), d(rows, columns, columns, 2),
      out(rows, columns, columns, 3), weight(1, columns, columns, 4);
  const Managed<float> d_weight(columns, 0), d_bias(columns, 0);
  TrainingCase test;
  test.rows = rows, test.columns = columns, test.stride = columns, test.number = 0;
  test.in = x.data.data(), test.d_out = d.data.data(), test.out = out.data.data();
  test.weight = weight.data.data(), test.d_weight = d_weight.data(), test.d_bias = d_bias.data();
  ASSERT_EQ(layer_norm_backward_f32(test), "");
  for (int i = 0; i < columns; i++) {
    double of_weight = 0, of_bias = 0;
    for (int row = 0; row < rows; row++) {
      double mean = 0, squares = 0;
      for (int k = 0; k < columns; k++) mean += x.at(row, k) / columns;
      for (int k = 0; k < columns; k++)
        squares += (x.at(row, k) - mean) * (x.at(row, k) - mean) / columns;
      of_weight += d.at(row, i) * (x.at(row, i) - mean) / std::sqrt(squares);
      of_bias += d.at(row, i);
    }
    expect_near<float>(d_weight[static_cast<std::size_t>(i)], of_weight, rows, "d_weight", 0, i);
    expect_near<float>(d_bias[static_cast<std::size_t>(i)], of_bias, rows, "d_bias", 0, i);
  }
}

TEST(Training, NormBackwardRefuses) {
  const Matrix<bf16> x(2, 8, 8, 1);
  TrainingCase test;
  test.rows = 2, test.columns = 20000, test.stride = 20000, test.number = 1e-5f;
  test.in = test.d_out = test.weight = x.data.data();
  test.out = test.d_weight = test.d_bias = x.data.data();
  EXPECT_THAT(rms_norm_backward_bf16(test), HasSubstr("longer than 16384"));
  EXPECT_THAT(layer_norm_backward_f32(test), HasSubstr("longer than 8192"));
  test.columns = test.stride = 8, test.number = -1;
  EXPECT_THAT(rms_norm_backward_bf16(test), HasSubstr("epsilon"));
  test.number = 1e-5f, test.d_weight = nullptr;
  EXPECT_THAT(rms_norm_backward_bf16(test), HasSubstr("weight's gradient is a null pointer"));
  test.rows = 0;
  test.d_weight = x.data.data();
  EXPECT_EQ(rms_norm_backward_bf16(test), "");
}

struct Sizes {
  Workers workers;
  int columns;
};

TEST(Training, SoftmaxBackward) {
  for (const bool on_host : {false, true})
    for (const auto& [workers, columns] : {Sizes{Workers::wave, 1},
                                           {Workers::wave, 333},
                                           {Workers::wave, 1024},
                                           {Workers::streamed, 1500}}) {
      constexpr int rows = 9;
      const Matrix<f16> y(rows, columns, columns + 1, 1), d(rows, columns, columns + 1, 2),
          out(rows, columns, columns + 1, 3);
      TrainingCase test;
      test.workers = workers, test.on_host = on_host, test.number = 0.5f;
      test.rows = rows, test.columns = columns, test.stride = columns + 1;
      test.in = y.data.data(), test.d_out = d.data.data(), test.out = out.data.data();
      ASSERT_EQ(softmax_backward_f16(test), "");
      for (int row = 0; row < rows; row++) {
        double sum = 0, size = 0;
        for (int i = 0; i < columns; i++) {
          sum += y.at(row, i) * d.at(row, i);
          size += std::abs(y.at(row, i) * d.at(row, i));
        }
        for (int i = 0; i < columns; i++)
          expect_near<f16>(out.at(row, i), 0.5 * y.at(row, i) * (d.at(row, i) - sum),
                           std::abs(y.at(row, i)) * size + 0x1p-7, "d_x", row, i);
      }
      expect_untouched(out);
    }
}

template <class T>
void test_gate(TrainingRun* run, Workers workers, double (*gate)(double)) {
  for (const bool on_host : {false, true}) {
    constexpr int rows = 11, columns = 203;
    const Matrix<T> g(rows, columns, columns + 2, 1), up(rows, columns, columns + 2, 2),
        d(rows, columns, columns + 2, 3), d_gate(rows, columns, columns + 2, 4),
        d_up(rows, columns, columns + 2, 5);
    for (int i = 0; i < columns; i++) g(0, i) = T(static_cast<float>(i) - columns / 2.0f);
    const float infinity = std::numeric_limits<float>::infinity();
    g(1, 0) = T(-infinity), g(1, 1) = T(infinity);
    TrainingCase test;
    test.workers = workers, test.on_host = on_host;
    test.rows = rows, test.columns = columns, test.stride = columns + 2;
    test.in = g.data.data(), test.other = up.data.data(), test.d_out = d.data.data();
    test.out = d_gate.data.data(), test.d_other = d_up.data.data();
    ASSERT_EQ(run(test), "");
    for (int row = 0; row < rows; row++)
      for (int i = 0; i < columns; i++) {
        const double x = g.at(row, i), u = up.at(row, i), of = d.at(row, i), step = 1e-5;
        if (std::isinf(x)) {
          expect_near<T>(d_gate.at(row, i), x < 0 ? 0 : of * u, 1, "d_gate", row, i);
          continue;
        }
        const double slope = (gate(x + step) - gate(x - step)) / (2 * step);
        expect_near<T>(d_gate.at(row, i), of * u * slope, std::abs(of * u), "d_gate", row, i);
        expect_near<T>(d_up.at(row, i), of * gate(x), std::abs(of * x), "d_up", row, i);
      }
    expect_untouched(d_gate);
    expect_untouched(d_up);
  }
}

TEST(Training, SiluBackward) {
  test_gate<bf16>(silu_backward_bf16, Workers::wave,
                  [](double x) { return x / (1 + std::exp(-x)); });
}

TEST(Training, GeluBackward) {
  test_gate<float>(gelu_backward_f32, Workers::lanes, [](double x) {
    return x / (1 + std::exp(-2 * std::sqrt(2 / std::acos(-1)) * (x + 0.044715 * x * x * x)));
  });
}

template <class T>
void test_entropy(TrainingRun* run, std::initializer_list<Sizes> sizes) {
  for (const bool on_host : {false, true})
    for (const bool in_place : {false, true})
      for (const auto& [workers, columns] : sizes) {
        SCOPED_TRACE(testing::Message() << columns << (on_host ? ", host" : ""));
        constexpr int rows = 5;
        constexpr double factor = 0.125;
        const Matrix<T> x(rows, columns, columns + 1, 1), kept(rows, columns, columns + 1, 1),
            apart(rows, columns, columns + 1, 3);
        const Matrix<T>& out = in_place ? x : apart;
        const Managed<int> targets(rows, 0);
        const Managed<float> losses(rows, 9);
        targets[1] = columns - 1, targets[2] = -100, targets[3] = columns, targets[4] = columns / 2;
        TrainingCase test;
        test.workers = workers, test.on_host = on_host, test.number = factor;
        test.rows = rows, test.columns = columns, test.stride = columns + 1;
        test.in = x.data.data(), test.out = out.data.data();
        test.targets = targets.data(), test.losses = losses.data();
        ASSERT_EQ(run(test), "");
        for (int row = 0; row < rows; row++) {
          const int target = targets[static_cast<std::size_t>(row)];
          const float loss = losses[static_cast<std::size_t>(row)];
          double sum = 0;
          for (int i = 0; i < columns; i++) sum += std::exp(kept.at(row, i));
          if (row == 2)
            EXPECT_EQ(loss, 0);
          else if (row == 3)
            EXPECT_TRUE(std::isnan(loss));
          else
            EXPECT_NEAR(loss, std::log(sum) - kept.at(row, target), 1e-5);
          for (int i = 0; i < columns; i++) {
            const double wanted =
                row == 2 ? 0 : factor * (std::exp(kept.at(row, i)) / sum - (i == target ? 1 : 0));
            expect_near<T>(out.at(row, i), wanted, factor, "d_logits", row, i);
          }
        }
        expect_untouched(out);
      }
}

TEST(Training, CrossEntropy) {
  test_entropy<bf16>(
      cross_entropy_bf16,
      {{Workers::workgroup, 4096}, {Workers::workgroup, 1001}, {Workers::streamed, 2047}});
  test_entropy<float>(cross_entropy_f32, {{Workers::lanes, 1}, {Workers::lanes, 100}});
}

template <class T>
void test_adamw(TrainingRun* run, bool with_master) {
  for (const bool on_host : {false, true}) {
    constexpr int rows = 7, columns = 130, stride = 133;
    const Matrix<T> parameters(rows, columns, stride, 1);
    const Matrix<float> mean(rows, columns, stride, 3), square(rows, columns, stride, 4),
        master(rows, columns, stride, 5);
    std::vector<double> p, m(rows * columns), v(rows * columns);
    for (int row = 0; row < rows; row++)
      for (int i = 0; i < columns; i++) {
        mean(row, i) = square(row, i) = 0;
        p.push_back(with_master ? master.at(row, i) : parameters.at(row, i));
      }
    for (int step = 1; step <= 3; step++) {
      const Matrix<T> gradient(rows, columns, stride, 10 + step);
      TrainingCase test;
      test.workers = Workers::wave, test.on_host = on_host, test.step = step, test.number = 0.5f;
      test.rows = rows, test.columns = columns, test.stride = stride;
      test.in = gradient.data.data(), test.out = parameters.data.data();
      test.mean = mean.data.data(), test.square = square.data.data();
      test.master = with_master ? master.data.data() : nullptr;
      ASSERT_EQ(run(test), "");
      for (int row = 0; row < rows; row++)
        for (int i = 0; i < columns; i++) {
          const auto at = static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(i);
          const double g = 0.5 * gradient.at(row, i);
          m[at] = 0.9 * m[at] + 0.1 * g, v[at] = 0.999 * v[at] + 0.001 * g * g;
          p[at] = p[at] * (1 - 0.01 * 0.1) -
                  0.01 * (m[at] / (1 - std::pow(0.9, step))) /
                      (std::sqrt(v[at] / (1 - std::pow(0.999, step))) + 1e-8);
          expect_near<float>(mean.at(row, i), m[at], 1, "mean", row, i);
          expect_near<float>(square.at(row, i), v[at], 1, "square", row, i);
          if (with_master) expect_near<float>(master.at(row, i), p[at], 1, "master", row, i);
          expect_near<T>(parameters.at(row, i), p[at], 1, "parameter", row, i);
          if (!with_master) p[at] = parameters.at(row, i);  // as it is stored
        }
    }
    expect_untouched(parameters);
    expect_untouched(mean);
  }
}

TEST(Training, AdamW) {
  test_adamw<float>(adamw_f32, false);
  test_adamw<bf16>(adamw_bf16, true);
}

TEST(Training, AdamWRefuses) {
  const Matrix<float> x(2, 8, 8, 1);
  TrainingCase test;
  test.workers = Workers::wave, test.rows = 2, test.columns = test.stride = 8;
  test.in = x.data.data(), test.out = x.data.data();
  test.mean = test.square = x.data.data(), test.step = 0;
  EXPECT_THAT(adamw_f32(test), HasSubstr("the first one is 1"));
  test.step = 1, test.mean = nullptr;
  EXPECT_THAT(adamw_f32(test), HasSubstr("the mean is a null pointer"));
}

/// For what is told of them (kpi.toml).
TEST(Training, DISABLED_EachKernel) {
  constexpr int rows = 64, most = 8192;
  const Managed<float> in(rows * most, 0.5f), out(rows * most, 0), other(rows * most, 0);
  const Managed<int> targets(rows, 1);
  const auto launch = [&](TrainingRun* run, std::initializer_list<Sizes> sizes) {
    for (const auto& [workers, columns] : sizes) {
      TrainingCase test;
      test.workers = workers, test.rows = rows, test.columns = test.stride = columns;
      test.number = 1, test.targets = targets.data();
      test.in = test.other = test.weight = test.d_out = in.data();
      test.out = test.mean = out.data();
      test.d_other = test.d_bias = test.square = other.data();
      test.d_weight = test.losses = other.data() + rows * most - most;
      EXPECT_EQ(run(test), "");
    }
  };
  using enum Workers;
  launch(rms_norm_backward_bf16, {{chosen, 128}, {chosen, 2048}, {chosen, 4096}, {chosen, 8192}});
  launch(layer_norm_backward_f32, {{chosen, 128}, {chosen, 2048}, {chosen, 4096}, {chosen, 8192}});
  launch(softmax_backward_f16, {{wave, 1024}, {streamed, 4096}});
  launch(silu_backward_bf16, {{wave, 4096}});
  launch(gelu_backward_f32, {{lanes, 256}});
  launch(cross_entropy_bf16, {{workgroup, 4096}, {streamed, 8192}});
  launch(cross_entropy_f32, {{lanes, 128}});
  launch(adamw_bf16, {{wave, 1024}});
  launch(adamw_f32, {{wave, 1024}});
}

}  // namespace
