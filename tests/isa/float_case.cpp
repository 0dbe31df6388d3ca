#include "float_case.h"

#include <gtest/gtest.h>

#include "operands.h"

namespace hipsight::test {

void check(const FloatCase& c) {
  for (const HostIsa& host_isa : host_isas()) {
    Machine machine(c.processor, host_isa);
    const auto code = machine.lower(c.text);
    Floats values(seed(11, host_isa));
    const auto pair_at = [&](unsigned r, unsigned lane) {
      return machine.vgpr(r, lane) | u64{machine.vgpr(r + 1, lane)} << 32;
    };
    for (int round = 0; round < operand_rounds(150); ++round) {
      engine::Wave& wave = machine.wave();
      const u64 exec = (round % 3 == 0 ? ~0ull : values.random()) & wave.full;
      wave.set_pair(engine::reg::exec, exec);
      wave.set_pair(10, ~0ull);
      std::vector<FloatIn> inputs;
      for (unsigned lane = 0; lane < machine.lanes(); ++lane) {
        for (unsigned r = 0; r < 8; r += 2) {
          // Now and then operands are equal, or equal but for the sign.
          u64 v = values.next(c.format);
          if (r && values.random() % 16 == 0) v = pair_at(0, lane) ^ (v & c.format.sign());
          machine.vgpr(r, lane) = static_cast<u32>(v);
          machine.vgpr(r + 1, lane) = static_cast<u32>(v >> 32);
        }
        inputs.push_back({pair_at(0, lane), pair_at(2, lane), pair_at(4, lane), pair_at(6, lane)});
      }
      machine.run(*code);
      count_operands(std::popcount(exec));
      u64 bits = 0;
      for (unsigned lane = 0; lane < machine.lanes(); ++lane) {
        const FloatIn& in = inputs[lane];
        const bool active = exec >> lane & 1;
        const u64 result = active ? c.expected(in) : 0;
        const u64 low = 0xffffffffull, high = ~low;
        u64 value = in.d;
        if (active) switch (c.out) {
            case FloatOut::Single:
              value = (in.d & high) | (result & low);
              break;
            case FloatOut::Pair:
              value = result;
              break;
            case FloatOut::Half:
              value = (in.d & high) | (result & 0xffff);
              break;
            case FloatOut::HalfOnly:
              value = (in.d & ~0xffffull) | (result & 0xffff);
              break;
            case FloatOut::Bits:
              bits |= (result & 1) << lane;
          }
        ASSERT_EQ(pair_at(6, lane), value) << std::hex << host_isa.name << " a " << in.a << " b "
                                           << in.b << " c " << in.c << " d " << in.d;
        if (c.out == FloatOut::Bits && active) {
          ASSERT_EQ(wave.pair(10) >> lane & 1, result & 1)
              << std::hex << host_isa.name << " a " << in.a << " b " << in.b;
        }
      }
      if (c.out == FloatOut::Bits && wave.lanes == 64) {
        ASSERT_EQ(wave.pair(10), bits);
      }
    }
  }
}

}  // namespace hipsight::test
