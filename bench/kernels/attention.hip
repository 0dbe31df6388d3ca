// One attention of the kernel library, with as many heads of keys, for `hipsight predict`.
//   kernels_attention_launch [--causal] f16 | bf16 64 | 128 BATCHES HEADS LENGTH
#include <cstdio>
#include <cstdlib>
#include <string>

#include "hipsight/kernels/attention.h"

using namespace hipsight::kernels;

template <class T, int head>
Status run(const Band& band, int batches, int heads, int length) {
  const auto allocate = [&] {
    void* data = nullptr;
    const std::size_t bytes = sizeof(T) * head * batches * heads * length;
    if (hipMalloc(&data, bytes) != hipSuccess) std::exit(1);
    return packed_sequences<head>(static_cast<T*>(data), length, heads);
  };
  const auto q = allocate(), k = allocate(), v = allocate(), o = allocate();
  return attention(nullptr, q, k, v, o, {.band = band, .batches = batches});
}

int main(int argc, char** argv) {
  const bool causal = argc > 1 && std::string(argv[1]) == "--causal";
  const std::string type = argc > 1 + causal ? argv[1 + causal] : "";
  const auto number = [&](int i) { return i + causal < argc ? std::atoi(argv[i + causal]) : 0; };
  const Band band = causal ? Band::causal() : Band{};
  const auto in = [&]<class T>(T) {
    return number(2) == 64 ? run<T, 64>(band, number(3), number(4), number(5))
                           : run<T, 128>(band, number(3), number(4), number(5));
  };
  const Status status = type == "f16" ? in(f16{}) : in(bf16{});
  if (!status) std::fprintf(stderr, "%s\n", status.error.c_str());
  return status && hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
