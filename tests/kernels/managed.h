// Memory that the tests of kernels and the kernels share.
#pragma once

#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>

#include <memory>
#include <span>
#include <vector>

/// Memory that host and device see, freed with its owner.
template <class T>
class Managed {
 public:
  Managed(std::size_t count, T fill) : count_(count) {
    void* data = nullptr;
    EXPECT_EQ(hipMallocManaged(&data, (count + 1) * sizeof(T), hipMemAttachGlobal), hipSuccess);
    data_.reset(static_cast<T*>(data));
    for (T& value : all()) value = fill;
  }
  T& operator[](std::size_t i) const { return data_.get()[i]; }
  T* data() const { return data_.get(); }
  std::span<T> all() const { return {data_.get(), count_}; }
  /// For references, which take each one many times: a host converts f16 in a call.
  std::vector<double> as_doubles() const {
    std::vector<double> all(count_);
    for (std::size_t i = 0; i < count_; i++) all[i] = double(float((*this)[i]));
    return all;
  }

 private:
  struct Free {
    void operator()(T* data) const { (void)hipFree(data); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t count_;
};
