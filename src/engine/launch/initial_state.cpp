// Registers of a wave when it starts: LLVM's AMDGPUUsage, "Initial Kernel Execution State".

#include <xmmintrin.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "code/descriptor.h"
#include "engine/launch/workgroup.h"

namespace hipsight::engine {
namespace {

constexpr bool bit(std::uint32_t word, unsigned index) {
  return word >> index & 1;
}
constexpr std::uint32_t bits(std::uint32_t word, unsigned high, unsigned low) {
  return word >> low & ((1u << (high - low + 1)) - 1);
}

/// Bits of kernel_code_properties: which user SGPRs are set up, in this order.
enum Property : unsigned {
  PrivateSegmentBuffer,
  DispatchPtr,
  QueuePtr,
  KernargSegmentPtr,
  DispatchId,
  FlatScratchInit,
  PrivateSegmentSize,
};

/// Buffer resource of gfx90a's scratch: swizzled by lane, dwords of the lanes side by side.
void set_scratch_resource(std::uint32_t* s, const Wave& wave) {
  const auto base = reinterpret_cast<std::uintptr_t>(wave.scratch);
  constexpr std::uint32_t swizzle = 1u << 31, add_lane = 1u << 23, index_stride_64 = 3u << 21,
                          format_32 = 4u << 15;
  s[0] = static_cast<std::uint32_t>(base);
  s[1] = static_cast<std::uint32_t>(base >> 32) | swizzle;
  s[2] = ~0u;
  s[3] = add_lane | index_stride_64 | format_32;
}

/// v0 of neighbouring work-items, the first with this number: the coordinates, ten bits each.
void pack_work_item_ids(std::span<std::uint32_t> ids, std::uint32_t first,
                        const std::uint32_t* size) {
  std::uint32_t x = first % size[0], y = first / size[0] % size[1], z = first / size[0] / size[1];
  for (std::uint32_t& id : ids) {
    id = x | y << 10 | z << 20;
    if (++x < size[0]) continue;
    x = 0;
    if (++y < size[1]) continue;
    y = 0;
    ++z;
  }
}

}  // namespace

std::vector<std::uint32_t> work_item_ids(const Dim3& block, std::uint32_t lanes) {
  const std::uint32_t size[]{block.x, block.y, block.z};
  const auto items = static_cast<std::uint32_t>(block.volume());
  std::vector<std::uint32_t> ids((items + lanes - 1) / lanes * lanes);
  pack_work_item_ids(ids, 0, size);
  return ids;
}

RegisterFile register_file(const code::Kernel& kernel, isa::Gfx gfx) {
  const auto& d = kernel.descriptor;
  RegisterFile file;
  file.lanes = code::lanes_of(d);
  file.vgprs = code::vector_registers_of(d, isa::is_rdna(gfx));
  if (!isa::is_rdna(gfx)) {
    // One file of both kinds: AGPRs begin at the accumulation offset.
    const std::uint32_t all = file.vgprs;
    file.vgprs = std::min(all, (bits(d.rsrc3, 5, 0) + 1) * 4);
    file.agprs = all - file.vgprs;
  }
  return file;
}

std::size_t RegisterFile::wave_bytes() const {
  return sizeof(Wave) + std::size_t{vgprs + agprs + slack} * lanes * 4;
}

namespace {

/// MXCSR for f32, and for f64 and f16.
struct HostModes {
  std::uint32_t csr_32, csr_64;
};
HostModes host_modes(std::uint32_t mode) {
  // MXCSR: exceptions masked; rounding in bits 13-14 (0 nearest, 1 down, 2 up, 3 zero), flush
  // results to zero bit 15, denormal operands are zero bit 6. MODE rounds 0 nearest, 1 up, 2 down,
  // 3 zero; denormals: bit 0 of the pair keeps inputs, bit 1 keeps results.
  const auto csr = [](std::uint32_t round, std::uint32_t denormals) {
    constexpr std::uint32_t masked = 0x1f80, rounding[]{0u << 13, 2u << 13, 1u << 13, 3u << 13};
    return masked | rounding[round] | (denormals & 1 ? 0 : 1u << 6) |
           (denormals & 2 ? 0 : 1u << 15);
  };
  return {csr(bits(mode, 1, 0), bits(mode, 5, 4)), csr(bits(mode, 3, 2), bits(mode, 7, 6))};
}

}  // namespace

void mode_changed(Wave& wave) {
  const HostModes modes = host_modes(wave.mode);
  wave.csr_32 = modes.csr_32;
  wave.csr_64 = modes.csr_64;
  _mm_setcsr(wave.csr_32);
}

WaveStart wave_start(const Launch& launch) {
  const auto& d = launch.dispatch->kernel->descriptor;
  WaveStart start;
  // MODE: rounding and denormals, then DX10_CLAMP and IEEE.
  start.mode = bits(d.rsrc1, 19, 12) | bits(d.rsrc1, 21, 21) << 8 | bits(d.rsrc1, 23, 23) << 9;
  const HostModes modes = host_modes(start.mode);
  start.csr_32 = modes.csr_32;
  start.csr_64 = modes.csr_64;

  std::uint32_t* s = start.scalar;
  unsigned at = 0;
  const auto pointer = [&](const void* p) {
    const auto value = reinterpret_cast<std::uintptr_t>(p);
    s[at++] = static_cast<std::uint32_t>(value);
    s[at++] = static_cast<std::uint32_t>(value >> 32);
  };
  if (bit(d.properties, PrivateSegmentBuffer)) start.scratch_resource_at = at, at += 4;
  if (bit(d.properties, DispatchPtr)) pointer(launch.dispatch_packet);
  if (bit(d.properties, QueuePtr)) pointer(launch.queue);
  if (bit(d.properties, KernargSegmentPtr)) pointer(launch.kernarg);
  if (bit(d.properties, DispatchId)) at += 2;
  if (bit(d.properties, FlatScratchInit)) start.scratch_at = at, at += 2;
  if (bit(d.properties, PrivateSegmentSize)) s[at++] = launch.scratch_bytes;
  // Preloaded kernel arguments are loaded by the code's own prologue at the entry. Behind the
  // workgroup's place come its "info" and the wave's offset in scratch: 0, each wave has its own.
  at = bits(d.rsrc2, 5, 1);
  for (unsigned i = 0; i < 3; ++i)
    if (launch.gfx != isa::Gfx::Gfx12 && bit(d.rsrc2, 7 + i)) start.group_at[i] = at++;
  start.scalars = at + 2;
  return start;
}

void place_group(Workgroup& group) {
  const Launch& launch = *group.launch;
  Wave& wave = group.start;
  std::memcpy(wave.scalar, launch.start.scalar, sizeof wave.scalar);
  wave.mode = launch.start.mode;
  wave.csr_32 = launch.start.csr_32;
  wave.csr_64 = launch.start.csr_64;
  wave.resume = launch.entry;
  wave.group = &group;
  wave.lanes = launch.file.lanes;
  wave.full = wave.lanes == 64 ? ~0ull : 0xffffffffull;
  wave.register_bytes = wave.lanes * 4;
  wave.lds = group.lds;
  wave.lds_bytes = group.lds_bytes;
  wave.scratch_bytes = launch.scratch_bytes;
  wave.memory_epoch = &launch.memory->epoch_counter();
  wave.set_pair(reg::exec, wave.full);
  constexpr std::size_t begin = offsetof(Wave, counts), end = offsetof(Wave, temporary);
  for (Wave* each : group.waves)
    std::memcpy(each->bytes() + begin, wave.bytes() + begin, end - begin);
}

void start_waves(Workgroup& group, const std::uint32_t* size) {
  const Launch& launch = *group.launch;
  const WaveStart& start = launch.start;
  constexpr unsigned ttmp7 = 115, ttmp8 = 116, ttmp9 = 117;
  std::uint32_t* const s = group.start.scalar;
  const bool in_trap_registers = launch.gfx == isa::Gfx::Gfx12;
  if (in_trap_registers) {
    s[ttmp9] = group.id[0];
    s[ttmp7] = group.id[1] | group.id[2] << 16;
  }
  for (unsigned i = 0; i < 3; ++i)
    if (start.group_at[i] != WaveStart::none) s[start.group_at[i]] = group.id[i];
  group.start.whole_rows = size[0] % 16 == 0;
  const std::span waves(group.waves.data(), group.started);
  copy_waves(waves, group.start, start.scalars, launch.work_item_ids.data());

  const std::uint32_t items = size[0] * size[1] * size[2], lanes = launch.file.lanes;
  if (items % lanes) {
    waves.back()->set_pair(reg::exec, (1ull << items % lanes) - 1);
    waves.back()->whole_rows = false;
  }
  const bool is_cut_off =
      size[0] != launch.dispatch->block.x || size[1] != launch.dispatch->block.y;
  const bool uses_scratch =
      start.scratch_resource_at != WaveStart::none || start.scratch_at != WaveStart::none;
  if (launch.dispatch->clock)
    for (Wave* const wave : waves) wave->clock_reads = 0;
  if (!is_cut_off && !uses_scratch && !in_trap_registers) return;
  for (Wave* const wave : waves) {
    const std::uint32_t index = wave->index_in_group;
    if (is_cut_off) pack_work_item_ids({wave->vgpr(0), lanes}, index * lanes, size);
    if (start.scratch_resource_at != WaveStart::none)
      set_scratch_resource(wave->scalar + start.scratch_resource_at, *wave);
    if (start.scratch_at != WaveStart::none)
      std::memcpy(wave->scalar + start.scratch_at, &wave->scratch, sizeof wave->scratch);
    // LLVM: SITargetLowering::lowerWaveID
    if (in_trap_registers) wave->scalar[ttmp8] = index << 25;
  }
}

}  // namespace hipsight::engine
