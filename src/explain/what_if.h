#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "explain/launch.h"
#include "explain/transforms.h"

namespace hipsight::explain {

/// A change, or several at once, that a launch is to be predicted with.
struct WhatIf {
  std::string text;                                          ///< "clock=1.5", "occupancy+l2=8M"
  std::vector<std::pair<const Transform*, double>> changes;  ///< in the order of transforms()

  bool other_caches() const;  ///< the launch's trace must have its addresses still
};

/// What a word of a command line asks: NAME[=VALUE[,VALUE...]][+NAME...], one for each
/// combination of values. Bytes may end in K, M or G. @throws Exception naming what is wrong in it.
std::vector<WhatIf> parse_what_ifs(std::string_view word);
/// The same of several words with spaces between.
std::vector<WhatIf> parse_all_what_ifs(std::string_view words);

/// How long a launch takes then.
struct ThenTaken {
  double seconds = 0;
  timing::Bound bound;
  std::string why_none;  ///< why it cannot be so; empty: it can
};
ThenTaken predict(const Launch& launch, const WhatIf& what_if);

}  // namespace hipsight::explain
