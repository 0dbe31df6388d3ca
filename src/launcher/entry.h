#pragma once

/// The program hipsight_launch, whose code is in libhipsight.
extern "C" __attribute__((visibility("default"))) int hipsight_launch_command(int argc,
                                                                              char** argv);
