// docs/tutorials/attention.md: O = softmax(Q K^T / sqrt(D)) V of f16, in three steps from naive to
// a kernel without matrix instructions. examples/flash_attention.hip goes on from there.
//   attention_steps [HEADS]
#include "common.h"
#include "reduce.h"

using f16 = _Float16;
using f16x8 = f16 __attribute__((ext_vector_type(8)));

constexpr int kLength = 512, kHead = 64, kThreads = 256;

// 0: scores, softmax and the weighted sum are kernels of their own, with the scores in memory.
__global__ __launch_bounds__(kThreads) void scores(const f16* __restrict__ q,
                                                   const f16* __restrict__ k,
                                                   float* __restrict__ s) {
  const size_t head = blockIdx.z;
  const int key = blockIdx.x * 16 + threadIdx.x % 16, query = blockIdx.y * 16 + threadIdx.x / 16;
  q += (head * kLength + query) * kHead, k += (head * kLength + key) * kHead;
  float sum = 0;
  for (int i = 0; i < kHead; ++i) sum += float(q[i]) * float(k[i]);
  s[(head * kLength + query) * kLength + key] = sum / sqrtf(kHead);
}

__global__ __launch_bounds__(kThreads) void softmax(float* __restrict__ s) {
  s += size_t(blockIdx.x) * kLength;
  float largest = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < kLength; i += kThreads) largest = fmaxf(largest, s[i]);
  largest = reduce_workgroup<kThreads>(largest, Max());
  for (int i = threadIdx.x; i < kLength; i += kThreads) sum += __expf(s[i] - largest);
  sum = reduce_workgroup<kThreads>(sum, Add());
  for (int i = threadIdx.x; i < kLength; i += kThreads) s[i] = __expf(s[i] - largest) / sum;
}

__global__ __launch_bounds__(kThreads) void weigh(const float* __restrict__ s,
                                                  const f16* __restrict__ v, f16* __restrict__ o) {
  const size_t head = blockIdx.z;
  const int column = threadIdx.x % kHead, query = blockIdx.x * 4 + threadIdx.x / kHead;
  s += (head * kLength + query) * kLength, v += head * kLength * kHead;
  float sum = 0;
  for (int key = 0; key < kLength; ++key) sum += s[key] * float(v[key * kHead + column]);
  o[(head * kLength + query) * kHead + column] = static_cast<f16>(sum);
}

// A thread's query: its row, what it has of the result, and the softmax of the keys so far.
struct Query {
  float q[kHead], out[kHead] = {}, largest = -INFINITY, sum = 0;

  __device__ explicit Query(const f16* row) {
    for (int i = 0; i < kHead; i += 8) {
      const f16x8 eight = *reinterpret_cast<const f16x8*>(row + i);
      for (int j = 0; j < 8; ++j) q[i + j] = float(eight[j]) / sqrtf(kHead);
    }
  }
  __device__ void add(const f16* key, const f16* value) {
    float score = 0;
    for (int i = 0; i < kHead; i += 8) {
      const f16x8 eight = *reinterpret_cast<const f16x8*>(key + i);
      for (int j = 0; j < 8; ++j) score += q[i + j] * float(eight[j]);
    }
    const float next = fmaxf(largest, score);
    const float rescale = __expf(largest - next), weight = __expf(score - next);
    largest = next, sum = sum * rescale + weight;
    for (int i = 0; i < kHead; i += 8) {
      const f16x8 eight = *reinterpret_cast<const f16x8*>(value + i);
      for (int j = 0; j < 8; ++j) out[i + j] = out[i + j] * rescale + weight * float(eight[j]);
    }
  }
  __device__ void store(f16* row) const {
    for (int i = 0; i < kHead; i += 8) {
      f16x8 eight;
      for (int j = 0; j < 8; ++j) eight[j] = static_cast<f16>(out[i + j] / sum);
      *reinterpret_cast<f16x8*>(row + i) = eight;
    }
  }
};

// 1: one pass over the keys, a thread a query; the scores are never stored.
__global__ __launch_bounds__(64) void one_pass(const f16* __restrict__ q, const f16* __restrict__ k,
                                               const f16* __restrict__ v, f16* __restrict__ o) {
  const size_t head = blockIdx.y, at = (head * kLength + blockIdx.x * 64 + threadIdx.x) * kHead;
  k += head * kLength * kHead, v += head * kLength * kHead;
  Query query(q + at);
#pragma unroll 1
  for (int key = 0; key < kLength; ++key) query.add(k + key * kHead, v + key * kHead);
  query.store(o + at);
}

// 2: four waves share the keys of 64 queries; in the end their parts are put together.
__global__ __launch_bounds__(kThreads) void shared_keys(const f16* __restrict__ q,
                                                        const f16* __restrict__ k,
                                                        const f16* __restrict__ v,
                                                        f16* __restrict__ o) {
  constexpr int kParts = kThreads / 64, kKeys = kLength / kParts;
  __shared__ float largest[kParts][64], sums[kParts][64], outs[64][kHead + 1];
  const int of_query = threadIdx.x % 64, part = threadIdx.x / 64;
  const size_t head = blockIdx.y, at = (head * kLength + blockIdx.x * 64 + of_query) * kHead;
  // The same for all lanes of a wave of 64: keys and values are scalar loads.
  const int first = __builtin_amdgcn_readfirstlane(part * kKeys);
  k += (head * kLength + first) * kHead, v += (head * kLength + first) * kHead;
  Query query(q + at);
#pragma unroll 1
  for (int key = 0; key < kKeys; ++key) query.add(k + key * kHead, v + key * kHead);

  largest[part][of_query] = query.largest, sums[part][of_query] = query.sum;
  for (int i = part; i < kHead; i += kParts) outs[of_query][i] = 0;
  __syncthreads();
  float most = -INFINITY, sum = 0;
  for (int i = 0; i < kParts; ++i) most = fmaxf(most, largest[i][of_query]);
  for (int i = 0; i < kParts; ++i) sum += sums[i][of_query] * __expf(largest[i][of_query] - most);
  const float scale = __expf(query.largest - most);
  for (int turn = 0; turn < kParts; ++turn) {
    if (turn == part)
      for (int i = 0; i < kHead; ++i) outs[of_query][i] += query.out[i] * scale;
    __syncthreads();
  }
  for (int i = part * (kHead / kParts); i < (part + 1) * (kHead / kParts); ++i)
    o[at + i] = static_cast<f16>(outs[of_query][i] / sum);
}

int main(int argc, char** argv) {
  const int heads = size_argument(argc, argv, 1, 32);
  const size_t size = size_t(heads) * kLength * kHead;
  const auto q = random_values<f16>(size, 1), k = random_values<f16>(size, 2),
             v = random_values<f16>(size, 3);
  DeviceArray<f16> device_q(q), device_k(k), device_v(v), device_o(size);
  DeviceArray<float> device_s(size_t(heads) * kLength * kLength);

  const auto check = [&](const char* name) {
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    const auto o = device_o.to_host();
    Comparison comparison;
    for (size_t row = 0; row < size / kHead; row += 397) {
      const size_t first = row / kLength * kLength;
      std::vector<double> weight(kLength);
      double sum = 0;
      for (int key = 0; key < kLength; ++key) {
        double score = 0;
        for (int i = 0; i < kHead; ++i)
          score += double(q[row * kHead + i]) * double(k[(first + key) * kHead + i]);
        sum += weight[key] = std::exp(score / std::sqrt(double(kHead)));
      }
      for (int i = 0; i < kHead; ++i) {
        double want = 0, mean = 0;
        for (int key = 0; key < kLength; ++key) {
          const double part = weight[key] / sum * double(v[(first + key) * kHead + i]);
          want += part, mean += std::fabs(part);
        }
        // The result in f16, and sums in f32 of as many parts as there are keys.
        comparison.add(o[row * kHead + i], want, std::ldexp(mean, -10));
      }
    }
    return comparison.report(name, "2^-10 mean |V|");
  };
  scores<<<dim3(kLength / 16, kLength / 16, heads), kThreads>>>(device_q.data(), device_k.data(),
                                                                device_s.data());
  softmax<<<heads * kLength, kThreads>>>(device_s.data());
  weigh<<<dim3(kLength / 4, 1, heads), kThreads>>>(device_s.data(), device_v.data(),
                                                   device_o.data());
  int failed = check("three kernels");
  const dim3 grid(kLength / 64, heads);
  one_pass<<<grid, 64>>>(device_q.data(), device_k.data(), device_v.data(), device_o.data());
  failed |= check("one_pass");
  shared_keys<<<grid, kThreads>>>(device_q.data(), device_k.data(), device_v.data(),
                                  device_o.data());
  return failed | check("shared_keys");
}
