// An operand's way into shared memory: one tile after the other, along its depth.
#pragma once

#include <type_traits>

#include "copy.h"

namespace hipsight::kernels {

/// Lines of a matrix as tiles, of which two are in shared memory: tile t in tiles[t % 2]. Those at
/// the front that fit are fetched while others are worked on, the others when they are needed.
template <class Shared, bool Along, int Threads>
class Pipeline {
  using T = typename Shared::Element;
  using Direct = DirectCopy<Shared, Threads>;
  using TileCopy =
      std::conditional_t<Along && Direct::possible, Direct, Copy<Shared, Along, Threads>>;

 public:
  static constexpr int requests = TileCopy::requests;

  /// `matrix` has the lines as rows if Along, else as columns.
  HIPSIGHT_INLINE Pipeline(const GlobalTile<const T>& matrix, int first_line, Shared (&tiles)[2])
      : lines_(Along ? matrix.from(first_line, 0) : matrix.from(0, first_line)), tiles_(tiles) {
    const int deep = Along ? lines_.columns : lines_.rows;
    count_ = ceil_div(deep, Shared::depth);
    fitting_ = TileCopy::fits(lines_) ? deep / Shared::depth : 0;
  }

  HIPSIGHT_INLINE int count() const { return count_; }
  HIPSIGHT_INLINE int fitting() const { return fitting_; }

  /// Asks for tile t; the one asked for before must be finished. `known` to fit: without a
  /// question.
  template <bool known = false>
  HIPSIGHT_INLINE void start(int t) {
    if (known || t < fitting_) copy_.start(tile(t), tiles_[t % 2]);
  }

  /// Writes tile t when it is there; a barrier must follow.
  template <bool known = false>
  HIPSIGHT_INLINE void finish(int t) {
    if (known || t < fitting_)
      copy_.finish(tiles_[t % 2]);
    else if (t < count_)
      copy_.now(tile(t), tiles_[t % 2]);
  }

  HIPSIGHT_INLINE const Shared& operator[](int t) const { return tiles_[t % 2]; }

 private:
  HIPSIGHT_INLINE GlobalTile<const T> tile(int t) const {
    return Along ? lines_.from(0, t * Shared::depth) : lines_.from(t * Shared::depth, 0);
  }

  GlobalTile<const T> lines_;
  Shared (&tiles_)[2];
  int count_, fitting_;
  TileCopy copy_;
};

}  // namespace hipsight::kernels
