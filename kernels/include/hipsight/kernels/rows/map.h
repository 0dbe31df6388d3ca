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
