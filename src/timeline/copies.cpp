#include "timeline/copies.h"

#include "timing/assumed.h"

namespace hipsight::timeline {
namespace {

namespace assumed = timing::assumed;

double seconds(const gpus::Gpu& gpu, double bytes, double gb_per_s) {
  return gpu.launch_us.value_or(assumed::launch_us) * 1e-6 + bytes / (gb_per_s * 1e9);
}

double memory_gb_per_s(const gpus::Gpu& gpu) {
  return gpu.dram_gb_per_s_measured.value_or(assumed::dram_reached * gpu.dram_gb_per_s);
}

}  // namespace

double copy_seconds(const gpus::Gpu& gpu, Path path, double bytes) {
  switch (path) {
    case Path::Host:
      if (!gpu.integrated)
        return seconds(gpu, bytes, gpu.host_gb_per_s.value_or(assumed::host_gb_per_s));
      break;  // one memory holds both ends
    case Path::Peer:
      return seconds(gpu, bytes, assumed::link_gb_per_s(gpu));
    case Path::Memory:
      break;
  }
  return seconds(gpu, 2 * bytes, memory_gb_per_s(gpu));  // each byte is read and written
}

double fill_seconds(const gpus::Gpu& gpu, double bytes) {
  return seconds(gpu, bytes, memory_gb_per_s(gpu));
}

}  // namespace hipsight::timeline
