// One GEMM of the kernel library, with the weights in memory N x K, for `hipsight predict`.
//   kernels_gemm_launch f16 | bf16 M N K [large | medium | small [PARTS]]
#include <cstdlib>

#include "gemm_operands.h"

int main(int argc, char** argv) {
  const auto word = [&](int i) { return i < argc ? std::string(argv[i]) : ""; };
  const auto number = [&](int i) { return i < argc ? std::atoi(argv[i]) : 0; };
  const auto in = [&]<class T>(T) {
    const Operands<T, T> given(number(2), number(3), number(4));
    return run(given.a, given.b, given.c, word(5), number(6));
  };
  return ended(word(1) == "f16" ? in(f16{}) : in(bf16{}));
}
