#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "gpus/gpu.h"
#include "hipsight/values.h"
#include "report/render.h"
#include "report/wave_trace.h"
#include "session/session.h"

namespace hipsight {
struct Config;
}

namespace hipsight::report {

/// Where the report of a run goes.
struct Output {
  enum class Text { None, Stderr, File };
  Text text = Text::Stderr;
  std::string text_file;
  std::string json_file;      ///< empty: no JSON
  std::string html_file;      ///< empty: no page
  std::string csv_file;       ///< what-ifs; empty: none
  std::string svg_file;       ///< likewise, drawn
  std::string timeline_file;  ///< as a trace; empty: none
  std::string sarif_file;     ///< what checks found; empty: none
  std::string values_file;    ///< hipsight/report_file.h; empty: none
  std::string fail_if = {};   ///< a condition on kernels; empty: none
  session::Wishes wishes = {};
  std::string recording_file;  ///< where the last profiled launch goes (timing/recording.h)
  Details details = {};        ///< of the text
  std::optional<TraceOptions> trace = {};  ///< of the first launch

  /// As options say. @throws Exception when they ask for what cannot be together.
  static Output of(const Config& config);
};

Selection selection_of(const Config& config);

/// What a long run is at, on stderr.
struct ProgressOutput {
  double seconds = 0;     ///< from one line to the next; 0: none
  bool rewritten = true;  ///< as on a terminal: one line, which changes

  /// As options say, or else every 5 s if stderr is a terminal.
  static ProgressOutput of(const Config& config);
};

/// Tells, at exit, what a process's kernels did. Safe to use from several threads.
///
/// The runtime makes one per process, tells it of every launch, and calls finish at exit.
class Reporter {
 public:
  /// `memory`: what launches' arguments point to (session::Session).
  explicit Reporter(gpus::Gpu gpu, Output output = {}, Selection selection = {},
                    ProgressOutput progress = {}, engine::Memory* memory = nullptr);
  ~Reporter();

  /// A launch under way: from its start until this goes out of scope.
  class Launch {
   public:
    /// Makes the engine tell `dispatch`, which must outlive this, of its progress.
    Launch(Reporter& reporter, engine::Dispatch& dispatch, session::Range range = {});
    ~Launch();
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;

    bool selected() const { return launch_.selected(); }
    std::uint64_t number() const { return launch_.number(); }  ///< among all launches, from 1
    /// Before it runs: see Session.
    void rehearse(engine::Engine& engine, const engine::Dispatch& dispatch) {
      launch_.rehearse(engine, dispatch);
    }
    /// See Session.
    const engine::Result* repeated() const { return launch_.repeated(); }
    /// It ran to its end. Copies what it needs. What goes wrong here is told, and is no matter of
    /// the program's.
    void add(engine::Result result) noexcept;
    /// How long a GPU takes for it, if that is wished for: else 0. After `add`.
    double seconds() const { return launch_.seconds(); }
    /// It failed. The caller prints the message when it happens; the report lists it.
    void add(const engine::KernelError& error) noexcept;

   private:
    friend class Reporter;
    Reporter& reporter_;
    const engine::Dispatch& dispatch_;
    session::Session::Launch launch_;
    std::optional<WaveTrace> wave_trace_;
  };

  /// Writes the report; again, if launches came since. `how` the process ends, if that is not by
  /// exit. What cannot be written is said on stderr.
  void finish(const std::string& how = "") noexcept;
  /// After finish: whether all that was asked for came: the files, and launches that were selected,
  /// to be traced or to be profiled.
  bool complete() const noexcept;
  /// Whether a check found something.
  bool has_findings() const noexcept;
  /// What else a check found: the host's part.
  void add(const check::Finding& finding);
  bool checks(std::string_view tool) const;
  /// After finish: whether the condition to fail by holds of a kernel.
  bool condition_holds() const noexcept;

  /// Which launches are selected, of how many so far.
  std::string selection() const;
  /// Where operations of the program are to be noted; null: nobody asks for them.
  timeline::Record* timeline();
  /// The report so far, as finish would write it.
  std::string text() const;
  std::string json() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hipsight::report
