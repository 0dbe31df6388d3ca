// Launches an assembly GEMM of ROCm/aiter on random data, as its csrc/py_itfs_cu/asm_gemm_a16w16.cu
// says, and compares some of D = A B^T with f64: `gemm FILE KERNEL M N K TILE_M TILE_N SPLIT_K
// OUT`, OUT being f32 or bf16.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {

/// Arguments lie sixteen bytes apart.
class Arguments {
 public:
  template <class T>
  void add(T value) {
    bytes_.resize(bytes_.size() + 16);
    std::memcpy(bytes_.data() + bytes_.size() - 16, &value, sizeof value);
  }
  std::vector<char>& bytes() { return bytes_; }

 private:
  std::vector<char> bytes_;
};

void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "gemm: %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}

float widen(std::uint16_t bf16) {
  const std::uint32_t bits = std::uint32_t{bf16} << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// bf16 of sizes from 1/2 to 1, on host and device.
struct Matrix {
  std::vector<std::uint16_t> host;
  void* device;

  Matrix(std::size_t count, unsigned seed) : host(count) {
    std::minstd_rand random(seed);
    for (std::uint16_t& value : host)
      value = static_cast<std::uint16_t>((random() & 0x8000) | 0x3f00 | (random() >> 8 & 0x7f));
    check(hipMalloc(&device, count * 2), "hipMalloc");
    check(hipMemcpy(device, host.data(), count * 2, hipMemcpyHostToDevice), "hipMemcpy");
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 10) {
    std::fprintf(stderr, "gemm FILE KERNEL M N K TILE_M TILE_N SPLIT_K OUT\n");
    return 2;
  }
  const auto number = [&](int i) { return static_cast<std::uint32_t>(std::atoi(argv[i])); };
  const std::uint32_t m = number(3), n = number(4), k = number(5), tile_m = number(6),
                      tile_n = number(7), split_k = number(8);
  const bool bf16 = std::strcmp(argv[9], "bf16") == 0;
  const std::uint32_t out_bytes = bf16 ? 2 : 4;
  hipModule_t module;
  hipFunction_t kernel;
  check(hipModuleLoad(&module, argv[1]), argv[1]);
  check(hipModuleGetFunction(&kernel, module, argv[2]), argv[2]);
  void *out, *semaphore;
  check(hipMalloc(&out, std::size_t{m} * n * out_bytes), "hipMalloc");
  check(hipMalloc(&semaphore, 16 * 64 * 4), "hipMalloc");
  check(hipMemset(semaphore, 0, 16 * 64 * 4), "hipMemset");
  check(hipMemset(out, 0, std::size_t{m} * n * out_bytes), "hipMemset");

  const Matrix a(std::size_t{m} * k, 1), b(std::size_t{n} * k, 2);
  Arguments arguments;
  arguments.add(out);
  arguments.add<void*>(nullptr);  // C
  arguments.add(a.device);
  arguments.add(b.device);
  arguments.add(1.0f);               // alpha
  arguments.add(0.0f);               // beta
  for (const std::uint32_t stride :  // bytes, of rows and of columns
       {n * out_bytes, 0u, n * out_bytes, 0u, k * 2, 0u, k * 2, 0u})
    arguments.add(stride);
  for (const std::uint32_t size : {m, n, k}) arguments.add(size);
  arguments.add(split_k);
  arguments.add<std::uint32_t>(bf16);
  arguments.add<void*>(nullptr);  // bias
  arguments.add<std::uint32_t>(0);
  arguments.add(split_k > 1 ? semaphore : nullptr);
  std::size_t size = arguments.bytes().size();
  void* extra[]{HIP_LAUNCH_PARAM_BUFFER_POINTER, arguments.bytes().data(),
                HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  check(hipModuleLaunchKernel(kernel, (n + tile_n - 1) / tile_n, (m + tile_m - 1) / tile_m, split_k,
                              256, 1, 1, 0, nullptr, nullptr, extra),
        "hipModuleLaunchKernel");
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");

  std::vector<char> result(std::size_t{m} * n * out_bytes);
  check(hipMemcpy(result.data(), out, result.size(), hipMemcpyDeviceToHost), "hipMemcpy");
  std::minstd_rand random(3);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t row = random() % m, column = random() % n,
                      at = (row * n + column) * out_bytes;
    double expected = 0, magnitude = 0;
    for (std::size_t j = 0; j < k; ++j) {
      const double product = double(widen(a.host[row * k + j])) * widen(b.host[column * k + j]);
      expected += product;
      magnitude += std::abs(product);
    }
    float d;
    std::uint16_t half;
    std::memcpy(&half, &result[at], 2);
    bf16 ? void(d = widen(half)) : void(std::memcpy(&d, &result[at], 4));
    // Partial sums in f32, and the result's rounding.
    const double tolerance = magnitude * 0x1p-20 + (bf16 ? std::abs(expected) * 0x1p-8 : 0);
    if (!(std::abs(d - expected) <= tolerance)) {
      std::printf("FAIL at (%zu, %zu): %g, not %g\n", row, column, d, expected);
      return 1;
    }
  }
  std::printf("PASS\n");
}
