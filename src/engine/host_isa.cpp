#include <cstdlib>
#include <cstring>

#include "engine/engine.h"
#include "engine/program.h"
#include "engine/wave.h"
#include "support/error.h"

namespace hipsight::engine {

#define HIPSIGHT_DECLARE_LEVEL(LEVEL)   \
  namespace LEVEL {                     \
  void run(Wave& wave);                 \
  void add_control(Table& table);       \
  void add_cross_lane(Table& table);    \
  void add_scalar_memory(Table& table); \
  void add_vector_memory(Table& table); \
  void add_lds(Table& table);           \
  void add_matrix(Table& table);        \
  void add_all_entries(Table& table);   \
  }
HIPSIGHT_DECLARE_LEVEL(sse4)
HIPSIGHT_DECLARE_LEVEL(avx2)
HIPSIGHT_DECLARE_LEVEL(avx512)

namespace {

enum class Level { Sse4, Avx2, Avx512 };

Level best_level() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return Level::Avx512;
  if (__builtin_cpu_supports("x86-64-v3")) return Level::Avx2;
  if (__builtin_cpu_supports("x86-64-v2")) return Level::Sse4;
  fail("this processor has no SSE4.2: hipsight needs an x86-64 processor of the last ten years");
}

Level level() {
  static const Level chosen = [] {
    const Level best = best_level();
    const char* forced = std::getenv("HIPSIGHT_HOST_ISA");
    if (!forced) return best;
    const Level wanted =
        !std::strcmp(forced, "sse4")   ? Level::Sse4
        : !std::strcmp(forced, "avx2") ? Level::Avx2
        : !std::strcmp(forced, "avx512")
            ? Level::Avx512
            : throw Error(
                  fmt::format("HIPSIGHT_HOST_ISA is '{}': it takes sse4, avx2 or avx512", forced));
    if (wanted > best)
      fail("HIPSIGHT_HOST_ISA is '{}', which this processor does not have", forced);
    return wanted;
  }();
  return chosen;
}

#define HIPSIGHT_FILL(LEVEL)       \
  LEVEL::add_control(table);       \
  LEVEL::add_cross_lane(table);    \
  LEVEL::add_scalar_memory(table); \
  LEVEL::add_vector_memory(table); \
  LEVEL::add_lds(table);           \
  LEVEL::add_matrix(table);        \
  LEVEL::add_all_entries(table);

Table make_table() {
  Table table;
  switch (level()) {
    case Level::Sse4:
      HIPSIGHT_FILL(sse4) break;
    case Level::Avx2:
      HIPSIGHT_FILL(avx2) break;
    case Level::Avx512:
      HIPSIGHT_FILL(avx512) break;
  }
  return table;
}

}  // namespace

const Table& host_table() {
  static const Table table = make_table();
  return table;
}

void run_wave(Wave& wave) {
  using Function = void (*)(Wave&);
  static const Function run = level() == Level::Avx512 ? avx512::run
                              : level() == Level::Avx2 ? avx2::run
                                                       : sse4::run;
  run(wave);
}

std::string Engine::host_isa() {
  switch (level()) {
    case Level::Sse4:
      return "sse4";
    case Level::Avx2:
      return "avx2";
    case Level::Avx512:
      return "avx512";
  }
  return {};
}

}  // namespace hipsight::engine
