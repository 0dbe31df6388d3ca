// The linker's interface: in libamdhip64 and libhiprtc, as hiprtc.cpp.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "runtime/error.h"
#include "runtime/handles.h"
#include "runtime/rtc/api.h"
#include "runtime/rtc/compiler.h"
#include "support/files.h"
#include "support/printable.h"

namespace hipsight::runtime {
namespace {

enum hiprtcJIT_option : unsigned {
  HIPRTC_JIT_IR_TO_ISA_OPT_EXT = 10000,
  HIPRTC_JIT_IR_TO_ISA_OPT_COUNT_EXT,
};
enum hiprtcJITInputType : unsigned {
  HIPRTC_JIT_INPUT_OBJECT = 3,
  HIPRTC_JIT_INPUT_LLVM_BITCODE = 100,
};

struct Link {
  std::vector<std::string> options, inputs;
  RtcOutput output;
};
using hiprtcLinkState = struct ihiprtcLinkState*;

Handles<hiprtcLinkState, Link>& links() {
  static auto& handles = *new Handles<hiprtcLinkState, Link>(0x1b);
  return handles;
}

std::shared_ptr<Link> find(hiprtcLinkState handle) {
  auto link = links().find(handle);
  check_rtc(link != nullptr);
  return link;
}

/// There is no function that gives a linker's messages to the program.
void tell(const std::string& text) {
  std::fputs(printable("hipsight: " + text + "\n", true).c_str(), stderr);
}

void check_type(hiprtcJITInputType type) {
  check_rtc(type == HIPRTC_JIT_INPUT_OBJECT || type == HIPRTC_JIT_INPUT_LLVM_BITCODE);
}

}  // namespace

/// Options that have no meaning on AMD GPUs are left out.
HIP_API hiprtcResult hiprtcLinkCreate(unsigned count, hiprtcJIT_option* options, void** values,
                                      hiprtcLinkState* state) {
  return rtc([&] {
    check_rtc(state && (count == 0 || (options && values)));
    const char* const* words = nullptr;
    std::uintptr_t word_count = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == HIPRTC_JIT_IR_TO_ISA_OPT_EXT)
        words = static_cast<const char* const*>(values[i]);
      if (options[i] == HIPRTC_JIT_IR_TO_ISA_OPT_COUNT_EXT)
        word_count = reinterpret_cast<std::uintptr_t>(values[i]);
    }
    const auto link = std::make_shared<Link>();
    if (words) link->options.assign(words, words + word_count);
    *state = links().add(link);
  });
}

HIP_API hiprtcResult hiprtcLinkAddData(hiprtcLinkState state, hiprtcJITInputType type, void* image,
                                       std::size_t size, const char* name, unsigned count,
                                       hiprtcJIT_option* options, void** values) {
  return rtc([&] {
    check_rtc(image && size);
    check_type(type);
    find(state)->inputs.emplace_back(static_cast<const char*>(image), size);
  });
}

HIP_API hiprtcResult hiprtcLinkAddFile(hiprtcLinkState state, hiprtcJITInputType type,
                                       const char* path, unsigned count, hiprtcJIT_option* options,
                                       void** values) {
  return rtc([&] {
    check_rtc(path != nullptr);
    check_type(type);
    const auto link = find(state);
    std::string bytes = read_file(path);
    if (bytes.empty()) tell(fmt::format("hiprtcLinkAddFile: {} cannot be read", path));
    check_rtc(!bytes.empty(), HIPRTC_ERROR_PROGRAM_CREATION_FAILURE);
    link->inputs.push_back(std::move(bytes));
  });
}

/// The code object belongs to the state.
HIP_API hiprtcResult hiprtcLinkComplete(hiprtcLinkState state, void** code, std::size_t* size) {
  return rtc([&] {
    check_rtc(code && size);
    const auto one = find(state);
    check_rtc(!one->inputs.empty());
    one->output = link(one->inputs, one->options, default_target());
    if (!one->output.compiled) tell("hiprtcLinkComplete: " + one->output.log);
    check_rtc(one->output.compiled, HIPRTC_ERROR_LINKING);
    *code = one->output.code.data();
    *size = one->output.code.size();
  });
}

HIP_API hiprtcResult hiprtcLinkDestroy(hiprtcLinkState state) {
  return rtc([&] { check_rtc(links().remove(state) != nullptr); });
}

}  // namespace hipsight::runtime
