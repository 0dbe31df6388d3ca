// Routing, sorting and combining of a mixture of experts.
#include "hipsight/kernels/moe.h"
#include "hipsight/kernels/moe/on_host.h"
#include "moe_case.h"
#include "rows_instances.h"

using namespace hipsight::kernels;

namespace {

template <class T>
std::string route(const RouteCase& test) {
  const RowMajor<const T> scores{static_cast<const T*>(test.scores), test.tokens, test.experts,
                                 test.stride};
  const RowMajor<int> which{test.which, test.tokens, test.chosen, test.chosen};
  const RowMajor<float> weights{test.weights, test.tokens, test.chosen, test.chosen};
  const RouteOptions options{.scoring = test.sigmoid ? Scoring::sigmoid : Scoring::softmax,
                             .chosen = test.chosen,
                             .renormalise = test.renormalise,
                             .factor = test.factor,
                             .bias = test.bias,
                             .groups = test.groups,
                             .chosen_groups = test.chosen_groups,
                             .of_group = test.of_group};
  if (test.on_host) return moe_route_on_host<T>(scores, which, weights, options).error;
  return finish(moe_route<T>(nullptr, scores, which, weights, options));
}

template <class T>
std::string combine(const CombineCase& test) {
  const RowMajor<const T> in{static_cast<const T*>(test.in), test.rows, test.columns, test.stride};
  const RowMajor<T> out{static_cast<T*>(test.out), test.tokens, test.columns, test.stride};
  const RowMajor<const float> weights{test.weights, test.tokens, test.chosen, test.chosen};
  if (test.on_host) return moe_combine_on_host<T>(in, test.places, weights, out).error;
  return finish(moe_combine<T>(nullptr, in, test.places, weights, out));
}

}  // namespace

std::string route_f32(const RouteCase& test) {
  return route<float>(test);
}

std::string route_bf16(const RouteCase& test) {
  return route<bf16>(test);
}

std::string sort_by_expert(const SortCase& test) {
  if (test.on_host)
    return moe_sort_on_host(test.which, test.choices, test.chosen, test.experts, test.starts,
                            test.rows, test.places)
        .error;
  return finish(moe_sort(nullptr, test.which, test.choices, test.chosen, test.experts, test.starts,
                         test.rows, test.places));
}

std::string combine_bf16(const CombineCase& test) {
  return combine<bf16>(test);
}

std::string combine_f32(const CombineCase& test) {
  return combine<float>(test);
}
