#pragma once

#include <memory>
#include <string>

#include "capture/capture.h"

namespace hipsight::capture {

/// Writes one launch into a capture file: what it finds when it is made, and what came of it.
class Recorder {
 public:
  /// `number`: of the launch among the program's. @throws Exception when the file cannot be
  /// written.
  Recorder(const std::string& file, engine::Engine& engine, const engine::Dispatch& dispatch,
           std::uint64_t number);

  /// The launch ran to its end, or failed. Returns the size of the file, which is complete now.
  std::uint64_t finish();
  std::uint64_t finish(const engine::KernelError& error);

 private:
  std::uint64_t finish(Outcome outcome);
  FileWriter file_;
  std::shared_ptr<engine::Module> module_;
  std::vector<engine::Memory::Allocation> allocations_;
};

}  // namespace hipsight::capture
