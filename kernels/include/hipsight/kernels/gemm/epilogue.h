// What becomes of a sum of products before it is stored: functors that are joined by `|`.
#pragma once

#include <cmath>
#include <concepts>

#include "../activations.h"
#include "../check.h"
#include "../convert.h"
#include "../matrix.h"
#include "../unaligned.h"

namespace hipsight::kernels {

/// Where in the result: its batch, row and column.
struct ResultPlace {
  int batch, row, column;
};

/// The whole result.
struct ResultShape {
  int batches, rows, columns;
};

/// Takes a value in f32 and gives the next one.
template <class After>
concept Epilogue = requires(const After epilogue, float value, ResultPlace at) {
  { epilogue(value, at) } -> std::same_as<float>;
};

/// The epilogue of Count values side by side in a row, of which `at` is the first. It may have
/// run<Count>() for them, to read at once what it needs.
template <int Count, Epilogue After>
HIPSIGHT_INLINE Vector<float, Count> apply(const After& epilogue,
                                           const Vector<float, Count>& values, ResultPlace at) {
  if constexpr (requires { epilogue.template run<Count>(values, at); }) {
    return epilogue.template run<Count>(values, at);
  } else {
    Vector<float, Count> results;
    HIPSIGHT_UNROLL
    for (int i = 0; i < Count; i++)
      results[i] = epilogue(values[i], {at.batch, at.row, at.column + i});
    return results;
  }
}

/// Whether an epilogue suits a result that has places. It may have check() for that.
template <Epilogue After>
void check_epilogue(Check& check, const After& epilogue, const ResultShape& result) {
  if constexpr (requires { epilogue.check(check, result); }) epilogue.check(check, result);
}

template <int Count>
HIPSIGHT_INLINE Vector<float, Count> sum(const Vector<float, Count>& a,
                                         const Vector<float, Count>& b) {
  Vector<float, Count> result;
  HIPSIGHT_UNROLL
  for (int i = 0; i < Count; i++) result[i] = a[i] + b[i];
  return result;
}
template <int Count>
HIPSIGHT_INLINE Vector<float, Count> product(const Vector<float, Count>& a,
                                             const Vector<float, Count>& b) {
  Vector<float, Count> result;
  HIPSIGHT_UNROLL
  for (int i = 0; i < Count; i++) result[i] = a[i] * b[i];
  return result;
}

struct Identity {
  HIPSIGHT_INLINE float operator()(float value, ResultPlace) const { return value; }
};

/// x * factor
struct Scale {
  float factor;
  void check(Check& check, const ResultShape&) const {
    if (!std::isfinite(factor)) check.fail("Scale's factor, ", factor, ", is not finite");
  }
  HIPSIGHT_INLINE float operator()(float value, ResultPlace) const { return value * factor; }
};

/// x + bias[column]
template <class Value>
struct Bias {
  const Value* bias;
  void check(Check& check, const ResultShape&) const { check.pointer("Bias", bias); }
  HIPSIGHT_INLINE Bias from(std::int64_t element) const { return {bias + element}; }
  HIPSIGHT_INLINE float operator()(float value, ResultPlace at) const {
    return value + static_cast<float>(bias[at.column]);
  }
  template <int Count>
  HIPSIGHT_INLINE Vector<float, Count> run(const Vector<float, Count>& values,
                                           ResultPlace at) const {
    return sum<Count>(values,
                      to_f32<std::remove_const_t<Value>, Count>(read<Count>(bias + at.column)));
  }
};
template <class Value>
Bias(const Value*) -> Bias<Value>;

/// x times a factor of its row, or of its column, or one for all: what operands in 8 bits are
/// scaled by. The factors are the device's.
struct ScaleRows {
  const float* factors;
  void check(Check& check, const ResultShape&) const { check.pointer("ScaleRows", factors); }
  HIPSIGHT_INLINE ScaleRows from(std::int64_t element) const { return {factors + element}; }
  HIPSIGHT_INLINE float operator()(float value, ResultPlace at) const {
    return value * factors[at.row];
  }
};
struct ScaleColumns {
  const float* factors;
  void check(Check& check, const ResultShape&) const { check.pointer("ScaleColumns", factors); }
  HIPSIGHT_INLINE ScaleColumns from(std::int64_t element) const { return {factors + element}; }
  HIPSIGHT_INLINE float operator()(float value, ResultPlace at) const {
    return value * factors[at.column];
  }
  template <int Count>
  HIPSIGHT_INLINE Vector<float, Count> run(const Vector<float, Count>& values,
                                           ResultPlace at) const {
    return product<Count>(values, read<Count>(factors + at.column));
  }
};
struct ScaleAll {
  const float* factor;
  void check(Check& check, const ResultShape&) const { check.pointer("ScaleAll", factor); }
  HIPSIGHT_INLINE ScaleAll from(std::int64_t element) const { return {factor + element}; }
  HIPSIGHT_INLINE float operator()(float value, ResultPlace) const { return value * *factor; }
};

/// A Bias, ScaleRows, ScaleColumns or ScaleAll whose elements lie `stride` further for each batch;
/// else all batches have the same.
template <Epilogue After>
  requires requires(const After epilogue) {
    { epilogue.from(0) } -> std::same_as<After>;
  }
struct PerBatch {
  After first;
  std::int64_t stride;

  void check(Check& check, const ResultShape& result) const {
    check_epilogue(check, first, result);
  }
  HIPSIGHT_INLINE float operator()(float value, ResultPlace at) const {
    return of(at.batch)(value, at);
  }
  template <int Count>
  HIPSIGHT_INLINE Vector<float, Count> run(const Vector<float, Count>& values,
                                           ResultPlace at) const {
    return apply<Count>(of(at.batch), values, at);
  }

 private:
  HIPSIGHT_INLINE After of(int batch) const { return first.from(batch * stride); }
};
template <class After>
PerBatch(After, std::int64_t) -> PerBatch<After>;

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
template <class Value>
HIPSIGHT_INLINE const Value* element(const RowMajor<const Value>& matrix, ResultPlace at) {
  return matrix.data + at.batch * matrix.batch_stride + at.row * matrix.stride + at.column;
}

template <class Value>
void check_matrix(Check& check, const char* name, const RowMajor<const Value>& matrix,
                  const ResultShape& result) {
  if (matrix.rows != result.rows || matrix.columns != result.columns)
    check.fail(name, " is ", matrix.rows, " x ", matrix.columns, " and C is ", result.rows, " x ",
               result.columns, ": they must be the same");
  check.pointer(name, matrix.data);
}

/// x + residual(row, column) of the same batch
template <class Value>
struct Residual {
  RowMajor<const Value> residual;
  void check(Check& check, const ResultShape& result) const {
    check_matrix(check, "Residual", residual, result);
  }
  HIPSIGHT_INLINE float operator()(float value, ResultPlace at) const {
    return value + static_cast<float>(*element(residual, at));
  }
  template <int Count>
  HIPSIGHT_INLINE Vector<float, Count> run(const Vector<float, Count>& values,
                                           ResultPlace at) const {
    return sum<Count>(values, to_f32<Value, Count>(read<Count>(element(residual, at))));
  }
};
template <class Value>
Residual(RowMajor<Value>) -> Residual<std::remove_const_t<Value>>;

/// x * factors(row, column) of the same batch: `Silu{} | Multiply(up)` joins a gate with what it
/// lets through.
template <class Value>
struct Multiply {
  RowMajor<const Value> factors;
  void check(Check& check, const ResultShape& result) const {
    check_matrix(check, "Multiply", factors, result);
  }
  HIPSIGHT_INLINE float operator()(float value, ResultPlace at) const {
    return value * static_cast<float>(*element(factors, at));
  }
  template <int Count>
  HIPSIGHT_INLINE Vector<float, Count> run(const Vector<float, Count>& values,
                                           ResultPlace at) const {
    return product<Count>(values, to_f32<Value, Count>(read<Count>(element(factors, at))));
  }
};
template <class Value>
Multiply(RowMajor<Value>) -> Multiply<std::remove_const_t<Value>>;

/// First `first`, then `second`.
template <Epilogue First, Epilogue Second>
struct Chain {
  First first;
  Second second;
  void check(Check& check, const ResultShape& result) const {
    check_epilogue(check, first, result);
    check_epilogue(check, second, result);
  }
  HIPSIGHT_INLINE float operator()(float value, ResultPlace at) const {
    return second(first(value, at), at);
  }
  template <int Count>
  HIPSIGHT_INLINE Vector<float, Count> run(const Vector<float, Count>& values,
                                           ResultPlace at) const {
    return apply<Count>(second, apply<Count>(first, values, at), at);
  }
};

template <Epilogue First, Epilogue Second>
constexpr Chain<First, Second> operator|(First first, Second second) {
  return {first, second};
}

}  // namespace hipsight::kernels
