#include "capture/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "cli/commands.h"
#include "code/readable_name.h"
#include "gpus/gpu.h"
#include "report/reporter.h"
#include "support/error.h"
#include "support/files.h"
#include "support/output_file.h"
#include "support/printable.h"

namespace hipsight::cli {
namespace {

// The GPU that the capture names. A name and never a file, whoever the capture comes from.
gpus::Gpu gpu_of(const capture::Capture& capture) {
  const std::string& name = capture.header.gpu;
  const bool path = name.find('/') != name.npos || name.ends_with(".toml");
  if (path || std::ranges::count(gpus::all(), name, &gpus::Gpu::name) == 0)
    fail("{}: captured on the GPU '{}', which is not known here; --gpu takes another, or its file",
         capture.origin, printable(name));
  return gpus::find(name);
}

void dump(const std::string& path, const capture::Header& header,
          const std::vector<std::string>& digests) {
  std::string text = fmt::format("{}  all of it\n", capture::digest(digests));
  for (std::size_t i = 0; i < digests.size(); ++i) {
    const auto& allocation = header.allocations[i];
    text += fmt::format("{}  {:#x} {:>12} B  {}\n", digests[i], allocation.begin, allocation.size,
                        printable(allocation.label));
  }
  if (path == "-") {
    std::fputs(text.c_str(), stdout);
    return;
  }
  write_output(path, text);
}

// Says whether memory is as it was after the captured launch.
int compare(const capture::Capture& capture, const std::vector<std::string>& digests) {
  const std::vector<std::string>& before = capture.outcome.digests;
  if (!capture.outcome.error.empty()) {
    std::fprintf(stderr, "hipsight: the captured launch failed, this one did not\n");
    return kDiffers;
  }
  if (digests == before) {
    fmt::print(stderr, "hipsight: memory is as after the captured launch: {}\n",
               capture::digest(digests));
    return 0;
  }
  fmt::print(stderr, "hipsight: memory is not as after the captured launch: {}, there {}\n",
             capture::digest(digests), capture::digest(before));
  for (std::size_t i = 0; i < digests.size(); ++i)
    if (i >= before.size() || digests[i] != before[i])
      fmt::print(stderr, "  {} differs\n", printable(capture.header.allocations[i].label));
  return kDiffers;
}

}  // namespace

int replay(const ReplayOptions& options) {
  const Config& config = options.options.config;
  if (!options.dump_file.empty() && options.dump_file != "-") prepare_output(options.dump_file);
  const std::vector<std::byte> file = read_bytes(options.file);
  const auto capture = capture::Capture::read(file, options.file);
  const gpus::Gpu gpu = options.options.is_from_command_line(config::row("gpu"))
                            ? gpus::find(config.gpu, config.xnack)
                            : gpu_of(capture);
  engine::Options engine_options = engine::Options::of(config);
  engine_options.matrix =
      capture.header.exact_matrix ? engine::MatrixMode::Exact : engine::MatrixMode::Fast;
  capture::Replay replay(capture, gpu, engine_options, [](const std::string& text) {
    fmt::print(stderr, "hipsight: {}\n", printable(text, true));
  });
  fmt::print(stderr, "hipsight: launch {} of a program, on {}: {}\n", capture.header.launch,
             gpu.title, printable(code::readable_name(capture.header.kernel)));

  report::Reporter session(gpu, report::Output::of(config), {}, report::ProgressOutput::of(config));
  std::optional<report::Reporter::Launch> launch(std::in_place, session, replay.dispatch());
  int code = 0;
  try {
    launch->add(replay.run());
  } catch (const engine::KernelError& error) {
    fmt::print(stderr, "hipsight: {}\n", printable(error.what(), true));
    launch->add(error);
    code = error.kind == engine::KernelError::Kind::Timeout ? kTimeout : kKernelError;
    if (error.what() == capture.outcome.error)
      std::fprintf(stderr, "hipsight: the captured launch failed in the same way\n");
  }
  launch.reset();  // it is over, and no longer under way
  session.finish();
  const std::vector<std::string> digests = replay.digests();
  if (!options.dump_file.empty()) dump(options.dump_file, capture.header, digests);
  if (code == 0) code = compare(capture, digests);
  if (code == 0 && session.condition_holds()) code = kFinding;
  return code == 0 && !session.complete() ? kUsageError : code;
}

}  // namespace hipsight::cli
