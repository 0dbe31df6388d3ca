#pragma once

#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {

inline constexpr Entries integer64_entries{
    def<u64(u32, u64)>("V_LSHLREV_B64", [](auto n, auto a) { return a << to<u64>(n & 63); }),
    def<u64(u32, u64)>("V_LSHRREV_B64", [](auto n, auto a) { return a >> to<u64>(n & 63); }),
    def<i64(u32, i64)>("V_ASHRREV_I64", [](auto n, auto a) { return a >> to<i64>(n & 63); }),
    def<u64(u64, u32, u64)>("V_LSHL_ADD_U64",
                            [](auto a, auto b, auto c) { return (a << to<u64>(b & 7)) + c; }),
    // The bit is bit 64 of the sum: the carry, and of signed operands the sign.
    def<with_bit<u64>(u32, u32, u64)>("V_MAD_U64_U32",
                                      [](auto a, auto b, auto c) {
                                        const auto sum = to<u64>(a) * to<u64>(b) + c;
                                        return with(sum, sum < c);
                                      }),
    def<with_bit<i64>(i32, i32, i64)>("V_MAD_I64_I32",
                                      [](auto a, auto b, auto c) {
                                        const auto product = to<i64>(a) * to<i64>(b);
                                        const auto sum = product + c;
                                        const auto one = product < 0, other = c < 0;
                                        return with(sum, select(one ^ other, sum < 0, one));
                                      }),
};

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
