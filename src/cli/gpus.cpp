#include <fmt/format.h>

#include "cli/commands.h"
#include "gpus/gpu.h"
#include "support/printable.h"
#include "support/quantity.h"
#include "timing/assumed.h"

namespace hipsight::cli {

int list_gpus() {
  fmt::print("{:<12} {:<10} {:>4} {:>6} {:>9} {:>9}  {}\n", "name", "processor", "CUs", "GHz",
             "memory", "DRAM", "");
  for (const gpus::Gpu& gpu : gpus::all())
    fmt::print("{:<12} {:<10} {:>4} {:>6.2f} {:>5} GiB {:>4.0f} GB/s  {}\n", printable(gpu.name),
               gpu.processor, gpu.compute_units, gpu.clock_ghz, gpu.dram_bytes >> 30,
               gpu.dram_gb_per_s, printable(gpu.title));
  fmt::print("\n'hipsight gpus NAME' shows the numbers of one and their sources.\n");
  return 0;
}

int show_gpu(const std::string& name) {
  const gpus::Gpu gpu = gpus::find(name);
  fmt::print("{}: {}\ntarget id {}, read from {}\n\n", printable(gpu.name), printable(gpu.title),
             printable(gpu.target_id), gpu.file);
  for (const gpus::Gpu::Fact& fact : gpu.facts)
    fmt::print("{:<28} {:>12} {:<20} {}\n", fact.key, fact.value, fact.unit,
               printable(fact.source));
  const auto assumed = timing::assumed::of(gpu);
  if (!assumed.empty()) fmt::print("\nnot known; what predictions take in its place:\n");
  for (const auto& [key, taken] : assumed) fmt::print("{:<28} {}\n", key, taken);
  return 0;
}

}  // namespace hipsight::cli
