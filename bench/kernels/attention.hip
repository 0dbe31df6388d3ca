// One attention of the kernel library, for `hipsight predict`.
//   kernels_attention_launch [--causal] f16 | bf16 64 | 128 | 192 BATCHES HEADS LENGTH [KEY_HEADS]
// Heads of 192 have values of 128.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

#include "hipsight/kernels/attention.h"

using namespace hipsight::kernels;

template <class T, int head, int value_head = head>
Status run(const Band& band, int batches, int heads, int length, int key_heads) {
  const auto allocate = [&]<int size>(std::integral_constant<int, size>, int heads) {
    void* data = nullptr;
    const std::size_t bytes = sizeof(T) * size * batches * heads * length;
    if (hipMalloc(&data, bytes) != hipSuccess) std::exit(1);
    return packed_sequences<size>(static_cast<T*>(data), length, heads);
  };
  const std::integral_constant<int, head> of_keys;
  const std::integral_constant<int, value_head> of_values;
  const auto q = allocate(of_keys, heads), k = allocate(of_keys, key_heads);
  const auto o = allocate(of_values, heads), v = allocate(of_values, key_heads);
  return attention(nullptr, q, k, v, o, {.band = band, .batches = batches});
}

int main(int argc, char** argv) {
  const bool causal = argc > 1 && std::string(argv[1]) == "--causal";
  const std::string type = argc > 1 + causal ? argv[1 + causal] : "";
  const auto number = [&](int i) { return i + causal < argc ? std::atoi(argv[i + causal]) : 0; };
  const Band band = causal ? Band::causal() : Band{};
  const auto in = [&]<class T>(T) {
    const int heads = number(4), key_heads = number(6) ? number(6) : heads;
    const auto run_of = [&]<int head, int value_head>() {
      return run<T, head, value_head>(band, number(3), heads, number(5), key_heads);
    };
    if (number(2) == 64) return run_of.template operator()<64, 64>();
    if (number(2) == 192) return run_of.template operator()<192, 128>();
    return run_of.template operator()<128, 128>();
  };
  const Status status = type == "f16" ? in(f16{}) : in(bf16{});
  if (!status) std::fprintf(stderr, "%s\n", status.error.c_str());
  return status && hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
