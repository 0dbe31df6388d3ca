// A convolution and its gradients as products of matrices, and what is wrong with them.
#pragma once

#include "../gemm/tiled_problem.h"
#include "turn_filters.h"
#include "window_tile.h"

namespace hipsight::kernels {

/// Images, or what has their form: channels side by side, then pixels, lines and images ("NHWC").
template <class Value>
struct Images {
  using Element = Value;

  Value* data;
  int count, height, width, channels;
  /// Elements from a pixel to the next; 0: `channels`.
  int pixel_stride = 0;

  int stride() const { return pixel_stride ? pixel_stride : channels; }
  std::int64_t pixels() const { return product({count, height, width}); }
};

/// Filters: channels of a group side by side, then taps, lines of taps and filters ("KRSC").
template <class Value>
struct Filters {
  using Element = Value;

  Value* data;
  int count, height, width, channels;

  int taps() const { return height * width; }
};

template <class Value>
std::size_t elements_of(const Filters<Value>& filters) {
  return static_cast<std::size_t>(product({filters.count, filters.taps(), filters.channels}));
}

/// How filters meet images: {high, wide} each. Padding is zeros.
struct Convolved {
  int stride[2] = {1, 1};
  int padding[2] = {0, 0};
  int dilation[2] = {1, 1};
  /// Filters and channels are of so many groups, each of which meets its own.
  int groups = 1;

  bool is_strided() const { return stride[0] != 1 || stride[1] != 1; }
  /// Of the result, 0 if a filter does not fit.
  int size_of_result(int axis, int image, int filter) const {
    const std::int64_t rest = std::int64_t{image} + 2 * std::int64_t{padding[axis]} -
                              std::int64_t{dilation[axis]} * (filter - 1) - 1;
    return rest < 0 ? 0 : static_cast<int>(rest / stride[axis] + 1);
  }
};

/// What is given, without types.
struct ConvolutionSizes {
  int images, height, width, channels;      // of the images
  int filters, taps_high, taps_wide, deep;  // of the filters
  int of_images, high, wide, of_filters;    // of the result
  int image_stride, result_stride;          // from a pixel to the next
  int element_bytes;
  Convolved how;

  int taps() const { return taps_high * taps_wide; }
  int filters_of_group() const { return filters / how.groups; }
};

template <class Value, class Filter, class Result>
ConvolutionSizes sizes_of(const Images<Value>& x, const Filters<Filter>& w, const Images<Result>& y,
                          const Convolved& how) {
  return {x.count, x.height, x.width, x.channels, w.count,    w.height,   w.width,       w.channels,
          y.count, y.height, y.width, y.channels, x.stride(), y.stride(), sizeof(Value), how};
}

HIPSIGHT_APART inline void check_convolution(Check& check, const ConvolutionSizes& s) {
  const Convolved& how = s.how;
  for (const int size : {s.images, s.height, s.width, s.channels, s.filters, s.taps_high,
                         s.taps_wide, s.deep, s.of_images, s.high, s.wide, s.of_filters})
    if (size < 0) return check.fail("a size is negative: ", size);
  for (int axis = 0; axis < 2; axis++)
    if (how.stride[axis] < 1 || how.dilation[axis] < 1 || how.padding[axis] < 0)
      return check.fail("strides and dilations must be 1 or more, padding 0 or more");
  if (how.groups < 1) return check.fail("there are ", how.groups, " groups: it must be 1 or more");
  if (s.taps_high < 1 || s.taps_wide < 1)
    return check.fail("filters are of ", s.taps_high, " x ", s.taps_wide, " taps");
  if (s.filters % how.groups || s.channels % how.groups)
    return check.fail(s.filters, " filters and ", s.channels, " channels are not of ", how.groups,
                      " equal groups");
  if (s.deep != s.channels / how.groups)
    return check.fail("filters have ", s.deep, " channels and a group of the images has ",
                      s.channels / how.groups);
  const int high = how.size_of_result(0, s.height, s.taps_high),
            wide = how.size_of_result(1, s.width, s.taps_wide);
  if (s.of_images != s.images || s.high != high || s.wide != wide || s.of_filters != s.filters)
    return check.fail("the result is ", s.of_images, " x ", s.high, " x ", s.wide, " x ",
                      s.of_filters, " and must be ", s.images, " x ", high, " x ", wide, " x ",
                      s.filters);
  if (s.image_stride < s.channels || s.result_stride < s.filters)
    return check.fail("pixels overlap: a stride is less than the channels");
  constexpr std::int64_t most = INT32_MAX - 4096;
  const auto bytes = [&](int height, int width, int stride, int images) {
    return product({height, width, stride, std::min(images, 256), s.element_bytes});
  };
  for (const std::int64_t size : {bytes(s.height, s.width, s.image_stride, s.images),
                                  bytes(s.high, s.wide, s.result_stride, s.images),
                                  product({s.filters, s.taps(), s.deep, s.element_bytes})})
    if (size > most)
      return check.fail("256 images, or the filters, have ", size,
                        " bytes: kernels take less than 2^31");
  if (product({s.images, std::max(1, s.high), std::max(1, s.wide)}) > most ||
      product({s.images, std::max(1, s.height), std::max(1, s.width)}) > most)
    check.fail("there are more than 2^31 pixels");
  // Where an image begins, and all places that a tap may reach.
  for (int axis = 0; axis < 2; axis++) {
    const std::int64_t size = axis ? s.width : s.height, taps = axis ? s.taps_wide : s.taps_high;
    if (size + 2 * std::int64_t{how.padding[axis]} + how.dilation[axis] * taps >= 1 << 24)
      check.fail("images, with their padding, are larger than 2^24 pixels");
  }
}

/// Orders of two matrices, as a type.
template <Order a, Order b>
struct Ordered {};

/// Which of the three: the result, the gradient of the images, or that of the filters.
enum class Convolution { result, images, filters };

/// A matrix in memory, of a row-major order, whose batches are `batch` elements apart.
template <class Value>
GlobalTile<Value> lines_of_memory(Value* data, std::int64_t rows, int columns, int stride,
                                  int batch) {
  const auto in_chunks = [](std::int64_t elements) {
    return elements * static_cast<int>(sizeof(Value)) % chunk_bytes == 0;
  };
  return {data, static_cast<int>(rows), columns, stride,
          reinterpret_cast<std::uintptr_t>(data) % chunk_bytes == 0 && in_chunks(stride) &&
              in_chunks(batch)};
}

/// What the three are products of: images x, filters w and the result y, or gradients in their
/// places.
template <class Value>
class ConvolutionTiles {
 public:
  ConvolutionTiles(const Images<Value>& x, const Filters<Value>& w, const Images<Value>& y,
                   const Convolved& how)
      : x_(x), w_(w), y_(y), how_(how), of_group_(w.count / how.groups) {}

  /// Rows are the result's pixels, columns taps and channels.
  WindowTile<const Value, false> windows() const {
    return windows<false>(x_, w_.channels, y_,
                          {axis(how_.stride[0], -how_.padding[0], how_.dilation[0], 1),
                           axis(how_.stride[1], -how_.padding[1], how_.dilation[1], 1)});
  }
  /// Rows are the images' pixels, columns taps and filters: what of the result a pixel is in.
  template <bool strided>
  WindowTile<const Value, strided> windows_back() const {
    return windows<strided>(y_, of_group_, x_,
                            {axis(1, how_.padding[0], -how_.dilation[0], how_.stride[0]),
                             axis(1, how_.padding[1], -how_.dilation[1], how_.stride[1])});
  }
  /// Rows are filters, columns taps and channels.
  template <class Element>
  GlobalTile<Element> filters() const {
    return lines_of_memory<Element>(w_.data, of_group_, of_filter(), of_filter(),
                                    static_cast<int>(filters_batch()));
  }
  /// Of filters with channels and filters turned. Rows are channels, columns taps and filters.
  GlobalTile<const Value> turned_filters(const Value* data) const {
    const int of_channel = w_.taps() * of_group_;
    return lines_of_memory(data, w_.channels, of_channel, of_channel, w_.channels * of_channel);
  }
  TurnFilters<Value> turn(Value* to) const {
    return {w_.data, to, of_group_, w_.taps(), w_.channels, how_.groups};
  }
  /// Rows are pixels, columns the channels of a group.
  template <class Element>
  static GlobalTile<Element> pixels(const Images<Value>& images, int of_group) {
    return lines_of_memory<Element>(images.data, images.pixels(), of_group, images.stride(),
                                    of_group);
  }

  const Images<Value>& x() const { return x_; }
  const Images<Value>& y() const { return y_; }
  int of_filter() const { return w_.taps() * w_.channels; }
  std::int64_t filters_batch() const { return std::int64_t{of_group_} * of_filter(); }

 private:
  struct Axes {
    WindowAxis high, wide;
  };
  static WindowAxis axis(int times, int plus, int step, int by) {
    return {times, plus, step, Divisor(by), 0};
  }
  template <bool divided>
  WindowTile<const Value, divided> windows(const Images<Value>& from, int channels,
                                           const Images<Value>& places, Axes axes) const {
    axes.high.size = from.height, axes.wide.size = from.width;
    const auto lines = lines_of_memory<const Value>(from.data, places.pixels(),
                                                    w_.taps() * channels, from.stride(), channels);
    return {lines,
            from.count,
            from.height * from.width * from.stride(),
            Divisor(places.height * places.width),
            Divisor(places.width),
            Divisor(channels),
            Divisor(w_.width),
            axes.high,
            axes.wide};
  }

  Images<Value> x_;
  Filters<Value> w_;
  Images<Value> y_;
  Convolved how_;
  int of_group_;
};

/// With strides, and of types that are not const.
template <class Value, class Filter, class Result>
auto convolution_tiles(const Images<Value>& x, const Filters<Filter>& w, const Images<Result>& y,
                       const Convolved& how) {
  using Element = std::remove_const_t<Value>;
  const auto images = [](const auto& given) {
    return Images<Element>{const_cast<Element*>(given.data),
                           given.count,
                           given.height,
                           given.width,
                           given.channels,
                           given.stride()};
  };
  return ConvolutionTiles<Element>(
      images(x), {const_cast<Element*>(w.data), w.count, w.height, w.width, w.channels}, images(y),
      how);
}

template <class Value, class Filter, class Result>
constexpr void check_convolution_types() {
  using Plain = std::remove_const_t<Value>;
  static_assert(std::is_same_v<Plain, std::remove_const_t<Filter>> &&
                    std::is_same_v<Plain, std::remove_const_t<Result>>,
                "convolution: images, filters and result must have elements of the same type");
  static_assert(
      std::is_same_v<Plain, f32> || std::is_same_v<Plain, f16> || std::is_same_v<Plain, bf16>,
      "convolution: elements must be of f32, f16 or bf16");
}

/// Any of the three. What is written is not const. Of the images' gradient: `strided`, that filters
/// may step over places; to find out which takes time. `turned`: where filters are that were
/// turned.
template <Convolution which, bool strided = true, class Value, class Filter, class Result,
          class After>
auto convolution_problem(const Images<Value>& x, const Filters<Filter>& w, const Images<Result>& y,
                         const Convolved& how, const After& epilogue,
                         const std::remove_const_t<Value>* turned = nullptr) {
  check_convolution_types<Value, Filter, Result>();
  constexpr bool of_result = which == Convolution::result, of_images = which == Convolution::images;
  using Written =
      std::conditional_t<of_result, Result, std::conditional_t<of_images, Value, Filter>>;
  static_assert(!std::is_const_v<Written>, "convolution: what is written must not be const");
  using Element = std::remove_const_t<Value>;

  Check check(of_result   ? "convolution"
              : of_images ? "convolution_of_images"
                          : "convolution_of_filters");
  check_convolution(check, sizes_of(x, w, y, how));
  if (!strided && how.is_strided()) check.fail("filters step over places");
  const bool has_x = x.pixels() && x.channels, has_y = y.pixels() && y.channels,
             has_w = w.count && w.channels;
  // Without any result there is nothing to do, and nothing to divide by.
  const bool none = check.failed() || !(of_result ? has_y : of_images ? has_x : has_w);
  const Convolved known = none ? Convolved{} : how;
  const int groups = none ? 0 : how.groups;
  if (!none) {
    if (has_x) check.pointer("images", x.data);
    if (has_w) check.pointer("filters", w.data);
    if (has_y) check.pointer("result", y.data);
    if (of_images && has_w) check.pointer("the workspace", turned);
  }
  const auto tiles = convolution_tiles(x, w, y, known);
  const int of_group = w.count / known.groups, deep = w.channels;
  const auto problem = [&]<Order order_a, Order order_b>(
                           Ordered<order_a, order_b>, int rows, int columns, std::int64_t depth,
                           auto a, auto b, auto c, std::int64_t a_batch, std::int64_t b_batch,
                           std::int64_t c_batch) {
    if (!none) check_epilogue(check, epilogue, ResultShape{groups, rows, columns});
    return TiledProblem<Element, order_a, order_b, Element, After, decltype(a), decltype(b)>{
        check.error(), rows,     columns, static_cast<int>(depth), a, b, c, a_batch, b_batch,
        c_batch,       epilogue, groups};
  };
  constexpr Order by_rows = Order::row_major, by_columns = Order::column_major;
  if constexpr (of_result)
    return problem(
        Ordered<by_rows, by_columns>(), none ? 0 : static_cast<int>(y.pixels()), of_group,
        tiles.of_filter(), tiles.windows(), tiles.template filters<const Element>(),
        tiles.template pixels<Element>(tiles.y(), of_group), deep, tiles.filters_batch(), of_group);
  else if constexpr (of_images)
    return problem(Ordered<by_rows, by_columns>(), none ? 0 : static_cast<int>(x.pixels()), deep,
                   std::int64_t{w.taps()} * of_group, tiles.template windows_back<strided>(),
                   tiles.turned_filters(turned), tiles.template pixels<Element>(tiles.x(), deep),
                   of_group, tiles.filters_batch(), deep);
  else
    return problem(Ordered<by_columns, by_rows>(), none ? 0 : of_group, tiles.of_filter(),
                   y.pixels(), tiles.template pixels<const Element>(tiles.y(), of_group),
                   tiles.windows(), tiles.template filters<Element>(), of_group, deep,
                   tiles.filters_batch());
}

}  // namespace hipsight::kernels
