// One operation on the rows of matrices of one type: what torch.ops.hipsight.rms_norm and its like
// launch.
//   -DVALUE=bf16 -DOPERATION_rms_norm
// Results in 8 bits: -DQUANTISED=fp8_e4m3, with a scale for each row, or, with -DBLOCKS, for each
// 128 columns of a row. `scales` is null otherwise.
#include "calls.h"
#include "hipsight/kernels/rows.h"

using namespace hipsight::kernels;

namespace {

constexpr const char* too_large = "a matrix has 2^31 rows or columns, or more";

RowMajor<const VALUE> input(const MatrixInMemory* matrix) {
  return matrix->as<const VALUE>();
}
RowMajor<VALUE> output(const MatrixInMemory* matrix) {
  return matrix->as<VALUE>();
}
[[maybe_unused]] auto result(const MatrixInMemory* matrix,
                             [[maybe_unused]] const MatrixInMemory* scales) {
#if defined(BLOCKS)
  return PerBlock(matrix->as<QUANTISED>(), scales->as<float>());
#elif defined(QUANTISED)
  return PerToken(matrix->as<QUANTISED>(), static_cast<float*>(scales->data));
#else
  return output(matrix);
#endif
}
[[maybe_unused]] const VALUE* values(const void* data) {
  return static_cast<const VALUE*>(data);
}

}  // namespace

#if defined(OPERATION_rms_norm)
HIPSIGHT_EXPORT const char* hipsight_rms_norm(const MatrixInMemory* x, const void* weight,
                                              const MatrixInMemory* y, float epsilon,
                                              const MatrixInMemory* scales) {
  if (any_too_large({x, y, scales})) return too_large;
  return answer(rms_norm(nullptr, input(x), values(weight), result(y, scales), epsilon));
}

#elif defined(OPERATION_add_rms_norm)
HIPSIGHT_EXPORT const char* hipsight_add_rms_norm(const MatrixInMemory* x,
                                                  const MatrixInMemory* residual,
                                                  const void* weight, const MatrixInMemory* y,
                                                  const MatrixInMemory* sum, float epsilon,
                                                  const MatrixInMemory* scales) {
  if (any_too_large({x, residual, y, sum, scales})) return too_large;
  return answer(rms_norm(nullptr, input(x), values(weight), result(y, scales), epsilon,
                         AddResidual(input(residual), output(sum))));
}

#elif defined(OPERATION_layer_norm)
HIPSIGHT_EXPORT const char* hipsight_layer_norm(const MatrixInMemory* x, const void* weight,
                                                const void* bias, const MatrixInMemory* y,
                                                float epsilon) {
  if (any_too_large({x, y})) return too_large;
  return answer(layer_norm(nullptr, input(x), values(weight), values(bias), output(y), epsilon));
}

#elif defined(OPERATION_softmax)
HIPSIGHT_EXPORT const char* hipsight_softmax(const MatrixInMemory* x, const MatrixInMemory* y,
                                             float scale) {
  if (any_too_large({x, y})) return too_large;
  return answer(softmax(nullptr, input(x), output(y), scale));
}

#elif defined(OPERATION_silu_mul) || defined(OPERATION_gelu_mul)
HIPSIGHT_EXPORT const char* hipsight_gated(const MatrixInMemory* gate, const MatrixInMemory* up,
                                           const MatrixInMemory* y, const MatrixInMemory* scales) {
  if (any_too_large({gate, up, y, scales})) return too_large;
#if defined(OPERATION_silu_mul)
  return answer(silu_mul(nullptr, input(gate), input(up), result(y, scales)));
#else
  return answer(gelu_mul(nullptr, input(gate), input(up), result(y, scales)));
#endif
}

#elif defined(OPERATION_quantise)
HIPSIGHT_EXPORT const char* hipsight_quantise(const MatrixInMemory* x, const MatrixInMemory* y,
                                              const MatrixInMemory* scales) {
  if (any_too_large({x, y, scales})) return too_large;
  return answer(convert(nullptr, input(x), result(y, scales)));
}

#elif defined(OPERATION_rope)
/// Vectors of `size` values, for each head of each token.
struct HeadsInMemory {
  void* data;
  std::int64_t tokens, heads, size, token_stride, head_stride;

  template <class Value>
  Heads<Value> as() const {
    return {static_cast<Value*>(data),
            static_cast<int>(tokens),
            static_cast<int>(heads),
            static_cast<int>(size),
            token_stride,
            head_stride};
  }
};

/// Pairs of neighbours, or of values that lie half of what is rotated apart.
HIPSIGHT_EXPORT const char* hipsight_rope(const HeadsInMemory* x, const HeadsInMemory* y,
                                          const MatrixInMemory* cosine, const MatrixInMemory* sine,
                                          const int* positions) {
  if (x->tokens > INT32_MAX || any_too_large({cosine, sine})) return too_large;
  return answer(rope<Pairing::PAIRING, VALUE>(nullptr, x->as<const VALUE>(), y->as<VALUE>(),
                                              cosine->as<const float>(), sine->as<const float>(),
                                              positions));
}

#else
#error "which operation?"
#endif
