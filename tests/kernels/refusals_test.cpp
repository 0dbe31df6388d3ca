// What the library says of calls that no kernel takes. Nothing runs: memory that is not null is
// never touched. Of the same kinds, what is right must pass.
#include <gtest/gtest.h>

#include <climits>
#include <limits>
#include <string>

#include "hipsight/kernels/attention/on_host.h"
#include "hipsight/kernels/attention_backward/on_host.h"
#include "hipsight/kernels/gemm/on_host.h"
#include "hipsight/kernels/grouped_gemm/on_host.h"
#include "hipsight/kernels/paged_attention/on_host.h"
#include "hipsight/kernels/rows/on_host.h"

namespace hipsight::kernels {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity(),
                nan = std::numeric_limits<float>::quiet_NaN();
alignas(16) bf16 some[16];
float numbers[16];

template <class E>
std::string gemm_error(RowMajor<bf16> c, const E& epilogue, int batches = 1, int depth = 8) {
  return gemm_problem(RowMajor<const bf16>{some, c.rows, depth, depth},
                      RowMajor<const bf16>{some, depth, c.columns, c.columns}, c, epilogue, batches)
      .error();
}
template <class E>
std::string epilogue_error(const E& epilogue) {
  return gemm_error({some, 4, 5, 5}, epilogue);
}

TEST(Refusals, GemmWhoseResultsOverlap) {
  EXPECT_EQ(gemm_error({some, 4, 5, 5, 0}, Identity{}, 2),
            "gemm: C's results overlap: there is a stride of 0 from a matrix to the next");
  EXPECT_EQ(gemm_error({some, 4, 5, 5, 19}, Identity{}, 2),
            "gemm: C's results overlap: there is a stride of 19 from a matrix to the next");
  EXPECT_EQ(gemm_error({some, 4, 5, 8, -1}, Identity{}, 2),
            "gemm: C's results overlap: there is a stride of -1 from a matrix to the next");
  EXPECT_EQ(gemm_error({some, 4, 5, 14, 5}, Identity{}, 3),
            "gemm: C's results overlap: there is a stride of 14 from a row to the next");
  EXPECT_EQ(gemm_error({some, 4, 5, 5, 0}, Identity{}), "");
  EXPECT_EQ(gemm_error({some, 4, 5, 5, 20}, Identity{}, 2), "");
  EXPECT_EQ(gemm_error({some, 4, 5, 6, -23}, Identity{}, 2), "");
  EXPECT_EQ(gemm_error({some, 4, 5, 15, 5}, Identity{}, 3), "");  // side by side
  EXPECT_EQ(gemm_error({some, 1, 5, 5, 5}, Identity{}, 3), "");
}

TEST(Refusals, GemmThatIsTooLarge) {
  EXPECT_EQ(gemm_error({some, INT_MAX, 1 << 20, 1 << 20}, Identity{}),
            "gemm: C is 2147483647 x 1048576: that is more than 2^31 tiles of 16 x 16");
  const RowMajor<bf16> c{some, 4, 5, 5};
  const auto error = gemm_problem(ColumnMajor<const bf16>{some, 4, INT_MAX, 4},
                                  RowMajor<const bf16>{some, INT_MAX, 5, 5}, c, Identity{}, 1)
                         .error();
  EXPECT_EQ(error,
            "gemm: the depth of 2147483647 is more than 2147479551, the most that kernels take");
  EXPECT_EQ(gemm_error({some, INT_MAX, 1, 1}, Identity{}), "");
}

TEST(Refusals, EpiloguesWithoutTheirOperands) {
  const float* const none = nullptr;
  EXPECT_EQ(epilogue_error(Bias(none)), "gemm: Bias is a null pointer");
  EXPECT_EQ(epilogue_error(ScaleRows{none}), "gemm: ScaleRows is a null pointer");
  EXPECT_EQ(epilogue_error(ScaleColumns{none}), "gemm: ScaleColumns is a null pointer");
  EXPECT_EQ(epilogue_error(ScaleAll{none}), "gemm: ScaleAll is a null pointer");
  EXPECT_EQ(epilogue_error(PerBatch(Bias(none), 5)), "gemm: Bias is a null pointer");
  EXPECT_EQ(epilogue_error(Relu{} | Bias(none) | Gelu{}), "gemm: Bias is a null pointer");
  EXPECT_EQ(epilogue_error(Residual(RowMajor<const float>{none, 4, 5, 5})),
            "gemm: Residual is a null pointer");
  EXPECT_EQ(epilogue_error(Silu{} | Multiply(RowMajor<const float>{none, 4, 5, 5})),
            "gemm: Multiply is a null pointer");
  EXPECT_EQ(epilogue_error(Scale{infinity}), "gemm: Scale's factor, inf, is not finite");
  EXPECT_EQ(epilogue_error(Scale{nan} | Relu{}), "gemm: Scale's factor, nan, is not finite");
  EXPECT_EQ(epilogue_error(Scale{-1}), "");
  EXPECT_EQ(gemm_error({nullptr, 0, 5, 5}, Bias(none)), "");  // without results, nothing is read
}

TEST(Refusals, EpiloguesOfAnotherSize) {
  EXPECT_EQ(epilogue_error(Residual(RowMajor<const float>{numbers, 3, 5, 5})),
            "gemm: Residual is 3 x 5 and C is 4 x 5: they must be the same");
  EXPECT_EQ(epilogue_error(Silu{} | Multiply(RowMajor<const float>{numbers, 4, 4, 4})),
            "gemm: Multiply is 4 x 4 and C is 4 x 5: they must be the same");
  EXPECT_EQ(epilogue_error(Residual(RowMajor<const float>{numbers, 4, 5, 5})), "");
  EXPECT_EQ(epilogue_error(Residual(RowMajor<const float>{numbers, 4, 5, 0})), "");  // one row
}

TEST(Refusals, FactorsOfBlocks) {
  alignas(16) static fp8_e4m3 bytes[16];
  const auto error = [](const float* factors, std::int64_t stride) {
    const RowMajor<const fp8_e4m3> a{bytes, 4, 200, 200}, b{bytes, 200, 5, 5};
    return gemm_problem(scaled_rows(a, factors, stride), scaled_blocks(b, numbers, 2),
                        RowMajor<float>{numbers, 4, 5, 5}, Identity{}, 1)
        .error();
  };
  EXPECT_EQ(error(nullptr, 2), "gemm: the factors of A are a null pointer");
  EXPECT_EQ(error(numbers, 1),
            "gemm: the stride of A's factors, 1, is less than the 2 blocks of the depth");
  EXPECT_EQ(error(numbers, 1 << 24),
            "gemm: the stride of A's factors, 16777216, is more than 2097151, the largest that "
            "kernels take");
  EXPECT_EQ(error(numbers, 2), "");
}

std::string grouped_error(RowMajor<bf16> c, const RowGroups& groups, int rows = 4) {
  const RowMajor<const bf16> a{some, rows, 8, 8}, b{some, 8, 5, 5, 40};
  return grouped_gemm_problem(a, b, c, groups, Identity{}).error();
}

TEST(Refusals, GroupedGemm) {
  const int starts[] = {0, 4};
  const RowGroups groups{starts, 1};
  const RowMajor<bf16> c{some, 4, 5, 5};
  EXPECT_EQ(grouped_error(c, groups), "");
  EXPECT_EQ(grouped_error(c, groups, 3),
            "grouped_gemm: A is 3 x 8, each B is 8 x 5 and C is 4 x 5: they must be M x K, K x N "
            "and M x N");
  EXPECT_EQ(grouped_error(c, {starts, -1}), "grouped_gemm: there are -1 groups");
  EXPECT_EQ(grouped_error(c, {nullptr, 1}), "grouped_gemm: groups.starts is a null pointer");
  EXPECT_EQ(grouped_error(c, {nullptr, 0}), "");  // without groups, nothing is read
  EXPECT_EQ(grouped_error({some, 4, 5, 4}, groups),
            "grouped_gemm: C's stride of 4 is less than the 5 elements side by side");
  EXPECT_EQ(grouped_error({nullptr, 4, 5, 5}, groups), "grouped_gemm: a matrix is a null pointer");
  EXPECT_EQ(grouped_gemm_problem(RowMajor<const bf16>{some, 4, 8, 8},
                                 RowMajor<const bf16>{some, 8, 5, 5, 40}, c, groups,
                                 Bias(static_cast<const float*>(nullptr)))
                .error(),
            "grouped_gemm: Bias is a null pointer");
}

TEST(Refusals, RowsByIndex) {
  const int starts[] = {0, 4}, index[] = {3, 2, 1, 0};
  const auto error = [&](RowMajor<const bf16> a, const int* of_a, int count) {
    const RowMajor<const bf16> b{some, a.columns, 5, 5, 40};
    return grouped_gemm_problem(indexed_rows(a, of_a, count), b,
                                indexed_rows(RowMajor<bf16>{some, 9, 5, 5}, index, 4), {starts, 1},
                                Identity{})
        .error();
  };
  EXPECT_EQ(error({some, 2, 8, 8}, index, 4), "");
  EXPECT_EQ(error({some, 2, 8, 8}, index, 5),
            "grouped_gemm: A is 5 x 8, each B is 8 x 5 and C is 4 x 5: they must be M x K, K x N "
            "and M x N");
  EXPECT_EQ(error({some, 2, 8, 8}, nullptr, 4), "grouped_gemm: A's index is a null pointer");
  EXPECT_EQ(error({some, -1, 8, 8}, index, 4),
            "grouped_gemm: a size is negative: A's index has 4 rows and A has -1");
  EXPECT_EQ(error({some, 1 << 18, 8, 1 << 12}, index, 4),
            "grouped_gemm: A has 2147483648 bytes: of what is indexed 2^31 - 1 are possible");
}

std::string norm_error(float epsilon) {
  const RowMajor<bf16> x{some, 2, 8, 8};
  const RowMajor<const bf16> in = x;
  const auto rms = rms_norm_problem(in, numbers, x, epsilon, NoResidual{});
  const auto layer = layer_norm_problem(in, numbers, numbers, x, epsilon, NoResidual{});
  EXPECT_EQ(rms.error.empty(), layer.error.empty());
  return rms.error;
}

TEST(Refusals, NormsWhoseEpsilonIsNone) {
  EXPECT_EQ(norm_error(-1), "rms_norm: the epsilon of -1.000000 must be finite and not negative");
  EXPECT_EQ(norm_error(nan), "rms_norm: the epsilon of nan must be finite and not negative");
  EXPECT_EQ(norm_error(infinity), "rms_norm: the epsilon of inf must be finite and not negative");
  EXPECT_EQ(norm_error(0), "");
}

TEST(Refusals, RowsOfAnotherSize) {
  const RowMajor<bf16> x{some, 2, 8, 8};
  const RowMajor<const bf16> in = x;
  const RowMajor<bf16> fewer{some, 1, 8, 8};
  EXPECT_EQ(rms_norm_problem(in, numbers, fewer, 1, NoResidual{}).error,
            "rms_norm: the output is 1 x 8: it must be 2 x 8");
  EXPECT_EQ(rms_norm_problem(in, numbers, x, 1, AddResidual(in, fewer)).error,
            "rms_norm: the residual's sum is 1 x 8: it must be 2 x 8");
  EXPECT_EQ(gated_problem<SiluGate>(in, RowMajor<const bf16>{some, 2, 7, 8}, x).error,
            "gated: the other input is 2 x 7: it must be 2 x 8");
  std::int8_t bytes[16];
  const RowMajor<std::int8_t> to{bytes, 2, 8, 8};
  EXPECT_EQ(convert_problem(in, PerBlock(to, RowMajor<float>{numbers, 1, 1, 1})).error,
            "convert: the output's scales is 1 x 1: it must be 2 x 1");
  EXPECT_EQ(convert_problem(in, PerTensor(to, static_cast<const float*>(nullptr))).error,
            "convert: the output's scale is a null pointer");
}

std::string rope_error(const Heads<bf16>& out, RowMajor<const float> table) {
  const Heads<const bf16> in{
      some, out.tokens, out.heads, out.size, std::int64_t{out.size} * out.heads, out.size};
  static const int positions = 0;
  return rope_problem<Pairing::halves, bf16>(in, out, table, table, &positions).error;
}

TEST(Refusals, Rope) {
  const RowMajor<const float> table{numbers, 2, 4, 4};
  EXPECT_EQ(rope_error({some, 2, 3, 8, 8, 8}, table),
            "rope: the output's results overlap: there is a stride of 8 from a head to the next");
  EXPECT_EQ(rope_error({some, 2, 3, 8, 23, 8}, table),
            "rope: the output's results overlap: there is a stride of 23 from a token to the next");
  EXPECT_EQ(rope_error({some, 2, 3, 8, 24, 8}, table), "");
  EXPECT_EQ(rope_error({some, 2, 3, 8, 8, 16}, table), "");
  EXPECT_EQ(rope_error({some, 2, 3, 8, 24, 8}, {numbers, -1, 4, 4}),
            "rope: the tables have a negative size");
  EXPECT_EQ(rope_error({some, INT_MAX, INT_MAX, 128, 0, 0}, table),
            "rope: the output's stride of heads of 0 is less than the 128 values of a head");
  EXPECT_EQ(rope_error({some, INT_MAX, INT_MAX, 8, std::int64_t{8} * INT_MAX, 8}, table),
            "rope: there are more values than one launch takes");
}

template <int head = 32>
std::string attention_error(Sequences<bf16, head> o, AttentionOptions options = {}) {
  const Sequences<const bf16, head> q{some, o.length, o.heads, o.heads * head, head, 1 << 20};
  const Sequences<const bf16, head> k{some, 3, 1, head, head, 0};
  return attention_problem(q, k, k, o, options).error();
}

TEST(Refusals, AttentionWhoseResultsOverlap) {
  EXPECT_EQ(attention_error({some, 5, 2, 64, 0, 320}),
            "attention: O's results overlap: there is a stride of 0 from a head to the next");
  EXPECT_EQ(attention_error({some, 5, 2, 64, 32, 0}, {.batches = 2}),
            "attention: O's results overlap: there is a stride of 0 from a sequence to the next");
  EXPECT_EQ(attention_error({some, 5, 2, 32, 32, 320}),
            "attention: O's results overlap: there is a stride of 32 from a head to the next");
  EXPECT_EQ(attention_error({some, 5, 2, 64, 32, 320}, {.batches = 2}), "");
  EXPECT_EQ(attention_error({some, 5, 2, 32, 160, 320}, {.batches = 2}), "");
  const int starts = 0;  // sequences that lie one after the other
  EXPECT_EQ(attention_error({some, 5, 2, 64, 32, 0}, {.batches = 2, .query_starts = &starts}), "");
  EXPECT_EQ(
      attention_error({some, 5, 2, 64, 32, 320}, {.log_sums = {numbers, 5, 2, 1, 0, 10}}),
      "attention: log_sums's results overlap: there is a stride of 0 from a head to the next");
}

TEST(Refusals, AttentionThatIsTooLarge) {
  EXPECT_EQ(
      attention_error({some, 1 << 28, 1 << 30, 32, std::int64_t{1} << 33, 0}, {.batches = 1 << 30}),
      "attention: there are more than 2^31 queries, of all heads and batches");
  EXPECT_EQ(
      attention_error({some, 5, 2, 64, 32, 320}, {.scale = 0x1.8p127f}),
      "attention: the scale of scores, 255211775190703847597530955573826158592.000000, is too "
      "large");
  EXPECT_EQ(attention_error({some, 5, 2, 64, 32, 320}, {.scale = nan}),
            "attention: the scale of scores, nan, must be positive and finite");
  EXPECT_EQ(
      attention_error({some, 5, 2, 64, 32, 320}, {.band = Band::window(INT_MIN)}),
      "attention: the band must reach from 0 or more keys before a query's place to 0 or more "
      "after it");
}

std::string backward_error(Sequences<bf16, 32> d_q, Sequences<bf16, 32> d_k,
                           AttentionOptions options = {}, std::size_t lent = 40) {
  const Sequences<const bf16, 32> q{some, 5, 2, 64, 32, 0}, k{some, 3, 1, 32, 32, 0};
  if (!options.log_sums.data) options.log_sums = {numbers, 5, 2, 1, 5, 10};
  return attention_backward_problem(q, k, k, q, q, d_q, d_k, d_k, options).error({numbers, lent});
}

TEST(Refusals, AttentionBackward) {
  const Sequences<bf16, 32> d_q{some, 5, 2, 64, 32, 320}, d_k{some, 3, 1, 32, 32, 96};
  EXPECT_EQ(backward_error(d_q, d_k), "");
  EXPECT_EQ(backward_error(d_q, d_k, {.batches = 2}, 80), "");
  EXPECT_EQ(backward_error({some, 4, 2, 64, 32, 320}, d_k),
            "attention_backward: Q has 5 places of 2 heads and dQ has 4 places of 2 heads: they "
            "must be the same");
  EXPECT_EQ(backward_error(d_q, {some, 3, 2, 64, 32, 96}),
            "attention_backward: K has 3 places of 1 heads and dK has 3 places of 2 heads: they "
            "must be the same");
  EXPECT_EQ(backward_error(d_q, {some, 3, 1, 31, 32, 96}),
            "attention_backward: dK's stride of 31 is less than 32, the size of a head");
  EXPECT_EQ(backward_error({some, 5, 2, 32, 32, 320}, d_k),
            "attention_backward: dQ's results overlap: there is a stride of 32 from a head to the "
            "next");
  EXPECT_EQ(backward_error(d_q, {some, 3, 1, 32, 32, 0}, {.batches = 2}, 80),
            "attention_backward: dK's results overlap: there is a stride of 0 from a sequence to "
            "the next");
  EXPECT_EQ(backward_error({nullptr, 5, 2, 64, 32, 320}, d_k),
            "attention_backward: Q, O, dO or dQ is null");
  EXPECT_EQ(backward_error(d_q, {nullptr, 3, 1, 32, 32, 96}),
            "attention_backward: K, V, dK or dV is null");
  EXPECT_EQ(backward_error(d_q, d_k, {}, 39),
            "attention_backward: the workspace has 39 bytes: it needs 40");
  EXPECT_EQ(backward_error(d_q, d_k, {.log_sums = {numbers, 4, 2, 1, 5, 10}}),
            "attention_backward: Q has 5 places of 2 heads and log_sums has 4 places of 2 heads: "
            "they must be the same");
  const Sequences<const bf16, 32> q{some, 5, 2, 64, 32, 0}, k{some, 3, 1, 32, 32, 0};
  EXPECT_EQ(attention_backward_problem(q, k, k, q, q, d_q, d_k, d_k, {}).error({numbers, 40}),
            "attention_backward: log_sums is a null pointer: it must have what attention() gave");
}

std::string paged_error(Sequences<bf16, 32> o, PagedAttentionOptions options = {}) {
  const Sequences<const bf16, 32> q{some, o.length, o.heads, o.heads * 32, 32, 1 << 20};
  static const int table = 0;
  const auto cache = pages_by_place<32>(some, some, 1, 16, PageTable{&table, 4, &table});
  return paged_attention_problem(q, cache, o, options).error();
}

TEST(Refusals, PagedAttention) {
  EXPECT_EQ(paged_error({some, 1, 2, 64, 0, 64}),
            "paged_attention: O's results overlap: there is a stride of 0 from a head to the next");
  EXPECT_EQ(paged_error({some, 1, 2, 64, 32, 0}, {.batches = 2}),
            "paged_attention: O's results overlap: there is a stride of 0 from a sequence to the "
            "next");
  EXPECT_EQ(paged_error({some, 1, 2, 64, 32, 64}, {.batches = 2}), "");
  EXPECT_EQ(
      paged_error({some, 1, INT_MAX, 64, 16, 0}),
      "paged_attention: O's results overlap: there is a stride of 16 from a head to the next");
  EXPECT_EQ(paged_error({some, 1 << 20, 1 << 20, 32, 1 << 25, std::int64_t{1} << 45},
                        {.batches = 1 << 24}),
            "paged_attention: there are more than 2^23 queries, of all heads and batches");
  EXPECT_EQ(paged_error({some, 1, 2, 64, 32, 64}, {.scale = 1e30f, .key_scale = 1e30f}),
            "paged_attention: the scale of scores, 1000000015047466219876688855040.000000, is too "
            "large");
  EXPECT_EQ(paged_error({some, 1, 2, 64, 32, 64},
                        {.workspace = {reinterpret_cast<char*>(numbers) + 1, 1000}}),
            "paged_attention: the workspace must begin at a multiple of 4 bytes");
}

}  // namespace
}  // namespace hipsight::kernels
