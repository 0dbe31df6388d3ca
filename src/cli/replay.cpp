#include "capture/replay.h"

#include <fmt/format.h>
#include <llvm/Demangle/Demangle.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

#include "cli/commands.h"
#include "gpus/gpu.h"
#include "report/session.h"
#include "support/error.h"
#include "support/files.h"

namespace hipsight::cli {
namespace {

report::Output output_of(const ReplayOptions& options) {
  report::Output output;
  if (options.no_report) output.text = report::Output::Text::None;
  if (!options.report_file.empty()) output.text = report::Output::Text::File;
  output.text_file = options.report_file;
  output.json_file = options.json_file;
  output.profile = options.profile;
  return output;
}

void dump(const std::string& path, const capture::Header& header,
          const std::vector<std::string>& digests) {
  std::string text = fmt::format("{}  all of it\n", capture::digest(digests));
  for (std::size_t i = 0; i < digests.size(); ++i) {
    const auto& allocation = header.allocations[i];
    text += fmt::format("{}  {:#x} {:>12} B  {}\n", digests[i], allocation.begin, allocation.size,
                        allocation.label);
  }
  if (path == "-") {
    std::fputs(text.c_str(), stdout);
    return;
  }
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) fail("cannot write '{}'", path);
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
      fmt::print(stderr, "  {} differs\n", capture.header.allocations[i].label);
  return kDiffers;
}

}  // namespace

int replay(const ReplayOptions& options) {
  const std::vector<std::byte> file = read_bytes(options.file);
  const auto capture = capture::Capture::read(file, options.file);
  const gpus::Gpu gpu = gpus::find(options.gpu.empty() ? capture.header.gpu : options.gpu);
  engine::Options engine_options;
  engine_options.matrix =
      capture.header.exact_matrix ? engine::MatrixMode::Exact : engine::MatrixMode::Fast;
  if (options.timeout_seconds)
    engine_options.timeout =
        std::chrono::milliseconds(std::llround(std::ceil(*options.timeout_seconds * 1000)));
  capture::Replay replay(capture, gpu, engine_options, [](const std::string& text) {
    fmt::print(stderr, "hipsight: {}\n", text);
  });
  fmt::print(stderr, "hipsight: launch {} of a program, on {}: {}\n", capture.header.launch,
             gpu.title, llvm::demangle(capture.header.kernel));

  report::Session session(gpu, output_of(options), {});
  report::Session::Launch launch(session, replay.dispatch());
  int code = 0;
  try {
    launch.add(replay.run());
  } catch (const engine::KernelError& error) {
    fmt::print(stderr, "hipsight: {}\n", error.what());
    launch.add(error);
    code = error.kind == engine::KernelError::Kind::Timeout ? kTimeout : kKernelError;
    if (error.what() == capture.outcome.error)
      std::fprintf(stderr, "hipsight: the captured launch failed in the same way\n");
  }
  session.finish();
  const std::vector<std::string> digests = replay.digests();
  if (!options.dump_file.empty()) dump(options.dump_file, capture.header, digests);
  return code ? code : compare(capture, digests);
}

}  // namespace hipsight::cli
