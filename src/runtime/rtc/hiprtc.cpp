// The online compiler's interface. These functions are in libamdhip64, and in libhiprtc as well,
// which has no more than them.
#include <cstdint>
#include <cstring>

#include "gpus/gpu.h"
#include "runtime/error.h"
#include "runtime/handles.h"
#include "runtime/rtc/api.h"
#include "runtime/rtc/compiler.h"
#include "runtime/state.h"

namespace hipsight::runtime {
namespace {

struct Program {
  RtcSource source;
  RtcOutput output;
  bool tried = false;
};
using hiprtcProgram = struct _hiprtcProgram*;

Handles<hiprtcProgram, Program>& programs() {
  static auto& handles = *new Handles<hiprtcProgram, Program>(0x13);
  return handles;
}

std::shared_ptr<Program> find(hiprtcProgram handle) {
  auto program = programs().find(handle);
  check_rtc(program != nullptr, HIPRTC_ERROR_INVALID_PROGRAM);
  return program;
}

/// What a program was compiled to: bitcode with -fgpu-rdc, else a code object.
std::shared_ptr<Program> find_compiled(hiprtcProgram handle, bool bitcode) {
  auto program = find(handle);
  check_rtc(program->output.compiled && program->output.is_bitcode == bitcode,
            HIPRTC_ERROR_INVALID_PROGRAM);
  return program;
}

}  // namespace

std::string default_target() {
  return gpus::find(config().gpu, config().xnack).target_id;
}

HIP_API const char* hiprtcGetErrorString(hiprtcResult result) {
  switch (result) {
#define HIPRTC_NAME(name) \
  case name:              \
    return #name
    HIPRTC_NAME(HIPRTC_SUCCESS);
    HIPRTC_NAME(HIPRTC_ERROR_OUT_OF_MEMORY);
    HIPRTC_NAME(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE);
    HIPRTC_NAME(HIPRTC_ERROR_INVALID_INPUT);
    HIPRTC_NAME(HIPRTC_ERROR_INVALID_PROGRAM);
    HIPRTC_NAME(HIPRTC_ERROR_INVALID_OPTION);
    HIPRTC_NAME(HIPRTC_ERROR_COMPILATION);
    HIPRTC_NAME(HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE);
    HIPRTC_NAME(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    HIPRTC_NAME(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    HIPRTC_NAME(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    HIPRTC_NAME(HIPRTC_ERROR_INTERNAL_ERROR);
    HIPRTC_NAME(HIPRTC_ERROR_LINKING);
#undef HIPRTC_NAME
  }
  return "Invalid HIPRTC error code";
}

HIP_API hiprtcResult hiprtcVersion(int* major, int* minor) {
  return rtc([&] {
    check_rtc(major && minor);
    *major = 9;  // ROCm's fixed value
    *minor = 0;
  });
}

HIP_API hiprtcResult hiprtcCreateProgram(hiprtcProgram* program, const char* source,
                                         const char* name, int header_count,
                                         const char* const* headers,
                                         const char* const* header_names) {
  return rtc([&] {
    check_rtc(program && source);
    check_rtc(header_count >= 0 && (header_count == 0 || (headers && header_names)));
    auto fresh = std::make_shared<Program>();
    fresh->source.name = name && *name ? name : "CompileSource";
    fresh->source.text = source;
    for (int i = 0; i < header_count; ++i) {
      check_rtc(headers[i] && header_names[i]);
      fresh->source.headers.emplace_back(header_names[i], headers[i]);
    }
    *program = programs().add(std::move(fresh));
  });
}

HIP_API hiprtcResult hiprtcDestroyProgram(hiprtcProgram* program) {
  return rtc([&] {
    check_rtc(program != nullptr);
    check_rtc(programs().remove(*program) != nullptr, HIPRTC_ERROR_INVALID_PROGRAM);
    *program = nullptr;
  });
}

HIP_API hiprtcResult hiprtcAddNameExpression(hiprtcProgram program, const char* expression) {
  return rtc([&] {
    check_rtc(expression && *expression);
    const auto found = find(program);
    check_rtc(!found->tried, HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    found->source.expressions.emplace_back(expression);
  });
}

HIP_API hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int option_count,
                                          const char* const* options) {
  return rtc([&] {
    check_rtc(option_count >= 0 && (option_count == 0 || options));
    const auto found = find(program);
    std::vector<std::string> words;
    for (int i = 0; i < option_count; ++i) {
      check_rtc(options[i] != nullptr);
      words.emplace_back(options[i]);
    }
    found->tried = true;
    found->output = {};
    try {
      found->output = compile(found->source, words, default_target());
    } catch (const std::runtime_error& error) {
      found->output.log = error.what();
    }
    check_rtc(found->output.compiled, HIPRTC_ERROR_COMPILATION);
  });
}

HIP_API hiprtcResult hiprtcGetLoweredName(hiprtcProgram program, const char* expression,
                                          const char** name) {
  return rtc([&] {
    check_rtc(expression && name);
    const auto found = find(program);
    check_rtc(found->output.compiled, HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    const auto symbol = found->output.symbols.find(expression);
    check_rtc(symbol != found->output.symbols.end(), HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    *name = symbol->second.c_str();
  });
}

HIP_API hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, std::size_t* size) {
  return rtc([&] {
    check_rtc(size != nullptr);
    *size = find(program)->output.log.size() + 1;
  });
}

HIP_API hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char* log) {
  return rtc([&] {
    check_rtc(log != nullptr);
    const std::string& text = find(program)->output.log;
    std::memcpy(log, text.c_str(), text.size() + 1);
  });
}

namespace {

hiprtcResult get_size(hiprtcProgram program, std::size_t* size, bool bitcode) {
  return rtc([&] {
    check_rtc(size != nullptr);
    *size = find_compiled(program, bitcode)->output.code.size();
  });
}

hiprtcResult get_bytes(hiprtcProgram program, char* bytes, bool bitcode) {
  return rtc([&] {
    check_rtc(bytes != nullptr);
    const auto found = find_compiled(program, bitcode);
    std::memcpy(bytes, found->output.code.data(), found->output.code.size());
  });
}

}  // namespace

HIP_API hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, std::size_t* size) {
  return get_size(program, size, false);
}
HIP_API hiprtcResult hiprtcGetCode(hiprtcProgram program, char* code) {
  return get_bytes(program, code, false);
}
HIP_API hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram program, std::size_t* size) {
  return get_size(program, size, true);
}
HIP_API hiprtcResult hiprtcGetBitcode(hiprtcProgram program, char* bitcode) {
  return get_bytes(program, bitcode, true);
}

}  // namespace hipsight::runtime
