// Large arrays, tables, counters and divergence.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "engine/case.h"
#include "engine/native.h"
#include "support/error.h"

namespace hipsight::bench {
namespace {

constexpr std::size_t large = std::size_t{1} << 24;  // floats: 64 MiB, more than caches hold
constexpr std::uint32_t threads = 256;
constexpr std::uint32_t groups_of(std::size_t work_items) {
  return static_cast<std::uint32_t>(work_items / threads);
}
constexpr float factor = 2.7182818f;

/// A case with a GPU and a launch of its own.
struct Setup {
  std::shared_ptr<Gpu> gpu;
  std::shared_ptr<Launch> launch;
  Setup(const Place& place, const std::filesystem::path& file, const char* kernel)
      : gpu(std::make_shared<Gpu>(place.gpu, place.options)),
        launch(std::make_shared<Launch>(*gpu, file, kernel)) {}
  explicit Setup(const Place& place, const char* kernel) : Setup(place, place.kernels(), kernel) {}
  std::function<Ran()> runner() const {
    return [gpu = gpu, launch = launch] { return launch->run(); };
  }
};

/// Times a call of native code.
template <class Call>
std::function<double()> timed(Call call) {
  return [call] {
    const double begin = thread_seconds();
    call();
    return thread_seconds() - begin;
  };
}

template <class T>
std::shared_ptr<std::vector<T>> shared(std::vector<T> values) {
  return std::make_shared<std::vector<T>>(std::move(values));
}

/// Bytes of which some values are much more frequent than others.
std::vector<unsigned char> uneven_bytes(std::size_t count) {
  std::mt19937 generator(1);
  std::binomial_distribution<int> value(255, 0.3);
  std::vector<unsigned char> bytes(count);
  for (auto& byte : bytes) byte = static_cast<unsigned char>(value(generator));
  return bytes;
}

}  // namespace

Case copy_case(const Place& place) {
  const Setup s(place, "copy");
  const auto from = shared(random_values(large, 1));
  const float* device_from = s.gpu->array(*from);
  auto* to = s.gpu->array<float>(large);
  s.launch->with({groups_of(large / 4), 1, 1}, {threads, 1, 1}, device_from, to);
  return {.launch = s.runner(),
          .check =
              [=] {
                std::fill_n(to, large, 9.0f);
                s.launch->run();
                if (!std::equal(to, to + large, from->begin())) fail("the copy differs");
              },
          .work = 2.0 * large * sizeof *to,
          .unit = "GB/s",
          .against = "host copy",
          .other = timed([from, own = shared(std::vector<float>(large))] {
            native::copy(large, from->data(), own->data());
          }),
          .floor = 0.4,
          .aim = 0.8};
}

Case saxpy_case(const Place& place) {
  const Setup s(place, "saxpy");
  const auto x = shared(random_values(large, 1)), y = shared(random_values(large, 2));
  const float* device_x = s.gpu->array(*x);
  auto* device_y = s.gpu->array<float>(large);
  s.launch->with({groups_of(large), 1, 1}, {threads, 1, 1}, factor, device_x, device_y);
  return {.launch = s.runner(),
          .check =
              [=] {
                std::ranges::copy(*y, device_y);
                s.launch->run();
                for (std::size_t i = 0; i < large; ++i) {
                  const double product = double{factor} * (*x)[i];
                  expect_near(device_y[i], product + (*y)[i],
                              (std::abs(product) + std::abs((*y)[i])) * 0x1p-23, i);
                }
              },
          .work = 3.0 * large * sizeof(float),
          .unit = "GB/s",
          .against = "native",
          .other = timed(
              [x, own = shared(*y)] { native::saxpy(large, factor, x->data(), own->data()); }),
          .floor = 0.4,
          .aim = 0.8};
}

Case saxpy_exp_case(const Place& place) {
  const Setup s(place, "saxpy_exp");
  const auto x = shared(random_values(large, 1)), y = shared(random_values(large, 2));
  const float* device_x = s.gpu->array(*x);
  const float* device_y = s.gpu->array(*y);
  auto* z = s.gpu->array<float>(large);
  s.launch->with({groups_of(large), 1, 1}, {threads, 1, 1}, factor, device_x, device_y, z);
  return {.launch = s.runner(),
          .check =
              [=] {
                std::fill_n(z, large, 0.0f);
                s.launch->run();
                for (std::size_t i = 0; i < large; i += 17) {
                  const double product = double{factor} * (*x)[i], power = std::exp((*y)[i]);
                  expect_near(z[i], product + power, (std::abs(product) + 2 * power) * 0x1p-23, i);
                }
              },
          .work = 3.0 * large * sizeof(float),
          .unit = "GB/s",
          .against = "native",
          .other = timed([x, y, own = shared(std::vector<float>(large))] {
            native::saxpy_exp(large, factor, x->data(), y->data(), own->data());
          }),
          .floor = 0.4,
          .aim = 0.8};
}

Case gather_case(const Place& place) {
  constexpr std::size_t count = large / 4;
  const Setup s(place, "gather");
  const auto table = shared(random_values(count, 1));
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::shuffle(order, std::mt19937(1));
  const auto index = shared(order);
  const int* device_index = s.gpu->array(*index);
  const float* device_table = s.gpu->array(*table);
  auto* to = s.gpu->array<float>(count);
  s.launch->with({groups_of(count), 1, 1}, {threads, 1, 1}, device_index, device_table, to);
  return {.launch = s.runner(),
          .check =
              [=] {
                std::fill_n(to, count, 9.0f);
                s.launch->run();
                for (std::size_t i = 0; i < count; ++i)
                  expect_near(to[i], (*table)[static_cast<std::size_t>((*index)[i])], 0, i);
              },
          .work = count,
          .unit = "G elements/s",
          .against = "native",
          .other = timed([index, table, own = shared(std::vector<float>(count))] {
            native::gather(count, index->data(), table->data(), own->data());
          }),
          .floor = 0.2,
          .aim = 0.5};
}

Case histogram_case(const Place& place, bool global) {
  constexpr std::size_t count = std::size_t{1} << 21;
  const Setup s(place, global ? place.kernels() : place.example("histogram"),
                global ? "histogram_global" : "histogram");
  const auto bytes = shared(uneven_bytes(count));
  const unsigned char* device_bytes = s.gpu->array(*bytes);
  auto* counts = s.gpu->array<unsigned>(256);
  if (global)
    s.launch->with({groups_of(count / 4), 1, 1}, {threads, 1, 1}, device_bytes, counts);
  else
    s.launch->with({256, 1, 1}, {threads, 1, 1}, count, device_bytes, counts);
  return {.launch = s.runner(),
          .check =
              [=] {
                std::fill_n(counts, 256, 0);
                s.launch->run();
                std::vector<unsigned> want(256);
                for (const auto byte : *bytes) ++want[byte];
                for (std::size_t bin = 0; bin < 256; ++bin)
                  expect_near(counts[bin], want[bin], 0, bin);
              },
          .work = count,
          .unit = "G elements/s",
          .against = "native",
          .other = timed([=, own = shared(std::vector<unsigned>(256))] {
            (global ? native::histogram_global : native::histogram)(count, bytes->data(),
                                                                    own->data());
          }),
          .floor = 0.2,
          .aim = 0.5};
}

Case mandelbrot_case(const Place& place) {
  constexpr int width = 512, height = 512, most = 256;
  constexpr float step = 3.0f / width;
  constexpr std::size_t count = std::size_t{width} * height;
  const Setup s(place, "mandelbrot");
  auto* steps = s.gpu->array<int>(count);
  s.launch->with({groups_of(count), 1, 1}, {threads, 1, 1}, width, step, most, steps);
  const auto want = shared(std::vector<int>(count));
  native::mandelbrot(width, height, step, most, want->data());
  return {.launch = s.runner(),
          .check =
              [=] {
                std::fill_n(steps, count, -1);
                s.launch->run();
                for (std::size_t i = 0; i < count; ++i) expect_near(steps[i], (*want)[i], 0, i);
              },
          .work = std::accumulate(want->begin(), want->end(), 0.0),
          .unit = "G steps/s",
          .against = "native",
          .other = timed([own = shared(*want)] {
            native::mandelbrot(width, height, step, most, own->data());
          }),
          .floor = 3,
          .aim = 8};
}

}  // namespace hipsight::bench
