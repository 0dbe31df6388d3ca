#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "gpus/gpu.h"

namespace hipsight::report {

/// Exit codes that hipsight gives to a program that itself would have returned 0
/// (docs/exit-codes.md).
constexpr int kExitKernelError = 86;
constexpr int kExitTimeout = 124;

/// Where the report of a run goes.
struct Output {
  enum class Text { None, Stderr, File };
  Text text = Text::Stderr;
  std::string text_file;
  std::string json_file;  ///< empty: no JSON
  bool change_exit_code = false;

  /// HIPSIGHT_REPORT ("none", "stderr" or a file; unset is "stderr"), HIPSIGHT_JSON (a file) and
  /// HIPSIGHT_EXIT_CODE ("1": see finish). `hipsight run` sets them.
  static Output from_environment();
};

/// Collects what a process's kernels did and reports it at exit. Safe to use from several threads.
///
/// The runtime makes one per process, tells it of every launch, and calls finish from an on_exit
/// handler, which knows the program's status:
///
///     on_exit([](int status, void*) {
///       const int code = session().finish(status);
///       if (code != status) { fflush(nullptr); _exit(code); }
///     }, nullptr);
class Session {
 public:
  explicit Session(gpus::Gpu gpu, Output output = Output::from_environment());
  ~Session();

  /// One launch that ran to its end. Copies what it needs.
  void add(const engine::Dispatch& dispatch, const engine::Result& result);

  /// A launch that failed: printed to stderr at once, and kept for the report.
  void add_error(std::string_view kernel, const engine::KernelError& error);

  /// Writes the report, the first time it is called. Never throws: what cannot be written is said
  /// on stderr. Returns the status to exit with: `program_status`, or, when that is 0 and
  /// HIPSIGHT_EXIT_CODE asked for it, kExitTimeout or kExitKernelError after such an error.
  int finish(int program_status) noexcept;

  /// The report so far, as finish would write it.
  std::string text() const;
  std::string json() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hipsight::report
