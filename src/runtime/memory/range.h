#pragma once

#include "session/session.h"

/// Ranges: stretches of a program that it names, one in another, each thread its own. What
/// libroctx64 calls.
extern "C" {
/// Enters one. Its depth, from 0; below 0: `name` is null, or there is no memory.
__attribute__((visibility("default"))) int hipsight_range_push(const char* name);
/// Leaves the innermost one. Its depth; below 0: there is none.
__attribute__((visibility("default"))) int hipsight_range_pop();
}

namespace hipsight::runtime {

/// Where the calling thread is.
const session::Range& current_range() noexcept;

}  // namespace hipsight::runtime
