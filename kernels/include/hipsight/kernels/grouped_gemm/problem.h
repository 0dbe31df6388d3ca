// A grouped GEMM as its caller states it, and what is wrong with it.
#pragma once

#include "../gemm/problem.h"
#include "../tile/indexed_tile.h"
#include "kernel.h"

namespace hipsight::kernels {

/// Rows of a matrix in another order: row r of `count` is row index[r] of the matrix, in the memory
/// of the device. Rows that the matrix does not have, as row -1, are read as zeros, and not
/// written.
template <class Given>
struct IndexedRows {
  using Element = typename Given::Element;
  static constexpr Order order = Given::order;

  Given matrix;
  const int* index = nullptr;
  int count = 0;
};
template <class Value, Order order>
IndexedRows<Matrix<Value, order>> indexed_rows(const Matrix<Value, order>& matrix, const int* index,
                                               int count) {
  return {matrix, index, count};
}

/// What rows are given as: a matrix, or an order of its rows.
template <class Given>
struct GivenRows {
  using Tile = GlobalTile<typename Given::Element>;
  static constexpr bool indexed = false;

  static const Given& matrix(const Given& given) { return given; }
  static const Given& matrix(const Given&&) = delete;  // would be gone
  static int count(const Given& given) { return given.rows; }
  static const int* index(const Given&) { return nullptr; }
  static Tile whole(const Given& given) { return kernels::whole(given); }
};
template <class Given>
struct GivenRows<IndexedRows<Given>> {
  using Tile = IndexedTile<typename Given::Element>;
  static constexpr bool indexed = true;

  static const Given& matrix(const IndexedRows<Given>& given) { return given.matrix; }
  static int count(const IndexedRows<Given>& given) { return given.count; }
  static const int* index(const IndexedRows<Given>& given) { return given.index; }
  static Tile whole(const IndexedRows<Given>& given) {
    auto tile = kernels::whole(given.matrix);
    tile.rows = given.count;
    return {tile, given.index, given.matrix.rows};
  }
};

/// As kernels read A.
template <class Value, Order order>
Matrix<const Value, order> read_only(const Matrix<Value, order>& matrix) {
  return {matrix.data, matrix.rows, matrix.columns, matrix.stride, matrix.batch_stride};
}
template <class Given>
auto read_only(const IndexedRows<Given>& rows) {
  return indexed_rows(read_only(rows.matrix), rows.index, rows.count);
}

template <class OfA, Order order_b, class OfC, Epilogue After>
struct GroupedGemmProblem {
  using Value = std::remove_const_t<typename OfA::Element>;
  using Out = typename OfC::Element;
  using InA = GivenRows<OfA>;
  using InC = GivenRows<OfC>;
  template <TileSize size>
  using Workgroup = GroupedWorkgroup<GemmWorkgroup<Value, OfA::order, order_b, Out, After, NoScales,
                                                   size, typename InA::Tile, typename InC::Tile>>;

  OfA a;
  Matrix<const Value, order_b> b;
  OfC c;
  RowGroups groups;
  After epilogue;

  /// What no kernel takes, in a sentence, or empty.
  std::string error() const {
    Check check("grouped_gemm");
    const auto& of_a = InA::matrix(a);
    const auto& of_c = InC::matrix(c);
    if (rows() != InC::count(c) || b.columns != of_c.columns || of_a.columns != b.rows)
      check.fail("A is ", rows(), " x ", of_a.columns, ", each B is ", b.rows, " x ", b.columns,
                 " and C is ", InC::count(c), " x ", of_c.columns,
                 ": they must be M x K, K x N and M x N");
    check_sizes(check, shape_of(rows(), 1));
    if (groups.count < 0) check.fail("there are ", groups.count, " groups");
    check_rows<InA>(check, "A", a);
    check_stride(check, "B", lines_of(b));
    check_rows<InC>(check, "C", c);
    check_overlap(check, "C", of_c.columns, {{"row", of_c.rows, of_c.stride}});
    if (check.failed() || empty()) return check.error();
    check.pointer("groups.starts", groups.starts);
    if (InA::indexed) check.pointer("A's index", InA::index(a));
    if (InC::indexed) check.pointer("C's index", InC::index(c));
    if ((of_c.rows > 0 && !of_c.data) ||
        (b.rows > 0 && (!(of_a.data || of_a.rows == 0) || !b.data)))
      check.fail("a matrix is a null pointer");
    check_epilogue(check, epilogue, ResultShape{groups.count, rows(), b.columns});
    return check.error();
  }

  bool empty() const { return rows() == 0 || b.columns == 0 || groups.count == 0; }

  /// What tiles are chosen by, as the host does not know the groups: all of them alike.
  GemmShape shape() const {
    const int with_rows = std::max(1, std::min(groups.count, rows()));
    return shape_of(ceil_div(rows(), with_rows), with_rows);
  }

  Grid grid(const Tiling& tiling) const {
    return {GroupTiles::most(groups, rows(), tiling.rows, ceil_div(b.columns, tiling.columns))};
  }

  auto arguments(const Tiling& tiling) const {
    using Gemm = GemmArguments<Value, Out, After, NoScales, typename InA::Tile, typename InC::Tile>;
    return GroupedArguments<Gemm>{
        {InA::whole(a), whole(b), InC::whole(c), 0, b.batch_stride, 0, {}, {}, epilogue, {}},
        {groups, ceil_div(b.columns, tiling.columns), tiling.group}};
  }

 private:
  int rows() const { return InA::count(a); }

  GemmShape shape_of(int rows, int count) const {
    return {rows,
            b.columns,
            b.rows,
            count,
            sizeof(Value),
            NoScales::used,
            are_turned<Value, OfA::order, order_b>};
  }

  template <class In, class Given>
  static void check_rows(Check& check, const char* name, const Given& given) {
    const auto& matrix = In::matrix(given);
    check_stride(check, name, lines_of(matrix));
    if (In::indexed)
      check_index(check, name, In::count(given), matrix.rows,
                  product({matrix.rows, matrix.stride, sizeof(typename Given::Element)}));
  }
  HIPSIGHT_APART static void check_index(Check& check, const char* name, int count, int rows,
                                         std::int64_t bytes) {
    if (count < 0 || rows < 0)
      check.fail("a size is negative: ", name, "'s index has ", count, " rows and ", name, " has ",
                 rows);
    else if (bytes > INT32_MAX)
      check.fail(name, " has ", bytes, " bytes: of what is indexed 2^31 - 1 are possible");
  }
};

/// What is wrong at compile time, too, in sentences.
template <class OfA, class OfB, class OfC, class After>
auto grouped_gemm_problem(const OfA& a, const OfB& b, const OfC& c, const RowGroups& groups,
                          After epilogue) {
  check_gemm_types<OfA, OfB, OfC, After>();
  static_assert(
      !requires { a.factors; } && !requires { b.factors; },
      "grouped_gemm: operands with factors of their blocks are not possible");
  static_assert(OfA::order == Order::row_major,
                "grouped_gemm: A must be row_major: groups are of its rows");
  const auto read = read_only(a);
  return GroupedGemmProblem<std::remove_const_t<decltype(read)>, OfB::order, OfC, After>{
      read, read_only(b), c, groups, epilogue};
}

}  // namespace hipsight::kernels
