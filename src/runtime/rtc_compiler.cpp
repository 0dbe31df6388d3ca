#include "runtime/rtc_compiler.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

#include "code/code_object.h"
#include "support/error.h"

extern char** environ;

namespace hipsight::runtime {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// A folder for the files of one compilation, removed with it.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "hipsight-rtc-XXXXXX").string();
    if (!mkdtemp(pattern.data())) fail("{}: {}", pattern, std::strerror(errno));
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) fail("cannot write {}", file.string());
}

/// A folder with include/hip and device bitcode, or an empty path.
fs::path find_sdk() {
  std::vector<fs::path> candidates;
  if (const std::string named = variable("HIPSIGHT_SDK"); !named.empty()) {
    candidates = {named};
  } else {
    Dl_info self{};
    if (dladdr(reinterpret_cast<const void*>(&find_sdk), &self) && self.dli_fname)
      candidates.push_back(fs::absolute(self.dli_fname).parent_path().parent_path() / "sdk");
    candidates.emplace_back("/opt/rocm");
  }
  for (const fs::path& sdk : candidates)
    if (fs::exists(sdk / "include/hip/hip_runtime.h")) return sdk;
  return {};
}

bool is_program(const fs::path& file) {
  return fs::is_regular_file(file) && access(file.c_str(), X_OK) == 0;
}

/// An empty path when there is none.
fs::path find_clang(const fs::path& sdk) {
  if (const std::string named = variable("HIPSIGHT_CLANG"); !named.empty())
    return is_program(named) ? fs::path(named) : fs::path();
  if (const fs::path own = sdk / "llvm/bin/clang++"; is_program(own)) return own;
  for (const char* name : {"clang++-22", "clang++"}) {
    std::istringstream folders(variable("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');)
      if (!folder.empty() && is_program(fs::path(folder) / name)) return fs::path(folder) / name;
  }
  return {};
}

/// Runs a command with its output in a file. Returns its exit status, or nothing when it did not
/// start or was ended by a signal.
std::optional<int> run(const std::vector<std::string>& command, const fs::path& output) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  // The compiler is no GPU program: what was preloaded into this one is not for it.
  std::vector<char*> environment;
  for (char** entry = environ; *entry; ++entry)
    if (!std::string_view(*entry).starts_with("LD_PRELOAD=")) environment.push_back(*entry);
  environment.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  pid_t child = 0;
  const int error = posix_spawn(&child, command[0].c_str(), &files, nullptr, arguments.data(),
                                environment.data());
  posix_spawn_file_actions_destroy(&files);
  if (error) return std::nullopt;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return std::nullopt;
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

constexpr std::string_view variable_of_expression = "__hipsight_expression_";

/// The source with HIP's device functions before it, as hiprtc has them built in, and after it a
/// pointer to each thing whose symbol is asked for.
std::string translation_unit(const RtcSource& source) {
  std::string text =
      "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n#define __HIPCC_RTC__ 1\n";
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

RtcOutput failure(std::string log) {
  return {.log = std::move(log), .code = {}, .symbols = {}};
}

}  // namespace

RtcOutput compile(const RtcSource& source, const std::vector<std::string>& given,
                  const std::string& target_id) {
  const fs::path sdk = find_sdk();
  if (sdk.empty())
    return failure(
        "hipsight: hiprtc finds no HIP headers: set HIPSIGHT_SDK to a folder with include/hip\n");
  const fs::path clang = find_clang(sdk);
  if (clang.empty())
    return failure(
        "hipsight: hiprtc finds no compiler: install clang-22 or set HIPSIGHT_CLANG to a "
        "clang++\n");

  const Folder folder;
  for (const auto& [name, text] : source.headers) {
    const fs::path inside = fs::path(name).lexically_normal();
    if (inside.is_absolute() || inside.empty() || *inside.begin() == "..")
      return failure(fmt::format("hipsight: a header cannot be named '{}'\n", name));
    write(folder.path() / "headers" / inside, text);
  }
  const fs::path input = folder.path() / "source.hip", log = folder.path() / "log",
                 output = folder.path() / "output";
  write(input, translation_unit(source));

  const Options options = read_options(given, target_id);
  // HIP's headers still ask for this macro, which clang 22 no longer defines.
  const bool wave32 =
      options.target.starts_with("gfx1") && !std::ranges::count(options.words, "-mwavefrontsize64");
  const fs::path bitcode = sdk / "amdgcn/bitcode";
  std::vector<std::string> command{clang.string(),
                                   "-x",
                                   "hip",
                                   "--offload-device-only",
                                   "--no-gpu-bundle-output",
                                   "-fuse-cuid=none",
                                   "--offload-arch=" + options.target,
                                   "-O3",
                                   "-D__HIP_PLATFORM_AMD__=1",
                                   fmt::format("-D__AMDGCN_WAVEFRONT_SIZE={}", wave32 ? 32 : 64),
                                   "--rocm-path=" + sdk.string(),
                                   "-isystem",
                                   (sdk / "include").string(),
                                   "-I",
                                   (folder.path() / "headers").string()};
  if (fs::exists(bitcode)) command.push_back("--rocm-device-lib-path=" + bitcode.string());
  if (options.bitcode) command.insert(command.end(), {"-c", "-emit-llvm"});
  std::ranges::copy(options.words, std::back_inserter(command));
  command.insert(command.end(), {input.string(), "-o", output.string()});

  const std::optional<int> status = run(command, log);
  RtcOutput result = failure(read(log));
  if (!status) result.log += fmt::format("hipsight: {} did not run to its end\n", clang.string());
  if (status != 0) return result;
  const std::string bytes = read(output);
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  result.code.assign(begin, begin + bytes.size());
  result.is_bitcode = options.bitcode;
  if (!options.bitcode) result.symbols = symbols_of(source.expressions, result.code);
  result.compiled = true;
  return result;
}

}  // namespace hipsight::runtime
