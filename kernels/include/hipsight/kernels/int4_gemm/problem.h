// A GEMM whose weights have 4 bits, as its caller states it, and what is wrong with it.
#pragma once

#include "../gemm/tiled_problem.h"
#include "codes.h"

namespace hipsight::kernels {

/// Weights B, K x N, N a multiple of 32: of 32 columns each the first 32 codes (Int4Chunk), then
/// the next ones, and so on; and their factors in the same order (int4_place). int4_pack() makes
/// them.
template <class Value>
struct Int4Weights {
  const std::uint32_t* codes;
  const Int4Factors<Value>* factors;
  int depth, columns;  // K, N
  int group;           // codes that have one scale and zero: all K, or a power of two from 32 on
};

HIPSIGHT_APART inline void check_int4(Check& check, std::int64_t depth, std::int64_t columns,
                                      int group) {
  const auto is_power = [](int value) { return value > 0 && (value & (value - 1)) == 0; };
  if (depth < 0 || columns < 0)
    return check.fail("the weights are ", depth, " x ", columns, ": a size is negative");
  if (columns % int4_lines)
    check.fail("there are ", columns, " columns, which are no multiple of ", int4_lines);
  if (depth % int4_chunk)
    check.fail("the depth of ", depth, " is no multiple of ", int4_chunk, ", as codes need it");
  if (group != depth && (group < int4_chunk || !is_power(group)))
    check.fail("groups of ", group, " codes: they must have all ", depth,
               ", or a power of two from ", int4_chunk, " on");
  else if (depth > 0 && depth % group)
    check.fail("the depth of ", depth, " is no multiple of the groups' ", group);
  if (depth / 8 > most_stride(4))
    check.fail("the depth of ", depth, " is more than ", most_stride(4) * 8,
               ", the largest that kernels take");
}

template <class Value, class Out, Epilogue After>
using Int4Problem = TiledProblem<Value, Order::row_major, Order::column_major, Out, After,
                                 GlobalTile<const Value>, Int4Tile<Value>>;

template <class OfA, class Value, class OfC, class After>
auto int4_problem(const OfA& a, const Int4Weights<Value>& b, const OfC& c, After epilogue) {
  using Out = typename OfC::Element;
  static_assert(std::is_same_v<std::remove_const_t<typename OfA::Element>, Value>,
                "int4_gemm: A must be of the type that the weights' scales have");
  static_assert(std::is_same_v<Value, f16> || std::is_same_v<Value, bf16>,
                "int4_gemm: A must be of f16 or bf16");
  static_assert(OfA::order == Order::row_major && OfC::order == Order::row_major,
                "int4_gemm: A and C must be row_major");
  static_assert(
      Epilogue<After>,
      "int4_gemm: an epilogue must be callable as float(float value, ResultPlace at) const");
  Check check("int4_gemm");
  const GemmShape shape{c.rows, c.columns, a.columns, 1, sizeof(Value), false, false};
  if (a.rows != c.rows || b.columns != c.columns || a.columns != b.depth)
    check.fail("A is ", a.rows, " x ", a.columns, ", the weights are ", b.depth, " x ", b.columns,
               " and C is ", c.rows, " x ", c.columns, ": they must be M x K, K x N and M x N");
  check_sizes(check, shape);
  check_stride(check, "A", lines_of(a));
  check_stride(check, "C", lines_of(c));
  check_overlap(check, "C", c.columns, {{"row", c.rows, c.stride}});
  check_int4(check, b.depth, b.columns, b.group);
  const bool some = !check.failed() && c.rows > 0 && c.columns > 0;
  if (some) {
    check.pointer("C", c.data);
    if (a.columns > 0) {
      check.pointer("A", a.data);
      check.pointer("the codes", b.codes);
      check.pointer("the factors", b.factors);
      if (reinterpret_cast<std::uintptr_t>(b.codes) % chunk_bytes)
        check.fail("the codes must begin at a multiple of 16 bytes");
    }
    check_epilogue(check, epilogue, ResultShape{1, c.rows, c.columns});
  }
  const int groups = some && b.depth > 0 ? b.depth / b.group : 0;
  int bits = 0;
  while (bits < 30 && 1 << bits < b.group) bits++;  // of one group, too: all codes are in the first
  const Int4Tile<Value> weights{b.codes,
                                reinterpret_cast<const std::uint32_t*>(b.factors),
                                b.columns,
                                b.depth,
                                b.depth / int4_chunk,
                                groups,
                                groups == 1 ? 31 : bits};
  constexpr double factor_bytes = sizeof(Int4Factors<Value>);
  const double share = (0.5 + (b.group > 0 ? factor_bytes / b.group : 0)) / sizeof(Value);
  return Int4Problem<Value, Out, After>{check.error(), c.rows,   c.columns, a.columns, whole(a),
                                        weights,       whole(c), 0,         0,         0,
                                        epilogue,      1,        share};
}

}  // namespace hipsight::kernels
