#pragma once

/// The command `hipsight`, whose code is in libhipsight: all that there is of LLVM is in there
/// once.
extern "C" __attribute__((visibility("default"))) int hipsight_command(int argc, char** argv);
