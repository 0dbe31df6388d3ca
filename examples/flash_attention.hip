// O = softmax(Q K^T / sqrt(D)) V with f16 inputs and outputs: attention in one pass over the keys,
// which never stores the score matrix (Dao 2023, arXiv 2307.08691). A workgroup of four waves
// takes 64 queries of one head, each wave 16 of them, and walks over the keys, 32 at a time.
//   flash_attention [--causal] [HEADS [QUERIES [KEYS [64 | 128]]]]
// Causal: the last query sees all keys, each query before it one key less.
#include "common.h"
#include "matrix.h"

constexpr int kWaves = 4;
constexpr int kWaveQueries = 16;  // per wave: the columns of one matrix instruction
constexpr int kQueries = kWaves * kWaveQueries;
constexpr int kKeys = 32;  // per step
constexpr int kPad = 8;    // spreads the rows of a tile over the LDS banks, keeps 16-byte alignment

// Scores are computed transposed, S^T = K Q^T. So a lane holds scores of one query, all that the
// softmax keeps for it is one register each, and S^T is already laid out as an operand of
// O^T = V^T S^T.
template <int kHead>
__global__ __launch_bounds__(256) void flash_attention(int queries, int keys, bool causal,
                                                       const f16* __restrict__ q,
                                                       const f16* __restrict__ k,
                                                       const f16* __restrict__ v,
                                                       f16* __restrict__ o) {
  using Matrix = SmallMatrix;
  constexpr int kSize = Matrix::kSize, kDepth = Matrix::kDepth, kResults = Matrix::kResults;
  constexpr int kThreads = kWaves * Matrix::kWave;
  __shared__ __align__(16) f16 tile_k[kKeys][kHead + kPad];
  __shared__ __align__(16) f16 tile_v[kHead][kKeys + kPad];  // transposed

  const int thread = threadIdx.x;
  const int lane = thread % Matrix::kWave, wave = thread / Matrix::kWave;
  const int line = lane % kSize;
  const int query0 = blockIdx.x * kQueries;
  const int query = query0 + wave * kWaveQueries + line;
  const size_t head = blockIdx.y;
  q += head * queries * kHead;
  k += head * keys * kHead;
  v += head * keys * kHead;
  o += head * queries * kHead;

  typename Matrix::Operand q_part[kHead / kDepth] = {};
  if (query < queries) {
#pragma unroll
    for (int i = 0; i < kHead / kDepth; i++)
      q_part[i] = load_operand<Matrix>(q + size_t(query) * kHead + i * kDepth, lane);
  }

  // Keys that this lane's query, and that any query of the workgroup, may see.
  const int visible = causal ? min(keys, query + 1 + keys - queries) : keys;
  const int end = causal ? min(keys, query0 + kQueries + keys - queries) : keys;

  const float scale = 1.4426950408889634f / sqrtf(kHead);  // scores in powers of two: log2(e)
  float maximum = -INFINITY, sum = 0;
  typename Matrix::Result out[kHead / kSize] = {};
  for (int key0 = 0; key0 < end; key0 += kKeys) {
    __syncthreads();
#pragma unroll
    for (int step = 0; step < kKeys * kHead / 8 / kThreads; step++) {
      const int i = step * kThreads + thread;
      const int row = i / (kHead / 8), column = i % (kHead / 8) * 8;
      f16x8 k_values = {}, v_values = {};
      if (key0 + row < keys) {
        k_values = *reinterpret_cast<const f16x8*>(k + size_t(key0 + row) * kHead + column);
        v_values = *reinterpret_cast<const f16x8*>(v + size_t(key0 + row) * kHead + column);
      }
      *reinterpret_cast<f16x8*>(&tile_k[row][column]) = k_values;
#pragma unroll
      for (int j = 0; j < 8; j++) tile_v[column + j][row] = v_values[j];
    }
    __syncthreads();

    typename Matrix::Result score[kKeys / kSize] = {};
    float tile_maximum = maximum;
#pragma unroll
    for (int i = 0; i < kKeys / kSize; i++) {
#pragma unroll
      for (int j = 0; j < kHead / kDepth; j++) {
        const auto k_part = load_operand<Matrix>(&tile_k[i * kSize + line][j * kDepth], lane);
        score[i] = Matrix::multiply_add(k_part, q_part[j], score[i]);
      }
#pragma unroll
      for (int r = 0; r < kResults; r++) {
        const int key = key0 + i * kSize + Matrix::row(lane, r);
        score[i][r] = key < visible ? score[i][r] * scale : -INFINITY;
        tile_maximum = fmaxf(tile_maximum, score[i][r]);
      }
    }
    for (int other = kSize; other < Matrix::kWave; other *= 2)
      tile_maximum = fmaxf(tile_maximum, __shfl_xor(tile_maximum, other));

    // A query that has seen no key yet has maximum -inf, and -inf - -inf is not a number.
    const float shift = tile_maximum == -INFINITY ? 0 : tile_maximum;
    const float rescale = exp2f(maximum - shift);
    maximum = tile_maximum;
    sum *= rescale;
    typename Matrix::Operand weight[kKeys / kSize];
#pragma unroll
    for (int i = 0; i < kKeys / kSize; i++) {
#pragma unroll
      for (int r = 0; r < kResults; r++) {
        score[i][r] = exp2f(score[i][r] - shift);
        sum += score[i][r];
      }
      weight[i] = Matrix::as_operand(score[i]);
    }

#pragma unroll
    for (int j = 0; j < kHead / kSize; j++) {
      out[j] *= rescale;
#pragma unroll
      for (int i = 0; i < kKeys / kSize; i++) {
        const auto v_part = load_operand<Matrix>(&tile_v[j * kSize + line][i * kSize], lane);
        out[j] = Matrix::multiply_add(v_part, weight[i], out[j]);
      }
    }
  }

  for (int other = kSize; other < Matrix::kWave; other *= 2) sum += __shfl_xor(sum, other);
  if (query >= queries) return;
  const float inverse = sum > 0 ? 1 / sum : 0;  // a query that sees no key gives zeros
#pragma unroll
  for (int j = 0; j < kHead / kSize; j++)
    for (int r = 0; r < kResults; r++)
      o[size_t(query) * kHead + j * kSize + Matrix::row(lane, r)] =
          static_cast<f16>(out[j][r] * inverse);
}

struct Shape {
  int heads, queries, keys, head;
  bool causal;
};

// The same in float64. Tolerance, relative to the weighted mean of |V|: 2^-11 for the weights in
// f16, 2^-11 for the output in f16, and for the f32 sums, which matrix instructions may truncate,
// 2^-23 per addition, of D products in a score (which moves a weight and the sum of weights) and of
// one product for each key.
int check(const Shape& shape, const std::vector<f16>& q, const std::vector<f16>& k,
          const std::vector<f16>& v, const std::vector<f16>& o) {
  Comparison comparison;
  const int d = shape.head;
  std::vector<double> weight(shape.keys), mean(d), magnitude(d);
  for (int head = 0; head < shape.heads; head++) {
    const size_t key_base = size_t(head) * shape.keys * d;
    const std::vector<double> head_k(&k[key_base], &k[key_base] + size_t(shape.keys) * d);
    const std::vector<double> head_v(&v[key_base], &v[key_base] + size_t(shape.keys) * d);
    for (int query = 0; query < shape.queries; query++) {
      const size_t query_base = (size_t(head) * shape.queries + query) * d;
      const std::vector<double> line(&q[query_base], &q[query_base] + d);
      const int visible =
          shape.causal ? std::max(0, query + 1 + shape.keys - shape.queries) : shape.keys;
      double maximum = -INFINITY, reach = 0, sum = 0;
      for (int key = 0; key < std::min(visible, shape.keys); key++) {
        double score = 0, score_magnitude = 0;
        for (int i = 0; i < d; i++) {
          const double product = line[i] * head_k[size_t(key) * d + i];
          score += product;
          score_magnitude += std::fabs(product);
        }
        weight[key] = score / std::sqrt(d);
        maximum = std::max(maximum, weight[key]);
        reach = std::max(reach, score_magnitude / std::sqrt(d));
      }
      std::fill(mean.begin(), mean.end(), 0.0);
      std::fill(magnitude.begin(), magnitude.end(), 0.0);
      for (int key = 0; key < std::min(visible, shape.keys); key++) {
        const double w = std::exp(weight[key] - maximum);
        sum += w;
        for (int i = 0; i < d; i++) {
          mean[i] += w * head_v[size_t(key) * d + i];
          magnitude[i] += w * std::fabs(head_v[size_t(key) * d + i]);
        }
      }
      const double relative = std::ldexp(1, -10) + std::ldexp(2 * d * reach + shape.keys, -23);
      for (int i = 0; i < d; i++)
        comparison.add(o[query_base + i], sum > 0 ? mean[i] / sum : 0,
                       sum > 0 ? relative * magnitude[i] / sum : 0);
    }
  }
  return comparison.report("flash_attention" + std::string(shape.causal ? " causal" : "") +
                               " heads " + std::to_string(shape.heads) + " queries " +
                               std::to_string(shape.queries) + " keys " +
                               std::to_string(shape.keys) + " head " + std::to_string(shape.head),
                           "(2^-10 + f32 roundings) mean |V|");
}

int main(int argc, char** argv) {
  const bool causal = argc > 1 && std::string(argv[1]) == "--causal";
  const int first = causal ? 2 : 1;
  Shape shape;
  shape.causal = causal;
  shape.heads = size_argument(argc, argv, first, 4);
  shape.queries = size_argument(argc, argv, first + 1, 500);
  shape.keys = size_argument(argc, argv, first + 2, shape.queries);
  shape.head = size_argument(argc, argv, first + 3, 64);
  if (shape.head != 64 && shape.head != 128) {
    std::fprintf(stderr, "%s: the head dimension is 64 or 128, not %d\n", argv[0], shape.head);
    return 2;
  }

  const size_t q_size = size_t(shape.heads) * shape.queries * shape.head;
  const size_t k_size = size_t(shape.heads) * shape.keys * shape.head;
  const auto q = random_values<f16>(q_size, 1);
  const auto k = random_values<f16>(k_size, 2), v = random_values<f16>(k_size, 3);
  DeviceArray<f16> device_q(q), device_k(k), device_v(v), device_o(q_size);

  hipDeviceProp_t device;
  HIP_CHECK(hipGetDeviceProperties(&device, 0));
  const auto kernel = shape.head == 64 ? flash_attention<64> : flash_attention<128>;
  kernel<<<dim3(ceil_div(shape.queries, kQueries), shape.heads), kWaves * device.warpSize>>>(
      shape.queries, shape.keys, shape.causal, device_q.data(), device_k.data(), device_v.data(),
      device_o.data());
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  return check(shape, q, k, v, device_o.to_host());
}
