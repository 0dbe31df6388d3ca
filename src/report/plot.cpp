#include "report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "support/formats.h"

namespace hipsight::report {
namespace {

constexpr double width = 640, height = 360, left = 80, right = 20, top = 40, bottom = 50;

class Drawing {
 public:
  Drawing(const Plot& plot, double above) : plot_(plot), above_(above) {
    for (const Dot& dot : plot.dots) {
      least_ = std::min(least_, dot.x), most_ = std::max(most_, dot.x);
      highest_ = std::max(highest_, dot.y);
    }
  }
  std::string text() {
    label(width / 2, 20, "middle", plot_.title);
    label((left + width - right) / 2, height - 10, "middle", plot_.x_words);
    line(left, height - bottom, width - right, height - bottom);
    line(left, top, left, height - bottom);
    for (const double share : {0.0, 0.5, 1.0})
      label(left - 6, y(share * highest_) + 4, "end",
            share > 0 ? plot_.y_text(share * highest_) : "0");
    for (const double value : least_ < most_ ? std::vector{least_, most_} : std::vector{least_})
      label(x(value), height - bottom + 18, "middle", plot_.x_text(value));
    std::vector<Dot> joined;
    std::ranges::copy_if(plot_.dots, std::back_inserter(joined),
                         [&](const Dot& dot) { return plot_.through_all || dot.marked; });
    std::ranges::stable_sort(joined, {}, &Dot::x);
    out_ += "<polyline fill=\"none\" stroke=\"#c33\" points=\"";
    for (const Dot& dot : joined)
      out_ += fmt::format("{:.1f},{:.1f} ", x(dot.x), above_ + y(dot.y));
    out_ += "\"/>\n";
    for (const Dot& dot : plot_.dots)
      out_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{}</title></circle>\n",
          x(dot.x), above_ + y(dot.y), dot.marked ? "#c33" : "#357", markup(dot.text));
    return std::move(out_);
  }

 private:
  double x(double value) const {
    const double wide = most_ > least_ ? most_ - least_ : 1;
    return left + (width - left - right) * (0.05 + 0.9 * (value - least_) / wide);
  }
  double y(double value) const {
    return height - bottom - (height - top - bottom) * value / (1.05 * highest_);
  }
  void label(double at, double down, const char* anchor, const std::string& words) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", at,
                        above_ + down, anchor, markup(words));
  }
  void line(double x1, double y1, double x2, double y2) {
    out_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#888\"/>\n", x1,
        above_ + y1, x2, above_ + y2);
  }

  const Plot& plot_;
  const double above_;
  double least_ = INFINITY, most_ = -INFINITY, highest_ = 0;
  std::string out_;
};

}  // namespace

std::string to_svg(std::span<const Plot> plots) {
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height * double(std::max<std::size_t>(1, plots.size())));
  double above = 0;
  for (const Plot& plot : plots) {
    if (!plot.dots.empty()) out += Drawing(plot, above).text();
    above += height;
  }
  return out + "</svg>\n";
}

}  // namespace hipsight::report
