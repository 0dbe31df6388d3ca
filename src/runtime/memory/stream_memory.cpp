// Streams that write a value to memory, or wait until there is one.
#include <fmt/format.h>

#include <thread>

#include "runtime/memory/copy.h"
#include "runtime/state.h"
#include "runtime/stream/stream.h"

namespace hipsight::runtime {
namespace {

/// Looked for again when it is the word's turn: memory may go between.
template <class Word>
Word* word_at(void* address, Access access, const char* doing) {
  require(address && reinterpret_cast<std::uintptr_t>(address) % sizeof(Word) == 0);
  require(is_allocation(address, sizeof(Word), access, doing));
  return static_cast<Word*>(address);
}

template <class Word>
hipError_t write_value(hipStream_t handle, void* address, Word value) {
  return api([&] {
    const auto write_to = [=] { return word_at<Word>(address, Access::Write, "write"); };
    write_to();
    find_stream(handle)->submit({.what = fmt::format("write of {} to {}", value, address),
                                 .run = [=](timeline::Span&) { memory().store(write_to(), value); },
                                 .quick = true});
    return hipSuccess;
  });
}

/// As hip_runtime_api.h says at hipStreamWaitValue32.
template <class Word>
bool fulfils(Word now, Word value, Word mask, unsigned condition) {
  switch (condition) {
    case hipStreamWaitValueGte:
      return (now & mask) >= value;
    case hipStreamWaitValueEq:
      return (now & mask) == value;
    case hipStreamWaitValueAnd:
      return (now & mask & value) != 0;
    default:  // hipStreamWaitValueNor
      return static_cast<Word>(~((now & mask) | (value & mask))) != 0;
  }
}

template <class Word>
hipError_t wait_value(hipStream_t handle, void* address, Word value, unsigned condition,
                      Word mask) {
  return api([&] {
    require(condition <= hipStreamWaitValueNor);
    const auto read_from = [=] { return word_at<Word>(address, Access::Read, "wait for"); };
    read_from();
    find_stream(handle)->submit(
        {.what = fmt::format("wait for a value at {}", address), .run = [=](timeline::Span&) {
           using namespace std::chrono_literals;
           for (unsigned turn = 0; !device_fault(); ++turn) {
             const Word now = __atomic_load_n(read_from(), __ATOMIC_ACQUIRE);
             if (fulfils(now, value, mask, condition)) return;
             if (turn < 64)
               std::this_thread::yield();
             else
               std::this_thread::sleep_for(50us);
           }
         }});
    return hipSuccess;
  });
}

}  // namespace

HIP_API hipError_t hipStreamWriteValue32(hipStream_t stream, void* address, std::uint32_t value,
                                         unsigned flags) {
  return write_value(stream, address, value);
}
HIP_API hipError_t hipStreamWriteValue64(hipStream_t stream, void* address, std::uint64_t value,
                                         unsigned flags) {
  return write_value(stream, address, value);
}
HIP_API hipError_t hipStreamWaitValue32(hipStream_t stream, void* address, std::uint32_t value,
                                        unsigned flags, std::uint32_t mask) {
  return wait_value(stream, address, value, flags, mask);
}
HIP_API hipError_t hipStreamWaitValue64(hipStream_t stream, void* address, std::uint64_t value,
                                        unsigned flags, std::uint64_t mask) {
  return wait_value(stream, address, value, flags, mask);
}

}  // namespace hipsight::runtime
