#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "check/initcheck.h"
#include "check/memcheck.h"
#include "check/numcheck.h"
#include "check/racecheck.h"
#include "check/shufflecheck.h"
#include "check/synccheck.h"
#include "check/waitcheck.h"
#include "engine/engine.h"
#include "gpus/gpu.h"
#include "hipsight/values.h"
#include "session/launch_times.h"
#include "session/observation.h"
#include "timeline/record.h"

namespace hipsight::session {

/// Where in a program a launch was made.
struct Range {
  std::string name;         ///< empty: in no range
  std::uint64_t entry = 0;  ///< a number for each time that a range is entered
};

/// Decides what to find out about each launch of a program, and holds what came of it. Safe to use
/// from several threads; what one launch's figures take holds up no other.
class Session {
 public:
  /// `memory`: to whose allocations the arguments of launches point, which only times need.
  /// @throws Exception when the selection's pattern is none.
  Session(gpus::Gpu gpu, Wishes wishes, const Selection& selection = {},
          engine::Memory* memory = nullptr);
  ~Session();

  const gpus::Gpu& gpu() const;
  const Selection& selection() const;

  /// A launch under way: from its start until this goes out of scope.
  class Launch {
   public:
    /// Counts it, and makes the engine tell the dispatch, which must outlive this, what is needed.
    Launch(Session& session, engine::Dispatch& dispatch, Range range = {});
    ~Launch();
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;

    bool selected() const { return selected_; }
    std::uint64_t number() const { return number_; }  ///< among all launches, from 1
    const std::atomic<std::uint64_t>& finished() const { return finished_; }  ///< workgroups
    const Observation* observation() const { return observation_ ? &*observation_ : nullptr; }

    /// Before it runs: what checks must find out first. The dispatch that will run.
    void rehearse(engine::Engine& engine, const engine::Dispatch& dispatch);
    /// The result of one like it, which stands for this one's: this one need not run. Or null.
    const engine::Result* repeated() const { return repeated_.get(); }
    /// It ran to its end. @throws Exception when its figures cannot be made.
    void add(engine::Result& result);
    /// How long a GPU takes for it, in seconds, if that is wished for: else 0. After `add`.
    double seconds() const { return taken_.seconds; }
    /// What bounds it, in words; empty where that is not known.
    const std::string& bound() const { return taken_.bound; }
    /// It failed.
    void add(const engine::KernelError& error);

   private:
    friend class Session;
    Session& session_;
    const engine::Dispatch& dispatch_;
    const Range range_;
    std::atomic<std::uint64_t> finished_{0};
    std::uint64_t number_ = 0;
    bool selected_ = false;
    std::optional<LaunchTimes::Asked> asked_;
    LaunchTimes::Taken taken_;
    std::shared_ptr<const engine::Result> repeated_;
    std::optional<Observation> observation_;
    std::optional<check::Memcheck> memcheck_;
    std::optional<check::Racecheck> racecheck_;
    std::optional<check::Synccheck> synccheck_;
    std::optional<check::Initcheck> initcheck_;
    std::optional<check::Waitcheck> waitcheck_;
    std::optional<check::Numcheck> numcheck_;
    std::optional<check::Shufflecheck> shufflecheck_;
  };

  struct Progress {
    std::uint64_t launches = 0;  ///< that were started
    std::uint64_t errors = 0;    ///< of those that failed
    std::uint64_t findings = 0;  ///< of checks
    bool selected = false;       ///< at least one of them
  };
  /// What else a check found: the host's part. Nothing is kept unless the tool is asked for.
  void add(const check::Finding& finding);
  bool checks(std::string_view tool) const;
  Progress progress() const;
  /// Where operations of the program are to be noted; null: nobody asks for them.
  timeline::Record* timeline();

  /// What is known now; `ended`: by what the process ends, if not as usual.
  RunReport report(const std::string& ended = "") const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hipsight::session
