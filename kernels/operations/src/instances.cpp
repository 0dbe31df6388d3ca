#include "instances.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>

#include "files.h"

namespace hipsight::operations {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// The environment, but for what is to be loaded into GPU programs: a compiler is none.
std::vector<char*> environment() {
  std::vector<char*> all;
  for (char** variable = environ; *variable; variable++)
    if (!std::string_view(*variable).starts_with("LD_PRELOAD=")) all.push_back(*variable);
  all.push_back(nullptr);
  return all;
}

/// Runs a program. @throws Failure with what it said if it fails.
void run(const Words& words, const fs::path& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environment().data());
  posix_spawn_file_actions_destroy(&files);
  if (error) throw Failure(words[0] + ": " + std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return;
  std::ifstream said(log);
  throw Failure("the kernel could not be compiled:\n" +
                std::string(std::istreambuf_iterator<char>(said), {}));
}

/// A folder that goes with this.
struct TemporaryFolder {
  fs::path path;
  explicit TemporaryFolder(const fs::path& within) {
    fs::create_directories(within);
    std::string name = within / "compile-XXXXXX";
    if (!mkdtemp(name.data())) throw Failure(within.string() + ": " + std::strerror(errno));
    path = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

std::string target_of(const hipsight_context& context) {
  const std::string_view whole = context.target ? context.target : "";
  if (whole.empty()) throw Failure("the context names no target");
  for (const char one : whole)
    if (!std::isalnum(static_cast<unsigned char>(one)) && !std::strchr(":+-", one))
      throw Failure("the context's target is " + std::string(whole) + ": it is a name like gfx942");
  return std::string(whole.substr(0, whole.find(':')));
}

/// What the host's side of an instance calls: launches.h, for a GPU of so many compute units, or
/// the HIP runtime, whichever the process has.
std::string host_of(const hipsight_context& context) {
  return context.launch ? std::to_string(context.compute_units) : "hip";
}

/// What is the same for an instance and for its precompiled headers: clang compares it.
Words compiler(const fs::path& home) {
  return {"bash",
          home / "hipcc",
          "-fPIC",
          "-fvisibility=hidden",
          "-std=c++20",
          "-gline-tables-only",
          "-I" + (home / "include").string()};
}

/// instances/headers.h in the cache, with "headers.h.gch" beside it: a folder of precompiled ones,
/// of which clang takes those for the host and for the target. Empty: there are none, and instances
/// are compiled without.
fs::path precompiled_headers(const hipsight_context& context, const fs::path& home,
                             const fs::path& cache) try {
  const fs::path file = cache / ("headers-" + version_of(home)) / "headers.h";
  const fs::path made = file.string() + ".gch";
  const TemporaryFolder folder(cache);
  fs::create_directories(made);
  if (!fs::exists(file)) {
    fs::copy_file(home / "instances/headers.h", folder.path / "headers.h");
    std::error_code there;  // by another process: what is precompiled is of one file
    fs::create_hard_link(folder.path / "headers.h", file, there);
  }
  const std::string target = target_of(context);
  for (const std::string& of : {std::string("host"), target}) {
    if (fs::exists(made / of)) continue;
    Words words = compiler(home);
    words.push_back(of == target ? "--offload-device-only" : "--offload-host-only");
    words.insert(words.end(),
                 {"--offload-arch=" + target, "-fsyntax-only", "-x", "hip", file, "-Xclang",
                  "-emit-pch", "-Xclang", "-o", "-Xclang", folder.path / of});
    run(words, folder.path / "log");
    fs::rename(folder.path / of, made / of);
  }
  return file;
} catch (const std::exception&) {
  return {};
}

void compile(const hipsight_context& context, const Instance& instance, const fs::path& home,
             const fs::path& file) {
  const fs::path headers = precompiled_headers(context, home, file.parent_path());
  const TemporaryFolder folder(file.parent_path());
  const fs::path library = folder.path / "library.so", macros = folder.path / "macros.h";
  // In a file: macros of the command line would have to be those of the precompiled headers.
  std::ofstream defines(macros);
  for (const std::string& macro : instance.macros) {
    const std::size_t equals = macro.find('=');
    defines << "#define " << macro.substr(0, equals) << ' '
            << (equals == macro.npos ? "1" : macro.substr(equals + 1)) << '\n';
  }
  Words includes{"-include", macros};
  if (context.launch) {
    defines << "#define HIPSIGHT_TARGET \"" << target_of(context) << "\"\n"
            << "#define HIPSIGHT_COMPUTE_UNITS " << host_of(context) << '\n';
    includes.insert(includes.end(), {"-include", home / "instances/launches.h", "-Wl,-z,defs"});
  }
  defines.close();
  const auto run_with = [&](const Words& first) {
    Words words = compiler(home);
    words.insert(words.end(), {"-shared", "--offload-arch=" + target_of(context), "-Wl,-Bsymbolic",
                               "-no-hip-rt"});
    words.insert(words.end(), first.begin(), first.end());
    words.insert(words.end(), includes.begin(), includes.end());
    words.insert(words.end(), {home / "instances" / (instance.source + ".hip"), "-o", library});
    run(words, folder.path / "log");
  };
  bool compiled = false;
  if (!headers.empty()) {
    try {
      run_with({"-include", headers});
      compiled = true;
    } catch (const Failure&) {
      // The system's headers may have changed since; what is wrong without precompiled ones is
      // wrong.
    }
  }
  if (!compiled) {
    run_with({});
    std::error_code ignored;
    if (!headers.empty()) fs::remove_all(headers.parent_path(), ignored);
  }
  fs::rename(library, file);  // whole, or not there
}

/// Compiled and loaded under a lock of its own: other instances need not wait.
struct Loaded {
  std::mutex mutex;
  void* library = nullptr;
  void (*called_by)(const hipsight_context*) = nullptr;

  void load(const hipsight_context& context, const std::string& file) {
    // An instance finds the runtime's functions where all libraries' are.
    if (!context.launch) dlopen(loaded_runtime().c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) throw Failure(dlerror());
    called_by = reinterpret_cast<decltype(called_by)>(dlsym(library, "hipsight_called_by"));
  }
};
Loaded& loaded(const std::string& key) {
  static std::mutex mutex;
  static auto& all = *new std::map<std::string, std::unique_ptr<Loaded>>;  // to the process's end
  const std::lock_guard lock(mutex);
  auto& one = all[key];
  if (!one) one = std::make_unique<Loaded>();
  return *one;
}

}  // namespace

std::string file_of(const hipsight_context& context, const Instance& instance) {
  const Folders at = folders();
  std::string name = instance.source + "-" + target_of(context) + "-" + host_of(context);
  for (const std::string& macro : instance.macros) name += "-" + macro;
  name += "-" + version_of(at.home) + ".so";
  if (fs::exists(at.installed / name)) return at.installed / name;
  const fs::path file = at.cache / name;
  if (!fs::exists(file)) compile(context, instance, at.home, file);
  return file;
}

void* function_of(const hipsight_context& context, const Instance& instance, const char* function) {
  std::string key = instance.source + " " + target_of(context) + " " + host_of(context);
  for (const std::string& macro : instance.macros) key += " " + macro;
  Loaded& one = loaded(key);
  {
    const std::lock_guard lock(one.mutex);
    if (!one.library) one.load(context, file_of(context, instance));
  }
  if (one.called_by) one.called_by(&context);
  void* const found = dlsym(one.library, function);
  if (!found) throw Failure(instance.source + ": the instance has no " + function);
  return found;
}

}  // namespace hipsight::operations
