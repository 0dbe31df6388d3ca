// Random sequences of calls with good, destroyed and made-up handles and pointers: every call
// returns a code that HIP has, and the process lives. HIPSIGHT_RANDOM_SEQUENCES says how many
// sequences (1000), HIPSIGHT_RANDOM_SEED with which one to begin: docs/runtime.md, Robustness.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "fake_engine.h"
#include "random_caller.h"

// Of the sanitizers, where the test is built with them.
extern "C" __attribute__((weak)) void __sanitizer_set_report_fd(void* file);

namespace random_calls {
namespace {

// Before the first call of HIP, which makes the devices.
const int two_devices = setenv("HIPSIGHT_GPUS", "2", 1);

unsigned setting(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

bool has_name(hipError_t code) {
  return std::strcmp(hipGetErrorName(code), "hipErrorUnknown") != 0;
}

/// In a child of a fork each call is refused, and none harms it.
void fork_and_call(World& world, unsigned seed) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    void* made = nullptr;
    bool refused = hipMalloc(&made, 16) == hipErrorNotInitialized;
    Caller caller(world, seed);
    for (int i = 0; i < 20; ++i) refused = has_name(caller.step()) && refused;
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

constexpr int steps = 50;

void call(World& world, unsigned seed) {
  Caller caller(world, seed);
  for (int i = 0; i < steps; ++i) {
    const hipError_t result = caller.step();
    // hipErrorUnknown is what becomes of an exception that nobody expected.
    EXPECT_TRUE(has_name(result)) << result;
  }
}

class RandomCalls : public testing::Test {
 protected:
  // What goes wrong is told on stderr, which is a lot here. Some kernels take a while, or fail.
  void SetUp() override {
    if (__sanitizer_set_report_fd) {
      static const int errors = dup(STDERR_FILENO);
      __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<std::intptr_t>(errors)));
    }
    testing::internal::CaptureStderr();
    fake::on_launch() = [](const auto& dispatch) {
      const std::uint64_t number = dispatch.grid.volume() + dispatch.dynamic_lds;
      if (number % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(number % 100));
      if (number % 29 == 0)
        throw hipsight::engine::KernelError(hipsight::engine::KernelError::Kind::Trap, "trap");
    };
  }
  void TearDown() override {
    fake::reset();
    (void)hipDeviceReset();
    (void)testing::internal::GetCapturedStderr();
  }
  template <class Sequence>
  void run(unsigned count, Sequence&& sequence) {
    const unsigned first = setting("HIPSIGHT_RANDOM_SEED", 0);
    for (unsigned seed = first; seed < first + count; ++seed) {
      {
        World world;
        sequence(world, seed);
      }
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
      fake::launches().clear();
    }
  }
  const unsigned sequences = setting("HIPSIGHT_RANDOM_SEQUENCES", 1000);
};

TEST_F(RandomCalls, OfOneThread) {
  run(sequences, [](World& world, unsigned seed) {
    call(world, seed);
    if (seed % 100 == 0) fork_and_call(world, seed);
  });
}

TEST_F(RandomCalls, OfThreeThreadsWithTheSameHandles) {
  run(sequences / 4, [](World& world, unsigned seed) {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < 3; ++t)
      threads.emplace_back([&world, seed, t] { call(world, 3 * seed + t); });
  });
}

}  // namespace
}  // namespace random_calls
