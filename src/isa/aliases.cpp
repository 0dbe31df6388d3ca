#include "isa/aliases.h"

#include <cctype>
#include <map>

namespace hipsight::isa {

// Each pair has the same text in AMD's manuals: MI200, MI300 and CDNA4 on the right, RDNA3 and
// RDNA4 on the left. What differs in meaning has no alias: DS_CMPSTORE takes its operands in the
// other order than DS_CMPST, and RDNA4's *_NUM_* treat signaling NaNs otherwise than V_MIN_F32.
static const std::map<std::string_view, std::string_view>& aliases() {
  static const std::map<std::string_view, std::string_view> table{
      {"V_ADD_NC_U32", "V_ADD_U32"},
      {"V_SUB_NC_U32", "V_SUB_U32"},
      {"V_SUBREV_NC_U32", "V_SUBREV_U32"},
      {"V_ADD_NC_I32", "V_ADD_I32"},
      {"V_SUB_NC_I32", "V_SUB_I32"},
      {"V_ADD_NC_U16", "V_ADD_U16"},
      {"V_SUB_NC_U16", "V_SUB_U16"},
      {"V_ADD_NC_I16", "V_ADD_I16"},
      {"V_SUB_NC_I16", "V_SUB_I16"},
      {"V_ADD_CO_CI_U32", "V_ADDC_CO_U32"},
      {"V_SUB_CO_CI_U32", "V_SUBB_CO_U32"},
      {"V_SUBREV_CO_CI_U32", "V_SUBBREV_CO_U32"},
      {"V_MAD_CO_U64_U32", "V_MAD_U64_U32"},
      {"V_MAD_CO_I64_I32", "V_MAD_I64_I32"},
      {"V_CLZ_I32_U32", "V_FFBH_U32"},
      {"V_CLS_I32", "V_FFBH_I32"},
      {"V_CTZ_I32_B32", "V_FFBL_B32"},
      {"V_CVT_FLOOR_I32_F32", "V_CVT_FLR_I32_F32"},
      {"V_CVT_NEAREST_I32_F32", "V_CVT_RPI_I32_F32"},
      {"V_CVT_PK_NORM_I16_F16", "V_CVT_PKNORM_I16_F16"},
      {"V_CVT_PK_NORM_U16_F16", "V_CVT_PKNORM_U16_F16"},
      {"V_CVT_PK_NORM_I16_F32", "V_CVT_PKNORM_I16_F32"},
      {"V_CVT_PK_NORM_U16_F32", "V_CVT_PKNORM_U16_F32"},
      {"V_CVT_PK_RTZ_F16_F32", "V_CVT_PKRTZ_F16_F32"},
      {"V_EXP_LEGACY_F32", "V_EXP_F32"},
      {"V_LOG_LEGACY_F32", "V_LOG_F32"},
      {"V_FMA_LEGACY_F16", "V_FMA_F16"},
      {"V_MAD_LEGACY_F16", "V_MAD_F16"},
      {"V_DIV_FIXUP_LEGACY_F16", "V_DIV_FIXUP_F16"},
      {"V_MUL_DX9_ZERO_F32", "V_MUL_LEGACY_F32"},
      {"V_DOT2ACC_F32_F16", "V_DOT2C_F32_F16"},
      {"V_CMP_TRU_F16", "V_CMP_T_F16"},
      {"V_CMP_TRU_F32", "V_CMP_T_F32"},
      {"V_CMP_TRU_F64", "V_CMP_T_F64"},
      {"V_CMPX_TRU_F16", "V_CMPX_T_F16"},
      {"V_CMPX_TRU_F32", "V_CMPX_T_F32"},
      {"V_CMPX_TRU_F64", "V_CMPX_T_F64"},
      {"S_LOAD_B32", "S_LOAD_DWORD"},
      {"S_LOAD_B64", "S_LOAD_DWORDX2"},
      {"S_LOAD_B96", "S_LOAD_DWORDX3"},
      {"S_LOAD_B128", "S_LOAD_DWORDX4"},
      {"S_LOAD_B256", "S_LOAD_DWORDX8"},
      {"S_LOAD_B512", "S_LOAD_DWORDX16"},
      {"S_BUFFER_LOAD_B32", "S_BUFFER_LOAD_DWORD"},
      {"S_BUFFER_LOAD_B64", "S_BUFFER_LOAD_DWORDX2"},
      {"S_BUFFER_LOAD_B96", "S_BUFFER_LOAD_DWORDX3"},
      {"S_BUFFER_LOAD_B128", "S_BUFFER_LOAD_DWORDX4"},
      {"S_BUFFER_LOAD_B256", "S_BUFFER_LOAD_DWORDX8"},
      {"S_BUFFER_LOAD_B512", "S_BUFFER_LOAD_DWORDX16"},
      {"FLAT_ATOMIC_CSUB_U32", "FLAT_ATOMIC_CSUB"},
  };
  return table;
}

/// LLVM writes some true16 names twice, the newer one first: V_ADD_NC_I16V_ADD_I16.
static std::string_view last_name(std::string_view name) {
  // A second name follows a digit; V_DIV_FIXUP_F16 has another "V_" inside.
  for (auto at = name.rfind("V_"); at != std::string_view::npos && at > 0;
       at = name.rfind("V_", at - 1))
    if (std::isdigit(static_cast<unsigned char>(name[at - 1]))) return name.substr(at);
  return name;
}

std::string_view canonical(std::string_view name) {
  constexpr std::string_view operand_select = "_opsel";
  if (name.ends_with(operand_select)) name.remove_suffix(operand_select.size());
  name = last_name(name);
  const auto at = aliases().find(name);
  return at == aliases().end() ? name : at->second;
}

}  // namespace hipsight::isa
