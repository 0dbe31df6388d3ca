// One GEMM of the kernel library, with the weights in memory N x K, for `hipsight predict`.
//   kernels_gemm_launch f16 | bf16 M N K [large | medium | small]
#include <cstdlib>
#include <string>

#include "gemm_operands.h"

template <class T>
Status run(int m, int n, int k, const std::string& size) {
  const Operands<T, T> given(m, n, k);
  const auto problem = gemm_problem(given.a, given.b, given.c, Identity{}, 1);
  const Architecture on = current_device().architecture;
  return size == "large"    ? launch_gemm<TileSize::large>(nullptr, problem, on)
         : size == "medium" ? launch_gemm<TileSize::medium>(nullptr, problem, on)
         : size == "small"  ? launch_gemm<TileSize::small>(nullptr, problem, on)
                            : quickest(given.a, given.b, given.c);
}

int main(int argc, char** argv) {
  const std::string type = argc > 4 ? argv[1] : "";
  const auto number = [&](int i) { return i < argc ? std::atoi(argv[i]) : 0; };
  const auto in = [&]<class T>(T) {
    return run<T>(number(2), number(3), number(4), argc > 5 ? argv[5] : "");
  };
  return ended(type == "f16" ? in(f16{}) : in(bf16{}));
}
