#include "calibrate/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/printable.h"

namespace hipsight::calibrate {
namespace {

/// Between the two nearest ones.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// In TOML's quotes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace

Errors errors_of(const std::vector<Measured>& points, const std::vector<double>& predicted) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < points.size(); ++i)
    errors.push_back(100 * std::abs(predicted[i] / points[i].seconds - 1));
  std::ranges::sort(errors);
  return {quantile(errors, 0.5), quantile(errors, 0.9)};
}

bool is_better(const std::vector<Measured>& points, const Calibration& calibration) {
  const auto& now = calibration.held_out.empty() ? calibration.after : calibration.held_out;
  return errors_of(points, now).median < errors_of(points, calibration.before).median;
}

std::string to_text(const std::vector<Measured>& points, const Calibration& calibration,
                    const std::string& title) {
  const auto line = [&](const char* of, const std::vector<double>& predicted) {
    const Errors errors = errors_of(points, predicted);
    return fmt::format("{:<44} {:>7.1f} % {:>7.1f} %\n", of, errors.median, errors.p90);
  };
  std::string out = fmt::format("{}, {} measured kernels\n\n", printable(title), points.size());
  out += fmt::format("{:<44} {:>9} {:>9}\n", "error of predictions", "median", "p90");
  out += line("with the GPU as it was", calibration.before);
  out += line("with the fitted constants", calibration.after);
  if (calibration.held_out.empty())
    out += fmt::format(
        "Fewer than {} kernels: none can be held out, so how good the constants are for "
        "others is not known.\n",
        least_held_out);
  else
    out += line("of kernels that were held out of the fit", calibration.held_out);
  out += fmt::format("\n{:<28} {:>12} {:>12}\n", "constant", "before", "fitted");
  for (const Constant& one : calibration.constants)
    out += fmt::format("{:<28} {:>12.6g} {:>12.6g}{}\n", one.key, one.before, one.after,
                       one.before == one.after ? "  as it was" : "");
  out += fmt::format("\n{:>12} {:>12} {:>12}  {}\n", "measured us", "before", "fitted", "kernel");
  for (std::size_t i = 0; i < points.size(); ++i)
    out += fmt::format("{:>12.2f} {:>12.2f} {:>12.2f}  {}\n", points[i].seconds * 1e6,
                       calibration.before[i] * 1e6, calibration.after[i] * 1e6,
                       printable(points[i].command));
  return out;
}

std::string to_toml(const Calibration& calibration, const gpus::Gpu& base, const std::string& name,
                    const std::string& source) {
  std::string out = fmt::format("name = {}\ntitle = {}\nbase = {}\n", quoted(name),
                                quoted(base.title + ", calibrated"), quoted(base.name));
  for (const Constant& one : calibration.constants)
    if (one.before != one.after)
      out += fmt::format("{} = {{ value = {:.6g}, source = {} }}\n", one.key, one.after,
                         quoted(source));
  return out;
}

}  // namespace hipsight::calibrate
