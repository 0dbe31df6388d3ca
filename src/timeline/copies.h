#pragma once

#include <cstdint>

#include "gpus/gpu.h"

namespace hipsight::timeline {

/// The way that a copy takes.
enum class Path : std::uint8_t {
  Memory,  ///< from and to the memory of one GPU
  Host,    ///< one end is the host's memory
  Peer,    ///< from the memory of one GPU to another one's
};

/// How long a GPU takes for a copy of so many bytes, in seconds. A copy takes a launch, too: the
/// GPU copies by a kernel, or by an engine that is taken to begin as late.
double copy_seconds(const gpus::Gpu& gpu, Path path, double bytes);
/// The same of a fill of its own memory.
double fill_seconds(const gpus::Gpu& gpu, double bytes);

}  // namespace hipsight::timeline
