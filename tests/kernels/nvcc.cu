// The same kernels for NVIDIA: what nvcc must compile.
#include "hipsight/kernels/attention.h"
#include "hipsight/kernels/attention_backward.h"
#include "hipsight/kernels/gemm.h"
#include "hipsight/kernels/grouped_gemm.h"
#include "hipsight/kernels/paged_attention.h"
#include "hipsight/kernels/rows.h"
#include "hipsight/kernels/wave_roles.h"

using namespace hipsight::kernels;

template <class T>
Status linear(const T* x, const T* weights, const float* bias, T* y, int size) {
  const auto problem = gemm_problem(RowMajor<const T>{x, size, size, size},
                                    ColumnMajor<const T>{weights, size, size, size},
                                    RowMajor<T>{y, size, size, size}, Bias(bias) | Gelu{}, 1);
  return launch_gemm<TileSize::medium>(nullptr, problem, Architecture::ampere);
}

template Status linear(const f16*, const f16*, const float*, f16*, int);
template Status linear(const bf16*, const bf16*, const float*, bf16*, int);
template Status linear(const f32*, const f32*, const float*, f32*, int);

/// All sizes of tiles, with shares and without.
Status product(const f16* x, const f16* weights, f16* y, int size, const Workspace& workspace) {
  return gemm(nullptr, RowMajor<const f16>{x, size, size, size},
              ColumnMajor<const f16>{weights, size, size, size}, RowMajor<f16>{y, size, size, size},
              Identity{}, 1, workspace);
}

/// In fp8, with factors of blocks: of one size, as nvcc takes its time.
Status scaled_product(const fp8_e4m3* x, const fp8_e4m3* weights, const float* factors, bf16* y,
                      int size) {
  const int blocks = ceil_div(size, scale_block);
  const auto problem = gemm_problem(
      scaled_rows(RowMajor<const fp8_e4m3>{x, size, size, size}, factors, blocks),
      scaled_blocks(ColumnMajor<const fp8_e4m3>{weights, size, size, size}, factors, blocks),
      RowMajor<bf16>{y, size, size, size}, Identity{}, 1);
  return launch_gemm<TileSize::small>(nullptr, problem, Architecture::ampere);
}

/// Of a mixture of experts: rows by index, through registers and past them.
Status experts(const bf16* tokens, const int* index, const bf16* weights, bf16* y,
               const RowGroups& groups, int size) {
  return grouped_gemm<TileSize::small>(
      nullptr, indexed_rows(RowMajor<const bf16>{tokens, size, size, size}, index, size),
      ColumnMajor<const bf16>{weights, size, size, size, size},
      indexed_rows(RowMajor<bf16>{y, size, size, size}, index, size), groups);
}

__global__ void over_lanes_kernel(float* values) {
  values[arch::lane()] = over_lanes(values[arch::lane()], Plus{});
}

Status rows(const f16* x, const float* weight, std::uint8_t* bytes, float* scales, int size) {
  const RowMajor<const f16> in{x, size, size, size};
  const PerToken out(RowMajor<fp8_e4m3>{reinterpret_cast<fp8_e4m3*>(bytes), size, size, size},
                     scales);
  return launch_rows<RowSize::workgroup>(
      nullptr, rms_norm_problem(in, weight, out, 1e-6f, NoResidual{}), Architecture::ampere);
}

template <int head, class T>
Status causal(const T* q, const T* k, const T* v, T* o) {
  const auto queries = packed_sequences<head>(q, 512, 8);
  const auto results = packed_sequences<head>(o, 512, 8);
  return attention(nullptr, queries, packed_sequences<head>(k, 512, 2),
                   packed_sequences<head>(v, 512, 2), results, {.band = Band::causal()});
}

template Status causal<128>(const bf16*, const bf16*, const bf16*, bf16*);

/// One kernel for keys and values, or one each.
template <int head, class T>
Status gradients(const T* x, const float* sums, T* out, float* lent) {
  const auto q = packed_sequences<head>(x, 512, 8), k = packed_sequences<head>(x, 512, 2);
  const auto d_q = packed_sequences<head>(out, 512, 8), d_k = packed_sequences<head>(out, 512, 2);
  const AttentionOptions options{
      .band = Band::causal(),
      .log_sums = {const_cast<float*>(sums), 512, 8, 1, 512, std::int64_t{8} * 512}};
  return attention_backward(nullptr, q, k, k, q, q, d_q, d_k, d_k, options,
                            {lent, attention_backward_workspace(q, options)});
}

template Status gradients<64>(const f16*, const float*, f16*, float*);
template Status gradients<128>(const bf16*, const float*, bf16*, float*);

template <int head, class T, class Cached>
Status decode(const T* q, const Cached* keys, const Cached* values, const PageTable& table, T* o) {
  return paged_attention(nullptr, packed_sequences<head>(q, 1, 32),
                         pages_by_place<head>(keys, values, 8, 16, table),
                         packed_sequences<head>(o, 1, 32), {.batches = 16, .splits = 1});
}

template Status decode<128>(const bf16*, const bf16*, const bf16*, const PageTable&, bf16*);
template Status decode<64>(const f16*, const fp8_e4m3*, const fp8_e4m3*, const PageTable&, f16*);

Status rotate(const bf16* x, const float* cosine, const float* sine, bf16* y) {
  const RowMajor<const float> of_cosine{cosine, 512, 64, 64}, of_sine{sine, 512, 64, 64};
  return rope<Pairing::halves>(nullptr, Heads<const bf16>{x, 512, 8, 128, 1024, 128},
                               Heads<bf16>{y, 512, 8, 128, 1024, 128}, of_cosine, of_sine);
}

__global__ void roles_kernel(int* out) {
  WaveRoles<1, 2>::run([&](auto role, int wave) { out[arch::thread()] = role == 0 ? -1 : wave; });
}
