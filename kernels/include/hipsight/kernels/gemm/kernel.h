// C = epilogue(A B): one algorithm for all GPUs.
#pragma once

#include "../convert.h"
#include "../matrix.h"
#include "../tile/joined_sum.h"
#include "../tile/pipeline.h"
#include "../tile/result_tile.h"
#include "../tile/tile_order.h"
#include "epilogue.h"
#include "scales.h"
#include "shares.h"
#include "tilings.h"

namespace hipsight::kernels {

/// What a kernel is given: all of each matrix, with the rows that memory has, and the elements from
/// one of a batch to the next.
template <class Value, class Out, class After, class Scales, class InA = GlobalTile<const Value>,
          class InC = GlobalTile<Out>, class InB = GlobalTile<const Value>>
struct GemmArguments {
  InA a;
  InB b;
  InC c;
  std::int64_t a_batch, b_batch, c_batch;
  TileOrder tiles;
  DepthShares shares;
  After epilogue;
  Scales scales;
};

/// What one workgroup does: a tile of C, of which each wave sums a part. `InA`, `InC`, `InB`: as
/// what the matrices lie in memory.
template <class Value, Order order_a, Order order_b, class Out, Epilogue After, class Scales,
          TileSize size, class InA = GlobalTile<const Value>, class InC = GlobalTile<Out>,
          class InB = GlobalTile<const Value>>
struct GemmWorkgroup {
  using Arguments = GemmArguments<Value, Out, After, Scales, InA, InC, InB>;
  static constexpr bool packed = chunk_size<typename InB::Plain> > chunk_size<Value>;
  static constexpr Tiling tiling = gemm_tiling(arch::current, size, sizeof(Value), Scales::used,
                                               are_turned<Value, order_a, order_b>, packed);
  static constexpr int threads = kernels::threads(tiling, arch::current);

  using Factor = Multiplied<Value>;
  using Step = arch::MatrixStep<Factor>;
  static constexpr int depth = tiling.depth_bytes / static_cast<int>(sizeof(Factor));
  static constexpr int unit = share_unit(tiling, sizeof(Value), Scales::used);
  static constexpr int wave_depth = depth / tiling.deep_waves;
  static constexpr int steps = wave_depth / Step::layout.depth;
  static_assert(steps % 2 == 0, "gemm: a tile must be an even number of matrix steps deep");
  /// Tiles after which a block of the depth ends.
  static constexpr int block_tiles = scale_block / depth;
  static_assert(!Scales::used || (block_tiles > 0 && scale_block % depth == 0),
                "gemm: a block with a factor of its own must be whole tiles deep");
  static_assert(!Scales::used || scale_block % tiling.wave_columns == 0,
                "gemm: a wave's columns must be in one block of B");

  static constexpr int bank_bytes = facts(arch::current).bank_bytes;
  using TileA = SharedTile<Factor, tiling.rows, depth,
                           swizzle_for<Factor>(Step::layout.a, tiling.depth_bytes, bank_bytes)>;
  using TileB = SharedTile<Factor, tiling.columns, depth,
                           swizzle_for<Factor>(Step::layout.b, tiling.depth_bytes, bank_bytes)>;
  using PipelineA = Pipeline<TileA, order_a == Order::row_major, threads, tiling.ahead, Value, InA>;
  using PipelineB = Pipeline<TileB, order_b == Order::column_major, threads, tiling.ahead,
                             typename InB::Plain, InB>;
  static constexpr bool direct = PipelineA::direct && PipelineB::direct;
  static constexpr int most_ahead = most(PipelineA::ahead, PipelineB::ahead);
  using Sum = Accumulator<Factor, tiling.wave_rows, tiling.wave_columns>;
  struct OperandTiles {
    TileA a[PipelineA::buffers];
    TileB b[PipelineB::buffers];
  };
  static constexpr int groups = waves(tiling) / tiling.deep_waves;
  using Joined = JoinedSum<Sum, tiling.deep_waves, groups>;
  using Kept = typename Joined::Part;
  using Result = ResultTile<Kept, sizeof(OperandTiles) / waves(tiling)>;
  union Shared {
    OperandTiles operands;
    Joined joined;  // when all operands are in registers
    Result results[waves(tiling)];
  };
  static_assert(sizeof(Shared) <= facts(arch::current).shared_bytes,
                "gemm: the tiling takes more shared memory than this GPU has");

  using OperandA = OperandTile<Factor, Operand::a, tiling.wave_rows>;
  using OperandB = OperandTile<Factor, Operand::b, tiling.wave_columns>;
  /// The operands of a wave's step, and of the one after it. Past the registers, A's rows are read
  /// anew as soon as they were used.
  struct Operands {
    OperandA a[direct ? 1 : 2];
    OperandB b[2];
  };
  using Sums = ScaledSum<Sum, Scales, ceil_div(most_ahead, block_tiles)>;

  /// A workgroup: of a tile, and a batch; or, In_shares, of a share of the depth of all tiles, or
  /// of a part, a tile and a batch.
  template <bool in_shares>
  HIPSIGHT_INLINE static void run(const Arguments& all, Shared& shared, int x, int y, int z) {
    if constexpr (!in_shares) {
      run_tile(all, shared, x, y);
    } else if constexpr (has_only_parts(size)) {
      run_part(all, shared, all.shares.only_part(z, y, x));
    } else {
      all.shares.for_each_part(x, [&](const TilePart& part) {
        run_part(all, shared, part);
        arch::barrier();  // then shared memory is free
      });
    }
  }

  HIPSIGHT_INLINE static Arguments of_batch(Arguments all, int batch) {
    all.a.data += batch * all.a_batch;
    all.b.data += batch * all.b_batch;
    all.c.data = arch::held(all.c.data + batch * all.c_batch);
    all.c.rows = arch::held(all.c.rows);
    all.c.columns = arch::held(all.c.columns);
    all.c.stride = arch::held(all.c.stride);
    return all;
  }
  /// The tile of C that begins at `first`.
  HIPSIGHT_INLINE static void run_at(const Arguments& arguments, Shared& shared, int batch,
                                     Place first) {
    const Kept sum = sum_of(arguments, shared, batch, first, 0, INT32_MAX);
    store<false>(arguments, shared, batch, first, sum);
  }

 private:
  HIPSIGHT_INLINE static void run_tile(const Arguments& all, Shared& shared, int tile, int batch) {
    const Arguments arguments = of_batch(all, batch);
    run_at(arguments, shared, batch, first_of(arguments.tiles.of(tile)));
  }
  HIPSIGHT_INLINE static void run_part(const Arguments& all, Shared& shared, const TilePart& part) {
    const Arguments arguments = of_batch(all, part.batch);
    const Place first = first_of(arguments.tiles[part.tile]);
    Kept sum = sum_of(arguments, shared, part.batch, first, part.from * unit,
                      (part.to - part.from) * unit);
    // Small tiles have many parts, and registers to spare.
    constexpr int under_way = has_only_parts(size) ? 32 : 16;
    const PartSums<Kept, threads, under_way> sums{all.shares, part,
                                                  arguments.c.rows - first.row - kept_place().row};
    if (!part.is_last) return sums.leave(sum);
    if (part.before > 0) sums.add_others(sum);
    store<true>(arguments, shared, part.batch, first, sum);
  }

  /// Of a tile what a wave computes: its rows and columns, from the first of the depth that it
  /// takes.
  struct Part {
    int row, column, depth;
  };

  HIPSIGHT_INLINE static Place first_of(Place tile) {
    return {tile.row * tiling.rows, tile.column * tiling.columns};
  }
  HIPSIGHT_INLINE static int group() { return arch::wave() / tiling.deep_waves; }
  HIPSIGHT_INLINE static int deep_wave() { return arch::wave() % tiling.deep_waves; }
  HIPSIGHT_INLINE static Part part_of_wave() {
    constexpr int across = tiling.columns / tiling.wave_columns;
    return {group() / across * tiling.wave_rows, group() % across * tiling.wave_columns,
            deep_wave() * wave_depth};
  }
  /// Where in the tile the sums are that the wave has in the end.
  HIPSIGHT_INLINE static Place kept_place() {
    const Part part = part_of_wave();
    const Place kept = Joined::place_of(deep_wave());
    return {part.row + kept.row, part.column + kept.column};
  }

  /// Of the tile that begins at `first`, over `deep` of the depth at the most.
  HIPSIGHT_INLINE static Kept sum_of(const Arguments& arguments, Shared& shared, int batch,
                                     Place first, int depth_at, int deep) {
    constexpr bool a_along = order_a == Order::row_major, b_along = order_b == Order::column_major;
    const Part part = part_of_wave();
    PipelineA a(slice_of<a_along>(arguments.a, depth_at, deep), first.row, shared.operands.a);
    PipelineB b(slice_of<b_along>(arguments.b, depth_at, deep), first.column, shared.operands.b);
    Sums sums(arguments.scales.of(batch, depth_at),
              {first.row + part.row, first.column + part.column},
              {arguments.c.rows, arguments.c.columns}, ceil_div(a.count(), block_tiles));
    multiply_all(a, b, part, sums);
    return shared.joined.join(sums.all, group(), deep_wave());
  }

  /// In a loop over tiles: lanes' places are computed anew for each, and rows that do not exist are
  /// left out.
  template <bool in_loop>
  HIPSIGHT_INLINE static void store(const Arguments& arguments, Shared& shared, int batch,
                                    Place first, const Kept& sum) {
    const Place kept = kept_place();
    const Results results(arguments, batch, first);
    const auto store_all = [&](auto vectors) {
      shared.results[arch::wave()].template for_each_run<in_loop, vectors>(
          in_loop ? natural(arch::anew(arch::lane())) : arch::lane(), sum,
          results.c.rows - kept.row, [&](Place at, const auto& values) {
            results.store({at.row + kept.row, at.column + kept.column}, values);
          });
    };
    if (results.takes_vectors()) [[likely]]
      store_all(Constant<true>());
    else
      store_all(Constant<false>());
  }

  template <bool along, class Matrix>
  HIPSIGHT_INLINE static Matrix slice_of(const Matrix& operand, int at, int deep) {
    Matrix part = along ? operand.from(0, at) : operand.from(at, 0);
    int& rest = along ? part.columns : part.rows;
    if (rest > deep) rest = deep;
    return part;
  }

  HIPSIGHT_INLINE static int depth_of(const Part& part, int step) {
    return part.depth + step % steps * Step::layout.depth;
  }

  /// Tile t, of which the first operands are in registers. While it is multiplied, the next one is
  /// on its way to shared memory, and then the one after it is asked for. A step's operands are
  /// read during the step before. So there is one barrier for each tile, before the last step,
  /// whose operands are in registers. What came through registers is written a step earlier, so
  /// that nothing waits for that; but not on GPUs that can do without, where only transposed
  /// operands do, which have no registers left.
  template <bool known_to_fit>
  HIPSIGHT_INLINE static void multiply_tile_staged(PipelineA& a, PipelineB& b, int t,
                                                   const Part& part, Operands& operands, Sum& sum) {
    constexpr int younger =
        known_to_fit ? PipelineA::younger_requests + PipelineB::younger_requests : 0;
    constexpr int last = steps - 1;
    constexpr int written = arch::direct_copies ? last : last - 1;
    HIPSIGHT_UNROLL
    for (int step = 0; step < steps; step++) {
      if (step == written) {
        if (tiling.ahead > 1) arch::keep_order();
        a.template finish<known_to_fit, younger>(t + 1);
        b.template finish<known_to_fit, younger>(t + 1);
      }
      if (step == last) arch::barrier<(younger > 0)>();
      if (step == written) a.start(t + 1 + a.ahead), b.start(t + 1 + b.ahead);
      const int next = (step + 1) % 2, tile = t + (step == last), from = depth_of(part, step + 1);
      operands.a[next].load(a[tile], part.row, from);
      operands.b[next].load(b[tile], part.column, from);
      multiply(operands.a[step % 2], operands.b[step % 2], sum);
      if (known_to_fit && step == written)
        arch::interleave<OperandA::reads + OperandB::reads,
                         PipelineA::requests + PipelineB::requests>();
    }
  }

  /// When what happens in multiply_tile_direct(), in blocks of A's rows from a tile's begin.
  struct Times {
    static constexpr int blocks = OperandA::blocks, all = steps * blocks;
    /// All of this tile is in registers: its place is free, if it is needed as early as that.
    static constexpr int free = tiling.ahead > 1 ? all - 1 : all - blocks;
    /// The next one is needed: it is read while the last block is multiplied.
    static constexpr int arrived = all - 1;
    /// Then so many requests a block, in half a tile.
    static constexpr int requests = PipelineA::requests + PipelineB::requests;
    static constexpr int requests_a_block = ceil_div(4 * requests, 3 * all);
    /// Of those for the tile that comes into this one's place, made before `time`.
    HIPSIGHT_INLINE static constexpr int made_before(int time) {
      const int made = time > free ? (time - free) * requests_a_block : 0;
      return made < requests ? made : requests;
    }
    static constexpr int younger = (tiling.ahead - 1) * requests + made_before(arrived);
  };

  /// Requests [begin, end) for tile t, A's before B's.
  template <int begin, int end>
  HIPSIGHT_INLINE static void request(PipelineA& a, PipelineB& b, int t) {
    unroll<end - begin>([&](auto i) {
      constexpr int number = begin + i, of_b = number - PipelineA::requests;
      if constexpr (of_b < 0)
        a.template request<number>(t);
      else
        b.template request<of_b>(t);
    });
  }

  /// The same past the registers. A wave that waits until a request is taken does not multiply:
  /// they are made one by one between blocks of products. With one tile ahead its place is free, by
  /// a barrier of its own, before the next one must be there.
  template <bool known_to_fit>
  HIPSIGHT_INLINE static void multiply_tile_direct(PipelineA& a, PipelineB& b, int t,
                                                   const Part& part, Operands& operands, Sum& sum) {
    unroll<Times::all>([&](auto time) {
      constexpr int step = time / Times::blocks, block = time % Times::blocks, last = steps - 1;
      const int from = depth_of(part, step + 1);
      OperandA& rows = operands.a[0];
      OperandB& next_columns = operands.b[(step + 1) % 2];
      arch::keep_order();
      if constexpr (time == Times::free && Times::free < Times::arrived) arch::barrier<true>();
      if constexpr (time == Times::arrived) {
        constexpr int younger = known_to_fit ? Times::younger : 0;
        a.template finish<known_to_fit, younger>(t + 1);
        b.template finish<known_to_fit, younger>(t + 1);
        arch::barrier<(younger > 0)>();
        unroll<block>([&](auto used) { rows.template load_block<used>(a[t + 1], part.row, from); });
        next_columns.load(b[t + 1], part.column, from);
      } else if constexpr (step < last && block == 0) {
        next_columns.load(b[t], part.column, from);
      }
      constexpr bool of_this = time >= Times::free;  // else the rest for the one before
      constexpr int at = of_this ? time : time + Times::all;
      request<Times::made_before(at), Times::made_before(at + 1)>(a, b, t + of_this + tiling.ahead);
      multiply_block<block>(rows, operands.b[step % 2], sum);
      if constexpr (step < last || time >= Times::arrived)
        rows.template load_block<block>(a[t + (step == last)], part.row, from);
    });
  }

  template <bool known_to_fit>
  HIPSIGHT_INLINE static void multiply_tile(PipelineA& a, PipelineB& b, int t, const Part& part,
                                            Operands& operands, Sum& sum) {
    if constexpr (direct)
      multiply_tile_direct<known_to_fit>(a, b, t, part, operands, sum);
    else
      multiply_tile_staged<known_to_fit>(a, b, t, part, operands, sum);
  }

  HIPSIGHT_INLINE static void multiply_all(PipelineA& a, PipelineB& b, const Part& part,
                                           Sums& sums) {
    // So many at a time that it is known what lies where.
    constexpr int turn = most(most(PipelineA::buffers, PipelineB::buffers),
                              most(most_ahead, Scales::used ? Sums::group * block_tiles : 1));
    HIPSIGHT_UNROLL
    for (int t = 0; t < most_ahead; t++) {
      if (t < a.ahead) a.start(t);
      if (t < b.ahead) b.start(t);
    }
    sums.clear();
    Operands operands;
    const int fitting = a.fitting() < b.fitting() ? a.fitting() : b.fitting();
    // Two branches, one of which is always taken, not one or the other: that would be three jumps.
    const bool fits = fitting > 0, does_not = arch::held(fitting) == 0;
    if (fits) [[likely]]
      a.template finish<true>(0), b.template finish<true>(0);
    if (does_not) a.finish(0), b.finish(0);
    arch::barrier();
    if constexpr (direct)
      request<0, Times::made_before(Times::all)>(a, b, tiling.ahead);
    else
      a.start(a.ahead), b.start(b.ahead);
    operands.a[0].load(a[0], part.row, part.depth);
    operands.b[0].load(b[0], part.column, part.depth);
    // The last tile that fits is followed by nothing, or by one that does not.
    const int known = fitting == a.count() ? fitting : fitting - 1;
    int t = 0;
    for (; t + turn <= known; t += turn) {
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
    if constexpr (PipelineA::direct)
      PipelineA::end();
    else
      PipelineB::end();
  }

  /// What is computed, side by side.
  using Run = Vector<float, Result::width>;

  /// A tile of C. The epilogue is asked only of places that exist.
  struct Results {
    const After& epilogue;
    int batch;
    Place first;
    InC c;
    static constexpr int width = Result::width;

    HIPSIGHT_INLINE Results(const Arguments& arguments, int batch, Place first)
        : epilogue(arguments.epilogue),
          batch(batch),
          first(first),
          c(arguments.c.from(first.row, first.column)) {}

    HIPSIGHT_INLINE bool takes_vectors() const {
      return c.template takes_vectors<width>(tiling.columns);
    }

    HIPSIGHT_INLINE void store(Place at, const Run& values) const {
      c.store(at.row, at.column, tiling.rows,
              from_f32<Out, width>(apply<width>(epilogue, values, place(at, width))));
    }
    HIPSIGHT_INLINE void store(Place at, float value) const {
      c.store_one(at.row, at.column, tiling.rows, narrow<Out>(epilogue(value, place(at, 1))));
    }

   private:
    HIPSIGHT_INLINE ResultPlace place(Place at, int columns) const {
      const Place inside = c.inside(at, columns);
      return {batch, first.row + inside.row, first.column + inside.column};
    }
  };
};

}  // namespace hipsight::kernels
