// Device code of observer_test.cpp. No HIP headers.
#define GLOBAL __attribute__((global))
#define SHARED __attribute__((shared))

using u32 = unsigned int;

__attribute__((device)) static u32 lane() {
  return __builtin_amdgcn_workitem_id_x();
}
__attribute__((device)) static u32 item() {
  return __builtin_amdgcn_workgroup_id_x() * 128 + lane();  // workgroups of 128
}

extern "C" GLOBAL void copy(u32* out, const u32* in) {
  out[item()] = in[item()];
}
/// Each lane another line.
extern "C" GLOBAL void gather(u32* out, const u32* in) {
  out[item()] = in[item() * 64];
}
/// Half of the lanes.
extern "C" GLOBAL void some(u32* out, const u32* in) {
  if (lane() % 2) out[item()] = in[item()];
}
/// A dword a lane, each in the first bank; then side by side.
extern "C" GLOBAL void banks(u32* out) {
  SHARED static volatile u32 tile[64 * 32];
  tile[lane() * 32] = lane();
  __builtin_amdgcn_s_barrier();
  out[lane()] = tile[lane()];
}
/// Runs long enough to be translated.
extern "C" GLOBAL void loop(u32* out, const u32* in) {
  u32 sum = 0;
  for (u32 i = 0; i < 2000; ++i) sum += in[lane()] * i + (sum >> 3) + (sum << 5 ^ i);
  out[item()] = sum;
}
/// The second workgroup waits for the first one.
extern "C" GLOBAL void wait(u32* out, u32* flag) {
  if (__builtin_amdgcn_workgroup_id_x() == 0)
    __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
  else
    while (__atomic_load_n(flag, __ATOMIC_RELAXED) == 0) {
    }
  out[item()] = 7;
}
/// A barrier in each round.
extern "C" GLOBAL void rounds(u32* out, volatile u32* in) {
  u32 sum = 0;
  for (u32 i = 0; i < 100; ++i) {
    sum += in[lane()] * i;
    __builtin_amdgcn_s_barrier();
  }
  out[item()] = sum;
}
/// Hands a value on, and takes it back: release and acquire, of the whole system.
extern "C" GLOBAL void hand_over(u32* value, u32* flag) {
  value[item()] = 1;
  __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) {
  }
  value[item()] += 1;
}
SHARED static volatile u32 sums[128];
/// The sum of a workgroup's two halves, as every work-item sees it.
template <bool with_barrier>
__attribute__((device)) static void halves(u32* out, const u32* in) {
  sums[lane()] = in[lane()];
  __builtin_amdgcn_s_barrier();
  if (lane() < 32) sums[lane()] = sums[lane()] + sums[lane() + 64];  // the store that races
  if (with_barrier) __builtin_amdgcn_s_barrier();
  out[item()] = sums[lane() % 32];  // the load that races
}
extern "C" GLOBAL void races(u32* out, const u32* in) {
  halves<false>(out, in);
}
extern "C" GLOBAL void in_step(u32* out, const u32* in) {
  halves<true>(out, in);
}
