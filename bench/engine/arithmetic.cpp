// Products of matrices and attention.

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "engine/case.h"
#include "engine/native.h"
#include "hipsight/kernels/tile/tile_order.h"

namespace hipsight::bench {
namespace {

/// n x n matrices of a product, and what it must give.
struct Product {
  int n;
  std::vector<float> a, b;
  bool transposed;  ///< B's rows are columns
  double flop() const { return 2.0 * n * n * n; }

  explicit Product(int size, bool transposed)
      : n(size),
        a(random_values(std::size_t(n) * n, 1)),
        b(random_values(std::size_t(n) * n, 2)),
        transposed(transposed) {}

  /// Some rows, in double. `ulp`: largest error of one addition, relative to the magnitudes.
  void check(const float* c, double ulp) const {
    for (std::size_t row = 0; row < std::size_t(n); row += 37)
      for (std::size_t column = 0; column < std::size_t(n); ++column) {
        double sum = 0, magnitude = 0;
        for (std::size_t k = 0; k < std::size_t(n); ++k) {
          const double product =
              double{a[row * n + k]} * b[transposed ? column * n + k : k * n + column];
          sum += product;
          magnitude += std::abs(product);
        }
        expect_near(c[row * n + column], sum, n * magnitude * ulp, row * n + column);
      }
  }
};

std::vector<_Float16> to_f16(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

Case sgemm_case(const Place& place, int part, int n) {
  const auto gpu = std::make_shared<Gpu>(place.gpu, place.options);
  const auto product = std::make_shared<Product>(n, false);
  const std::size_t size = product->a.size();
  const float* a = gpu->array(product->a);
  const float* b = gpu->array(product->b);
  auto* c = gpu->array<float>(size);
  const auto groups = static_cast<std::uint32_t>(n / 16 / part);
  const auto launch =
      std::make_shared<Launch>(*gpu, part == 4 ? place.example("sgemm") : place.kernels(),
                               part == 1   ? "sgemm_16"
                               : part == 4 ? "sgemm"
                                           : "sgemm_8x8");
  const engine::Dim3 block = part == 1 ? engine::Dim3{16, 16, 1} : engine::Dim3{256, 1, 1};
  if (part == 4)
    launch->with({groups, groups, 1}, block, n, n, n, a, b, c);
  else
    launch->with({groups, groups, 1}, block, n, a, b, c);
  const auto native = part == 1   ? native::sgemm_16
                      : part == 4 ? native::sgemm_4x4
                                  : native::sgemm_8x8;
  const auto own = std::make_shared<std::vector<float>>(size);
  return {.launch = [gpu, launch] { return launch->run(); },
          .check =
              [=] {
                std::fill_n(c, size, 0.0f);
                launch->run();
                product->check(c, 0x1p-24);
                native(n, product->a.data(), product->b.data(), own->data());
                product->check(own->data(), 0x1p-24);
              },
          .work = product->flop(),
          .unit = "GFLOP/s",
          .against = "native",
          .other =
              [=] {
                const double begin = thread_seconds();
                native(n, product->a.data(), product->b.data(), own->data());
                return thread_seconds() - begin;
              },
          .floor = part == 1 ? 0.35 : 1,
          .aim = part == 1 ? 1 : 2.0};
}

Case gemm_case(const Place& place, Word word, int n, bool of_library) {
  const auto gpu = std::make_shared<Gpu>(place.gpu, place.options);
  const auto product = std::make_shared<Product>(n, true);
  const auto words = [&](const std::vector<float>& values) {
    std::vector<std::uint16_t> result;
    for (const float value : values) {
      const auto half = static_cast<_Float16>(value);
      result.push_back(word == Word::F16 ? std::bit_cast<std::uint16_t>(half)
                                         : std::bit_cast<std::uint32_t>(value) >> 16);
    }
    return result;
  };
  if (word == Word::Bf16)  // values that are exact in bfloat16
    for (auto* values : {&product->a, &product->b})
      for (float& value : *values) value = std::round(value * 128) / 128;
  const std::uint16_t* a = gpu->array(words(product->a));
  const std::uint16_t* b = gpu->array(words(product->b));
  const std::size_t size = product->a.size();
  auto* c = gpu->array<float>(size);
  const char* const name = of_library          ? "gemm_library"
                           : word == Word::F16 ? "gemm_f16"
                                               : "gemm_bf16";
  const auto launch = std::make_shared<Launch>(*gpu, place.kernels(), name);
  // Tiles of the library's large tilings: 256 x 256 for wave64, 128 x 128 for wave32.
  const auto along = static_cast<std::uint32_t>(n) / (of_library ? 4 * gpu->wave() : 64);
  const int rows = static_cast<int>(along);
  if (of_library)
    launch->with({along * along, 1, 1}, {8 * gpu->wave(), 1, 1}, n,
                 kernels::TileOrder(rows, rows, rows), a, b, c);
  else
    launch->with({along, along, 1}, {4 * gpu->wave(), 1, 1}, n, a, b, c);
  return {.launch = [gpu, launch] { return launch->run(); },
          .check =
              [=] {
                std::fill_n(c, size, 0.0f);
                launch->run();
                product->check(c, 0x1p-23);  // the hardware may truncate
              },
          .work = product->flop(),
          .unit = "GFLOP/s",
          .against = "FMA peak",
          .other = [product] { return seconds_at_peak(product->flop()); },
          .floor = 0.4,
          .aim = 0.7};
}

Case flash_attention_case(const Place& place, int queries) {
  constexpr int head = 128;
  const auto gpu = std::make_shared<Gpu>(place.gpu, place.options);
  const std::size_t size = std::size_t(queries) * head;
  const auto q = random_values(size, 1), k = random_values(size, 2), v = random_values(size, 3);
  auto* o = gpu->array<_Float16>(size);
  const auto launch =
      std::make_shared<Launch>(*gpu, place.example("flash_attention"), "flash_attentionILi128E");
  const bool causal = true;
  launch->with({static_cast<std::uint32_t>(queries / 64), 1, 1}, {4 * gpu->wave(), 1, 1}, queries,
               queries, causal, gpu->array(to_f16(q)), gpu->array(to_f16(k)), gpu->array(to_f16(v)),
               o);
  // In double, for some queries. The tolerance is the example's.
  const auto check = [=] {
    std::fill_n(o, size, _Float16{0});
    launch->run();
    std::vector<double> weight(static_cast<std::size_t>(queries)), mean(head), magnitude(head);
    for (std::size_t query = 5; query < static_cast<std::size_t>(queries); query += 251) {
      double maximum = -INFINITY, reach = 0, sum = 0;
      for (std::size_t key = 0; key <= query; ++key) {
        double score = 0, score_magnitude = 0;
        for (std::size_t i = 0; i < head; ++i) {
          const double product = double{q[query * head + i]} * k[key * head + i];
          score += product;
          score_magnitude += std::abs(product);
        }
        weight[key] = score / std::sqrt(head);
        maximum = std::max(maximum, weight[key]);
        reach = std::max(reach, score_magnitude / std::sqrt(head));
      }
      std::ranges::fill(mean, 0.0);
      std::ranges::fill(magnitude, 0.0);
      for (std::size_t key = 0; key <= query; ++key) {
        const double w = std::exp(weight[key] - maximum);
        sum += w;
        for (std::size_t i = 0; i < head; ++i) {
          mean[i] += w * v[key * head + i];
          magnitude[i] += w * std::abs(v[key * head + i]);
        }
      }
      const double relative = 0x1p-10 + (2 * head * reach + queries) * 0x1p-23;
      for (std::size_t i = 0; i < head; ++i)
        expect_near(o[query * head + i], mean[i] / sum, relative * magnitude[i] / sum,
                    query * head + i);
    }
  };
  const double flop = 4.0 * head * queries * (queries + 1) / 2;
  return {.launch = [gpu, launch] { return launch->run(); },
          .check = [gpu, check] { check(); },
          .work = flop,
          .unit = "GFLOP/s",
          .against = "FMA peak",
          .other = [flop] { return seconds_at_peak(flop); },
          .floor = 0.3,
          .aim = 0.6};
}

}  // namespace hipsight::bench
