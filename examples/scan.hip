// The running sum of N integers in a single pass over them (decoupled look-back, Merrill and
// Garland 2016): each workgroup scans a tile, publishes the tile's sum, and finds the sum of all
// tiles before it by looking back at what they have published so far.
//   scan [N]
#include <cstdint>

#include "common.h"
#include "reduce.h"

constexpr int kThreads = 256;
constexpr int kItems = 8;  // of a thread
constexpr int kTile = kThreads * kItems;

// What a tile has published, with its value in one word, so that both are read at once.
enum : uint64_t { kNothing = 0, kTileSum = uint64_t{1} << 32, kPrefix = uint64_t{2} << 32 };

__device__ void publish(uint64_t* state, uint64_t kind, uint32_t value) {
  __hip_atomic_store(state, kind | value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// The sum of all tiles before this one, by the lanes of one wave: each looks at another tile.
__device__ uint32_t look_back(const uint64_t* states, int tile) {
  const int lane = threadIdx.x % warpSize;
  uint32_t sum = 0;
  for (int nearest = tile - 1;; nearest -= warpSize) {
    const int other = nearest - lane;
    uint64_t state = kPrefix;  // before the first tile the sum is 0
    while (other >= 0) {
      state = __hip_atomic_load(&states[other], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
      if (state != kNothing) break;
    }
    // Tiles beyond the nearest known prefix are part of it.
    const uint64_t known = __ballot(state >= kPrefix);
    const int last = known ? __ffsll(static_cast<unsigned long long>(known)) - 1 : warpSize;
    sum += reduce_wave(lane <= last ? static_cast<uint32_t>(state) : 0, Add());
    if (known) return sum;
  }
}

__global__ __launch_bounds__(kThreads) void scan(int n, const uint32_t* __restrict__ x,
                                                 uint32_t* __restrict__ y, int* next_tile,
                                                 uint64_t* states) {
  __shared__ int shared_tile;
  __shared__ uint32_t shared_before, of_wave[kThreads / 32];
  const int thread = threadIdx.x, lane = thread % warpSize, wave = thread / warpSize;

  // Tiles are taken in the order in which workgroups start: those before this one are on their way.
  if (thread == 0) shared_tile = atomicAdd(next_tile, 1);
  __syncthreads();
  const int tile = shared_tile;

  const int first = tile * kTile + thread * kItems;
  uint32_t item[kItems], sum = 0;
  for (int i = 0; i < kItems; i++) {
    if (first + i < n) sum += x[first + i];
    item[i] = sum;
  }

  uint32_t running = sum;  // over the threads of the wave
  for (int distance = 1; distance < warpSize; distance *= 2) {
    const uint32_t other = __shfl_up(running, distance);
    if (lane >= distance) running += other;
  }
  if (lane == warpSize - 1) of_wave[wave] = running;
  __syncthreads();
  uint32_t before = running - sum, tile_sum = 0;
  for (int i = 0; i < kThreads / warpSize; i++) {
    if (i < wave) before += of_wave[i];
    tile_sum += of_wave[i];
  }

  if (wave == 0) {
    if (lane == 0 && tile > 0) publish(&states[tile], kTileSum, tile_sum);
    const uint32_t tiles_before = look_back(states, tile);
    if (lane == 0) {
      publish(&states[tile], kPrefix, tiles_before + tile_sum);
      shared_before = tiles_before;
    }
  }
  __syncthreads();
  before += shared_before;
  for (int i = 0; i < kItems; i++)
    if (first + i < n) y[first + i] = before + item[i];
}

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 1'000'003);
  std::vector<uint32_t> x(n);  // sums wrap round at 2^32, here and there
  std::mt19937 generator(1);
  for (auto& value : x) value = generator();

  const int tiles = ceil_div(n, kTile);
  DeviceArray<uint32_t> device_x(x), device_y(n);
  DeviceArray<int> next_tile(std::vector<int>{0});
  DeviceArray<uint64_t> states(std::vector<uint64_t>(tiles, kNothing));
  scan<<<tiles, kThreads>>>(n, device_x.data(), device_y.data(), next_tile.data(), states.data());
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());

  const auto y = device_y.to_host();
  Comparison comparison;
  uint32_t sum = 0;
  for (int i = 0; i < n; i++) comparison.add(y[i], sum += x[i], 0);
  return comparison.report("scan " + std::to_string(n), "exact");
}
