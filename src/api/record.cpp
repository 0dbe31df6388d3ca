#include <algorithm>
#include <utility>

#include "api/objects.h"

namespace hipsight::api {
namespace {

session::Wishes wishes_of(const RecordConfig& config) {
  session::Wishes wishes;
  wishes.profile = config.profile || !config.predict ? config.profile : session::usual_sample;
  wishes.predict = wishes.time = config.predict;
  wishes.fidelity = config.fidelity;
  wishes.assumptions.caches = config.caches;
  return wishes;
}

}  // namespace

Recorder::Recorder(const gpus::Gpu& gpu, const RecordConfig& config, const engine::Memory& memory)
    : session_(gpu, wishes_of(config), {}, &memory) {}

void Recorder::add(RecordedLaunch launch) {
  const std::lock_guard lock(mutex_);
  launches_.push_back(std::move(launch));
}

std::vector<RecordedLaunch> Recorder::launches() const {
  const std::lock_guard lock(mutex_);
  return launches_;
}

void OpenGpu::begin(std::shared_ptr<Recorder> recorder) {
  const std::lock_guard lock(mutex_);
  recorders_.push_back(std::move(recorder));
}

void OpenGpu::end(const Recorder& recorder) {
  const std::lock_guard lock(mutex_);
  std::erase_if(recorders_, [&](const auto& one) { return one.get() == &recorder; });
}

std::vector<std::shared_ptr<Recorder>> OpenGpu::recorders() const {
  const std::lock_guard lock(mutex_);
  return recorders_;
}

OpenRecording::OpenRecording(Reference<OpenGpu> gpu, const RecordConfig& config)
    : gpu_(std::move(gpu)),
      recorder_(std::make_shared<Recorder>(gpu_->gpu(), config, gpu_->engine().memory())) {
  gpu_->begin(recorder_);
}

}  // namespace hipsight::api
