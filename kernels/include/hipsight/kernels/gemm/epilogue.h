// What becomes of a sum of products before it is stored: functors that are joined by `|`.
#pragma once

#include <concepts>

#include "../activations.h"
#include "../convert.h"
#include "../matrix.h"
#include "../unaligned.h"

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

/// The epilogue of N values side by side in a row, of which `at` is the first. It may have run<N>()
/// for them, to read at once what it needs.
template <int N, Epilogue E>
HIPSIGHT_INLINE Vector<float, N> apply(const E& epilogue, const Vector<float, N>& values,
                                       ResultPlace at) {
  if constexpr (requires { epilogue.template run<N>(values, at); }) {
    return epilogue.template run<N>(values, at);
  } else {
    Vector<float, N> results;
    HIPSIGHT_UNROLL
    for (int i = 0; i < N; i++) results[i] = epilogue(values[i], {at.batch, at.row, at.column + i});
    return results;
  }
}

template <int N>
HIPSIGHT_INLINE Vector<float, N> sum(const Vector<float, N>& a, const Vector<float, N>& b) {
  Vector<float, N> result;
  HIPSIGHT_UNROLL
  for (int i = 0; i < N; i++) result[i] = a[i] + b[i];
  return result;
}
template <int N>
HIPSIGHT_INLINE Vector<float, N> product(const Vector<float, N>& a, const Vector<float, N>& b) {
  Vector<float, N> result;
  HIPSIGHT_UNROLL
  for (int i = 0; i < N; i++) result[i] = a[i] * b[i];
  return result;
}

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
  template <int N>
  HIPSIGHT_INLINE Vector<float, N> run(const Vector<float, N>& values, ResultPlace at) const {
    return sum<N>(values, to_f32<std::remove_const_t<T>, N>(read<N>(bias + at.column)));
  }
};
template <class T>
Bias(const T*) -> Bias<T>;

/// x times a factor of its row, or of its column, or one for all: what operands in 8 bits are
/// scaled by. The factors are the device's.
struct ScaleRows {
  const float* factors;
  HIPSIGHT_INLINE float operator()(float value, ResultPlace at) const {
    return value * factors[at.row];
  }
};
struct ScaleColumns {
  const float* factors;
  HIPSIGHT_INLINE float operator()(float value, ResultPlace at) const {
    return value * factors[at.column];
  }
  template <int N>
  HIPSIGHT_INLINE Vector<float, N> run(const Vector<float, N>& values, ResultPlace at) const {
    return product<N>(values, read<N>(factors + at.column));
  }
};
struct ScaleAll {
  const float* factor;
  HIPSIGHT_INLINE float operator()(float value, ResultPlace) const { return value * *factor; }
};

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

/// Where another matrix has the element of the same place.
template <class T>
HIPSIGHT_INLINE const T* element(const RowMajor<const T>& matrix, ResultPlace at) {
  return matrix.data + at.batch * matrix.batch_stride + at.row * matrix.stride + at.column;
}

/// x + residual(row, column) of the same batch
template <class T>
struct Residual {
  RowMajor<const T> residual;
  HIPSIGHT_INLINE float operator()(float value, ResultPlace at) const {
    return value + static_cast<float>(*element(residual, at));
  }
  template <int N>
  HIPSIGHT_INLINE Vector<float, N> run(const Vector<float, N>& values, ResultPlace at) const {
    return sum<N>(values, to_f32<T, N>(read<N>(element(residual, at))));
  }
};
template <class T>
Residual(RowMajor<T>) -> Residual<std::remove_const_t<T>>;

/// x * factors(row, column) of the same batch: `Silu{} | Multiply(up)` joins a gate with what it
/// lets through.
template <class T>
struct Multiply {
  RowMajor<const T> factors;
  HIPSIGHT_INLINE float operator()(float value, ResultPlace at) const {
    return value * static_cast<float>(*element(factors, at));
  }
  template <int N>
  HIPSIGHT_INLINE Vector<float, N> run(const Vector<float, N>& values, ResultPlace at) const {
    return product<N>(values, to_f32<T, N>(read<N>(element(factors, at))));
  }
};
template <class T>
Multiply(RowMajor<T>) -> Multiply<std::remove_const_t<T>>;

/// First `first`, then `second`.
template <Epilogue First, Epilogue Second>
struct Chain {
  First first;
  Second second;
  HIPSIGHT_INLINE float operator()(float value, ResultPlace at) const {
    return second(first(value, at), at);
  }
  template <int N>
  HIPSIGHT_INLINE Vector<float, N> run(const Vector<float, N>& values, ResultPlace at) const {
    return apply<N>(second, apply<N>(first, values, at), at);
  }
};

template <Epilogue First, Epilogue Second>
constexpr Chain<First, Second> operator|(First first, Second second) {
  return {first, second};
}

}  // namespace hipsight::kernels
