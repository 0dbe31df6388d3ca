// The parts of the bench of the kernel library.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gpus/gpu.h"
#include "hipsight/values.h"
#include "table.h"

namespace hipsight::bench {

/// What matrix units can do of operands of a type, as src/gpus names it, in operations a second, at
/// the load at which the clock leaves them most, if vector units work `beside` seconds for each of
/// theirs. Not a number, where the GPU has no instructions for the type.
double matrix_rate(const gpus::Gpu& gpu, const std::string& type, double beside = 0);
/// What a program can get of the memory, and the time of an empty launch.
double memory_bytes_per_second(const gpus::Gpu& gpu);
double launch_seconds(const gpus::Gpu& gpu);

/// How near to its limit a launch of `seconds` is predicted; beside it what it does a second, and
/// what its kernel is made of.
Row of_limit(std::string name, double limit, double seconds, std::pair<std::string, double> rate,
             const KernelReport& kernel);

/// Which workgroups of one of our GEMMs `hipsight predict` is to observe: of small ones all, as a
/// tile's last part waits for the others and adds them up; else some. One after the other, so that
/// what waits for what does not depend on the host.
std::string observed_of_gemm(long m, long n);

void add_gemms(const std::string& gpu, std::vector<Row>& rows);
void add_grouped_gemms(const std::string& gpu, std::vector<Row>& rows);
void add_int4_gemms(const std::string& gpu, std::vector<Row>& rows);
void add_convolutions(const std::string& gpu, std::vector<Row>& rows);
void add_attention(const std::string& gpu, std::vector<Row>& rows);
void add_attention_backward(const std::string& gpu, std::vector<Row>& rows);
void add_paged_attention(const std::string& gpu, std::vector<Row>& rows);
void add_rows(const std::string& gpu, std::vector<Row>& rows);
void add_compile_times(const std::string& gpu, std::vector<Row>& rows);

}  // namespace hipsight::bench
