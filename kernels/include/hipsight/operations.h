/* The kernel library for callers who compile no kernels: one C function an operation.
 *
 *     hipsight_context context = {.target = "gfx942", .stream = stream};
 *     hipsight_tensor a = {data, HIPSIGHT_BF16, 2, {m, k}, {k, 1}};
 *     const char* error = hipsight_gemm(&context, &a, &b, &c, NULL);
 *
 * A function takes the types, sizes and strides of its tensors, finds the instance of the kernel
 * that was compiled for them, plans its launch and starts it. An instance that is not there is
 * compiled with hipcc, once, and kept on disk. docs/kernels/operations.md
 *
 * Each function returns null, or what is wrong, in a sentence that names the tensor; the text stays
 * until the thread's next call. Functions may be called from any thread. Nothing is copied: tensors
 * must stay until the stream has done the work.
 */
#ifndef HIPSIGHT_OPERATIONS_H
#define HIPSIGHT_OPERATIONS_H

#include <stddef.h>
#include <stdint.h>

#define HIPSIGHT_OPERATION __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HIPSIGHT_F16,
  HIPSIGHT_BF16,
  HIPSIGHT_F32,
  HIPSIGHT_FP8_E4M3,      /* OCP's, as gfx950 and RDNA4 compute */
  HIPSIGHT_FP8_E4M3_FNUZ, /* as gfx942 computes */
  HIPSIGHT_I8,
  HIPSIGHT_I32
} hipsight_type;

enum { HIPSIGHT_DIMENSIONS = 4 };

/* Strides count elements; that of a dimension of one element says nothing. */
typedef struct {
  void* data;
  hipsight_type type;
  int dimensions;
  int64_t sizes[HIPSIGHT_DIMENSIONS], strides[HIPSIGHT_DIMENSIONS];
} hipsight_tensor;

typedef struct {
  uint32_t x, y, z;
} hipsight_size;

/* A kernel that is to be launched: `file` is the library that holds its code for the target,
 * `arguments` points to each argument. It must be launched before this returns. */
typedef void (*hipsight_launch)(void* data, const char* file, const char* kernel,
                                hipsight_size grid, hipsight_size block, size_t lds,
                                void** arguments);

/* Where an operation runs. */
typedef struct {
  const char* target; /* the GPU, as "gfx942"; what follows a colon is ignored */
  void* stream;       /* a hipStream_t of the process's HIP runtime, on its current device */
  /* Instead of that runtime, who launches kernels, for a GPU of so many compute units. */
  hipsight_launch launch;
  void* launch_data;
  int compute_units;
  int only_find; /* nothing is launched: the call finds its instance, or compiles it */
} hipsight_context;

/* --- Settings: for the process; null: as before ------------------------------------------------
 */

/* `home`: the folder that holds hipcc, include/ and instances/; at first, share/hipsight beside the
 * library's folder. `cache`: where instances are kept that it compiles; at first,
 * $XDG_CACHE_HOME/hipsight/kernels. */
HIPSIGHT_OPERATION const char* hipsight_operations_setup(const char* home, const char* cache);

/* Of all sources of the instances: changes whenever results or times may. Null: they are not there.
 */
HIPSIGHT_OPERATION const char* hipsight_operations_version(void);

/* --- Matrix products ---------------------------------------------------------------------------
 */

/* c = a b, or batches of them (the first of three dimensions). a: M x K, b: K x N, c: M x N, of
 * f16, bf16 or f32; rows or columns of a and b, and rows of c, lie side by side. workspace: i8,
 * from a multiple of 16 bytes on, or null. With as many bytes as hipsight_gemm_workspace says,
 * workgroups share the depth (stream-K), which is quicker; it says 0 where that gains nothing. */
HIPSIGHT_OPERATION const char* hipsight_gemm(const hipsight_context* context,
                                             const hipsight_tensor* a, const hipsight_tensor* b,
                                             const hipsight_tensor* c,
                                             const hipsight_tensor* workspace);
HIPSIGHT_OPERATION const char* hipsight_gemm_workspace(const hipsight_context* context,
                                                       const hipsight_tensor* a,
                                                       const hipsight_tensor* b,
                                                       const hipsight_tensor* c,
                                                       uint64_t* workspace_bytes);

/* c = a b of fp8 with factors of f32: one number each; or M x 1 and 1 x N; or M x K/128 and
 * K/128 x N/128, whose columns lie side by side. c: f16, bf16 or f32. */
HIPSIGHT_OPERATION const char* hipsight_scaled_gemm(
    const hipsight_context* context, const hipsight_tensor* a, const hipsight_tensor* b,
    const hipsight_tensor* c, const hipsight_tensor* scale_a, const hipsight_tensor* scale_b);

/* c = a b + bias, of weights b in 4 bits, each (code - zero) scale, rounded to a's type. a: M x K,
 * c: M x N, of f16 or bf16, N a multiple of 32. codes: i32, N/32 x K/32 x 32 x 4, and factors: of
 * a's type, N/32 x K/group x 32 x 2 (scale, zero), as hipsight_int4_pack makes them
 * (docs/kernels/int4_gemm.md); group: K, or a power of two from 32 on; bias: N, of a's type, or
 * null. workspace: i8, from a multiple of 16 bytes on, or null; with as many as
 * hipsight_int4_workspace says it is quickest. */
HIPSIGHT_OPERATION const char* hipsight_int4_gemm(
    const hipsight_context* context, const hipsight_tensor* a, const hipsight_tensor* codes,
    const hipsight_tensor* factors, const hipsight_tensor* bias, const hipsight_tensor* c,
    const hipsight_tensor* workspace);
HIPSIGHT_OPERATION const char* hipsight_int4_workspace(
    const hipsight_context* context, const hipsight_tensor* a, const hipsight_tensor* codes,
    const hipsight_tensor* factors, const hipsight_tensor* c, uint64_t* workspace_bytes);

typedef enum {
  HIPSIGHT_INT4_VALUES, /* weights N x K of f16 or bf16; no scales, no zeros */
  HIPSIGHT_INT4_GPTQ,   /* i32 K/8 x N; scales K/group x N; zeros i32 K/group x N/8, less 1 */
  HIPSIGHT_INT4_GPTQ_2, /* the same, the zeros as they are */
  HIPSIGHT_INT4_AWQ     /* i32 K x N/8; scales K/group x N; zeros i32 K/group x N/8 */
} hipsight_int4_layout;

/* Codes and factors of weights, which are quantised or come in another layout. Without zeros they
 * are 8 in GPTQ. */
HIPSIGHT_OPERATION const char* hipsight_int4_pack(
    const hipsight_context* context, const hipsight_tensor* from, const hipsight_tensor* scales,
    const hipsight_tensor* zeros, const hipsight_tensor* codes, const hipsight_tensor* factors,
    hipsight_int4_layout layout);

/* Rows starts[g] to starts[g + 1] of c are those of a times b[g]. a: tokens x K, b: groups x K x N,
 * c: rows x N; rows (or null): i32, which of a's rows each row of c takes; starts: groups + 1 of
 * i32, on the device, as rows are. */
HIPSIGHT_OPERATION const char* hipsight_grouped_gemm(
    const hipsight_context* context, const hipsight_tensor* a, const hipsight_tensor* b,
    const hipsight_tensor* c, const hipsight_tensor* rows, const hipsight_tensor* starts);

/* --- Convolutions ------------------------------------------------------------------------------
 */

/* Pairs are {high, wide}; padding is zeros. 1, 0, 1 and 1 group: a plain one. */
typedef struct {
  int stride[2], padding[2], dilation[2];
  int groups; /* filters and channels are of so many, each of which meets its own */
} hipsight_convolution_options;

/* y = x convolved with w, and the bias of each filter, if there is one. x: images x height x width
 * x channels ("NHWC"), w: filters x height x width x channels of a group, y: images x height x
 * width x filters, all of f16, bf16 or f32; bias, of the same, or null. Between pixels there may be
 * gaps. */
HIPSIGHT_OPERATION const char* hipsight_convolution(const hipsight_context* context,
                                                    const hipsight_tensor* x,
                                                    const hipsight_tensor* w,
                                                    const hipsight_tensor* bias,
                                                    const hipsight_tensor* y,
                                                    const hipsight_convolution_options* options);

/* d_x, the gradient of x, from that of y. workspace: i8, as many bytes as w has, from a multiple of
 * 16 bytes on. */
HIPSIGHT_OPERATION const char* hipsight_convolution_of_images(
    const hipsight_context* context, const hipsight_tensor* d_x, const hipsight_tensor* w,
    const hipsight_tensor* d_y, const hipsight_tensor* workspace,
    const hipsight_convolution_options* options);

/* d_w, the gradient of w, from that of y. workspace: i8, from a multiple of 16 bytes on, or null;
 * with as many as hipsight_convolution_workspace says it is quickest. */
HIPSIGHT_OPERATION const char* hipsight_convolution_of_filters(
    const hipsight_context* context, const hipsight_tensor* x, const hipsight_tensor* d_w,
    const hipsight_tensor* d_y, const hipsight_tensor* workspace,
    const hipsight_convolution_options* options);
HIPSIGHT_OPERATION const char* hipsight_convolution_workspace(
    const hipsight_context* context, const hipsight_tensor* x, const hipsight_tensor* d_w,
    const hipsight_tensor* d_y, uint64_t* workspace_bytes,
    const hipsight_convolution_options* options);

/* y[t] = bias + sum of w[i] x[t - (taps - 1) + i] of each channel, then SiLU if asked for. x, y:
 * sequences x tokens x channels, sequences without gaps; w: channels x taps, of 2 to 8; bias: of
 * each channel, or null; before: sequences x (taps - 1) x channels, what comes before each
 * sequence, or null for zeros. All of f16, bf16 or f32. */
HIPSIGHT_OPERATION const char* hipsight_causal_convolution(
    const hipsight_context* context, const hipsight_tensor* x, const hipsight_tensor* w,
    const hipsight_tensor* bias, const hipsight_tensor* before, const hipsight_tensor* y, int silu);

/* --- Mixtures of experts, but for their matrices
 * -------------------------------------------------- */

/* How experts are chosen. `bias` is added for the comparison alone: f32, one for each expert, or
 * null. Experts are in `groups` of as many neighbours each; those of the best chosen_groups are
 * compared. A group is as good as its best `of_group` experts together, 1 or 2. */
typedef struct {
  int sigmoid;                         /* scores become 1 / (1 + exp(-x)); else their softmax */
  int renormalise;                     /* the weights of a token's experts add up to `factor` */
  float factor;                        /* of all weights */
  int groups, chosen_groups, of_group; /* 1, 1, 1: without groups */
} hipsight_moe_options;

/* scores: tokens x experts (up to 512), of f16, bf16 or f32. experts, i32, and weights, f32: tokens
 * x chosen (up to 16), the best one first. */
HIPSIGHT_OPERATION const char* hipsight_moe_route(const hipsight_context* context,
                                                  const hipsight_tensor* scores,
                                                  const hipsight_tensor* bias,
                                                  const hipsight_tensor* experts,
                                                  const hipsight_tensor* weights,
                                                  const hipsight_moe_options* options);

/* Choices in the order of experts, for grouped_gemm. experts: i32, tokens x chosen, without gaps.
 * starts: i32, experts + 1; rows: i32, the token of each row, tokens chosen; places: i32, tokens x
 * chosen, the row of each choice, or -1 if its expert is none. */
HIPSIGHT_OPERATION const char* hipsight_moe_sort(const hipsight_context* context,
                                                 const hipsight_tensor* experts,
                                                 const hipsight_tensor* starts,
                                                 const hipsight_tensor* rows,
                                                 const hipsight_tensor* places);

/* y[token] = sum over its choices of their weight times x[their place]. x: rows x columns, y:
 * tokens x columns, of f16, bf16 or f32; places: i32, weights: f32, tokens x chosen. */
HIPSIGHT_OPERATION const char* hipsight_moe_combine(const hipsight_context* context,
                                                    const hipsight_tensor* x,
                                                    const hipsight_tensor* places,
                                                    const hipsight_tensor* weights,
                                                    const hipsight_tensor* y);

/* --- Rows of matrices: tokens x columns, of f16, bf16 or f32, computed in f32 -------------------
 */

/* A result y in fp8 or i8 has scales of f32: tokens x 1, or tokens x columns/128. They are null
 * otherwise. weight and bias have a value for each column. */

/* y = x / sqrt(mean(x^2) + epsilon) weight */
HIPSIGHT_OPERATION const char* hipsight_rms_norm(const hipsight_context* context,
                                                 const hipsight_tensor* x,
                                                 const hipsight_tensor* weight,
                                                 const hipsight_tensor* y, float epsilon,
                                                 const hipsight_tensor* scales);

/* sum = x + residual; y = sum / sqrt(mean(sum^2) + epsilon) weight */
HIPSIGHT_OPERATION const char* hipsight_add_rms_norm(
    const hipsight_context* context, const hipsight_tensor* x, const hipsight_tensor* residual,
    const hipsight_tensor* weight, const hipsight_tensor* y, const hipsight_tensor* sum,
    float epsilon, const hipsight_tensor* scales);

/* y = (x - mean(x)) / sqrt(variance(x) + epsilon) weight + bias */
HIPSIGHT_OPERATION const char* hipsight_layer_norm(const hipsight_context* context,
                                                   const hipsight_tensor* x,
                                                   const hipsight_tensor* weight,
                                                   const hipsight_tensor* bias,
                                                   const hipsight_tensor* y, float epsilon);

/* y = softmax(scale x) */
HIPSIGHT_OPERATION const char* hipsight_softmax(const hipsight_context* context,
                                                const hipsight_tensor* x, const hipsight_tensor* y,
                                                float scale);

/* y = silu(gate) up */
HIPSIGHT_OPERATION const char* hipsight_silu_mul(const hipsight_context* context,
                                                 const hipsight_tensor* gate,
                                                 const hipsight_tensor* up,
                                                 const hipsight_tensor* y,
                                                 const hipsight_tensor* scales);

/* y = gelu(gate) up, with gelu's approximation in tanh */
HIPSIGHT_OPERATION const char* hipsight_gelu_mul(const hipsight_context* context,
                                                 const hipsight_tensor* gate,
                                                 const hipsight_tensor* up,
                                                 const hipsight_tensor* y,
                                                 const hipsight_tensor* scales);

/* y = x / scales, rounded; scales are computed */
HIPSIGHT_OPERATION const char* hipsight_quantise(const hipsight_context* context,
                                                 const hipsight_tensor* x, const hipsight_tensor* y,
                                                 const hipsight_tensor* scales);

/* Rotates pairs of values of x, tokens x heads x size, by the angle of their token's position.
 * cosine and sine: f32, positions x pairs; positions: i32 of each token, or null: 0, 1, ...
 * interleaved: pairs are neighbours; else they lie half of what is rotated apart. */
HIPSIGHT_OPERATION const char* hipsight_rope(const hipsight_context* context,
                                             const hipsight_tensor* x, const hipsight_tensor* y,
                                             const hipsight_tensor* cosine,
                                             const hipsight_tensor* sine,
                                             const hipsight_tensor* positions, int interleaved);

/* --- Training: gradients of operations on rows, the loss, the optimizer. Of f16, bf16 or f32
 * -------- */

/* The gradients of rms_norm's x, up to 16,384 columns, and weight, of that of y. workspace: bytes,
 * as i8: as many as the function below says, which depend on the sizes and the GPU alone. */
HIPSIGHT_OPERATION const char* hipsight_rms_norm_backward(
    const hipsight_context* context, const hipsight_tensor* x, const hipsight_tensor* weight,
    const hipsight_tensor* d_y, const hipsight_tensor* d_x, const hipsight_tensor* d_weight,
    const hipsight_tensor* workspace, float epsilon);
HIPSIGHT_OPERATION const char* hipsight_rms_norm_backward_workspace(const hipsight_context* context,
                                                                    const hipsight_tensor* x,
                                                                    uint64_t* workspace_bytes);

/* Those of layer_norm's x, up to 8,192 columns, weight and bias. */
HIPSIGHT_OPERATION const char* hipsight_layer_norm_backward(
    const hipsight_context* context, const hipsight_tensor* x, const hipsight_tensor* weight,
    const hipsight_tensor* d_y, const hipsight_tensor* d_x, const hipsight_tensor* d_weight,
    const hipsight_tensor* d_bias, const hipsight_tensor* workspace, float epsilon);
HIPSIGHT_OPERATION const char* hipsight_layer_norm_backward_workspace(
    const hipsight_context* context, const hipsight_tensor* x, uint64_t* workspace_bytes);

/* That of x, of y = softmax(scale x). */
HIPSIGHT_OPERATION const char* hipsight_softmax_backward(const hipsight_context* context,
                                                         const hipsight_tensor* y,
                                                         const hipsight_tensor* d_y,
                                                         const hipsight_tensor* d_x, float scale);

/* Those of gate and up; they may lie where the inputs do. */
HIPSIGHT_OPERATION const char* hipsight_silu_mul_backward(
    const hipsight_context* context, const hipsight_tensor* gate, const hipsight_tensor* up,
    const hipsight_tensor* d_y, const hipsight_tensor* d_gate, const hipsight_tensor* d_up);
HIPSIGHT_OPERATION const char* hipsight_gelu_mul_backward(
    const hipsight_context* context, const hipsight_tensor* gate, const hipsight_tensor* up,
    const hipsight_tensor* d_y, const hipsight_tensor* d_gate, const hipsight_tensor* d_up);

/* losses: log(sum(exp(row))) - row[target], f32, of each row of logits, tokens x classes; targets:
 * i32. d_logits: factor times the losses' gradients, which may lie where the logits do. A row whose
 * target is below 0 counts for nothing; the loss of one beyond the classes is not a number. */
HIPSIGHT_OPERATION const char* hipsight_cross_entropy(
    const hipsight_context* context, const hipsight_tensor* logits, const hipsight_tensor* targets,
    const hipsight_tensor* losses, const hipsight_tensor* d_logits, float factor);

/* What a step of AdamW does (arXiv 1711.05101). The first step is 1. */
typedef struct {
  float rate, beta1, beta2, epsilon, decay;
  float gradient_factor; /* of gradients that were clipped or scaled */
  int step;
} hipsight_adamw_step;

/* One step, in place. gradient and parameters: matrices of one shape; mean and square: f32. master:
 * the parameters in f32, which are then rounded into `parameters`, or null. */
HIPSIGHT_OPERATION const char* hipsight_adamw(
    const hipsight_context* context, const hipsight_tensor* gradient,
    const hipsight_tensor* parameters, const hipsight_tensor* mean, const hipsight_tensor* square,
    const hipsight_tensor* master, const hipsight_adamw_step* step);

/* --- Attention: batch x heads x places x size, of f16 or bf16, size a multiple of 32 up to 256 --
 */

/* causal: place i of q sees k up to i, the last places of both being the same. window: causal, and
 * no more than so many keys; 0: all. soft_cap: the scores, scaled, become cap tanh(score / cap); 0:
 * they stay. */
typedef struct {
  float scale; /* of scores: positive */
  int causal, window;
  float soft_cap;
} hipsight_attention_options;

/* o = softmax(scale q k^T) v; v and o may have heads of 128 where q's and k's are of 192.
 * log_sums: f32, batch x heads x places, without gaps: the logarithm of
 * each row's sum. sinks: f32, one for each head of q, a score that has its share of the weights and
 * no value; or null. */
HIPSIGHT_OPERATION const char* hipsight_attention(
    const hipsight_context* context, const hipsight_tensor* q, const hipsight_tensor* k,
    const hipsight_tensor* v, const hipsight_tensor* o, const hipsight_tensor* log_sums,
    const hipsight_tensor* sinks, const hipsight_attention_options* options);

/* The gradients of q, k and v, of d_o: without sinks and caps. workspace: as log_sums. */
HIPSIGHT_OPERATION const char* hipsight_attention_backward(
    const hipsight_context* context, const hipsight_tensor* q, const hipsight_tensor* k,
    const hipsight_tensor* v, const hipsight_tensor* o, const hipsight_tensor* d_o,
    const hipsight_tensor* d_q, const hipsight_tensor* d_k, const hipsight_tensor* d_v,
    const hipsight_tensor* log_sums, const hipsight_tensor* workspace,
    const hipsight_attention_options* options);

/* o = attention of q's places, the last ones of their sequence, to a cache in pages. keys, values:
 * pages x places x heads x size, alike, of q's type or fp8; pages: i32, batch x the most pages of a
 * sequence; lengths: i32, of each. key_scale and value_scale multiply what is cached. workspace:
 * bytes, as i8, or null. sinks: as above. Latents (MLA): q's heads are of 576, o's of 512, and keys
 * and values are one tensor of one head, of q's type. */
HIPSIGHT_OPERATION const char* hipsight_paged_attention(
    const hipsight_context* context, const hipsight_tensor* q, const hipsight_tensor* keys,
    const hipsight_tensor* values, const hipsight_tensor* pages, const hipsight_tensor* lengths,
    const hipsight_tensor* o, const hipsight_tensor* workspace, const hipsight_tensor* sinks,
    const hipsight_attention_options* options, float key_scale, float value_scale);

/* New keys and values k and v, tokens x heads x size, of f16 or bf16, into the cache: slots, i32,
 * of each token: place slot % places of page slot / places; a slot below 0: none. They are divided
 * by the scales before they are rounded to fp8. */
HIPSIGHT_OPERATION const char* hipsight_append_to_cache(
    const hipsight_context* context, const hipsight_tensor* k, const hipsight_tensor* v,
    const hipsight_tensor* keys, const hipsight_tensor* values, const hipsight_tensor* slots,
    float key_scale, float value_scale);

/* The bytes of workspace with which hipsight_paged_attention is quickest. */
HIPSIGHT_OPERATION const char* hipsight_paged_attention_workspace(
    const hipsight_context* context, const hipsight_tensor* q, const hipsight_tensor* keys,
    const hipsight_tensor* values, const hipsight_tensor* pages, const hipsight_tensor* lengths,
    const hipsight_tensor* o, uint64_t* workspace_bytes);

#ifdef __cplusplus
}
#endif
#endif
