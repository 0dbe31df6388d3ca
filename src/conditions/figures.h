#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hipsight/values.h"

namespace hipsight::conditions {

enum class Kind { Count, Seconds, Share, Bytes };

/// What a report must have for a figure to be known.
enum class Needs { Nothing, Profile, Prediction };

/// Which change of a figure is for the better.
enum class Better { Neither, Less, More };

/// A number that conditions may name: a row of docs/conditions.md.
struct Figure {
  std::string_view name;
  Kind kind;
  Needs needs;
  std::string_view words;
  /// None: the kernel has no such thing, as a share of its LDS cycles where it uses no LDS.
  std::optional<double> (*of)(const KernelReport&);
  Better better = Better::Neither;
};

std::span<const Figure> figures();
const Figure* figure(std::string_view name);
/// Whether the report has what the figure needs.
bool is_known(const Figure& figure, const KernelReport& kernel);
/// With its unit: "12.3 us", "43 %", "512".
std::string text_of(Kind kind, double value);

}  // namespace hipsight::conditions
