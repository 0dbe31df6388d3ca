// What streams promise: which work waits for which, and which calls wait for the work.
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fake_engine.h"
#include "kernels.h"

extern "C" hipError_t hipStreamSynchronize_spt(hipStream_t stream);
extern "C" hipError_t hipMemsetAsync_spt(void* to, int value, std::size_t size, hipStream_t stream);
extern "C" hipError_t hipLaunchHostFunc_spt(hipStream_t stream, hipHostFn_t function, void* data);

namespace {

/// Shut until it is opened. A test that is wrong fails rather than hangs.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  bool pass() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

/// What happened, in order.
class Log {
 public:
  void add(char what) {
    const std::lock_guard lock(mutex_);
    text_ += what;
  }
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

class StreamTest : public testing::Test {
 protected:
  void SetUp() override {
    (void)hipDeviceReset();
    (void)hipGetLastError();
    fake::reset();
  }
  void TearDown() override {
    gate.open();
    for (const hipStream_t stream : streams_) EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
    for (const hipStream_t stream : streams_) EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    SetUp();
  }

  hipStream_t make_stream(unsigned flags = hipStreamDefault) {
    hipStream_t stream = nullptr;
    EXPECT_EQ(hipStreamCreateWithFlags(&stream, flags), hipSuccess);
    streams_.push_back(stream);
    return stream;
  }
  /// Submits a step that takes itself down; a lower-case one passes the gate first.
  void step(char name, hipStream_t stream) {
    struct Step {
      StreamTest* test;
      char name;
    };
    const auto run = [](void* data) {
      const std::unique_ptr<Step> step(static_cast<Step*>(data));
      if (step->name >= 'a') EXPECT_TRUE(step->test->gate.pass());
      step->test->log.add(step->name);
    };
    ASSERT_EQ(hipLaunchHostFunc(stream, run, new Step{this, name}), hipSuccess);
  }

  Gate gate;
  Log log;

 private:
  std::vector<hipStream_t> streams_;
};

template <class T>
T* device_array(std::size_t count) {
  T* data = nullptr;
  EXPECT_EQ(hipMalloc(reinterpret_cast<void**>(&data), count * sizeof(T)), hipSuccess);
  return data;
}

TEST_F(StreamTest, ALaunchReturnsBeforeItsKernelEnds) {
  const hipStream_t stream = make_stream();
  fake::on_launch() = [this](const auto&) {
    EXPECT_TRUE(gate.pass());
    log.add('K');
  };
  launch_scale(1, 64, stream, nullptr, 1, 1);
  EXPECT_EQ(log.text(), "");
  EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
  gate.open();
  EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(log.text(), "K");
  EXPECT_EQ(hipStreamQuery(stream), hipSuccess);
}

TEST_F(StreamTest, KernelsOfTwoStreamsRunAtTheSameTime) {
  const hipStream_t one = make_stream(), two = make_stream();
  std::atomic<int> inside{0};
  Gate both;
  fake::on_launch() = [&](const auto&) {
    if (++inside == 2) both.open();
    EXPECT_TRUE(both.pass());
  };
  launch_scale(1, 64, one, nullptr, 1, 1);
  launch_scale(1, 64, two, nullptr, 1, 1);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(inside, 2);
}

TEST_F(StreamTest, NullStreamIsInOrderWithBlockingStreams) {
  const hipStream_t one = make_stream(), two = make_stream();
  step('a', one);
  step('B', nullptr);
  step('C', two);
  step('D', nullptr);
  step('E', one);
  EXPECT_EQ(log.text(), "");
  gate.open();
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(log.text(), "aBCDE");
}

TEST_F(StreamTest, WaitingForTheNullStreamWaitsForBlockingStreams) {
  const hipStream_t stream = make_stream();
  step('a', stream);
  EXPECT_EQ(hipStreamQuery(nullptr), hipErrorNotReady);
  gate.open();
  EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
  EXPECT_EQ(log.text(), "a");
}

TEST_F(StreamTest, NonBlockingStreamsDoNotWaitForTheNullStream) {
  const hipStream_t stream = make_stream(hipStreamNonBlocking);
  step('a', nullptr);
  step('B', stream);
  EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(log.text(), "B");
  gate.open();
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(log.text(), "Ba");
}

TEST_F(StreamTest, ASynchronousCopyWaitsItsTurn) {
  const hipStream_t stream = make_stream();
  int* const device = device_array<int>(1);
  step('a', stream);
  ASSERT_EQ(hipMemsetAsync(device, 1, 4, stream), hipSuccess);
  std::thread opener([this] { gate.open(); });
  int host = 0;
  EXPECT_EQ(hipMemcpy(&host, device, 4, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_EQ(host, 0x01010101);
  EXPECT_EQ(log.text(), "a");
  opener.join();
  EXPECT_EQ(hipFree(device), hipSuccess);
}

TEST_F(StreamTest, ACopyWithAStreamWaitsForThatStreamOnly) {
  const hipStream_t stream = make_stream(hipStreamNonBlocking),
                    other = make_stream(hipStreamNonBlocking);
  int* const device = device_array<int>(1);
  ASSERT_EQ(hipMemset(device, 2, 4), hipSuccess);
  step('a', stream);
  ASSERT_EQ(hipMemsetAsync(device, 1, 4, stream), hipSuccess);
  int host = 0;
  EXPECT_EQ(hipMemcpyWithStream(&host, device, 4, hipMemcpyDeviceToHost, other), hipSuccess);
  EXPECT_EQ(host, 0x02020202);
  EXPECT_EQ(log.text(), "");
  std::thread opener([this] { gate.open(); });
  EXPECT_EQ(hipMemcpyWithStream(&host, device, 4, hipMemcpyDeviceToHost, stream), hipSuccess);
  EXPECT_EQ(host, 0x01010101);
  EXPECT_EQ(log.text(), "a");
  opener.join();
  EXPECT_EQ(hipFree(device), hipSuccess);
}

TEST_F(StreamTest, CopiesAndFillsByTheDriversNamesWaitTheirTurn) {
  const hipStream_t stream = make_stream(hipStreamNonBlocking);
  unsigned *const first = device_array<unsigned>(4), *const second = device_array<unsigned>(4);
  unsigned* pinned = nullptr;
  ASSERT_EQ(hipHostMalloc(reinterpret_cast<void**>(&pinned), 16, 0), hipSuccess);
  std::fill_n(pinned, 4, 7u);
  for (unsigned* array : {first, second}) ASSERT_EQ(hipMemset(array, 0, 16), hipSuccess);
  step('a', stream);
  ASSERT_EQ(hipMemsetD8Async(first, 0xab, 6, stream), hipSuccess);
  ASSERT_EQ(hipMemsetD16Async(first + 2, 0xbeef, 3, stream), hipSuccess);
  ASSERT_EQ(hipMemcpyDtoDAsync(second, first, 16, stream), hipSuccess);
  ASSERT_EQ(hipMemcpyDtoHAsync(pinned, second, 16, stream), hipSuccess);
  ASSERT_EQ(hipMemcpyHtoDAsync(first, pinned + 2, 4, stream), hipSuccess);
  EXPECT_EQ(first[0], 0u);  // it is not their turn
  EXPECT_EQ(pinned[0], 7u);
  gate.open();
  ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
  const unsigned expected[4] = {0xabababab, 0x0000abab, 0xbeefbeef, 0x0000beef};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(pinned[i], expected[i]) << i;
  EXPECT_EQ(first[0], expected[2]);
  EXPECT_EQ(hipMemsetD8Async(first, 0, 17, stream), hipErrorInvalidValue);
  EXPECT_EQ(hipMemsetD16Async(first, 0, 9, stream), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyDtoDAsync(first, second, 17, stream), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyDtoHAsync(pinned, second, 17, stream), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyHtoDAsync(first, pinned, 17, stream), hipErrorInvalidValue);
  for (unsigned* array : {first, second}) EXPECT_EQ(hipFree(array), hipSuccess);
  EXPECT_EQ(hipHostFree(pinned), hipSuccess);
}

TEST_F(StreamTest, PageableMemoryMayBeReusedAtOnce) {
  const hipStream_t stream = make_stream();
  int* const device = device_array<int>(2);
  int source[2] = {7, 8}, back[2] = {};
  step('a', stream);
  ASSERT_EQ(hipMemcpyAsync(device, source, sizeof source, hipMemcpyHostToDevice, stream),
            hipSuccess);
  source[0] = source[1] = -1;
  EXPECT_EQ(device[0], 0);  // it is not its turn
  std::thread opener([this] { gate.open(); });
  // And it is there when the call returns.
  ASSERT_EQ(hipMemcpyAsync(back, device, sizeof back, hipMemcpyDeviceToHost, stream), hipSuccess);
  EXPECT_EQ(back[0], 7);
  EXPECT_EQ(back[1], 8);
  opener.join();
  EXPECT_EQ(hipFree(device), hipSuccess);
}

TEST_F(StreamTest, PinnedMemoryIsReadWhenItIsItsTurn) {
  const hipStream_t stream = make_stream();
  int *pinned = nullptr, *device = device_array<int>(1);
  ASSERT_EQ(hipHostMalloc(reinterpret_cast<void**>(&pinned), sizeof(int), 0), hipSuccess);
  *pinned = 1;
  step('a', stream);
  ASSERT_EQ(hipMemcpyAsync(device, pinned, sizeof(int), hipMemcpyHostToDevice, stream), hipSuccess);
  *pinned = 2;
  gate.open();
  ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(*device, 2);
  EXPECT_EQ(hipFree(device), hipSuccess);
  EXPECT_EQ(hipHostFree(pinned), hipSuccess);
}

TEST_F(StreamTest, ABadCopyIsRefusedByTheCall) {
  const hipStream_t stream = make_stream();
  int* const device = device_array<int>(1);
  step('a', stream);
  EXPECT_EQ(hipMemsetAsync(device, 0, 5, stream), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyAsync(device, device, 8, hipMemcpyDefault, stream), hipErrorInvalidValue);
  gate.open();
  EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(hipFree(device), hipSuccess);
}

TEST_F(StreamTest, FreeWaitsForWorkThatUsesTheMemory) {
  const hipStream_t stream = make_stream(hipStreamNonBlocking);
  int* const device = device_array<int>(1);
  step('a', stream);
  ASSERT_EQ(hipMemsetAsync(device, 1, 4, stream), hipSuccess);
  std::thread opener([this] { gate.open(); });
  EXPECT_EQ(hipFree(device), hipSuccess);
  EXPECT_EQ(log.text(), "a");
  EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  opener.join();
}

TEST_F(StreamTest, StreamOrderedFreeComesInItsTurn) {
  const hipStream_t stream = make_stream();
  void* device = nullptr;
  ASSERT_EQ(hipMallocAsync(&device, 64, stream), hipSuccess);
  step('a', stream);
  ASSERT_EQ(hipFreeAsync(device, stream), hipSuccess);
  EXPECT_EQ(hipFreeAsync(device, stream), hipErrorInvalidValue);  // twice
  std::size_t size = 0;
  EXPECT_EQ(hipMemPtrGetInfo(device, &size), hipSuccess);  // still there
  gate.open();
  ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(hipMemPtrGetInfo(device, &size), hipErrorInvalidValue);
}

TEST_F(StreamTest, ADestroyedStreamFinishesItsWork) {
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  step('a', stream);
  step('B', stream);
  ASSERT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(hipStreamQuery(stream), hipErrorContextIsDestroyed);
  gate.open();
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(log.text(), "aB");
}

TEST_F(StreamTest, ADestroyedStreamLeavesNoThread) {
  const auto threads = [] {
    const auto all = std::filesystem::directory_iterator("/proc/self/task");
    return std::distance(begin(all), end(all));
  };
  const auto before = threads();
  constexpr int count = 50;
  for (int i = 0; i < count; ++i) {
    hipStream_t stream = nullptr;
    ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
    step('A', stream);
    ASSERT_EQ(hipStreamDestroy(stream), hipSuccess);
  }
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(log.text().size(), std::size_t{count});
  // Each would stay two seconds if it waited for more.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(threads(), before + count / 2);
}

TEST_F(StreamTest, AFailedKernelStopsWhatIsQueued) {
  const hipStream_t stream = make_stream();
  int* const device = device_array<int>(1);
  *device = 5;
  fake::on_launch() = [this](const auto&) {
    EXPECT_TRUE(gate.pass());
    throw hipsight::engine::KernelError(hipsight::engine::KernelError::Kind::Trap, "trap");
  };
  launch_scale(1, 64, stream, nullptr, 1, 1);
  ASSERT_EQ(hipMemsetAsync(device, 0, 4, stream), hipSuccess);
  step('A', stream);
  hipError_t status = hipSuccess;
  ASSERT_EQ(hipStreamAddCallback(
                stream,
                [](hipStream_t, hipError_t error, void* data) {
                  *static_cast<hipError_t*>(data) = error;
                },
                &status, 0),
            hipSuccess);
  gate.open();
  EXPECT_EQ(hipStreamSynchronize(stream), hipErrorLaunchFailure);
  EXPECT_EQ(status, hipErrorLaunchFailure);
  EXPECT_EQ(*device, 5);
  EXPECT_EQ(log.text(), "");
  EXPECT_EQ(hipDeviceReset(), hipSuccess);
  EXPECT_EQ(hipFree(device), hipSuccess);
}

TEST_F(StreamTest, AHostFunctionThatWaitsIsRefusedAndDoesNotHang) {
  struct Waiting {
    hipStream_t stream;
    int* memory;
    hipError_t wait, free, submit;
  } waiting{make_stream(), device_array<int>(1), hipSuccess, hipSuccess, hipErrorUnknown};
  ASSERT_EQ(hipLaunchHostFunc(
                waiting.stream,
                [](void* data) {
                  auto& self = *static_cast<Waiting*>(data);
                  self.wait = hipStreamSynchronize(self.stream);
                  self.free = hipFree(self.memory);
                  self.submit = hipMemsetAsync(self.memory, 1, 4, self.stream);
                },
                &waiting),
            hipSuccess);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(waiting.wait, hipErrorIllegalState);
  EXPECT_EQ(waiting.free, hipErrorIllegalState);
  EXPECT_EQ(waiting.submit, hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(waiting.stream), hipSuccess);
  EXPECT_EQ(*waiting.memory, 0x01010101);
  EXPECT_EQ(hipFree(waiting.memory), hipSuccess);
}

TEST_F(StreamTest, PerThreadStreamsAreOfTheirThread) {
  Gate other;
  std::thread thread([&] {
    ASSERT_EQ(
        hipLaunchHostFunc_spt(
            nullptr, [](void* gate) { EXPECT_TRUE(static_cast<Gate*>(gate)->pass()); }, &gate),
        hipSuccess);
    EXPECT_EQ(hipStreamQuery(hipStreamPerThread), hipErrorNotReady);
    other.open();
  });
  ASSERT_TRUE(other.pass());
  EXPECT_EQ(hipStreamQuery(hipStreamPerThread), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize_spt(nullptr), hipSuccess);
  thread.join();  // its stream ends after its work
  gate.open();
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
}

TEST_F(StreamTest, ManyThreadsShareAStream) {
  const hipStream_t stream = make_stream();
  int* const counter = device_array<int>(1);
  const auto add = [](void* to) { ++*static_cast<int*>(to); };  // one at a time: no lock
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 200; ++j) {
        EXPECT_EQ(hipLaunchHostFunc(stream, add, counter), hipSuccess);
        if (j % 50 == 0) EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(*counter, 1600);
  EXPECT_EQ(hipFree(counter), hipSuccess);
}

// Events.

TEST_F(StreamTest, AnEventHappensAfterTheWorkBeforeIt) {
  const hipStream_t stream = make_stream();
  hipEvent_t start = nullptr, stop = nullptr;
  ASSERT_EQ(hipEventCreate(&start), hipSuccess);
  ASSERT_EQ(hipEventCreate(&stop), hipSuccess);
  ASSERT_EQ(hipEventRecord(start, stream), hipSuccess);
  step('a', stream);
  ASSERT_EQ(hipEventRecord(stop, stream), hipSuccess);
  step('B', stream);
  EXPECT_EQ(hipEventQuery(start), hipSuccess);
  EXPECT_EQ(hipEventQuery(stop), hipErrorNotReady);
  float ms = 0;
  EXPECT_EQ(hipEventElapsedTime(&ms, start, stop), hipErrorNotReady);
  gate.open();
  EXPECT_EQ(hipEventSynchronize(stop), hipSuccess);
  EXPECT_EQ(log.text().substr(0, 1), "a");
  EXPECT_EQ(hipEventElapsedTime(&ms, start, stop), hipSuccess);
  EXPECT_GT(ms, 0);
  EXPECT_EQ(hipEventDestroy(start), hipSuccess);
  EXPECT_EQ(hipEventDestroy(stop), hipSuccess);
}

TEST_F(StreamTest, AStreamWaitsForAnEventOfAnother) {
  const hipStream_t one = make_stream(hipStreamNonBlocking),
                    two = make_stream(hipStreamNonBlocking);
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipEventCreateWithFlags(&event, hipEventDisableTiming), hipSuccess);
  step('a', one);
  ASSERT_EQ(hipEventRecord(event, one), hipSuccess);
  step('B', two);
  ASSERT_EQ(hipStreamWaitEvent(two, event, 0), hipSuccess);
  step('C', two);
  // The wait is for what was recorded then, and outlives the event.
  step('D', one);
  ASSERT_EQ(hipEventRecord(event, one), hipSuccess);
  ASSERT_EQ(hipEventDestroy(event), hipSuccess);
  gate.open();
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  const std::string text = log.text();
  ASSERT_EQ(text.size(), 4u);
  EXPECT_LT(text.find('a'), text.find('C'));
  EXPECT_LT(text.find('B'), text.find('C'));
}

// Values in memory.

TEST_F(StreamTest, WaitsForAValueInMemory) {
  const hipStream_t one = make_stream(), two = make_stream();
  auto* const word = device_array<std::uint32_t>(4);
  auto* const wide = reinterpret_cast<std::uint64_t*>(word + 2);
  ASSERT_EQ(hipStreamWaitValue32(one, word, 5, hipStreamWaitValueEq, 0xff), hipSuccess);
  ASSERT_EQ(hipStreamWaitValue64(one, wide, std::uint64_t{1} << 40, hipStreamWaitValueGte,
                                 ~std::uint64_t{0}),
            hipSuccess);
  step('B', one);
  step('A', two);
  ASSERT_EQ(hipStreamWriteValue32(two, word, 0x105, 0), hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(two), hipSuccess);
  EXPECT_EQ(hipStreamQuery(one), hipErrorNotReady);
  ASSERT_EQ(hipStreamWriteValue64(two, wide, std::uint64_t{3} << 40, 0), hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(one), hipSuccess);
  EXPECT_EQ(log.text(), "AB");
  ASSERT_EQ(hipStreamWaitValue32(one, word, 4, hipStreamWaitValueAnd, ~0u), hipSuccess);
  ASSERT_EQ(hipStreamWaitValue32(one, word, 1, hipStreamWaitValueNor, ~0u), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(one), hipSuccess);
  EXPECT_EQ(hipStreamWaitValue32(one, word, 4, 4, ~0u), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamWaitValue32(one, nullptr, 4, 0, ~0u), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(word), hipSuccess);
}

TEST_F(StreamTest, AValueForMemoryThatIsGoneIsAnErrorNotACrash) {
  const hipStream_t stream = make_stream(hipStreamNonBlocking);
  constexpr std::size_t page = 4096;
  for (const bool write : {false, true}) {
    Gate own;
    void* const memory =
        mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    ASSERT_EQ(hipHostRegister(memory, page, 0), hipSuccess);
    ASSERT_EQ(hipLaunchHostFunc(
                  stream, [](void* gate) { EXPECT_TRUE(static_cast<Gate*>(gate)->pass()); }, &own),
              hipSuccess);
    if (write)
      ASSERT_EQ(hipStreamWriteValue32(stream, memory, 1, 0), hipSuccess);
    else
      ASSERT_EQ(hipStreamWaitValue32(stream, memory, 0, hipStreamWaitValueGte, ~0u), hipSuccess);
    ASSERT_EQ(munmap(memory, page), 0);
    own.open();
    EXPECT_EQ(hipStreamSynchronize(stream), hipErrorInvalidValue);
    EXPECT_EQ(hipHostUnregister(memory), hipSuccess);
    EXPECT_EQ(hipDeviceReset(), hipSuccess);
  }
}

// A fork has none of its parent's threads.

TEST_F(StreamTest, TheChildOfAForkIsRefused) {
  int* const device = device_array<int>(1);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    const bool refused = hipDeviceSynchronize() == hipErrorNotInitialized &&
                         hipMemset(device, 0, 4) == hipErrorNotInitialized &&
                         hipFree(device) == hipErrorNotInitialized;
    _exit(refused ? 42 : 1);
  }
  close(ends[1]);
  std::string text;
  char buffer[256];
  for (ssize_t size = 0; (size = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(size));
  close(ends[0]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_EQ(text,
            "hipsight: this process was forked by one that had used HIP; its HIP calls fail\n");
  EXPECT_EQ(hipFree(device), hipSuccess);  // the parent goes on
}

}  // namespace
