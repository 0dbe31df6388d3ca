// C = A B of one type and one order of each of A and B, for any sizes: what torch.ops.hipsight.gemm
// launches.
//   -DVALUE=f16 -DORDER_A=row_major -DORDER_B=column_major
#include "hipsight/kernels/gemm.h"
#include "launches.h"

using namespace hipsight::kernels;

/// Strides are in elements: from one row or column to the next, and from one matrix to the next.
struct MatrixInMemory {
  void* data;
  std::int64_t rows, columns, stride, batch_stride;

  template <class Value, Order order>
  Matrix<Value, order> as() const {
    return {static_cast<Value*>(data), static_cast<int>(rows), static_cast<int>(columns), stride,
            batch_stride};
  }
};

/// An empty text, or what is wrong.
HIPSIGHT_EXPORT const char* hipsight_gemm(const MatrixInMemory* a, const MatrixInMemory* b,
                                          const MatrixInMemory* c, int batches,
                                          const char* architecture, int compute_units) {
  static thread_local std::string error;
  for (const MatrixInMemory* matrix : {a, b, c})
    if (matrix->rows > INT32_MAX || matrix->columns > INT32_MAX)
      return "gemm: a matrix has 2^31 rows or columns, or more";
  const auto problem =
      gemm_problem(a->as<const VALUE, Order::ORDER_A>(), b->as<const VALUE, Order::ORDER_B>(),
                   c->as<VALUE, Order::row_major>(), Identity{}, batches);
  const Device device = hipsight_device(architecture, compute_units);
  error = problem.error().empty() ? device.error : problem.error();
  if (!error.empty() || problem.empty()) return error.c_str();
  const GemmPlan plan = quickest_plan(problem.shape(), device, 0);
  error = launch_gemm<all_tile_sizes, false>(nullptr, problem, plan, {}, device.architecture).error;
  return error.c_str();
}
