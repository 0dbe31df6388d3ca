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
  using Wide = Vector<float, width>;

  HIPSIGHT_INLINE void run_item(int item) const {
    const int chunk = item % chunks, rest = item / chunks, batch = rest / runs;
    const int channel = chunk * width, first = rest % runs * run_tokens;
    Wide weight[taps], bias = {}, last[taps];
    for (int k = 0; k < width; k++) {
      const int c = inside(channel + k);
      HIPSIGHT_UNROLL
      for (int i = 0; i < taps; i++)
        weight[i][k] = static_cast<float>(of.weights[static_cast<std::int64_t>(c) * taps + i]);
      if (of.bias) bias[k] = static_cast<float>(of.bias[c]);
    }
    HIPSIGHT_UNROLL
    for (int i = 1; i < taps; i++) last[i] = token(batch, first - taps + i, channel);
    const int end = first + run_tokens < of.tokens ? first + run_tokens : of.tokens;
    for (int t = first; t < end; t++) {
      HIPSIGHT_UNROLL
      for (int i = 1; i < taps; i++) last[i - 1] = last[i];
      last[taps - 1] = token(batch, t, channel);
      Wide sum = bias;
      HIPSIGHT_UNROLL
      for (int i = 0; i < taps; i++) HIPSIGHT_UNROLL
      for (int k = 0; k < width; k++) sum[k] += weight[i][k] * last[i][k];
      HIPSIGHT_UNROLL
      for (int k = 0; k < width; k++) sum[k] = of.silu ? silu(sum[k]) : sum[k];
      put(of.y + at(batch, t) * of.y_stride + channel, channel, sum);
    }
  }

  HIPSIGHT_INLINE std::int64_t at(int batch, int t) const {
    return static_cast<std::int64_t>(batch) * of.tokens + t;
  }
  HIPSIGHT_INLINE int inside(int channel) const {
    return channel < of.channels ? channel : of.channels - 1;
  }

  /// Some channels of a token, or of what comes before the sequence.
  HIPSIGHT_INLINE Wide token(int batch, int t, int channel) const {
    if (t >= 0) return row(of.x + at(batch, t) * of.x_stride, channel);
    if (!of.before) return Wide{};
    const std::int64_t line = static_cast<std::int64_t>(batch) * (taps - 1) + (t + taps - 1);
    return row(of.before + line * of.channels, channel);
  }
  HIPSIGHT_INLINE Wide row(const Value* from, int channel) const {
    if (channel + width <= of.channels) return to_f32<Value, width>(read<width>(from + channel));
    Wide values;
    for (int k = 0; k < width; k++) values[k] = static_cast<float>(from[inside(channel + k)]);
    return values;
  }
  HIPSIGHT_INLINE void put(Value* to, int channel, const Wide& values) const {
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
  static_assert(taps >= 1 && taps <= 8, "causal_convolution: filters have 1 to 8 taps");
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
