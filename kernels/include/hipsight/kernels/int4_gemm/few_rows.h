// A GEMM of weights in 4 bits for few rows of A, as a step of decoding has: what it takes is to
// read the weights once. They go from memory straight to the registers of the matrix unit.
#pragma once

#include "problem.h"

namespace hipsight::kernels {

/// The most rows: those of a matrix step.
HIPSIGHT_INLINE constexpr int few_rows(Architecture architecture) {
  switch (architecture) {
    case Architecture::cdna2:
    case Architecture::cdna3:
    case Architecture::cdna4:
      return 32;
    case Architecture::host:
      return 4;
    default:
      return 16;
  }
}

HIPSIGHT_INLINE constexpr int few_rows_columns(Architecture architecture) {
  return architecture == Architecture::ampere ? 32 : few_rows(architecture);
}

inline constexpr int few_rows_waves = 8;  // of a workgroup
HIPSIGHT_INLINE constexpr int few_rows_threads(Architecture architecture) {
  return (architecture == Architecture::host ? 1 : few_rows_waves) * facts(architecture).wave;
}

template <class Value, class Out, class After>
struct FewRowsArguments {
  GlobalTile<const Value> a;
  Int4Tile<Value> b;
  GlobalTile<Out> c;
  After epilogue;
};

/// What a workgroup does: columns of C, of which each wave sums its share of the depth. As the
/// order of a sum is free, a lane takes 32 weights of a column that lie side by side, 16 bytes, for
/// as many matrix steps as these feed, and of A what belongs to them.
template <class Value, class Out, Epilogue After>
struct FewRowsWorkgroup {
  using Arguments = FewRowsArguments<Value, Out, After>;
  using Step = arch::MatrixStep<Value>;
  static constexpr int rows = Step::layout.rows, columns = Step::layout.columns;
  static_assert(rows == few_rows(arch::current) && columns == few_rows_columns(arch::current),
                "int4_gemm: few_rows() and few_rows_columns() must be those of a matrix step");
  static constexpr int threads = few_rows_threads(arch::current),
                       waves = threads / facts(arch::current).wave;
  static constexpr int ahead = 2;  // chunks that are on their way

  /// Of a line a lane holds so many values side by side in a step; so many lanes share the line.
  static constexpr int held = Step::layout.b.element[0].count;
  static constexpr int sharing = Step::layout.depth / held;
  static constexpr int steps = int4_chunk / held;     // that a chunk feeds
  static constexpr int depth = int4_chunk * sharing;  // of a chunk of all lanes
  static constexpr int lines_of_a = Step::layout.a.elements() / held,
                       lines_of_b = Step::layout.b.elements() / held;
  static_assert(held == Step::layout.a.element[0].count && int4_chunk % held == 0 &&
                    held % chunk_size<Value> == 0,
                "int4_gemm: a lane must hold as much of A's lines as of B's, in whole chunks");

  using Sum = Accumulator<Value, rows, columns>;
  struct Shared {
    float sums[waves > 1 ? waves / 2 : 1][Sum::elements][facts(arch::current).wave];
  };

  HIPSIGHT_INLINE static void run(const Arguments& all, Shared& shared, int workgroup) {
    const int first = workgroup * columns;
    const Int4Tile<Value> b = all.b.from(first, 0);
    Sum sum;
    sum.clear();
    Chunks chunks[ahead];
    const int wave = arch::wave(), end = ceil_div(b.columns, depth);
    HIPSIGHT_UNROLL
    for (int i = 0; i < ahead; i++) chunks[i].load(all.a, b, wave + i * waves);
    // What is beyond the end reads as zeros.
    for (int chunk = wave; chunk < end; chunk += ahead * waves) {
      HIPSIGHT_UNROLL
      for (int i = 0; i < ahead; i++) {
        chunks[i].multiply(sum);
        chunks[i].load(all.a, b, chunk + (i + ahead) * waves);
      }
    }
    if (join(sum, shared)) store(all, first, sum);
  }

 private:
  /// What a lane has of a chunk.
  struct Chunks {
    Int4Chunk<Value> b[lines_of_b];
    Vector<Value, held> a[steps][lines_of_a];

    HIPSIGHT_INLINE void load(const GlobalTile<const Value>& from_a, const Int4Tile<Value>& from_b,
                              int number) {
      constexpr Layout of_a = Step::layout.a, of_b = Step::layout.b;
      HIPSIGHT_UNROLL
      for (int i = 0; i < lines_of_b; i++) {
        const Place at = of_b(arch::lane(), i * held);
        b[i] = from_b.template load<int4_chunk>(at.row, depth_of(number, at), columns);
      }
      HIPSIGHT_UNROLL
      for (int i = 0; i < lines_of_a; i++) {
        const Place at = of_a(arch::lane(), i * held);
        HIPSIGHT_UNROLL
        for (int s = 0; s < steps; s++)
          a[s][i] = read(from_a, at.row, depth_of(number, at) + s * held);
      }
    }

    HIPSIGHT_INLINE void multiply(Sum& sum) const {
      Vector<Value, int4_chunk> wide[lines_of_b];
      HIPSIGHT_UNROLL
      for (int i = 0; i < lines_of_b; i++) wide[i] = b[i].template widened<Value>();
      HIPSIGHT_UNROLL
      for (int s = 0; s < steps; s++) {
        typename Step::OfA rows;
        typename Step::OfB lines;
        HIPSIGHT_UNROLL
        for (int k = 0; k < held; k++) {
          HIPSIGHT_UNROLL
          for (int i = 0; i < lines_of_a; i++) rows[i * held + k] = a[s][i][k];
          HIPSIGHT_UNROLL
          for (int i = 0; i < lines_of_b; i++) lines[i * held + k] = wide[i][s * held + k];
        }
        Step::multiply(rows, lines, sum.block[0][0]);
      }
    }

   private:
    /// The first of a lane's 32 depths, by where it is in a step.
    HIPSIGHT_INLINE static int depth_of(int number, Place at) {
      return number * depth + at.column / held * int4_chunk;
    }
    HIPSIGHT_INLINE static Vector<Value, held> read(const GlobalTile<const Value>& from, int row,
                                                    int column) {
      Vector<Value, held> values;
      constexpr int n = chunk_size<Value>;
      HIPSIGHT_UNROLL
      for (int c = 0; c < held; c += n) {
        const Vector<Value, n> some = arch::any_alignment
                                          ? from.template load<n>(row, column + c, rows)
                                          : from.template load_any<n>(row, column + c, rows);
        HIPSIGHT_UNROLL
        for (int k = 0; k < n; k++) values[c + k] = some[k];
      }
      return values;
    }
  };

  /// Adds up the waves' sums: true for the wave that has the result.
  HIPSIGHT_INLINE static bool join(Sum& sum, Shared& shared) {
    const int wave = arch::wave(), lane = arch::lane();
    HIPSIGHT_UNROLL
    for (int half = waves / 2; half > 0; half /= 2) {
      if (wave >= half && wave < 2 * half) {
        HIPSIGHT_UNROLL
        for (int e = 0; e < Sum::elements; e++)
          shared.sums[wave - half][e][lane] = sum.block[0][0][e];
      }
      arch::barrier();
      if (wave < half) {
        HIPSIGHT_UNROLL
        for (int e = 0; e < Sum::elements; e++) sum.block[0][0][e] += shared.sums[wave][e][lane];
      }
      arch::barrier();
    }
    return wave == 0;
  }

  HIPSIGHT_INLINE static void store(const Arguments& all, int first, const Sum& sum) {
    const GlobalTile<Out> c = all.c.from(0, first);
    sum.template for_each_run<1>([&](Place at, const Vector<float, 1>& value) {
      if (at.row < c.rows && at.column < c.columns)
        c.store_one(at.row, at.column, rows,
                    narrow<Out>(all.epilogue(value[0], {0, at.row, first + at.column})));
    });
  }
};

}  // namespace hipsight::kernels
