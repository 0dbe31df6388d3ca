// What HIP programs here include, and take most of their compile time to read: precompiled
// (hip.cmake).
#pragma once

#include <hip/hip_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>
