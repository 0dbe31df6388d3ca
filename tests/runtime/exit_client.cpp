// Launches a kernel that is good, stray or endless, or another one while the process ends, or
// leaves that to threads that never stop, and exits with the status it is told; waits for the
// kernel unless it is told to leave.
#include <hip/hip_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "kernels.h"

namespace {

bool waits = true, launches_late = false;

/// A kernel that has not run before.
void launch_late() {
  constexpr int count = 64;
  int *numbers = nullptr, *sum = nullptr;
  (void)hipMallocManaged(reinterpret_cast<void**>(&numbers), count * sizeof *numbers);
  (void)hipMallocManaged(reinterpret_cast<void**>(&sum), sizeof *sum);
  std::fill_n(numbers, count, 3);
  *sum = 0;
  launch_sum(1, nullptr, numbers, sum, count);
  (void)hipDeviceSynchronize();
  std::printf("sum %d\n", *sum);
}

/// Blocks of every small size, such as those that the main thread's own objects left free.
struct Blocks {
  std::vector<std::string> all;
  Blocks() {
    for (std::size_t size = 16; size < 512; size += 8)
      for (int i = 0; i < 16; ++i) all.emplace_back(size, 'x');
  }
  void check() const {
    for (const std::string& block : all)
      if (block.find_first_not_of('x') != std::string::npos)
        std::printf("a block of %zu bytes was written to\n", block.size());
  }
};

struct Last {
  // HIP calls from static destructors are usual.
  ~Last() {
    const Blocks blocks;
    if (launches_late) launch_late();
    blocks.check();
    if (waits) std::printf("static destructor: %s\n", hipGetErrorString(hipDeviceSynchronize()));
  }
};
[[clang::always_destroy]] Last last;

/// Starts threads that go on until the process is gone.
void start_threads() {
  for (int i = 0; i < 4; ++i)
    std::thread([] {
      for (int* memory = nullptr;; (void)hipFree(memory)) {
        (void)hipMalloc(reinterpret_cast<void**>(&memory), sizeof(int));
        launch_store(memory, 1, hipStreamPerThread);
      }
    }).detach();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

}  // namespace

int main(int count, char** arguments) {
  const std::string kind = arguments[1];
  waits = count < 4 || std::string(arguments[3]) != "leave";
  std::atexit([] { std::printf("at exit\n"); });
  int* device = nullptr;
  (void)hipMalloc(reinterpret_cast<void**>(&device), sizeof(int));
  launches_late = kind == "late";
  if (kind == "good" || kind == "late") launch_store(device, 1);
  if (kind == "stray") launch_store(device + 100000, 1);
  if (kind == "endless") launch_forever(device);
  if (kind == "threads") start_threads();
  std::cout << "launched\n";
  if (waits) std::printf("%s\n", hipGetErrorString(hipDeviceSynchronize()));
  return static_cast<int>(std::strtol(arguments[2], nullptr, 10));
}
