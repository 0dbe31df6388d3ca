// One GEMM of the kernel library in fp8, in the GPU's own encoding, with factors of blocks of 128
// and the weights in memory N x K, to bf16, for `hipsight predict`.
//   kernels_block_gemm_launch M N K
#include <cstdlib>

#include "gemm_operands.h"

template <class T>
Status run(int m, int n, int k) {
  const Operands<T, bf16> given(m, n, k);
  const int blocks = ceil_div(k, scale_block);
  const float *of_rows = allocate<float>(m, blocks),
              *of_blocks = allocate<float>(ceil_div(n, scale_block), blocks);
  return quickest(scaled_rows(given.a, of_rows, blocks), scaled_blocks(given.b, of_blocks, blocks),
                  given.c);
}

int main(int argc, char** argv) {
  const auto number = [&](int i) { return i < argc ? std::atoi(argv[i]) : 0; };
  const auto in = [&]<class T>(T) { return run<T>(number(1), number(2), number(3)); };
  return ended(current_device().architecture == Architecture::cdna3 ? in(fp8_e4m3_fnuz{})
                                                                    : in(fp8_e4m3{}));
}
