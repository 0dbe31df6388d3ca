#pragma once

#include <string_view>

#include "support/fnv.h"

namespace hipsight::bench {

/// Whether timings of a code object may be used to fit the model. The others are only reported on.
/// The rule was set down before anything was fitted: FNV-1a (64 bits) of the object's path in
/// ROCm/aiter ("hsa/gfx950/..."), its bits 32 and up taken modulo 2: 0 is fitted, 1 reported. It
/// also splits the files of figures of RRZE-HPC/gpu-benches ("gpu-latency/mi210.txt").
constexpr bool is_fitted(std::string_view path) {
  Fnv hash;
  hash.add(path);
  return (hash.value() >> 32) % 2 == 0;
}
// FNV-1a's published test vectors: 0xaf63dc4c8601ec8c and 0x85944171f73967e8.
static_assert(is_fitted("a") && !is_fitted("foobar"));

}  // namespace hipsight::bench
