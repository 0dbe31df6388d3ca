#include "engine/engine.h"
#include "engine/host.h"
#include "engine/launch/workgroup.h"
#include "engine/program/program.h"
#include "support/error.h"

namespace hipsight::engine {

// What one host instruction set's code provides (interpret/interpret.h).
#define HIPSIGHT_DECLARE_HOST_ISA(HOST_ISA)                                               \
  namespace HOST_ISA {                                                                    \
  void copy(Wave* const* waves, std::uint32_t count, const Wave& start, unsigned scalars, \
            const std::uint32_t* work_items);                                             \
  Turn run(Wave* const* waves, std::uint32_t count, std::int64_t budget, unsigned& csr);  \
  void add_control(Table& table);                                                         \
  void add_cross_lane(Table& table);                                                      \
  void add_scalar_memory(Table& table);                                                   \
  void add_vector_memory(Table& table);                                                   \
  void add_lds(Table& table);                                                             \
  void add_matrix(Table& table);                                                          \
  void add_matrix_groups(Table& table);                                                   \
  void add_exact_matrix(Table& table);                                                    \
  void add_sparse_matrix(Table& table);                                                   \
  void add_scaled_matrix(Table& table);                                                   \
  void add_wide_conversions(Table& table);                                                \
  void add_synchronisation(Table& table);                                                 \
  void add_relative(Table& table);                                                        \
  void add_all_entries(Table& table);                                                     \
  static void add_everything(Table& table) {                                              \
    add_control(table);                                                                   \
    add_cross_lane(table);                                                                \
    add_scalar_memory(table);                                                             \
    add_vector_memory(table);                                                             \
    add_lds(table);                                                                       \
    add_matrix(table);                                                                    \
    add_matrix_groups(table);                                                             \
    add_exact_matrix(table);                                                              \
    add_sparse_matrix(table);                                                             \
    add_scaled_matrix(table);                                                             \
    add_wide_conversions(table);                                                          \
    add_synchronisation(table);                                                           \
    add_relative(table);                                                                  \
    add_all_entries(table);                                                               \
  }                                                                                       \
  }
#ifdef HIPSIGHT_HAS_sse4
HIPSIGHT_DECLARE_HOST_ISA(sse4)
#endif
#ifdef HIPSIGHT_HAS_avx2
HIPSIGHT_DECLARE_HOST_ISA(avx2)
#endif
#ifdef HIPSIGHT_HAS_avx512
HIPSIGHT_DECLARE_HOST_ISA(avx512)
#endif

namespace {

struct HostIsa {
  const char* name;
  bool (*supported)();
  void (*copy)(Wave* const*, std::uint32_t, const Wave&, unsigned, const std::uint32_t*);
  Turn (*run)(Wave* const*, std::uint32_t, std::int64_t, unsigned&);
  void (*add_everything)(Table&);
};

/// The host instruction sets hipsight was built for, best first. x86-64-v2 is what the last ten
/// years' processors all have.
constexpr HostIsa host_isas[]{
#ifdef HIPSIGHT_HAS_avx512
    {"avx512", [] { return __builtin_cpu_supports("x86-64-v4") != 0; }, avx512::copy, avx512::run,
     avx512::add_everything},
#endif
#ifdef HIPSIGHT_HAS_avx2
    {"avx2", [] { return __builtin_cpu_supports("x86-64-v3") != 0; }, avx2::copy, avx2::run,
     avx2::add_everything},
#endif
#ifdef HIPSIGHT_HAS_sse4
    {"sse4", [] { return __builtin_cpu_supports("x86-64-v2") != 0; }, sse4::copy, sse4::run,
     sse4::add_everything},
#endif
};

const HostIsa& chosen_isa() {
  static const HostIsa& chosen = []() -> const HostIsa& {
    __builtin_cpu_init();
    const std::string& forced = host().isa;
    for (const HostIsa& isa : host_isas) {
      if (!forced.empty() && forced != isa.name) continue;
      if (isa.supported()) return isa;
      if (!forced.empty())
        fail("this processor does not have the host instruction set '{}'", forced);
    }
    if (!forced.empty()) fail("hipsight was built without the host instruction set '{}'", forced);
    fail("this processor lacks SSE4.2: hipsight needs an x86-64 processor of the last ten years");
  }();
  return chosen;
}

}  // namespace

const Table& host_table() {
  static const Table table = [] {
    Table all;
    chosen_isa().add_everything(all);
    return all;
  }();
  return table;
}

void copy_waves(std::span<Wave* const> waves, const Wave& start, unsigned scalars,
                const std::uint32_t* work_items) {
  static const auto copy = chosen_isa().copy;
  copy(waves.data(), static_cast<std::uint32_t>(waves.size()), start, scalars, work_items);
}
Turn run_waves(std::span<Wave* const> waves, std::int64_t budget, unsigned& csr) {
  static const auto run = chosen_isa().run;
  return run(waves.data(), static_cast<std::uint32_t>(waves.size()), budget, csr);
}

std::string Engine::host_isa() {
  return chosen_isa().name;
}

}  // namespace hipsight::engine
