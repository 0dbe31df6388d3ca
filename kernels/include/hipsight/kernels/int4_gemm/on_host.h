// The same on the scalar reference: one workgroup after the other, on the host.
#pragma once

#include <memory>

#include "../gemm/on_host.h"
#include "few_rows.h"
#include "pack.h"

namespace hipsight::kernels {

template <class OfA, class Value, class OfC, class After = Identity>
Status int4_gemm_on_host(const OfA& a, const Int4Weights<Value>& b, const OfC& c,
                         After epilogue = {}) {
  const auto problem = int4_problem(a, b, c, epilogue);
  if (std::string error = problem.error(); !error.empty()) return {std::move(error)};
  if (problem.empty()) return {};
  if (problem.rows > few_rows(Architecture::host)) {
    run_on_host<TileSize::large, false>(problem);
    return {};
  }
  using Workgroup = FewRowsWorkgroup<Value, typename OfC::Element, After>;
  const auto shared = std::make_unique<typename Workgroup::Shared>();
  for (int i = 0; i < ceil_div(problem.columns, Workgroup::columns); i++)
    Workgroup::run({problem.a, problem.b, problem.c, problem.epilogue}, *shared, i);
  return {};
}

template <class From>
Status int4_pack_on_host(const From& from, std::uint32_t* codes,
                         Int4Factors<typename From::Of>* factors, int depth, int columns,
                         int group) {
  const Int4Pack<From> pack{from, codes, factors, depth, columns, group};
  if (std::string error = wrong_with(pack); !error.empty()) return {std::move(error)};
  for (int i = 0; depth > 0 && columns > 0 && i < pack.workgroups(); i++) pack.run(i);
  return {};
}

}  // namespace hipsight::kernels
