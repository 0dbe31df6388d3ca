#pragma once

#include <cstddef>

// What Pattern needs of RE2, as functions of C: where RE2 is loaded at run time, no C++ library has
// to be the same on both sides.
extern "C" {

/// A regular expression, or null with `why` (of `room` bytes) when the text is none. `bytes`: it is
/// meant byte by byte, and not as UTF-8.
__attribute__((visibility("default"))) void* hipsight_re2_new(const char* text, std::size_t size,
                                                              bool bytes, char* why,
                                                              std::size_t room);
__attribute__((visibility("default"))) void hipsight_re2_delete(void* expression);
/// Whether it is found anywhere in the text.
__attribute__((visibility("default"))) bool hipsight_re2_is_in(const void* expression,
                                                               const char* text, std::size_t size);
}
