// Operations on the rows of matrices.
#include "on_rows.h"

using namespace hipsight::operations;

namespace {

const char* gated(const hipsight_context* context, const char* operation,
                  decltype(&hipsight_silu_mul) function, const char* name, Tensor gate, Tensor up,
                  Tensor y, Tensor scales) {
  return guarded([&] {
    OnRows call(operation, context, "gate", gate);
    return call.alike("up", up).result(y, scales).run(function, name, gate, up, y, scales);
  });
}

}  // namespace

const char* hipsight_rms_norm(const hipsight_context* context, Tensor x, Tensor weight, Tensor y,
                              float epsilon, Tensor scales) {
  return guarded([&] {
    OnRows call("rms_norm", context, "x", x);
    return call.of_columns("weight", weight)
        .result(y, scales)
        .run(hipsight_rms_norm, "hipsight_rms_norm", x, weight, y, epsilon, scales);
  });
}

const char* hipsight_add_rms_norm(const hipsight_context* context, Tensor x, Tensor residual,
                                  Tensor weight, Tensor y, Tensor sum, float epsilon,
                                  Tensor scales) {
  return guarded([&] {
    OnRows call("add_rms_norm", context, "x", x);
    return call.alike("residual", residual)
        .of_columns("weight", weight)
        .alike("sum", sum)
        .result(y, scales)
        .run(hipsight_add_rms_norm, "hipsight_add_rms_norm", x, residual, weight, y, sum, epsilon,
             scales);
  });
}

const char* hipsight_layer_norm(const hipsight_context* context, Tensor x, Tensor weight,
                                Tensor bias, Tensor y, float epsilon) {
  return guarded([&] {
    OnRows call("layer_norm", context, "x", x);
    return call.of_columns("weight", weight)
        .of_columns("bias", bias)
        .alike("y", y)
        .run(hipsight_layer_norm, "hipsight_layer_norm", x, weight, bias, y, epsilon);
  });
}

const char* hipsight_softmax(const hipsight_context* context, Tensor x, Tensor y, float scale) {
  return guarded([&] {
    OnRows call("softmax", context, "x", x);
    return call.alike("y", y).run(hipsight_softmax, "hipsight_softmax", x, y, scale);
  });
}

const char* hipsight_silu_mul(const hipsight_context* context, Tensor gate, Tensor up, Tensor y,
                              Tensor scales) {
  return gated(context, "silu_mul", hipsight_silu_mul, "hipsight_silu_mul", gate, up, y, scales);
}

const char* hipsight_gelu_mul(const hipsight_context* context, Tensor gate, Tensor up, Tensor y,
                              Tensor scales) {
  return gated(context, "gelu_mul", hipsight_gelu_mul, "hipsight_gelu_mul", gate, up, y, scales);
}

const char* hipsight_quantise(const hipsight_context* context, Tensor x, Tensor y, Tensor scales) {
  return guarded([&] {
    OnRows call("quantise", context, "x", x);
    call.require(scales != nullptr, "there is no scales");
    return call.result(y, scales).run(hipsight_quantise, "hipsight_quantise", x, y, scales);
  });
}

const char* hipsight_rope(const hipsight_context* context, Tensor x, Tensor y, Tensor cosine,
                          Tensor sine, Tensor positions, int interleaved) {
  return guarded([&] {
    Call call("rope", context);
    call.takes("x", x, {3}, computed).takes("y", y, {3}, computed);
    call.takes("cosine", cosine, {2}, f32).takes("sine", sine, {2}, f32);
    call.may_take("positions", positions, {1}, whole);
    call.same_type({x, y}).same_sizes({x, y}).same_sizes({cosine, sine});
    call.by_rows({x, y, cosine, sine}).without_gaps({positions});
    call.require(2 * cosine->sizes[1] <= x->sizes[2],
                 "cosine has more columns than x has pairs of values in a head");
    if (positions)
      call.require(positions->sizes[0] == x->sizes[0], "positions must have one for each token");
    else
      call.require(cosine->sizes[0] >= x->sizes[0], "cosine has fewer rows than x has tokens");
    return call.run({"rows",
                     {std::string("VALUE=") + name_of(x->type), "OPERATION_rope",
                      interleaved ? "PAIRING=neighbours" : "PAIRING=halves"}},
                    hipsight_rope, "hipsight_rope", x, y, cosine, sine, positions, interleaved);
  });
}
