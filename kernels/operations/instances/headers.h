// What instances include of HIP and of the standard library: precompiled for each target, since
// that is half of what a compiler does for one of them (src/instances.cpp).
#pragma once

#include <dlfcn.h>
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>
