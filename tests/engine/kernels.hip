// Device code of engine_test.cpp: no HIP headers, so that it needs nothing but clang.
#define GLOBAL __attribute__((global))

using u32 = unsigned int;
using u64 = unsigned long long;

__attribute__((device)) static u32 item() {
  return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
         __builtin_amdgcn_workitem_id_x();
}

/// Work-item i goes round i % 5 times: out[i] is the sum of 0 .. i % 5 - 1 of opaque steps.
extern "C" GLOBAL void loop(u32* out, u32 n) {
  const u32 i = item();
  if (i >= n) return;
  u32 sum = 0;
  for (u32 k = 0; k < i % 5; ++k) {
    asm volatile("v_add_u32 %0, %0, %1" : "+v"(sum) : "v"(k));
  }
  out[i] = sum;
}

/// All workgroups meet `rounds` times through memory: each waits until all have arrived.
extern "C" GLOBAL void meet(u32* counter, u32 groups, u32 rounds) {
  if (__builtin_amdgcn_workitem_id_x() != 0) return;
  for (u32 round = 1; round <= rounds; ++round) {
    __hip_atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT);
    while (__hip_atomic_load(counter, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT) < groups * round)
      __builtin_amdgcn_s_sleep(1);
  }
}

// Register 1 is MODE: rounding of f32 in bits 0-1, denormals of f32 in bits 4-5. One statement,
// since the compiler does not know that the instruction depends on the mode.
#define IN_MODE(FIELD, VALUE, INSTRUCTION) \
  "s_setreg_imm32_b32 hwreg(1, " FIELD ", 2), " VALUE "\n" INSTRUCTION "\n"

/// Sums in every rounding mode (out[0..3]), then with denormals flushed (out[4]) and kept (out[5]).
extern "C" GLOBAL void modes(float* out, float a, float b, float small) {
  float sum[4] = {a, a, a, a}, half[2] = {small, small};
  asm volatile(IN_MODE("0", "0", "v_add_f32 %0, %0, %1") : "+v"(sum[0]) : "v"(b));
  asm volatile(IN_MODE("0", "1", "v_add_f32 %0, %0, %1") : "+v"(sum[1]) : "v"(b));
  asm volatile(IN_MODE("0", "2", "v_add_f32 %0, %0, %1") : "+v"(sum[2]) : "v"(b));
  asm volatile(IN_MODE("0", "3", "v_add_f32 %0, %0, %1") : "+v"(sum[3]) : "v"(b));
  asm volatile(IN_MODE("4", "0", "v_mul_f32 %0, 0.5, %0") : "+v"(half[0]));
  asm volatile(IN_MODE("4", "3", "v_mul_f32 %0, 0.5, %0") : "+v"(half[1]));
  for (u32 mode = 0; mode < 4; ++mode) out[mode] = sum[mode];
  for (u32 keep = 0; keep < 2; ++keep) out[4 + keep] = half[keep];
}

/// Each work-item writes and reads a private array by a computed index.
extern "C" GLOBAL void scratch(u32* out, u32 stride) {
  volatile u32 values[32];
  const u32 i = item();
  for (u32 k = 0; k < 32; ++k) values[k * stride % 32] = i * 100 + k;
  u32 sum = 0;
  for (u32 k = 0; k < 32; ++k) sum += values[k] * (k + 1);
  out[i] = sum;
}

/// Waves of a workgroup hand a value on through LDS, one barrier each.
extern "C" GLOBAL void hand_on(u32* out) {
  static __attribute__((shared)) u32 slot;
  const u32 thread = __builtin_amdgcn_workitem_id_x();
  const u32 waves = __builtin_amdgcn_workgroup_size_x() / 64;
  if (thread == 0) slot = 1;
  for (u32 wave = 0; wave < waves; ++wave) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    if (thread == wave * 64) slot = slot * 3 + wave;
  }
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + thread] = slot;
}

/// Waits for a millisecond of the constant clock; how long it was, and cycles meanwhile.
extern "C" GLOBAL void clocks(u64* out) {
  const u64 start = __builtin_readsteadycounter(), cycles = __builtin_readcyclecounter();
  u64 now = start;
  while (now - start < 100'000) now = __builtin_readsteadycounter();
  out[0] = now - start;
  out[1] = __builtin_readcyclecounter() - cycles;
}

/// Global instructions with offsets below zero: `from` and `to` point into the middle of arrays.
extern "C" GLOBAL void behind(const u32* from, u32* to) {
  const int i = static_cast<int>(__builtin_amdgcn_workitem_id_x());
  to[i - 64] = from[i - 1000] + from[i - 1];
}

#ifdef __gfx1201__
/// Each work-item writes the number of its wave in the workgroup, which gfx12 keeps in a trap
/// register.
extern "C" GLOBAL void wave_number(u32* out) {
  u32 number;
  asm("s_bfe_u32 %0, ttmp8, 0x50019" : "=s"(number));
  out[item()] = number;
}
#endif

// --- calls by address

__attribute__((device, noinline)) static u32 doubled(const u32* x) {
  return *x * 2;  // in another code object
}
using Function = u32 (*)(const u32*);

extern "C" GLOBAL void address_of(Function* out) {
  *out = doubled;
}

/// Calls a function that another code object may hold.
extern "C" GLOBAL void call(Function function, const u32* in, u32* out) {
  out[item()] = function(in + item()) + 1;
}

/// Names a register that the compiler does not know of.
extern "C" GLOBAL void beyond(u32* out) {
  asm volatile("v_mov_b32 v200, v0");  // beyond the last register
  out[item()] = 1;
}

/// Takes what nobody has stored to LDS, and leaves something there.
extern "C" GLOBAL void take_lds(u32* out, u32 left) {
  __attribute__((shared)) static volatile u32 tile[64];
  out[item()] = tile[__builtin_amdgcn_workitem_id_x()];
  tile[__builtin_amdgcn_workitem_id_x()] = left;
}
