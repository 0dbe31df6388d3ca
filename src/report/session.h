#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "gpus/gpu.h"
#include "profile/trace.h"
#include "report/wave_trace.h"
#include "timing/predict.h"

namespace hipsight::report {

/// Where the report of a run goes.
struct Output {
  enum class Text { None, Stderr, File };
  Text text = Text::Stderr;
  std::string text_file;
  std::string json_file;  ///< empty: no JSON
  bool fidelity = false;  ///< it says how exact each kernel's instructions were
  unsigned profile = 0;   ///< workgroups to observe of each kernel's first launch; 0: no profile
  timing::Assumptions assumptions = {};  ///< of predictions
  std::string recording_file;  ///< where the last profiled launch goes (timing/recording.h)
  bool sampled_only = false;   ///< and no other workgroups run
  bool tables = true;          ///< of the profile: else only the prediction that is made from it
  std::optional<TraceOptions> trace = {};  ///< of the first launch

  /// HIPSIGHT_REPORT ("none", "stderr" or a file; unset is "stderr"), HIPSIGHT_JSON (a file),
  /// HIPSIGHT_FIDELITY (1), HIPSIGHT_PROFILE (a number), HIPSIGHT_PREDICT and HIPSIGHT_SAMPLED_ONLY
  /// (1), HIPSIGHT_CACHES, HIPSIGHT_SIMULATE (a number), HIPSIGHT_TRACE (TraceOptions) and
  /// HIPSIGHT_TRACE_FILE. `hipsight run` and `hipsight profile` set them. @throws Exception when
  /// one makes no sense.
  static Output from_environment();
};

/// Which launches a report tells of: the number `launch`, from 1, of those whose demangled kernel
/// name matches `kernel`; 0 and "": all of them.
struct Selection {
  std::string kernel;  ///< regular expression (support/pattern.h), found anywhere in the name
  std::uint64_t launch = 0;

  bool everything() const { return kernel.empty() && launch == 0; }
  /// HIPSIGHT_KERNEL and HIPSIGHT_LAUNCH. @throws Exception when one makes no sense.
  static Selection from_environment();
};

/// What a long run is at, on stderr.
struct ProgressOutput {
  double seconds = 0;     ///< from one line to the next; 0: none
  bool rewritten = true;  ///< as on a terminal: one line, which changes

  /// HIPSIGHT_PROGRESS, in seconds; unset: every 5 s if stderr is a terminal.
  static ProgressOutput from_environment();
};

/// Collects what a process's kernels did and reports it at exit. Safe to use from several threads.
///
/// The runtime makes one per process, tells it of every launch, and calls finish at exit.
class Session {
 public:
  explicit Session(gpus::Gpu gpu, Output output = Output::from_environment(),
                   Selection selection = Selection::from_environment(),
                   ProgressOutput progress = ProgressOutput::from_environment());
  ~Session();

  /// A launch under way: from its start until this goes out of scope.
  class Launch {
   public:
    /// Makes the engine tell `dispatch`, which must outlive this, of its progress.
    Launch(Session& session, engine::Dispatch& dispatch);
    ~Launch();
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;

    bool selected() const { return selected_; }
    std::uint64_t number() const { return number_; }  ///< among all launches, from 1
    /// It ran to its end. Copies what it needs. What goes wrong here is told, and is no matter of
    /// the program's.
    void add(engine::Result result) noexcept;
    /// It failed. The caller prints the message when it happens; the report lists it.
    void add(const engine::KernelError& error) noexcept;

   private:
    friend class Session;
    void add_to_report(engine::Result& result);
    Session& session_;
    const engine::Dispatch& dispatch_;
    std::atomic<std::uint64_t> finished_{0};
    std::uint64_t number_ = 0;
    bool selected_ = false;
    std::optional<profile::LaunchTrace> trace_;
    std::optional<WaveTrace> wave_trace_;
  };

  /// Writes the report; again, if launches came since. `how` the process ends, if that is not by
  /// exit. What cannot be written is said on stderr.
  void finish(const std::string& how = "") noexcept;
  /// After finish: whether all that was asked for came: the files, and launches that were selected,
  /// to be traced or to be profiled.
  bool complete() const noexcept;

  /// Which launches are selected, of how many so far.
  std::string selection() const;
  /// The report so far, as finish would write it.
  std::string text() const;
  std::string json() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hipsight::report
