// Kernels that call the host: printf, assert, malloc and free.
#include <algorithm>
#include <cassert>
#include <cstring>
#include <vector>

#include "check.h"

__global__ void greet(int lines_per_group) {
  const int line = static_cast<int>(threadIdx.x);
  if (line < lines_per_group)
    printf("group %d line %d: %s, %.3f\n", static_cast<int>(blockIdx.x), line,
           blockIdx.x % 2 ? "odd" : "even", 0.5 * line);
}

// The same calls on the device and on the host, which the test compares.
#define CONVERSIONS(PRINT)                                                                         \
  PRINT("plain text, 100%%\n");                                                                    \
  PRINT("[%d] [%i] [%5d] [%-5d] [%05d] [%+d] [% d]\n", -1, 2, 3, 4, 5, 6, 7);                      \
  PRINT("[%.4d] [%8.3d] [%-8.3d] [%*d] [%-*d] [%.*d] [%*.*d]\n", 8, 9, 10, 6, 11, 6, 12, 5, 13, 7, \
        3, 14);                                                                                    \
  PRINT("[%u] [%x] [%X] [%#x] [%o] [%#o] [%08x]\n", ~0u, 0xabcu, 0xabcu, 255u, 8u, 8u, 48879u);    \
  PRINT("[%hhd] [%hd] [%ld] [%lld] [%zu] [%jd] [%td]\n", static_cast<signed char>(-3),             \
        static_cast<short>(-300), -1234567890123l, -9223372036854775807ll, sizeof(int),            \
        static_cast<intmax_t>(-5), static_cast<ptrdiff_t>(-6));                                    \
  PRINT("[%hhu] [%hu] [%lu] [%llx]\n", static_cast<unsigned char>(250),                            \
        static_cast<unsigned short>(65000), 12345678901234567ul, 0xfeedfacecafebeefull);           \
  PRINT("[%f] [%F] [%.0f] [%10.2f] [%-10.2f] [%+.1f] [%#.0f]\n", 1.5, 2.25, 2.5, 3.14159,          \
        -2.71828, 9.95, 3.0);                                                                      \
  PRINT("[%e] [%E] [%g] [%G] [%a] [%A] [%.3e] [%g]\n", 12345.678, 1e-300, 0.0001, 1e20, 1.0, 0.1,  \
        6.02e23, 1e-5);                                                                            \
  PRINT("[%f] [%f] [%g]\n", static_cast<double>(INFINITY), -static_cast<double>(INFINITY),         \
        5e-324);                                                                                   \
  PRINT("[%s] [%8s] [%-8s] [%.2s] [%*.*s] [%s]\n", "text", "right", "left", "cut off", 6, 3,       \
        "abcdef", "");                                                                             \
  PRINT("[%s]\n",                                                                                  \
        "a long text, of more than the fifty-six bytes that one packet of the protocol can hold, " \
        "and then some more, so that it takes several packets to come across");                    \
  PRINT("[%c%c%c] [%3c] [%-3c]\n", 'a', 'b', 'c', 'd', 'e');                                       \
  PRINT("[%p] [%p] [%20p]\n", static_cast<void*>(nullptr), pointer, pointer);                      \
  PRINT("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, \
        12, 13, 14, 15, 16, 17)

__global__ void convert(void* pointer, int* counts) {
  int i = 0;
#define ON_DEVICE(...) counts[i++] = printf(__VA_ARGS__)
  CONVERSIONS(ON_DEVICE);
}

static bool conversions(const char* how) {
  int counts[32] = {}, i = 0, wrong = 0;
  auto* device_counts = device_array<int>(32);
  void* pointer = device_counts;
  convert<<<1, 1>>>(pointer, device_counts);
  MUST(hipDeviceSynchronize());
  MUST(hipMemcpy(counts, device_counts, sizeof counts, hipMemcpyDeviceToHost));
  // Buffered calls cannot know what they will come to.
  const bool counted = std::strcmp(how, "buffered") != 0;
#define ON_HOST(...) wrong += std::fprintf(stderr, __VA_ARGS__) != counts[i++] && counted
  CONVERSIONS(ON_HOST);
  return wrong == 0;
}

__global__ void check(const int* values, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) assert(values[i] >= 0 && "no negative values");
}

static void failing_assert() {
  auto* values = device_array<int>(1000);
  MUST(hipMemset(values, 0, 1000 * sizeof(int)));
  check<<<4, 256>>>(values, 1000);
  MUST(hipDeviceSynchronize());
  MUST(hipMemset(values + 700, 0xff, sizeof(int)));
  check<<<4, 256>>>(values, 1000);
  tell("wait", hipDeviceSynchronize());
}

// Every kind of block, and those too large for blocks.
__device__ unsigned bytes_of(unsigned i) {
  const unsigned sizes[]{1,   16,  17,  24,   33,   48,   64,   96,   128,  160,  256,  300, 512,
                         700, 768, 900, 1024, 1500, 2000, 2048, 2500, 3072, 3073, 5000, 9000};
  const unsigned count = sizeof sizes / sizeof *sizes;
  return sizes[i % 61 < count ? i % 61 : i % 8];  // few of the large
}
__device__ unsigned char pattern(unsigned i, unsigned byte) {
  return static_cast<unsigned char>(i * 167 + byte * 13 + (byte >> 8));
}
// Not every byte of the large ones.
__device__ unsigned step(unsigned byte) {
  return 1 + byte / 16;
}

__global__ void allocate(unsigned char** blocks, unsigned* wrong) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned bytes = bytes_of(i);
  auto* block = static_cast<unsigned char*>(malloc(bytes));
  if (!block || reinterpret_cast<uintptr_t>(block) % 8) atomicAdd(wrong, 1u);
  blocks[i] = block;
  if (block)
    for (unsigned b = 0; b < bytes; b += step(b)) block[b] = pattern(i, b);
  // Of some size and short life, between the others.
  int* temporary = new int[i % 9 + 1];
  temporary[i % 9] = static_cast<int>(i);
  __syncthreads();
  if (temporary[i % 9] != static_cast<int>(i)) atomicAdd(wrong, 1u);
  delete[] temporary;
}

// Each work-item looks at and frees what one of another workgroup allocated.
__global__ void release(unsigned char** blocks, unsigned* wrong, unsigned count) {
  const unsigned i = count - 1 - (blockIdx.x * blockDim.x + threadIdx.x);
  const unsigned bytes = bytes_of(i);
  for (unsigned b = 0; blocks[i] && b < bytes; b += step(b))
    if (blocks[i][b] != pattern(i, b)) {
      atomicAdd(wrong, 1u);
      break;
    }
  free(blocks[i]);
}

static unsigned allocations() {
  constexpr unsigned groups = 200, threads = 64, count = groups * threads;
  auto** blocks = device_array<unsigned char*>(count);
  auto* wrong = device_array<unsigned>(1);
  MUST(hipMemset(wrong, 0, sizeof *wrong));
  for (int round = 0; round < 2; ++round) {
    allocate<<<groups, threads>>>(blocks, wrong);
    release<<<groups, threads>>>(blocks, wrong, count);
  }
  unsigned result = 0;
  MUST(hipMemcpy(&result, wrong, sizeof result, hipMemcpyDeviceToHost));
  return result;
}

// All of them, from many workgroups at once.
constexpr unsigned many_groups = 10000, many_threads = 16, many = many_groups * many_threads;
struct Block {
  unsigned owner, twice;
};

__global__ void call_all(Block** blocks) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  auto* block = static_cast<Block*>(malloc(sizeof(Block)));
  assert(block && "there is memory");
  *block = {i, 2 * i};
  blocks[i] = block;
  if (threadIdx.x == 0)
    printf("group %u of %u has memory\n", static_cast<unsigned>(blockIdx.x), many_groups);
}

__global__ void free_all(Block** blocks, unsigned* right) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blocks[i]->owner == i && blocks[i]->twice == 2 * i) atomicAdd(right, 1u);
  free(blocks[i]);
}

static void all_calls() {
  auto** blocks = device_array<Block*>(many);
  auto* right = device_array<unsigned>(1);
  MUST(hipMemset(right, 0, sizeof *right));
  call_all<<<many_groups, many_threads>>>(blocks);
  MUST(hipDeviceSynchronize());
  std::vector<Block*> live(many);
  MUST(hipMemcpy(live.data(), blocks, many * sizeof(Block*), hipMemcpyDeviceToHost));
  std::sort(live.begin(), live.end());
  unsigned apart = 1, unharmed = 0;
  for (unsigned i = 1; i < many; ++i) apart += live[i] - live[i - 1] >= 1;
  free_all<<<many_groups, many_threads>>>(blocks, right);
  MUST(hipMemcpy(&unharmed, right, sizeof unharmed, hipMemcpyDeviceToHost));
  std::printf("of %u blocks %u are apart, %u unharmed\n", many, apart, unharmed);
}

static void failing_assert_of_all() {
  auto* values = device_array<int>(many);
  MUST(hipMemset(values, 0xff, many * sizeof(int)));
  check<<<many_groups, many_threads>>>(values, many);
  tell("wait", hipDeviceSynchronize());
}

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "many") {
    greet<<<10000, 64>>>(3);
    MUST(hipDeviceSynchronize());
  } else if (what == "conversions") {
    return conversions(argc > 2 ? argv[2] : "") ? 0 : 1;
  } else if (what == "assert") {
    failing_assert();
  } else if (what == "assert_all") {
    failing_assert_of_all();
  } else if (what == "all") {
    all_calls();
  } else if (what == "malloc") {
    std::printf("%u wrong\n", allocations());
  }
}
