// hipsight_operations_set FOLDER TARGET [OPERATION...]: compiles the instances for the types and
// orders that models use most, or those of some operations, for one GPU, with all processors.
//
//   hipsight_operations_set /usr/lib/hipsight/instances gfx942
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "hipsight/operations.h"

namespace {

/// A call whose tensors have no memory: the library only looks for what it would call.
struct Wanted {
  std::string_view operation;
  std::function<const char*(const hipsight_context*)> find;
};

hipsight_tensor tensor(hipsight_type type, std::vector<int64_t> sizes) {
  hipsight_tensor made{nullptr, type, static_cast<int>(sizes.size()), {}, {}};
  int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0; stride *= sizes[i])
    made.sizes[i] = sizes[i], made.strides[i] = stride;
  return made;
}

constexpr int64_t some = 128;

/// Matrices by rows, or by columns.
hipsight_tensor square(hipsight_type type, bool by_columns) {
  hipsight_tensor made = tensor(type, {some, some});
  if (by_columns) std::swap(made.strides[0], made.strides[1]);
  return made;
}

void add_products(std::vector<Wanted>& all, hipsight_type type) {
  for (const auto& [a, b] : {std::pair{false, false}, {false, true}, {true, false}})
    for (const bool shared : {false, true})
      all.push_back({"gemm", [=](const hipsight_context* context) {
                       const auto x = square(type, a), y = square(type, b), z = square(type, false),
                                  workspace = tensor(HIPSIGHT_I8, {some});
                       return hipsight_gemm(context, &x, &y, &z, shared ? &workspace : nullptr);
                     }});
  const auto choices = tensor(HIPSIGHT_I32, {some, 2}), starts = tensor(HIPSIGHT_I32, {3}),
             of_rows = tensor(HIPSIGHT_I32, {2 * some});
  const auto weights = tensor(HIPSIGHT_F32, {some, 2});
  all.push_back({"moe_route", [=](const hipsight_context* context) {
                   const auto scores = square(type, false);
                   const hipsight_moe_options options{0, 1, 1, 1, 1, 1};
                   return hipsight_moe_route(context, &scores, nullptr, &choices, &weights,
                                             &options);
                 }});
  all.push_back({"moe_sort", [=](const hipsight_context* context) {
                   return hipsight_moe_sort(context, &choices, &starts, &of_rows, &choices);
                 }});
  all.push_back({"moe_combine", [=](const hipsight_context* context) {
                   const auto x = square(type, false);
                   return hipsight_moe_combine(context, &x, &choices, &weights, &x);
                 }});
  for (const bool indexed : {false, true})
    all.push_back(
        {"grouped_gemm", [=](const hipsight_context* context) {
           const auto x = square(type, false), z = x;
           auto y = tensor(type, {2, some, some});
           std::swap(y.strides[1], y.strides[2]);
           const auto rows = tensor(HIPSIGHT_I32, {some}), starts = tensor(HIPSIGHT_I32, {3});
           return hipsight_grouped_gemm(context, &x, &y, &z, indexed ? &rows : nullptr, &starts);
         }});
}

void add_int4(std::vector<Wanted>& all, hipsight_type type) {
  all.push_back({"int4_gemm", [=](const hipsight_context* context) {
                   const auto a = square(type, false),
                              codes = tensor(HIPSIGHT_I32, {some / 32, some / 32, 32, 4}),
                              factors = tensor(type, {some / 32, some / 32, 32, 2});
                   return hipsight_int4_gemm(context, &a, &codes, &factors, nullptr, &a, nullptr);
                 }});
}

void add_convolutions(std::vector<Wanted>& all, hipsight_type type) {
  const auto images = tensor(type, {2, 16, 16, some}), filters = tensor(type, {some, 3, 3, some});
  const hipsight_convolution_options options{{1, 1}, {1, 1}, {1, 1}, 1};
  all.push_back({"convolution", [=](const hipsight_context* context) {
                   return hipsight_convolution(context, &images, &filters, nullptr, &images,
                                               &options);
                 }});
  all.push_back({"convolution_of_images", [=](const hipsight_context* context) {
                   const auto workspace = tensor(HIPSIGHT_I8, {some});
                   return hipsight_convolution_of_images(context, &images, &filters, &images,
                                                         &workspace, &options);
                 }});
  all.push_back({"convolution_of_filters", [=](const hipsight_context* context) {
                   return hipsight_convolution_of_filters(context, &images, &filters, &images,
                                                          nullptr, &options);
                 }});
}

void add_causal_convolution(std::vector<Wanted>& all, hipsight_type type) {
  all.push_back({"causal_convolution", [=](const hipsight_context* context) {
                   const auto x = tensor(type, {2, some, some}), w = tensor(type, {some, 4});
                   return hipsight_causal_convolution(context, &x, &w, nullptr, nullptr, &x, 1);
                 }});
}

void add_rows(std::vector<Wanted>& all, hipsight_type type) {
  const auto x = square(type, false), weight = tensor(type, {some});
  all.push_back({"rms_norm", [=](const hipsight_context* context) {
                   return hipsight_rms_norm(context, &x, &weight, &x, 1e-6F, nullptr);
                 }});
  all.push_back({"add_rms_norm", [=](const hipsight_context* context) {
                   return hipsight_add_rms_norm(context, &x, &x, &weight, &x, &x, 1e-6F, nullptr);
                 }});
  all.push_back({"layer_norm", [=](const hipsight_context* context) {
                   return hipsight_layer_norm(context, &x, &weight, &weight, &x, 1e-5F);
                 }});
  all.push_back({"softmax", [=](const hipsight_context* context) {
                   return hipsight_softmax(context, &x, &x, 1);
                 }});
  all.push_back({"silu_mul", [=](const hipsight_context* context) {
                   return hipsight_silu_mul(context, &x, &x, &x, nullptr);
                 }});
  all.push_back({"gelu_mul", [=](const hipsight_context* context) {
                   return hipsight_gelu_mul(context, &x, &x, &x, nullptr);
                 }});
  all.push_back({"rope", [=](const hipsight_context* context) {
                   const auto heads = tensor(type, {some, 2, some});
                   const auto angles = tensor(HIPSIGHT_F32, {some, some / 2});
                   return hipsight_rope(context, &heads, &heads, &angles, &angles, nullptr, 0);
                 }});
}

void add_attention(std::vector<Wanted>& all, hipsight_type type) {
  const hipsight_attention_options causal{1, 1, 0, 0};
  for (const int64_t size : {64, 128}) {
    const auto q = tensor(type, {1, 2, some, size}), sums = tensor(HIPSIGHT_F32, {1, 2, some});
    all.push_back({"attention", [=](const hipsight_context* context) {
                     return hipsight_attention(context, &q, &q, &q, &q, &sums, nullptr, &causal);
                   }});
    all.push_back({"attention_backward", [=](const hipsight_context* context) {
                     return hipsight_attention_backward(context, &q, &q, &q, &q, &q, &q, &q, &q,
                                                        &sums, &sums, &causal);
                   }});
    all.push_back({"paged_attention", [=](const hipsight_context* context) {
                     const auto pages = tensor(HIPSIGHT_I32, {1, 4}),
                                lengths = tensor(HIPSIGHT_I32, {1}),
                                cache = tensor(type, {4, 16, 2, size});
                     return hipsight_paged_attention(context, &q, &cache, &cache, &pages, &lengths,
                                                     &q, nullptr, nullptr, &causal, 1, 1);
                   }});
  }
}

std::vector<Wanted> wanted() {
  std::vector<Wanted> all;
  for (const hipsight_type type : {HIPSIGHT_BF16, HIPSIGHT_F16}) {
    add_products(all, type);
    add_int4(all, type);
    add_convolutions(all, type);
    add_causal_convolution(all, type);
    add_rows(all, type);
    add_attention(all, type);
  }
  return all;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    std::fputs("usage: hipsight_operations_set FOLDER TARGET [OPERATION...]\n", stderr);
    return 2;
  }
  hipsight_operations_setup(nullptr, words[1]);
  hipsight_context context{};
  context.target = words[2];
  context.only_find = 1;
  std::vector<Wanted> all = wanted();
  const std::set<std::string_view> only(words + 3, words + count);
  for (const std::string_view name : only)
    if (std::ranges::find(all, name, &Wanted::operation) == all.end()) {
      std::fprintf(stderr, "%s: no such operation\n", std::string(name).c_str());
      return 2;
    }
  std::erase_if(all,
                [&](const Wanted& one) { return !only.empty() && !only.contains(one.operation); });

  std::atomic<std::size_t> next{0}, failed{0};
  std::vector<std::jthread> threads(std::max(1U, std::thread::hardware_concurrency()));
  for (auto& thread : threads)
    thread = std::jthread([&] {
      for (std::size_t i = next++; i < all.size(); i = next++)
        if (const char* const wrong = all[i].find(&context)) {
          failed++;
          std::fprintf(stderr, "%s: %s\n", std::string(all[i].operation).c_str(), wrong);
        }
    });
  threads.clear();
  // Precompiled headers serve compilers, and who gets the set has none to run.
  std::error_code ignored;  // no folder, if nothing could be compiled
  for (const auto& entry : std::filesystem::directory_iterator(words[1], ignored))
    if (entry.path().filename().string().starts_with("headers-"))
      std::filesystem::remove_all(entry.path(), ignored);
  std::printf("%zu instances for %s in %s\n", all.size() - failed, words[2], words[1]);
  return failed ? 1 : 0;
}
