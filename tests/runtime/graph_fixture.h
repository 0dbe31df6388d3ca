#pragma once

#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>

#include <vector>

#include "fake_engine.h"

/// An empty graph, and memory for what its nodes do.
class GraphFixture : public testing::Test {
 protected:
  void SetUp() override {
    (void)hipDeviceReset();
    (void)hipGetLastError();
    fake::reset();
    ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&array), 64 * sizeof(int)), hipSuccess);
    ASSERT_EQ(hipMemset(array, 0, 64 * sizeof(int)), hipSuccess);
    ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
  }
  void TearDown() override {
    if (graph) EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    EXPECT_EQ(hipFree(array), hipSuccess);
    fake::reset();
  }

  hipGraphExec_t instantiate() {
    hipGraphExec_t exec = nullptr;
    EXPECT_EQ(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipSuccess);
    return exec;
  }
  /// Launches it in `stream`, is done with it, and waits.
  void run(hipGraphExec_t exec) {
    EXPECT_EQ(hipGraphLaunch(exec, stream), hipSuccess);
    EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  }
  static hipMemsetParams fill_of(int* at, unsigned value) {
    return {.dst = at, .elementSize = 4, .height = 1, .pitch = 4, .value = value, .width = 1};
  }
  hipGraphNode_t add_fill(int* at, unsigned value, std::vector<hipGraphNode_t> after = {}) {
    hipGraphNode_t node = nullptr;
    const hipMemsetParams fill = fill_of(at, value);
    EXPECT_EQ(hipGraphAddMemsetNode(&node, graph, after.data(), after.size(), &fill), hipSuccess);
    return node;
  }

  hipGraph_t graph = nullptr;
  hipStream_t stream = nullptr;  ///< the null stream, unless a test makes one
  int* array = nullptr;          ///< 64 zeros
};
