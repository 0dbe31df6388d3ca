// One attention of the kernel library to a paged cache, in bf16, for `hipsight predict`: a query of
// each sequence, heads of 128, pages of 16 in any order.
//   kernels_paged_launch bf16 | fp8 BATCHES HEADS KEY_HEADS KEYS [SPLITS]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "hipsight/kernels/paged_attention.h"

using namespace hipsight::kernels;

template <class T>
T* allocate(std::size_t count) {
  void* data = nullptr;
  if (hipMalloc(&data, count * sizeof(T)) != hipSuccess) std::exit(1);
  return static_cast<T*>(data);
}

const int* on_device(const std::vector<int>& values) {
  int* const data = allocate<int>(values.size());
  if (hipMemcpy(data, values.data(), values.size() * sizeof(int), hipMemcpyHostToDevice) !=
      hipSuccess)
    std::exit(1);
  return data;
}

template <class Cached>
Status run(int batches, int heads, int key_heads, int keys, int splits) {
  constexpr int head = 128, page_places = 16;
  const auto q =
      packed_sequences<head>(allocate<bf16>(std::size_t(batches) * heads * head), 1, heads);
  const auto o =
      packed_sequences<head>(allocate<bf16>(std::size_t(batches) * heads * head), 1, heads);
  const int most = ceil_div(keys, page_places);
  std::vector<int> pages(std::size_t(batches) * most);
  std::iota(pages.begin(), pages.end(), 0);
  std::shuffle(pages.begin(), pages.end(), std::mt19937(1));
  const std::size_t elements = pages.size() * page_places * key_heads * head;
  const auto cache = pages_by_place<head>(
      allocate<Cached>(elements), allocate<Cached>(elements), key_heads, page_places,
      {on_device(pages), most, on_device(std::vector(batches, keys))});
  PagedAttentionOptions options{.batches = batches, .longest = keys, .splits = splits};
  options.workspace.bytes = paged_attention_workspace(q, cache, o, options);
  options.workspace.data = allocate<char>(options.workspace.bytes + 1);
  return paged_attention(nullptr, q, cache, o, options);
}

int main(int argc, char** argv) {
  const std::string type = argc > 1 ? argv[1] : "";
  const auto number = [&](int i) { return i < argc ? std::atoi(argv[i]) : 0; };
  const auto in = [&]<class Cached>(Cached) {
    return run<Cached>(number(2), number(3), number(4), number(5), number(6));
  };
  const Status status = type == "bf16"                                         ? in(bf16{})
                        : current_device().architecture == Architecture::cdna3 ? in(fp8_e4m3_fnuz{})
                                                                               : in(fp8_e4m3{});
  if (!status) std::fprintf(stderr, "%s\n", status.error.c_str());
  return status && hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
