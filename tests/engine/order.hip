// Device code of order_test.cpp: what hangs on the order of a workgroup's waves. No HIP headers.
#define GLOBAL __attribute__((global))
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))

using u32 = unsigned int;
using Lds = __attribute__((address_space(3))) void*;
using Words = __attribute__((address_space(3))) volatile u32*;
using Memory = __attribute__((address_space(1))) void*;

#ifdef __GFX9__
constexpr u32 lanes = 64;
#else
constexpr u32 lanes = 32;
#endif
constexpr u32 items = 256, waves = items / lanes;

DEVICE static u32 item() {
  return __builtin_amdgcn_workitem_id_x();
}
DEVICE static u32 wave() {
  return __builtin_amdgcn_readfirstlane(item() / lanes);
}
DEVICE static u32 out_of() {
  return __builtin_amdgcn_workgroup_id_x() * items + item();
}
DEVICE static void barrier() {
  __builtin_amdgcn_s_barrier();
}

/// Each wave gives a number, and gets the sum of all. No barrier parts the loads of the sum from
/// the next call's stores.
template <class Pointer>
DEVICE static u32 sum_of_waves(Pointer lds, u32 mine) {
  if (item() % lanes == 0) lds[wave()] = mine;
  barrier();
  u32 sum = 0;
  for (u32 i = 0; i < waves; ++i) sum += lds[i];
  return sum;
}
extern "C" GLOBAL void sums(const u32* in, u32* out) {
  SHARED static volatile u32 lds[waves];
  const u32 first = sum_of_waves((Words)lds, in[wave()]);
  out[out_of()] = sum_of_waves((Words)lds, in[wave()] * first) + first;
}
/// The same with a barrier where it belongs.
extern "C" GLOBAL void sums_in_order(const u32* in, u32* out) {
  SHARED static volatile u32 lds[waves];
  const u32 first = sum_of_waves((Words)lds, in[wave()]);
  barrier();
  out[out_of()] = sum_of_waves((Words)lds, in[wave()] * first) + first;
}
/// The same in a function that takes any pointer: FLAT instructions, behind a call.
DEVICE __attribute__((noinline)) static u32 any_sum_of_waves(volatile u32* lds, u32 mine) {
  return sum_of_waves(lds, mine);
}
extern "C" GLOBAL void sums_by_calls(const u32* in, u32* out) {
  SHARED static volatile u32 lds[waves];
  const u32 first = any_sum_of_waves(lds, in[wave()]);
  out[out_of()] = any_sum_of_waves(lds, in[wave()] * first) + first;
}
/// In a loop, long enough to be translated, and longer than a wave's turn.
extern "C" GLOBAL void rounds(const u32* in, u32* out) {
  SHARED static volatile u32 lds[waves];
  u32 value = in[wave()];
  for (u32 round = 0; round < 3000; ++round)
    value = sum_of_waves((Words)lds, value ^ round) + in[wave()];
  out[out_of()] = value;
}

/// What is loaded before the second sum's stores is used by nobody.
extern "C" GLOBAL void unused(const u32* in, u32* out) {
  SHARED static volatile u32 lds[waves];
  const u32 first = sum_of_waves((Words)lds, in[wave()]);
  barrier();
  (void)((Words)lds)[waves - 1 - wave()];
  out[out_of()] = sum_of_waves((Words)lds, in[wave()] * first) + first;
}

/// Each wave clears its words, and then stores to words that other waves clear (MAGMA's trmv).
extern "C" GLOBAL void cleared(const volatile u32* in, u32* out) {
  SHARED static volatile u32 lds[items];
  ((Words)lds)[item()] = 0;
  ((Words)lds)[items - 1 - item()] = in[item()];
  barrier();
  out[out_of()] = lds[item()];
}
extern "C" GLOBAL void cleared_and_added(const volatile u32* in, u32* out) {
  SHARED static u32 lds[items];
  ((Words)lds)[item()] = 0;
  __hip_atomic_fetch_add(&lds[items - 1 - item()], in[item()], __ATOMIC_RELAXED,
                         __HIP_MEMORY_SCOPE_WORKGROUP);
  barrier();
  out[out_of()] = ((Words)lds)[item()];
}
/// In each trip the waves store to each other's words of the trip before.
extern "C" GLOBAL void again_and_again(const u32*, u32* out) {
  SHARED static volatile u32 lds[items];
#pragma nounroll
  for (u32 trip = 0; trip < 8; ++trip)
    ((Words)lds)[(item() + trip * lanes) % items] = trip * items + item();
  barrier();
  out[out_of()] = lds[item()];
}

#ifdef __gfx942__
/// Loads straight to LDS overwrite what other waves load just before.
extern "C" GLOBAL void direct(const u32* in, u32* out) {
  SHARED static u32 lds[items];
  lds[item()] = in[item()];
  barrier();
  const u32 before = *(volatile u32*)&lds[items - 1 - item()];
  __builtin_amdgcn_global_load_lds((Memory)(in + items + item()), (Lds)(lds + wave() * 64), 4, 0,
                                   0);
  __builtin_amdgcn_s_waitcnt(0);
  barrier();
  out[out_of()] = before + 3 * lds[item()];
}
#endif

/// Wave 0 polls for what wave 1 stores after it has loaded: in order, without a barrier.
extern "C" GLOBAL void polling(u32* out) {
  SHARED static volatile u32 flag, data;
  if (item() == 0) {
    flag = 0;
    data = 5;
  }
  barrier();
  u32 result = 0;
  if (wave() == 0) {
    while (flag == 0) {
    }
    result = data;
  } else if (wave() == 1) {
    result = data + flag;
    data = 7;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    flag = 1;
  }
  out[item()] = result;
}

/// Each wave uses words of its own.
extern "C" GLOBAL void apart(const u32* in, u32* out) {
  SHARED static volatile u32 lds[items];
  lds[item()] = in[item()];
  u32 value = lds[item() ^ 1];
  lds[item()] = value + 1;
  out[out_of()] = lds[item() ^ 2];
}

/// A wave polls memory for another workgroup, and uses LDS in each trip.
extern "C" GLOBAL void meet(u32* counter, u32* out) {
  SHARED static volatile u32 lds[waves];
  lds[wave()] = 0;
  barrier();
  if (item() == 0) __hip_atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT);
  const u32 groups = __builtin_amdgcn_grid_size_x() / items;
  u32 seen = 0;
  while (__hip_atomic_load(counter, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT) < groups) {
    seen += lds[wave()];
    lds[wave()] = 1;
  }
  out[out_of()] = 1 + (seen > 0xfffffff0);
}
