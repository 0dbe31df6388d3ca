// What one execution of an instruction amounts to: unit, arithmetic, bytes, worked out by hand from
// the ISA manuals' descriptions.
#include <gtest/gtest.h>

#include "assemble.h"
#include "isa/decode.h"
#include "isa/instruction.h"

namespace hipsight::test {
namespace {

using isa::Number;
using isa::Pipe;
using isa::Work;

isa::Instruction decoded(const char* processor, const char* text) {
  const auto code = assemble(processor, text);
  isa::Decoder decoder(processor);
  const auto instruction = decoder.decode(code, 0);
  EXPECT_TRUE(instruction) << text;
  return instruction.value_or(isa::Instruction{});
}
Work work(const char* processor, const char* text) {
  return isa::work_of(decoded(processor, text));
}

struct Unit {
  const char *processor, *text;
  Pipe pipe;
};
const Unit units[] = {
    {"gfx90a", "s_add_u32 s0, s1, s2", Pipe::Scalar},
    {"gfx90a", "s_mov_b64 s[0:1], exec", Pipe::Scalar},
    {"gfx90a", "s_cmp_eq_u32 s0, s1", Pipe::Scalar},
    {"gfx90a", "s_movk_i32 s0, 1", Pipe::Scalar},
    {"gfx1201", "s_add_f32 s0, s1, s2", Pipe::Scalar},
    {"gfx90a", "s_getpc_b64 s[0:1]", Pipe::Scalar},
    {"gfx90a", "s_branch 4", Pipe::Branch},
    {"gfx90a", "s_cbranch_scc0 4", Pipe::Branch},
    {"gfx90a", "s_cbranch_execz 4", Pipe::Branch},
    {"gfx90a", "s_setpc_b64 s[0:1]", Pipe::Branch},
    {"gfx90a", "s_swappc_b64 s[0:1], s[2:3]", Pipe::Branch},
    {"gfx90a", "s_call_b64 s[0:1], 4", Pipe::Branch},
    {"gfx90a", "s_endpgm", Pipe::Branch},
    {"gfx90a", "s_waitcnt 0", Pipe::Wait},
    {"gfx1201", "s_wait_loadcnt 0", Pipe::Wait},
    {"gfx1100", "s_waitcnt_vscnt null, 0", Pipe::Wait},
    {"gfx90a", "s_nop 1", Pipe::Wait},
    {"gfx90a", "s_barrier", Pipe::Wait},
    {"gfx1201", "s_barrier_wait -1", Pipe::Wait},
    {"gfx1201", "s_barrier_signal -1", Pipe::Wait},
    {"gfx1100", "s_delay_alu 0", Pipe::Wait},
    {"gfx1100", "s_clause 1", Pipe::Wait},
    {"gfx90a", "s_sleep 1", Pipe::Wait},
    {"gfx942", "buffer_inv sc1", Pipe::Wait},
    {"gfx90a", "v_nop", Pipe::Wait},
    {"gfx90a", "s_load_dword s0, s[2:3], 0", Pipe::ScalarMemory},
    {"gfx90a", "s_memtime s[0:1]", Pipe::ScalarMemory},
    {"gfx90a", "v_mov_b32 v0, v1", Pipe::Vector},
    {"gfx90a", "v_add_f32 v0, v1, v2", Pipe::Vector},
    {"gfx90a", "v_cmp_lt_f32 vcc, v0, v1", Pipe::Vector},
    {"gfx90a", "v_pk_fma_f16 v0, v1, v2, v3", Pipe::Vector},
    {"gfx90a", "v_readlane_b32 s0, v1, 3", Pipe::Vector},
    {"gfx90a", "v_accvgpr_read_b32 v0, a1", Pipe::Vector},
    {"gfx1100", "v_dual_mul_f32 v0, v1, v2 :: v_dual_add_f32 v3, v4, v5", Pipe::Vector},
    {"gfx90a", "v_mul_lo_u32 v0, v1, v2", Pipe::Vector},
    {"gfx90a", "v_cvt_f16_f32 v0, v1", Pipe::Vector},
    {"gfx90a", "v_exp_f32 v0, v1", Pipe::Transcendental},
    {"gfx90a", "v_log_f16 v0, v1", Pipe::Transcendental},
    {"gfx90a", "v_rcp_f32 v0, v1", Pipe::Transcendental},
    {"gfx90a", "v_rcp_iflag_f32 v0, v1", Pipe::Transcendental},
    {"gfx90a", "v_rsq_f32 v0, v1", Pipe::Transcendental},
    {"gfx90a", "v_sqrt_f32 v0, v1", Pipe::Transcendental},
    {"gfx90a", "v_sin_f32 v0, v1", Pipe::Transcendental},
    {"gfx90a", "v_cos_f16 v0, v1", Pipe::Transcendental},
    {"gfx1100", "v_exp_f32 v0, v1", Pipe::Transcendental},
    {"gfx1201", "v_s_rcp_f32 s0, s1", Pipe::Transcendental},
    {"gfx90a", "v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[2:3], a[0:15]", Pipe::Matrix},
    {"gfx1100", "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", Pipe::Matrix},
    {"gfx90a", "ds_read_b32 v0, v1", Pipe::Lds},
    {"gfx90a", "ds_bpermute_b32 v0, v1, v2", Pipe::Lds},
    {"gfx90a", "ds_swizzle_b32 v0, v1", Pipe::Lds},
    {"gfx90a", "global_load_dword v0, v[2:3], off", Pipe::Global},
    {"gfx90a", "buffer_load_dword v0, off, s[0:3], 0", Pipe::Global},
    {"gfx90a", "flat_load_dword v0, v[2:3]", Pipe::Flat},
    {"gfx90a", "scratch_load_dword v0, off, s0", Pipe::Scratch},
};

TEST(Work, IsOfTheUnitThatExecutesIt) {
  for (const Unit& unit : units)
    EXPECT_EQ(isa::text(work(unit.processor, unit.text).pipe), isa::text(unit.pipe)) << unit.text;
}

struct Arithmetic {
  const char *processor, *text;
  Number number;
  double per_lane;  ///< floating-point operations; an FMA is two
};
const Arithmetic arithmetic[] = {
    {"gfx90a", "v_add_f32 v0, v1, v2", Number::F32, 1},
    {"gfx90a", "v_sub_f16 v0, v1, v2", Number::F16, 1},
    {"gfx90a", "v_subrev_f32 v0, v1, v2", Number::F32, 1},
    {"gfx90a", "v_mul_f64 v[0:1], v[2:3], v[4:5]", Number::F64, 1},
    {"gfx90a", "v_mul_legacy_f32 v0, v1, v2", Number::F32, 1},
    {"gfx90a", "v_fma_f32 v0, v1, v2, v3", Number::F32, 2},
    {"gfx90a", "v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", Number::F64, 2},
    {"gfx90a", "v_fmac_f32 v0, v1, v2", Number::F32, 2},
    {"gfx1100", "v_fmamk_f32 v0, v1, 0x40490fdb, v2", Number::F32, 2},
    {"gfx1100", "v_fmaak_f16 v0.l, v1.l, v2.l, 0x4249", Number::F16, 2},
    {"gfx90a", "v_pk_add_f16 v0, v1, v2", Number::F16, 2},
    {"gfx90a", "v_pk_fma_f16 v0, v1, v2, v3", Number::F16, 4},
    {"gfx90a", "v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]", Number::F32, 4},
    {"gfx90a", "v_pk_mul_f32 v[0:1], v[2:3], v[4:5]", Number::F32, 2},
    {"gfx90a", "v_fma_mix_f32 v0, v1, v2, v3", Number::F32, 2},
    {"gfx90a", "v_dot2_f32_f16 v0, v1, v2, v3", Number::F32, 4},
    {"gfx90a", "v_rcp_f32 v0, v1", Number::F32, 1},
    {"gfx90a", "v_exp_f16 v0, v1", Number::F16, 1},
    {"gfx90a", "v_rsq_f64 v[0:1], v[2:3]", Number::F64, 1},
    {"gfx1100", "v_dual_fmac_f32 v0, v1, v2 :: v_dual_add_f32 v3, v4, v5", Number::F32, 3},
    {"gfx1100", "v_dual_mov_b32 v0, v1 :: v_dual_mul_f32 v3, v4, v5", Number::F32, 1},
    {"gfx1100", "v_dual_mul_f32 v0, v1, v2 :: v_dual_mov_b32 v3, v4", Number::F32, 1},
    {"gfx1201", "v_dot4_f32_fp8_fp8 v0, v1, v2, v3", Number::F32, 8},
    // No arithmetic on floats.
    {"gfx90a", "v_dot2_i32_i16 v0, v1, v2, v3", Number::None, 0},
    {"gfx90a", "v_mad_legacy_u16 v0, v1, v2, v3", Number::None, 0},
    {"gfx90a", "v_mov_b32 v0, v1", Number::None, 0},
    {"gfx90a", "v_add_u32 v0, v1, v2", Number::None, 0},
    {"gfx90a", "v_max_f32 v0, v1, v2", Number::None, 0},
    {"gfx90a", "v_cmp_lt_f32 vcc, v0, v1", Number::None, 0},
    {"gfx90a", "v_cvt_f32_f16 v0, v1", Number::None, 0},
    {"gfx90a", "v_mad_u64_u32 v[0:1], vcc, v2, v3, v[4:5]", Number::None, 0},
    {"gfx90a", "v_mad_u32_u24 v0, v1, v2, v3", Number::None, 0},
    {"gfx90a", "v_cndmask_b32 v0, v1, v2, vcc", Number::None, 0},
};

TEST(Work, CountsTheArithmeticOfALane) {
  for (const Arithmetic& a : arithmetic) {
    const Work found = work(a.processor, a.text);
    EXPECT_EQ(isa::text(found.number), isa::text(a.number)) << a.text;
    EXPECT_EQ(found.operations_per_lane, a.per_lane) << a.text;
    EXPECT_EQ(found.operations_per_wave, 0) << a.text;
  }
}

TEST(Work, OfScalarsIsOfTheWave) {
  const Work found = work("gfx1201", "v_s_rcp_f32 s0, s1");
  EXPECT_EQ(isa::text(found.number), isa::text(Number::F32));
  EXPECT_EQ(found.operations_per_wave, 1);
  EXPECT_EQ(found.operations_per_lane, 0);
}

TEST(Work, OfAppendsGivesTheCountThatWasThere) {
  EXPECT_TRUE(decoded("gfx90a", "ds_append v0").returns);
  EXPECT_TRUE(decoded("gfx1100", "ds_consume v0").returns);
  EXPECT_TRUE(decoded("gfx90a", "ds_add_rtn_u32 v0, v1, v2").returns);
  EXPECT_FALSE(decoded("gfx90a", "ds_add_u32 v0, v1").returns);
}

struct Matrix {
  const char *processor, *text;
  Number number;
  double m, n, k, blocks;
};
// Blocks: the manuals' table of matrix instructions.
const Matrix matrices[] = {
    {"gfx950", "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[0:3]", Number::F8, 16, 16,
     128, 1},
    {"gfx950", "v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[4:7], v[12:19], a[0:15] cbsz:4 blgp:1",
     Number::F8, 32, 32, 64, 1},
    {"gfx950", "v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[4:9], v[12:15], a[0:15] cbsz:3 blgp:4",
     Number::F6, 32, 32, 64, 1},
    {"gfx950",
     "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:7], v[12:15], v[0:3], v20, v21 cbsz:4 blgp:4",
     Number::F4, 16, 16, 128, 1},
    {"gfx90a", "v_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[0:31]", Number::F32, 32, 32, 1, 2},
    {"gfx90a", "v_mfma_f32_16x16x1f32 a[0:15], v0, v1, a[0:15]", Number::F32, 16, 16, 1, 4},
    {"gfx90a", "v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3]", Number::F32, 4, 4, 1, 16},
    {"gfx90a", "v_mfma_f32_32x32x2f32 a[0:15], v0, v1, a[0:15]", Number::F32, 32, 32, 2, 1},
    {"gfx90a", "v_mfma_f32_16x16x4f32 a[0:3], v0, v1, a[0:3]", Number::F32, 16, 16, 4, 1},
    {"gfx90a", "v_mfma_f32_32x32x4f16 a[0:31], v[0:1], v[2:3], a[0:31]", Number::F16, 32, 32, 4, 2},
    {"gfx90a", "v_mfma_f32_16x16x4f16 a[0:15], v[0:1], v[2:3], a[0:15]", Number::F16, 16, 16, 4, 4},
    {"gfx90a", "v_mfma_f32_4x4x4f16 a[0:3], v[0:1], v[2:3], a[0:3]", Number::F16, 4, 4, 4, 16},
    {"gfx90a", "v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[2:3], a[0:15]", Number::F16, 32, 32, 8, 1},
    {"gfx90a", "v_mfma_f32_16x16x16f16 a[0:3], v[0:1], v[2:3], a[0:3]", Number::F16, 16, 16, 16, 1},
    {"gfx90a", "v_mfma_i32_32x32x8i8 a[0:15], v0, v1, a[0:15]", Number::I8, 32, 32, 8, 1},
    {"gfx90a", "v_mfma_i32_4x4x4i8 a[0:3], v0, v1, a[0:3]", Number::I8, 4, 4, 4, 16},
    {"gfx90a", "v_mfma_f32_32x32x2bf16 a[0:31], v0, v1, a[0:31]", Number::BF16, 32, 32, 2, 2},
    {"gfx90a", "v_mfma_f32_32x32x4bf16 a[0:15], v0, v1, a[0:15]", Number::BF16, 32, 32, 4, 1},
    {"gfx90a", "v_mfma_f32_32x32x4bf16_1k a[0:31], v[0:1], v[2:3], a[0:31]", Number::BF16, 32, 32,
     4, 2},
    {"gfx90a", "v_mfma_f32_32x32x8bf16_1k a[0:15], v[0:1], v[2:3], a[0:15]", Number::BF16, 32, 32,
     8, 1},
    {"gfx90a", "v_mfma_f64_16x16x4f64 a[0:7], v[0:1], v[2:3], a[0:7]", Number::F64, 16, 16, 4, 1},
    {"gfx90a", "v_mfma_f64_4x4x4f64 a[0:1], v[0:1], v[2:3], a[0:1]", Number::F64, 4, 4, 4, 4},
    {"gfx942", "v_mfma_i32_32x32x16_i8 a[0:15], v[0:1], v[2:3], a[0:15]", Number::I8, 32, 32, 16,
     1},
    {"gfx942", "v_mfma_f32_16x16x8_xf32 a[0:3], v[0:1], v[2:3], a[0:3]", Number::XF32, 16, 16, 8,
     1},
    {"gfx942", "v_mfma_f32_32x32x16_fp8_bf8 a[0:15], v[0:1], v[2:3], a[0:15]", Number::F8, 32, 32,
     16, 1},
    {"gfx942", "v_mfma_f32_4x4x4_16b_f16 a[0:3], v[0:1], v[2:3], a[0:3]", Number::F16, 4, 4, 4, 16},
    {"gfx950", "v_mfma_f32_16x16x32_f16 v[0:3], v[4:7], v[8:11], v[0:3]", Number::F16, 16, 16, 32,
     1},
    {"gfx950", "v_mfma_f32_32x32x16_bf16 v[0:15], v[16:19], v[20:23], v[0:15]", Number::BF16, 32,
     32, 16, 1},
    {"gfx1100", "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", Number::F16, 16, 16,
     16, 1},
    {"gfx1100", "v_wmma_bf16_16x16x16_bf16 v[0:7], v[8:15], v[16:23], v[0:7]", Number::BF16, 16, 16,
     16, 1},
    {"gfx1100", "v_wmma_i32_16x16x16_iu8 v[0:7], v[8:11], v[12:15], v[0:7]", Number::I8, 16, 16, 16,
     1},
    {"gfx1100", "v_wmma_i32_16x16x16_iu4 v[0:7], v[8:9], v[10:11], v[0:7]", Number::I4, 16, 16, 16,
     1},
    {"gfx1201", "v_wmma_f32_16x16x16_fp8_fp8 v[0:7], v[8:9], v[10:11], v[0:7]", Number::F8, 16, 16,
     16, 1},
    {"gfx1201", "v_wmma_i32_16x16x32_iu4 v[0:7], v[8:9], v[10:11], v[0:7]", Number::I4, 16, 16, 32,
     1},
};

TEST(Work, CountsTheArithmeticOfMatrices) {
  for (const Matrix& matrix : matrices) {
    const Work found = work(matrix.processor, matrix.text);
    EXPECT_EQ(isa::text(found.pipe), isa::text(Pipe::Matrix)) << matrix.text;
    EXPECT_EQ(isa::text(found.number), isa::text(matrix.number)) << matrix.text;
    EXPECT_EQ(found.operations_per_wave, 2 * matrix.m * matrix.n * matrix.k * matrix.blocks)
        << matrix.text;
    EXPECT_EQ(found.operations_per_lane, 0) << matrix.text;
  }
}

struct Traffic {
  const char *processor, *text;
  unsigned read, written;
};
const Traffic traffic[] = {
    {"gfx90a", "s_load_dword s0, s[2:3], 0", 4, 0},
    {"gfx90a", "s_load_dwordx16 s[0:15], s[2:3], 0", 64, 0},
    {"gfx90a", "s_buffer_load_dwordx8 s[0:7], s[8:11], 0", 32, 0},
    {"gfx1201", "s_load_b96 s[0:2], s[4:5], 0", 12, 0},
    {"gfx1201", "s_load_u16 s0, s[4:5], 0", 2, 0},
    {"gfx90a", "s_memtime s[0:1]", 0, 0},
    {"gfx90a", "global_load_ubyte v0, v[2:3], off", 1, 0},
    {"gfx90a", "global_load_short_d16_hi v0, v[2:3], off", 2, 0},
    {"gfx90a", "global_load_dword v0, v[2:3], off", 4, 0},
    {"gfx90a", "global_load_dwordx3 v[0:2], v[4:5], off", 12, 0},
    {"gfx90a", "global_load_dwordx4 v[0:3], v[4:5], off", 16, 0},
    {"gfx1100", "global_load_b64 v[0:1], v[4:5], off", 8, 0},
    {"gfx1100", "global_load_d16_b16 v0, v[4:5], off", 2, 0},
    {"gfx90a", "global_store_byte v[2:3], v0, off", 0, 1},
    {"gfx90a", "global_store_dwordx2 v[2:3], v[0:1], off", 0, 8},
    {"gfx90a", "global_atomic_add v[2:3], v0, off", 4, 4},
    {"gfx90a", "global_atomic_add_x2 v[2:3], v[0:1], off", 8, 8},
    {"gfx90a", "global_atomic_add_f64 v[2:3], v[0:1], off", 8, 8},
    {"gfx90a", "global_atomic_cmpswap v[2:3], v[0:1], off", 4, 4},
    {"gfx90a", "buffer_load_dwordx2 v[0:1], off, s[0:3], 0", 8, 0},
    {"gfx90a", "buffer_store_short v0, off, s[0:3], 0", 0, 2},
    {"gfx90a", "flat_load_sbyte v0, v[2:3]", 1, 0},
    {"gfx90a", "flat_store_dwordx4 v[4:5], v[0:3]", 0, 16},
    {"gfx90a", "scratch_load_dwordx3 v[0:2], off, s0", 12, 0},
    {"gfx90a", "scratch_store_dword off, v0, s0", 0, 4},
    {"gfx90a", "ds_read_u8 v0, v1", 1, 0},
    {"gfx90a", "ds_read_u16_d16 v0, v1", 2, 0},
    {"gfx90a", "ds_read_b96 v[0:2], v4", 12, 0},
    {"gfx90a", "ds_read_b128 v[0:3], v4", 16, 0},
    {"gfx90a", "ds_read2_b32 v[0:1], v2", 8, 0},
    {"gfx90a", "ds_read2_b64 v[0:3], v4", 16, 0},
    {"gfx90a", "ds_read2st64_b32 v[0:1], v2", 8, 0},
    {"gfx90a", "ds_read2st64_b64 v[0:3], v4", 16, 0},
    {"gfx90a", "ds_write_b16 v0, v1", 0, 2},
    {"gfx90a", "ds_write_b8_d16_hi v0, v1", 0, 1},
    {"gfx90a", "ds_write2st64_b32 v0, v1, v2", 0, 8},
    {"gfx90a", "ds_write2_b64 v0, v[2:3], v[4:5]", 0, 16},
    {"gfx90a", "ds_add_u32 v0, v1", 4, 4},
    {"gfx90a", "ds_add_rtn_u64 v[0:1], v2, v[4:5]", 8, 8},
    {"gfx90a", "ds_bpermute_b32 v0, v1, v2", 0, 0},
    {"gfx90a", "ds_append v0", 4, 4},
    {"gfx90a", "ds_gws_init v0 gds", 0, 0},  // a semaphore
    {"gfx90a", "buffer_load_format_x off, s[0:3], 0 lds", 4, 0},
    {"gfx90a", "v_add_f32 v0, v1, v2", 0, 0},
};

TEST(Work, CountsTheBytesOfALane) {
  for (const Traffic& t : traffic) {
    const Work found = work(t.processor, t.text);
    EXPECT_EQ(found.bytes_read, t.read) << t.text;
    EXPECT_EQ(found.bytes_written, t.written) << t.text;
  }
}

/// What LLVM writes for nontemporal accesses (AMDGPUUsage, memory models), and other bits of the
/// policy.
TEST(Work, KnowsWhatStreams) {
  struct Policy {
    const char *processor, *text;
    bool streams;
  };
  const Policy policies[] = {
      {"gfx90a", "global_store_dwordx2 v[0:1], v[2:3], off glc slc", true},
      {"gfx90a", "global_load_dword v0, v[2:3], off glc", false},
      {"gfx90a", "buffer_load_dword v0, v1, s[0:3], 0 offen slc", true},
      {"gfx90a", "buffer_load_dword v0, v1, s[0:3], 0 offen scc", false},
      {"gfx942", "global_load_dwordx4 v[0:3], v[4:5], off nt", true},
      {"gfx942", "global_load_dwordx4 v[0:3], v[4:5], off sc0 sc1", false},
      {"gfx950", "buffer_store_dword v0, v1, s[0:3], 0 offen nt", true},
      {"gfx950", "buffer_store_dword v0, v1, s[0:3], 0 offen sc0 sc1", false},
      {"gfx1100", "global_load_b32 v0, v[2:3], off slc dlc", true},
      {"gfx1100", "global_load_b32 v0, v[2:3], off glc dlc", false},
      {"gfx1100", "buffer_load_b32 v0, v1, s[0:3], 0 offen slc", true},
      {"gfx1100", "buffer_load_b32 v0, v1, s[0:3], 0 offen glc dlc", false},
      {"gfx1201", "global_load_b32 v0, v[2:3], off th:TH_LOAD_NT", true},
      {"gfx1201", "global_store_b32 v[2:3], v0, off th:TH_STORE_NT scope:SCOPE_DEV", true},
      {"gfx1201", "global_load_b32 v0, v[2:3], off th:TH_LOAD_HT scope:SCOPE_SYS", false},
      {"gfx1201", "buffer_load_b32 v0, v1, s[0:3], null offen th:TH_LOAD_NT", true},
      {"gfx1201", "buffer_load_b32 v0, v1, s[0:3], null offen", false}};
  for (const Policy& p : policies)
    EXPECT_EQ(isa::is_streaming(decoded(p.processor, p.text)), p.streams) << p.text;
}

TEST(Work, CoherentLoadsSeeWhatOtherWorkgroupsWrote) {
  struct Policy {
    const char *processor, *text;
    bool coherent;
  };
  // As LLVM's memory model has atomic loads of the scopes agent and workgroup.
  constexpr Policy policies[]{
      {"gfx90a", "global_load_dword v0, v[2:3], off glc", true},
      {"gfx90a", "global_load_dword v0, v[2:3], off slc", false},
      {"gfx942", "global_load_dword v0, v[2:3], off sc1", true},
      {"gfx942", "global_load_dword v0, v[2:3], off sc0 nt", false},
      {"gfx950", "buffer_load_dword v0, v1, s[0:3], 0 offen sc1", true},
      {"gfx950", "buffer_load_dword v0, v1, s[0:3], 0 offen sc0 nt", false},
      {"gfx1100", "global_load_b32 v0, v[2:3], off glc", true},
      {"gfx1100", "global_load_b32 v0, v[2:3], off slc dlc", false},
      {"gfx1100", "buffer_load_b32 v0, v1, s[0:3], 0 offen glc", true},
      {"gfx1100", "buffer_load_b32 v0, v1, s[0:3], 0 offen slc dlc", false},
      {"gfx1201", "global_load_b32 v0, v[2:3], off scope:SCOPE_DEV", true},
      {"gfx1201", "global_load_b32 v0, v[2:3], off scope:SCOPE_SYS", true},
      {"gfx1201", "global_load_b32 v0, v[2:3], off th:TH_LOAD_NT scope:SCOPE_SE", false}};
  for (const Policy& p : policies)
    EXPECT_EQ(isa::is_coherent(decoded(p.processor, p.text)), p.coherent) << p.text;
}

TEST(Work, LoadsOfAtomicsKeepTheirPlace) {
  struct Case {
    const char *processor, *text;
    bool synchronises;
  };
  constexpr Case cases[]{
      {"gfx90a", "global_load_dword v0, v[2:3], off glc", true},
      {"gfx90a", "flat_load_dwordx2 v[0:1], v[2:3] glc", true},
      {"gfx90a", "global_load_dword v0, v[2:3], off glc slc", false},  // "nontemporal"
      {"gfx90a", "global_load_dword v0, v[2:3], off", false},
      {"gfx90a", "global_atomic_add v0, v[2:3], v1, off glc", false},  // gives the old value
      {"gfx942", "global_load_dword v0, v[2:3], off sc1", true},
      {"gfx942", "global_store_dword v[2:3], v0, off sc1", false},
      {"gfx1100", "buffer_load_b32 v0, v1, s[0:3], 0 offen glc", true},
      {"gfx1201", "global_load_b32 v0, v[2:3], off scope:SCOPE_SYS", true},
      {"gfx1201", "global_load_b32 v0, v[2:3], off scope:SCOPE_SE", false}};
  for (const Case& c : cases)
    EXPECT_EQ(isa::is_synchronising(decoded(c.processor, c.text)), c.synchronises) << c.text;
}

}  // namespace
}  // namespace hipsight::test
