#include "report/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/formats.h"
#include "support/quantity.h"

namespace hipsight::report {
namespace {

constexpr double width = 640, height = 320, left = 78, right = 14, top = 14, bottom = 44;

struct Point {
  std::string words;
  double intensity = 0;  ///< FLOP per byte
};

/// By the bytes that each level passes on to the next one. Shares of requests stand for shares of
/// bytes.
std::vector<Point> points_of(const KernelReport& kernel) {
  double intensity = *kernel.roofline.arithmetic_intensity;
  std::vector<Point> points{{"asked for", intensity}};
  if (!kernel.profile) return points;
  const CacheUse& caches = kernel.profile->all.caches;
  const auto passed = [&](std::string words, std::uint64_t all, std::uint64_t hits) {
    if (all == 0 || hits >= all) return;
    intensity /= 1 - double(hits) / double(all);
    points.push_back({std::move(words), intensity});
  };
  passed("beyond the L1", caches.l1_loads, caches.l1_hits);
  passed("beyond the L2", caches.l2_requests, caches.l2_hits);
  return points;
}

/// From one whole power of ten to another.
struct Axis {
  double first, last;
  void hold(double value) {
    first = std::min(first, std::floor(std::log10(value)));
    last = std::max(last, std::ceil(std::log10(value)));
  }
  double share(double value) const { return (std::log10(value) - first) / (last - first); }
};

class Drawing {
 public:
  explicit Drawing(const KernelReport& kernel)
      : points_(points_of(kernel)),
        reached_(kernel.counts.floating_operations / kernel.verdict.seconds) {
    for (const Roof& roof : kernel.roofline.roofs) {
      if (roof.per_second <= 0) continue;
      if (roof.kind == "vector" || roof.kind == "matrix") add_ceiling(roof);
      if (roof.kind == "l2" || roof.kind == "dram_requested") slopes_.push_back(roof);
    }
    for (const Point& point : points_) x_.hold(point.intensity);
    for (const Roof& roof : ceilings_) {
      y_.hold(roof.per_second);
      highest_ = std::max(highest_, roof.per_second);
    }
    y_.hold(reached_);
    // Where the bandwidths meet the highest ceiling is of interest.
    for (const Roof& roof : slopes_) x_.hold(highest_ / roof.per_second);
  }
  bool has_all() const { return !ceilings_.empty() && !slopes_.empty() && reached_ > 0; }

  std::string text() {
    axes();
    for (const Roof& roof : slopes_) slope(roof);
    for (const Roof& roof : ceilings_) ceiling(roof);
    for (const Point& point : points_) dot(point);
    std::string words;
    for (const Point& point : points_) words += (words.empty() ? "" : " · ") + point.words;
    constexpr double room = 130;  // for half of the words
    const double middle = (x(points_.front().intensity) + x(points_.back().intensity)) / 2;
    label(std::clamp(middle, left + room, width - right - room), y(reached_) + 20, "middle", words);
    return fmt::format(
        "<svg class=\"roofline\" role=\"img\" aria-label=\"roofline\" viewBox=\"0 0 {} {}\">{}"
        "</svg>\n",
        width, height, out_);
  }

 private:
  /// Those of one height have one line.
  void add_ceiling(const Roof& roof) {
    const auto same = std::ranges::find(ceilings_, roof.per_second, &Roof::per_second);
    if (same == ceilings_.end())
      ceilings_.push_back(roof);
    else
      same->name += ", " + roof.name;
  }

  double x(double value) const { return left + (width - left - right) * x_.share(value); }
  double y(double value) const {
    return height - bottom - (height - top - bottom) * y_.share(value);
  }
  void line(double x1, double y1, double x2, double y2, std::string_view kind) {
    out_ +=
        fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>",
                    kind, x1, y1, x2, y2);
  }
  void label(double at, double down, std::string_view anchor, std::string_view words) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", at, down,
                        anchor, markup(words));
  }

  static std::vector<double> powers(const Axis& axis) {
    std::vector<double> all;
    for (int power = int(axis.first); power <= int(axis.last); ++power)
      all.push_back(std::pow(10, power));
    return all;
  }
  void axes() {
    for (const double value : powers(x_)) {
      line(x(value), top, x(value), height - bottom, "grid");
      label(x(value), height - bottom + 16, "middle", fmt::format("{:g}", value));
    }
    for (const double value : powers(y_)) {
      line(left, y(value), width - right, y(value), "grid");
      label(left - 6, y(value) + 4, "end", quantity(value, "FLOP/s"));
    }
    label((left + width - right) / 2, height - 8, "middle", "FLOP per byte");
  }
  void slope(const Roof& roof) {
    // From the lower edge, or the left one, up to the highest ceiling.
    const double least = std::max(std::pow(10, x_.first), std::pow(10, y_.first) / roof.per_second),
                 most = highest_ / roof.per_second;
    line(x(least), y(least * roof.per_second), x(most), y(highest_), "roof");
    const double middle = std::sqrt(least * most);
    label(
        x(middle) - 6, y(middle * roof.per_second) - 4, "end",
        fmt::format("{}: {}", roof.kind == "l2" ? "L2" : "DRAM", quantity(roof.per_second, "B/s")));
  }
  void ceiling(const Roof& roof) {
    const double least =
        roof.per_second / std::ranges::max(slopes_, {}, &Roof::per_second).per_second;
    line(x(std::max(least, std::pow(10, x_.first))), y(roof.per_second), width - right,
         y(roof.per_second), "roof");
    label(width - right - 4, y(roof.per_second) - 4, "end",
          fmt::format("{}: {}", roof.name, quantity(roof.per_second, "FLOP/s")));
  }
  void dot(const Point& point) {
    out_ += fmt::format(
        "<circle class=\"hotfill\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"><title>{}: {} at {:.3g} "
        "FLOP "
        "per byte</title></circle>",
        x(point.intensity), y(reached_), markup(point.words), quantity(reached_, "FLOP/s"),
        point.intensity);
  }

  const std::vector<Point> points_;
  const double reached_;  ///< FLOP/s of the predicted launches
  std::vector<Roof> ceilings_, slopes_;
  double highest_ = 0;
  Axis x_{INFINITY, -INFINITY}, y_{INFINITY, -INFINITY};
  std::string out_;
};

}  // namespace

std::string roofline_svg(const KernelReport& kernel) {
  const auto& intensity = kernel.roofline.arithmetic_intensity;
  if (!kernel.prediction || !intensity || *intensity <= 0 || kernel.verdict.seconds <= 0) return "";
  Drawing drawing(kernel);
  return drawing.has_all() ? drawing.text() : "";
}

}  // namespace hipsight::report
