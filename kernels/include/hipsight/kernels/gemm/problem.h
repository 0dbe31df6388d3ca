// A GEMM as its caller states it, and what is wrong with it.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>

#include "kernel.h"

namespace hipsight::kernels {

/// Workgroups.
struct Grid {
  int x, y, z;
};

/// A number for a launch in shares: not 0, and none that memory often holds.
inline unsigned next_launch() {
  static unsigned launches = 0;  // <atomic> takes longer to read than all of the library
  for (;;)
    if (const unsigned launch = __atomic_add_fetch(&launches, 0x9e3779b9u, __ATOMIC_RELAXED))
      return launch;
}

template <class T, Order order_a, Order order_b, class Out, Epilogue E, class Scales = NoScales>
struct GemmProblem {
  template <TileSize size>
  using Workgroup = GemmWorkgroup<T, order_a, order_b, Out, E, Scales, size>;

  static constexpr bool is_scaled = Scales::used;
  using Element = T;
  using Result = Out;
  using After = E;
  static Tiling tiling(Architecture architecture, TileSize size) {
    return gemm_tiling(architecture, size, sizeof(T), Scales::used,
                       are_turned<T, order_a, order_b>);
  }
  HIPSIGHT_INLINE static constexpr bool has_tiny_tiles(Architecture architecture) {
    return kernels::has_tiny_tiles(architecture, sizeof(T), Scales::used);
  }
  static int share_unit(const Tiling& tiling) {
    return kernels::share_unit(tiling, sizeof(T), Scales::used);
  }

  Matrix<const T, order_a> a;
  Matrix<const T, order_b> b;
  RowMajor<Out> c;
  E epilogue;
  Scales scales;
  int batches;
  DepthShares shares{};

  /// What no kernel takes, in a sentence, or empty.
  std::string error() const {
    if (a.rows != c.rows || b.columns != c.columns || a.columns != b.rows)
      return "gemm: A is " + size(a) + ", B is " + size(b) + " and C is " + size(c) +
             ": they must be M x K, K x N and M x N";
    if (c.rows < 0 || c.columns < 0 || a.columns < 0)
      return "gemm: a size is negative: A is " + size(a) + " and B is " + size(b);
    if (batches < 0 || batches > 65535)
      return "gemm: there are " + std::to_string(batches) + " batches: it must be 0 to 65535";
    for (const std::string& message :
         {error_of_stride("A", a), error_of_stride("B", b), error_of_stride("C", c)})
      if (!message.empty()) return message;
    if (!empty() && (!c.data || (a.columns > 0 && (!a.data || !b.data))))
      return "gemm: a matrix is a null pointer";
    if constexpr (Scales::used)
      return error_of_factors();
    else
      return {};
  }

  /// Without any result there is nothing to do. (Without depth there is: sums of 0.)
  bool empty() const { return c.rows == 0 || c.columns == 0 || batches == 0; }

  int tiles(const Tiling& tiling) const {
    return ceil_div(c.rows, tiling.rows) * ceil_div(c.columns, tiling.columns);
  }

  /// The same in as many shares as that, or fewer; but no fewer than tiles where each is to have a
  /// part of one.
  GemmProblem in_shares(int count, TileSize size, Architecture architecture,
                        const Workspace& workspace) const {
    const Tiling tiling = this->tiling(architecture, size);
    const bool parts = has_only_parts(size);
    if (const int all = tiles(tiling) * batches; parts) count = std::max(1, count / all) * all;
    GemmProblem problem = *this;
    problem.shares = DepthShares(tiles(tiling), batches, depth_in_units(tiling), count,
                                 parts ? 1 : facts(architecture).dies, workspace, next_launch());
    return problem;
  }
  template <bool in_shares>
  Grid grid(TileSize size, const Tiling& tiling) const {
    if (!in_shares) return {tiles(tiling), batches, 1};
    if (!has_only_parts(size)) return {shares.count(), 1, 1};
    return {shares.parts(), tiles(tiling), batches};
  }
  int depth_in_units(const Tiling& tiling) const {
    return std::max(1, ceil_div(a.columns, share_unit(tiling)));
  }

  GemmArguments<T, Out, E, Scales> arguments(const Tiling& tiling) const {
    const TileOrder order(ceil_div(c.rows, tiling.rows), ceil_div(c.columns, tiling.columns),
                          tiling.group);
    return {whole(a),       whole(b), whole(c), a.batch_stride, b.batch_stride,
            c.batch_stride, order,    shares,   epilogue,       scales};
  }

 private:
  std::string error_of_factors() const {
    const std::string of_a = error_of_factors("A", scales.a);
    return of_a.empty() ? error_of_factors("B", scales.b) : of_a;
  }
  std::string error_of_factors(const char* name, const Factors& factors) const {
    const int blocks = ceil_div(a.columns, scale_block);
    if (!empty() && blocks > 0 && !factors.data)
      return std::string("gemm: the factors of ") + name + " are a null pointer";
    if (factors.stride < blocks)
      return std::string("gemm: the stride of ") + name + "'s factors, " +
             std::to_string(factors.stride) + ", is less than the " + std::to_string(blocks) +
             " blocks of the depth";
    if (factors.stride > most_stride<float>)
      return std::string("gemm: the stride of ") + name + "'s factors, " +
             std::to_string(factors.stride) + ", is more than " +
             std::to_string(most_stride<float>) + ", the largest that kernels take";
    return {};
  }

  template <class M>
  static std::string size(const M& matrix) {
    return std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns);
  }

  /// Of 256 rows, the most that a workgroup sees at once, any element is within 2 GiB.
  template <class Element>
  static constexpr std::int64_t most_stride = INT32_MAX / 256 / sizeof(Element);

  template <class M>
  static std::string error_of_stride(const char* name, const M& matrix) {
    constexpr std::int64_t most = most_stride<typename M::Element>;
    constexpr bool by_rows = M::order == Order::row_major;
    const int across = by_rows ? matrix.columns : matrix.rows,
              lines = by_rows ? matrix.rows : matrix.columns;
    if (lines <= 1 && matrix.stride >= across && across <= most * 256) return {};
    const std::string stride =
        std::string("gemm: ") + name + "'s stride of " + std::to_string(matrix.stride);
    if (matrix.stride < across)
      return stride + " is less than the " + std::to_string(across) + " elements side by side";
    if (matrix.stride > most)
      return stride + " is more than " + std::to_string(most) + ", the largest that kernels take";
    return {};
  }

  /// The rows of the tile are those of memory.
  template <class M>
  static auto whole(const M& matrix) {
    constexpr bool by_rows = M::order == Order::row_major;
    constexpr int bytes = sizeof(typename M::Element);
    const int lines = by_rows ? matrix.rows : matrix.columns,
              across = by_rows ? matrix.columns : matrix.rows;
    const std::int64_t stride = lines > 1 ? matrix.stride : across;  // of one line it may be any
    const auto in_chunks = [](std::int64_t count) { return count % chunk_bytes == 0; };
    return GlobalTile<typename M::Element>{
        matrix.data, lines, across, static_cast<int>(stride),
        in_chunks(reinterpret_cast<std::intptr_t>(matrix.data)) &&
            (lines == 1 || in_chunks(stride * bytes)) && in_chunks(matrix.batch_stride * bytes)};
  }
};

/// The factors of operands, if they have some.
template <class A, class B>
auto scales_of(const A& a, const B& b) {
  constexpr bool scaled_a = requires { a.factors; }, scaled_b = requires { b.factors; };
  static_assert(scaled_a == scaled_b, "gemm: either both A and B have factors, or none");
  if constexpr (scaled_a && scaled_b) {
    static_assert(A::factor_lines == 1 && B::factor_lines == scale_block,
                  "gemm: A must be scaled_rows, B scaled_blocks");
    static_assert(sizeof(typename A::Element) == 1,
                  "gemm: only operands in 8 bits have factors along their depth");
    return BlockScales{{a.factors, a.factor_stride, a.factor_batch_stride},
                       {b.factors, b.factor_stride, b.factor_batch_stride}};
  } else {
    return NoScales{};
  }
}

/// What is wrong at compile time, too, in sentences.
template <class A, class B, class C, class E>
auto gemm_problem(const A& a, const B& b, const C& c, E epilogue, int batches) {
  using T = std::remove_const_t<typename A::Element>;
  static_assert(std::is_same_v<T, std::remove_const_t<typename B::Element>>,
                "gemm: A and B must have elements of the same type");
  using Out = std::remove_const_t<typename C::Element>;
  static_assert(
      std::is_same_v<T, f32> || std::is_same_v<T, f16> || std::is_same_v<T, bf16> || is_fp8<T>,
      "gemm: A and B must be of f32, f16, bf16, fp8_e4m3 or fp8_e4m3_fnuz");
  static_assert(std::is_same_v<Out, f32> || std::is_same_v<Out, f16> || std::is_same_v<Out, bf16> ||
                    std::is_same_v<Out, std::int8_t> || is_fp8<Out>,
                "gemm: C must be of f32, f16, bf16, fp8_e4m3, fp8_e4m3_fnuz or std::int8_t");
  static_assert(C::order == Order::row_major,
                "gemm: C must be row_major; a column_major C is the transpose of gemm(B^T, A^T)");
  static_assert(!std::is_const_v<typename C::Element>,
                "gemm: C is written: its elements must not be const");
  static_assert(Epilogue<E>,
                "gemm: an epilogue must be callable as float(float value, ResultPlace at) const");
  using Scales = decltype(scales_of(a, b));
  return GemmProblem<T, A::order, B::order, typename C::Element, E, Scales>{
      {a.data, a.rows, a.columns, a.stride, a.batch_stride},
      {b.data, b.rows, b.columns, b.stride, b.batch_stride},
      c,
      epilogue,
      scales_of(a, b),
      batches};
}

}  // namespace hipsight::kernels
