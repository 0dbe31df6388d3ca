// The gradients of attention as their caller asks for them, and what is wrong with that.
#pragma once

#include "../attention/problem.h"
#include "../workspace.h"
#include "kernel.h"

namespace hipsight::kernels {

template <class Value, int head>
struct AttentionBackwardProblem {
  template <Gradients of>
  using Workgroup = BackwardWorkgroup<Value, head, of>;

  Sequences<const Value, head> q, k, v, o, d_o;
  Sequences<Value, head> d_q, d_k, d_v;
  AttentionOptions options;

  /// What no kernel takes, in a sentence, or empty.
  std::string error(const Workspace& workspace) const {
    Check check("attention_backward");
    const Starts of_queries = options.query_starts, of_keys = options.key_starts;
    const SequencesShape of_q = shape_of(q), of_k = shape_of(k);
    const auto like = [&](const char* name, const auto& given, const char* other,
                          const SequencesShape& of, Starts starts, bool written) {
      check_same(check, other, of, name, shape_of(given));
      check_stride(check, name, shape_of(given), head, sizeof(Value), starts);
      if (written) check_results(check, name, shape_of(given), head, options.batches, starts);
    };
    like("O", o, "Q", of_q, of_queries, false);
    like("dO", d_o, "Q", of_q, of_queries, false);
    like("dQ", d_q, "Q", of_q, of_queries, true);
    like("dK", d_k, "K", of_k, of_keys, true);
    like("dV", d_v, "K", of_k, of_keys, true);
    AttentionProblem<Value, head>{q, k, v, d_q, options}.check_all(check);
    if (!check.failed() && workgroups(Gradients::keys, 1) > INT32_MAX)
      check.fail("there are more than 2^31 keys, of all heads and batches");
    if (check.failed()) return check.error();
    if (!empty(Gradients::queries)) {
      if (!options.log_sums.data)
        check.fail("log_sums is a null pointer: it must have what attention() gave");
      if (!q.data || !o.data || !d_o.data || !d_q.data) check.fail("Q, O, dO or dQ is null");
      if (reinterpret_cast<std::uintptr_t>(workspace.data) % sizeof(float))
        check.fail("the workspace must begin at a multiple of 4 bytes");
      if (!workspace.data || workspace.bytes < workspace_bytes())
        check.fail("the workspace has ", workspace.data ? workspace.bytes : 0, " bytes: it needs ",
                   workspace_bytes());
    }
    if (!empty(Gradients::keys) && (!k.data || !v.data || !d_k.data || !d_v.data))
      check.fail("K, V, dK or dV is null");
    return check.error();
  }

  /// A number for each query.
  std::size_t workspace_bytes() const {
    return sizeof(float) * static_cast<std::size_t>(product({q.length, q.heads, options.batches}));
  }

  /// Whether there are none.
  bool empty(Gradients of) const {
    const auto& own = are_of_queries(of) ? q : k;
    return own.length == 0 || own.heads == 0 || options.batches == 0;
  }

  /// Of so many rows with gradients each.
  std::int64_t workgroups(Gradients of, int rows) const {
    const auto& own = are_of_queries(of) ? q : k;
    return product({ceil_div(own.length, rows), own.heads, options.batches});
  }

  /// For workgroups of so many rows each.
  BackwardArguments<Value, head> arguments(Gradients of, int rows,
                                           const Workspace& workspace) const {
    using Arguments = BackwardArguments<Value, head>;
    const Starts of_queries = options.query_starts, of_keys = options.key_starts;
    typename Arguments::Operands queries{lines_of(q, of_queries), lines_of(d_o, of_queries),
                                         of_queries};
    const typename Arguments::Operands keys{lines_of(k, of_keys), lines_of(v, of_keys), of_keys};
    const bool own_queries = are_of_queries(of);
    if (q.heads == 0) queries.scored.length = queries.valued.length = 0, queries.starts = nullptr;
    const Band band = options.band.limited();
    const auto& own = own_queries ? q : k;
    return {.own = own_queries ? queries : keys,
            .other = own_queries ? keys : queries,
            .of_scored = own_queries ? lines_of(d_q, of_queries) : lines_of(d_k, of_keys),
            .of_valued = lines_of(d_v, of_keys),
            .o = lines_of(o, of_queries),
            .log_sums = lines_of(read_only(options.log_sums), of_queries),
            .deltas = {static_cast<float*>(workspace.data), q.length, q.heads, 1, q.length,
                       std::int64_t{q.length} * q.heads},
            .query_starts = of_queries,
            .factor = static_cast<float>(factor_of_scores(options.scale, head)),
            .scale = static_cast<float>(options.scale == 0 ? 1 / std::sqrt(head) : options.scale),
            .band = own_queries ? band : Band{band.after, band.before},
            .tiles = {own.heads * options.batches, ceil_div(own.length, rows), 1},
            .heads = Divisor(own.heads),
            .group = Divisor(k.heads ? q.heads / k.heads : 1)};
  }
};

/// What is wrong at compile time, too, in sentences.
template <class OfQ, class OfK, class OfV, class OfO, class OfGradient, class OfDq, class OfDk,
          class OfDv>
auto attention_backward_problem(const OfQ& q, const OfK& k, const OfV& v, const OfO& o,
                                const OfGradient& d_o, const OfDq& d_q, const OfDk& d_k,
                                const OfDv& d_v, const AttentionOptions& options) {
  static_assert(OfQ::size == OfV::size,
                "attention_backward: the heads of Q, K and V must have the same size");
  check_attention_types<OfQ, OfK, OfV, OfDq>();
  using Value = typename OfDq::Element;
  using Read = Sequences<const Value, OfQ::size>;
  static_assert(std::is_same_v<decltype(read_only(o)), Read> &&
                    std::is_same_v<decltype(read_only(d_o)), Read>,
                "attention_backward: O and dO must have elements and heads like Q's");
  static_assert(std::is_same_v<OfDk, OfDq> && std::is_same_v<OfDv, OfDq>,
                "attention_backward: dQ, dK and dV must have elements and heads like Q's, not "
                "const");
  static_assert(OfQ::size <= 128,
                "attention_backward: the size of a head must be a multiple of 32, up to 128");
  return AttentionBackwardProblem<Value, OfQ::size>{
      read_only(q), read_only(k), read_only(v), read_only(o), read_only(d_o),
      d_q,          d_k,          d_v,          options};
}

}  // namespace hipsight::kernels
