// Causal 1D convolutions, each channel with a filter of its own, as state space models have them:
// y[t] = bias + sum of w[i] x[t - (taps - 1) + i], then SiLU if asked for.
//
//   CausalConvolution<bf16> of{x, y, weights, bias, nullptr, batches, tokens, channels, stride,
//   stride}; if (Status status = causal_convolution<4>(stream, of); !status) fail(status.error);
//
// docs/kernels/convolution.md
#pragma once

#include "activations.h"
#include "check.h"
#include "convert.h"
#include "status.h"
#include "tile/divisor.h"
#include "unaligned.h"
#if defined(__HIP__) || defined(__CUDACC__)
#include "device.h"
#endif

namespace hipsight::kernels {

/// Channel c of token t of sequence b is x[(b * tokens + t) * stride + c], and the same of y. What
/// comes before a sequence is in `before`, batches x (taps - 1) x channels, or is zeros.
template <class Value>
struct CausalConvolution {
  const Value* x;
  Value* y;
  const Value* weights;  // channels x taps
  const Value* bias;     // of each channel, or null
  const Value* before;   // or null
  int batches, tokens, channels;
  std::int64_t x_stride, y_stride;  // from a token to the next
  bool silu = false;
};

template <class Value, int taps>
struct CausalConvolutionWork {
  CausalConvolution<Value> of;
  Divisor chunks, runs;  // of a token, of a sequence

  static constexpr int threads_on_gpu = 256;
  static constexpr int threads = arch::current == Architecture::host ? 1 : threads_on_gpu;
  static constexpr int width = chunk_size<Value>;
  static constexpr int run_tokens = 16;  // of a work-item, which reads taps - 1 more
  static constexpr int at_once = 4;      // whose loads are under way

  explicit CausalConvolutionWork(const CausalConvolution<Value>& given)
      : of(given),
        chunks(ceil_div(given.channels, width)),
        runs(ceil_div(given.tokens, run_tokens)) {}

  std::int64_t items() const { return std::int64_t{chunks.number} * runs.number * of.batches; }
  std::int64_t workgroups() const { return (items() + threads_on_gpu - 1) / threads_on_gpu; }

  /// Neighbours take the channels of a token, each of them some tokens one after the other, of
  /// which the last ones stay in registers.
  HIPSIGHT_INLINE void run(int workgroup) const {
    const int first = workgroup * threads_on_gpu;
    for (int i = arch::thread(); i < threads_on_gpu; i += threads)
      if (first + i < chunks.number * runs.number * of.batches) run_item(first + i);
  }

 private:
  using Given = Vector<Value, width>;
  using Wide = Vector<float, width>;

  HIPSIGHT_INLINE void run_item(int item) const {
    const int chunk = item % chunks, rest = item / chunks, batch = rest / runs;
    const int channel = chunk * width, first = rest % runs * run_tokens;
    const Filters filters(of, channel);
    Given given[taps - 1 + at_once];  // the last ones of before, then those of this turn
    HIPSIGHT_UNROLL
    for (int i = 0; i < taps - 1; i++)
      given[at_once + i] = token(batch, first - (taps - 1) + i, channel);
    const int end = first + run_tokens < of.tokens ? first + run_tokens : of.tokens;
    for (int t = first; t < end; t += at_once) {
      HIPSIGHT_UNROLL
      for (int i = 0; i < taps - 1; i++) given[i] = given[at_once + i];
      HIPSIGHT_UNROLL
      for (int i = 0; i < at_once; i++)
        given[taps - 1 + i] = token(batch, t + i < end ? t + i : end - 1, channel);
      HIPSIGHT_UNROLL
      for (int i = 0; i < at_once; i++)
        if (t + i < end) put(batch, t + i, channel, filters.of(given + i, of.silu));
    }
  }

  /// Those of a chunk's channels.
  struct Filters {
    Wide weight[taps], bias = {};

    HIPSIGHT_INLINE Filters(const CausalConvolution<Value>& of, int channel) {
      const bool whole = channel + width <= of.channels;
      const Value* const from = of.weights + static_cast<std::int64_t>(channel) * taps;
      Given all[taps];  // as they lie in memory
      HIPSIGHT_UNROLL
      for (int i = 0; i < taps; i++)
        if (whole) all[i] = read<width>(from + i * width);
      HIPSIGHT_UNROLL
      for (int k = 0; k < width; k++) {
        const int c = channel + k < of.channels ? channel + k : of.channels - 1;
        HIPSIGHT_UNROLL
        for (int i = 0; i < taps; i++) {
          const int at = k * taps + i;
          weight[i][k] = static_cast<float>(whole ? all[at / width][at % width]
                                                  : from[(c - channel) * taps + i]);
        }
        if (of.bias) bias[k] = static_cast<float>(of.bias[c]);
      }
    }
    HIPSIGHT_INLINE Wide of(const Given* given, bool with_silu) const {
      Wide sum = bias;
      HIPSIGHT_UNROLL
      for (int i = 0; i < taps; i++) {
        const Wide values = to_f32<Value, width>(given[i]);
        HIPSIGHT_UNROLL
        for (int k = 0; k < width; k++) sum[k] += weight[i][k] * values[k];
      }
      HIPSIGHT_UNROLL
      for (int k = 0; k < width; k++) sum[k] = with_silu ? silu(sum[k]) : sum[k];
      return sum;
    }
  };

  HIPSIGHT_INLINE std::int64_t at(int batch, int t) const {
    return static_cast<std::int64_t>(batch) * of.tokens + t;
  }
  /// Some channels of a token, or of what comes before the sequence.
  HIPSIGHT_INLINE Given token(int batch, int t, int channel) const {
    if (t >= 0) return row(of.x + at(batch, t) * of.x_stride, channel);
    if (!of.before) return Given{};
    const std::int64_t line = static_cast<std::int64_t>(batch) * (taps - 1) + (t + taps - 1);
    return row(of.before + line * of.channels, channel);
  }
  HIPSIGHT_INLINE Given row(const Value* from, int channel) const {
    if (channel + width <= of.channels) return read<width>(from + channel);
    Given values;
    for (int k = 0; k < width; k++)
      values[k] = from[channel + k < of.channels ? channel + k : of.channels - 1];
    return values;
  }
  HIPSIGHT_INLINE void put(int batch, int t, int channel, const Wide& values) const {
    Value* const to = of.y + at(batch, t) * of.y_stride + channel;
    if (channel + width <= of.channels) return write<width>(to, from_f32<Value, width>(values));
    for (int k = 0; channel + k < of.channels; k++) to[k] = narrow<Value>(values[k]);
  }
};

template <class Value>
std::string wrong_with(const CausalConvolution<Value>& of) {
  Check check("causal_convolution");
  if (of.batches < 0 || of.tokens < 0 || of.channels < 0)
    check.fail("a size is negative: ", of.batches, " x ", of.tokens, " x ", of.channels);
  if (of.x_stride < of.channels || of.y_stride < of.channels)
    check.fail("tokens overlap: a stride is less than the ", of.channels, " channels");
  if (product({of.batches, of.tokens, of.channels}) > INT32_MAX)
    check.fail("there are more than 2^31 values");
  if (of.batches > 0 && of.tokens > 0 && of.channels > 0) {
    check.pointer("x", of.x);
    check.pointer("y", of.y);
    check.pointer("the weights", of.weights);
  }
  return check.error();
}

template <class Value>
bool is_empty(const CausalConvolution<Value>& of) {
  return of.batches == 0 || of.tokens == 0 || of.channels == 0;
}

/// On the scalar reference, on the host.
template <int taps, class Value>
Status causal_convolution_on_host(const CausalConvolution<Value>& of) {
  if (std::string error = wrong_with(of); !error.empty()) return {std::move(error)};
  if (is_empty(of)) return {};
  const CausalConvolutionWork<Value, taps> work(of);
  for (int i = 0; i < work.workgroups(); i++) work.run(i);
  return {};
}

#if defined(__HIP__) || defined(__CUDACC__)

template <class Work>
HIPSIGHT_KERNEL(Work::threads_on_gpu)
void causal_convolution_kernel([[maybe_unused]] Work work) {
#ifndef HIPSIGHT_STARTS_ONLY
  work.run(arch::workgroup());
#endif
}

/// On the current device, after what is before it in the stream.
template <int taps, class Value>
Status causal_convolution(Stream stream, const CausalConvolution<Value>& of) {
  static_assert(taps >= 2 && taps <= 8, "causal_convolution: filters have 2 to 8 taps");
  if (std::string error = wrong_with(of); !error.empty()) return {std::move(error)};
  if (is_empty(of)) return {};
  using Work = CausalConvolutionWork<Value, taps>;
  const Work work(of);
  const std::string error = launch(causal_convolution_kernel<Work>, {work.workgroups()},
                                   Work::threads_on_gpu, stream, work);
  return {error.empty() ? error : "causal_convolution: " + error};
}

#endif

}  // namespace hipsight::kernels
