// Words in the code that hipsight cannot run, reached or jumped over.
//   odd_words CASE reached|skipped
#include "check.h"

// No instruction at all.
__global__ void nonsense(int* out, int reached) {
  if (reached) asm volatile(".long 0xffffffff");  // nonsense word
  out[threadIdx.x] = 42;
}

// An instruction that the GPU has and hipsight does not.
__global__ void foreign(int* out, int reached) {
  if (reached)
#if defined(__gfx1100__)
    asm volatile("image_load v0, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D" ::: "v0");  // image
#else
    asm volatile("s_rfe_b64 s[0:1]");  // return from exception
#endif
  out[threadIdx.x] = 42;
}

// A word that crashes LLVM 22's decoder for gfx90a.
__global__ void crashing(int* out, int reached) {
  if (reached)
    asm volatile(".byte 0x8c,0xa2,0x38,0xd0,0xdf,0xff,0x71,0x00,0xf1,0x93,0x42,0x6d");  // crash
  out[threadIdx.x] = 42;
}

int main(int argc, char** argv) {
  if (argc != 3) return 72;
  const std::string name = argv[1];
  const int reached = std::string(argv[2]) == "reached";
  int* const out = device_array<int>(64);
  if (name == "nonsense") nonsense<<<1, 64>>>(out, reached);
  if (name == "foreign") foreign<<<1, 64>>>(out, reached);
  if (name == "crashing") crashing<<<1, 64>>>(out, reached);
  tell_failure();
  int host[64] = {};
  if (!reached) MUST(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
  std::printf("out: %d\n", host[63]);
}
