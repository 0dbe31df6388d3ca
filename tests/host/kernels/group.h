#pragma once
// What kernels of a workgroup are written in: barriers, exchanges between lanes, atomics. On the
// host the threads of a group are fibers of one thread, which take turns at barriers.

#include "item.h"

#ifdef __HIP__
#include <hip/hip_runtime.h>
#else
#include "../fibers.h"
#endif

namespace host_test {

struct Triple {
  u32 x, y, z;
};

/// Lanes that exchange values: half a wave64, or a wave32.
inline constexpr u32 lanes = 32;
/// Words that all groups of a launch share, zero at first.
inline constexpr u32 shared_words = 64;

#ifdef __HIP__

class Group {
 public:
  DEVICE Triple thread() const { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  DEVICE Triple block() const { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  DEVICE Triple size() const { return {blockDim.x, blockDim.y, blockDim.z}; }
  DEVICE Triple count() const { return {gridDim.x, gridDim.y, gridDim.z}; }
  DEVICE void barrier() { __syncthreads(); }
  DEVICE void fence() { __threadfence(); }
  template <class T>
  DEVICE T shuffle(T value, u32 lane) {
    return __shfl(value, int(lane), lanes);
  }
  template <class T>
  DEVICE T shuffle_up(T value, u32 by) {
    return __shfl_up(value, by, lanes);
  }
  template <class T>
  DEVICE T shuffle_xor(T value, u32 mask) {
    return __shfl_xor(value, int(mask), lanes);
  }
  DEVICE u32 ballot(bool vote) {
    const u64 all = __ballot(vote);
    return u32(all >> (__lane_id() & 32));
  }
};

#define HIP_ATOMIC(name)                                                                     \
  template <class T>                                                                         \
  DEVICE T atomic_##name(T* at, T value) {                                                   \
    return __hip_atomic_fetch_##name(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); \
  }
HIP_ATOMIC(add)
HIP_ATOMIC(min)
HIP_ATOMIC(max)
HIP_ATOMIC(and)
HIP_ATOMIC(or)
HIP_ATOMIC(xor)
#undef HIP_ATOMIC
template <class T>
DEVICE T atomic_exchange(T* at, T value) {
  return __hip_atomic_exchange(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
/// Whether *at was `expected`, which is updated.
template <class T>
DEVICE bool atomic_replace(T* at, T& expected, T value) {
  return __hip_atomic_compare_exchange_strong(at, &expected, value, __ATOMIC_ACQ_REL,
                                              __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T>
DEVICE T atomic_load(T* at) {
  return __hip_atomic_load(at, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T>
DEVICE void atomic_store(T* at, T value) {
  __hip_atomic_store(at, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}
DEVICE u32 atomic_increment(u32* at, u32 last) {
  return atomicInc(at, last);
}
DEVICE u32 atomic_decrement(u32* at, u32 last) {
  return atomicDec(at, last);
}
/// The single instruction, where the GPU has one.
template <class T>
DEVICE T atomic_add_fast(T* at, T value) {
  return unsafeAtomicAdd(at, value);
}

#else

class Group {
 public:
  Group(Fibers& fibers, Triple thread, Triple block, Triple size, Triple count)
      : fibers_(fibers), thread_(thread), block_(block), size_(size), count_(count) {}
  Triple thread() const { return thread_; }
  Triple block() const { return block_; }
  Triple size() const { return size_; }
  Triple count() const { return count_; }
  void barrier() { fibers_.wait_for(0, fibers_.count()); }
  void fence() {}
  template <class T>
  T shuffle(T value, u32 lane) {
    const u32 self = fibers_.current(), first = self / lanes * lanes;
    // No lane writes its next value before all have read this one.
    fibers_.wait_for(first, lanes);
    fibers_.words[self] = bits(value);
    fibers_.wait_for(first, lanes);
    return from_bits<T>(fibers_.words[first + lane % lanes]);
  }
  template <class T>
  T shuffle_up(T value, u32 by) {
    const u32 self = fibers_.current() % lanes;
    return shuffle(value, self >= by ? self - by : self);
  }
  template <class T>
  T shuffle_xor(T value, u32 mask) {
    return shuffle(value, fibers_.current() ^ mask);
  }
  u32 ballot(bool vote) {
    u32 all = 0;
    for (u32 lane = 0; lane < lanes; lane++) all |= shuffle(u32(vote), lane) << lane;
    return all;
  }

 private:
  Fibers& fibers_;
  Triple thread_, block_, size_, count_;
};

#define HOST_ATOMIC(name, result)   \
  template <class T>                \
  T atomic_##name(T* at, T value) { \
    const T old = *at;              \
    *at = result;                   \
    return old;                     \
  }
HOST_ATOMIC(add, old + value)
HOST_ATOMIC(min, old < value ? old : value)
HOST_ATOMIC(max, old > value ? old : value)
HOST_ATOMIC(and, old& value)
HOST_ATOMIC(or, old | value)
HOST_ATOMIC(xor, old ^ value)
HOST_ATOMIC(exchange, value)
HOST_ATOMIC(add_fast, old + value)
HOST_ATOMIC(increment, old >= value ? 0 : old + 1)
HOST_ATOMIC(decrement, old == 0 || old > value ? value : old - 1)
#undef HOST_ATOMIC
template <class T>
bool atomic_replace(T* at, T& expected, T value) {
  const bool same = *at == expected;
  expected = atomic_exchange(at, same ? value : *at);
  return same;
}
template <class T>
T atomic_load(T* at) {
  return *at;
}
template <class T>
void atomic_store(T* at, T value) {
  *at = value;
}

#endif

DEVICE u32 flat(Triple at, Triple size) {
  return (at.z * size.y + at.y) * size.x + at.x;
}
DEVICE u32 volume(Triple size) {
  return size.x * size.y * size.z;
}
/// The thread's number in its group, and in the launch.
DEVICE u32 thread_index(const Group& group) {
  return flat(group.thread(), group.size());
}
DEVICE u32 global_index(const Group& group) {
  return flat(group.block(), group.count()) * volume(group.size()) + thread_index(group);
}

}  // namespace host_test
