// Matrix instructions whose operands are floats of eight, six and four bits, each in a format of
// its own, and which may have scales for blocks of 32 along k (CDNA4 ISA, "V_MFMA_F32_*_F8F6F4").
// Each element is a chain of double FMAs over k in order, rounded once: products with scales may
// lie outside the range of float though their sum does not.

#include "engine/interpret/matrix/matrix.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {
namespace {

constexpr unsigned lanes = 64, block = 32, no_number = 0xff;

/// The formats, as CBSZ and BLGP number them: FP8, BF8, FP6, BF6, FP4.
struct Format {
  unsigned bits, exponent_bits;
};
constexpr std::array formats{Format{8, 4}, Format{8, 5}, Format{6, 2}, Format{6, 3}, Format{4, 2}};

/// The number that a code stands for. Formats of less than eight bits have but finite numbers.
double widen(std::uint32_t code, const Format& format) {
  if (format.bits == 8) return static_cast<double>(widen_f8(code, format.exponent_bits, false));
  const unsigned mantissa_bits = format.bits - 1 - format.exponent_bits;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const std::uint32_t exponent = code >> mantissa_bits & ((1u << format.exponent_bits) - 1);
  const std::uint32_t mantissa = code & ((1u << mantissa_bits) - 1);
  const std::uint32_t whole = exponent ? mantissa | 1u << mantissa_bits : mantissa;
  const int power = static_cast<int>(exponent ? exponent : 1) - bias;
  const double magnitude =
      std::ldexp(static_cast<double>(whole), power - static_cast<int>(mantissa_bits));
  return code >> (format.bits - 1) ? -magnitude : magnitude;
}
using Numbers = std::array<double, 256>;
const Numbers& numbers_of(unsigned format) {
  static const auto all = [] {
    std::array<Numbers, formats.size()> result{};
    for (std::size_t f = 0; f < formats.size(); ++f)
      for (std::uint32_t code = 0; code < 1u << formats[f].bits; ++code)
        result[f][code] = widen(code, formats[f]);
    return result;
  }();
  return all[format];
}

/// E8M0: powers of two, and a NaN.
double scale_of(std::uint32_t byte) {
  return byte == no_number ? std::bit_cast<double>(0x7ff8000000000000ull)
                           : std::ldexp(1.0, static_cast<int>(byte) - 127);
}

/// A or B as out[k][row]. Lane l holds row l % M; each lane 32 elements, side by side along k, but
/// those of eight bits in two runs of sixteen with the other lanes' between them. The scale of row
/// i and block b of k is in lane b M + i.
template <unsigned M>
void load_operand(const std::uint32_t* registers, unsigned format, const std::uint32_t* scales,
                  double (*out)[M]) {
  constexpr unsigned groups = lanes / M, run = 16;
  const Numbers& numbers = numbers_of(format);
  const unsigned bits = formats[format].bits;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const unsigned row = lane % M, group = lane / M;
    for (unsigned e = 0; e < block; ++e) {
      const unsigned bit = e * bits, r = bit / 32;
      std::uint64_t word = registers[r * lanes + lane];
      if (bit % 32 + bits > 32) word |= std::uint64_t{registers[(r + 1) * lanes + lane]} << 32;
      const unsigned k = bits == 8 ? (e / run * groups + group) * run + e % run : group * block + e;
      const double number = numbers[word >> bit % 32 & ((1u << bits) - 1)];
      out[k][row] = scales ? number * scale_of(scales[k / block * M + row]) : number;
    }
  }
}

/// The scales of the instruction that follows: the byte of each that op_sel names, in every lane.
const Op* load_scales(Wave& w, const Op* op) {
  const isa::Instruction& in = *op->instruction;
  for (unsigned i = 0; i < 2; ++i) {
    const std::uint32_t* from = registers_of(w, op, i);
    const bool uniform = op->base[i] == Base::Wave && !op->step[i];
    const unsigned byte = (in.op_sel >> i & 1) | (in.op_sel_hi >> i & 1) << 1;
    auto* to = reinterpret_cast<std::uint32_t*>(w.temporary[i]);
    for (unsigned lane = 0; lane < lanes; ++lane)
      to[lane] = from[uniform ? 0 : lane] >> byte * 8 & 0xff;
  }
  return op + 1;
}

template <unsigned M, bool scaled>
const Op* mfma_f8f6f4(Wave& w, const Op* op) {
  constexpr unsigned K = lanes / M * block, registers = M * M / lanes;
  const isa::Instruction& in = *op->instruction;
  if (in.cbsz >= formats.size() || in.blgp >= formats.size()) report_unknown(w, op);
  const auto scales = [&](unsigned i) {
    return scaled ? reinterpret_cast<const std::uint32_t*>(w.temporary[i]) : nullptr;
  };
  alignas(64) double a[K][M], b[K][M], sum[M][M];
  load_operand<M>(registers_of(w, op, 0), in.cbsz, scales(0), a);
  load_operand<M>(registers_of(w, op, 1), in.blgp, scales(1), b);
  const std::uint32_t* c = registers_of(w, op, 2);
  const bool constant = op->base[2] == Base::Constant;
  for (unsigned i = 0; i < M; ++i)
    for (unsigned j = 0; j < M; ++j) {
      const auto [r, lane] = mfma_place<M>(0, i, j);
      sum[i][j] = static_cast<double>(std::bit_cast<float>(c[constant ? 0 : r * lanes + lane]));
    }
  const auto row_of = [](auto& rows) { return [&rows](unsigned i) { return rows[i]; }; };
  multiply<double, M, M, K>(row_of(a), row_of(b), row_of(sum), row_of(sum));
  auto* d = reinterpret_cast<std::uint32_t*>(w.bytes() + op->dst);
  for (unsigned i = 0; i < M; ++i)
    for (unsigned j = 0; j < M; ++j) {
      const auto [r, lane] = mfma_place<M>(0, i, j);
      const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(sum[i][j]));
      d[r * lanes + lane] = positive_nan(bits);
    }
  static_assert(registers * lanes == M * M);
  return op + 1;
}

}  // namespace

void add_scaled_matrix(Table& table) {
  const auto add = [&](std::string_view name, Run run) { table.add(name, {run, run}); };
  add("V_MFMA_F32_16X16X128_F8F6F4", mfma_f8f6f4<16, false>);
  add("V_MFMA_F32_32X32X64_F8F6F4", mfma_f8f6f4<32, false>);
  add("V_MFMA_SCALE_F32_16X16X128_F8F6F4", mfma_f8f6f4<16, true>);
  add("V_MFMA_SCALE_F32_32X32X64_F8F6F4", mfma_f8f6f4<32, true>);
  add("V_MFMA_LD_SCALE_B32", load_scales);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
