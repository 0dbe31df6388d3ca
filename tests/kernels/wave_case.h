// What wave_test.cpp asks of wave.hip. `in` has a value for each lane of one wave; memory is seen
// by host and device.
#pragma once

int wave_size();

/// out[mask][lane], for each mask below the size of the wave.
bool run_exchange(const int* in, int* out);

/// out[0][lane]: the sum over all lanes; out[1]: the largest; out[2]: the sum over lanes that
/// differ in bits 2 and 4 only.
bool run_over_lanes(const float* in, float* out);
