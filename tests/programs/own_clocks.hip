// Times itself by the clocks of C++ and C, as many benchmarks do, and prints microseconds.
#include <hip/hip_runtime.h>
#include <poll.h>
#include <sys/time.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <thread>

#include "check.h"

__global__ void fill(float* to, int count, float value) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    to[i] = value;
}

constexpr int count = 1 << 20;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

template <class Work>
void timed(const char* name, Work work) {
  const auto begin = Clock::now();
  work();
  std::printf("%s %.3f\n", name, since(begin));
}

int main() {
  float* a;
  MUST(hipMalloc(&a, count * sizeof *a));
  const auto run = [&] { fill<<<256, 256>>>(a, count, 1); };
  run();
  MUST(hipDeviceSynchronize());

  timed("kernels", [&] {
    for (int i = 0; i < 100; i++) run();
    MUST(hipDeviceSynchronize());
  });
  timed("nothing", [] {});
  timed("sleep", [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
  timed("usleep", [] { usleep(5000); });
  timed("poll", [] { poll(nullptr, 0, 5); });
  timed("condition", [] {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, std::chrono::milliseconds(5));
  });
  timed("day's", [] {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    never.wait_until(lock, std::chrono::system_clock::now() + std::chrono::milliseconds(5));
  });
  timed("spin", [] {
    for (const auto begin = Clock::now(); since(begin) < 5000;) {
    }
  });
  // A thread that waits for the GPU; what it does is past for the one that waits for the thread.
  timed("thread", [&] {
    std::thread other([&] {
      for (int i = 0; i < 100; i++) run();
      MUST(hipDeviceSynchronize());
    });
    other.join();
  });
  // A deadline at the end of time does not come before somebody is done.
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::thread other([&] {
    usleep(1000);
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_one();
  });
  {
    std::unique_lock lock(mutex);
    const auto never = Clock::time_point::max();
    std::printf("notified %d\n", changed.wait_until(lock, never, [&] { return done; }));
  }
  other.join();
  timeval day, later;
  gettimeofday(&day, nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  gettimeofday(&later, nullptr);
  std::printf("gettimeofday %.3f\n",
              (later.tv_sec - day.tv_sec) * 1e6 + (later.tv_usec - day.tv_usec));
  // The same in every run, as all above is.
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  std::printf("phase %ld\n", now.tv_nsec % 1000);
  // The time of day is the machine's but for what the GPU's clock differs.
  std::printf("year %d\n", 1900 + std::gmtime(&day.tv_sec)->tm_year);
}
