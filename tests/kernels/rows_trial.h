// Operations on rows to test, and how. Memory between the rows of inputs holds NaNs, which no
// result may depend on; that of outputs holds canaries, which must stay.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "hipsight/kernels/fp8.h"
#include "managed.h"
#include "normal.h"
#include "rows_case.h"

using f16 = _Float16;
using bf16 = __bf16;
using hipsight::kernels::fp8_e4m3;
using hipsight::kernels::fp8_e4m3_fnuz;

/// The relative error of a type, half of the distance of its least numbers, and its largest one.
struct Format {
  double relative, absolute, largest;
};
template <class T>
Format format_of() {
  if constexpr (std::is_same_v<T, float>) return {0x1p-24, 0x1p-150, 0x1.fffffep127};
  if constexpr (std::is_same_v<T, f16>) return {0x1p-11, 0x1p-25, 65504};
  if constexpr (std::is_same_v<T, bf16>) return {0x1p-8, 0x1p-134, 0x1.fep127};
  if constexpr (std::is_same_v<T, fp8_e4m3>) return {0x1p-4, 0x1p-10, 448};
  if constexpr (std::is_same_v<T, fp8_e4m3_fnuz>) return {0x1p-4, 0x1p-11, 240};
  return {0, 0.5, 127};  // int8
}

template <class T>
double number(T value) {
  return static_cast<double>(static_cast<float>(value));
}

enum class Scales { none, one, of_rows, of_blocks };
using Row = std::vector<double>;

/// Row by row, from the rows of the inputs.
using Definition = std::function<Row(const Row& in, const Row& other)>;

template <class In, class Out>
struct Trial {
  RowCase test;
  Scales scales;
  Managed<In> in, other;
  Managed<In> weight, bias;
  Managed<Out> out;
  Managed<In> sum;
  Managed<float> scale;

  static constexpr float canary = 96;

  Trial(RowCase given, Scales how)
      : test(given),
        scales(how),
        in(size(), nan()),
        other(size(), nan()),
        weight(test.columns, In(0.0f)),
        bias(test.columns, In(0.0f)),
        out(size() + 64, static_cast<Out>(canary)),
        sum(size() + 64, static_cast<In>(canary)),
        scale(test.rows * blocks() + 8, canary) {
    std::mt19937 generator(test.rows * 1000 + test.columns);
    Normal normal;
    for (int row = 0; row < test.rows; row++)
      for (int column = 0; column < test.columns; column++) {
        in[at(row, column)] = static_cast<In>(3 * normal(generator));
        other[at(row, column)] = static_cast<In>(normal(generator));
      }
    for (In& value : weight.all()) value = static_cast<In>(1 + normal(generator) / 8);
    for (In& value : bias.all()) value = static_cast<In>(normal(generator) / 8);
    test.in = in.data(), test.other = other.data();
    test.weight = weight.data(), test.bias = bias.data();
    test.out = out.data(), test.sum = sum.data(), test.scales = scale.data();
  }

  static In nan() { return static_cast<In>(std::nanf("")); }
  std::size_t size() const { return static_cast<std::size_t>(test.rows * test.stride); }
  int blocks() const { return (test.columns + 127) / 128; }
  std::size_t at(int row, int column) const { return row * test.stride + column; }

  float scale_at(int row, int column) const {
    switch (scales) {
      case Scales::none:
        return 1;
      case Scales::one:
        return scale[0];
      case Scales::of_rows:
        return scale[row];
      default:
        return scale[row * blocks() + column / 128];
    }
  }

  Row row_of(const Managed<In>& matrix, int row) const {
    Row values(test.columns);
    for (int column = 0; column < test.columns; column++)
      values[column] = number(matrix[at(row, column)]);
    return values;
  }

  /// Every result is the definition's to `tolerance` (relative to the row's largest), and to half a
  /// step of its type.
  void check(const Definition& definition, double tolerance) {
    const Format format = format_of<Out>();
    for (int row = 0; row < test.rows; row++) {
      const Row want = definition(row_of(in, row), row_of(other, row));
      double largest = 0;
      for (const double value : want)
        if (std::isfinite(value)) largest = std::fmax(largest, std::fabs(value));
      for (int column = 0; column < test.columns; column++) {
        const double step = scale_at(row, column);
        const double got = number(out[at(row, column)]) * step, right = want[column];
        if (std::isnan(right)) {
          ASSERT_TRUE(std::isnan(got)) << got << ": row " << row << " column " << column;
        } else if (std::isinf(right)) {
          ASSERT_EQ(got, right) << "row " << row << " column " << column;
        } else {
          const double off = std::fmax(std::fabs(right) * format.relative, step * format.absolute);
          ASSERT_NEAR(got, right, off * 1.001 + tolerance * largest)
              << "row " << row << " column " << column;
        }
      }
      if (scales == Scales::of_rows) check_scale(want, 0, test.columns, scale[row]);
      for (int block = 0; scales == Scales::of_blocks && block < blocks(); block++)
        check_scale(want, block * 128, std::min(test.columns, block * 128 + 128),
                    scale[row * blocks() + block]);
    }
    check_gaps(out);
    check_gaps(sum);
  }

  /// Nothing is written between the rows of a result, and behind the last one.
  template <class T>
  void check_gaps(const Managed<T>& result) const {
    for (std::size_t i = 0; i < result.all().size(); i++)
      if (i >= size() || i % test.stride >= static_cast<std::size_t>(test.columns))
        ASSERT_EQ(number(result[i]), number(static_cast<T>(canary))) << "written beyond: " << i;
  }

  static void check_scale(const Row& values, int from, int to, float scale) {
    double largest = 0;
    for (int i = from; i < to; i++) largest = std::fmax(largest, std::fabs(values[i]));
    EXPECT_NEAR(scale, largest / format_of<Out>().largest, largest * 0x1p-16 + 0x1p-100);
  }
};

struct Size {
  int rows, columns;
};

/// With one value, a part and its neighbours, many parts with and without a tail.
inline std::vector<Size> sizes(Workers workers) {
  switch (workers) {
    case Workers::lanes:
      return {{1, 1}, {3, 7}, {37, 8}, {5, 100}, {18, 128}, {33, 255}, {4, 256}};
    case Workers::wave:
      return {{1, 1}, {37, 129}, {6, 512}, {5, 777}, {9, 1024}};
    case Workers::workgroup:
      return {{1, 3}, {3, 1025}, {2, 4096}, {3, 4095}};
    case Workers::wide:
      return {{1, 4097}, {3, 8191}, {2, 8192}};
    case Workers::large:
      return {{1, 5}, {2, 8193}, {1, 32768}};
    case Workers::streamed:
      return {{1, 1}, {3, 300}, {2, 9000}, {1, 40001}};
    case Workers::chosen:
      break;
  }
  return {{3, 64}, {3, 200}, {3, 700}, {2, 3000}, {2, 6000}, {2, 10000}, {1, 33000}};
}

/// By these workers and on the host, with rows that touch and that do not.
template <class In, class Out, class D>
void test_rows(RowRun run, std::initializer_list<Workers> teams, Scales scales, float parameter,
               double tolerance, D definition) {
  for (const Workers workers : teams)
    for (const Size& size : sizes(workers))
      for (const int gap : {0, 3, 8})
        for (const bool on_host : {false, true}) {
          if (on_host && gap == 8) continue;
          SCOPED_TRACE(testing::Message()
                       << size.rows << " x " << size.columns << ", stride + " << gap << ", workers "
                       << int(workers) << (on_host ? ", on the host" : ""));
          Trial<In, Out> trial({.workers = workers,
                                .on_host = on_host,
                                .rows = size.rows,
                                .columns = size.columns,
                                .stride = size.columns + gap,
                                .number = parameter},
                               scales);
          if (scales == Scales::one) trial.scale[0] = 0.0625f;
          ASSERT_EQ(run(trial.test), "");
          trial.check(definition(trial), tolerance);
          if (testing::Test::HasFatalFailure()) return;
        }
}

inline Row layer_norm(const Row& x, const auto& weight, const auto& bias) {
  double mean = 0, variance = 0;
  for (const double value : x) mean += value / x.size();
  for (const double value : x) variance += (value - mean) * (value - mean) / x.size();
  Row result(x.size());
  for (std::size_t i = 0; i < x.size(); i++)
    result[i] = (x[i] - mean) / std::sqrt(variance + 1e-3f) * number(weight[i]) + number(bias[i]);
  return result;
}

inline Definition gated(double (*gate)(double)) {
  return [=](const Row& x, const Row& up) {
    Row result(x.size());
    for (std::size_t i = 0; i < x.size(); i++) result[i] = gate(x[i]) * up[i];
    return result;
  };
}

inline const Definition same = [](const Row& x, const Row&) { return x; };
