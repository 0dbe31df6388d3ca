#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/events.h"

namespace hipsight::engine {
struct Dispatch;
}

namespace hipsight::report {

/// Which wave of a launch to trace, and where to.
struct TraceOptions {
  std::array<std::uint32_t, 3> workgroup{};
  unsigned wave = 0;
  std::string file;  ///< empty: stderr

  /// "X[,Y[,Z]][:WAVE]". @throws Exception when it is not of this form.
  static TraceOptions parse(std::string_view text);
};

/// Writes each instruction that one wave runs, and what registers it wrote (docs/trace.md).
class WaveTrace : public engine::Observer {
 public:
  /// `number`: the launch's, among all of the process.
  /// @throws Exception when the launch has no such wave, or the file cannot be written.
  WaveTrace(const TraceOptions& options, const engine::Dispatch& dispatch, std::uint64_t number);
  ~WaveTrace() override;

  engine::GroupObserver* begins(std::uint64_t workgroup) override;
  std::uint64_t next_choice(std::uint64_t workgroup) const override;
  /// Completes the file. Later calls do nothing. @throws Exception when not all of it could be
  /// written.
  void finish();

 private:
  class Writer;
  std::uint64_t workgroup_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace hipsight::report
