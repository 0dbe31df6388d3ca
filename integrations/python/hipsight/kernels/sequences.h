// Sequences as Python gives them, of heads of HEAD values.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "hipsight/kernels/attention/sequences.h"

/// HEAD values for each head of each place of each sequence. Strides are in elements.
struct SequencesInMemory {
  void* data;
  std::int64_t length, heads, stride, head_stride, batch_stride;

  template <class Value, int size = HEAD>
  hipsight::kernels::Sequences<Value, size> as() const {
    return {static_cast<Value*>(data),
            static_cast<int>(length),
            static_cast<int>(heads),
            stride,
            head_stride,
            batch_stride};
  }
};

inline bool any_too_long(std::initializer_list<const SequencesInMemory*> all) {
  for (const SequencesInMemory* one : all)
    if (one->length > INT32_MAX || one->heads > INT32_MAX) return true;
  return false;
}
constexpr const char* too_long = "a sequence has 2^31 places or heads, or more";
