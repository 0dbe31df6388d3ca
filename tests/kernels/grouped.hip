// Grouped GEMMs: rows as they lie and by index, of all sizes of tiles.
#include "every_instance.h"
#include "finish.h"
#include "grouped_case.h"
#include "hipsight/kernels/grouped_gemm.h"
#include "hipsight/kernels/grouped_gemm/on_host.h"

using namespace hipsight::kernels;

namespace {

constexpr const char* no_such_kernel = "no such kernel here";

/// A case whose operands are known, in tiles of one size; or in those that the library chooses
/// among all.
template <TileSize size, class OfA, class OfB, class OfC, class E>
std::string run_in(const GroupedCase& test, const OfA& a, const OfB& b, const OfC& c, E epilogue) {
  const RowGroups groups{test.starts, test.groups};
  if (test.on_host) return grouped_gemm_on_host<size>(a, b, c, groups, epilogue).error;
  return finish(grouped_gemm<size>(nullptr, a, b, c, groups, epilogue));
}
template <class OfA, class OfB, class OfC, class E>
std::string run_in_any(const GroupedCase& test, const OfA& a, const OfB& b, const OfC& c,
                       E epilogue) {
  if (test.tiles == GroupedTiles::large) return run_in<TileSize::large>(test, a, b, c, epilogue);
  if (test.tiles == GroupedTiles::medium) return run_in<TileSize::medium>(test, a, b, c, epilogue);
  if (test.tiles == GroupedTiles::small) return run_in<TileSize::small>(test, a, b, c, epilogue);
  return finish(grouped_gemm(nullptr, a, b, c, RowGroups{test.starts, test.groups}, epilogue));
}

template <class T>
RowMajor<const T> a_of(const GroupedCase& test, const void* a) {
  return {static_cast<const T*>(a), test.rows_a, test.depth, test.a_stride};
}
template <Order order, class T>
Matrix<const T, order> b_of(const GroupedCase& test, const void* b) {
  return {static_cast<const T*>(b), test.depth, test.columns, test.b_stride, test.b_batch};
}
template <class T>
RowMajor<T> c_of(const GroupedCase& test, void* c) {
  return {static_cast<T*>(c), test.rows_c, test.columns, test.c_stride};
}

}  // namespace

std::string run_grouped_bf16(const GroupedCase& test, const void* a, const void* b,
                             const float* factors, void* c) {
  const auto of_a = a_of<bf16>(test, a);
  const auto of_b = b_of<Order::column_major, bf16>(test, b);
  const auto of_c = c_of<bf16>(test, c);
  if (test.index_a && test.index_c && factors)
    return run_in_any(test, indexed_rows(of_a, test.index_a, test.rows), of_b,
                      indexed_rows(of_c, test.index_c, test.rows), ScaleRows{factors});
  if (test.index_a || test.index_c || factors) return no_such_kernel;
  return run_in<TileSize::large>(test, of_a, of_b, of_c, Identity{});
}

std::string run_grouped_f16(const GroupedCase& test, const void* a, const void* b,
                            const float* biases, void* c) {
  if (!test.index_a || test.index_c) return no_such_kernel;
  return run_in<TileSize::small>(test, indexed_rows(a_of<f16>(test, a), test.index_a, test.rows),
                                 b_of<Order::row_major, f16>(test, b), c_of<float>(test, c),
                                 PerBatch(Bias(biases), test.columns));
}

std::string run_grouped_f32([[maybe_unused]] const GroupedCase& test,
                            [[maybe_unused]] const void* a, [[maybe_unused]] const void* b,
                            [[maybe_unused]] const float* factors, [[maybe_unused]] void* c) {
#ifdef HIPSIGHT_EVERY_INSTANCE
  const auto of_a = a_of<float>(test, a);
  const auto of_b = b_of<Order::column_major, float>(test, b);
  const auto of_c = c_of<float>(test, c);
  if (test.index_a && test.index_c && factors)
    return run_in_any(test, indexed_rows(of_a, test.index_a, test.rows), of_b,
                      indexed_rows(of_c, test.index_c, test.rows), ScaleRows{factors});
#endif
  return no_such_kernel;
}
