#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "validation/csv.h"
#include "validation/profile_run.h"
#include "validation/validation.h"

namespace hipsight::bench {
namespace {

/// The instruction rows whose text begins like that, summed.
double sum(const KernelReport& kernel, const char* text,
           const std::function<double(const ProfileRow&)>& figure) {
  double total = 0;
  for (const ProfileRow& row : kernel.profile.value().instructions)
    if (row.at.instruction.starts_with(text)) total += figure(row);
  return total;
}
double executions(const ProfileRow& row) {
  return double(row.executions);
}
double lanes(const ProfileRow& row) {
  return executions(row) * 64 * row.active_lanes;
}
double of_pipe(const KernelReport& kernel, const char* pipe) {
  double total = 0;
  for (const Amount& amount : kernel.counts.by_pipe)
    if (amount.of == pipe) total += amount.value;
  return total;
}

/// A copy of doubles, as the workload of rocprofiler-compute has it.
KernelReport vcopy_on(const std::string& gpu) {
  constexpr int n = 1 << 20, block = 256;
  const Kernels vcopy(gpu, "vcopy.hipfb");
  const Buffer a = vcopy.array<double>(n), b = vcopy.array<double>(n), c = vcopy.array<double>(n);
  return vcopy.launch(
      "vec_copy", {.grid = {n / block}, .block = {block}, .profile = usual_sample, .predict = true},
      a, b, c, n);
}

}  // namespace

std::vector<double> vcopy_errors() {
  const Table table = read_table("vcopy.csv");
  std::vector<double> errors;
  fmt::print("{:10} {:24} {:>10} {:>10} {:>8}\n", "vcopy", "counter", "measured", "profiled",
             "error");
  for (const auto& row : table.rows) {
    const KernelReport kernel = vcopy_on(row[0]);
    const Profile& profile = kernel.profile.value();
    // What went beyond the L1 of the neighbours, for all workgroups.
    const double scale = double(profile.workgroups) / double(profile.neighbours);
    const auto requests = [&](const ProfileRow& instruction) {
      return scale * double(instruction.caches.l2_requests);
    };
    const std::map<std::string, double> profiled{
        {"SQ_WAVES", double(kernel.counts.waves)},
        {"SQ_INSTS", double(kernel.counts.instructions)},
        {"SQ_INSTS_VALU", of_pipe(kernel, "vector")},
        {"SQ_INSTS_VMEM_RD", sum(kernel, "global_load", executions)},
        {"SQ_INSTS_VMEM_WR", sum(kernel, "global_store", executions)},
        {"SQ_INSTS_SMEM", of_pipe(kernel, "scalar memory")},
        {"SQ_INSTS_SALU", of_pipe(kernel, "scalar")},
        {"SQ_INSTS_BRANCH", sum(kernel, "s_cbranch", executions)},
        {"TCP_TOTAL_READ_sum", sum(kernel, "global_load", lanes)},
        {"TCP_TOTAL_WRITE_sum", sum(kernel, "global_store", lanes)},
        {"TCP_TCC_READ_REQ_sum", sum(kernel, "global_load", requests)},
        {"TCP_TCC_WRITE_REQ_sum", sum(kernel, "global_store", requests)}};
    for (std::size_t i = 1; i < table.head.size(); ++i) {
      if (row[i].empty()) continue;
      const double measured = std::stod(row[i]), ours = profiled.at(table.head[i]);
      errors.push_back(100 * std::fabs(ours / measured - 1));
      fmt::print("{:10} {:24} {:10.0f} {:10.0f} {:6.1f} %\n", row[0], table.head[i], measured, ours,
                 errors.back());
    }
  }
  return errors;
}

}  // namespace hipsight::bench
