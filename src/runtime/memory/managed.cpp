// Managed memory is in one place for host and devices: advice and prefetching change nothing. What
// was said of a range is remembered, for programs that ask.
#include "runtime/memory/managed.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "runtime/state.h"
#include "runtime/stream/stream.h"

namespace hipsight::runtime {
namespace {

constexpr int fine_grain = 0, coarse_grain = 1, indeterminate = 2;  // hipMemRangeCoherencyMode

struct Advice {
  bool read_mostly = false;
  int preferred = hipInvalidDeviceId, last_prefetch = hipInvalidDeviceId;
  int coherency = fine_grain;
  std::set<int> accessed_by;
};

/// Advice from each address on, up to the next one.
struct AllAdvice {
  std::mutex mutex;
  std::map<std::uintptr_t, Advice> from{{0, {}}};

  /// Makes an address the begin of a range of its own.
  std::map<std::uintptr_t, Advice>::iterator cut(std::uintptr_t at) {
    const auto holder = std::prev(from.upper_bound(at));
    return from.emplace(at, holder->second).first;
  }
  template <class Action>
  void for_each(std::uintptr_t begin, std::size_t size, Action&& action) {
    const auto first = cut(begin), last = cut(begin + size);
    for (auto range = first; range != last; ++range) action(range->second);
  }
};
AllAdvice& all_advice() {
  static auto& advice = *new AllAdvice;
  return advice;
}

/// Changes what is known of managed memory. @throws Failure when it is not.
template <class Action>
void for_each_range(const void* pointer, std::size_t size, Action&& action) {
  require(pointer && size);
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  const auto allocation = memory().find(begin);
  require(allocation && allocation->kind == engine::Memory::Kind::Managed &&
          size <= allocation->end() - begin);
  const std::lock_guard lock(all_advice().mutex);
  all_advice().for_each(begin, size, action);
}

void require_device_or_host(int device) {
  if (device != hipCpuDeviceId) require_device(device);
}

void take(Advice& advice, hipMemoryAdvise what, int device) {
  switch (what) {
    case hipMemAdviseSetReadMostly:
    case hipMemAdviseUnsetReadMostly:
      advice.read_mostly = what == hipMemAdviseSetReadMostly;
      return;
    case hipMemAdviseSetPreferredLocation:
      advice.preferred = device;
      return;
    case hipMemAdviseUnsetPreferredLocation:
      advice.preferred = hipInvalidDeviceId;
      return;
    case hipMemAdviseSetAccessedBy:
      advice.accessed_by.insert(device);
      return;
    case hipMemAdviseUnsetAccessedBy:
      advice.accessed_by.erase(device);
      return;
    case hipMemAdviseSetCoarseGrain:
    case hipMemAdviseUnsetCoarseGrain:
      advice.coherency = what == hipMemAdviseSetCoarseGrain ? coarse_grain : fine_grain;
      return;
  }
  fail_with(hipErrorInvalidValue);
}

/// The coherency of device memory, which goes by how it was allocated; nothing for other memory.
std::optional<int> mode_of_device_memory(const void* pointer, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  const auto allocation = pointer ? memory().find(begin) : std::nullopt;
  if (!allocation || allocation->kind != engine::Memory::Kind::Device) return std::nullopt;
  require(size && size <= allocation->end() - begin);
  return allocation->flags ? fine_grain : coarse_grain;
}

/// What holds for all of a range, or `mixed`.
int common(const std::vector<Advice>& ranges, int mixed, auto&& get) {
  const int first = get(ranges.front());
  return std::ranges::all_of(ranges, [&](const Advice& one) { return get(one) == first; }) ? first
                                                                                           : mixed;
}

void attribute(void* data, std::size_t size, hipMemRangeAttribute which,
               const std::vector<Advice>& ranges) {
  require(data != nullptr);
  if (which == hipMemRangeAttributeAccessedBy) {
    require(size >= sizeof(int) && size % sizeof(int) == 0);
    std::set<int> devices = ranges.front().accessed_by;
    for (const Advice& one : ranges)
      std::erase_if(devices, [&](int device) { return !one.accessed_by.contains(device); });
    std::vector<int> list(devices.begin(), devices.end());
    list.resize(size / sizeof(int), hipInvalidDeviceId);
    std::memcpy(data, list.data(), size);
    return;
  }
  require(size == sizeof(int));
  const int value = [&] {
    switch (which) {
      case hipMemRangeAttributeReadMostly:
        return common(ranges, 0, [](const Advice& one) { return int{one.read_mostly}; });
      case hipMemRangeAttributePreferredLocation:
        return common(ranges, hipInvalidDeviceId, [](const Advice& one) { return one.preferred; });
      case hipMemRangeAttributeLastPrefetchLocation:
        return common(ranges, hipInvalidDeviceId,
                      [](const Advice& one) { return one.last_prefetch; });
      case hipMemRangeAttributeCoherencyMode:
        return common(ranges, indeterminate, [](const Advice& one) { return one.coherency; });
      default:
        fail_with(hipErrorInvalidValue);
    }
  }();
  std::memcpy(data, &value, sizeof value);
}

}  // namespace

void forget_advice(const void* pointer, std::size_t size) {
  const std::lock_guard lock(all_advice().mutex);
  all_advice().for_each(reinterpret_cast<std::uintptr_t>(pointer), size,
                        [](Advice& advice) { advice = {}; });
}

namespace {

/// The whole pages of a range.
std::pair<const void*, std::size_t> pages(const void* pointer, std::size_t size) {
  constexpr std::uintptr_t page = 4096;
  require(pointer && size);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer), begin = address / page * page;
  const auto allocation = memory().find(address);
  require(allocation && size <= allocation->end() - address);
  const std::uintptr_t end = (address + size + page - 1) / page * page;
  return {reinterpret_cast<const void*>(begin), std::min(end, allocation->end()) - begin};
}

}  // namespace

HIP_API hipError_t hipMemAdvise(const void* start, std::size_t length, hipMemoryAdvise advice,
                                int device) {
  return api([&] {
    const bool of_device = advice >= hipMemAdviseSetPreferredLocation &&
                           advice <= hipMemAdviseUnsetAccessedBy &&
                           advice != hipMemAdviseUnsetPreferredLocation;
    if (of_device) require_device_or_host(device);
    const auto [pointer, size] = pages(start, length);
    for_each_range(pointer, size, [&](Advice& range) { take(range, advice, device); });
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemPrefetchAsync(const void* start, std::size_t length, int device,
                                       hipStream_t stream) {
  return api([&] {
    const auto [pointer, size] = pages(start, length);
    require_device_or_host(device);
    find_stream(stream);
    for_each_range(pointer, size, [&](Advice& range) { range.last_prefetch = device; });
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemRangeGetAttributes(void** data, std::size_t* sizes,
                                            hipMemRangeAttribute* which, std::size_t count,
                                            const void* pointer, std::size_t size) {
  return api([&] {
    require(data && sizes && which && count);
    std::vector<Advice> ranges;
    if (const auto mode = mode_of_device_memory(pointer, size)) {
      require(std::all_of(which, which + count, [](hipMemRangeAttribute one) {
        return one == hipMemRangeAttributeCoherencyMode;  // the others are managed memory's
      }));
      ranges.push_back({.coherency = *mode, .accessed_by = {}});
    } else {
      for_each_range(pointer, size, [&](const Advice& range) { ranges.push_back(range); });
    }
    for (std::size_t i = 0; i < count; ++i) attribute(data[i], sizes[i], which[i], ranges);
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemRangeGetAttribute(void* data, std::size_t data_size,
                                           hipMemRangeAttribute which, const void* pointer,
                                           std::size_t size) {
  return hipMemRangeGetAttributes(&data, &data_size, &which, 1, pointer, size);
}

HIP_API hipError_t hipStreamAttachMemAsync(hipStream_t stream, void* pointer, std::size_t length,
                                           unsigned flags) {
  return api([&] {
    require(flags == hipMemAttachGlobal || flags == hipMemAttachHost ||
            (flags == hipMemAttachSingle && stream));
    find_stream(stream);
    const auto allocation = memory().find(reinterpret_cast<std::uintptr_t>(pointer));
    require(pointer && allocation && allocation->kind == engine::Memory::Kind::Managed);
    require(length == 0 || length == allocation->size);
    return hipSuccess;
  });
}

}  // namespace hipsight::runtime
