// Matrix products of weights in 4 bits.
#include "call.h"

using namespace hipsight::operations;

namespace {

using Tensor = const hipsight_tensor*;

constexpr int64_t codes_of_word = 8, block = 32;

int64_t columns_of(Tensor codes) {
  return codes->sizes[0] * block;
}

/// Codes and factors of N x K weights: K.
int64_t require_weights(Call& call, Tensor codes, Tensor factors) {
  call.takes("codes", codes, {4}, whole).takes("factors", factors, {4}, halves);
  call.without_gaps({codes, factors});
  const int64_t depth = codes->sizes[1] * block, groups = factors->sizes[1];
  call.require(codes->sizes[2] == block && codes->sizes[3] == block / codes_of_word &&
                   factors->sizes[0] == codes->sizes[0] && factors->sizes[2] == block &&
                   factors->sizes[3] == 2,
               "codes must be N/32 x K/32 x 32 x 4, and factors N/32 x groups x 32 x 2");
  call.require(groups ? depth % groups == 0 : depth == 0,
               "the depth must be a whole number of groups");
  return depth;
}

void require_product(Call& call, Tensor a, Tensor codes, Tensor factors, Tensor c) {
  const int64_t depth = require_weights(call, codes, factors);
  call.takes("a", a, {2}, halves).takes("c", c, {2}, halves).by_rows({a, c});
  call.same_type({a, factors, c})
      .require(a->sizes[1] == depth, "a must have as many columns as the weights are deep")
      .require(c->sizes[0] == a->sizes[0] && c->sizes[1] == columns_of(codes), "c must be M x N");
}

Instance product(Tensor a) {
  return {"int4_gemm", {std::string("VALUE=") + name_of(a->type)}};
}

}  // namespace

const char* hipsight_int4_gemm(const hipsight_context* context, Tensor a, Tensor codes,
                               Tensor factors, Tensor bias, Tensor c, Tensor workspace) {
  return guarded([&]() -> const char* {
    Call call("int4_gemm", context);
    require_product(call, a, codes, factors, c);
    call.may_take("bias", bias, {1}, halves).same_type({a, bias}).without_gaps({bias});
    call.require(!bias || bias->sizes[0] == columns_of(codes),
                 "bias must have a number for each column");
    call.may_take("workspace", workspace, {1}, {HIPSIGHT_I8}).without_gaps({workspace});
    return call.run(product(a), hipsight_int4_gemm, "hipsight_int4_gemm", a, codes, factors, bias,
                    c, workspace);
  });
}

const char* hipsight_int4_workspace(const hipsight_context* context, Tensor a, Tensor codes,
                                    Tensor factors, Tensor c, uint64_t* bytes) {
  return guarded([&]() -> const char* {
    Call call("int4_workspace", context);
    require_product(call, a, codes, factors, c);
    return call.run(product(a), hipsight_int4_workspace, "hipsight_int4_workspace", a, codes,
                    factors, c, bytes);
  });
}

const char* hipsight_int4_pack(const hipsight_context* context, Tensor from, Tensor scales,
                               Tensor zeros, Tensor codes, Tensor factors,
                               hipsight_int4_layout layout) {
  return guarded([&]() -> const char* {
    Call call("int4_pack", context);
    const int64_t depth = require_weights(call, codes, factors), columns = columns_of(codes),
                  groups = factors->sizes[1];
    const auto is = [](Tensor of, int64_t rows, int64_t across) {
      return of->sizes[0] == rows && of->sizes[1] == across;
    };
    const char* macro = "LAYOUT_VALUES";
    if (layout == HIPSIGHT_INT4_VALUES) {
      call.takes("from", from, {2}, halves).by_rows({from}).same_type({from, factors});
      call.require(is(from, columns, depth), "from must be N x K")
          .require(!scales && !zeros, "there must be no scales and zeros beside weights");
    } else {
      const bool awq = layout == HIPSIGHT_INT4_AWQ;
      macro = awq ? "LAYOUT_AWQ" : "LAYOUT_GPTQ";
      call.takes("from", from, {2}, whole).takes("scales", scales, {2}, halves);
      call.may_take("zeros", zeros, {2}, whole).same_type({scales, factors});
      call.without_gaps({from, scales, zeros});
      call.require(awq ? is(from, depth, columns / codes_of_word)
                       : is(from, depth / codes_of_word, columns),
                   awq ? "from must be K x N/8" : "from must be K/8 x N")
          .require(is(scales, groups, columns), "scales must be K/group x N")
          .require(zeros || !awq, "AWQ has zeros")
          .require(!zeros || is(zeros, groups, columns / codes_of_word),
                   "zeros must be K/group x N/8");
    }
    return call.run({"int4_pack", {std::string("VALUE=") + name_of(factors->type), macro}},
                    hipsight_int4_pack, "hipsight_int4_pack", from, scales, zeros, codes, factors,
                    layout);
  });
}
