// The windows of a convolution as a matrix: a row for each place of the result, a column for each
// tap and channel, as if they had been copied side by side ("im2col"). They are not: a tile is read
// from the images.
#pragma once

#include "../tile/divisor.h"
#include "../tile/global_tile.h"

namespace hipsight::kernels {

/// One dimension of a window. Place p of the result meets with tap t the pixel
/// (p * times + plus + t * step) / by of the image, if that is whole and there is one.
struct WindowAxis {
  int times, plus, step;
  Divisor by;
  int size;  // of the image

  /// `at` / by, or what no image has if that is not whole.
  HIPSIGHT_INLINE int divided(int at) const {
    const int whole = at < 0 ? -1 : at / by;
    return whole * by.number == at ? whole : -1;
  }
  HIPSIGHT_INLINE bool has(int at) const {
    return static_cast<unsigned>(at) < static_cast<unsigned>(size);
  }
};

/// `rows` and `columns` are those of the matrix that exist from here on, `stride` the elements from
/// a pixel to the next one. `Divided`: whether any axis divides.
template <class Value, bool Divided>
struct WindowTile : GlobalTile<Value> {
  using typename GlobalTile<Value>::Plain;

  int images;          // from `data` on
  int image_elements;  // from an image to the next; within 2 GiB
  Divisor places;      // of the result, of an image
  Divisor across;      // of the result, of a line
  Divisor channels;    // that a window has
  Divisor taps_across;
  WindowAxis high, wide;
  int first_row = 0, first_column = 0;

  /// `data` goes to the image of the first row.
  HIPSIGHT_INLINE WindowTile from(int row, int column) const {
    WindowTile tile = *this;
    tile.rows -= row, tile.columns -= column;
    tile.first_column += column;
    if (row == 0) return tile;
    tile.first_row += row;
    const int further = tile.first_row / places;
    tile.first_row -= further * places.number;
    tile.images -= further;
    tile.data += static_cast<std::int64_t>(further) * image_elements;
    return tile;
  }

  /// Runs of Count columns are of one tap.
  template <int Count>
  HIPSIGHT_INLINE bool takes_vectors(int width) const {
    return channels.number % Count == 0 && GlobalTile<Value>::template takes_vectors<Count>(width);
  }

  /// Bytes of the images that a tile of 256 rows may touch; the host makes sure that they are
  /// within 2 GiB.
  HIPSIGHT_INLINE std::uint32_t limit(int = 0) const {
    const int some = images < most_images ? images : most_images;
    return some > 0 && this->rows > 0
               ? static_cast<std::uint32_t>(some) * image_elements * sizeof(Value)
               : 0;
  }
  static constexpr int most_images = 256;

  /// What is kept of a row: bytes to its image (or, not divided, to the first tap's pixel), and
  /// that pixel.
  struct Line {
    std::uint32_t origin;
    int high, wide;
  };
  HIPSIGHT_INLINE Line line(int row) const {
    const int at = first_row + row, image = at / places, place = at - image * places.number;
    const int y = place / across, x = place - y * across.number;
    Line line{bytes(image * image_elements), y * high.times + high.plus,
              x * wide.times + wide.plus};
    if (!Divided) line.origin += bytes((line.high * wide.size + line.wide) * this->stride);
    if (row >= this->rows) line.high = nothing;
    return line;
  }
  /// In bytes after `data`; beyond all where there is no pixel.
  HIPSIGHT_INLINE std::uint32_t offset_of(const Line& line, int column) const {
    const int at = first_column + column, tap = at / channels, channel = at - tap * channels.number;
    const int r = tap / taps_across, s = tap - r * taps_across.number;
    int y = line.high + r * high.step, x = line.wide + s * wide.step;
    std::uint32_t pixel = line.origin;
    if constexpr (Divided) {
      y = high.divided(y), x = wide.divided(x);
      pixel += bytes((y * wide.size + x) * this->stride);
    } else {
      pixel += bytes((r * high.step * wide.size + s * wide.step) * this->stride);
    }
    return high.has(y) && wide.has(x) ? pixel + bytes(channel) : nowhere;
  }

  /// Count values of a row, at once: where takes_vectors<Count>().
  template <int Count, bool = false>
  HIPSIGHT_INLINE auto load_below(int row, int column, std::uint32_t limit) const {
    return arch::load<Vector<Plain, Count>>(this->data, offset(row, column), limit);
  }
  /// Count values of a row, wherever taps and the matrix end.
  template <int Count>
  HIPSIGHT_INLINE auto load_any(int row, int column, int) const {
    Vector<Plain, Count> values;
    HIPSIGHT_UNROLL
    for (int i = 0; i < Count; i++)
      values[i] = arch::load<Plain>(this->data, offset(row, column + i), limit());
    return values;
  }

 private:
  static constexpr std::uint32_t nowhere = 1u << 31;
  static constexpr int nothing = 1 << 29;  // no tap brings it back to an image

  HIPSIGHT_INLINE static std::uint32_t bytes(int elements) {
    return static_cast<std::uint32_t>(elements) * static_cast<std::uint32_t>(sizeof(Value));
  }
  HIPSIGHT_INLINE std::uint32_t offset(int row, int column) const {
    return column < this->columns ? offset_of(line(row), column) : nowhere;
  }
};

}  // namespace hipsight::kernels
