// Kernels of the library on an NVIDIA GPU, timed by events: how long each takes, and what it gets
// of the GPU. `./dev nvidia` builds and runs it; bench/nvidia/torch_kernels.py times PyTorch's.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include "hipsight/kernels/attention.h"
#include "hipsight/kernels/attention_backward.h"
#include "hipsight/kernels/gemm.h"
#include "hipsight/kernels/grouped_gemm.h"
#include "hipsight/kernels/rows.h"

using namespace hipsight::kernels;

namespace {

void must(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

template <class T>
__global__ void fill(T* data, std::size_t count, unsigned seed) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    unsigned x = static_cast<unsigned>(i) * 2654435761u + seed;
    x ^= x >> 16, x *= 2246822519u, x ^= x >> 13, x *= 3266489917u, x ^= x >> 16;
    data[i] = static_cast<T>(static_cast<float>(x & 0xffff) / 32768.0f - 1.0f);
  }
}

/// Memory of the GPU, of random values in [-1, 1].
template <class T>
class Data {
 public:
  explicit Data(std::size_t count, bool random = true) {
    must(cudaMalloc(&data_, count * sizeof(T)), "cudaMalloc");
    static unsigned seed = 0;
    if (random) fill<<<1024, 256>>>(data_, count, ++seed);
    must(cudaGetLastError(), "fill");
  }
  ~Data() { cudaFree(data_); }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  T* get() const { return data_; }

 private:
  T* data_ = nullptr;
};

/// The median of 20 runs, after 5, in seconds.
double seconds_of(const std::function<Status()>& run) {
  cudaEvent_t begin, end;
  must(cudaEventCreate(&begin), "event"), must(cudaEventCreate(&end), "event");
  std::vector<double> all;
  for (int i = 0; i < 25; i++) {
    must(cudaEventRecord(begin), "record");
    if (const Status status = run(); !status) {
      std::fprintf(stderr, "%s\n", status.error.c_str());
      std::exit(1);
    }
    must(cudaEventRecord(end), "record");
    must(cudaEventSynchronize(end), "kernel");
    float ms = 0;
    must(cudaEventElapsedTime(&ms, begin, end), "elapsed");
    if (i >= 5) all.push_back(ms * 1e-3);
  }
  std::ranges::nth_element(all, all.begin() + 10);
  return all[10];
}

void row(const char* name, double amount, const char* unit, double seconds) {
  std::printf("%-58s %9.1f us %8.1f %s\n", name, seconds * 1e6, amount / seconds * 1e-12, unit);
}

template <class T>
void time_gemm(const char* name, int size) {
  const std::size_t all = std::size_t(size) * size;
  const Data<T> x(all), w(all), y(all);
  const double seconds = seconds_of([&] {
    return gemm(nullptr, RowMajor<const T>{x.get(), size, size, size},
                ColumnMajor<const T>{w.get(), size, size, size},
                RowMajor<T>{y.get(), size, size, size}, Identity{}, 1);
  });
  row(name, 2.0 * size * size * size, "TFLOPS", seconds);
}

template <int head>
void time_attention(const char* name, const char* backward, int batches, int heads, int length) {
  const std::size_t all = std::size_t(batches) * heads * length * head;
  const Data<bf16> q(all), k(all), v(all), o(all), d_o(all), d_q(all), d_k(all), d_v(all);
  const Data<float> sums(std::size_t(batches) * heads * length);
  const auto of = [&](auto* data) { return packed_sequences<head>(data, length, heads); };
  const auto in = [&](const Data<bf16>& data) {
    return of(static_cast<const bf16*>(data.get()));
  };
  const AttentionOptions options{
      .band = Band::causal(),
      .batches = batches,
      .log_sums = {sums.get(), length, heads, 1, length, std::int64_t{heads} * length}};
  // Half of the products of each query with each key, and as many of weights with values.
  const double flop = 2.0 * batches * heads * head * length * length;
  row(name, flop, "TFLOPS",
      seconds_of([&] { return attention(nullptr, in(q), in(k), in(v), of(o.get()), options); }));
  const std::size_t bytes = attention_backward_workspace(in(q), options);
  const Data<float> workspace(bytes / sizeof(float) + 1);
  row(backward, 2.5 * flop, "TFLOPS", seconds_of([&] {
        return attention_backward(nullptr, in(q), in(k), in(v), in(o), in(d_o), of(d_q.get()),
                                  of(d_k.get()), of(d_v.get()), options,
                                  {workspace.get(), bytes});
      }));
}

void time_experts() {
  constexpr int experts = 8, each = 2048, depth = 4096, columns = 4096, rows = experts * each;
  const Data<bf16> tokens(std::size_t(rows) * depth), out(std::size_t(rows) * columns);
  const Data<bf16> weights(std::size_t(experts) * depth * columns);
  std::vector<int> starts(experts + 1);
  for (int i = 0; i <= experts; i++) starts[i] = i * each;
  const Data<int> on_gpu(experts + 1, false);
  must(cudaMemcpy(on_gpu.get(), starts.data(), starts.size() * sizeof(int), cudaMemcpyHostToDevice),
       "copy");
  row("grouped GEMM, 8 experts, 2048 x 4096 x 4096 each, bf16", 2.0 * rows * depth * columns,
      "TFLOPS", seconds_of([&] {
        return grouped_gemm(
            nullptr, RowMajor<const bf16>{tokens.get(), rows, depth, depth},
            ColumnMajor<const bf16>{weights.get(), depth, columns, depth,
                                    std::int64_t{depth} * columns},
            RowMajor<bf16>{out.get(), rows, columns, columns}, RowGroups{on_gpu.get(), experts},
            Identity{});
      }));
}

void time_norm() {
  constexpr int rows = 16384, columns = 8192;
  const std::size_t all = std::size_t(rows) * columns;
  const Data<bf16> x(all), y(all);
  const Data<float> weight(columns);
  row("RMS norm, 16384 rows of 8192, bf16", 4.0 * all, "TB/s", seconds_of([&] {
        return rms_norm(nullptr, RowMajor<const bf16>{x.get(), rows, columns, columns},
                        static_cast<const float*>(weight.get()),
                        RowMajor<bf16>{y.get(), rows, columns, columns}, 1e-6f);
      }));
}

}  // namespace

int main() {
  time_gemm<f16>("GEMM, 4096^3, f16", 4096);
  time_gemm<bf16>("GEMM, 4096^3, bf16", 4096);
  time_gemm<bf16>("GEMM, 8192^3, bf16", 8192);
  time_experts();
  time_attention<128>("attention, causal, 4 x 16 heads of 128, 4096 long, bf16", "  backward", 4,
                      16, 4096);
  time_attention<64>("attention, causal, 4 x 32 heads of 64, 4096 long, bf16", "  backward", 4, 32,
                     4096);
  time_norm();
}
