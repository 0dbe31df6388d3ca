// Random numbers of rocRAND's and hipRAND's headers for kernels; the host makes the same ones of
// Philox 4x32-10.
#include <hiprand/hiprand_kernel.h>
#include <rocrand/rocrand_kernel.h>

#include <cstdint>

#include "check.h"

__global__ void draw(unsigned* out, unsigned* of_hiprand) {
  rocrand_state_philox4x32_10 state;
  rocrand_init(1234, threadIdx.x, 0, &state);
  out[threadIdx.x] = rocrand(&state);
  hiprandStatePhilox4_32_10_t other;
  hiprand_init(1234, threadIdx.x, 0, &other);
  of_hiprand[threadIdx.x] = hiprand(&other);
}

/// The first number of a subsequence: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3".
unsigned philox(std::uint64_t seed, unsigned subsequence) {
  std::uint32_t c[4] = {0, 0, subsequence, 0};
  auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0], b = std::uint64_t{0xCD9E8D57} * c[2];
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    const std::uint32_t next[4] = {high(b) ^ c[1] ^ k0, static_cast<std::uint32_t>(b),
                                   high(a) ^ c[3] ^ k1, static_cast<std::uint32_t>(a)};
    std::copy(next, next + 4, c);
  }
  return c[0];
}

int main() {
  unsigned* const out = device_array<unsigned>(128);
  draw<<<1, 64>>>(out, out + 64);
  unsigned host[128];
  MUST(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
  int right = 0;
  for (unsigned i = 0; i < 128; ++i) right += host[i] == philox(1234, i % 64);
  std::printf("%d of 128 are right\n", right);
}
