// Functions of single values, between operands of any kind: gated activations, and conversions to
// and from 8 bits.
#pragma once

#include "../activations.h"
#include "operands.h"

namespace hipsight::kernels {

/// out = in, converted
template <class In, class Out>
struct Convert {
  static constexpr bool whole_rows = takes_whole_rows<Out>;
  static constexpr const char* name = "convert";
  In in;
  Out out;

  template <class Row>
  HIPSIGHT_INLINE void run(Row& row) const {
    store(row, out, [&](int part) { return load(row, in, part); });
  }
};

struct SiluGate {
  HIPSIGHT_INLINE float operator()(float gate, float up) const { return silu(gate) * up; }
};

struct GeluGate {
  HIPSIGHT_INLINE float operator()(float gate, float up) const { return gelu(gate) * up; }
};

/// gpt-oss's: gate sigmoid(1.702 gate) (up + 1), of a gate of at most 7 and of an `up` of -7 to 7
/// (openai/gpt-oss, torch/model.py, "swiglu"). Not a number stays so.
struct ClampedSiluGate {
  static constexpr float slope = 1.702f, limit = 7;
  HIPSIGHT_INLINE float operator()(float gate, float up) const {
    if (gate > limit) gate = limit;
    if (up > limit) up = limit;
    if (up < -limit) up = -limit;
    return silu(slope * gate) * (1 / slope) * (up + 1);
  }
};

/// out = gate(g, up), value by value
template <class Gate, class In, class Out>
struct Gated {
  static constexpr bool whole_rows = takes_whole_rows<Out>;
  static constexpr const char* name = "gated";
  In gate, up;
  Out out;

  template <class Row>
  HIPSIGHT_INLINE void run(Row& row) const {
    store(row, out,
          [&](int part) { return each(load(row, gate, part), load(row, up, part), Gate{}); });
  }
};

}  // namespace hipsight::kernels
