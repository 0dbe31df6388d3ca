// What wave_test.cpp asks of wave.hip. `in` has a value for each lane of one wave; memory is seen
// by host and device.
#pragma once

int wave_size();

/// out[mask][lane], for each mask below the size of the wave.
bool run_exchange(const int* in, int* out);

/// out[0][lane]: the sum over all lanes; out[1]: the largest; out[2]: the sum over lanes that
/// differ in bits 2 and 4 only.
bool run_over_lanes(const float* in, float* out);

/// Lines whose elements are summed up, by waves that each have a role.
constexpr int lines_of_sums = 64;

/// out[half][line]: sums over a line's `columns`, of the first and of the second half of each 16.
bool run_sums(const float* in, int columns, float* out);
