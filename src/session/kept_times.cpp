#include "session/kept_times.h"

#include <fmt/format.h>

#include <span>

#include "engine/host.h"
#include "hipsight/wire.h"

namespace hipsight::session {

KeptTimes::KeptTimes(const gpus::Gpu& gpu, unsigned profile, const timing::Assumptions& assumptions)
    : cache_(engine::DiskCache::of(engine::host())) {
  if (!cache_) return;
  of_all_ = fmt::format("prediction {} {} {} {}\n", gpu.name, profile,
                        static_cast<int>(assumptions.caches), assumptions.instructions);
  for (const gpus::Gpu::Fact& fact : gpu.facts)
    of_all_ += fmt::format("{} {}\n", fact.key, fact.value);
}

engine::DiskCache::Key KeptTimes::key_of(const std::string& key) const {
  const std::string whole = of_all_ + key;
  return engine::DiskCache::key_of(std::as_bytes(std::span(whole)));
}

std::optional<KeptTimes::Time> KeptTimes::find(const std::string& key) const {
  if (!cache_) return {};
  const auto bytes = cache_->find(key_of(key));
  if (!bytes) return {};
  Time time;
  wire::Reader reader(*bytes);
  reader.get(time);
  return reader.whole() ? std::optional(time) : std::nullopt;
}

void KeptTimes::keep(const std::string& key, const Time& time) {
  if (!cache_) return;
  wire::Writer writer;
  writer.put(time);
  cache_->keep(key_of(key), writer.bytes());
}

}  // namespace hipsight::session
