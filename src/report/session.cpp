#include "report/session.h"

#include <llvm/Demangle/Demangle.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <utility>

#include "report/kernel_report.h"
#include "support/error.h"

namespace hipsight::report {
namespace {

std::string_view text_of(engine::KernelError::Kind kind) {
  using Kind = engine::KernelError::Kind;
  switch (kind) {
    case Kind::UnknownInstruction:
      return "unknown instruction";
    case Kind::MemoryAccess:
      return "memory access";
    case Kind::Timeout:
      return "timeout";
    case Kind::Trap:
      return "trap";
    case Kind::InvalidLaunch:
      return "invalid launch";
    case Kind::Deadlock:
      return "deadlock";
  }
  return "error";
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

engine::Dim3 workgroups(const engine::Dispatch& dispatch) {
  const auto ceil = [](std::uint32_t a, std::uint32_t b) {
    return std::uint32_t((std::uint64_t{a} + b - 1) / std::max(b, 1u));
  };
  return {ceil(dispatch.grid.x, dispatch.block.x), ceil(dispatch.grid.y, dispatch.block.y),
          ceil(dispatch.grid.z, dispatch.block.z)};
}

bool same(const engine::Dim3& a, const engine::Dim3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

// AMDGPUUsage, compute_pgm_rsrc1: WGP_MODE of GFX10 and later.
constexpr std::uint32_t kWgpMode = 1u << 29;

KernelReport describe(const gpus::Gpu& gpu, const engine::Dispatch& dispatch) {
  const code::Kernel& kernel = *dispatch.kernel;
  KernelReport report;
  report.name = kernel.name;
  report.title = llvm::demangle(kernel.name);
  if (dispatch.module) report.target = dispatch.module->object().target().text();
  report.block = dispatch.block;
  report.grid = workgroups(dispatch);
  report.wavefront_size = kernel.wavefront_size;
  report.vgprs = kernel.vgprs;
  report.agprs = kernel.agprs;
  report.sgprs = kernel.sgprs;
  report.vgpr_spills = kernel.vgpr_spills;
  report.sgpr_spills = kernel.sgpr_spills;
  report.fixed_lds = kernel.lds_bytes;
  report.dynamic_lds = dispatch.dynamic_lds;
  report.scratch = kernel.scratch_bytes;

  timing::Resources need;
  need.vgprs = kernel.vgprs;
  need.sgprs = kernel.sgprs;
  need.lds_bytes = kernel.lds_bytes + dispatch.dynamic_lds;
  need.workgroup_size = std::uint32_t(dispatch.block.volume());
  need.wavefront_size = kernel.wavefront_size;
  need.wgp_mode = gpu.cus_per_wgp > 1 && (kernel.descriptor.rsrc1 & kWgpMode);
  report.occupancy = timing::occupancy(gpu, need);
  return report;
}

void write(const std::string& file, const std::string& content) {
  std::ofstream out(file, std::ios::binary);
  out << content;
  out.close();
  if (!out) std::fprintf(stderr, "hipsight: cannot write the report to '%s'\n", file.c_str());
}

}  // namespace

Output Output::from_environment() {
  Output output;
  const std::string text = hipsight::report::environment("HIPSIGHT_REPORT");
  if (text == "none" || text == "0") {
    output.text = Text::None;
  } else if (!text.empty() && text != "stderr" && text != "1") {
    output.text = Text::File;
    output.text_file = text;
  }
  output.json_file = hipsight::report::environment("HIPSIGHT_JSON");
  return output;
}

struct Session::Impl {
  Output output;
  mutable std::mutex mutex;
  RunReport run;
  bool finished = false;

  KernelReport& find(const engine::Dispatch& dispatch) {
    for (KernelReport& known : run.kernels) {
      if (known.name == dispatch.kernel->name && same(known.block, dispatch.block) &&
          known.dynamic_lds == dispatch.dynamic_lds &&
          known.fixed_lds == dispatch.kernel->lds_bytes && known.vgprs == dispatch.kernel->vgprs) {
        known.grids_differ = known.grids_differ || !same(known.grid, workgroups(dispatch));
        return known;
      }
    }
    return run.kernels.emplace_back(describe(run.gpu, dispatch));
  }

  RunReport judged() const {
    std::lock_guard lock(mutex);
    RunReport result = run;
    for (KernelReport& kernel : result.kernels) {
      const timing::Launches launches{&kernel.summary, kernel.occupancy, kernel.wavefront_size, {}};
      kernel.roofs = timing::roofs(result.gpu, launches);
      kernel.verdict = explain::verdict(result.gpu, launches, kernel.roofs);
    }
    return result;
  }
};

Session::Session(gpus::Gpu gpu, Output output) : impl_(std::make_unique<Impl>()) {
  impl_->run.gpu = std::move(gpu);
  impl_->output = std::move(output);
}

Session::~Session() = default;

void Session::add(const engine::Dispatch& dispatch, const engine::Result& result) {
  std::lock_guard lock(impl_->mutex);
  impl_->find(dispatch).summary.add(result);
}

void Session::add_error(std::string_view kernel, const engine::KernelError& error) {
  std::lock_guard lock(impl_->mutex);
  impl_->run.errors.push_back(
      {llvm::demangle(kernel), std::string(text_of(error.kind)), error.what()});
}

std::string Session::text() const {
  return to_text(impl_->judged());
}
std::string Session::json() const {
  return to_json(impl_->judged());
}

void Session::finish() noexcept {
  try {
    const Output& output = impl_->output;
    {
      std::lock_guard lock(impl_->mutex);
      if (std::exchange(impl_->finished, true)) return;
    }
    if (output.text == Output::Text::Stderr) {
      std::fflush(stdout);  // the program's output first, where both go to one place
      std::fputs(text().c_str(), stderr);
    }
    if (output.text == Output::Text::File) write(output.text_file, text());
    if (!output.json_file.empty()) write(output.json_file, json());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hipsight: no report: %s\n", error.what());
  }
}

}  // namespace hipsight::report
