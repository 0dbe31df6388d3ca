// `libhsa-runtime64.so`, for programs that load it by that name and ask which GPUs there are before
// they use HIP (Mojo's do): agent 0 is the processor, the others are the emulated GPUs. Nothing
// else of HSA is here. Libraries that are linked with HSA ask for libhsa-runtime64.so.1, which
// stays the machine's.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "rocm/emulated.h"

namespace {

using hipsight::gpus::Gpu;

// Of hsa.h and hsa_ext_amd.h.
using Status = std::uint32_t;
constexpr Status kSuccess = 0, kError = 0x1000, kInvalidArgument = 0x1001, kInvalidAgent = 0x1004,
                 kNotInitialized = 0x100b, kInvalidIsa = 0x100f;
struct Handle {
  std::uint64_t handle;
};
using Callback = Status (*)(Handle, void*);

std::mutex mutex;
std::optional<Gpu> gpu;
std::uint64_t gpus = 0;
int users = 0;  // hsa_init() without hsa_shut_down()

Status put(void* value, std::uint32_t number) {
  std::memcpy(value, &number, sizeof number);
  return kSuccess;
}

/// A text of `size` bytes with zeros at its end, as all of an agent's are.
Status put(void* value, const std::string& text, std::size_t size = 64) {
  std::memset(value, 0, size);
  std::memcpy(value, text.data(), std::min(text.size(), size - 1));
  return kSuccess;
}

bool is_gpu(Handle agent) {
  return agent.handle >= 1 && agent.handle <= gpus;
}

Status cpu_info(std::uint32_t attribute, void* value) {
  switch (attribute) {
    case 0:
      return put(value, "x86-64");
    case 1:
      return put(value, "CPU");
    case 2:       // features: runs no kernels
    case 6:       // wavefront size
    case 16:      // node
    case 17:      // device type
    case 0xa006:  // place on the bus
    case 0xa00f:  // domain of the bus
      return put(value, 0);
    case 0xa009:
      return put(value, "x86-64");
    default:
      return kInvalidArgument;
  }
}

Status gpu_info(std::uint32_t number, std::uint32_t attribute, void* value) {
  switch (attribute) {
    case 0:
      return put(value, gpu->processor);
    case 1:
      return put(value, "AMD");
    case 2:   // features: kernels
    case 17:  // device type
      return put(value, 1);
    case 3:  // machine model: large
      return put(value, 1);
    case 4:  // profile: base
      return put(value, 0);
    case 6:
      return put(value, gpu->wavefront_size);
    case 8:
      return put(value, gpu->max_workgroup_size);
    case 16:
    case 0xa004:
      return put(value, number);
    case 0xa000:
      return gpu->pci_device_id ? put(value, *gpu->pci_device_id) : kInvalidArgument;
    case 0xa002:
      return put(value, gpu->compute_units);
    case 0xa003:  // MHz
      return put(value, static_cast<std::uint32_t>(gpu->clock_ghz * 1000));
    case 0xa006:  // place on the bus: HIP's pciBusID, from bit 8 on
      return put(value, number << 8);
    case 0xa009:
      return put(value, gpu->title);
    case 0xa00a:
      return put(value, gpu->max_waves_per_simd * gpu->simds_per_cu);
    case 0xa00b:
      return put(value, gpu->simds_per_cu);
    case 0xa00f:
      return put(value, 0);
    case 0xa111:
      return put(value, gpu->xcds);
    default:
      return kInvalidArgument;
  }
}

}  // namespace

#define HSA_API extern "C" __attribute__((visibility("default"))) Status

HSA_API hsa_init() {
  const std::lock_guard lock(mutex);
  try {
    if (!gpu) {
      auto [emulated, count] = hipsight::rocm::emulated();
      gpu = std::move(emulated);
      gpus = count;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hipsight: %s\n", error.what());
    return kError;
  }
  ++users;
  return kSuccess;
}

HSA_API hsa_shut_down() {
  const std::lock_guard lock(mutex);
  if (users == 0) return kNotInitialized;
  --users;
  return kSuccess;
}

HSA_API hsa_iterate_agents(Callback callback, void* data) {
  if (!gpu) return kNotInitialized;
  if (!callback) return kInvalidArgument;
  for (std::uint64_t agent = 0; agent == 0 || is_gpu({agent}); ++agent)
    if (const Status status = callback({agent}, data)) return status;
  return kSuccess;
}

HSA_API hsa_agent_get_info(Handle agent, std::uint32_t attribute, void* value) {
  if (!gpu) return kNotInitialized;
  if (!value) return kInvalidArgument;
  if (agent.handle == 0) return cpu_info(attribute, value);
  if (!is_gpu(agent)) return kInvalidAgent;
  return gpu_info(static_cast<std::uint32_t>(agent.handle), attribute, value);
}

/// The one instruction set of a GPU; its handle is the agent's.
HSA_API hsa_agent_iterate_isas(Handle agent, Callback callback, void* data) {
  if (!gpu) return kNotInitialized;
  if (!callback) return kInvalidArgument;
  return is_gpu(agent) ? callback(agent, data) : kInvalidAgent;
}

HSA_API hsa_isa_get_info_alt(Handle isa, std::uint32_t attribute, void* value) {
  if (!gpu) return kNotInitialized;
  if (!value) return kInvalidArgument;
  if (!is_gpu(isa)) return kInvalidIsa;
  const std::string name = "amdgcn-amd-amdhsa--" + gpu->target_id;
  if (attribute == 0) return put(value, static_cast<std::uint32_t>(name.size() + 1));
  if (attribute == 1) return put(value, name, name.size() + 1);
  return kInvalidArgument;
}
