// Launches a fused mixture of experts of ROCm/aiter as its csrc/py_itfs_cu/asm_fmoe.cu does, on
// zeros: `moe_launch FILE KERNEL TILE_N TOKENS EXPERTS DIM INTER`. Each token goes to two experts,
// in turn; blocks of 32 tokens have one expert.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "moe_launch: %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}
void* allocate(std::size_t bytes) {
  void* at;
  check(hipMalloc(&at, bytes), "hipMalloc");
  return at;
}
template <class T>
void* copy(const std::vector<T>& values) {
  void* const at = allocate(values.size() * sizeof(T));
  check(hipMemcpy(at, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice), "copy");
  return at;
}

/// Arguments lie sixteen bytes apart.
struct Arguments {
  template <class T>
  void add(T value) {
    bytes.resize(bytes.size() + 16);
    std::memcpy(bytes.data() + bytes.size() - 16, &value, sizeof value);
  }
  std::vector<char> bytes;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) {
    std::fprintf(stderr, "moe_launch FILE KERNEL TILE_N TOKENS EXPERTS DIM INTER\n");
    return 2;
  }
  const auto number = [&](int i) { return static_cast<std::uint32_t>(std::atoi(argv[i])); };
  const std::uint32_t tile = number(3), tokens = number(4), experts = number(5), dim = number(6),
                      inter = number(7), ways = 2, block = 32;
  std::vector<std::uint32_t> ids, expert_of;
  for (std::uint32_t expert = 0; expert < experts; ++expert) {
    for (std::uint32_t token = 0; token < tokens; ++token)
      for (std::uint32_t way = 0; way < ways; ++way)
        if ((token * ways + way) % experts == expert) ids.push_back(token | way << 24);
    while (ids.size() % block != 0) ids.push_back(tokens | ways << 24);
    while (expert_of.size() < ids.size() / block) expert_of.push_back(expert);
  }
  const std::size_t scales = std::size_t{experts} * (2 * inter) * dim / 128 * 4;
  Arguments arguments;
  arguments.add(allocate(std::size_t{tokens} * dim * 2));           // out
  arguments.add(allocate(std::size_t{tokens} * dim));               // in
  arguments.add(allocate(std::size_t{experts} * 2 * inter * dim));  // gate and up
  arguments.add(copy(std::vector{static_cast<std::uint32_t>(ids.size()), tokens}));
  arguments.add(allocate(std::size_t{experts} * inter * dim));  // down
  arguments.add(allocate(std::size_t{tokens} * dim / 128 * 4 + 4096));
  for (int i = 0; i < 3; ++i) arguments.add(allocate(scales));
  arguments.add(copy(ids));
  arguments.add(copy(std::vector<float>(ids.size(), 1)));
  arguments.add(copy(expert_of));
  for (const std::uint32_t value :
       {dim, inter, tokens, experts, dim, dim, inter, dim * 2, dim * inter * 2, inter * dim,
        2 * (inter / 128) * (dim / 128) * 4, (inter / 128) * (dim / 128) * 4, inter * 4, ways, 0u,
        (inter + tile - 1) / tile})
    arguments.add(value);
  hipModule_t module;
  hipFunction_t kernel;
  check(hipModuleLoad(&module, argv[1]), argv[1]);
  check(hipModuleGetFunction(&kernel, module, argv[2]), argv[2]);
  std::size_t size = arguments.bytes.size();
  void* extra[]{HIP_LAUNCH_PARAM_BUFFER_POINTER, arguments.bytes.data(),
                HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  check(hipModuleLaunchKernel(kernel, (inter + tile - 1) / tile,
                              static_cast<std::uint32_t>(expert_of.size()), 1, 256, 1, 1, 0,
                              nullptr, nullptr, extra),
        "hipModuleLaunchKernel");
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
}
