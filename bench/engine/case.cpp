#include "engine/case.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "engine/native.h"
#include "engine/translate/translator.h"
#include "support/error.h"

namespace hipsight::bench {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

Speed measure(const Case& what) {
  // A few launches, since what is asked to be translated depends on what has run by then.
  what.check();
  for (int i = 0; i < 4; ++i) {
    what.launch();
    engine::Translator::instance().wait();
  }
  constexpr std::size_t fewest = 5, most = 25;
  constexpr double enough = 1;  // seconds
  std::vector<double> ratios, rates, other_rates, instructions;
  for (double spent = 0; ratios.size() < fewest || (ratios.size() < most && spent < enough);) {
    const double other = what.other();
    const Ran ran = what.launch();
    ratios.push_back(other / ran.seconds);
    rates.push_back(what.work / ran.seconds * 1e-9);
    other_rates.push_back(what.work / other * 1e-9);
    instructions.push_back(ran.instructions / ran.seconds * 1e-9);
    spent += other + ran.seconds;
  }
  what.check();
  return {median(ratios), median(rates), median(other_rates), median(instructions)};
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
