#include "runtime/rtc/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <string_view>

#include "code/code_object.h"
#include "runtime/rtc/clang.h"
#include "support/files.h"

namespace hipsight::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view variable_of_expression = "__hipsight_expression_";

/// The source with HIP's device functions before it, as hiprtc has them built in, and after it a
/// pointer to each thing whose symbol is asked for.
std::string translation_unit(const RtcSource& source) {
  std::string text;
  for (const char* name : {"runtime", "fp16", "bfloat16", "complex", "math_constants"})
    text +=
        fmt::format("#if __has_include(<hip/hip_{0}.h>)\n#include <hip/hip_{0}.h>\n#endif\n", name);
  text += "#define __HIPCC_RTC__ 1\n";
  text += fmt::format("#line 1 \"{}\"\n{}\n", source.name, source.text);
  if (!source.expressions.empty()) text += "#line 1 \"name expressions\"\n";
  for (std::size_t i = 0; i < source.expressions.size(); ++i) {
    std::string_view name = source.expressions[i];
    name.remove_prefix(std::min(name.find_first_not_of(" &"), name.size()));
    text += fmt::format(
        "extern \"C\" __device__ __attribute__((used)) const void* const {}{} = "
        "(const void*)&{};\n",
        variable_of_expression, i, name);
  }
  return text;
}

/// A folder of headers before the SDK's: HIP's own, when the source includes one, must not lean on
/// what AMD's hiprtc has built in, as they do where __HIPCC_RTC__ is defined.
void write_wrappers(const fs::path& folder, const fs::path& sdk) {
  for (const fs::directory_entry& header : fs::directory_iterator(sdk / "include/hip"))
    if (header.path().extension() == ".h")
      write_file(folder / "hip" / header.path().filename(),
                 fmt::format("#pragma push_macro(\"__HIPCC_RTC__\")\n"
                             "#undef __HIPCC_RTC__\n"
                             "#include_next <hip/{}>\n"
                             "#pragma pop_macro(\"__HIPCC_RTC__\")\n",
                             header.path().filename().string()));
}

/// The symbols that the pointers of translation_unit point to.
std::map<std::string, std::string> symbols_of(const std::vector<std::string>& expressions,
                                              const std::vector<std::byte>& elf) {
  std::map<std::string, std::string> symbols;
  if (expressions.empty()) return symbols;
  const auto object = code::CodeObject::read(elf, "code object of hiprtc");
  std::vector<std::byte> image(object->image_size());
  object->load(image.data(), 0);
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const auto* pointer = object->find_symbol(fmt::format("{}{}", variable_of_expression, i));
    std::uint64_t address = 0;
    if (!pointer || pointer->address + sizeof address > image.size()) continue;
    std::memcpy(&address, image.data() + pointer->address, sizeof address);
    const auto named = std::ranges::find_if(object->symbols(), [&](const code::Symbol& symbol) {
      return symbol.address == address && symbol.global;
    });
    if (named != object->symbols().end()) symbols[expressions[i]] = named->name;
  }
  return symbols;
}

struct Options {
  std::vector<std::string> words;
  std::string target;
  bool bitcode = false;
};

Options read_options(const std::vector<std::string>& given, const std::string& target_id) {
  Options options;
  options.target = target_id;
  for (const std::string& word : given) {
    if (const auto value = word.find('='); word.starts_with("--gpu-architecture=") ||
                                           word.starts_with("--offload-arch=") ||
                                           word.starts_with("-arch=")) {
      options.target = word.substr(value + 1);
    } else {
      options.bitcode |= word == "-fgpu-rdc";
      options.words.push_back(word);
    }
  }
  return options;
}

}  // namespace

RtcOutput compile(const RtcSource& source, const std::vector<std::string>& given,
                  const std::string& target_id) {
  const fs::path sdk = find_sdk();
  if (sdk.empty())
    return missing(
        "hipsight: hiprtc finds no HIP headers: set HIPSIGHT_SDK to a folder with include/hip\n");
  const fs::path clang = find_clang(sdk);
  if (clang.empty()) return missing(no_clang);

  const TemporaryFolder folder;
  for (const auto& [name, text] : source.headers) {
    const fs::path inside = fs::path(name).lexically_normal();
    if (inside.is_absolute() || inside.empty() || *inside.begin() == "..")
      return failure(fmt::format("hipsight: a header cannot be named '{}'\n", name));
    write_file(folder / "headers" / inside, text);
  }
  write_wrappers(folder / "wrappers", sdk);
  const fs::path input = folder / "source.hip", log = folder / "log", output = folder / "output";
  write_file(input, translation_unit(source));

  const Options options = read_options(given, target_id);
  // HIP's headers still ask for this macro, which clang 22 no longer defines.
  const bool wave32 =
      options.target.starts_with("gfx1") && !std::ranges::count(options.words, "-mwavefrontsize64");
  const fs::path bitcode = sdk / "amdgcn/bitcode";
  std::vector<std::string> command{
      clang.string(), "-x", "hip", "--offload-device-only", "--no-gpu-bundle-output",
      // Tells parts apart that are linked later.
      fmt::format("-cuid={:x}", std::hash<std::string>{}(source.text)),
      "--offload-arch=" + options.target, "-O3", "-D__HIP_PLATFORM_AMD__=1",
      fmt::format("-D__AMDGCN_WAVEFRONT_SIZE={}", wave32 ? 32 : 64), "--rocm-path=" + sdk.string(),
      "-isystem", (folder / "wrappers").string(), "-isystem", (sdk / "include").string(), "-I",
      (folder / "headers").string(), "-fno-crash-diagnostics"};
  if (fs::exists(bitcode)) command.push_back("--rocm-device-lib-path=" + bitcode.string());
  if (options.bitcode) command.insert(command.end(), {"-c", "-emit-llvm"});
  std::ranges::copy(options.words, std::back_inserter(command));
  command.insert(command.end(), {input.string(), "-o", output.string()});

  RtcOutput result = run(command, log, output);
  // clang 22.1.8 crashes for gfx11 on some arrays of bytes that it turns into vectors
  // (cmake/hipcc.in).
  if (result.crashed && options.target.starts_with("gfx11")) {
    command.insert(command.end(), {"-mllvm", "-amdgpu-promote-alloca-to-vector-limit=16"});
    result = run(command, log, output);
  }
  result.is_bitcode = options.bitcode;
  if (result.compiled && !options.bitcode)
    result.symbols = symbols_of(source.expressions, result.code);
  return result;
}

}  // namespace hipsight::runtime
