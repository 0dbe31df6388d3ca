// One GEMM of the kernel library, with the weights in memory N x K, for `hipsight predict`.
// fp8: in the GPU's own encoding, without factors, to bf16.
//   kernels_gemm_launch f16 | bf16 | fp8 M N K [large | medium | small | tiny [SHARES]]
#include <cstdlib>

#include "gemm_operands.h"

int main(int argc, char** argv) {
  const auto word = [&](int i) { return i < argc ? std::string(argv[i]) : ""; };
  const auto number = [&](int i) { return i < argc ? std::atoi(argv[i]) : 0; };
  const auto in = [&]<class T, class Out>(T, Out) {
    const Operands<T, Out> given(number(2), number(3), number(4));
    return run(given.a, given.b, given.c, word(5), number(6));
  };
  if (word(1) == "f16") return ended(in(f16{}, f16{}));
  if (word(1) == "bf16") return ended(in(bf16{}, bf16{}));
  if (word(1) == "fp8") return ended(in_own_fp8([&](auto one) { return in(one, bf16{}); }));
  return ended({"kernels_gemm_launch: the type must be f16, bf16 or fp8"});
}
