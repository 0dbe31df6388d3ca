// Device code of overruns_test.cpp: accesses that a GPU lets pass, by every lane of every wave. No
// HIP headers. in[0]: how far on, in words.

using u32 = unsigned int;

#define KERNEL extern "C" __attribute__((global)) void

__attribute__((device)) static u32 item() {
  return __builtin_amdgcn_workitem_id_x();
}

// The kernels do the same eight times, so that starting a wave does not count.
KERNEL global(const u32* in, u32* out) {
  u32 sum = 0;
#pragma clang loop unroll(disable)
  for (u32 i = 0; i < 8; ++i) {
    sum += in[item() + in[0]];
    asm volatile("" ::: "memory");
  }
  out[item()] = sum;
}

KERNEL lds(const u32* in, u32* out) {
  __attribute__((shared)) static u32 tile[64];
  tile[item()] = item();
  using Place = __attribute__((address_space(3))) const u32*;
  Place at = (Place)tile + item() + in[0];
  u32 sum = 0;
#pragma clang loop unroll(disable)
  for (u32 i = 0; i < 8; ++i) {
    asm volatile("" : "+v"(at));
    sum += *at;
  }
  out[item()] = sum;
}

__attribute__((device, noinline)) static u32 read(const volatile u32* at) {
  u32 sum = 0;
#pragma clang loop unroll(disable)
  for (u32 i = 0; i < 8; ++i) sum += *at;
  return sum;
}
KERNEL generic(const u32* in, u32* out) {
  __attribute__((shared)) static volatile u32 tile[64];
  tile[item()] = item();
  out[item()] = read(tile + item() + in[0]);
}
