// What the checks of all operations have in common: sentences, products that may not fit, strides.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>

#include "types.h"

namespace hipsight::kernels {

/// A piece of a sentence: text, or a number.
class Word {
 public:
  Word(const char* text) : text_(text) {}
  template <class Value>
    requires std::is_integral_v<Value>
  Word(Value number) : number_(number) {}
  Word(float real) : is_real_(true), real_(real) {}

  void add_to(std::string& sentence) const {
    if (text_)
      sentence += text_;
    else
      sentence += is_real_ ? std::to_string(real_) : std::to_string(number_);
  }

 private:
  const char* text_ = nullptr;
  bool is_real_ = false;
  std::int64_t number_ = 0;
  float real_ = 0;
};

/// What is wrong with a call of an operation: the first that is found. Sentences are made here
/// alone: to join strings wherever something can be wrong takes a compiler longer than all else
/// that the host does.
class Check {
 public:
  explicit Check(const char* operation) : operation_(operation) {}

  /// The words of a sentence. (nvcc 13 does not understand lists of them in templates.)
  template <class... Words>
  void fail(Words... words) {
    const Word all[] = {Word(words)...};
    take(all, sizeof...(words));
  }
  /// A pointer that is needed.
  void pointer(const char* name, const void* data) {
    if (!data) fail(name, " is a null pointer");
  }
  /// A number by which something is scaled.
  void scale(const char* name, float number) {
    if (!(number > 0) || !std::isfinite(number))
      fail(name, ", ", number, ", must be positive and finite");
  }

  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }

 private:
  HIPSIGHT_APART void take(const Word* words, std::size_t count) {
    if (failed()) return;
    error_ = operation_;
    error_ += ": ";
    for (std::size_t i = 0; i < count; i++) words[i].add_to(error_);
  }

  const char* operation_;
  std::string error_;
};

/// Of numbers that are not negative; or the largest number, if it is more.
inline std::int64_t product(std::initializer_list<std::int64_t> numbers) {
  std::int64_t product = 1;
  for (const std::int64_t number : numbers) {
    if (number == 0) return 0;
    product = product > INT64_MAX / number ? INT64_MAX : product * number;
  }
  return product;
}

/// Things that are `stride` elements apart.
struct Repeated {
  const char* what;
  std::int64_t count, stride;
};

/// Where results go: `width` elements side by side, repeated. What has the larger strides must lie
/// around all that has smaller ones, so that no two results are one place.
HIPSIGHT_APART inline void check_overlap(Check& check, const char* name, std::int64_t width,
                                         std::initializer_list<Repeated> repeated) {
  for (const Repeated& all : repeated)
    if (all.count <= 0) return;  // there are no results
  const auto size = [](std::int64_t stride) { return std::fabs(static_cast<double>(stride)); };
  for (const Repeated& outer : repeated) {
    if (outer.count == 1) continue;
    // What lies within its stride: those of smaller strides, and of equal ones the first.
    double inner = static_cast<double>(width);
    for (const Repeated& other : repeated)
      if (size(other.stride) < size(outer.stride) ||
          (size(other.stride) == size(outer.stride) && &other < &outer))
        inner += static_cast<double>(other.count - 1) * size(other.stride);
    if (size(outer.stride) < inner)
      return check.fail(name, "'s results overlap: there is a stride of ", outer.stride, " from a ",
                        outer.what, " to the next");
  }
}

}  // namespace hipsight::kernels
