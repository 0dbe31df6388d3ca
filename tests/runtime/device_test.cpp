// Programs on the emulated GPU, through the library and the engine.
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "kernels.h"

namespace {

TEST(OnDevice, ScalesAnArray) {
  constexpr int count = 10007;
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  float* device = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&device), count * sizeof(float)), hipSuccess);
  ASSERT_EQ(hipMemcpy(device, values.data(), count * sizeof(float), hipMemcpyHostToDevice),
            hipSuccess);
  launch_scale((count + 255) / 256, 256, nullptr, device, 0.5f, count);
  ASSERT_EQ(hipGetLastError(), hipSuccess);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  ASSERT_EQ(hipMemcpy(values.data(), device, count * sizeof(float), hipMemcpyDeviceToHost),
            hipSuccess);
  for (int i = 0; i < count; ++i)
    ASSERT_EQ(values[static_cast<std::size_t>(i)], 0.5f * static_cast<float>(i));
  EXPECT_EQ(hipFree(device), hipSuccess);
}

TEST(OnDevice, SumsInLdsAndAtomically) {
  constexpr int count = 5000;
  int *from = nullptr, *total = nullptr;  // pinned and managed memory
  ASSERT_EQ(hipHostMalloc(reinterpret_cast<void**>(&from), count * sizeof(int), 0), hipSuccess);
  ASSERT_EQ(hipMallocManaged(reinterpret_cast<void**>(&total), sizeof(int), hipMemAttachGlobal),
            hipSuccess);
  std::iota(from, from + count, 1);
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  launch_sum((count + 255) / 256, stream, from, total, count);
  ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(*total, count * (count + 1) / 2);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(hipHostFree(from), hipSuccess);
  EXPECT_EQ(hipFree(total), hipSuccess);
}

TEST(OnDevice, ArgumentsOfAllSizesAndABlockOfTwoDimensions) {
  constexpr unsigned width = 3 * 16, height = 2 * 4;
  int* device = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&device), width * height * sizeof(int)), hipSuccess);
  launch_arguments({3, 2, 1}, {16, 4, 1}, 0, nullptr, 1, 20.0, 300, device, {4000, 50000.0, 6});
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  for (unsigned i = 0; i < width * height; ++i) ASSERT_EQ(device[i], 54327) << i;
  EXPECT_EQ(hipFree(device), hipSuccess);
}

TEST(OnDevice, DeviceConstantAndManagedVariables) {
  int counter = 100;
  ASSERT_EQ(
      hipMemcpyToSymbol(counter_variable(), &counter, sizeof counter, 0, hipMemcpyHostToDevice),
      hipSuccess);
  const float eight_less[4] = {1, 2, 4, 0.5f};
  ASSERT_EQ(
      hipMemcpyToSymbol(table_variable(), eight_less, sizeof eight_less, 0, hipMemcpyHostToDevice),
      hipSuccess);
  common_variable() = 5;
  int* result = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&result), 2 * sizeof(int)), hipSuccess);
  launch_variables(result);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(result[0], 1);  // 1 + 0.5
  EXPECT_EQ(result[1], 5);
  EXPECT_EQ(common_variable(), 11);
  ASSERT_EQ(
      hipMemcpyFromSymbol(&counter, counter_variable(), sizeof counter, 0, hipMemcpyDeviceToHost),
      hipSuccess);
  EXPECT_EQ(counter, 101);
  EXPECT_EQ(hipFree(result), hipSuccess);
}

TEST(OnDevice, RegisteredMemoryIsReachable) {
  std::vector<int> mine(64);
  ASSERT_EQ(hipHostRegister(mine.data(), 64 * sizeof(int), 0), hipSuccess);
  launch_store(&mine[7], 70);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(mine[7], 70);
  EXPECT_EQ(hipHostUnregister(mine.data()), hipSuccess);
}

TEST(OnDevice, AKernelWaitsForTheHost) {
  int* flag = nullptr;
  ASSERT_EQ(hipMallocManaged(reinterpret_cast<void**>(&flag), sizeof(int), hipMemAttachGlobal),
            hipSuccess);
  launch_forever(flag);
  EXPECT_EQ(hipStreamQuery(nullptr), hipErrorNotReady);
  __atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(hipFree(flag), hipSuccess);
}

TEST(OnDevice, AKernelWaitsForOneOfAnotherStream) {
  int* flag = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&flag), sizeof(int)), hipSuccess);
  hipStream_t streams[3] = {};
  for (hipStream_t& stream : streams) ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  launch_forever(flag, streams[0]);
  launch_forever(flag, streams[1]);
  launch_store(flag, 1, streams[2]);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  for (const hipStream_t stream : streams) EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(hipFree(flag), hipSuccess);
}

TEST(OnDevice, BlocksOfACooperativeLaunchMeet) {
  constexpr int blocks = 24, threads = 128;
  int* cells = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&cells), (blocks + 1) * sizeof(int)), hipSuccess);
  int* seen = cells + 1;
  auto arguments = pointers(cells, seen);
  for (int round = 1; round <= 3; ++round) {
    ASSERT_EQ(hipLaunchCooperativeKernel(meet_stub(), dim3(blocks), dim3(threads), arguments.data(),
                                         0, nullptr),
              hipSuccess);
    ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
    for (int i = 0; i < blocks; ++i) EXPECT_EQ(seen[i], round * blocks * threads) << i;
  }
  EXPECT_EQ(hipFree(cells), hipSuccess);
}

TEST(OnDevice, ACapturedGraphIsLaunchedAgainAndAgain) {
  float* data = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&data), 100 * sizeof(float)), hipSuccess);
  for (int i = 0; i < 100; ++i) data[i] = 1;
  hipStream_t stream = nullptr;
  hipGraph_t graph = nullptr;
  hipGraphExec_t exec = nullptr;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  launch_scale(1, 128, stream, data, 2, 100);
  launch_scale(1, 128, stream, data, 1.5f, 50);
  ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  EXPECT_EQ(data[0], 1);
  ASSERT_EQ(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipSuccess);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(hipGraphLaunch(exec, stream), hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(data[i], i < 50 ? 81 : 16) << i;
  EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(hipFree(data), hipSuccess);
}

// Memory of two processes (ipc_client.cpp): the other one doubles what it finds.

int double_elsewhere(const hipIpcMemHandle_t& handle, int count) {
  std::string text;
  for (const char byte : handle.reserved) {
    constexpr char digits[] = "0123456789abcdef";
    text += {digits[static_cast<unsigned char>(byte) >> 4], digits[byte & 15]};
  }
  return WEXITSTATUS(std::system(("HIPSIGHT_REPORT=none " HIPSIGHT_IPC_CLIENT " " + text + " " +
                                  std::to_string(count) + " 2>/dev/null")
                                     .c_str()));
}

TEST(Ipc, AnotherProcessUsesDeviceMemory) {
  constexpr int count = 3000;
  int *first = nullptr, *device = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&first), 4), hipSuccess);
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&device), count * sizeof(int)), hipSuccess);
  for (int i = 0; i < count; ++i) device[i] = i;
  hipIpcMemHandle_t handle{}, inside{};
  ASSERT_EQ(hipIpcGetMemHandle(&handle, device), hipSuccess);
  EXPECT_EQ(device[count - 1], count - 1);
  ASSERT_EQ(double_elsewhere(handle, count), 0);
  for (int i = 0; i < count; ++i) ASSERT_EQ(device[i], 2 * i);
  launch_store(device, 5);  // kernels of this process, too
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  ASSERT_EQ(hipIpcGetMemHandle(&inside, device + 10), hipSuccess);
  ASSERT_EQ(double_elsewhere(inside, 1), 0);
  EXPECT_EQ(device[0], 5);
  EXPECT_EQ(device[10], 40);
  void* own = nullptr;
  EXPECT_EQ(hipIpcOpenMemHandle(&own, handle, hipIpcMemLazyEnablePeerAccess),
            hipErrorInvalidContext);
  ASSERT_EQ(hipFree(device), hipSuccess);
  EXPECT_NE(double_elsewhere(handle, count), 0);
  EXPECT_EQ(hipIpcGetMemHandle(&handle, device), hipErrorInvalidValue);
  EXPECT_EQ(hipIpcGetMemHandle(&handle, &own), hipErrorInvalidValue);
  EXPECT_EQ(hipIpcCloseMemHandle(first), hipErrorInvalidValue);
  EXPECT_EQ(hipIpcOpenMemHandle(&own, hipIpcMemHandle_t{}, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(first), hipSuccess);
}

// How a process ends: a program that launches, then exits (exit_client.cpp).

struct Outcome {
  int status;
  std::string output, errors;
};

Outcome run(const std::string& arguments, const std::string& environment = "") {
  const std::string errors = testing::TempDir() + "exit_client_errors_" + std::to_string(getpid());
  std::FILE* pipe = popen(("HIPSIGHT_REPORT=none " + environment + " " HIPSIGHT_EXIT_CLIENT " " +
                           arguments + " 2>" + errors)
                              .c_str(),
                          "r");
  Outcome outcome{};
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe)) outcome.output += buffer;
  outcome.status = WEXITSTATUS(pclose(pipe));
  std::FILE* file = std::fopen(errors.c_str(), "r");
  while (std::fgets(buffer, sizeof buffer, file)) outcome.errors += buffer;
  std::fclose(file);
  unlink(errors.c_str());
  return outcome;
}

TEST(AtExit, AGoodRunKeepsItsStatus) {
  const Outcome outcome = run("good 0");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, "launched\nno error\nat exit\nstatic destructor: no error\n");
  EXPECT_EQ(run("good 3").status, 3);
}

TEST(AtExit, AStaticDestructorMayLaunchWhatDidNotRunBefore) {
  const Outcome outcome = run("late 0");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, "launched\nno error\nat exit\nsum 192\nstatic destructor: no error\n");
}

TEST(AtExit, AStrayStoreIsToldAndChangesAStatusOfZero) {
  const Outcome outcome = run("stray 0");
  EXPECT_EQ(outcome.status, 86) << outcome.errors;
  EXPECT_EQ(outcome.output,
            "launched\nan illegal memory access was encountered\nat exit\n"
            "static destructor: an illegal memory access was encountered\n");
  EXPECT_NE(outcome.errors.find("store"), std::string::npos) << outcome.errors;
  EXPECT_EQ(run("stray 3").status, 3);
}

TEST(AtExit, AnEndlessKernelTimesOut) {
  const Outcome outcome = run("endless 0", "HIPSIGHT_TIMEOUT=0.5");
  EXPECT_EQ(outcome.status, 124) << outcome.errors;
  EXPECT_NE(outcome.output.find("the launch timed out"), std::string::npos) << outcome.output;
}

TEST(AtExit, WhatIsQueuedIsFinished) {
  const Outcome outcome = run("good 0 leave", "HIPSIGHT_REPORT=stderr");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(outcome.errors.find("store(int*, int): 1 launch"), std::string::npos) << outcome.errors;
  EXPECT_EQ(run("stray 0 leave").status, 86);
}

TEST(AtExit, WhatDoesNotFinishIsToldAndLeft) {
  const Outcome outcome = run("endless 0 leave", "HIPSIGHT_EXIT_WAIT=0.2");
  EXPECT_EQ(outcome.status, 124) << outcome.errors;
  EXPECT_EQ(outcome.output, "launched\nat exit\n");
  EXPECT_EQ(outcome.errors,
            "hipsight: the program ended, but 1 operation did not within 0.2 s:\n"
            "  kernel forever(int*)\n");
  EXPECT_EQ(run("endless 3 leave", "HIPSIGHT_EXIT_WAIT=0").status, 3);
}

TEST(AtExit, ThreadsThatGoOnHarmNothing) {
  for (int i = 0; i < 10; ++i) {
    const Outcome outcome = run("threads 0 leave", "HIPSIGHT_REPORT=stderr");
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_NE(outcome.errors.find("store(int*, int): "), std::string::npos) << outcome.errors;
  }
}

TEST(AtExit, LaunchesWaitWhenTheUserWantsIt) {
  const std::string environment = "HIPSIGHT_TIMEOUT=0.2 HIPSIGHT_EXIT_WAIT=0 HIP_LAUNCH_BLOCKING=1";
  const Outcome outcome = run("endless 0 leave", environment);
  EXPECT_EQ(outcome.status, 124);
  EXPECT_NE(outcome.errors.find("did not end within 0.2 s; it was here"), std::string::npos)
      << outcome.errors;
}

TEST(AtExit, NoCodeForTheGpuIsToldAndIsNoSuccess) {
  const Outcome outcome = run("good 0", "HIPSIGHT_GPU=rx9070xt");
  EXPECT_EQ(outcome.status, 86) << outcome.errors;
  EXPECT_NE(outcome.errors.find("gfx1201"), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find("gfx90a"), std::string::npos) << outcome.errors;
}

TEST(AtExit, AnUnknownGpuIsNoDevice) {
  const Outcome outcome = run("good 0", "HIPSIGHT_GPU=rtx5090");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.output.find("no ROCm-capable device is detected"), std::string::npos)
      << outcome.output;
  EXPECT_NE(outcome.errors.find("rtx5090"), std::string::npos) << outcome.errors;
}

}  // namespace
