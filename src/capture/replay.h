#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capture/capture.h"
#include "gpus/gpu.h"
#include "services/services.h"

namespace hipsight::capture {

/// The machine as it stood before a captured launch, at the same addresses.
class Replay {
 public:
  /// @throws Exception when the code does not fit the GPU, the file is corrupt, or an address that
  /// the launch needs is taken in this process. `complain`: for what a kernel does wrong and goes
  /// on.
  Replay(const Capture& capture, const gpus::Gpu& gpu, engine::Options options,
         const services::Host::Complain& complain);
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  engine::Dispatch& dispatch() { return dispatch_; }
  /// Runs the launch. To run it once more takes another Replay, since memory has changed.
  engine::Result run();
  /// What each allocation holds now.
  std::vector<std::string> digests() const;

 private:
  std::shared_ptr<const code::CodeObject> read(std::span<const std::byte> elf,
                                               const std::string& origin) const;
  /// Where it was. @throws Exception where the header has no memory for it.
  std::shared_ptr<engine::Module> load(std::shared_ptr<const code::CodeObject> object,
                                       std::uint64_t address);
  void place(const engine::Memory::Allocation& allocation);

  const Capture& capture_;
  engine::Engine engine_;
  services::Host host_;
  engine::Dispatch dispatch_;
  std::vector<std::shared_ptr<engine::Module>> called_;  // what its kernel calls into
  std::vector<std::pair<void*, std::size_t>> mapped_;    // the program's own memory
  std::uint64_t mapped_end_ = 0;
};

}  // namespace hipsight::capture
