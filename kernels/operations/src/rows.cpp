// Operations on the rows of matrices.
#include "call.h"

using namespace hipsight::operations;

namespace {

using Tensor = const hipsight_tensor*;

/// A call whose matrices are tokens x columns: x, others that are alike it, and a result y.
class OnRows : public Call {
 public:
  OnRows(const char* operation, const hipsight_context* context, const char* name, Tensor x)
      : Call(operation, context), x_(x), instance_{"rows", {}} {
    takes(name, x, {2}, computed).by_rows({x});
    instance_.macros = {std::string("VALUE=") + name_of(x->type),
                        std::string("OPERATION_") + operation};
  }

  OnRows& alike(const char* name, Tensor tensor) {
    takes(name, tensor, {2}, computed).same_type({x_, tensor}).same_sizes({x_, tensor});
    by_rows({tensor});
    return *this;
  }
  /// A value for each column.
  OnRows& of_columns(const char* name, Tensor tensor) {
    takes(name, tensor, {1}, computed).same_type({x_, tensor}).without_gaps({tensor});
    require(tensor->sizes[0] == x_->sizes[1],
            std::string(name) + " must have a value for each column");
    return *this;
  }
  /// Of x's type, or quantised, with its scales.
  OnRows& result(Tensor y, Tensor scales) {
    if (!scales) return alike("y", y);
    takes("y", y, {2}, quantised).takes("scales", scales, {2}, f32).by_rows({y, scales});
    same_sizes({x_, y});
    const int64_t rows = x_->sizes[0], columns = x_->sizes[1];
    instance_.macros.push_back(std::string("QUANTISED=") + name_of(y->type));
    // Of up to 128 columns there is one block: a scale for each row.
    const bool by_row = scales->sizes[1] == 1;
    require(scales->sizes[0] == rows && (by_row || scales->sizes[1] == blocks(columns)),
            "scales must be tokens x 1, or tokens x columns/128");
    if (by_row)
      without_gaps({scales});
    else
      instance_.macros.emplace_back("BLOCKS");
    return *this;
  }

  template <class Function, class... Arguments>
  const char* run(Function* function, const char* name, Arguments... arguments) const {
    return Call::run(instance_, function, name, arguments...);
  }

 private:
  Tensor x_;
  Instance instance_;
};

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
