// C = epilogue(A B): one algorithm for all GPUs.
#pragma once

#include "../convert.h"
#include "../matrix.h"
#include "../tile/pipeline.h"
#include "../tile/result_tile.h"
#include "../tile/tile_order.h"
#include "epilogue.h"
#include "scales.h"
#include "tilings.h"

namespace hipsight::kernels {

/// What a kernel is given: all of each matrix, with the rows that memory has, and the elements from
/// one of a batch to the next.
template <class T, class Out, class E, class Scales>
struct GemmArguments {
  GlobalTile<const T> a, b;
  GlobalTile<Out> c;
  std::int64_t a_batch, b_batch, c_batch;
  /// The depth is split into so many parts, each as deep as that or less, whose results follow each
  /// other as batches do.
  int splits, split_depth;
  E epilogue;
  Scales scales;
};

/// What one workgroup does: a tile of C, of which each wave sums a part.
template <class T, Order order_a, Order order_b, class Out, Epilogue E, class Scales, TileSize size>
struct GemmWorkgroup {
  using Arguments = GemmArguments<T, Out, E, Scales>;
  static constexpr Tiling tiling = gemm_tiling(arch::current, size, sizeof(T), Scales::used);
  static constexpr int threads = kernels::threads(tiling, arch::current);

  using Step = arch::MatrixStep<T>;
  static constexpr int depth = tiling.depth_bytes / static_cast<int>(sizeof(T));
  static constexpr int steps = depth / Step::layout.depth;
  static_assert(steps % 2 == 0, "gemm: a tile must be an even number of matrix steps deep");
  /// Tiles after which a block of the depth ends.
  static constexpr int block_tiles = scale_block / depth;
  static_assert(!Scales::used || block_tiles == 1 || block_tiles == 2,
                "gemm: a block with a factor of its own must be one or two tiles deep");
  static_assert(!Scales::used || scale_block % tiling.wave_columns == 0,
                "gemm: a wave's columns must be in one block of B");

  static constexpr int bank_bytes = facts(arch::current).bank_bytes;
  using TileA = SharedTile<T, tiling.rows, depth,
                           swizzle_for<T>(Step::layout.a, tiling.depth_bytes, bank_bytes)>;
  using TileB = SharedTile<T, tiling.columns, depth,
                           swizzle_for<T>(Step::layout.b, tiling.depth_bytes, bank_bytes)>;
  using PipelineA = Pipeline<TileA, order_a == Order::row_major, threads, tiling.ahead>;
  using PipelineB = Pipeline<TileB, order_b == Order::column_major, threads, tiling.ahead>;
  static constexpr int most_ahead = most(PipelineA::ahead, PipelineB::ahead);
  using Sum = Accumulator<T, tiling.wave_rows, tiling.wave_columns>;
  union Shared {
    struct {
      TileA a[PipelineA::buffers];
      TileB b[PipelineB::buffers];
    } operands;
    ResultTile<Sum> results[waves(tiling)];  // when all operands are in registers
  };
  static_assert(sizeof(Shared) <= facts(arch::current).shared_bytes,
                "gemm: the tiling takes more shared memory than this GPU has");

  /// The operands of one step of a wave.
  struct Operands {
    OperandTile<T, Operand::a, tiling.wave_rows> a;
    OperandTile<T, Operand::b, tiling.wave_columns> b;
    static constexpr int reads = decltype(a)::reads + decltype(b)::reads;
  };
  using Sums = ScaledSum<Sum, Scales, ceil_div(most_ahead, block_tiles)>;

  HIPSIGHT_INLINE static void run(Arguments arguments, Shared& shared, int workgroup, int batch) {
    const int matrix = batch / arguments.splits, split = batch % arguments.splits;
    arguments.a.data += matrix * arguments.a_batch;
    arguments.b.data += matrix * arguments.b_batch;
    arguments.c.data += batch * arguments.c_batch;
    constexpr bool a_along = order_a == Order::row_major, b_along = order_b == Order::column_major;
    const int depth_at = split * arguments.split_depth;
    const Place tile = tile_of(workgroup, ceil_div(arguments.c.rows, tiling.rows),
                               ceil_div(arguments.c.columns, tiling.columns), tiling.group);
    const Place first{tile.row * tiling.rows, tile.column * tiling.columns};
    constexpr int waves_across = tiling.columns / tiling.wave_columns;
    const Place part{arch::wave() / waves_across * tiling.wave_rows,
                     arch::wave() % waves_across * tiling.wave_columns};

    PipelineA a(split_of<a_along>(arguments.a, depth_at, arguments.split_depth), first.row,
                shared.operands.a);
    PipelineB b(split_of<b_along>(arguments.b, depth_at, arguments.split_depth), first.column,
                shared.operands.b);
    Sums sums(arguments.scales.of(matrix, depth_at),
              {first.row + part.row, first.column + part.column}, arguments.c.rows,
              ceil_div(a.count(), block_tiles));
    multiply_all(a, b, part, sums);
    store(arguments, batch, first, part, sums.all, shared.results[arch::wave()]);
  }

 private:
  template <bool along>
  HIPSIGHT_INLINE static GlobalTile<const T> split_of(const GlobalTile<const T>& operand, int at,
                                                      int deep) {
    GlobalTile<const T> part = along ? operand.from(0, at) : operand.from(at, 0);
    int& rest = along ? part.columns : part.rows;
    if (rest > deep) rest = deep;
    return part;
  }

  HIPSIGHT_INLINE static void load(Operands& to, const PipelineA& a, const PipelineB& b, Place part,
                                   int t, int step) {
    to.a.load(a[t], part.row, step * Step::layout.depth);
    to.b.load(b[t], part.column, step * Step::layout.depth);
  }

  /// While a tile is multiplied, the next one is on its way to shared memory, and then the one
  /// after it is asked for. A step's operands are read during the step before. So there is one
  /// barrier for each tile, before the last step, whose operands are in registers.
  template <bool known_to_fit>
  HIPSIGHT_INLINE static void multiply_tile(PipelineA& a, PipelineB& b, int t, Place part,
                                            Operands (&operands)[2], Sum& sum) {
    constexpr int younger =
        known_to_fit ? PipelineA::younger_requests + PipelineB::younger_requests : 0;
    HIPSIGHT_UNROLL
    for (int step = 0; step < steps; step++) {
      const bool last = step == steps - 1;
      if (last) {
        if (tiling.ahead > 1) arch::keep_order();
        a.template finish<known_to_fit, younger>(t + 1);
        b.template finish<known_to_fit, younger>(t + 1);
        arch::barrier<(younger > 0)>();
        a.template start<known_to_fit>(t + 1 + a.ahead);
        b.template start<known_to_fit>(t + 1 + b.ahead);
      }
      load(operands[(step + 1) % 2], a, b, part, t + last, (step + 1) % steps);
      multiply(operands[step % 2].a, operands[step % 2].b, sum);
      if (known_to_fit && last)
        arch::interleave<Operands::reads, PipelineA::requests + PipelineB::requests>();
    }
  }

  HIPSIGHT_INLINE static void multiply_all(PipelineA& a, PipelineB& b, Place part, Sums& sums) {
    if (a.count() == 0) return;
    constexpr int turn = most(PipelineA::buffers, PipelineB::buffers);
    HIPSIGHT_UNROLL
    for (int t = 0; t < most_ahead; t++) {
      if (t < a.ahead) a.start(t);
      if (t < b.ahead) b.start(t);
    }
    a.finish(0), b.finish(0);
    arch::barrier();
    a.start(a.ahead), b.start(b.ahead);
    Operands operands[2];
    load(operands[0], a, b, part, 0, 0);
    const int fitting = a.fitting() < b.fitting() ? a.fitting() : b.fitting();
    int t = 0;
    for (; t + turn + most_ahead < fitting; t += turn) {  // so that it is known what lies where
      HIPSIGHT_UNROLL
      for (int i = 0; i < turn; i++) {
        multiply_tile<true>(a, b, t + i, part, operands, sums.now());
        if ((i + 1) % block_tiles == 0) sums.end_block((t + i) / block_tiles);
      }
    }
    for (; t < a.count(); t++) {
      multiply_tile<false>(a, b, t, part, operands, sums.now());
      if ((t + 1) % block_tiles == 0 || t + 1 == a.count()) sums.end_block(t / block_tiles);
    }
  }

  /// The epilogue is asked only of places that exist.
  HIPSIGHT_INLINE static void store(const Arguments& arguments, int batch, Place first, Place part,
                                    const Sum& sum, ResultTile<Sum>& through) {
    const GlobalTile<Out> c = arguments.c.from(first.row, first.column);
    constexpr int width = ResultTile<Sum>::width;
    const bool vectors = c.template takes_vectors<width>(tiling.columns);
    through.for_each_run(sum, [&](Place at, const Vector<float, width>& values) {
      at.row += part.row;
      at.column += part.column;
      if (vectors) {
        const Place inside = c.inside(at, width);
        const ResultPlace place{batch, first.row + inside.row, first.column + inside.column};
        c.store(at.row, at.column, tiling.rows,
                from_f32<Out, width>(apply<width>(arguments.epilogue, values, place)));
      } else {
        HIPSIGHT_UNROLL
        for (int i = 0; i < width; i++) {
          const Place inside = c.inside({at.row, at.column + i}, 1);
          const ResultPlace place{batch, first.row + inside.row, first.column + inside.column};
          c.store_one(at.row, at.column + i, tiling.rows,
                      narrow<Out>(arguments.epilogue(values[i], place)));
        }
      }
    });
  }
};

}  // namespace hipsight::kernels
