// The router of a mixture of experts: for each token the expert that scores best, and its share of
// the softmax over all experts. Written with the kernel library's tiles, step by step in
// docs/kernels/writing.md: scores = tokens x weights^T on matrix instructions, and what is left of
// them is found while they are in registers.
//   router [TOKENS [EXPERTS [DEPTH]]]      at most 64 experts
#include "common.h"
#include "hipsight/kernels/tile/pipeline.h"
#include "hipsight/kernels/tile/rows.h"

using namespace hipsight::kernels;

struct Smaller {
  HIPSIGHT_INLINE float operator()(float a, float b) const { return fminf(a, b); }
};

// What one workgroup does: each wave scores some tokens against all experts.
template <class T>
struct RouterWorkgroup {
  using Step = arch::MatrixStep<T>;
  static constexpr int waves = 2, threads = waves * arch::wave_size;
  static constexpr int wave_tokens = 32, tokens = waves * wave_tokens;
  static constexpr int most_experts = 64;
  static constexpr int depth = 64, steps = depth / Step::layout.depth;
  static constexpr int line_bytes = depth * sizeof(T), bank_bytes = facts(arch::current).bank_bytes;

  // Lines of 128 bytes in shared memory, swizzled so that no two lanes meet in a bank.
  using Tokens =
      SharedTile<T, tokens, depth, swizzle_for<T>(Step::layout.a, line_bytes, bank_bytes)>;
  using Experts =
      SharedTile<T, most_experts, depth, swizzle_for<T>(Step::layout.b, line_bytes, bank_bytes)>;
  struct Shared {
    Tokens a[2];
    Experts b[2];
  };
  using Scores = Accumulator<T, wave_tokens, most_experts>;

  HIPSIGHT_INLINE static void run(const GlobalTile<const T>& x, const GlobalTile<const T>& w,
                                  int* best, float* share, Shared& shared, int workgroup) {
    const int first = workgroup * tokens, own = arch::wave() * wave_tokens;
    Scores scores = multiplied(x, w, first, own, shared);

    // Rows of experts that do not exist are zeros: their scores must not count.
    constexpr float infinity = __builtin_huge_valf();
    RowVector<Scores> most, sum, expert;
    most.set(-infinity), sum.set(0), expert.set(most_experts);
    scores.update([&](Place at, int r, float score) {
      if (at.column >= w.rows) score = -infinity;
      most.row[r] = fmaxf(most.row[r], score);
      return score;
    });
    over_row(most, Larger{});
    scores.update([&](Place at, int r, float score) {
      if (score == most.row[r]) expert.row[r] = fminf(expert.row[r], float(at.column));
      sum.row[r] += arch::exp2((score - most.row[r]) * 1.44269504f);
      return score;
    });
    over_row(sum, Plus{});
    over_row(expert, Smaller{});

    // The lane that has a token's first score writes for it.
    scores.update([&](Place at, int r, float score) {
      const int token = first + own + at.row;
      if (at.column == 0 && token < x.rows) {
        best[token] = int(expert.row[r]);
        share[token] = 1 / sum.row[r];
      }
      return score;
    });
  }

 private:
  // While a tile is multiplied the next one is on its way. Of two in shared memory one is read and
  // the other written, so one barrier a tile is enough.
  HIPSIGHT_INLINE static Scores multiplied(const GlobalTile<const T>& x,
                                           const GlobalTile<const T>& w, int first, int own,
                                           Shared& shared) {
    Pipeline<Tokens, true, threads> a(x, first, shared.a);
    Pipeline<Experts, true, threads> b(w, 0, shared.b);
    Scores scores;
    a.start(0), b.start(0);
    for (int t = 0; t < a.count(); t++) {
      a.finish(t), b.finish(t);
      arch::barrier();
      a.start(t + 1), b.start(t + 1);
      HIPSIGHT_UNROLL
      for (int step = 0; step < steps; step++) {
        OperandTile<T, Operand::a, wave_tokens> of_tokens;
        OperandTile<T, Operand::b, most_experts> of_experts;
        of_tokens.load(a[t], own, step * Step::layout.depth);
        of_experts.load(b[t], 0, step * Step::layout.depth);
        multiply(of_tokens, of_experts, scores);
      }
    }
    return scores;
  }
};

template <class T>
__global__ __launch_bounds__(RouterWorkgroup<T>::threads) void router(GlobalTile<const T> x,
                                                                      GlobalTile<const T> w,
                                                                      int* best, float* share) {
  __shared__ typename RouterWorkgroup<T>::Shared shared;
  RouterWorkgroup<T>::run(x, w, best, share, shared, blockIdx.x);
}

// Rows of `depth` elements, without gaps.
template <class T>
GlobalTile<const T> rows_of(const T* data, int rows, int depth) {
  return {data, rows, depth, depth, depth * sizeof(T) % chunk_bytes == 0};
}

int main(int argc, char** argv) {
  const int tokens = size_argument(argc, argv, 1, 300), experts = size_argument(argc, argv, 2, 60),
            depth = size_argument(argc, argv, 3, 520);
  if (experts > RouterWorkgroup<f16>::most_experts) {
    std::fprintf(stderr, "router: %d experts: at most 64 are possible\n", experts);
    return 2;
  }
  const auto x = random_values<f16>(size_t(tokens) * depth, 1);
  const auto w = random_values<f16>(size_t(experts) * depth, 2);
  const DeviceArray<f16> device_x(x), device_w(w);
  DeviceArray<int> device_best(tokens);
  DeviceArray<float> device_share(tokens);

  hipDeviceProp_t device;
  HIP_CHECK(hipGetDeviceProperties(&device, 0));
  using Workgroup = RouterWorkgroup<f16>;
  router<f16><<<::ceil_div(tokens, Workgroup::tokens), Workgroup::waves * device.warpSize>>>(
      rows_of(device_x.data(), tokens, depth), rows_of(device_w.data(), experts, depth),
      device_best.data(), device_share.data());
  HIP_CHECK(hipGetLastError());
  const auto best = device_best.to_host();
  const auto share = device_share.to_host();

  // In double precision. Of experts whose scores differ by less than the sums' errors either may
  // win.
  Comparison comparison;
  std::vector<double> score(experts);
  for (int t = 0; t < tokens; t++) {
    for (int e = 0; e < experts; e++) {
      score[e] = 0;
      for (int k = 0; k < depth; k++)
        score[e] += double(x[size_t(t) * depth + k]) * double(w[size_t(e) * depth + k]);
    }
    const double most = *std::max_element(score.begin(), score.end());
    double sum = 0;
    for (const double s : score) sum += std::exp(s - most);
    const bool exists = best[t] >= 0 && best[t] < experts;
    comparison.add(exists ? score[best[t]] : NAN, most, 1e-3);
    comparison.add(share[t], 1 / sum, 1e-3 / sum);
  }
  return comparison.report("router", "0.1 % of the share");
}
