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

template <class T, int head>
struct AttentionProblem {
  using Workgroup = AttentionWorkgroup<T, head>;

  Sequences<const T, head> q, k, v;
  Sequences<T, head> o;
  AttentionOptions options;

  /// What no kernel takes, in a sentence, or empty.
  std::string error() const {
    const auto& sums = options.log_sums;
    if (q.length < 0 || k.length < 0 || q.heads < 0 || k.heads < 0)
      return "attention: a size is negative: Q has " + size_of(q) + " and K has " + size_of(k);
    if (std::string error = error_of_queries("attention: ", q, o, k.heads, options); !error.empty())
      return error;
    if (k.length != v.length || k.heads != v.heads)
      return "attention: K has " + size_of(k) + " and V has " + size_of(v) +
             ": they must be the same";
    if (sums.data && (sums.length != q.length || sums.heads != q.heads))
      return "attention: Q has " + size_of(q) + " and log_sums has " + size_of(sums) +
             ": they must be the same";
    if (q.length > longest || k.length > longest)
      return "attention: Q has " + size_of(q) + " and K has " + size_of(k) + ": at most " +
             std::to_string(longest) + " places are possible";
    if (workgroups(1) > INT32_MAX)
      return "attention: there are more than 2^31 queries, of all heads and batches";
    for (const auto& message :
         {error_of_stride("Q", q), error_of_stride("K", k), error_of_stride("V", v),
          error_of_stride("O", o), sums.data ? error_of_stride("log_sums", sums) : ""})
      if (!message.empty()) return message;
    if (!empty() && (!q.data || !o.data || (k.length && !(k.data && v.data))))
      return "attention: Q, K, V or O is null";
    return {};
  }

  bool empty() const { return q.length == 0 || q.heads == 0 || options.batches == 0; }

  /// Of so many queries each.
  std::int64_t workgroups(int queries) const {
    return std::int64_t{ceil_div(q.length, queries)} * q.heads * options.batches;
  }

  /// For workgroups of so many queries each.
  AttentionArguments<T, head> arguments(int queries) const {
    return {q,
            k,
            v,
            o,
            options.log_sums,
            options.query_starts,
            options.key_starts,
            static_cast<float>(factor_of_scores(options.scale, head)),
            options.band.limited(),
            {q.heads * options.batches, ceil_div(q.length, queries), 1},
            Divisor(q.heads),
            Divisor(q.heads / k.heads)};
  }

 private:
  static constexpr int longest = 1 << 28;

  template <class E, int size>
  static std::string error_of_stride(const char* name, const Sequences<E, size>& heads) {
    constexpr int tile_rows = 256;  // the most that a workgroup sees at once
    constexpr std::int64_t most = INT32_MAX / tile_rows / sizeof(E);
    const std::string stride =
        std::string("attention: ") + name + "'s stride of " + std::to_string(heads.stride);
    if (heads.stride < size && heads.length > 1 && heads.heads > 0)
      return stride + " is less than " + std::to_string(size) + ", the size of a head";
    if (heads.stride > most)
      return stride + " is more than " + std::to_string(most) + ", the largest that kernels take";
    return {};
  }
};

/// What is wrong at compile time, too, in sentences.
template <class Q, class K, class V, class O>
auto attention_problem(const Q& q, const K& k, const V& v, const O& o,
                       const AttentionOptions& options) {
  using T = typename O::Element;
  static_assert(std::is_same_v<T, std::remove_const_t<typename Q::Element>> &&
                    std::is_same_v<T, std::remove_const_t<typename K::Element>> &&
                    std::is_same_v<T, std::remove_const_t<typename V::Element>>,
                "attention: Q, K, V and O must have elements of the same type, O's not const");
  static_assert(Q::size == K::size && Q::size == V::size && Q::size == O::size,
                "attention: the heads of Q, K, V and O must have the same size");
  static_assert(sizeof(T) == 2, "attention: the elements must be f16 or bf16");
  static_assert(Q::size % 32 == 0 && Q::size <= 256,
                "attention: the size of a head must be a multiple of 32, up to 256");
  const auto constant = [](const auto& heads) {
    return Sequences<const T, Q::size>{heads.data,   heads.length,      heads.heads,
                                       heads.stride, heads.head_stride, heads.batch_stride};
  };
  return AttentionProblem<T, Q::size>{constant(q), constant(k), constant(v), o, options};
}

}  // namespace hipsight::kernels
