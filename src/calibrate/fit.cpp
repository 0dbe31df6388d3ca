#include "calibrate/fit.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "support/error.h"
#include "support/fnv.h"
#include "support/printable.h"
#include "timing/assumed.h"

namespace hipsight::calibrate {
namespace {

using Points = std::vector<std::size_t>;
using Factors = std::vector<double>;

constexpr std::size_t parts = 5;  // of which one is held out
constexpr double least_factor = 1.0 / 8, most_factor = 8;
/// By which a constant is moved: coarse ones first.
constexpr double steps[] = {1.3, 1.14, 1.07, 1.03};
/// What a factor must gain in the mean error to be worth its being there.
constexpr double price = 0.01;

/// That of the GPU's file, or else what predictions take.
std::optional<double> number_of(const gpus::Gpu& gpu, std::string_view key) {
  const auto fact = std::ranges::find(gpu.facts, key, &gpus::Gpu::Fact::key);
  if (fact != gpu.facts.end()) return std::stod(fact->value);
  return timing::assumed::number(gpu, key);
}

class Fitter {
 public:
  Fitter(const gpus::Gpu& gpu, const std::vector<std::string>& keys,
         const std::vector<Measured>& points, const Predict& predict)
      : gpu_(gpu), keys_(keys), points_(points), predict_(predict) {
    for (const std::string& key : keys) {
      const auto number = number_of(gpu, key);
      if (!number) fail("{}: the GPU has no number of {}", printable(gpu.name), printable(key));
      values_.push_back(*number);
    }
  }

  double value(std::size_t key) const { return values_[key]; }

  /// A GPU with these factors. @throws Exception when it makes no sense.
  gpus::Gpu with(const Factors& factors) const {
    gpus::Gpu changed = gpu_;
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (factors[i] != 1) gpus::set(changed, keys_[i], values_[i] * factors[i], "calibrated");
    gpus::check(changed);
    return changed;
  }

  /// Of some points, by all processors.
  std::vector<double> predicted(const gpus::Gpu& gpu, const Points& of) const {
    std::vector<double> seconds(of.size());
    std::atomic<std::size_t> next{0};
    std::exception_ptr error;
    std::mutex mutex;
    {
      std::vector<std::jthread> threads(
          std::min<std::size_t>(of.size(), std::max(1U, std::thread::hardware_concurrency())));
      for (std::jthread& thread : threads)
        thread = std::jthread([&] {
          try {
            for (std::size_t i = next++; i < of.size(); i = next++)
              seconds[i] = predict_(gpu, of[i]);
          } catch (...) {
            const std::lock_guard lock(mutex);
            error = std::current_exception();
          }
        });
    }
    if (error) std::rethrow_exception(error);
    return seconds;
  }

  Factors fit(const Points& of) const {
    Factors best(keys_.size(), 1);
    double least = cost(best, of);
    for (const double step : steps) {
      // A step is tried until no constant gains by it.
      for (bool gained = true; gained;) {
        gained = false;
        for (std::size_t key = 0; key < keys_.size(); ++key)
          for (const double factor : {best[key] * step, best[key] / step, 1.0}) {
            if (factor == best[key] || factor < least_factor || factor > most_factor) continue;
            Factors tried = best;
            tried[key] = factor;
            const double cost_of = cost(tried, of);
            if (cost_of >= least - 1e-6) continue;
            best = tried, least = cost_of, gained = true;
          }
      }
    }
    return best;
  }

 private:
  /// The mean of |log(predicted / measured)|, and what the factors cost; infinite where the GPU
  /// makes no sense.
  double cost(const Factors& factors, const Points& of) const {
    double sum = 0;
    try {
      const std::vector<double> seconds = predicted(with(factors), of);
      for (std::size_t i = 0; i < of.size(); ++i)
        sum += std::abs(std::log(seconds[i] / points_[of[i]].seconds));
    } catch (const Exception&) {
      return HUGE_VAL;
    }
    double changed = 0;
    for (const double factor : factors) changed += std::abs(std::log(factor));
    return sum / static_cast<double>(of.size()) + price * changed;
  }

  const gpus::Gpu& gpu_;
  const std::vector<std::string>& keys_;
  const std::vector<Measured>& points_;
  const Predict& predict_;
  std::vector<double> values_;
};

/// In an order that has nothing to do with the file's, where neighbours are alike: by a hash of the
/// command.
Points shuffled(const std::vector<Measured>& points) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < points.size(); ++i) {
    Fnv hash;
    hash.add(points[i].command);
    order.emplace_back(hash.value(), i);
  }
  std::ranges::sort(order);
  Points all;
  for (const auto& [hash, i] : order) all.push_back(i);
  return all;
}

}  // namespace

std::vector<std::string> usual_keys(const gpus::Gpu& gpu) {
  std::vector<std::string> keys;
  for (const char* key : {"dram_gb_per_s_measured", "mall_gb_per_s", "l2_gb_per_s", "dram_latency",
                          "mall_latency", "l2_latency", "launch_us"})
    if (number_of(gpu, key)) keys.emplace_back(key);
  return keys;
}

Calibration calibrate(const gpus::Gpu& gpu, const std::vector<std::string>& keys,
                      const std::vector<Measured>& points, const Predict& predict) {
  const Fitter fitter(gpu, keys, points, predict);
  const Points order = shuffled(points);
  Points all(points.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;

  Calibration result;
  result.before = fitter.predicted(gpu, all);
  const Factors factors = fitter.fit(all);
  result.after = fitter.predicted(fitter.with(factors), all);
  for (std::size_t key = 0; key < keys.size(); ++key)
    result.constants.push_back({keys[key], fitter.value(key), fitter.value(key) * factors[key]});
  if (points.size() < least_held_out) return result;

  result.held_out.resize(points.size());
  for (std::size_t part = 0; part < parts; ++part) {
    Points fitted, held;
    for (std::size_t i = 0; i < order.size(); ++i)
      (i % parts == part ? held : fitted).push_back(order[i]);
    const std::vector<double> seconds = fitter.predicted(fitter.with(fitter.fit(fitted)), held);
    for (std::size_t i = 0; i < held.size(); ++i) result.held_out[held[i]] = seconds[i];
  }
  return result;
}

}  // namespace hipsight::calibrate
