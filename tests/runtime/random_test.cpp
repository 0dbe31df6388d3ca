// Random sequences of calls with good, destroyed and made-up handles and pointers: every call
// returns a code that HIP has, and the process lives.
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>

#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "fake_engine.h"
#include "kernels.h"

namespace {

class Caller {
 public:
  explicit Caller(unsigned seed) : random_(seed) {}

  void step() {
    static const std::vector<hipError_t (Caller::*)()> calls = {
        &Caller::allocate, &Caller::free,   &Caller::copy,   &Caller::copy_rows, &Caller::set,
        &Caller::query,    &Caller::stream, &Caller::event,  &Caller::launch,    &Caller::module,
        &Caller::symbol,   &Caller::device, &Caller::pooled,
    };
    const hipError_t result = (this->*calls[pick(calls.size())])();
    EXPECT_TRUE(result == hipErrorUnknown ||
                std::strcmp(hipGetErrorName(result), "hipErrorUnknown") != 0)
        << result;
    EXPECT_NE(result, hipErrorUnknown);  // an exception that nobody expected
    if (pick(50) == 0) (void)hipDeviceReset();
  }

 private:
  std::size_t pick(std::size_t count) { return random_() % count; }

  template <class Handle>
  Handle handle(const std::vector<Handle>& known) {
    switch (pick(5)) {
      case 0:
        return nullptr;
      case 1:
        return reinterpret_cast<Handle>(random_() % 100000);
      default:
        return known.empty() ? nullptr : known[pick(known.size())];
    }
  }

  /// Memory of any kind. What the program owns is one mebibyte, so copies of up to that stay
  /// inside.
  void* pointer() {
    switch (pick(6)) {
      case 0:
        return nullptr;
      case 1:
        return reinterpret_cast<void*>(random_() % 4096);
      case 2:
        return host_.data();
      default:
        return memory_.empty() ? nullptr
                               : static_cast<char*>(memory_[pick(memory_.size())]) + pick(64);
    }
  }
  std::size_t size() {
    switch (pick(6)) {
      case 0:
        return 0;
      case 1:
        return ~std::size_t{0} - pick(100);
      default:
        return pick(4096);
    }
  }
  hipMemcpyKind kind() { return static_cast<hipMemcpyKind>(pick(7)); }

  hipError_t allocate() {
    void* pointer = nullptr;
    const std::size_t bytes = size();
    const std::function<hipError_t()> ways[] = {
        [&] { return hipMalloc(&pointer, bytes); },
        [&] { return hipHostMalloc(&pointer, bytes, static_cast<unsigned>(pick(16))); },
        [&] { return hipMallocManaged(&pointer, bytes, static_cast<unsigned>(pick(4))); },
        [&] { return hipMallocAsync(&pointer, bytes, handle(streams_)); },
        [&] { return hipHostRegister(this->pointer(), bytes, 0); },
    };
    const hipError_t result = ways[pick(std::size(ways))]();
    if (pointer) memory_.push_back(pointer);
    if (memory_.size() > 64) memory_.erase(memory_.begin());
    return result;
  }
  hipError_t free() {
    switch (pick(4)) {
      case 0:
        return hipFree(pointer());
      case 1:
        return hipHostFree(pointer());
      case 2:
        return hipFreeAsync(pointer(), handle(streams_));
      default:
        return hipHostUnregister(pointer());
    }
  }
  hipError_t copy() {
    return hipMemcpyAsync(pointer(), pointer(), size(), kind(), handle(streams_));
  }
  hipError_t copy_rows() {
    return hipMemcpy2D(pointer(), pick(256), pointer(), pick(256), pick(256), pick(16), kind());
  }
  hipError_t set() {
    switch (pick(3)) {
      case 0:
        return hipMemsetAsync(pointer(), 1, size(), handle(streams_));
      case 1:
        return hipMemsetD16(pointer(), 1, size());
      default:
        return hipMemset2D(pointer(), pick(256), 1, pick(300), pick(300));
    }
  }
  hipError_t query() {
    hipPointerAttribute_t attributes{};
    std::uint64_t value = 0;
    hipDeviceptr_t base = nullptr;
    std::size_t bytes = 0;
    switch (pick(4)) {
      case 0:
        return hipPointerGetAttributes(&attributes, pointer());
      case 1:
        return hipPointerGetAttribute(&value, static_cast<hipPointer_attribute>(pick(20)),
                                      pointer());
      case 2:
        return hipMemGetAddressRange(&base, &bytes, pointer());
      default:
        return hipHostGetDevicePointer(&base, pointer(), 0);
    }
  }
  hipError_t stream() {
    hipStream_t made = nullptr;
    hipError_t result = hipSuccess;
    switch (pick(4)) {
      case 0:
        result = hipStreamCreateWithFlags(&made, static_cast<unsigned>(pick(3)));
        break;
      case 1:
        return hipStreamDestroy(handle(streams_));
      case 2:
        return hipStreamSynchronize(handle(streams_));
      default:
        return hipStreamWaitEvent(handle(streams_), handle(events_), 0);
    }
    if (made) streams_.push_back(made);
    return result;
  }
  hipError_t event() {
    hipEvent_t made = nullptr;
    float ms = 0;
    hipError_t result = hipSuccess;
    switch (pick(4)) {
      case 0:
        result = hipEventCreateWithFlags(&made, static_cast<unsigned>(pick(8)));
        break;
      case 1:
        return hipEventDestroy(handle(events_));
      case 2:
        return hipEventRecord(handle(events_), handle(streams_));
      default:
        return hipEventElapsedTime(&ms, handle(events_), handle(events_));
    }
    if (made) events_.push_back(made);
    return result;
  }
  hipError_t launch() {
    float* data = nullptr;
    float factor = 0;
    int count = 0;
    auto parameters = pointers(data, factor, count);
    const auto some = [&] { return static_cast<unsigned>(pick(3) ? pick(70) : random_()); };
    if (pick(10) == 0)
      fake::on_launch() = [](const auto&) {
        fake::on_launch() = nullptr;
        throw hipsight::engine::KernelError(hipsight::engine::KernelError::Kind::Trap, "trap");
      };
    return hipLaunchKernel(scale_stub(), dim3(some(), some(), some()), dim3(some(), some(), some()),
                           pick(8) ? parameters.data() : nullptr, pick(2) ? 0 : random_(),
                           handle(streams_));
  }
  hipError_t module() {
    hipFunction_t function = nullptr;
    hipModule_t made = nullptr;
    hipError_t result = hipSuccess;
    switch (pick(4)) {
      case 0:
        result = hipModuleLoadData(&made, pointer());
        break;
      case 1:
        return hipModuleUnload(handle(modules_));
      case 2:
        return hipModuleGetFunction(&function, handle(modules_), "name");
      default:
        return hipModuleLaunchKernel(handle(functions_), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr,
                                     nullptr);
    }
    if (made) modules_.push_back(made);
    return result;
  }
  hipError_t symbol() {
    const void* symbols[] = {counter_variable(), table_variable(), nullptr, pointer()};
    return hipMemcpyToSymbol(symbols[pick(4)], static_cast<const void*>(host_.data()), pick(20),
                             pick(20), kind());
  }
  hipError_t device() {
    int value = 0;
    switch (pick(3)) {
      case 0:
        return hipSetDevice(static_cast<int>(pick(3)) - 1);
      case 1:
        return hipDeviceGetAttribute(&value, static_cast<hipDeviceAttribute_t>(pick(11000)), 0);
      default:
        return hipDeviceEnablePeerAccess(static_cast<int>(pick(3)) - 1, 0);
    }
  }
  hipError_t pooled() {
    void* made = nullptr;
    const hipError_t result =
        hipMallocFromPoolAsync(&made, size(), handle(pools_), handle(streams_));
    if (made) memory_.push_back(made);
    return result;
  }

  std::mt19937_64 random_;
  std::vector<char> host_ = std::vector<char>(1 << 20);
  std::vector<void*> memory_;
  std::vector<hipStream_t> streams_;
  std::vector<hipEvent_t> events_;
  std::vector<hipModule_t> modules_;
  std::vector<hipFunction_t> functions_;
  std::vector<hipMemPool_t> pools_;
};

TEST(RandomCalls, TheProcessLives) {
  // What goes wrong is told on stderr, which is a lot here.
  testing::internal::CaptureStderr();
  for (unsigned seed = 0; seed < 100; ++seed) {
    Caller caller(seed);
    for (int i = 0; i < 1000; ++i) caller.step();
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
  (void)testing::internal::GetCapturedStderr();
  fake::reset();
  (void)hipDeviceReset();
}

}  // namespace
