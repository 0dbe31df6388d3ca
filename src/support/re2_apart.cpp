// RE2 in a library of its own, beside the one that this is in. It comes with a libstdc++ that is
// not ours, and sees its own names before those of the program (RTLD_DEEPBIND), which may have an
// RE2.
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "support/error.h"
#include "support/re2.h"

namespace {

constexpr const char* kLibrary = "libhipsight_re2.so";
#if __has_feature(address_sanitizer)  // which does not bear it
constexpr int kFlags = RTLD_NOW | RTLD_LOCAL;
#else
constexpr int kFlags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

void* load() {
  Dl_info self{};
  dladdr(reinterpret_cast<const void*>(&load), &self);
  const auto file = std::filesystem::absolute(self.dli_fname).parent_path() / kLibrary;
  if (void* const library = dlopen(file.c_str(), kFlags)) return library;
  hipsight::fail("no regular expressions: {}", dlerror());
}

template <class Function>
Function* find(const char* name, Function*) {
  static void* const library = load();
  if (void* const found = dlsym(library, name)) return reinterpret_cast<Function*>(found);
  hipsight::fail("no regular expressions: {} has no {}", kLibrary, name);
}

}  // namespace

void* hipsight_re2_new(const char* text, std::size_t size, bool bytes, char* why,
                       std::size_t room) {
  static auto* const function = find("hipsight_re2_new", &hipsight_re2_new);
  return function(text, size, bytes, why, room);
}

void hipsight_re2_delete(void* expression) {
  static auto* const function = find("hipsight_re2_delete", &hipsight_re2_delete);
  function(expression);
}

bool hipsight_re2_is_in(const void* expression, const char* text, std::size_t size) {
  static auto* const function = find("hipsight_re2_is_in", &hipsight_re2_is_in);
  return function(expression, text, size);
}
