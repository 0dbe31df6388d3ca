#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hipsight::gpus {

/// What one GPU is. Read from one TOML file per GPU in src/gpus; a user's own file extends the
/// list. Every number in a file stands with its source. A missing number is unknown (nullopt),
/// never zero. docs/gpu-files.md describes the files.
struct Gpu {
  std::string name;       ///< "mi300x": what --gpu takes
  std::string title;      ///< "AMD Instinct MI300X"
  std::string target_id;  ///< "gfx942:sramecc+:xnack-"
  std::string processor;  ///< "gfx942"
  std::string file;       ///< where it was read from; "built in" ones have "NAME.toml"

  // Compute units. On RDNA two compute units share one workgroup processor (WGP): in WGP mode a
  // workgroup spreads over both, and HIP calls a WGP a multiprocessor.
  std::uint32_t compute_units = 0;              ///< of the whole device, all XCDs
  std::uint32_t cus_per_wgp = 1;                ///< 2 on RDNA
  std::uint32_t xcds = 1;                       ///< compute dies that share the device's workgroups
  std::optional<std::uint32_t> shader_engines;  ///< of the whole device; each starts waves
  std::uint32_t simds_per_cu = 4;
  std::uint32_t wavefront_size = 64;  ///< that HIP reports
  std::uint32_t max_waves_per_simd = 0;
  std::uint32_t max_workgroup_size = 1024;
  std::uint32_t max_workgroups_per_cu = 0;  ///< of two waves and more (barriers); doubled in a WGP

  // Registers.
  std::uint32_t vgprs_per_simd = 0;  ///< 32-bit registers per lane at `wavefront_size`
  std::uint32_t vgpr_granule = 0;    ///< allocation granule at `wavefront_size`
  std::uint32_t max_vgprs_per_wave = 0;
  std::uint32_t sgprs_per_simd = 0;  ///< 0: never limits occupancy (RDNA)
  std::uint32_t sgpr_granule = 1;

  // LDS.
  std::uint32_t lds_bytes_per_cu = 0;  ///< a WGP on RDNA has cus_per_wgp times this
  std::uint32_t lds_granule = 0;       ///< allocation granule, bytes
  std::uint32_t max_lds_per_workgroup = 0;
  std::optional<std::uint32_t> lds_banks;  ///< of a compute unit
  std::optional<double> lds_bytes_per_clock_per_cu;

  /// How an LDS instruction works off a wave: a phase a cycle, unless banks collide.
  struct LdsPhases {
    std::string access;                ///< "read_b128", "write_b64"
    std::vector<std::uint64_t> lanes;  ///< of each phase, a bit per lane
    std::uint32_t banks = 0;           ///< 4 bytes wide, that these accesses see
  };
  std::vector<LdsPhases> lds_phases;  ///< of accesses that were measured
  const LdsPhases* phases(std::string_view access) const;

  // Issue: cycles for which a plain 32-bit vector instruction of `wavefront_size` lanes keeps the
  // SIMD's vector unit; also the least time between two instructions of one wave.
  double issue_cycles = 0;
  std::optional<double> transcendental_cycles;  ///< the same for v_exp_f32 and its kind

  // Caches and memory, of the whole device.
  std::optional<std::uint64_t> l1_bytes_per_cu;
  std::optional<std::uint32_t> l1_line_bytes;
  std::uint64_t l2_bytes = 0;                    ///< all XCDs together
  std::optional<std::uint64_t> mall_bytes;       ///< Infinity Cache; 0 when there is none
  std::uint64_t dram_bytes = 0;                  ///< memory that HIP reports
  double dram_gb_per_s = 0;                      ///< specified; 1 GB is 10^9 bytes
  std::optional<double> dram_gb_per_s_measured;  ///< a streaming read
  std::optional<double> l2_gb_per_s, mall_gb_per_s;
  std::optional<double> host_gb_per_s;     ///< of copies from and to the host, each way
  std::optional<double> memory_clock_ghz;  ///< as HIP reports it
  std::optional<std::uint32_t> memory_bus_bits;

  // Latencies of a dependent load, in cycles of the engine clock.
  std::optional<double> l1_latency, l2_latency, mall_latency, dram_latency;

  double clock_ghz = 0;  ///< peak engine clock

  // Power, see timing/power.h. Energies of operations are those at a clock of 1 GHz.
  std::optional<double> power_watts;        ///< that it may take; the clock falls to hold it
  std::optional<double> power_base_watts;   ///< of them, whatever it does
  std::optional<double> power_clock_watts;  ///< for its clock alone, at 1 GHz
  std::optional<double> dram_pj_per_byte;   ///< of a byte to or from memory, caches passed
  std::optional<double> vector_pj;          ///< of a 32-bit vector operation; an FMA is 2

  std::optional<double> launch_us;           ///< a launch's own time, the kernel's work apart
  std::optional<double> launch_interval_us;  ///< the least from a launch to the next one

  // Links to the other GPUs of a node, one to each (xGMI).
  std::optional<std::uint32_t> peer_links;       ///< of a GPU
  std::optional<double> peer_gb_per_s;           ///< of a link, in each direction, specified
  std::optional<double> peer_gb_per_s_measured;  ///< the same, all pairs at once

  std::optional<std::uint32_t> pci_device_id;
  std::optional<std::uint32_t> asic_revision;  ///< as rocminfo lists it
  std::uint32_t integrated = 0;                ///< 1: shares its memory with the processor (an APU)

  /// Peak operations per clock per CU of the vector and matrix pipes, by type: "f64", "f32",
  /// "xf32", "f16", "bf16", "fp8", "fp6", "fp4", "i8", "i4" (isa::text(Number) names the same
  /// types). An FMA is 2. Vector rates are those of the widest instruction (packed or dual issue).
  struct Rate {
    std::string type;
    std::optional<double> vector, matrix;
    std::optional<double> matrix_pj;  ///< energy of a matrix operation at 1 GHz
  };
  std::vector<Rate> rates;
  /// The rate of a type, or null.
  const Rate* rate(std::string_view type) const;

  /// Every value of the file with its unit and source, in the file's order of meaning: for
  /// printing.
  struct Fact {
    std::string key, value, unit, source;
  };
  std::vector<Fact> facts;

  std::uint32_t pci_bus = 0;  ///< set by the runtime, not by files

  /// Major and minor number of the instruction set: 9 and 4 for gfx942, 11 and 0 for gfx1100.
  int isa_major() const;
  int isa_minor() const;

  /// hipDeviceProp_t::multiProcessorCount: compute units on CDNA, WGPs on RDNA (ROCm clr).
  std::uint32_t hip_multiprocessors() const { return compute_units / cus_per_wgp; }
  /// Threads of all waves of a compute unit, or of a WGP: hipDeviceProp_t's
  /// maxThreadsPerMultiProcessor.
  std::uint32_t max_threads_per_multiprocessor() const {
    return max_waves_per_simd * simds_per_cu * cus_per_wgp * wavefront_size;
  }
};

/// Reads one GPU file. @throws Exception naming the file and the key that is missing or wrong.
Gpu read(const std::filesystem::path& file);

/// Reads the text of a GPU file; `origin` names it in errors.
Gpu parse(std::string_view text, const std::string& origin);

/// Folders with more GPU files, separated by colons. Before `all` or `find`: they are read once.
void use_folders(const std::string& folders);

/// Sets a number of a GPU by its key in GPU files, as a file that builds on it would. `source`:
/// where the number is from. The GPU may not make sense until `check` has passed.
/// @throws Exception when the key is not known or the number is out of range.
void set(Gpu& gpu, std::string_view key, double value, const std::string& source);

/// Whether numbers fit together. @throws Exception naming the GPU's file.
void check(const Gpu& gpu);

/// Every GPU, in order of name: the built-in ones (compiled in from src/gpus/*.toml) and those of
/// `use_folders`, which win over built-in ones of that name.
/// @throws Exception when a file there is wrong.
const std::vector<Gpu>& all();

/// The GPU of this name (in any case), or of a path to a TOML file. As for ROCm's driver, `xnack`
/// has a GPU that can do so try accesses again after a page fault. There are no such faults here;
/// but it runs the code that is compiled for it.
/// @throws Exception listing the names that exist.
Gpu find(std::string_view name_or_file, bool xnack = false);

}  // namespace hipsight::gpus
