// Mixtures of experts, but for their matrices.
#include "call.h"

using namespace hipsight::operations;

namespace {

using Tensor = const hipsight_tensor*;

Instance instance_of(const char* operation, Tensor of) {
  return {"moe",
          {std::string("VALUE=") + name_of(of->type), std::string("OPERATION_") + operation}};
}

}  // namespace

const char* hipsight_moe_route(const hipsight_context* context, Tensor scores, Tensor bias,
                               Tensor experts, Tensor weights,
                               const hipsight_moe_options* options) {
  return guarded([&] {
    Call call("moe_route", context);
    call.require(options != nullptr, "there are no options");
    call.takes("scores", scores, {2}, computed).may_take("bias", bias, {1}, f32);
    call.takes("experts", experts, {2}, whole).takes("weights", weights, {2}, f32);
    call.same_sizes({experts, weights}).by_rows({scores, experts, weights}).without_gaps({bias});
    call.require(experts->sizes[0] == scores->sizes[0], "experts must have a row for each token");
    call.require(!bias || bias->sizes[0] == scores->sizes[1],
                 "bias must have a value for each expert");
    return call.run(instance_of("route", scores), hipsight_moe_route, "hipsight_moe_route", scores,
                    bias, experts, weights, options);
  });
}

const char* hipsight_moe_sort(const hipsight_context* context, Tensor experts, Tensor starts,
                              Tensor rows, Tensor places) {
  return guarded([&] {
    Call call("moe_sort", context);
    call.takes("experts", experts, {2}, whole).takes("starts", starts, {1}, whole);
    call.takes("rows", rows, {1}, whole).takes("places", places, {2}, whole);
    call.same_sizes({experts, places}).without_gaps({experts, starts, rows, places});
    const int64_t choices = experts->sizes[0] * experts->sizes[1];
    call.require(choices <= INT32_MAX, "there are 2^31 choices, or more")
        .require(rows->sizes[0] == choices, "rows must have one for each choice")
        .require(starts->sizes[0] >= 2, "starts must have one number more than there are experts");
    return call.run({"moe", {"OPERATION_sort"}}, hipsight_moe_sort, "hipsight_moe_sort", experts,
                    starts, rows, places);
  });
}

const char* hipsight_moe_combine(const hipsight_context* context, Tensor x, Tensor places,
                                 Tensor weights, Tensor y) {
  return guarded([&] {
    Call call("moe_combine", context);
    call.takes("x", x, {2}, computed).takes("y", y, {2}, computed).same_type({x, y});
    call.takes("places", places, {2}, whole).takes("weights", weights, {2}, f32);
    call.same_sizes({places, weights}).by_rows({x, y, weights}).without_gaps({places});
    call.require(x->sizes[1] == y->sizes[1], "x and y must have as many columns")
        .require(places->sizes[0] == y->sizes[0], "places must have a row for each token");
    return call.run(instance_of("combine", x), hipsight_moe_combine, "hipsight_moe_combine", x,
                    places, weights, y);
  });
}
