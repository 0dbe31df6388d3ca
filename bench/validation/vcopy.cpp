#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "validation/profile_run.h"
#include "validation/validation.h"

namespace hipsight::bench {
namespace {

using Json = nlohmann::json;

/// The instruction rows whose text begins like that, summed.
double sum(const Json& kernel, const char* text, const std::function<double(const Json&)>& figure) {
  double total = 0;
  for (const Json& row : kernel.at("profile").at("instructions"))
    if (row.at("text").get<std::string>().starts_with(text)) total += figure(row);
  return total;
}
double executions(const Json& row) {
  return row.at("executions").get<double>();
}
double lanes(const Json& row) {
  return executions(row) * 64 * row.at("active_lanes").get<double>();
}

}  // namespace

std::vector<double> vcopy_errors() {
  const Table table = read_table("vcopy.csv");
  std::vector<double> errors;
  fmt::print("{:10} {:24} {:>10} {:>10} {:>8}\n", "vcopy", "counter", "measured", "profiled",
             "error");
  for (const auto& row : table.rows) {
    const Json report = profile(row[0], "vcopy");
    const Json& kernel = report.at("kernels").at(0);
    const Json& counts = kernel.at("instructions");
    // What went beyond the L1 of the neighbours, for all workgroups.
    const double scale = kernel.at("profile").at("workgroups").get<double>() /
                         kernel.at("profile").at("neighbours").get<double>();
    const auto requests = [&](const Json& instruction) {
      return scale * instruction.at("caches").at("l2_requests").get<double>();
    };
    const std::map<std::string, double> profiled{
        {"SQ_WAVES", kernel.at("waves").get<double>()},
        {"SQ_INSTS", counts.at("all").get<double>()},
        {"SQ_INSTS_VALU", counts.at("vector").get<double>()},
        {"SQ_INSTS_VMEM_RD", sum(kernel, "global_load", executions)},
        {"SQ_INSTS_VMEM_WR", sum(kernel, "global_store", executions)},
        {"SQ_INSTS_SMEM", counts.at("scalar_memory").get<double>()},
        {"SQ_INSTS_SALU", counts.at("scalar").get<double>()},
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
