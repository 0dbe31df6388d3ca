#include "isa/fidelity.h"

#include <algorithm>
#include <initializer_list>

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

bool starts(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

FidelityNote matrix(const Instruction& in, bool exact_mode) {
  const bool integer = has(in.name, "_I32_");
  const bool cdna4 = in.gfx == Gfx::Gfx950;
  if (in.name.starts_with("V_SMFMAC") || in.name.starts_with("V_SWMMAC")) {
    const bool longer = cdna4 || in.name.starts_with("V_SWMMAC");
    return !integer ? kOtherMatrix : longer ? kSparseLayout : FidelityNote{};
  }
  if (integer) return {};
  if (has(in.name, "F8F6F4")) return kScaledMatrix;
  if (in.name.starts_with("V_WMMA")) {
    const bool measured = !has(in.name, "FP8") && !has(in.name, "BF8");
    return !measured ? kOtherMatrix : exact_mode ? FidelityNote{} : kFastWmma;
  }
  // Chains of FMAs on CDNA1 to CDNA3 (MMA-Sim, arXiv 2511.10909).
  const bool chain =
      in.name.starts_with("V_MFMA_F64") || (in.name.ends_with("F32") && !in.name.ends_with("XF32"));
  if (cdna4) return kCdna4Matrix;
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
  const std::string_view name = in.name;
  if (starts(name, {"V_MFMA", "V_SMFMAC", "V_WMMA", "V_SWMMAC"})) return matrix(in, exact_matrix);
  if (starts(name, {"V_RCP_F64", "V_RSQ_F64", "V_SQRT_F64"})) return kTranscendental64;
  if (starts(name, {"V_SIN_", "V_COS_"})) return kSine;
  if (starts(name, {"V_EXP_", "V_LOG_", "V_RCP_", "V_RSQ_", "V_SQRT_", "V_S_EXP_", "V_S_LOG_",
                    "V_S_RCP_", "V_S_RSQ_", "V_S_SQRT_"}))
    return kTranscendental;
  const bool dot2 = starts(name, {"V_DOT2_F", "V_DOT2_BF16", "V_DOT2C_F32"});  // RDNA's: measured
  if ((dot2 && !is_rdna(in.gfx)) || name.starts_with("V_DOT4_F32")) return kDot;
  if (has(name, "ATOMIC_ADD_F") || has(name, "ATOMIC_PK_ADD") ||
      starts(name, {"DS_ADD_F", "DS_ADD_RTN_F", "DS_PK_ADD"}))
    return kAtomic;
  if (starts(name, {"BUFFER_STORE_FORMAT", "TBUFFER_STORE_FORMAT"})) return kFormat;
  if (starts(name, {"S_MEMTIME", "S_MEMREALTIME", "S_SENDMSG_RTN"})) return kPlace;
  // hwreg(HW_REG_MODE) is the wave's own.
  if (name.starts_with("S_GETREG") && (in.imm & 63) != 1) return kPlace;
  return {};
}

}  // namespace hipsight::isa
