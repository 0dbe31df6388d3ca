// One attention of the kernel library, for `hipsight predict`.
//   kernels_attention_launch [--causal] f16 | bf16 BATCHES HEADS KEY_HEADS LENGTH
#include <cstdio>
#include <cstdlib>
#include <string>

#include "hipsight/kernels/attention.h"

using namespace hipsight::kernels;

template <class T>
Status run(const Band& band, int batches, int heads, int key_heads, int length) {
  constexpr int head = 128;
  const auto allocate = [&](int count) {
    void* data = nullptr;
    const std::size_t bytes = sizeof(T) * head * batches * count * length;
    if (hipMalloc(&data, bytes) != hipSuccess) std::exit(1);
    return packed_sequences<head>(static_cast<T*>(data), length, count);
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
  const Status status = type == "f16" ? run<f16>(band, number(2), number(3), number(4), number(5))
                                      : run<bf16>(band, number(2), number(3), number(4), number(5));
  if (!status) std::fprintf(stderr, "%s\n", status.error.c_str());
  return status && hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
