#include "conditions/figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/quantity.h"

namespace hipsight::conditions {
namespace {

using Kernel = KernelReport;
using Value = std::optional<double>;

Value share(double part, double all) {
  if (all > 0) return part / all;
  return std::nullopt;
}

double both(const Traffic& traffic) {
  return traffic.read + traffic.written;
}

double issued(const Kernel& k, std::string_view pipe) {
  const auto at = std::ranges::find(k.counts.by_pipe, pipe, &Amount::of);
  return at == k.counts.by_pipe.end() ? 0 : at->value;
}

constexpr Figure table[]{
    {"launches", Kind::Count, Needs::Nothing, "launches",
     [](const Kernel& k) -> Value { return k.counts.launches; }},
    {"instructions", Kind::Count, Needs::Nothing, "wave-instructions of all launches",
     [](const Kernel& k) -> Value { return k.counts.instructions; }, Better::Less},
    {"vector_instructions", Kind::Count, Needs::Nothing, "of these, the vector ALU's",
     [](const Kernel& k) -> Value { return issued(k, "vector"); }, Better::Less},
    {"matrix_instructions", Kind::Count, Needs::Nothing, "of these, the matrix units'",
     [](const Kernel& k) -> Value { return issued(k, "matrix"); }},
    {"lds_instructions", Kind::Count, Needs::Nothing, "of these, the LDS's",
     [](const Kernel& k) -> Value { return issued(k, "LDS"); }, Better::Less},
    {"floating_operations", Kind::Count, Needs::Nothing,
     "vector and matrix operations of floating types, of all launches",
     [](const Kernel& k) -> Value { return k.counts.floating_operations; }},
    {"memory_bytes", Kind::Bytes, Needs::Nothing,
     "what lanes asked of global, flat and scratch memory, in all launches",
     [](const Kernel& k) -> Value {
       return both(k.counts.global) + both(k.counts.flat) + both(k.counts.scratch);
     },
     Better::Less},
    {"active_lanes", Kind::Share, Needs::Nothing,
     "of a wave's lanes, in the mean of its vector instructions",
     [](const Kernel& k) -> Value {
       return k.counts.active_lanes > 0 ? Value(k.counts.active_lanes) : std::nullopt;
     },
     Better::More},

    {"vgprs", Kind::Count, Needs::Nothing, "vector registers of a lane, AGPRs too",
     [](const Kernel& k) -> Value { return k.kernel.vgprs; }, Better::Less},
    {"agprs", Kind::Count, Needs::Nothing, "accumulation registers of a lane",
     [](const Kernel& k) -> Value { return k.kernel.agprs; }, Better::Less},
    {"sgprs", Kind::Count, Needs::Nothing, "scalar registers of a wave",
     [](const Kernel& k) -> Value { return k.kernel.sgprs; }, Better::Less},
    {"spills", Kind::Count, Needs::Nothing, "registers that the compiler spilled",
     [](const Kernel& k) -> Value { return k.kernel.vgpr_spills + k.kernel.sgpr_spills; },
     Better::Less},
    {"vgpr_spills", Kind::Count, Needs::Nothing, "vector registers of these",
     [](const Kernel& k) -> Value { return k.kernel.vgpr_spills; }, Better::Less},
    {"sgpr_spills", Kind::Count, Needs::Nothing, "scalar registers of these",
     [](const Kernel& k) -> Value { return k.kernel.sgpr_spills; }, Better::Less},
    {"scratch_bytes", Kind::Bytes, Needs::Nothing, "scratch memory of a work-item",
     [](const Kernel& k) -> Value { return k.kernel.scratch_bytes; }, Better::Less},
    {"lds_bytes", Kind::Bytes, Needs::Nothing, "LDS of a workgroup, dynamic LDS too",
     [](const Kernel& k) -> Value { return k.kernel.lds_bytes + k.dynamic_lds; }, Better::Less},
    {"code_bytes", Kind::Bytes, Needs::Nothing, "the kernel's code",
     [](const Kernel& k) -> Value { return double(k.kernel.code_bytes); }, Better::Less},

    {"occupancy", Kind::Share, Needs::Nothing, "waves of a SIMD, of the most that it holds",
     [](const Kernel& k) -> Value {
       return share(k.occupancy.waves_per_simd, k.occupancy.max_waves_per_simd);
     },
     Better::More},
    {"waves_per_simd", Kind::Count, Needs::Nothing, "waves that a SIMD holds at a time",
     [](const Kernel& k) -> Value { return k.occupancy.waves_per_simd; }, Better::More},

    {"bank_conflicts", Kind::Count, Needs::Profile,
     "cycles of the LDS lost to bank conflicts, in the first launch",
     [](const Kernel& k) -> Value { return k.profile->all.lds_conflict_cycles; }, Better::Less},
    {"bank_conflict_share", Kind::Share, Needs::Profile, "the same, of all its LDS cycles",
     [](const Kernel& k) -> Value {
       return share(k.profile->all.lds_conflict_cycles, k.profile->all.lds_cycles);
     },
     Better::Less},
    {"sector_use", Kind::Share, Needs::Profile,
     "bytes that lanes asked for, of the memory sectors that this touched, in the first launch",
     [](const Kernel& k) -> Value {
       const Value use =
           share(k.profile->all.bytes, k.profile->all.sectors * k.profile->sector_bytes);
       return use ? Value(std::min(1.0, *use)) : use;
     },
     Better::More},
    {"l1_hits", Kind::Share, Needs::Profile, "of the loads in L1, in the first launch",
     [](const Kernel& k) -> Value {
       return share(double(k.profile->all.caches.l1_hits), double(k.profile->all.caches.l1_loads));
     },
     Better::More},
    {"l2_hits", Kind::Share, Needs::Profile, "of the requests to L2, in the first launch",
     [](const Kernel& k) -> Value {
       return share(double(k.profile->all.caches.l2_hits),
                    double(k.profile->all.caches.l2_requests));
     },
     Better::More},

    {"seconds", Kind::Seconds, Needs::Prediction, "predicted, of all launches",
     [](const Kernel& k) -> Value { return k.verdict.seconds; }, Better::Less},
    {"seconds_per_launch", Kind::Seconds, Needs::Prediction, "predicted, in the mean",
     [](const Kernel& k) -> Value { return share(k.verdict.seconds, double(k.counts.launches)); },
     Better::Less},
    {"share", Kind::Share, Needs::Prediction, "of the predicted time of all kernels",
     [](const Kernel& k) -> Value { return k.verdict.share; }},
    {"gain", Kind::Share, Needs::Prediction, "of its time, that the first advice would save",
     [](const Kernel& k) -> Value {
       return k.verdict.advice.empty() ? 0 : k.verdict.advice.front().gain;
     }},
};

}  // namespace

std::span<const Figure> figures() {
  return table;
}

const Figure* figure(std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &Figure::name);
  return found == std::end(table) ? nullptr : found;
}

bool is_known(const Figure& figure, const KernelReport& kernel) {
  switch (figure.needs) {
    case Needs::Nothing:
      return true;
    case Needs::Profile:
      return kernel.profile.has_value();
    case Needs::Prediction:
      return kernel.prediction.has_value();
  }
  return false;
}

std::string text_of(Kind kind, double value) {
  switch (kind) {
    case Kind::Count:
      return fmt::format("{:.12g}", value);
    case Kind::Seconds:
      return duration(value);
    case Kind::Share:
      return fmt::format("{:.3g} %", 100 * value);
    case Kind::Bytes:
      return quantity(value, "B");
  }
  return "";
}

}  // namespace hipsight::conditions
