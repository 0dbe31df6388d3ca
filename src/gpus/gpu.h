#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hipsight::gpus {

/// What one GPU is. Read from one TOML file per GPU in src/gpus; a user's own file extends the list.
/// Every number in a file stands with its source. A missing number is unknown (nullopt), never zero.
struct Gpu {
  std::string name;       ///< "mi300x": what --gpu takes
  std::string title;      ///< "AMD Instinct MI300X"
  std::string target_id;  ///< "gfx942:sramecc+:xnack-"
  std::string processor;  ///< "gfx942"

  std::uint32_t compute_units = 0;  ///< as HIP reports them
  std::uint32_t xcds = 1;
  std::uint32_t simds_per_cu = 4;
  std::uint32_t wavefront_size = 64;  ///< that HIP reports
  std::uint32_t max_waves_per_simd = 0;
  std::uint32_t vgprs_per_simd = 0;     ///< 32-bit registers per lane at `wavefront_size`
  std::uint32_t vgpr_granule = 0;       ///< allocation granule at `wavefront_size`
  std::uint32_t max_vgprs_per_wave = 0;
  std::uint32_t sgprs_per_simd = 0;     ///< 0: never limits occupancy (RDNA, gfx90a and later)
  std::uint32_t lds_bytes_per_cu = 0;   ///< of what one workgroup scheduler hands out (a WGP on RDNA: see file)
  std::uint32_t lds_granule = 0;
  std::uint32_t max_lds_per_workgroup = 0;
  std::uint32_t max_workgroup_size = 1024;
  std::uint32_t max_workgroups_per_cu = 0;
  std::uint64_t dram_bytes = 0;         ///< memory that HIP reports

  double clock_ghz = 0;                      ///< peak engine clock
  double dram_gb_per_s = 0;                  ///< specified
  std::optional<double> dram_gb_per_s_measured;
  std::optional<double> l2_gb_per_s, mall_gb_per_s, lds_bytes_per_clock_per_cu;
  std::uint64_t l2_bytes = 0;                ///< all XCDs together
  std::uint64_t mall_bytes = 0;
  std::optional<double> launch_us;

  /// Peak operations per clock per CU of the vector and matrix pipes, by type:
  /// key "f32", "f64", "f16", "bf16", "fp8", "i8" ...; vector counts an FMA as 2.
  struct Rate {
    std::string type;
    double vector = 0;
    double matrix = 0;
  };
  std::vector<Rate> rates;

  std::uint32_t pci_bus = 0;
};

/// Reads one GPU file. @throws Error naming the file and the key that is missing or wrong.
Gpu read(const std::filesystem::path& file);

/// Every GPU: the built-in ones (compiled in from src/gpus/*.toml) and those of HIPSIGHT_GPU_PATH
/// (a colon-separated list of folders).
const std::vector<Gpu>& all();

/// The GPU of this name, or of a path to a TOML file. @throws Error listing the names that exist.
Gpu find(std::string_view name_or_file);

}  // namespace hipsight::gpus
