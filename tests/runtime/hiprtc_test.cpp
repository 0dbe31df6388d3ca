// The online compiler: sources become kernels that run; mistakes in them become a log.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "support/files.h"

namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Program {
 public:
  explicit Program(const char* source, const char* name = "kernels.cu",
                   std::vector<const char*> headers = {}, std::vector<const char*> names = {}) {
    EXPECT_EQ(hiprtcCreateProgram(&program_, source, name, static_cast<int>(headers.size()),
                                  headers.data(), names.data()),
              HIPRTC_SUCCESS);
  }
  ~Program() { EXPECT_EQ(hiprtcDestroyProgram(&program_), HIPRTC_SUCCESS); }

  hiprtcResult compile(std::vector<const char*> options = {}) {
    return hiprtcCompileProgram(program_, static_cast<int>(options.size()), options.data());
  }
  std::string log() const {
    std::size_t size = 0;
    EXPECT_EQ(hiprtcGetProgramLogSize(program_, &size), HIPRTC_SUCCESS);
    std::string text(size, '?');
    EXPECT_EQ(hiprtcGetProgramLog(program_, text.data()), HIPRTC_SUCCESS);
    EXPECT_EQ(text.back(), '\0');
    text.pop_back();
    return text;
  }
  std::string code() const {
    std::size_t size = 0;
    EXPECT_EQ(hiprtcGetCodeSize(program_, &size), HIPRTC_SUCCESS);
    std::string bytes(size, '\0');
    EXPECT_EQ(hiprtcGetCode(program_, bytes.data()), HIPRTC_SUCCESS);
    return bytes;
  }
  std::string lowered(const char* expression) const {
    const char* name = "";
    EXPECT_EQ(hiprtcGetLoweredName(program_, expression, &name), HIPRTC_SUCCESS) << expression;
    return name;
  }
  operator hiprtcProgram() const { return program_; }

 private:
  hiprtcProgram program_ = nullptr;
};

/// A module loaded from memory; kernels of one argument, run with one workgroup.
class Loaded {
 public:
  explicit Loaded(const std::string& code) {
    EXPECT_EQ(hipModuleLoadData(&module_, code.data()), hipSuccess);
  }
  ~Loaded() { EXPECT_EQ(hipModuleUnload(module_), hipSuccess); }
  void run(const std::string& kernel, unsigned threads, void* argument) {
    hipFunction_t function = nullptr;
    ASSERT_EQ(hipModuleGetFunction(&function, module_, kernel.c_str()), hipSuccess) << kernel;
    void* arguments[] = {&argument};
    ASSERT_EQ(
        hipModuleLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr),
        hipSuccess);
    ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  }
  hipModule_t operator*() const { return module_; }

 private:
  hipModule_t module_ = nullptr;
};

struct Ints {
  int* data = nullptr;
  Ints() {
    EXPECT_EQ(hipMallocManaged(reinterpret_cast<void**>(&data), 64 * sizeof(int)), hipSuccess);
  }
  ~Ints() { EXPECT_EQ(hipFree(data), hipSuccess); }
};

TEST(Hiprtc, CompiledKernelRuns) {
  Program program(
      "#include \"scale.h\"\n"
      "#include \"more/offset.h\"\n"
      "extern \"C\" __global__ void fill(int* out) {\n"
      "  out[threadIdx.x] = scale(threadIdx.x) + OFFSET + OPTION;\n"
      "}\n",
      "kernels.cu",
      {"__device__ inline int scale(int x) { return 3 * x; }\n", "#define OFFSET 100\n"},
      {"scale.h", "more/offset.h"});
  ASSERT_EQ(program.compile({"-DOPTION=1000", "-std=c++17"}), HIPRTC_SUCCESS) << program.log();
  EXPECT_EQ(program.log(), "");
  Ints out;
  Loaded(program.code()).run("fill", 64, out.data);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out.data[i], 3 * i + 1100);
}

std::string bitcode(const char* source) {
  Program program(source);
  EXPECT_EQ(program.compile({"-fgpu-rdc"}), HIPRTC_SUCCESS) << program.log();
  std::size_t size = 0;
  EXPECT_EQ(hiprtcGetBitcodeSize(program, &size), HIPRTC_SUCCESS);
  std::string bytes(size, '\0');
  EXPECT_EQ(hiprtcGetBitcode(program, bytes.data()), HIPRTC_SUCCESS);
  return bytes;
}

TEST(Hiprtc, LinkedPartsCallEachOther) {
  std::string kernel = bitcode(
      "extern __device__ int twice(int);\n"
      "extern \"C\" __global__ void fill(int* out) { out[threadIdx.x] = twice(threadIdx.x) + 1; "
      "}\n");
  const std::string function = bitcode("__device__ int twice(int x) { return 2 * x; }\n");
  const std::string file = testing::TempDir() + "twice.bc";
  std::ofstream(file, std::ios::binary) << function;
  hiprtcLinkState link = nullptr;
  const char* words[] = {"-mllvm", "-inline-threshold=1"};
  hiprtcJIT_option options[] = {HIPRTC_JIT_IR_TO_ISA_OPT_EXT, HIPRTC_JIT_IR_TO_ISA_OPT_COUNT_EXT};
  void* values[] = {static_cast<void*>(words), reinterpret_cast<void*>(2)};
  ASSERT_EQ(hiprtcLinkCreate(2, options, values, &link), HIPRTC_SUCCESS);
  void* code = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(hiprtcLinkComplete(link, &code, &size), HIPRTC_ERROR_INVALID_INPUT);
  ASSERT_EQ(hiprtcLinkAddData(link, HIPRTC_JIT_INPUT_LLVM_BITCODE, kernel.data(), kernel.size(),
                              "kernel", 0, nullptr, nullptr),
            HIPRTC_SUCCESS);
  EXPECT_EQ(hiprtcLinkComplete(link, &code, &size), HIPRTC_ERROR_LINKING);  // twice is missing
  EXPECT_EQ(hiprtcLinkAddFile(link, HIPRTC_JIT_INPUT_LLVM_BITCODE, "/no/such", 0, nullptr, nullptr),
            HIPRTC_ERROR_PROGRAM_CREATION_FAILURE);
  ASSERT_EQ(
      hiprtcLinkAddFile(link, HIPRTC_JIT_INPUT_LLVM_BITCODE, file.c_str(), 0, nullptr, nullptr),
      HIPRTC_SUCCESS);
  ASSERT_EQ(hiprtcLinkComplete(link, &code, &size), HIPRTC_SUCCESS);
  Ints out;
  Loaded(std::string(static_cast<char*>(code), size)).run("fill", 64, out.data);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out.data[i], 2 * i + 1);
  EXPECT_EQ(
      hiprtcLinkAddData(link, HIPRTC_JIT_INPUT_CUBIN, kernel.data(), 1, "", 0, nullptr, nullptr),
      HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcLinkDestroy(link), HIPRTC_SUCCESS);
  EXPECT_EQ(hiprtcLinkDestroy(link), HIPRTC_ERROR_INVALID_INPUT);
}

TEST(Hiprtc, DeviceFunctionsAndHalvesNeedNoInclude) {
  Program program(
      "#ifndef __HIPCC_RTC__\n#error not seen as online\n#endif\n"
      "extern \"C\" __global__ void f(int* out) {\n"
      "  atomicAdd(out, __popc(threadIdx.x));\n"
      "  if (threadIdx.x == 0) out[1] = (int)__half2float(__float2half(2.5f) * "
      "__float2half(4.0f));\n"
      "}\n");
  ASSERT_EQ(program.compile(), HIPRTC_SUCCESS) << program.log();
  Ints out;
  out.data[0] = 0;
  Loaded(program.code()).run("f", 64, out.data);
  EXPECT_EQ(out.data[0], 64 * 6 / 2);
  EXPECT_EQ(out.data[1], 10);
}

TEST(Hiprtc, NamesOfTemplatesAndVariables) {
  Program program(
      "namespace n { template <class T, int k> __global__ void f(T* out) {\n"
      "  out[threadIdx.x] = T(threadIdx.x * k + sizeof(T)); } }\n"
      "__device__ int variable = 7;\n");
  EXPECT_EQ(hiprtcAddNameExpression(program, "n::f<int, 5>"), HIPRTC_SUCCESS);
  EXPECT_EQ(hiprtcAddNameExpression(program, "&n::f<short, 2>"), HIPRTC_SUCCESS);
  EXPECT_EQ(hiprtcAddNameExpression(program, "&variable"), HIPRTC_SUCCESS);
  const char* name = nullptr;
  EXPECT_EQ(hiprtcGetLoweredName(program, "n::f<int, 5>", &name),
            HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
  ASSERT_EQ(program.compile(), HIPRTC_SUCCESS) << program.log();
  EXPECT_EQ(hiprtcGetLoweredName(program, "n::f<long, 5>", &name),
            HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
  EXPECT_EQ(hiprtcAddNameExpression(program, "variable"),
            HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);

  // The names are those of the Itanium C++ ABI.
  EXPECT_EQ(program.lowered("n::f<int, 5>"), "_ZN1n1fIiLi5EEEvPT_");
  EXPECT_EQ(program.lowered("&n::f<short, 2>"), "_ZN1n1fIsLi2EEEvPT_");
  Loaded loaded(program.code());
  Ints out;
  loaded.run(program.lowered("n::f<int, 5>"), 64, out.data);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out.data[i], 5 * i + 4);
  hipDeviceptr_t address = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(hipModuleGetGlobal(&address, &size, *loaded, program.lowered("&variable").c_str()),
            hipSuccess);
  int value = 0;
  EXPECT_EQ(hipMemcpyDtoH(&value, address, sizeof value), hipSuccess);
  EXPECT_EQ(value, 7);
  EXPECT_EQ(size, sizeof value);
}

TEST(Hiprtc, MistakesAreInTheLogWithTheirLine) {
  Program program("// fine\n__global__ void f(int* p) {\n  *p = unknown;\n}\n", "mine.cu");
  EXPECT_EQ(program.compile(), HIPRTC_ERROR_COMPILATION);
  EXPECT_THAT(program.log(), StartsWith("mine.cu:3:8: error: "));
  EXPECT_THAT(program.log(), HasSubstr("unknown"));
  std::size_t size = 0;
  EXPECT_EQ(hiprtcGetCodeSize(program, &size), HIPRTC_ERROR_INVALID_PROGRAM);

  Program option("__global__ void f() {}\n");
  EXPECT_EQ(option.compile({"--no-such-option"}), HIPRTC_ERROR_COMPILATION);
  EXPECT_THAT(option.log(), HasSubstr("--no-such-option"));

  Program expression("__global__ void f() {}\n");
  EXPECT_EQ(hiprtcAddNameExpression(expression, "g<int>"), HIPRTC_SUCCESS);
  EXPECT_EQ(expression.compile(), HIPRTC_ERROR_COMPILATION);
  EXPECT_THAT(expression.log(), StartsWith("name expressions:1:"));

  Program header("", "", {"int x;"}, {"../outside.h"});
  EXPECT_EQ(header.compile(), HIPRTC_ERROR_COMPILATION);
  EXPECT_THAT(header.log(), HasSubstr("../outside.h"));
}

TEST(Hiprtc, WarningsAreInTheLogToo) {
  Program program("#warning look here\n__global__ void f() {}\n", "w.cu");
  EXPECT_EQ(program.compile(), HIPRTC_SUCCESS);
  EXPECT_THAT(program.log(), StartsWith("w.cu:1:2: warning: look here"));
}

TEST(Hiprtc, CompilesForTheGpuThatIsAskedFor) {
  for (const char* option : {"--gpu-architecture=gfx1100", "--offload-arch=gfx1100"}) {
    Program program("extern \"C\" __global__ void f(int* p) { *p = 1; }\n");
    ASSERT_EQ(program.compile({option}), HIPRTC_SUCCESS) << program.log();
    hipModule_t module = nullptr;  // for the emulated MI300X that is no code
    EXPECT_EQ(hipModuleLoadData(&module, program.code().data()), hipErrorNoBinaryForGpu);
  }
}

TEST(Hiprtc, HasWhatCameWithHip7) {
  if (HIPSIGHT_HIP_MAJOR < 7) GTEST_SKIP() << "the SDK is not HIP 7's";
  Program program(
      "#include <hip/hip_bf16.h>\n"
      "#include <hip/hip_cooperative_groups.h>\n"
      "#include <hip/hip_fp8.h>\n"
      "extern \"C\" __global__ void f(int* out) {\n"
      "  const int next = __shfl_down_sync(__activemask(), int(threadIdx.x), 1);\n"
      "  const auto tile =\n"
      "      cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block());\n"
      "  const float eighths = float(__hip_fp8_e5m2_fnuz(1.26f)) * 8;\n"
      "  out[threadIdx.x] = next + 100 * tile.size() + 10000 * int(eighths);\n"
      "}\n");
  ASSERT_EQ(program.compile(), HIPRTC_SUCCESS) << program.log();
  EXPECT_EQ(program.log(), "");
  Ints out;
  Loaded(program.code()).run("f", 64, out.data);
  for (int i = 0; i < 63; ++i) EXPECT_EQ(out.data[i], 101600 + i + 1);
}

// What build/hipcc does, too (hipcc.outlives_a_crash).
TEST(Hiprtc, OutlivesACrashOfTheCompiler) {
  std::string source = hipsight::read_file(HIPSIGHT_QUEENS);
  source.resize(source.find("int main()"));
  Program program(source.c_str(), "queens.hip", {""}, {"check.h"});
  ASSERT_EQ(program.compile({"--offload-arch=gfx1100"}), HIPRTC_SUCCESS) << program.log();
  EXPECT_EQ(program.log(), "");
}

TEST(Hiprtc, Bitcode) {
  Program program("extern \"C\" __global__ void f(int* p) { *p = 1; }\n");
  ASSERT_EQ(program.compile({"-fgpu-rdc"}), HIPRTC_SUCCESS) << program.log();
  std::size_t size = 0;
  EXPECT_EQ(hiprtcGetCodeSize(program, &size), HIPRTC_ERROR_INVALID_PROGRAM);
  ASSERT_EQ(hiprtcGetBitcodeSize(program, &size), HIPRTC_SUCCESS);
  std::string bytes(size, '\0');
  EXPECT_EQ(hiprtcGetBitcode(program, bytes.data()), HIPRTC_SUCCESS);
  EXPECT_THAT(bytes, StartsWith("BC\xc0\xde"));  // LLVM's magic number
}

/// In a process of its own, which has not read the environment: fails to compile, says why on
/// stderr, since programs seldom print the log, and there.
[[noreturn]] void compile_without(const char* variable) {
  setenv(variable, "/no/such", 1);
  Program program("__global__ void f() {}\n");
  const bool failed = program.compile() == HIPRTC_ERROR_COMPILATION;
  const bool told = program.log().find(std::string("set ") + variable) != std::string::npos;
  std::exit(failed && told ? 0 : 1);
}

TEST(Hiprtc, WithoutACompilerTheLogSaysWhatToDo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(compile_without("HIPSIGHT_CLANG"), testing::ExitedWithCode(0),
              "hiprtc finds no compiler");
  EXPECT_EXIT(compile_without("HIPSIGHT_SDK"), testing::ExitedWithCode(0),
              "hiprtc finds no HIP headers");
}

TEST(Hiprtc, BadArguments) {
  hiprtcProgram program = nullptr;
  EXPECT_EQ(hiprtcCreateProgram(nullptr, "", "", 0, nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcCreateProgram(&program, nullptr, "", 0, nullptr, nullptr),
            HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcCreateProgram(&program, "", "", 1, nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcCompileProgram(nullptr, 0, nullptr), HIPRTC_ERROR_INVALID_PROGRAM);
  ASSERT_EQ(hiprtcCreateProgram(&program, "", nullptr, 0, nullptr, nullptr), HIPRTC_SUCCESS);
  EXPECT_EQ(hiprtcCompileProgram(program, 1, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcGetCodeSize(program, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  hiprtcProgram copy = program;
  EXPECT_EQ(hiprtcDestroyProgram(&program), HIPRTC_SUCCESS);
  EXPECT_EQ(program, nullptr);
  EXPECT_EQ(hiprtcDestroyProgram(&copy), HIPRTC_ERROR_INVALID_PROGRAM);
  EXPECT_STREQ(hiprtcGetErrorString(HIPRTC_ERROR_COMPILATION), "HIPRTC_ERROR_COMPILATION");
  EXPECT_STREQ(hiprtcGetErrorString(static_cast<hiprtcResult>(50)), "Invalid HIPRTC error code");
  int major = 0, minor = -1;
  EXPECT_EQ(hiprtcVersion(&major, &minor), HIPRTC_SUCCESS);
  EXPECT_EQ(major, 9);
  EXPECT_EQ(minor, 0);
}

/// A libhiprtc compiles.
void compile_with(const std::string& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto create = reinterpret_cast<decltype(&hiprtcCreateProgram)>(
      dlvsym(library, "hiprtcCreateProgram", "hip_4.2"));
  const auto compile = reinterpret_cast<decltype(&hiprtcCompileProgram)>(
      dlvsym(library, "hiprtcCompileProgram", "hip_4.2"));
  ASSERT_TRUE(create && compile && dlvsym(library, "hiprtcGetBitcode", "hip_5.3"));
  EXPECT_NE(create, &hiprtcCreateProgram);
  hiprtcProgram program = nullptr;
  ASSERT_EQ(create(&program, "__global__ void f() {}\n", "f.cu", 0, nullptr, nullptr),
            HIPRTC_SUCCESS);
  EXPECT_EQ(compile(program, 0, nullptr), HIPRTC_SUCCESS);
}

/// By itself, as programs that load it see it.
TEST(Hiprtc, LibraryOfItsOwn) {
  for (const char* major : {"5", "6", "7"})
    compile_with(std::string(HIPSIGHT_LIBRARIES "/libhiprtc.so.") + major);
}

/// The SDK is beside the library, not beside a link to it.
TEST(Hiprtc, FindsItsSdkThroughALink) {
  const hipsight::TemporaryFolder folder;
  const std::string link = folder / "libhiprtc.so.7";
  std::filesystem::create_symlink(HIPSIGHT_LIBRARIES "/libhiprtc.so.7", link);
  compile_with(link);
}

}  // namespace
