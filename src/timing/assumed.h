#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpus/gpu.h"

/// What predictions take of a GPU whose file does not say: of the order of those that do.
namespace hipsight::timing::assumed {

constexpr double launch_us = 2;
constexpr double l1_latency = 120, l2_latency = 250, dram_latency = 700;  ///< cycles
/// No compute unit gets more than that from its L2; what all get is taken to be the sum.
constexpr double l2_bytes_per_clock_per_cu = 64;
/// Of the bandwidth that is specified, where no stream was measured: fitted on assembly GEMMs of
/// ROCm/aiter on MI355X; streams that were measured reach 85 to 94 % on MI210 and MI300X.
constexpr double dram_reached = 0.8;
/// Of copies from and to the host: PCIe 4.0 x16, as MI210 has it.
constexpr double host_gb_per_s = 28.8;

/// What a link to another GPU carries, in GB/s: measured, or specified, or as one to the host.
double link_gb_per_s(const gpus::Gpu& gpu);

struct Value {
  std::string_view key;  ///< of the GPU's file
  std::string taken;     ///< in words
};
/// What is taken of a number of time or rate that the GPU's file does not have, in the file's unit;
/// nullopt: nothing is.
std::optional<double> number(const gpus::Gpu& gpu, std::string_view key);
/// All that is assumed of this GPU.
std::vector<Value> of(const gpus::Gpu& gpu);

}  // namespace hipsight::timing::assumed
