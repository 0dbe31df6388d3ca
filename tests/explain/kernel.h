#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "explain/advice.h"
#include "profile/simulate.h"

namespace hipsight::explain {

using engine::Access;
using Space = Access::Space;

/// Workgroups of waves of 64 that each go round in a loop of one instruction, a wait for it and a
/// use of it.
struct Kernel {
  const char* instruction = "GLOBAL_LOAD_DWORD";
  std::optional<Space> space = Space::Global;  ///< that it accesses
  std::uint64_t workgroups = 304 * 8;
  unsigned turns = 32;
  unsigned vgprs = 32, lds = 0, spilled = 0, waves = 1;
  /// Where a lane's dword is in a turn of a wave, of all that there are.
  std::function<std::uint64_t(std::uint64_t wave, unsigned turn, unsigned lane)> at =
      [](std::uint64_t wave, unsigned turn, unsigned lane) {
        return (wave * 1024 + turn) * 256 + lane * 4;
      };
};

/// A launch of it, as if it had been observed on a GPU.
class Observed {
 public:
  explicit Observed(const Kernel& kernel, const gpus::Gpu& on = gpus::find("mi300x")) : gpu_(on) {
    code_[0].row = &isa::row_of(kernel.instruction);
    code_[0].format = !kernel.space                    ? isa::Format::Mai
                      : kernel.space == Space::Lds     ? isa::Format::Ds
                      : kernel.space == Space::Scratch ? isa::Format::Scratch
                                                       : isa::Format::Global;
    code_[1].row = &isa::row_of("S_WAITCNT");
    code_[1].format = isa::Format::Sopp;
    code_[1].imm = {isa::Field::Counters, 0x0070};  // vmcnt(0), lgkmcnt(0)
    // What was brought is used.
    code_[2].row = &isa::row_of("V_MOV_B32");
    code_[2].format = isa::Format::Vop1;
    for (std::size_t i = 0; i < 3; ++i) {
      code_[i].gfx = isa::Gfx::Gfx942;
      code_[i].address = i * 4;
    }
    if (kernel.space) {
      code_[0].dst = {isa::Where::Vgpr, 1};
      code_[2].src[0] = code_[0].dst;
      code_[2].dst = {isa::Where::Vgpr, 2};
    }
    result_.regions = {{code_, 3}};
    result_.workgroups = kernel.workgroups;
    result_.waves = kernel.workgroups * kernel.waves;
    for (const isa::Instruction& in : code_)
      result_.counts.push_back({&in, kernel.turns * result_.waves, 0});

    const timing::Resources resources{.vgprs = kernel.vgprs,
                                      .sgprs = 16,
                                      .lds_bytes = kernel.lds,
                                      .workgroup_size = 64 * kernel.waves};
    const timing::Occupancy occupancy = timing::occupancy(gpu_, resources);
    trace_ = std::make_unique<profile::LaunchTrace>(
        gpu_, kernel.workgroups, 8, std::uint64_t{occupancy.workgroups} * gpu_.compute_units);
    for (std::uint64_t group = 0; group < kernel.workgroups; ++group) {
      auto* const observer = trace_->begins(group);
      for (unsigned turn = 0; observer && turn < kernel.turns; ++turn)
        for (unsigned wave = 0; wave < kernel.waves; ++wave) {
          observer->enters(wave, 0, ~0ull);
          if (!kernel.space) continue;
          std::uint64_t at[64];
          for (unsigned lane = 0; lane < 64; ++lane)
            at[lane] = kernel.at(group * kernel.waves + wave, turn, lane);
          observer->accesses(wave, code_[0], {*kernel.space, 4, 64, ~0ull, at});
        }
    }
    profile::simulate(gpu_, *trace_);
    launch = {.gpu = &gpu_,
              .trace = trace_.get(),
              .result = &result_,
              .resources = resources,
              .occupancy = occupancy};
  }
  Observed(const Observed&) = delete;

  Launch launch;

 private:
  const gpus::Gpu gpu_;
  isa::Instruction code_[3];
  engine::Result result_;
  std::unique_ptr<profile::LaunchTrace> trace_;
};

}  // namespace hipsight::explain
