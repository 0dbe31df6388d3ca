// Kernels with one defect each (`_bad`), and their twins without it (`_good`).
#include <hip/hip_runtime.h>

#define KERNEL_OF(threads, name) \
  extern "C" __global__ void __launch_bounds__(threads) name(float* out, const float* in, int n)
#define KERNEL(name) KERNEL_OF(256, name)

namespace {

using Two = float __attribute__((ext_vector_type(2)));
using Four = float __attribute__((ext_vector_type(4)));

__device__ int global_id() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}
__device__ int threads() {
  return static_cast<int>(gridDim.x * blockDim.x);
}

/// Work of the vector unit on one value, which no compiler shortens.
__device__ float churn(float x, int times) {
  for (int i = 0; i < times; ++i) x = __builtin_fmaf(x, x, 0.5f);
  return x;
}

// --- lds-bank-conflicts

template <class T, int Row>
__device__ void columns(float* out, const float* in, int n) {
  __shared__ T tile[64 * Row];
  for (int i = threadIdx.x; i < 64 * Row; i += blockDim.x) tile[i] = in[i & 1023];
  __syncthreads();
  T sum = 0;
  int at = threadIdx.x % 64 * Row;
  for (int i = 0; i < n; i += 8) {
    asm volatile("" : "+v"(at));  // else one read were enough
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += tile[at + 4 * k];
  }
  out[global_id()] = sum;
}

template <int Row>
__device__ void column_stores(float* out, const float* in, int n) {
  __shared__ float tile[64 * Row];
  const int lane = threadIdx.x % 64;
  const float x = in[lane];
  for (int i = 0; i < n; i += 8)
#pragma unroll
    for (int k = 0; k < 8; ++k) tile[lane * Row + (i + k) % 32] = x + k;
  __syncthreads();
  out[global_id()] = tile[lane];
}

// --- contended-atomics

/// Each lane counts in one of so many bins.
template <int Bins>
__device__ void count(float* out, const float* in, int n) {
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const int bin = threadIdx.x % Bins;
  for (int i = 0; i < n; i += 8)
#pragma unroll
    for (int k = 0; k < 8; ++k) atomicAdd(&bins[bin], i + int(threadIdx.x));
  __syncthreads();
  out[global_id()] = static_cast<float>(bins[threadIdx.x]);
}

// --- uncoalesced-access

template <int Stride>
__device__ void fields(float* out, const float* in, int n) {
  float sum = 0;
  for (int i = 0; i < n; i += 4)
#pragma unroll
    for (int k = 0; k < 4; ++k)
      sum += in[(std::size_t{unsigned(i + k)} * threads() + global_id()) * Stride];
  out[global_id()] = sum;
}

template <int Stride>
__device__ void field_stores(float* out, const float* in, int n) {
  const float x = in[threadIdx.x];
  for (int i = 0; i < n; i += 4)
#pragma unroll
    for (int k = 0; k < 4; ++k)
      out[(std::size_t{unsigned(i + k)} * threads() + global_id()) * Stride] = x;
}

// --- narrow-access: a thread's sum of so many values

template <class T>
__device__ void one_by_one(float* out, const float* in, int n) {
  const T* const values = reinterpret_cast<const T*>(in) + std::size_t{blockIdx.x} * blockDim.x * n;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) sum += float(values[i * blockDim.x + threadIdx.x]);
  out[global_id()] = sum;
}
template <class T>
__device__ void many_at_once(float* out, const float* in, int n) {
  constexpr int many = 16 / sizeof(T);
  struct alignas(16) Values {
    T of[many];
  };
  const Values* const values =
      reinterpret_cast<const Values*>(in) + std::size_t{blockIdx.x} * blockDim.x * n / many;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n / many; ++i) {
    const Values v = values[i * blockDim.x + threadIdx.x];
    for (int k = 0; k < many; ++k) sum += float(v.of[k]);
  }
  out[global_id()] = sum;
}

// --- loads that are waited for

__device__ float sum_of(Four v) {
  return v.x + v.y + v.z + v.w;
}

/// As long as a load takes.
__device__ Four work_on(Four v) {
#ifdef __gfx942__
  constexpr int times = 80;
#else
  constexpr int times = 320;
#endif
  for (int i = 0; i < times; ++i)
    for (int k = 0; k < 4; ++k) v[k] = __builtin_fmaf(v[k], v[k], 0.5f);
  return v;
}

__device__ void stream(float* out, const float* in, int n) {
  const Four* const values = reinterpret_cast<const Four*>(in);
  const std::size_t step = threads();
  Four sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) sum = work_on(sum + values[i * step + global_id()]);
  out[global_id()] = sum_of(sum);
}
/// Two trips of the loop in one, so that no value is copied from one trip to the next.
__device__ void stream_ahead(float* out, const float* in, int n) {
  const Four* const values = reinterpret_cast<const Four*>(in) + global_id();
  const std::size_t step = threads();
  Four sum = 0, even = values[0];
#pragma unroll 1
  for (int i = 0; i < n; i += 2) {
    const Four odd = values[(i + 1) * step];
    __builtin_amdgcn_sched_barrier(0);
    sum = work_on(sum + even);
    even = values[(i + 2) * step];
    __builtin_amdgcn_sched_barrier(0);
    sum = work_on(sum + odd);
  }
  out[global_id()] = sum_of(sum);
}

template <bool Everything>
__device__ void all_are_here() {
  __builtin_amdgcn_sched_barrier(0);
  if constexpr (Everything)
    asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)\n s_barrier" ::: "memory");
  else
    asm volatile("s_waitcnt lgkmcnt(0)\n s_barrier" ::: "memory");
  __builtin_amdgcn_sched_barrier(0);
}

/// Lanes exchange values by LDS while the next ones are under way.
template <bool Everything>
__device__ void exchange(float* out, const float* in, int n) {
  __shared__ Four tile[2][256];
  const Four* const values = reinterpret_cast<const Four*>(in) + global_id();
  const std::size_t step = threads();
  float sum = 0;
  Four even = values[0];
#pragma unroll 1
  for (int i = 0; i < n; i += 2) {
    tile[0][threadIdx.x] = even;
    const Four odd = values[(i + 1) * step];
    __builtin_amdgcn_sched_barrier(0);
    all_are_here<Everything>();
    sum = churn(sum + sum_of(tile[0][blockDim.x - 1 - threadIdx.x]), 24);
    __builtin_amdgcn_sched_barrier(0);
    tile[1][threadIdx.x] = odd;
    even = values[(i + 2) * step];
    __builtin_amdgcn_sched_barrier(0);
    all_are_here<Everything>();
    sum = churn(sum + sum_of(tile[1][blockDim.x - 1 - threadIdx.x]), 24);
    __builtin_amdgcn_sched_barrier(0);
  }
  out[global_id()] = sum;
}

/// Until so many are under way.
template <int Left>
__device__ void wait_for_loads() {
  __builtin_amdgcn_sched_barrier(0);
  asm volatile("s_waitcnt vmcnt(%0)" ::"n"(Left) : "memory");
  __builtin_amdgcn_sched_barrier(0);
}

/// Two streams, of which a wait that is written by hand waits for both.
template <int Left>
__device__ void by_hand(float* out, const float* in, int n) {
  const Four* at = reinterpret_cast<const Four*>(in) + global_id();
  const std::size_t step = threads();
  float sum = 0;
  Four even = at[0];
#pragma unroll 1
  for (int i = 0; i < n; i += 2) {
    const Four odd = at[(i + 1) * step];
    wait_for_loads<Left>();
    sum = churn(sum + sum_of(even), 16);
    even = at[(i + 2) * step];
    wait_for_loads<Left>();
    sum = churn(sum + sum_of(odd), 16);
  }
  out[global_id()] = sum;
}

// --- occupancy

/// Where a thread's next value lies follows from this one: only other waves hide the way to it.
template <int Lds>
__device__ void little_room(float* out, const float* in, int n) {
  __shared__ float tile[Lds / 4];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const Four* const values = reinterpret_cast<const Four*>(in);
  float sum = tile[threadIdx.x ^ 1];
  unsigned at = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    const Four v = values[at];
    sum = churn(sum + v.x + v.y, 48);
    at += blockDim.x + (v.z + v.w != 0);
  }
  out[global_id()] = sum;
}

// --- divergence

template <int Same>
__device__ void two_ways(float* out, const float* in, int n) {
  float x = in[threadIdx.x];
  if (threadIdx.x / Same % 2 == 0) {
#pragma unroll 1
    for (int i = 0; i < n; ++i) x = churn(x, 32);
  } else {
#pragma unroll 1
    for (int i = 0; i < n; ++i) x = __builtin_fmaf(churn(x, 32), 0.25f, x);
  }
  out[global_id()] = x;
}

template <int Same>
__device__ void many_trips(float* out, const float* in, int n) {
  Four v = in[threadIdx.x];
  const int trips = (threadIdx.x / Same % 4 + 1) * n;
#pragma unroll 1
  for (int i = 0; i < trips; ++i) v = work_on(v);
  out[global_id()] = sum_of(v);
}

// --- short-loop

template <int Trips>
__device__ void short_loop(float* out, const float* in, int n) {
  float v[4];
  for (int k = 0; k < 4; ++k) v[k] = in[threadIdx.x + k];
#pragma unroll Trips
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 4; ++k) v[k] = __builtin_fmaf(v[k], v[k], 0.5f);
    for (int k = 0; k < 4; ++k) v[k] = __builtin_fmaf(v[k], v[k], 0.25f);
  }
  out[global_id()] = v[0] + v[1] + v[2] + v[3];
}

// --- maths

/// Goes on with one of so many values after the other.
template <int Values, int Steps>
__device__ void chains(float* out, const float* in, int n) {
  float v[Values];
  for (int i = 0; i < Values; ++i) v[i] = in[threadIdx.x + i];
#pragma unroll 1
  for (int i = 0; i < n; i += Steps)
#pragma unroll
    for (int k = 0; k < Steps; ++k)
      v[k % Values] = __builtin_fmaf(v[k % Values], v[k % Values], 0.5f);
  float all = v[0];
  for (int i = 1; i < Values; ++i) all += v[i];
  out[global_id()] = all;
}

// --- scratch memory

/// Needs more values at a time than a thread of 1,024 has registers.
__device__ __forceinline__ void all_of_all(float* out, const float* in, int n) {
  constexpr int values = 230;
  float a[values];
#pragma unroll
  for (int i = 0; i < values; ++i) a[i] = in[threadIdx.x + i * 128];
#pragma unroll 1
  for (int turn = 0; turn < n; ++turn)
#pragma unroll
    for (int i = 0; i < values; ++i) a[i] = a[i] * a[(i + 37) % values] + a[(i * 7 + 1) % values];
  float all = 0;
#pragma unroll
  for (int i = 0; i < values; ++i) all += a[i];
  out[global_id()] = all;
}

/// A thread's array whose index changes.
template <bool InLds>
__device__ void chosen(float* out, const float* in, int n) {
  __shared__ float shared[InLds ? 4 : 1][256];
  float own[4];
  const auto a = [&](int i) -> float& {
    if constexpr (InLds)
      return shared[i][threadIdx.x];
    else
      return own[i];
  };
  for (int i = 0; i < 4; ++i) a(i) = in[threadIdx.x + i];
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    asm volatile("" ::"v"(&own) : "memory");  // else the compiler names all four
    const int at = (i + threadIdx.x) & 3;
    a(at) = churn(a(at), 32);
  }
  out[global_id()] = a(0) + a(1) + a(2) + a(3);
}

// --- unpacked-math: 128 products a trip, with the machine's own instructions

#define FOUR_TIMES(text) text text text text
#define SIXTEEN_TIMES(text) FOUR_TIMES(FOUR_TIMES(text))
#define REGISTERS "v2", "v3", "v4", "v5", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15"
#ifdef __gfx942__
#define PAIR(a, b) "v_pk_fma_f32 v[" a ":" b "], v[2:3], v[4:5], v[" a ":" b "]\n"
#else
#define PAIR(a, b) "v_dual_fmac_f32 v" a ", v2, v4 :: v_dual_fmac_f32 v" b ", v3, v5\n"
#endif
#define SINGLES(a, b) "v_fmac_f32 v" a ", v2, v4\n v_fmac_f32 v" b ", v3, v5\n"

template <bool Paired>
__device__ void by_pairs(float* out, const float* in, int n) {
#pragma unroll 1
  for (int i = 0; i < n; i += 128) {
    if constexpr (Paired)
      asm volatile(
          SIXTEEN_TIMES(PAIR("8", "9") PAIR("10", "11") PAIR("12", "13") PAIR("14", "15"))::
              : REGISTERS);
    else
      asm volatile(SIXTEEN_TIMES(SINGLES("8", "9") SINGLES("10", "11") SINGLES("12", "13")
                                     SINGLES("14", "15"))::
                       : REGISTERS);
  }
  out[global_id()] = in[threadIdx.x];
}

#ifdef __gfx942__
// --- dependent-results of the matrix unit

using Half4 = _Float16 __attribute__((ext_vector_type(4)));

template <int Many>
struct Matrices {
  Half4 a[Many];
  Four products[Many];
  __device__ void multiply() {
    for (int i = 0; i < Many; ++i)
      products[i] = __builtin_amdgcn_mfma_f32_16x16x16f16(a[i], a[i], Four(0), 0, 0, 0);
    __builtin_amdgcn_sched_barrier(0);
  }
  __device__ void take_products() {
    for (int i = 0; i < Many; ++i)
      a[i] = __builtin_bit_cast(Half4, products[i].xy + products[i].zw);
    __builtin_amdgcn_sched_barrier(0);
  }
};

/// 64 products a trip, of matrices that are the products before.
__device__ void one_by_one_matrix(float* out, const float* in, int n) {
  Matrices<1> m;
  m.a[0] = Half4(static_cast<_Float16>(in[threadIdx.x]));
#pragma unroll 1
  for (int i = 0; i < n; i += 64)
#pragma unroll
    for (int k = 0; k < 64; ++k) m.multiply(), m.take_products();
  out[global_id()] = float(m.a[0].x);
}
/// The same of 16, half of which are multiplied while the others' products come.
__device__ void many_matrices(float* out, const float* in, int n) {
  constexpr int many = 8;
  Matrices<many> even, odd;
  for (int i = 0; i < many; ++i) {
    even.a[i] = Half4(static_cast<_Float16>(in[threadIdx.x + i]));
    odd.a[i] = even.a[i];
  }
  odd.multiply();
#pragma unroll 1
  for (int i = 0; i < n; i += 64)
#pragma unroll
    for (int k = 0; k < 64 / (2 * many); ++k) {
      even.multiply(), odd.take_products();
      odd.multiply(), even.take_products();
    }
  odd.take_products();
  float all = 0;
  for (int i = 0; i < many; ++i) all += float(even.a[i].x) + float(odd.a[i].x);
  out[global_id()] = all;
}
#endif

}  // namespace

KERNEL(conflicts_bad) {
  columns<float, 32>(out, in, n);
}
KERNEL(conflicts_good) {
  columns<float, 33>(out, in, n);
}
KERNEL(conflicts_wide_bad) {
  columns<double, 32>(out, in, n);
}
KERNEL(conflicts_wide_good) {
  columns<double, 33>(out, in, n);
}
KERNEL(conflicts_store_bad) {
  column_stores<32>(out, in, n);
}
KERNEL(conflicts_store_good) {
  column_stores<33>(out, in, n);
}
KERNEL(bins_bad) {
  count<8>(out, in, n);
}
KERNEL(bins_good) {
  count<256>(out, in, n);
}

KERNEL(fields_bad) {
  fields<32>(out, in, n);
}
KERNEL(fields_good) {
  fields<1>(out, in, n);
}
KERNEL(pairs_of_fields_bad) {
  fields<4>(out, in, n);
}
KERNEL(pairs_of_fields_good) {
  fields<1>(out, in, n);
}
KERNEL(field_stores_bad) {
  field_stores<16>(out, in, n);
}
KERNEL(field_stores_good) {
  field_stores<1>(out, in, n);
}

KERNEL(bytes_bad) {
  one_by_one<unsigned char>(out, in, n);
}
KERNEL(bytes_good) {
  many_at_once<unsigned char>(out, in, n);
}
KERNEL(halves_bad) {
  one_by_one<_Float16>(out, in, n);
}
KERNEL(halves_good) {
  many_at_once<_Float16>(out, in, n);
}
KERNEL(floats_bad) {
  one_by_one<float>(out, in, n);
}
KERNEL(floats_good) {
  many_at_once<float>(out, in, n);
}

KERNEL(late_bad) {
  stream(out, in, n);
}
KERNEL(late_good) {
  stream_ahead(out, in, n);
}
KERNEL(waits_bad) {
  exchange<true>(out, in, n);
}
KERNEL(waits_good) {
  exchange<false>(out, in, n);
}
KERNEL(by_hand_bad) {
  by_hand<0>(out, in, n);
}
KERNEL(by_hand_good) {
  by_hand<1>(out, in, n);
}

// With as many VGPRs as hold nothing.
KERNEL(vgprs_bad) {
  little_room<4096>(out, in, n);
  asm volatile("" ::: "v255");
}
KERNEL(vgprs_good) {
  little_room<4096>(out, in, n);
}
KERNEL(lds_bad) {
  little_room<65536>(out, in, n);
}
KERNEL(lds_good) {
  little_room<4096>(out, in, n);
}

KERNEL(branch_bad) {
  two_ways<1>(out, in, n);
}
KERNEL(branch_good) {
  two_ways<64>(out, in, n);
}
KERNEL(trips_bad) {
  many_trips<1>(out, in, n);
}
KERNEL(trips_good) {
  many_trips<64>(out, in, n);
}

KERNEL(loop_bad) {
  short_loop<1>(out, in, n);
}
KERNEL(loop_good) {
  short_loop<8>(out, in, n);
}

KERNEL(chain_bad) {
  chains<1, 128>(out, in, n);
}
KERNEL(chain_good) {
  chains<16, 128>(out, in, n);
}
KERNEL(packed_bad) {
  by_pairs<false>(out, in, n);
}
KERNEL(packed_good) {
  by_pairs<true>(out, in, n);
}
#ifdef __gfx942__
KERNEL(matrices_bad) {
  one_by_one_matrix(out, in, n);
}
KERNEL(matrices_good) {
  many_matrices(out, in, n);
}
#endif

// A workgroup may have so many threads that each has few registers.
KERNEL_OF(1024, spills_bad) {
  all_of_all(out, in, n);
}
KERNEL_OF(128, spills_good) {
  all_of_all(out, in, n);
}

KERNEL(array_bad) {
  chosen<false>(out, in, n);
}
KERNEL(array_good) {
  chosen<true>(out, in, n);
}

// Launched in two ways.
KERNEL_OF(1024, work) {
  chains<8, 128>(out, in, n);
}
