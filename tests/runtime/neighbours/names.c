/* A library that has, under the same names and without versions, what hipsight has inside: functions of LLVM and
   fmt. Who calls them here dies. */
#include <stdlib.h>

#define NAME(name) \
  void name(void) { abort(); }
NAME(LLVMInitializeAMDGPUTargetInfo)
NAME(LLVMInitializeX86Target)
NAME(_ZN4llvm15itaniumDemangleESt17basic_string_viewIcSt11char_traitsIcEEb)
NAME(_ZN4llvm3sys14getHostCPUNameEv)
NAME(_ZN4llvm8demangleB5cxx11ESt17basic_string_viewIcSt11char_traitsIcEE)
NAME(_ZN4llvm6SHA256C1Ev)
NAME(_ZN4llvm6SHA2566updateENS_8ArrayRefIhEE)
NAME(_ZN3fmt2v97vformatB5cxx11ENS0_17basic_string_viewIcEENS0_17basic_format_argsINS0_20basic_format_contextINS0_8appenderEcEEEE)
