// Attention.
#include <cmath>

#include "call.h"

using namespace hipsight::operations;

namespace {

using Tensor = const hipsight_tensor*;

void check_scale(Call& call, const char* name, float scale) {
  call.require(
      scale > 0 && std::isfinite(scale),
      std::string(name) + " is " + std::to_string(scale) + ": it must be positive and finite");
}

/// Latents, of which the first 512 elements are the values (MLA).
bool are_latents(Tensor q, Tensor o) {
  return q->sizes[3] == 576 && o->sizes[3] == 512;
}

/// As of a prompt in latent attention, where queries and keys have a rotary part.
bool has_shorter_values(Tensor q, Tensor v) {
  return q->sizes[3] == 192 && v->sizes[3] == 128;
}

/// Heads of a size that kernels take.
void check_heads(Call& call, Tensor q, int64_t of_keys, bool latent = false) {
  const int64_t size = q->sizes[3], heads = q->sizes[1];
  call.require(latent || (size > 0 && size <= 256 && size % 32 == 0),
               "heads must have a multiple of 32 values, up to 256");
  call.require(of_keys > 0 && heads % of_keys == 0,
               "the heads of q must be a multiple of those of the keys");
}

/// The results, as the values, may have heads of another size than q.
Instance instance_of(const char* source, Tensor q, Tensor o) {
  Instance instance{
      source, {std::string("VALUE=") + name_of(q->type), "HEAD=" + std::to_string(q->sizes[3])}};
  if (o->sizes[3] != q->sizes[3])
    instance.macros.push_back("VALUE_HEAD=" + std::to_string(o->sizes[3]));
  return instance;
}

/// But for the size of heads.
void check_places(Call& call, Tensor one, Tensor other, const std::string& names) {
  for (int i = 0; i < 3; i++)
    call.require(one->sizes[i] == other->sizes[i],
                 names + " must have the same batch, heads and places");
}

using AttentionOptions = const hipsight_attention_options*;

/// And what of them instances are compiled for.
void check_options(Call& call, AttentionOptions options, Tensor q, Tensor sinks,
                   Instance& instance) {
  call.require(options, "there are no options");
  check_scale(call, "scale", options->scale);
  call.require(options->window >= 0, "window must be 0 or more");
  if (options->soft_cap != 0) {
    check_scale(call, "soft_cap", options->soft_cap);
    instance.macros.emplace_back("CAPPED");
  }
  if (!sinks) return;
  call.takes("sinks", sinks, {1}, f32).without_gaps({sinks});
  call.require(sinks->sizes[0] == q->sizes[1], "sinks must have one for each head of q");
  instance.macros.emplace_back("SUNK");
}

void check(Call& call, Tensor q, Tensor k, Tensor v, Tensor o, Tensor log_sums) {
  call.takes("q", q, {4}, halves).takes("k", k, {4}, halves).takes("v", v, {4}, halves);
  call.takes("o", o, {4}, halves);
  call.takes("log_sums", log_sums, {3}, f32).without_gaps({log_sums});
  call.same_type({q, k, v, o}).by_rows({q, k, v, o});
  if (!has_shorter_values(q, v)) call.same_sizes({k, v}).same_sizes({q, o});
  check_places(call, q, o, "q and o");
  check_places(call, k, v, "k and v");
  call.require(v->sizes[3] == o->sizes[3], "v and o must have the same size of heads");
  call.require(k->sizes[0] == q->sizes[0] && k->sizes[3] == q->sizes[3],
               "q and k must have the same batch and size of heads");
  for (int i = 0; i < 3; i++)
    call.require(log_sums->sizes[i] == q->sizes[i],
                 "log_sums must have a value for each place of each head of q");
  check_heads(call, q, k->sizes[1]);
}

/// Keys and values in the pages of a cache.
void check_cache(Call& call, Tensor q, Tensor keys, Tensor values) {
  call.takes("keys", keys, {4},
             {HIPSIGHT_F16, HIPSIGHT_BF16, HIPSIGHT_FP8_E4M3, HIPSIGHT_FP8_E4M3_FNUZ});
  call.takes("values", values, {4}, {keys->type}).same_sizes({keys, values});
  call.require(is_one_of(keys->type, fp8) || keys->type == q->type,
               "keys and values must be of the type of what is attended, or fp8");
  bool alike = true;
  for (int i = 0; i < 4; i++)
    alike = alike && (keys->sizes[i] <= 1 || keys->strides[i] == values->strides[i]);
  call.require(alike && (keys->sizes[3] <= 1 || keys->strides[3] == 1),
               "keys and values must lie alike, the values of a head side by side");
}

void check(Call& call, Tensor q, Tensor keys, Tensor values, Tensor pages, Tensor lengths,
           Tensor o) {
  call.takes("q", q, {4}, halves).takes("o", o, {4}, halves);
  check_cache(call, q, keys, values);
  call.takes("pages", pages, {2}, whole).takes("lengths", lengths, {1}, whole);
  call.same_type({q, o}).by_rows({q, o}).without_gaps({pages, lengths});
  const bool latent = are_latents(q, o);
  if (!latent) call.same_sizes({q, o});
  check_places(call, q, o, "q and o");
  if (latent)
    call.require(keys->data == values->data && keys->type == q->type,
                 "latents are keys and values: both must be one tensor, of q's type");
  call.require(keys->sizes[3] == q->sizes[3], "the cache's heads must have the size of q's");
  const int64_t places = keys->sizes[1];
  call.require(places > 0 && (places & (places - 1)) == 0,
               "a page's places must be a power of two");
  call.require(pages->sizes[0] == q->sizes[0] && lengths->sizes[0] == q->sizes[0],
               "pages and lengths must have a row for each sequence of q");
  check_heads(call, q, keys->sizes[2], latent);
}

Instance paged(Tensor q, Tensor keys, Tensor o) {
  Instance instance = instance_of("paged_attention", q, o);
  instance.macros.push_back(std::string("CACHED=") + name_of(keys->type));
  return instance;
}

}  // namespace

const char* hipsight_attention(const hipsight_context* context, Tensor q, Tensor k, Tensor v,
                               Tensor o, Tensor log_sums, Tensor sinks, AttentionOptions options) {
  return guarded([&] {
    Call call("attention", context);
    check(call, q, k, v, o, log_sums);
    Instance instance = instance_of("attention", q, o);
    check_options(call, options, q, sinks, instance);
    return call.run(instance, hipsight_attention, "hipsight_attention", q, k, v, o, log_sums, sinks,
                    options);
  });
}

const char* hipsight_attention_backward(const hipsight_context* context, Tensor q, Tensor k,
                                        Tensor v, Tensor o, Tensor d_o, Tensor d_q, Tensor d_k,
                                        Tensor d_v, Tensor log_sums, Tensor workspace,
                                        AttentionOptions options) {
  return guarded([&] {
    Call call("attention_backward", context);
    check(call, q, k, v, o, log_sums);
    call.same_sizes({k, v});
    const auto like = [&](Tensor of, const char* name, Tensor gradient) {
      call.takes(name, gradient, {4}, halves).same_type({q, gradient}).same_sizes({of, gradient});
    };
    like(q, "d_o", d_o), like(q, "d_q", d_q), like(k, "d_k", d_k), like(v, "d_v", d_v);
    call.by_rows({d_o, d_q, d_k, d_v}).takes("workspace", workspace, {3}, f32);
    call.same_sizes({log_sums, workspace}).without_gaps({workspace});
    Instance instance = instance_of("attention", q, o);
    check_options(call, options, q, nullptr, instance);
    call.require(options->soft_cap == 0, "scores that are capped have no gradients here");
    instance.macros.emplace_back("BACKWARD");
    return call.run(instance, hipsight_attention_backward, "hipsight_attention_backward", q, k, v,
                    o, d_o, d_q, d_k, d_v, log_sums, workspace, options);
  });
}

const char* hipsight_paged_attention(const hipsight_context* context, Tensor q, Tensor keys,
                                     Tensor values, Tensor pages, Tensor lengths, Tensor o,
                                     Tensor workspace, Tensor sinks, AttentionOptions options,
                                     float key_scale, float value_scale) {
  return guarded([&] {
    Call call("paged_attention", context);
    check(call, q, keys, values, pages, lengths, o);
    call.may_take("workspace", workspace, {1}, {HIPSIGHT_I8}).without_gaps({workspace});
    check_scale(call, "key_scale", key_scale);
    check_scale(call, "value_scale", value_scale);
    Instance instance = paged(q, keys, o);
    check_options(call, options, q, sinks, instance);
    return call.run(instance, hipsight_paged_attention, "hipsight_paged_attention", q, keys, values,
                    pages, lengths, o, workspace, sinks, options, key_scale, value_scale);
  });
}

const char* hipsight_paged_attention_workspace(const hipsight_context* context, Tensor q,
                                               Tensor keys, Tensor values, Tensor pages,
                                               Tensor lengths, Tensor o,
                                               uint64_t* workspace_bytes) {
  return guarded([&] {
    Call call("paged_attention", context);
    check(call, q, keys, values, pages, lengths, o);
    return call.run(paged(q, keys, o), hipsight_paged_attention_workspace,
                    "hipsight_paged_attention_workspace", q, keys, values, pages, lengths, o,
                    workspace_bytes);
  });
}

const char* hipsight_append_to_cache(const hipsight_context* context, Tensor k, Tensor v,
                                     Tensor keys, Tensor values, Tensor slots, float key_scale,
                                     float value_scale) {
  return guarded([&] {
    Call call("append_to_cache", context);
    call.takes("k", k, {3}, halves).takes("v", v, {3}, halves).same_type({k, v});
    call.same_sizes({k, v}).by_rows({k, v});
    check_cache(call, k, keys, values);
    call.takes("slots", slots, {1}, whole).without_gaps({slots});
    call.require(keys->sizes[2] == k->sizes[1] && keys->sizes[3] == k->sizes[2],
                 "the cache must have the heads of k, and their size")
        .require(slots->sizes[0] == k->sizes[0], "slots must have one for each token");
    check_scale(call, "key_scale", key_scale);
    check_scale(call, "value_scale", value_scale);
    return call.run(
        {"append_to_cache",
         {std::string("VALUE=") + name_of(k->type), std::string("CACHED=") + name_of(keys->type)}},
        hipsight_append_to_cache, "hipsight_append_to_cache", k, v, keys, values, slots, key_scale,
        value_scale);
  });
}
