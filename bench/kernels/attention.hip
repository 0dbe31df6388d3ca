// One attention of the kernel library, for `hipsight predict`.
//   kernels_attention_launch [--causal] f16 | bf16 64 | 128 BATCHES HEADS LENGTH [KEY_HEADS]
#include <cstdio>
#include <cstdlib>
#include <string>

#include "hipsight/kernels/attention.h"

using namespace hipsight::kernels;

template <class T, int head>
Status run(const Band& band, int batches, int heads, int length, int key_heads) {
  const auto allocate = [&](int heads) {
    void* data = nullptr;
    const std::size_t bytes = sizeof(T) * head * batches * heads * length;
    if (hipMalloc(&data, bytes) != hipSuccess) std::exit(1);
    return packed_sequences<head>(static_cast<T*>(data), length, heads);
  };
  const auto q = allocate(heads), o = allocate(heads);
  const auto k = allocate(key_heads), v = allocate(key_heads);
  return attention(nullptr, q, k, v, o, {.band = band, .batches = batches});
}

int main(int argc, char** argv) {
  const bool causal = argc > 1 && std::string(argv[1]) == "--causal";
  const std::string type = argc > 1 + causal ? argv[1 + causal] : "";
  const auto number = [&](int i) { return i + causal < argc ? std::atoi(argv[i + causal]) : 0; };
  const Band band = causal ? Band::causal() : Band{};
  const auto in = [&]<class T>(T) {
    const int heads = number(4), key_heads = number(6) ? number(6) : heads;
    return number(2) == 64 ? run<T, 64>(band, number(3), heads, number(5), key_heads)
                           : run<T, 128>(band, number(3), heads, number(5), key_heads);
  };
  const Status status = type == "f16" ? in(f16{}) : in(bf16{});
  if (!status) std::fprintf(stderr, "%s\n", status.error.c_str());
  return status && hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
