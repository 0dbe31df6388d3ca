#pragma once

#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>

#include <cstddef>

/// A test that begins with a device as new.
class ApiTest : public testing::Test {
 protected:
  void SetUp() override {
    (void)hipDeviceReset();
    (void)hipGetLastError();
  }
};

/// Device memory that is freed in the end.
template <class Value>
struct DeviceArray {
  explicit DeviceArray(std::size_t count) {
    EXPECT_EQ(hipMalloc(reinterpret_cast<void**>(&data), count * sizeof(Value)), hipSuccess);
  }
  ~DeviceArray() { (void)hipFree(data); }
  Value* data = nullptr;
};
