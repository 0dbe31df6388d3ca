#include "timing/assumed.h"

#include <fmt/format.h>

namespace hipsight::timing::assumed {

double link_gb_per_s(const gpus::Gpu& gpu) {
  const double host = gpu.host_gb_per_s.value_or(host_gb_per_s);
  return gpu.peer_gb_per_s_measured.value_or(gpu.peer_gb_per_s.value_or(host));
}

std::optional<double> number(const gpus::Gpu& gpu, std::string_view key) {
  if (key == "launch_us") return launch_us;
  if (key == "l1_latency") return l1_latency;
  if (key == "l2_latency") return l2_latency;
  if (key == "dram_latency") return dram_latency;
  if (key == "l2_gb_per_s") return l2_bytes_per_clock_per_cu * gpu.compute_units * gpu.clock_ghz;
  if (key == "dram_gb_per_s_measured") return dram_reached * gpu.dram_gb_per_s;
  return {};
}

std::vector<Value> of(const gpus::Gpu& gpu) {
  std::vector<Value> values;
  const auto add = [&](bool known, std::string_view key, std::string taken) {
    if (!known) values.push_back({key, std::move(taken)});
  };
  add(gpu.launch_us.has_value(), "launch_us", fmt::format("{} us", launch_us));
  add(gpu.l1_latency.has_value(), "l1_latency", fmt::format("{} cycles", l1_latency));
  add(gpu.l2_latency.has_value(), "l2_latency", fmt::format("{} cycles", l2_latency));
  add(gpu.dram_latency.has_value(), "dram_latency", fmt::format("{} cycles", dram_latency));
  add(gpu.l2_gb_per_s.has_value(), "l2_gb_per_s",
      fmt::format("{} bytes a cycle of each compute unit", l2_bytes_per_clock_per_cu));
  add(gpu.dram_gb_per_s_measured.has_value(), "dram_gb_per_s_measured",
      fmt::format("{:.0f} % of dram_gb_per_s", 100 * dram_reached));
  if (!gpu.integrated)
    add(gpu.host_gb_per_s.has_value(), "host_gb_per_s", fmt::format("{} GB/s", host_gb_per_s));
  add(gpu.peer_gb_per_s.has_value(), "peer_gb_per_s",
      gpu.host_gb_per_s ? "host_gb_per_s" : fmt::format("{} GB/s", host_gb_per_s));
  return values;
}

}  // namespace hipsight::timing::assumed
