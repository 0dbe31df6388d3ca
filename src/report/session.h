#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "gpus/gpu.h"

namespace hipsight::report {

/// Where the report of a run goes.
struct Output {
  enum class Text { None, Stderr, File };
  Text text = Text::Stderr;
  std::string text_file;
  std::string json_file;  ///< empty: no JSON

  /// HIPSIGHT_REPORT ("none", "stderr" or a file; unset is "stderr") and HIPSIGHT_JSON (a file).
  /// `hipsight run` sets them.
  static Output from_environment();
};

/// Collects what a process's kernels did and reports it at exit. Safe to use from several threads.
///
/// The runtime makes one per process, tells it of every launch, and calls finish at exit.
class Session {
 public:
  explicit Session(gpus::Gpu gpu, Output output = Output::from_environment());
  ~Session();

  /// One launch that ran to its end. Copies what it needs.
  void add(const engine::Dispatch& dispatch, const engine::Result& result);

  /// A launch that failed. The caller prints the message when it happens; the report lists it.
  void add_error(std::string_view kernel, const engine::KernelError& error);

  /// Writes the report, the first time it is called. What cannot be written is said on stderr.
  void finish() noexcept;

  /// The report so far, as finish would write it.
  std::string text() const;
  std::string json() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hipsight::report
