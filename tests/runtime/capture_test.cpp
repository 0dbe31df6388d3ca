// Work of streams that is captured into graphs, and what ends a capture.
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>

#include <string>
#include <thread>
#include <vector>

#include "fake_engine.h"
#include "kernels.h"

namespace {

class CaptureTest : public testing::Test {
 protected:
  void SetUp() override {
    (void)hipDeviceReset();
    (void)hipGetLastError();
    fake::reset();
    for (hipStream_t& one : streams) ASSERT_EQ(hipStreamCreate(&one), hipSuccess);
    ASSERT_EQ(hipEventCreate(&fork), hipSuccess);
    ASSERT_EQ(hipEventCreate(&join), hipSuccess);
    ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&array), 16 * sizeof(int)), hipSuccess);
    ASSERT_EQ(hipMemset(array, 0, 16 * sizeof(int)), hipSuccess);
  }
  void TearDown() override {
    hipGraph_t graph = nullptr;
    (void)hipStreamEndCapture(streams[0], &graph);
    for (const hipStream_t one : streams) EXPECT_EQ(hipStreamDestroy(one), hipSuccess);
    EXPECT_EQ(hipEventDestroy(fork), hipSuccess);
    EXPECT_EQ(hipEventDestroy(join), hipSuccess);
    EXPECT_EQ(hipFree(array), hipSuccess);
    fake::reset();
  }

  void begin(hipStreamCaptureMode mode = hipStreamCaptureModeGlobal) {
    ASSERT_EQ(hipStreamBeginCapture(streams[0], mode), hipSuccess);
  }
  hipGraph_t end() {
    hipGraph_t graph = nullptr;
    EXPECT_EQ(hipStreamEndCapture(streams[0], &graph), hipSuccess);
    return graph;
  }
  /// What ends a capture that went wrong.
  void expect_invalid() {
    hipGraph_t graph = reinterpret_cast<hipGraph_t>(1);
    EXPECT_EQ(hipMemsetAsync(array, 0, 4, streams[0]), hipErrorStreamCaptureInvalidated);
    hipStreamCaptureStatus status{};
    EXPECT_EQ(hipStreamIsCapturing(streams[0], &status), hipSuccess);
    EXPECT_EQ(status, hipStreamCaptureStatusInvalidated);
    EXPECT_EQ(hipStreamEndCapture(streams[0], &graph), hipErrorStreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(hipStreamIsCapturing(streams[0], &status), hipSuccess);
    EXPECT_EQ(status, hipStreamCaptureStatusNone);
  }
  void run(hipGraph_t graph, int times = 1) {
    hipGraphExec_t exec = nullptr;
    ASSERT_EQ(hipGraphInstantiateWithFlags(&exec, graph, 0), hipSuccess);
    for (int i = 0; i < times; ++i) ASSERT_EQ(hipGraphLaunch(exec, streams[0]), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(streams[0]), hipSuccess);
    EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
  }

  hipStream_t streams[2] = {};
  hipEvent_t fork = nullptr, join = nullptr;
  int* array = nullptr;
};

TEST_F(CaptureTest, WorkIsKeptAndDoneAtEachLaunch) {
  begin();
  ASSERT_EQ(hipMemsetAsync(array, 1, 4, streams[0]), hipSuccess);
  ASSERT_EQ(hipMemcpyAsync(array + 1, array, 4, hipMemcpyDeviceToDevice, streams[0]), hipSuccess);
  launch_scale(1, 64, streams[0], nullptr, 2, 1);
  ASSERT_EQ(hipGetLastError(), hipSuccess);
  int calls = 0;
  ASSERT_EQ(hipLaunchHostFunc(
                streams[0], [](void* to) { ++*static_cast<int*>(to); }, &calls),
            hipSuccess);
  hipStreamCaptureStatus status{};
  unsigned long long id = 0;
  ASSERT_EQ(hipStreamGetCaptureInfo(streams[0], &status, &id), hipSuccess);
  EXPECT_EQ(status, hipStreamCaptureStatusActive);
  EXPECT_NE(id, 0u);
  const hipGraph_t graph = end();
  EXPECT_TRUE(fake::launches().empty());
  EXPECT_EQ(array[1], 0);
  std::size_t nodes = 0, edges = 0;
  ASSERT_EQ(hipGraphGetNodes(graph, nullptr, &nodes), hipSuccess);
  ASSERT_EQ(hipGraphGetEdges(graph, nullptr, nullptr, &edges), hipSuccess);
  EXPECT_EQ(nodes, 4u);
  EXPECT_EQ(edges, 3u);
  run(graph, 3);
  EXPECT_EQ(fake::launches().size(), 3u);
  EXPECT_EQ(fake::launches()[2].at<float>(8), 2.0f);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(array[1], 0x01010101);
}

TEST_F(CaptureTest, AHostBufferIsReadWhenTheGraphRuns) {
  int source = 1;
  begin();
  ASSERT_EQ(hipMemcpyAsync(array, &source, 4, hipMemcpyHostToDevice, streams[0]), hipSuccess);
  const hipGraph_t graph = end();
  source = 2;
  run(graph);
  EXPECT_EQ(array[0], 2);
}

TEST_F(CaptureTest, EventsTakeOtherStreamsIn) {
  begin();
  ASSERT_EQ(hipMemsetAsync(array, 1, 4, streams[0]), hipSuccess);
  ASSERT_EQ(hipEventRecord(fork, streams[0]), hipSuccess);
  ASSERT_EQ(hipStreamWaitEvent(streams[1], fork, 0), hipSuccess);
  hipStreamCaptureStatus status{};
  ASSERT_EQ(hipStreamIsCapturing(streams[1], &status), hipSuccess);
  EXPECT_EQ(status, hipStreamCaptureStatusActive);
  ASSERT_EQ(hipMemcpyAsync(array + 1, array, 4, hipMemcpyDeviceToDevice, streams[1]), hipSuccess);
  ASSERT_EQ(hipMemcpyAsync(array + 2, array, 4, hipMemcpyDeviceToDevice, streams[0]), hipSuccess);
  ASSERT_EQ(hipEventRecord(join, streams[1]), hipSuccess);
  ASSERT_EQ(hipStreamWaitEvent(streams[0], join, 0), hipSuccess);
  const hipGraphNode_t* last = nullptr;
  std::size_t count = 0;
  hipGraph_t graph = nullptr;
  ASSERT_EQ(hipStreamGetCaptureInfo_v2(streams[0], &status, nullptr, &graph, &last, &count),
            hipSuccess);
  EXPECT_EQ(count, 2u);
  ASSERT_EQ(hipMemcpyAsync(array + 3, array + 1, 8, hipMemcpyDeviceToDevice, streams[0]),
            hipSuccess);
  EXPECT_EQ(end(), graph);
  ASSERT_EQ(hipStreamIsCapturing(streams[1], &status), hipSuccess);
  EXPECT_EQ(status, hipStreamCaptureStatusNone);
  std::size_t edges = 0;
  ASSERT_EQ(hipGraphGetEdges(graph, nullptr, nullptr, &edges), hipSuccess);
  EXPECT_EQ(edges, 4u);  // a diamond
  EXPECT_EQ(array[0], 0);
  run(graph);
  EXPECT_EQ(array[3], 0x01010101);
  EXPECT_EQ(array[4], 0x01010101);
}

TEST_F(CaptureTest, AForkThatDoesNotComeBackIsAnError) {
  begin();
  ASSERT_EQ(hipMemsetAsync(array, 1, 4, streams[0]), hipSuccess);
  ASSERT_EQ(hipEventRecord(fork, streams[0]), hipSuccess);
  ASSERT_EQ(hipStreamWaitEvent(streams[1], fork, 0), hipSuccess);
  ASSERT_EQ(hipMemsetAsync(array + 1, 1, 4, streams[1]), hipSuccess);
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(streams[1], &graph), hipErrorStreamCaptureUnmatched);
  EXPECT_EQ(hipStreamEndCapture(streams[0], &graph), hipErrorStreamCaptureUnjoined);
  EXPECT_EQ(graph, nullptr);
}

TEST_F(CaptureTest, AGraphLaunchIsCapturedToo) {
  begin();
  ASSERT_EQ(
      hipLaunchHostFunc(streams[0], [](void* to) { ++*static_cast<int*>(to); }, array), hipSuccess);
  const hipGraph_t inner = end();
  hipGraphExec_t exec = nullptr;
  ASSERT_EQ(hipGraphInstantiate(&exec, inner, nullptr, nullptr, 0), hipSuccess);
  begin();
  ASSERT_EQ(hipGraphLaunch(exec, streams[0]), hipSuccess);
  ASSERT_EQ(hipGraphLaunch(exec, streams[0]), hipSuccess);
  run(end(), 2);
  EXPECT_EQ(array[0], 4);
  EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(inner), hipSuccess);
}

TEST_F(CaptureTest, PoolMemoryBelongsToTheGraph) {
  int* memory = nullptr;
  begin();
  ASSERT_EQ(hipMallocAsync(reinterpret_cast<void**>(&memory), 64, streams[0]), hipSuccess);
  ASSERT_EQ(hipMemsetAsync(memory, 5, 4, streams[0]), hipSuccess);
  ASSERT_EQ(hipMemcpyAsync(array, memory, 4, hipMemcpyDeviceToDevice, streams[0]), hipSuccess);
  ASSERT_EQ(hipFreeAsync(memory, streams[0]), hipSuccess);
  run(end(), 2);
  EXPECT_EQ(array[0], 0x05050505);
  EXPECT_EQ(hipMemset(memory, 0, 4), hipErrorInvalidValue);  // gone with the graph
}

// What must not be done during a capture.

TEST_F(CaptureTest, WaitingEndsIt) {
  begin();
  EXPECT_EQ(hipStreamSynchronize(streams[0]), hipErrorStreamCaptureUnsupported);
  expect_invalid();
  begin();
  EXPECT_EQ(hipStreamQuery(streams[0]), hipErrorStreamCaptureUnsupported);
  expect_invalid();
  begin();
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorStreamCaptureUnsupported);
  expect_invalid();
  begin();
  ASSERT_EQ(hipEventRecord(fork, streams[0]), hipSuccess);
  EXPECT_EQ(hipEventSynchronize(fork), hipErrorCapturedEvent);
  expect_invalid();
}

TEST_F(CaptureTest, TheNullStreamEndsIt) {
  begin();
  EXPECT_EQ(hipMemset(array, 1, 4), hipErrorStreamCaptureImplicit);
  expect_invalid();
  begin();
  launch_scale(1, 64, nullptr, nullptr, 1, 1);
  EXPECT_EQ(hipGetLastError(), hipErrorStreamCaptureImplicit);
  expect_invalid();
  EXPECT_EQ(array[0], 0);
  EXPECT_TRUE(fake::launches().empty());
  EXPECT_EQ(hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal),
            hipErrorStreamCaptureUnsupported);
}

TEST_F(CaptureTest, WaitingForTheDeviceEndsItInAnyMode) {
  for (const auto mode : {hipStreamCaptureModeGlobal, hipStreamCaptureModeRelaxed}) {
    ASSERT_EQ(hipStreamBeginCapture(streams[0], mode), hipSuccess);
    EXPECT_EQ(hipDeviceSynchronize(), hipErrorStreamCaptureUnsupported);
    expect_invalid();
  }
  begin();
  EXPECT_EQ(hipStreamSynchronize(streams[1]), hipErrorStreamCaptureUnsupported);
  expect_invalid();
}

TEST_F(CaptureTest, AskingForTheNullStreamDoesNotEndIt) {
  begin();
  hipStreamCaptureStatus status{};
  EXPECT_EQ(hipStreamIsCapturing(nullptr, &status), hipErrorStreamCaptureImplicit);
  hipGraph_t graph = nullptr;
  ASSERT_EQ(hipStreamEndCapture(streams[0], &graph), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
}

TEST_F(CaptureTest, OtherWorkMayNotMixIn) {
  ASSERT_EQ(hipEventRecord(join, streams[1]), hipSuccess);
  begin();
  EXPECT_EQ(hipStreamWaitEvent(streams[0], join, 0), hipErrorStreamCaptureIsolation);
  expect_invalid();
  begin();
  ASSERT_EQ(hipStreamBeginCapture(streams[1], hipStreamCaptureModeGlobal), hipSuccess);
  ASSERT_EQ(hipEventRecord(join, streams[1]), hipSuccess);
  EXPECT_EQ(hipStreamWaitEvent(streams[0], join, 0), hipErrorStreamCaptureMerge);
  expect_invalid();
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(streams[1], &graph), hipErrorStreamCaptureInvalidated);
  begin();
  EXPECT_EQ(hipStreamAddCallback(
                streams[0], [](hipStream_t, hipError_t, void*) {}, nullptr, 0),
            hipErrorStreamCaptureUnsupported);
  expect_invalid();
}

TEST_F(CaptureTest, ModesSayWhichCallsOfOtherThreadsEndIt) {
  const auto allocate = [] {
    void* memory = nullptr;
    const hipError_t result = hipMalloc(&memory, 4);
    if (memory) EXPECT_EQ(hipFree(memory), hipSuccess);
    return result;
  };
  const auto allocate_elsewhere = [&] {
    hipError_t result = hipSuccess;
    std::thread([&] { result = allocate(); }).join();
    return result;
  };
  begin(hipStreamCaptureModeGlobal);
  EXPECT_EQ(allocate_elsewhere(), hipErrorStreamCaptureUnsupported);
  expect_invalid();
  begin(hipStreamCaptureModeThreadLocal);
  EXPECT_EQ(allocate_elsewhere(), hipSuccess);
  EXPECT_EQ(allocate(), hipErrorStreamCaptureUnsupported);
  expect_invalid();
  begin(hipStreamCaptureModeRelaxed);
  EXPECT_EQ(allocate(), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(end()), hipSuccess);
  // A thread may say that it knows what it does.
  begin(hipStreamCaptureModeGlobal);
  hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
  ASSERT_EQ(hipThreadExchangeStreamCaptureMode(&mode), hipSuccess);
  EXPECT_EQ(mode, hipStreamCaptureModeGlobal);
  EXPECT_EQ(allocate(), hipSuccess);
  ASSERT_EQ(hipThreadExchangeStreamCaptureMode(&mode), hipSuccess);
  hipGraph_t graph = nullptr;
  std::thread([&] {
    EXPECT_EQ(hipStreamEndCapture(streams[0], &graph), hipErrorStreamCaptureWrongThread);
  }).join();
  EXPECT_EQ(hipGraphDestroy(end()), hipSuccess);
}

TEST_F(CaptureTest, ADestroyedStreamTakesItsCaptureAlong) {
  begin();
  ASSERT_EQ(hipMemsetAsync(array, 1, 4, streams[0]), hipSuccess);
  ASSERT_EQ(hipStreamDestroy(streams[0]), hipSuccess);
  EXPECT_EQ(hipMemset(array + 1, 1, 4), hipSuccess);  // nothing is in its way
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(array[0], 0);
  EXPECT_EQ(array[1], 0x01010101);
  ASSERT_EQ(hipStreamCreate(&streams[0]), hipSuccess);
}

TEST_F(CaptureTest, AThreadThatEndsTakesItsCaptureAlong) {
  std::thread([] {
    EXPECT_EQ(hipStreamBeginCapture(hipStreamPerThread, hipStreamCaptureModeGlobal), hipSuccess);
  }).join();
  void* memory = nullptr;
  EXPECT_EQ(hipMalloc(&memory, 4), hipSuccess);  // nothing is in its way
  EXPECT_EQ(hipFree(memory), hipSuccess);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
}

TEST_F(CaptureTest, NoNodeGoesWhileItLasts) {
  begin();
  ASSERT_EQ(hipMemsetAsync(array, 1, 4, streams[0]), hipSuccess);
  hipStreamCaptureStatus status{};
  const hipGraphNode_t* last = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(hipStreamGetCaptureInfo_v2(streams[0], &status, nullptr, nullptr, &last, &count),
            hipSuccess);
  ASSERT_EQ(count, 1u);
  const hipGraphNode_t node = last[0];
  EXPECT_EQ(hipGraphDestroyNode(node), hipErrorInvalidValue);
  ASSERT_EQ(hipMemsetAsync(array + 1, 1, 4, streams[0]), hipSuccess);
  const hipGraph_t graph = end();
  EXPECT_EQ(hipGraphDestroyNode(node), hipSuccess);
  run(graph);
  EXPECT_EQ(array[0], 0);
  EXPECT_EQ(array[1], 0x01010101);
}

TEST_F(CaptureTest, ALaunchThatIsCapturedRecordsItsEventsWhenItRuns) {
  hipGraph_t inner = nullptr;
  hipGraphNode_t node = nullptr;
  hipGraphExec_t exec = nullptr;
  ASSERT_EQ(hipGraphCreate(&inner, 0), hipSuccess);
  ASSERT_EQ(hipGraphAddEventRecordNode(&node, inner, nullptr, 0, fork), hipSuccess);
  ASSERT_EQ(hipGraphInstantiateWithFlags(&exec, inner, 0), hipSuccess);
  begin();
  ASSERT_EQ(hipGraphLaunch(exec, streams[0]), hipSuccess);
  const hipGraph_t graph = end();
  EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(inner), hipSuccess);
  float ms = 0;
  EXPECT_EQ(hipEventQuery(fork), hipSuccess);
  EXPECT_EQ(hipEventElapsedTime(&ms, fork, fork), hipErrorInvalidHandle);  // not recorded yet
  run(graph);
  EXPECT_EQ(hipEventElapsedTime(&ms, fork, fork), hipSuccess);
}

TEST_F(CaptureTest, BeginAndEndGoTogether) {
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(streams[0], &graph), hipErrorIllegalState);
  begin();
  EXPECT_EQ(hipStreamBeginCapture(streams[0], hipStreamCaptureModeGlobal), hipErrorIllegalState);
  EXPECT_EQ(hipStreamEndCapture(streams[0], nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphDestroy(end()), hipSuccess);
}

}  // namespace
