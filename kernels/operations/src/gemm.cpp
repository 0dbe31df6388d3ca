// Matrix products.
#include "call.h"

using namespace hipsight::operations;

namespace {

constexpr const char* depth = "a must have as many columns as b has rows";

std::string macro(const char* name, const char* value) {
  return std::string(name) + "=" + value;
}
std::string macro(const char* name, hipsight_type type) {
  return macro(name, name_of(type));
}

/// How scales lie that are one number, one for each line, or one for each block.
const char* factors_of(Call& call, const hipsight_tensor& a, const hipsight_tensor& b,
                       const hipsight_tensor& of_a, const hipsight_tensor& of_b) {
  const int64_t rows = a.sizes[0], inner = a.sizes[1], columns = b.sizes[1];
  const auto are = [&](int64_t a0, int64_t a1, int64_t b0, int64_t b1) {
    return of_a.sizes[0] == a0 && of_a.sizes[1] == a1 && of_b.sizes[0] == b0 && of_b.sizes[1] == b1;
  };
  if (are(1, 1, 1, 1)) return "FACTORS_all";
  if (are(rows, 1, 1, columns)) return "FACTORS_lines";
  call.require(
      are(rows, blocks(inner), blocks(inner), blocks(columns)),
      "scales must be one number each; or M x 1 and 1 x N; or M x K/128 and K/128 x N/128");
  return "FACTORS_blocks";
}

/// The instance for such a product.
Instance require_product(Call& call, const hipsight_tensor* a, const hipsight_tensor* b,
                         const hipsight_tensor* c) {
  call.takes("a", a, {2, 3}, computed).takes("b", b, {2, 3}, computed);
  call.takes("c", c, {2, 3}, computed).same_type({a, b, c}).by_rows({c});
  const int row = c->dimensions - 2, column = row + 1;
  call.require(a->dimensions == c->dimensions && b->dimensions == c->dimensions,
               "a, b and c must all be matrices, or all batches of them");
  call.require(a->sizes[column] == b->sizes[row], depth)
      .require(c->sizes[row] == a->sizes[row] && c->sizes[column] == b->sizes[column],
               "c must be M x N");
  call.require(row == 0 || (a->sizes[0] == c->sizes[0] && b->sizes[0] == c->sizes[0]),
               "a, b and c must have as many matrices");
  return {"gemm",
          {macro("VALUE", a->type), macro("ORDER_A", call.order_of(a)),
           macro("ORDER_B", call.order_of(b))}};
}

}  // namespace

const char* hipsight_gemm(const hipsight_context* context, const hipsight_tensor* a,
                          const hipsight_tensor* b, const hipsight_tensor* c,
                          const hipsight_tensor* workspace) {
  return guarded([&]() -> const char* {
    Call call("gemm", context);
    Instance instance = require_product(call, a, b, c);
    call.may_take("workspace", workspace, {1}, {HIPSIGHT_I8}).without_gaps({workspace});
    // Kernels that share the depth are twice as many: only who wants them compiles them.
    if (workspace) instance.macros.emplace_back("SHARES");
    return call.run(instance, hipsight_gemm, "hipsight_gemm", a, b, c, workspace);
  });
}

const char* hipsight_gemm_workspace(const hipsight_context* context, const hipsight_tensor* a,
                                    const hipsight_tensor* b, const hipsight_tensor* c,
                                    uint64_t* bytes) {
  return guarded([&]() -> const char* {
    Call call("gemm_workspace", context);
    return call.run(require_product(call, a, b, c), hipsight_gemm_workspace,
                    "hipsight_gemm_workspace", a, b, c, bytes);
  });
}

const char* hipsight_scaled_gemm(const hipsight_context* context, const hipsight_tensor* a,
                                 const hipsight_tensor* b, const hipsight_tensor* c,
                                 const hipsight_tensor* scale_a, const hipsight_tensor* scale_b) {
  return guarded([&]() -> const char* {
    Call call("scaled_gemm", context);
    call.takes("a", a, {2}, fp8).takes("b", b, {2}, fp8).takes("c", c, {2}, computed);
    call.takes("scale_a", scale_a, {2}, f32).takes("scale_b", scale_b, {2}, f32);
    call.same_type({a, b}).by_rows({a, c}).require(a->sizes[1] == b->sizes[0], depth);
    call.require(c->sizes[0] == a->sizes[0] && c->sizes[1] == b->sizes[1], "c must be M x N");
    const char* const factors = factors_of(call, *a, *b, *scale_a, *scale_b);
    if (factors == std::string("FACTORS_blocks"))
      call.by_rows({scale_a}).require(
          scale_b->sizes[0] == 1 || scale_b->strides[0] == 1,
          "the columns of scale_b must lie side by side: it is the transpose of N/128 x K/128");
    else
      call.without_gaps({scale_a, scale_b});
    return call.run({"scaled_gemm",
                     {macro("VALUE", a->type), macro("OUT", c->type),
                      macro("ORDER_B", call.order_of(b)), factors}},
                    hipsight_scaled_gemm, "hipsight_scaled_gemm", a, b, c, scale_a, scale_b);
  });
}

const char* hipsight_grouped_gemm(const hipsight_context* context, const hipsight_tensor* a,
                                  const hipsight_tensor* b, const hipsight_tensor* c,
                                  const hipsight_tensor* rows, const hipsight_tensor* starts) {
  return guarded([&]() -> const char* {
    Call call("grouped_gemm", context);
    call.takes("a", a, {2}, computed).takes("b", b, {3}, computed).takes("c", c, {2}, computed);
    call.may_take("rows", rows, {1}, whole).takes("starts", starts, {1}, whole);
    call.same_type({a, b, c}).by_rows({a, c}).without_gaps({rows, starts});
    call.require(a->sizes[1] == b->sizes[1], depth)
        .require(starts->sizes[0] == b->sizes[0] + 1,
                 "starts must have one number more than b has matrices");
    call.require(c->sizes[0] == (rows ? rows : a)->sizes[0] && c->sizes[1] == b->sizes[2],
                 "c must have a row for each row of a, or each of rows, and b's columns");
    Instance instance{"grouped_gemm",
                      {macro("VALUE", a->type), macro("ORDER_B", call.order_of(b))}};
    if (rows) instance.macros.emplace_back("INDEXED");
    return call.run(instance, hipsight_grouped_gemm, "hipsight_grouped_gemm", a, b, c, rows,
                    starts);
  });
}
