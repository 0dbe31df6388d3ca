#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/fit.h"
#include "calibrate/measured.h"
#include "calibrate/result.h"
#include "cli/commands.h"
#include "gpus/gpu.h"
#include "support/error.h"
#include "support/files.h"
#include "support/output_file.h"
#include "support/printable.h"
#include "timing/recording.h"

namespace hipsight::cli {
namespace {

namespace fs = std::filesystem;
using calibrate::Measured;

/// The last launch of a program on the GPU, as a recording. @throws Exception when it fails.
std::string recorded(const CalibrateOptions& options, const Measured& point) {
  const auto words = calibrate::words_of(point.command);
  if (words.size() == 1 && words[0].ends_with(".recording"))
    return read_file(options.folder / words[0]);
  const TemporaryFolder scratch;
  const fs::path file = scratch / "recording";
  RunOptions run;
  run.options = options.options;
  run.program = words;
  run.folder = options.folder;
  const auto set = [&](const char* name, const std::string& text) {
    run.options.from_command_line(config::row(name), text);
  };
  set("predict", "1");
  set("sampled-only", "1");
  set("record", file);
  const auto came = run_for_report(run, options.options.config.gpu, scratch / "");
  if (!came) fail("interrupted");
  // A program that checks its results finds them missing.
  if (!fs::exists(file))
    fail("{}: {}", printable(point.command),
         came->problem.empty() ? "no kernel ran" : printable(came->problem, true));
  return read_file(file);
}

}  // namespace

int calibrate(const CalibrateOptions& options) {
  if (!options.out.empty()) prepare_output(options.out);
  const gpus::Gpu gpu = gpus::find(options.options.config.gpu);
  // Recordings and files that build on it name it.
  if (std::ranges::count(gpus::all(), gpu.name, &gpus::Gpu::name) == 0)
    fail("{}: give the GPU by its name; for a file of yours, --gpu-path names its folder",
         printable(options.options.config.gpu));
  const std::vector<Measured> points = calibrate::read_times(read_text(options.file), options.file);
  const std::vector<std::string> keys =
      options.keys.empty() ? calibrate::usual_keys(gpu) : options.keys;
  std::vector<std::unique_ptr<timing::Recording>> recordings;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (isatty(STDERR_FILENO))
      fmt::print(stderr, "hipsight: {} of {}: {}\n", i + 1, points.size(),
                 printable(points[i].command));
    recordings.push_back(timing::read(recorded(options, points[i])));
  }
  const auto predict = [&](const gpus::Gpu& on, std::size_t point) {
    const timing::Recording& one = *recordings[point];
    return timing::predict(on, one.trace, one.result, one.occupancy, one.wavefront_size,
                           {.more_waves = false, .instructions = 1'000'000})
        .seconds;
  };
  const auto found = calibrate::calibrate(gpu, keys, points, predict);
  std::fputs(calibrate::to_text(points, found, gpu.title).c_str(), stdout);
  if (!calibrate::is_better(points, found)) {
    fmt::print("\nThe fitted constants are no nearer{}: {}.\n",
               found.held_out.empty() ? "" : " to kernels that they were not fitted to",
               options.out.empty() ? "keep those of the GPU" : "no file is written");
    return kDiffers;
  }
  if (options.out.empty()) return 0;
  const auto errors =
      calibrate::errors_of(points, found.held_out.empty() ? found.after : found.held_out);
  write_output(options.out,
               calibrate::to_toml(
                   found, gpu, fs::path(options.out).stem().string(),
                   fmt::format("hipsight calibrate, {} kernels of {}: median error {:.1f} %{}",
                               points.size(), fs::path(options.file).filename().string(),
                               errors.median, found.held_out.empty() ? "" : ", held out")));
  fmt::print("\nWritten to {0}: hipsight predict --gpu {0} -- ./program\n", printable(options.out));
  return 0;
}

}  // namespace hipsight::cli
