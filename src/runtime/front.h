#pragma once

/// A library that programs load in the place of HIP's, libamdhip64 or libhiprtc of one version. It
/// has no state: each of its functions goes on to libhipsight, which is one for all fronts of a
/// process.
struct HipsightFront {
  int version;                   ///< the major version of HIP, as in its SONAME
  const void* const* functions;  ///< its own, in the order of exports()
};

/// What a front's function calls first: notes for this thread through which front it came, and
/// gives the implementation of function `number`.
extern "C" __attribute__((visibility("default"))) const void* hipsight_enter(
    const HipsightFront* front, unsigned number);
