// One GEMM of the kernel library in fp8, in the GPU's own encoding, with factors of blocks of 128
// and the weights in memory N x K, to bf16, for `hipsight predict`.
//   kernels_block_gemm_launch M N K [large | medium | small | tiny [SHARES]]
#include <cstdlib>

#include "gemm_operands.h"

int main(int argc, char** argv) {
  const auto number = [&](int i) { return i < argc ? std::atoi(argv[i]) : 0; };
  const auto in = [&]<class T>(T) {
    const int m = number(1), n = number(2), k = number(3), blocks = ceil_div(k, scale_block);
    const Operands<T, bf16> given(m, n, k);
    const float *of_rows = allocate<float>(m, blocks),
                *of_blocks = allocate<float>(ceil_div(n, scale_block), blocks);
    return run(scaled_rows(given.a, of_rows, blocks), scaled_blocks(given.b, of_blocks, blocks),
               given.c, argc > 4 ? argv[4] : "", number(5));
  };
  return ended(in_own_fp8(in));
}
