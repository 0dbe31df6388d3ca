#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "gpus/gpu.h"
#include "hipsight/abi.h"
#include "hipsight/gpu.h"
#include "services/services.h"
#include "services/variables.h"
#include "session/session.h"

/// What a program holds by a pointer. It goes when all who retained it have released it.
struct HipsightObject {
  virtual ~HipsightObject() = default;
  std::atomic<std::uint64_t> references{1};
};

namespace hipsight::api {

class OpenGpu;

/// Collects launches.
class Recorder {
 public:
  Recorder(OpenGpu& gpu, const RecordConfig& config);

  session::Session& session() { return session_; }
  /// A launch that the session has been told of: its own report, what the session knows, and where
  /// in the program it is.
  void add(const KernelReport& report, const session::Session::Launch& launch,
           const std::string& range);
  RunReport report() const;
  std::vector<RecordedLaunch> launches() const;

 private:
  session::Session session_;
  mutable std::mutex mutex_;  ///< guards all that follows
  std::vector<RecordedLaunch> launches_;
  std::vector<KernelReport> with_findings_;  ///< launches: what they are known by, and these
};

/// An emulated GPU: its engine, its memory, and the host's services for its kernels.
class OpenGpu : public HipsightObject {
 public:
  /// @throws Exception.
  OpenGpu(gpus::Gpu gpu, const GpuOptions& options);

  const gpus::Gpu& gpu() const { return gpu_; }
  bool timing_only() const { return timing_only_; }
  engine::Engine& engine() { return engine_; }
  services::Host& host() { return host_; }
  /// What kernels did that a GPU lets pass, since this was called last.
  std::vector<Finding> take_findings();

  void begin(std::shared_ptr<Recorder> recorder);
  void end(const Recorder& recorder);
  /// Those that have begun.
  std::vector<std::shared_ptr<Recorder>> recorders() const;

 private:
  void note(const std::string& text);

  const gpus::Gpu gpu_;
  const bool timing_only_;
  engine::Engine engine_;
  services::Host host_;
  mutable std::mutex mutex_;
  std::vector<Finding> findings_;
  std::vector<std::shared_ptr<Recorder>> recorders_;
};

/// Keeps an object.
template <class T>
class Reference {
 public:
  explicit Reference(T& object) : object_(&object) { hipsight_retain(object_); }
  Reference(Reference&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Reference& operator=(Reference&&) = delete;
  ~Reference() {
    if (object_) hipsight_release(object_);
  }
  T* operator->() const { return object_; }
  T& get() const { return *object_; }

 private:
  T* object_;
};

/// A recorder, and the GPU whose launches it gets until it is stopped.
class OpenRecording : public HipsightObject {
 public:
  OpenRecording(Reference<OpenGpu> gpu, const RecordConfig& config);
  ~OpenRecording() override { stop(); }

  Recorder& recorder() { return *recorder_; }
  void stop() { gpu_->end(*recorder_); }

 private:
  Reference<OpenGpu> gpu_;
  std::shared_ptr<Recorder> recorder_;
};

/// The code objects of a file that fit a GPU, loaded there.
class LoadedModule : public HipsightObject {
 public:
  /// @throws Exception when there are none, or one is damaged.
  LoadedModule(Reference<OpenGpu> gpu, std::span<const std::byte> file, const std::string& origin);

  const std::vector<KernelFacts>& kernels() const { return kernels_; }
  std::optional<services::Variable> variable(std::string_view name) const;
  /// @throws Failure, KernelError.
  KernelReport launch(const std::string& kernel, const LaunchConfig& config,
                      std::span<const HipsightArgument> arguments);

 private:
  struct Part {
    Part(std::shared_ptr<engine::Module> loaded, engine::Memory& memory);
    std::shared_ptr<engine::Module> code;
    services::Variables variables;
  };
  Reference<OpenGpu> gpu_;
  std::vector<std::unique_ptr<Part>> parts_;
  struct Place {
    const Part* part;
    const code::Kernel* kernel;
  };
  std::vector<KernelFacts> kernels_;
  std::vector<Place> places_;  ///< of each of these
};

}  // namespace hipsight::api
