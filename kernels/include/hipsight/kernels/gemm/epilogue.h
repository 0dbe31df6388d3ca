// What becomes of a sum of products before it is stored: functors that are joined by `|`.
#pragma once

#include <concepts>

#include "../activations.h"
#include "../matrix.h"

namespace hipsight::kernels {

/// Where in the result: its batch, row and column.
struct ResultPlace {
  int batch, row, column;
};

/// Takes a value in f32 and gives the next one.
template <class E>
concept Epilogue = requires(const E epilogue, float value, ResultPlace at) {
  { epilogue(value, at) } -> std::same_as<float>;
};

struct Identity {
  HIPSIGHT_INLINE float operator()(float value, ResultPlace) const { return value; }
};

/// x * factor
struct Scale {
  float factor;
  HIPSIGHT_INLINE float operator()(float value, ResultPlace) const { return value * factor; }
};

/// x + bias[column]
template <class T>
struct Bias {
  const T* bias;
  HIPSIGHT_INLINE float operator()(float value, ResultPlace at) const {
    return value + static_cast<float>(bias[at.column]);
  }
};
template <class T>
Bias(const T*) -> Bias<T>;

/// x where it is positive or not a number, else 0.
struct Relu {
  HIPSIGHT_INLINE float operator()(float value, ResultPlace) const {
    return value <= 0 ? 0 : value;
  }
};

struct Gelu {
  HIPSIGHT_INLINE float operator()(float value, ResultPlace) const { return gelu(value); }
};

struct Silu {
  HIPSIGHT_INLINE float operator()(float value, ResultPlace) const { return silu(value); }
};

/// x + residual(row, column) of the same batch
template <class T>
struct Residual {
  RowMajor<const T> residual;
  HIPSIGHT_INLINE float operator()(float value, ResultPlace at) const {
    const T& other =
        residual.data[at.batch * residual.batch_stride + at.row * residual.stride + at.column];
    return value + static_cast<float>(other);
  }
};
template <class T>
Residual(RowMajor<const T>) -> Residual<T>;

/// First `first`, then `second`.
template <Epilogue First, Epilogue Second>
struct Chain {
  First first;
  Second second;
  HIPSIGHT_INLINE float operator()(float value, ResultPlace at) const {
    return second(first(value, at), at);
  }
};

template <Epilogue First, Epilogue Second>
constexpr Chain<First, Second> operator|(First first, Second second) {
  return {first, second};
}

}  // namespace hipsight::kernels
