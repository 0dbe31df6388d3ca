// Operations of training.
#include "on_rows.h"

using namespace hipsight::operations;

namespace {

constexpr const char* source = "training";

const char* gated(const hipsight_context* context, const char* operation,
                  decltype(&hipsight_silu_mul_backward) function, const char* name, Tensor gate,
                  Tensor up, Tensor d_y, Tensor d_gate, Tensor d_up) {
  return guarded([&] {
    OnRows call(operation, context, "gate", gate, source);
    return call.alike("up", up)
        .alike("d_y", d_y)
        .alike("d_gate", d_gate)
        .alike("d_up", d_up)
        .run(function, name, gate, up, d_y, d_gate, d_up);
  });
}

}  // namespace

const char* hipsight_rms_norm_backward(const hipsight_context* context, Tensor x, Tensor weight,
                                       Tensor d_y, Tensor d_x, Tensor d_weight, Tensor workspace,
                                       float epsilon) {
  return guarded([&] {
    OnRows call("rms_norm_backward", context, "x", x, source);
    return call.of_columns("weight", weight)
        .alike("d_y", d_y)
        .alike("d_x", d_x)
        .of_columns("d_weight", d_weight)
        .workspace(workspace)
        .run(hipsight_rms_norm_backward, "hipsight_rms_norm_backward", x, weight, d_y, d_x,
             d_weight, workspace, epsilon);
  });
}

const char* hipsight_rms_norm_backward_workspace(const hipsight_context* context, Tensor x,
                                                 uint64_t* workspace_bytes) {
  return guarded([&] {
    const OnRows call("rms_norm_backward", context, "x", x, source);
    return call.run(hipsight_rms_norm_backward_workspace, "hipsight_rms_norm_backward_workspace", x,
                    workspace_bytes);
  });
}

const char* hipsight_layer_norm_backward(const hipsight_context* context, Tensor x, Tensor weight,
                                         Tensor d_y, Tensor d_x, Tensor d_weight, Tensor d_bias,
                                         Tensor workspace, float epsilon) {
  return guarded([&] {
    OnRows call("layer_norm_backward", context, "x", x, source);
    return call.of_columns("weight", weight)
        .alike("d_y", d_y)
        .alike("d_x", d_x)
        .of_columns("d_weight", d_weight)
        .of_columns("d_bias", d_bias)
        .workspace(workspace)
        .run(hipsight_layer_norm_backward, "hipsight_layer_norm_backward", x, weight, d_y, d_x,
             d_weight, d_bias, workspace, epsilon);
  });
}

const char* hipsight_layer_norm_backward_workspace(const hipsight_context* context, Tensor x,
                                                   uint64_t* workspace_bytes) {
  return guarded([&] {
    const OnRows call("layer_norm_backward", context, "x", x, source);
    return call.run(hipsight_layer_norm_backward_workspace,
                    "hipsight_layer_norm_backward_workspace", x, workspace_bytes);
  });
}

const char* hipsight_softmax_backward(const hipsight_context* context, Tensor y, Tensor d_y,
                                      Tensor d_x, float scale) {
  return guarded([&] {
    OnRows call("softmax_backward", context, "y", y, source);
    return call.alike("d_y", d_y)
        .alike("d_x", d_x)
        .run(hipsight_softmax_backward, "hipsight_softmax_backward", y, d_y, d_x, scale);
  });
}

const char* hipsight_silu_mul_backward(const hipsight_context* context, Tensor gate, Tensor up,
                                       Tensor d_y, Tensor d_gate, Tensor d_up) {
  return gated(context, "silu_mul_backward", hipsight_silu_mul_backward,
               "hipsight_silu_mul_backward", gate, up, d_y, d_gate, d_up);
}

const char* hipsight_gelu_mul_backward(const hipsight_context* context, Tensor gate, Tensor up,
                                       Tensor d_y, Tensor d_gate, Tensor d_up) {
  return gated(context, "gelu_mul_backward", hipsight_gelu_mul_backward,
               "hipsight_gelu_mul_backward", gate, up, d_y, d_gate, d_up);
}

const char* hipsight_cross_entropy(const hipsight_context* context, Tensor logits, Tensor targets,
                                   Tensor losses, Tensor d_logits, float factor) {
  return guarded([&] {
    OnRows call("cross_entropy", context, "logits", logits, source);
    return call.of_rows("targets", targets, whole)
        .of_rows("losses", losses, f32)
        .alike("d_logits", d_logits)
        .run(hipsight_cross_entropy, "hipsight_cross_entropy", logits, targets, losses, d_logits,
             factor);
  });
}

const char* hipsight_adamw(const hipsight_context* context, Tensor gradient, Tensor parameters,
                           Tensor mean, Tensor square, Tensor master,
                           const hipsight_adamw_step* step) {
  return guarded([&] {
    OnRows call("adamw", context, "parameters", parameters, source);
    call.require(step != nullptr, "there is no step");
    call.takes("gradient", gradient, {2}, computed).by_rows({gradient});
    call.same_sizes({parameters, gradient});
    call.in_f32("mean", mean).in_f32("square", square);
    if (master) call.in_f32("master", master);
    return call.macro(std::string("GRADIENT=") + name_of(gradient->type))
        .run(hipsight_adamw, "hipsight_adamw", gradient, parameters, mean, square, master, step);
  });
}
