#include "timing/validated.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "timing/roofs.h"

namespace hipsight::timing {
namespace {

struct Validated {
  std::string_view gpu, family;
  ModelError error;
};
// Of points that nothing was fitted on, where there are any. Fewer than ten points are left out.
constexpr auto validated = std::to_array<Validated>({
    {"mi210", "one wave", {2.5, 26.4, 25, false}},
    {"mi210", "small launch", {3.6, 10.4, 24, false}},
    {"mi210", "stream, L1", {46.2, 71.3, 12, false}},
    {"mi210", "stream, L2", {8.8, 38.4, 40, false}},
    {"mi210", "stream, memory", {1.1, 9.4, 21, false}},
    {"mi210", "strided", {81.4, 86.1, 43, false}},
    {"mi250x", "stream, memory", {4.5, 19.0, 22, false}},
    {"mi300a", "one wave", {2.2, 13.9, 25, false}},
    {"mi300a", "stream, L2", {5.4, 11.8, 24, true}},
    {"mi300a", "stream, MALL", {2.1, 13.6, 11, false}},
    {"mi300a", "stream, memory", {8.0, 15.3, 43, false}},
    {"mi300x", "GEMM, fp8", {3.7, 15.3, 45, false}},
    {"mi300x", "GEMM, i8", {11.4, 15.6, 21, false}},
    {"mi300x", "one wave", {2.3, 3.3, 25, true}},
    {"mi300x", "stream, L2", {3.6, 9.7, 25, false}},
    {"mi300x", "stream, MALL", {11.8, 54.5, 54, false}},
    {"mi300x", "stream, memory", {8.1, 22.5, 55, false}},
    {"mi308x", "GEMM, bf16", {13.2, 21.0, 12, false}},
    {"mi308x", "GEMM, fp8", {2.3, 7.5, 320, false}},
    {"mi308x", "GEMM, i8", {4.0, 7.5, 27, true}},
    {"mi355x", "GEMM, bf16", {5.4, 12.1, 300, false}},
});

/// A GEMM may apply a function to what it has summed up; attention takes one transcendental
/// instruction for four to eight matrix ones.
constexpr double few = 0.05;

/// Whether neighbouring lanes access neighbouring places, in the main: there are at most so many
/// times the lines that the bytes fill.
constexpr double apart = 1.5;
bool is_strided(const gpus::Gpu& gpu, const profile::LaunchTrace& trace, unsigned lanes) {
  double lines = 0, filled = 0;
  for (const profile::GroupTrace& group : trace.neighbours())
    for (const profile::WaveTrace& wave : group.waves)
      for (const profile::Request& request : wave.requests) {
        if (!request.in_vector_memory() || request.count == 0) continue;
        const isa::Work work = isa::work_of(*request.instruction);
        const double bytes =
            double(lanes) * (request.stores ? work.bytes_written : work.bytes_read);
        const double line = profile::request_bytes(gpu, request.stores);
        lines += request.count;
        filled += std::max(1.0, bytes / line);
      }
  return lines > apart * filled;
}

std::string_view gemm_of(isa::Number number) {
  constexpr auto families = std::to_array<std::string_view>(
      {"GEMM, f64", "GEMM, f32", "GEMM, xf32", "GEMM, f16", "GEMM, bf16", "GEMM, fp8", "GEMM, fp6",
       "GEMM, fp4", "GEMM, i8", "GEMM, i4"});
  for (const std::string_view family : families)
    if (family.substr(6) == rate_name(number)) return family;
  return "";
}

std::string_view stream_of(const Prediction& prediction) {
  constexpr auto families = std::to_array<std::string_view>(
      {"stream, L1", "stream, L2", "stream, MALL", "stream, memory"});
  for (const Prediction::Unit& unit : prediction.units)  // busiest first
    for (const std::string_view family : families)
      if (unit.busy > 0 && family.substr(8) == unit.name) return family;
  return "";
}

}  // namespace

std::string_view family_of(const gpus::Gpu& gpu, const profile::LaunchTrace& trace,
                           const engine::Result& result, std::uint32_t wavefront_size,
                           const Prediction& prediction) {
  if (prediction.launch_seconds > prediction.seconds / 2) return "small launch";
  // Of the workgroups that were observed; recordings have no others' counts.
  std::vector<double> turns(result.regions.size());
  for (const profile::GroupTrace& group : trace.neighbours())
    for (const profile::WaveTrace& wave : group.waves)
      for (const std::uint32_t region : wave.path) ++turns.at(region);
  std::array<double, 16> matrix{};  // executions, by type
  double transcendental = 0, lds = 0, memory = 0;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (turns[i] == 0) continue;
    for (const isa::Instruction& in : std::span(result.regions[i].first, result.regions[i].count)) {
      const isa::Work work = isa::work_of(in);
      switch (work.pipe) {
        case isa::Pipe::Matrix:
          matrix.at(static_cast<std::size_t>(work.number)) += turns[i];
          break;
        case isa::Pipe::Transcendental:
          transcendental += turns[i];
          break;
        case isa::Pipe::Lds:
          lds += turns[i];
          break;
        case isa::Pipe::Global:
        case isa::Pipe::Flat:
          memory += turns[i];
          break;
        default:
          break;
      }
    }
  }
  if (const auto most = std::ranges::max_element(matrix); *most > 0)
    return transcendental > few * *most ? ""
                                        : gemm_of(static_cast<isa::Number>(most - matrix.begin()));
  if (lds > 0 || memory == 0) return "";
  const auto& groups = trace.neighbours();
  if (result.workgroups == 1 && !groups.empty() && groups.front().waves.size() == 1)
    return "one wave";
  return is_strided(gpu, trace, wavefront_size) ? "strided" : stream_of(prediction);
}

const ModelError* error_of(std::string_view gpu, std::string_view family) {
  const auto found = std::ranges::find_if(
      validated, [&](const Validated& v) { return v.gpu == gpu && v.family == family; });
  return found == validated.end() ? nullptr : &found->error;
}

}  // namespace hipsight::timing
