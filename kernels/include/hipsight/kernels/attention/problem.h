// Attention as its caller states it, and what is wrong with it.
#pragma once

#include <string>
#include <type_traits>

#include "check.h"
#include "kernel.h"

namespace hipsight::kernels {

/// What can be asked of attention, beyond all queries seeing all keys.
struct AttentionOptions {
  float scale = 0;  // of the scores; 0: 1 / sqrt(size of a head)
  Band band{};
  int batches = 1;
  /// Sequences that lie one after the other, in the memory of the device: batch strides are then 0,
  /// as a rule.
  Starts query_starts = nullptr, key_starts = nullptr;
  /// If data is not null, gets log(sum of exp(scale * score)) of each query, of the length and the
  /// heads of Q.
  Sequences<float, 1> log_sums{};
};

/// Whether the stride is asked for: from one place to the next, or to those of a later sequence.
inline bool has_stride(int length, Starts starts) {
  return length > 1 || starts;
}

HIPSIGHT_APART inline void check_stride(Check& check, const char* name, const SequencesShape& of,
                                        int size, int element_bytes, Starts starts) {
  constexpr int tile_rows = 256;  // the most that a workgroup sees at once
  const int most = INT32_MAX / tile_rows / element_bytes;
  if (!has_stride(of.length, starts) || of.heads == 0) return;
  if (of.stride < size)
    check.fail(name, "'s stride of ", of.stride, " is less than ", size, ", the size of a head");
  if (of.stride > most)
    check.fail(name, "'s stride of ", of.stride, " is more than ", most,
               ", the largest that kernels take");
}

HIPSIGHT_APART inline void check_same(Check& check, const char* name, const SequencesShape& of,
                                      const char* other, const SequencesShape& of_other) {
  if (!(of == of_other))
    check.fail(name, " has ", of.length, " places of ", of.heads, " heads and ", other, " has ",
               of_other.length, " places of ", of_other.heads, " heads: they must be the same");
}

/// As kernels take them, whose bounds are made of the stride: a single place may have any.
template <class Item, int size>
Sequences<Item, size> lines_of(Sequences<Item, size> heads, Starts starts) {
  if (!has_stride(heads.length, starts)) heads.stride = size;
  return heads;
}

/// To be read only.
template <class Value, int size>
Sequences<const Value, size> read_only(const Sequences<Value, size>& heads) {
  return {heads.data,   heads.length,      heads.heads,
          heads.stride, heads.head_stride, heads.batch_stride};
}
template <class Value, int size>
Sequences<const Value, size> read_only(const Sequences<const Value, size>& heads) {
  return heads;
}

/// What is wrong with the types, at compile time, in sentences.
template <class OfQ, class OfK, class OfV, class OfO>
constexpr void check_attention_types() {
  using Value = typename OfO::Element;
  static_assert(std::is_same_v<Value, std::remove_const_t<typename OfQ::Element>> &&
                    std::is_same_v<Value, std::remove_const_t<typename OfK::Element>> &&
                    std::is_same_v<Value, std::remove_const_t<typename OfV::Element>>,
                "attention: Q, K, V and O must have elements of the same type, O's not const");
  constexpr bool shorter = OfQ::size == 192 && OfV::size == 128;  // a prompt of latent attention
  static_assert(
      OfQ::size == OfK::size && OfV::size == OfO::size && (OfQ::size == OfV::size || shorter),
      "attention: the heads of Q, K, V and O must have the same size, or those of Q and "
      "K 192 and those of V and O 128");
  static_assert(sizeof(Value) == 2, "attention: the elements must be f16 or bf16");
  static_assert(OfQ::size % 32 == 0 && OfQ::size <= 256,
                "attention: the size of a head must be a multiple of 32, up to 256");
}

template <class Value, int head, int value_head = head, class Change = PlainScores>
struct AttentionProblem {
  using Workgroup = AttentionWorkgroup<Value, head, value_head, Change>;

  Sequences<const Value, head> q, k;
  Sequences<const Value, value_head> v;
  Sequences<Value, value_head> o;
  AttentionOptions options;
  ScoreOptions of_scores{};
  [[no_unique_address]] Change change{};

  /// What no kernel takes, in a sentence, or empty.
  std::string error() const {
    Check check("attention");
    check_change<Change>(check, of_scores);
    check_all(check);
    if (!empty() && (!q.data || !o.data || (k.length && !(k.data && v.data))))
      check.fail("Q, K, V or O is null");
    return check.error();
  }

  /// But for null pointers.
  void check_all(Check& check) const {
    const SequencesShape of_q = shape_of(q), of_k = shape_of(k), of_v = shape_of(v),
                         of_o = shape_of(o), of_sums = shape_of(options.log_sums);
    if (of_q.is_negative() || of_k.is_negative())
      check.fail("a size is negative: Q has ", q.length, " places of ", q.heads,
                 " heads and K has ", k.length, " places of ", k.heads, " heads");
    check_queries(check, of_q, of_o, k.heads, options.batches, options.band,
                  factor_of_scores(options.scale, head), options.scale);
    check_same(check, "K", of_k, "V", of_v);
    const bool sums = options.log_sums.data;
    if (sums) check_same(check, "Q", of_q, "log_sums", of_sums);
    if (q.length > longest || k.length > longest)
      check.fail("Q has ", q.length, " places and K has ", k.length, ": at most ", longest,
                 " places are possible");
    if (!check.failed() && workgroups(1) > INT32_MAX)
      check.fail("there are more than 2^31 queries, of all heads and batches");
    const Starts of_queries = options.query_starts, of_keys = options.key_starts;
    check_stride(check, "Q", of_q, head, sizeof(Value), of_queries);
    check_stride(check, "K", of_k, head, sizeof(Value), of_keys);
    check_stride(check, "V", of_v, value_head, sizeof(Value), of_keys);
    check_stride(check, "O", of_o, value_head, sizeof(Value), of_queries);
    check_results(check, "O", of_o, value_head, options.batches, of_queries);
    if (sums) {
      check_stride(check, "log_sums", of_sums, 1, sizeof(float), of_queries);
      check_results(check, "log_sums", of_sums, 1, options.batches, of_queries);
    }
  }

  bool empty() const { return q.length == 0 || q.heads == 0 || options.batches == 0; }

  /// Of so many queries each.
  std::int64_t workgroups(int queries) const {
    return product({ceil_div(q.length, queries), q.heads, options.batches});
  }

  /// For workgroups of so many queries each.
  AttentionArguments<Value, head, value_head, Change> arguments(int queries) const {
    const Starts of_queries = options.query_starts, of_keys = options.key_starts;
    return {lines_of(q, of_queries),
            lines_of(k, of_keys),
            lines_of(v, of_keys),
            lines_of(o, of_queries),
            lines_of(options.log_sums, of_queries),
            options.query_starts,
            options.key_starts,
            static_cast<float>(factor_of_scores(options.scale, head)),
            options.band.limited(),
            {q.heads * options.batches, ceil_div(q.length, queries), 1},
            Divisor(q.heads),
            Divisor(q.heads / k.heads),
            change};
  }

 private:
  static constexpr int longest = 1 << 28;
};

/// `asked`: SoftCap, Sinks, or both.
template <class OfQ, class OfK, class OfV, class OfO, class... Asked>
auto attention_problem(const OfQ& q, const OfK& k, const OfV& v, const OfO& o,
                       const AttentionOptions& options, const Asked&... asked) {
  check_attention_types<OfQ, OfK, OfV, OfO>();
  using Value = typename OfO::Element;
  const ScoreOptions of_scores = score_options(asked...);
  const auto change = change_of<Asked...>(of_scores, factor_of_scores(options.scale, OfQ::size));
  return AttentionProblem<Value, OfQ::size, OfV::size, std::remove_const_t<decltype(change)>>{
      read_only(q), read_only(k), read_only(v), o, options, of_scores, change};
}

}  // namespace hipsight::kernels
