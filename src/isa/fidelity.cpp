#include "isa/fidelity.h"

namespace hipsight::isa {
namespace {

constexpr FidelityNote kTranscendental{
    Fidelity::Approximate,
    "the hardware's tables are not public: 0.501 ulp here, 1 ulp by the manuals"};
constexpr FidelityNote kTranscendental64{Fidelity::Approximate,
                                         "rounds correctly here; the manuals promise 2^29 ulp"};
constexpr FidelityNote kSine{Fidelity::Approximate,
                             "0.501 ulp here; the hardware's error is not published"};
constexpr FidelityNote kFastMatrix{
    Fidelity::Approximate,
    "a chain of FMAs, within 8 * 2^-24 of the terms' sum; --matrix exact sums as measured"};
constexpr FidelityNote kFastWmma{Fidelity::Approximate,
                                 "a chain of FMAs; --matrix exact sums as measured"};
constexpr FidelityNote kCdna4Matrix{
    Fidelity::Assumed, "CDNA4's sums are not published: exact mode takes CDNA3's, fast mode FMAs"};
constexpr FidelityNote kOtherMatrix{
    Fidelity::Assumed, "the order of the sum is not published: a chain of FMAs over k"};
constexpr FidelityNote kScaledMatrix{
    Fidelity::Assumed, "the sum is not published: a chain of f64 FMAs over k, rounded once"};
constexpr FidelityNote kSparseLayout{
    Fidelity::Assumed, "the layout of operands is taken from the forms with half the k"};
constexpr FidelityNote kDot{
    Fidelity::Assumed,
    "not published whether each step rounds: products are added one by one, fused"};
constexpr FidelityNote kAtomic{Fidelity::Assumed,
                               "the order of lanes and waves is not defined; denormals are kept"};
constexpr FidelityNote kFormat{Fidelity::Assumed,
                               "what does not fit the format is not said (docs/isa.md)"};
constexpr FidelityNote kPlace{Fidelity::Assumed,
                              "clocks and the identity of hardware units are the emulator's own"};

FidelityNote matrix(const Instruction& in, bool exact_mode) {
  const Row& row = *in.row;
  const bool integer = row.result == Number::I32, rdna = is_rdna(in.gfx);
  const bool cdna4 = in.gfx == Gfx::Gfx950;
  if (row.sparse) return !integer ? kOtherMatrix : cdna4 || rdna ? kSparseLayout : FidelityNote{};
  if (integer) return {};
  if (row.formats_vary) return kScaledMatrix;
  if (rdna) return row.small_floats ? kOtherMatrix : exact_mode ? FidelityNote{} : kFastWmma;
  if (cdna4) return kCdna4Matrix;
  // Chains of FMAs on CDNA1 to CDNA3 (MMA-Sim, arXiv 2511.10909).
  const bool chain = row.number == Number::F64 || row.number == Number::F32;
  return chain || exact_mode ? FidelityNote{} : kFastMatrix;
}

}  // namespace

std::string_view text(Fidelity fidelity) {
  switch (fidelity) {
    case Fidelity::Exact:
      return "exact";
    case Fidelity::Approximate:
      return "approximate";
    case Fidelity::Assumed:
      return "assumed";
  }
  return "?";
}

FidelityNote fidelity_of(const Instruction& in, bool exact_matrix) {
  const Row& row = *in.row;
  if (row.kind == Kind::Matrix) return matrix(in, exact_matrix);
  if (row.pipe == Pipe::Transcendental) {
    using enum Opcode;
    const bool sine = in.is(V_SIN_F16) || in.is(V_SIN_F32) || in.is(V_COS_F16) || in.is(V_COS_F32);
    return sine ? kSine : row.number == Number::F64 ? kTranscendental64 : kTranscendental;
  }
  // RDNA's sums of two products are measured.
  const bool measured = row.products == 2 && is_rdna(in.gfx);
  if (row.products && row.operations_per_lane && !measured) return kDot;
  if (row.adds_floats) return kAtomic;
  if (row.memory.formatted() && row.memory.stores()) return kFormat;
  switch (row.opcode) {
    case Opcode::S_MEMTIME:
    case Opcode::S_MEMREALTIME:
    case Opcode::S_SENDMSG_RTN_B32:
    case Opcode::S_SENDMSG_RTN_B64:
      return kPlace;
    case Opcode::S_GETREG_B32: {
      constexpr unsigned mode = 1;  // hwreg(HW_REG_MODE): the wave's own
      return in.imm.hardware_register().id == mode ? FidelityNote{} : kPlace;
    }
    default:
      return {};
  }
}

}  // namespace hipsight::isa
