// The gradients of one attention of the kernel library, for `hipsight predict`.
//   kernels_backward_launch [--causal] f16 | bf16 64 | 128 BATCHES HEADS LENGTH [KEY_HEADS]
#include <cstdio>
#include <cstdlib>
#include <string>

#include "hipsight/kernels/attention_backward.h"

using namespace hipsight::kernels;

template <class T>
T* allocate(std::size_t count) {
  void* data = nullptr;
  if (hipMalloc(&data, sizeof(T) * count) != hipSuccess) std::exit(1);
  return static_cast<T*>(data);
}

template <class T, int head>
Status run(const Band& band, int batches, int heads, int length, int key_heads) {
  const auto vectors = [&](int heads) {
    return packed_sequences<head>(allocate<T>(std::size_t(head) * batches * heads * length), length,
                                  heads);
  };
  const auto q = vectors(heads), o = vectors(heads), d_o = vectors(heads), d_q = vectors(heads);
  const auto k = vectors(key_heads), v = vectors(key_heads), d_k = vectors(key_heads),
             d_v = vectors(key_heads);
  const std::size_t queries = std::size_t(batches) * heads * length;
  const AttentionOptions options{.band = band,
                                 .batches = batches,
                                 .log_sums = {allocate<float>(queries), length, heads, 1, length,
                                              std::int64_t{heads} * length}};
  const std::size_t bytes = attention_backward_workspace(q, options);
  return attention_backward(nullptr, q, k, v, o, d_o, d_q, d_k, d_v, options,
                            {allocate<char>(bytes), bytes});
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
