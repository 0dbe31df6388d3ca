#include "engine/host.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "config/config.h"
#include "engine/engine.h"

namespace hipsight::engine {
namespace {

Host& the_host() {
  static auto& host = *new Host;
  return host;
}

}  // namespace

Host Host::of(const Config& config) {
  Host host{.isa = config.host_isa,
            .cpu = config.host_cpu,
            .cache = config.cache.empty() ? config.usual_cache : config.cache,
            .cache_is_asked_for = !config.cache.empty(),
            .cache_bytes = config.cache_size << 20};
  if (config.cache == "off") host.cache.clear();
  return host;
}

Options Options::of(const Config& config) {
  Options options{
      .threads = static_cast<unsigned>(config.threads),
      .timeout = std::chrono::milliseconds(std::llround(std::ceil(config.timeout * 1000))),
      .strict = config.strict || !config.check.empty()};
  if (config.engine == "interpret") options.tier = Tier::Interpret;
  if (config.engine == "translate") options.tier = Tier::Translate;
  if (config.matrix == "exact") options.matrix = MatrixMode::Exact;
  if (config.matrix == "skip") options.matrix = MatrixMode::Skip;
  return options;
}

void set_host(Host host) {
  the_host() = std::move(host);
}
const Host& host() {
  return the_host();
}

}  // namespace hipsight::engine
