// The GPU's side: every case as a kernel.

#include <cstdio>
#include <cstdlib>

#include "kernels/all.h"
#include "result.h"

#define HIP_CHECK(call)                                                                   \
  do {                                                                                    \
    const hipError_t error_ = (call);                                                     \
    if (error_ != hipSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(error_)); \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (0)

namespace host_test {

template <class Case>
__global__ void item_kernel(const u64* inputs, u64* results, u32 items) {
  const Triple size{blockDim.x, blockDim.y, blockDim.z}, count{gridDim.x, gridDim.y, gridDim.z};
  const u32 block = flat({blockIdx.x, blockIdx.y, blockIdx.z}, count);
  const u32 item = block * volume(size) + flat({threadIdx.x, threadIdx.y, threadIdx.z}, size);
  if (item >= items) return;
  using T = typename Case::Input;
  Out out(results + item, items);
  Case::run(from_bits<T>(inputs[item]), from_bits<T>(inputs[items + item]),
            from_bits<T>(inputs[2 * items + item]), from_bits<T>(inputs[3 * items + item]), out);
}

template <class Case>
__global__ void group_kernel(const u64* inputs, u64* outputs, u64* totals) {
  __shared__ typename Case::Shared shared;
  Group group;
  Case::run(group, shared, inputs, outputs, totals);
}

namespace {

class DeviceWords {
 public:
  explicit DeviceWords(const std::vector<u64>& host) : size_(host.size() * sizeof(u64)) {
    HIP_CHECK(hipMalloc(reinterpret_cast<void**>(&data_), size_));
    HIP_CHECK(hipMemcpy(data_, host.data(), size_, hipMemcpyHostToDevice));
  }
  ~DeviceWords() { (void)hipFree(data_); }
  DeviceWords(const DeviceWords&) = delete;
  u64* data() const { return data_; }
  void to_host(std::vector<u64>& host) const {
    HIP_CHECK(hipMemcpy(host.data(), data_, size_, hipMemcpyDeviceToHost));
  }

 private:
  u64* data_ = nullptr;
  std::size_t size_;
};

template <class Case>
void launch_items(dim3 grid, dim3 block, const u64* inputs, u64* results, u32 items) {
  item_kernel<Case><<<grid, block>>>(inputs, results, items);
}
template <class Case>
void launch_groups(const u64* inputs, u64* outputs, u64* totals) {
  constexpr Triple size = Case::size, count = Case::count;
  group_kernel<Case>
      <<<dim3(count.x, count.y, count.z), dim3(size.x, size.y, size.z)>>>(inputs, outputs, totals);
}
template <class... Case>
auto item_launcher(List<Case...>, std::size_t index) {
  static constexpr decltype(&launch_items<Loops>) all[] = {launch_items<Case>...};
  return all[index];
}
template <class... Case>
auto group_launcher(List<Case...>, std::size_t index) {
  static constexpr decltype(&launch_groups<Scan>) all[] = {launch_groups<Case>...};
  return all[index];
}

}  // namespace

u32 item_count() {
#ifdef __OPTIMIZE__
  return 5003;  // a prime: no launch is full
#else
  return 503;
#endif
}

std::vector<u64> run_items_on_gpu(std::size_t index, const ItemReference& reference, u32 rows) {
  // Full waves, waves that are not full, and grids of two and three dimensions.
  static const dim3 blocks[] = {dim3(256), dim3(100), dim3(17, 9), dim3(5, 3, 11), dim3(64)};
  const dim3 block = blocks[index % std::size(blocks)];
  dim3 grid((reference.items + block.x * block.y * block.z - 1) / (block.x * block.y * block.z));
  if (block.y > 1) grid = dim3(3, (grid.x + 2) / 3);
  if (block.z > 1) grid = dim3(grid.x, (grid.y + 1) / 2, 2);

  std::vector<u64> results(std::size_t{rows} * reference.items, 0xdddddddddddddddd);
  const DeviceWords inputs(reference.inputs), outputs(results);
  item_launcher(ItemCases{}, index)(grid, block, inputs.data(), outputs.data(), reference.items);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  outputs.to_host(results);
  return results;
}

void run_groups_on_gpu(std::size_t index, const std::vector<u64>& inputs, std::vector<u64>& outputs,
                       std::vector<u64>& totals) {
  const DeviceWords device_inputs(inputs), device_outputs(outputs), device_totals(totals);
  group_launcher(GroupCases{}, index)(device_inputs.data(), device_outputs.data(),
                                      device_totals.data());
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  device_outputs.to_host(outputs);
  device_totals.to_host(totals);
}

}  // namespace host_test
