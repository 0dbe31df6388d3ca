#pragma once

#include <cstddef>
#include <string>

namespace hipsight::bench {

/// How many launches (families.csv) are taken for another family than theirs, or have a band of
/// errors where nothing of it was measured, or none where something was. From recordings; with a
/// checkout of ROCm/aiter from new ones, which then take their place. Prints them.
/// @throws std::runtime_error when a launch fails.
std::size_t mistaken_families(const std::string& source);

}  // namespace hipsight::bench
