// `rocminfo`, for packages that look a GPU up by what it prints: the emulated ones, as ROCm's
// prints real ones.
#include <fmt/format.h>

#include <exception>
#include <string_view>

#include "rocm/emulated.h"

namespace {

using hipsight::gpus::Gpu;

void line(int depth, std::string_view key, std::string_view value) {
  fmt::print("{:{}}{:<25}{:<35}\n", "", 2 * depth, fmt::format("{}:", key), value);
}

/// A number as rocminfo writes it: "64(0x40)".
void line(int depth, std::string_view key, std::uint64_t value, std::string_view unit = "") {
  line(depth, key, fmt::format("{}({:#x}){}", value, value, unit));
}

void agent(int number) {
  fmt::print("*******\nAgent {}\n*******\n", number);
}

void print_processor() {
  line(1, "Name", "x86-64");
  line(1, "Marketing Name", "x86-64");
  line(1, "Vendor Name", "CPU");
  line(1, "Device Type", "CPU");
}

void print_gpu(const Gpu& gpu, int node) {
  line(1, "Name", gpu.processor);
  line(1, "Marketing Name", gpu.title);
  line(1, "Vendor Name", "AMD");
  line(1, "Feature", "KERNEL_DISPATCH");
  line(1, "Profile", "BASE_PROFILE");
  line(1, "Node", fmt::format("{}", node));
  line(1, "Device Type", "GPU");
  fmt::print("  Cache Info:\n");
  if (gpu.l1_bytes_per_cu) line(2, "L1", *gpu.l1_bytes_per_cu >> 10, " KB");
  line(2, "L2", gpu.l2_bytes >> 10, " KB");
  if (gpu.mall_bytes && *gpu.mall_bytes) line(2, "L3", *gpu.mall_bytes >> 10, " KB");
  if (gpu.pci_device_id) line(1, "Chip ID", *gpu.pci_device_id);
  if (gpu.asic_revision) line(1, "ASIC Revision", *gpu.asic_revision);
  line(1, "Max Clock Freq. (MHz)", fmt::format("{:.0f}", gpu.clock_ghz * 1000));
  line(1, "Compute Unit", fmt::format("{}", gpu.compute_units));
  line(1, "SIMDs per CU", fmt::format("{}", gpu.simds_per_cu));
  if (gpu.shader_engines) line(1, "Shader Engines", fmt::format("{}", *gpu.shader_engines));
  line(1, "Wavefront Size", gpu.wavefront_size);
  line(1, "Workgroup Max Size", gpu.max_workgroup_size);
  line(1, "Max Waves Per CU", gpu.max_waves_per_simd * gpu.simds_per_cu);
  fmt::print("  Pool Info:\n    Pool 1\n");
  line(3, "Segment", "GLOBAL; FLAGS: COARSE GRAINED");
  line(3, "Size", gpu.dram_bytes >> 10, " KB");
  fmt::print("    Pool 2\n");
  line(3, "Segment", "GROUP");
  line(3, "Size", gpu.max_lds_per_workgroup >> 10, " KB");
  fmt::print("  ISA Info:\n    ISA 1\n");
  line(3, "Name", "amdgcn-amd-amdhsa--" + gpu.target_id);
}

}  // namespace

int main() try {
  const auto [gpu, count] = hipsight::rocm::emulated();
  fmt::print("ROCk module is not needed: hipsight emulates {}\n", gpu.name);
  fmt::print("==========\nHSA Agents\n==========\n");
  agent(1);
  print_processor();
  for (int i = 1; i <= static_cast<int>(count); ++i) {
    agent(i + 1);
    print_gpu(gpu, i);
  }
  fmt::print("*** Done ***\n");
} catch (const std::exception& error) {
  fmt::print(stderr, "rocminfo: {}\n", error.what());
  return 1;
}
