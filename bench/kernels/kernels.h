// The parts of the bench of the kernel library.
#pragma once

#include <string>
#include <vector>

#include "gpus/gpu.h"
#include "table.h"

namespace hipsight::bench {

/// What a program can get of the memory, and the time of an empty launch.
double memory_bytes_per_second(const gpus::Gpu& gpu);
double launch_seconds(const gpus::Gpu& gpu);

void add_rows(const std::string& gpu, std::vector<Row>& rows);

}  // namespace hipsight::bench
