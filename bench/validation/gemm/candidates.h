#pragma once

#include <string>
#include <vector>

#include "validation/gemm/launches.h"

namespace hipsight::bench {

/// A measured launch (timings.csv), and what ROCm/aiter's tuner had to choose from: each code
/// object of the family and each way to split k that its tuner tries
/// (csrc/gemm_a16w16/gemm_a16w16_tune.py, csrc/ck_gemm_a8w8_blockscale/gemm_a8w8_blockscale_tune.py
/// and csrc/ck_gemm_a8w8_bpreshuffle/gemm_a8w8_bpreshuffle_tune.py, at e404860). No figure of
/// another candidate is public: the measured one was the quickest.
struct TunedShape {
  std::vector<GemmLaunch> candidates;
  std::size_t winner;  ///< its place among them
};

/// Of each GPU and family ten shapes at the most, drawn by chance from those whose winner nothing
/// was fitted on (split.h), each candidate with its recording: of this folder; with a checkout of
/// ROCm/aiter new ones, which then take their place. @throws std::runtime_error when a launch
/// fails.
std::vector<TunedShape> tuned_shapes(const std::string& source);

/// How often the predicted first, and first three, hold the measured winner, and by how much the
/// predicted time of the winner is longer than that of the first.
struct TunerScore {
  double first, three;  ///< percent of shapes
  double regret;        ///< 90th percentile, percent
};
/// Predicts all candidates and prints tables; writes each shape's row to a file.
TunerScore print_tuner(const std::vector<TunedShape>& shapes, const std::string& csv);

}  // namespace hipsight::bench
