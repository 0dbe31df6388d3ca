// One layer of a mixture of experts of the kernel library, in bf16, for `hipsight predict`: each
// token of TOP experts, rows gathered from the tokens, or, with --in-order, as they lie.
//   kernels_grouped_launch [--in-order] TOKENS TOP EXPERTS N K
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "hipsight/kernels/grouped_gemm.h"

using namespace hipsight::kernels;

template <class T>
T* allocate(std::size_t count) {
  void* data = nullptr;
  if (hipMalloc(&data, count * sizeof(T)) != hipSuccess) std::exit(1);
  return static_cast<T*>(data);
}

const int* on_device(const std::vector<int>& values) {
  int* const data = allocate<int>(values.size());
  if (hipMemcpy(data, values.data(), values.size() * sizeof(int), hipMemcpyHostToDevice) !=
      hipSuccess)
    std::exit(1);
  return data;
}

/// The tokens of each expert, one after the other: each token has `top` different ones, any as
/// likely as another.
struct Routing {
  std::vector<int> starts, tokens;

  Routing(int count, int top, int experts) : starts(experts + 1, 0) {
    std::mt19937 generator(1);
    std::vector<int> order(experts);
    std::iota(order.begin(), order.end(), 0);
    std::vector<std::vector<int>> of_expert(experts);
    for (int token = 0; token < count; token++) {
      std::shuffle(order.begin(), order.end(), generator);
      for (int i = 0; i < top; i++) of_expert[order[i]].push_back(token);
    }
    for (int e = 0; e < experts; e++) {
      tokens.insert(tokens.end(), of_expert[e].begin(), of_expert[e].end());
      starts[e + 1] = static_cast<int>(tokens.size());
    }
  }
};

int main(int argc, char** argv) {
  const bool in_order = argc > 1 && std::string(argv[1]) == "--in-order";
  const auto number = [&](int i) {
    return i + in_order < argc ? std::atoi(argv[i + in_order]) : 0;
  };
  const int tokens = number(1), top = number(2), experts = number(3), n = number(4), k = number(5);
  if (tokens < 1 || top < 1 || top > experts) {
    std::fprintf(stderr, "kernels_grouped_launch: TOKENS TOP EXPERTS N K, TOP up to EXPERTS\n");
    return 1;
  }
  const Routing routing(tokens, top, experts);
  const int rows = tokens * top;
  const RowGroups groups{on_device(routing.starts), experts};
  const ColumnMajor<const bf16> weights{allocate<bf16>(std::size_t(experts) * n * k), k, n, k,
                                        std::int64_t{n} * k};
  const RowMajor<bf16> y{allocate<bf16>(std::size_t(rows) * n), rows, n, n};
  const int of_x = in_order ? rows : tokens;
  const RowMajor<const bf16> x{allocate<bf16>(std::size_t(of_x) * k), of_x, k, k};
  const Status status =
      in_order ? grouped_gemm(nullptr, x, weights, y, groups)
               : grouped_gemm(nullptr, indexed_rows(x, on_device(routing.tokens), rows), weights, y,
                              groups);
  if (!status) std::fprintf(stderr, "%s\n", status.error.c_str());
  return status && hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
