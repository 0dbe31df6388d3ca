// An operand's way into shared memory: one tile after the other, along its depth.
#pragma once

#include <type_traits>

#include "copy.h"
#include "indexed_tile.h"

namespace hipsight::kernels {

/// What is kept of the lines that a work-item copies from; nothing, if all follows from their
/// numbers.
template <class Matrix, class Lines, bool Along>
struct KeptLines {
  HIPSIGHT_INLINE explicit KeptLines(const Matrix&) {}
};
template <class Matrix, class Lines>
  requires requires(const Matrix& matrix) { matrix.line(0); }
struct KeptLines<Matrix, Lines, true> {
  typename Matrix::Line lines[Lines::numbered_lines];

  HIPSIGHT_INLINE explicit KeptLines(const Matrix& matrix) {
    Lines::for_lines([&](int number, int line) { lines[number] = matrix.line(line); });
  }
};

/// Lines of a matrix as tiles, of which some are in shared memory: tile t in tiles[t % buffers].
/// Those at the front that fit are fetched while others are worked on, `Ahead` at a time, the
/// others when they are needed. `From`: the type in global memory, as in Copy; `Matrix`: where it
/// lies there: a GlobalTile, or what has its functions.
template <class Shared, bool Along, int Threads, int Ahead = 1,
          class From = typename Shared::Element, class Matrix = GlobalTile<const From>>
class Pipeline {
  using Direct = DirectCopy<Shared, Threads>;

 public:
  /// Past the registers: a tile's place must be free when it is asked for.
  static constexpr bool direct =
      Along && Direct::possible && std::is_same_v<From, typename Shared::Element>;

 private:
  using TileCopy = std::conditional_t<direct, Direct, Copy<Shared, Along, Threads, !Along, From>>;

 public:
  /// What is fetched through registers is so for 1, 2 or 4 tiles, so that it is known where.
  static constexpr int ahead = direct || Ahead != 3 ? Ahead : 2;
  static constexpr int buffers = direct ? ahead + 1 : 2;
  static_assert((buffers & (buffers - 1)) == 0, "Pipeline: the buffers must be a power of two");
  static constexpr int requests = TileCopy::requests;
  /// Those past the registers that follow a tile's, and may be under way when it is finished.
  static constexpr int younger_requests = direct ? (ahead - 1) * requests : 0;

  /// `matrix` has the lines as rows if Along, else as columns.
  HIPSIGHT_INLINE Pipeline(const Matrix& matrix, int first_line, Shared (&tiles)[buffers])
      : lines_(Along ? matrix.from(first_line, 0) : matrix.from(0, first_line)),
        tiles_(tiles),
        kept_(lines_) {
    lines_.data = arch::held(lines_.data);  // not to be found anew for a loop
    const int deep = natural(Along ? lines_.columns : lines_.rows);
    count_ = ceil_div(deep, Shared::depth);
    fitting_ = TileCopy::fits(lines_) ? deep / Shared::depth : 0;
    limit_ = lines_.limit(Along ? Shared::lines : Shared::depth);
  }

  HIPSIGHT_INLINE int count() const { return count_; }
  HIPSIGHT_INLINE int fitting() const { return fitting_; }

  /// Asks for tile t, or, without a question, for nothing where it does not fit; tile t - ahead
  /// must be finished.
  HIPSIGHT_INLINE void start(int t) {
    HIPSIGHT_UNROLL
    for (int i = 1; i < ahead; i++) copies_[i - 1] = copies_[i];
    copies_[ahead - 1].start(known(t), tiles_[t % buffers]);
  }
  /// One of the requests that start(t) makes, past the registers.
  template <int i>
  HIPSIGHT_INLINE void request(int t) {
    TileCopy::template request<i>(known(t), tiles_[t % buffers]);
  }

  /// Of what was asked for past the registers, nothing is under way then. Where one wave copies for
  /// others (WaveRoles), its own wait is enough: a barrier here would be one more than they pass.
  HIPSIGHT_INLINE static void end() {
    if (!direct) return;
    arch::wait_for_copies<0>();
    if constexpr (Threads > arch::wave_size) arch::barrier();
  }

  /// Writes tile t, of those asked for the first one, when it is there; a barrier must follow. Of
  /// what was asked for later, past the registers, `younger` requests may be under way still.
  template <bool known = false, int younger = 0>
  HIPSIGHT_INLINE void finish(int t) {
    if (known || t < fitting_) [[likely]]
      copies_[0].template finish<younger>(tiles_[t % buffers]);
    if (!known && t >= fitting_ && t < count_) [[unlikely]]
      end(), TileCopy::now(tile(t), tiles_[t % buffers]);
  }

  HIPSIGHT_INLINE const Shared& operator[](int t) const { return tiles_[t % buffers]; }

 private:
  /// A tile that fits. Its limit, the same for all of them, is not found anew for each request.
  struct Known {
    Matrix tile;
    std::uint32_t limit;
    template <int Count, bool inside = false>
    HIPSIGHT_INLINE auto load(int row, int column, int) const {
      return tile.template load_below<Count, inside>(row, column, limit);
    }
    HIPSIGHT_INLINE void copy(int row, int column, int, Chunk<From>* to) const {
      tile.copy_below(row, column, limit, to);
    }
  };
  /// The same of lines of which something is kept.
  using Kept = KeptLines<Matrix, TileCopy, Along>;
  struct KnownLines {
    Matrix tile;
    const Kept& kept;
    std::uint32_t limit;
    template <int Count>
    HIPSIGHT_INLINE auto load_line(int number, int column) const {
      return arch::load<Vector<From, Count>>(tile.data, at(number, column), limit);
    }
    HIPSIGHT_INLINE void copy_line(int number, int column, Chunk<From>* to) const {
      arch::copy_to_shared<From>(tile.data, at(number, column), limit, to);
    }

   private:
    HIPSIGHT_INLINE std::uint32_t at(int number, int column) const {
      return tile.offset_of(kept.lines[number], column);
    }
  };
  HIPSIGHT_INLINE auto known(int t) const {
    const std::uint32_t limit = t < fitting_ ? limit_ : 0;
    if constexpr (requires { kept_.lines; })
      return KnownLines{tile(t), kept_, limit};
    else
      return Known{tile(t), limit};
  }
  HIPSIGHT_INLINE Matrix tile(int t) const {
    return Along ? lines_.from(0, t * Shared::depth) : lines_.from(t * Shared::depth, 0);
  }

  Matrix lines_;
  Shared (&tiles_)[buffers];
  [[no_unique_address]] Kept kept_;
  int count_, fitting_;
  std::uint32_t limit_;
  TileCopy copies_[ahead];
};

}  // namespace hipsight::kernels
