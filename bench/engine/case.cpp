#include "engine/case.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "config/environment.h"
#include "engine/native.h"
#include "engine/translate/translator.h"
#include "support/error.h"

namespace hipsight::bench {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

void warm_up(const Case& what) {
  // A few launches, since what is asked to be translated depends on what has run by then.
  for (int i = 0; i < 4; ++i) {
    what.launch();
    engine::Translator::instance().wait();
  }
}

std::vector<std::pair<double, double>> pairs(const std::function<double()>& one,
                                             const std::function<double()>& other) {
  constexpr std::size_t fewest = 9, most = 99;
  constexpr double enough = 3;  // seconds
  std::vector<std::pair<double, double>> result;
  for (double spent = 0; result.size() < fewest || (result.size() < most && spent < enough);) {
    const auto& last = result.emplace_back(one(), other());
    spent += last.first + last.second;
  }
  return result;
}

Speed measure(const Case& what) {
  what.check();
  warm_up(what);
  double instructions = 0;  // the same for each launch
  const auto runs = pairs(
      [&] {
        const Ran ran = what.launch();
        instructions = ran.instructions;
        return ran.seconds;
      },
      what.other);
  what.check();
  std::vector<double> ratios, ours, others;
  for (const auto& [seconds, other] : runs) {
    ratios.push_back(other / seconds);
    ours.push_back(seconds);
    others.push_back(other);
  }
  const double seconds = median(ours);
  return {median(ratios), what.work / seconds * 1e-9, what.work / median(others) * 1e-9,
          instructions / seconds * 1e-9};
}

engine::Options usual_options() {
  engine::Options options = engine::Options::of(config::read().config);
  options.threads = 1;
  return options;
}

std::filesystem::path Place::kernels() const {
  return build / "bench" / (gpu == "mi300x" ? "kernels.gfx942.co" : "kernels.gfx1100.co");
}
std::filesystem::path Place::example(const std::string& name) const {
  return build / "examples" / name;
}

double seconds_at_peak(double flop) {
  constexpr int steps = 20000;  // a few milliseconds
  const double begin = thread_seconds();
  const double done = native::fma_in_registers(steps);
  return (thread_seconds() - begin) * flop / done;
}

std::vector<float> random_values(std::size_t count, unsigned seed) {
  constexpr int steps = 1 << 10;
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> step(-steps, steps);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(step(generator)) / steps;
  return values;
}

void expect_near(double got, double want, double tolerance, std::size_t at) {
  if (std::abs(got - want) <= tolerance) return;
  fail("element {} is {}, not {}, and the tolerance is {}", at, got, want, tolerance);
}

Row row_of(const Case& what, const Speed& speed) {
  return {.name = what.name,
          .value = speed.ratio,
          .unit = fmt::format("x {}", what.against),
          .floor = what.floor,
          .aim = what.aim,
          .beside = {{what.unit, speed.rate},
                     {fmt::format("{} of {}", what.unit, what.against), speed.other_rate},
                     {"G wave-instructions/s", speed.instructions}}};
}

}  // namespace hipsight::bench
