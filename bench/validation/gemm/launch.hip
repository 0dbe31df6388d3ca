// Launches an assembly GEMM of ROCm/aiter as its csrc/py_itfs_cu/asm_*.cu say, on matrices of
// zeros: `gemm_launch FILE KERNEL FAMILY M N K TILE_M TILE_N SPLIT_K BIAS OUT_BYTES`. FAMILY is
// bf16, fp8 (scales of 128 x 128 blocks of B and 1 x 128 of A) or i8 (scales of rows).
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
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
  std::fprintf(stderr, "gemm_launch: %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}

void* allocate(std::size_t bytes) {
  void* at;
  check(hipMalloc(&at, bytes), "hipMalloc");
  return at;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 12) {
    std::fprintf(stderr,
                 "gemm_launch FILE KERNEL FAMILY M N K TILE_M TILE_N SPLIT_K BIAS OUT_BYTES\n");
    return 2;
  }
  const std::string family = argv[3];
  const auto number = [&](int i) { return static_cast<std::uint32_t>(std::atoi(argv[i])); };
  const std::uint32_t m = number(4), n = number(5), k = number(6), tile_m = number(7),
                      tile_n = number(8), split_k = number(9), has_bias = number(10),
                      out_bytes = number(11), in_bytes = family == "bf16" ? 2 : 1;
  hipModule_t module;
  hipFunction_t kernel;
  check(hipModuleLoad(&module, argv[1]), argv[1]);
  check(hipModuleGetFunction(&kernel, module, argv[2]), argv[2]);
  void* const out = allocate(std::size_t{m} * n * out_bytes);
  void* const a = allocate(std::size_t{m} * k * in_bytes);
  void* const b = allocate(std::size_t{n} * k * in_bytes);
  void* const bias = allocate(n * 4);
  Arguments arguments;
  dim3 grid((n + tile_n - 1) / tile_n, (m + tile_m - 1) / tile_m);
  arguments.add(out);
  if (family == "bf16") {
    void* const semaphore = allocate(16 * 64 * 4);
    check(hipMemset(semaphore, 0, 16 * 64 * 4), "hipMemset");
    arguments.add<void*>(nullptr);  // C
    arguments.add(a);
    arguments.add(b);
    arguments.add(1.0f);               // alpha
    arguments.add(0.0f);               // beta
    for (const std::uint32_t stride :  // bytes, of rows and of columns
         {n * out_bytes, 0u, n * out_bytes, 0u, k * 2, 0u, k * 2, 0u})
      arguments.add(stride);
    for (const std::uint32_t size : {m, n, k}) arguments.add(size);
    arguments.add(split_k);
    arguments.add<std::uint32_t>(out_bytes == 2);
    arguments.add(has_bias ? bias : nullptr);
    arguments.add(has_bias);
    arguments.add(split_k > 1 ? semaphore : nullptr);
    grid.z = split_k;
  } else {
    const bool blocks = family == "fp8";
    const std::uint32_t scale_n = (n + 127) / 128, scale_k = (k + 127) / 128;
    arguments.add(a);
    arguments.add(b);
    arguments.add(allocate(std::size_t{m} * (blocks ? scale_k : 1) * 4));
    arguments.add(allocate(std::size_t{blocks ? scale_n * scale_k : n} * 4));
    arguments.add(bias);
    for (const std::uint32_t size : {m, n, k, k, k, n * 2, split_k}) arguments.add(size);
    if (blocks)
      for (const std::uint32_t size : {m, scale_n, scale_k}) arguments.add(size);
    grid.x = n / tile_n * split_k;
  }
  std::size_t size = arguments.bytes().size();
  void* extra[]{HIP_LAUNCH_PARAM_BUFFER_POINTER, arguments.bytes().data(),
                HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  check(
      hipModuleLaunchKernel(kernel, grid.x, grid.y, grid.z, 256, 1, 1, 0, nullptr, nullptr, extra),
      "hipModuleLaunchKernel");
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}
