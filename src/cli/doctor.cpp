// hipsight doctor: what is here, what is missing for what, and how to get it.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "config/toolchain.h"
#include "gpus/gpu.h"
#include "support/error.h"
#include "support/printable.h"

namespace hipsight::cli {
namespace {

namespace fs = std::filesystem;

/// One thing that is there, or not.
struct Found {
  enum class State : std::uint8_t { Good, Missing, Broken } state;
  std::string what;         ///< "clang", and where or which
  std::string needed = {};  ///< for what; of what is missing
  std::string mend = {};    ///< a command, or what to do
};

constexpr auto good = Found::State::Good, missing = Found::State::Missing,
               broken = Found::State::Broken;

fs::path own_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

/// What a shell's command prints, if it succeeds.
std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (!pipe) return text;
  std::array<char, 4096> part;
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe))
    text.append(part.data(), size);
  return pclose(pipe) == 0 ? text : "";
}

void check_library(std::vector<Found>& all) {
  const fs::path here = own_folder();
  for (const fs::path& folder : {here / "lib", here.parent_path() / "lib"})
    if (fs::exists(folder / "libamdhip64.so"))
      return all.push_back({good, fmt::format("hipsight {}, its libamdhip64 in {}",
                                              HIPSIGHT_VERSION, folder.string())});
  all.push_back({broken, "libamdhip64 of hipsight", "everything",
                 "build hipsight (./dev build), or install it whole"});
}

void check_host(std::vector<Found>& all, const Config& config) {
  all.push_back({good, fmt::format("{} host threads", std::thread::hardware_concurrency())});
  try {
    const gpus::Gpu gpu = gpus::find(config.gpu, config.xnack);
    all.push_back(
        {good, fmt::format("{} GPUs; {} is the one that runs", gpus::all().size(), gpu.name)});
  } catch (const Exception& error) {
    all.push_back({broken, error.what(), "everything", "hipsight gpus lists the GPUs"});
  }
}

void check_compiler(std::vector<Found>& all, const Config& config) {
  const std::string needed = "HIP sources: hipcc, explain of a .hip file, hiprtc";
  const fs::path sdk = config::find_sdk(config), clang = config::find_clang(config, sdk);
  if (clang.empty())
    all.push_back(
        {missing, "clang++", needed, "apt install clang-22 lld-22, or set HIPSIGHT_CLANG"});
  else if (output_of("'" + clang.string() + "' --print-targets").find("amdgcn") ==
           std::string::npos)
    all.push_back({missing, fmt::format("AMD GPUs in {}", clang.string()), needed,
                   "apt install clang-22 lld-22, or set HIPSIGHT_CLANG"});
  else
    all.push_back({good, fmt::format("clang++: {}", clang.string())});
  if (sdk.empty())
    all.push_back({missing, "HIP's headers", needed,
                   "./dev setup in hipsight's sources, or set HIPSIGHT_SDK to a ROCm"});
  else
    all.push_back({good, fmt::format("HIP's headers: {}", sdk.string())});
}

void check_cache(std::vector<Found>& all, const Config& config) {
  const fs::path folder = config.cache.empty() ? config.usual_cache : config.cache;
  fs::path there = folder;  // or what there is of it
  while (!there.empty() && !fs::exists(there)) there = there.parent_path();
  const std::string needed = "quick starts: translated code is kept there";
  if (folder.empty() || folder == "off")
    all.push_back({missing, "a cache: it is off", needed, "unset HIPSIGHT_CACHE"});
  else if (access(there.c_str(), W_OK) != 0)
    all.push_back({missing, fmt::format("{}: it cannot be written", folder.string()), needed,
                   "set HIPSIGHT_CACHE to a folder of yours"});
  else
    all.push_back({good, fmt::format("cache: {}", folder.string())});
}

void check_python(std::vector<Found>& all, const Config& config) {
  struct Module {
    const char *name, *needed, *mend;
  };
  constexpr std::array modules{
      Module{"hipsight", "hipsight from Python", "pip install . in hipsight's sources"},
      Module{"numpy", "hipsight from Python", "pip install numpy"},
      Module{"torch", "torch.ops.hipsight, whole models, torch.compile",
             "pip install torch --index-url https://download.pytorch.org/whl/cpu"},
      Module{"triton", "Triton kernels", "pip install triton"},
      Module{"vllm", "vLLM", "integrations/vllm/README.md"},
  };
  const fs::path python = config::find_program(config, "python3");
  if (python.empty()) {
    all.push_back({missing, "python3", "Python, PyTorch, Triton, vLLM", "apt install python3"});
    return;
  }
  std::string names;
  for (const Module& module : modules) names += fmt::format("'{}',", module.name);
  const std::string text =
      output_of(fmt::format("'{}' -c \"import importlib.metadata as m, importlib.util as u\n"
                            "for n in ({}):\n"
                            "  try: print(n, m.version(n) if u.find_spec(n) else '-')\n"
                            "  except Exception: print(n, 'of unknown version')\"",
                            python.string(), names));
  all.push_back({good, fmt::format("python3: {}", python.string())});
  for (const Module& module : modules) {
    const std::string key = std::string(module.name) + " ";
    const std::size_t at = ("\n" + text).find("\n" + key);
    const std::string version =
        at == std::string::npos
            ? "-"
            : text.substr(at + key.size(), text.find('\n', at) - at - key.size());
    if (version == "-")
      all.push_back({missing, fmt::format("{} for {}", module.name, python.string()), module.needed,
                     module.mend});
    else
      all.push_back({good, fmt::format("{} {}", module.name, version)});
  }
}

}  // namespace

int doctor(const config::Loaded& options) {
  std::vector<Found> all;
  check_library(all);
  check_host(all, options.config);
  check_compiler(all, options.config);
  check_cache(all, options.config);
  check_python(all, options.config);
  bool works = true;
  for (const Found& one : all) {
    works &= one.state != broken;
    const char* const word = one.state == good ? "ok" : one.state == missing ? "missing" : "BROKEN";
    fmt::print("{:<8}{}\n", word, printable(one.what));
    if (one.state != good)
      fmt::print("        needed for {}\n        to mend: {}\n", one.needed, one.mend);
  }
  fmt::print("\n{}\n", works ? "hipsight runs programs here: hipsight run -- ./program"
                             : "hipsight does not run here");
  return works ? 0 : kUsageError;
}

}  // namespace hipsight::cli
