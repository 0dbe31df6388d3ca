// C = epilogue(A B) of weights B in 4 bits, with sums in f32: the bytes of weights are what a step
// of decoding takes.
//
//   Int4Weights<f16> weights{codes, factors, K, N, .group = 128};
//   int4_pack(stream, Int4FromValues<f16>{w, K}, weights_to, ...);      // once
//   if (Status status = int4_gemm(stream, x, weights, y, Bias(bias), workspace); !status)
//     fail(status.error);
//
// docs/kernels/int4_gemm.md
#pragma once

#include "gemm.h"
#include "int4_gemm/on_host.h"

namespace hipsight::kernels {

template <class Pack>
HIPSIGHT_KERNEL(Pack::threads)
void int4_pack_kernel([[maybe_unused]] Pack pack) {
#ifndef HIPSIGHT_STARTS_ONLY
  pack.run(arch::workgroup());
#endif
}

template <class Value, class Out, class After>
HIPSIGHT_KERNEL((FewRowsWorkgroup<Value, Out, After>::threads))
void int4_few_rows_kernel([[maybe_unused]] FewRowsArguments<Value, Out, After> arguments) {
#ifndef HIPSIGHT_STARTS_ONLY
  using Workgroup = FewRowsWorkgroup<Value, Out, After>;
  __shared__ typename Workgroup::Shared shared;
  Workgroup::run(arguments, shared, arch::workgroup());
#endif
}

/// Few rows by their own kernel, others in tiles.
template <TileSizes sizes, bool with_shares, class Value, class Out, class After>
Status run_int4(Stream stream, const Int4Problem<Value, Out, After>& problem,
                const Workspace& workspace) {
  if (std::string error = problem.error(); !error.empty()) return {std::move(error)};
  if (problem.empty()) return {};
  const Device device = current_device();
  if (!device.error.empty()) return {"int4_gemm: " + device.error};
  if (problem.rows > few_rows(device.architecture))
    return run_gemm<sizes, with_shares>(stream, problem, workspace);
  const int columns = few_rows_columns(device.architecture);  // of a workgroup
  const std::string error = launch(
      int4_few_rows_kernel<Value, Out, After>, {ceil_div(problem.columns, columns)},
      few_rows_threads(device.architecture), stream,
      FewRowsArguments<Value, Out, After>{problem.a, problem.b, problem.c, problem.epilogue});
  return {error.empty() ? error : "int4_gemm: " + error};
}

/// Bytes of workspace with which int4_gemm() is quickest; 0 if it needs none.
template <TileSize... sizes, class OfA, class Value, class OfC>
std::size_t int4_gemm_workspace(const OfA& a, const Int4Weights<Value>& b, const OfC& c) {
  const Device device = current_device();
  if (device.error.empty() && c.rows <= few_rows(device.architecture)) return 0;
  return gemm_workspace<sizes...>(int4_problem(a, b, c, Identity{}));
}

/// On the current device, after what is before it in the stream. A: M x K in f16 or bf16; C: M x N.
template <TileSize... sizes, class OfA, class Value, class OfC, class After = Identity>
Status int4_gemm(Stream stream, const OfA& a, const Int4Weights<Value>& b, const OfC& c,
                 After epilogue = {}) {
  return run_int4<tile_sizes<sizes...>(), false>(stream, int4_problem(a, b, c, epilogue), {});
}
template <TileSize... sizes, class OfA, class Value, class OfC, class After>
Status int4_gemm(Stream stream, const OfA& a, const Int4Weights<Value>& b, const OfC& c,
                 After epilogue, const Workspace& workspace) {
  return run_int4<tile_sizes<sizes...>(), true>(stream, int4_problem(a, b, c, epilogue), workspace);
}

/// Makes codes and factors of weights: `from` is Int4FromValues, Int4FromGptq or Int4FromAwq.
template <class From>
Status int4_pack(Stream stream, const From& from, std::uint32_t* codes,
                 Int4Factors<typename From::Of>* factors, int depth, int columns, int group) {
  const Int4Pack<From> pack{from, codes, factors, depth, columns, group};
  if (std::string error = wrong_with(pack); !error.empty()) return {std::move(error)};
  if (depth == 0 || columns == 0) return {};
  const std::string error = launch(int4_pack_kernel<Int4Pack<From>>, {pack.workgroups()},
                                   Int4Pack<From>::threads, stream, pack);
  return {error.empty() ? error : "int4_pack: " + error};
}

}  // namespace hipsight::kernels
