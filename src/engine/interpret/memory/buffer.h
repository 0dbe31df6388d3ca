#pragma once
// Buffer resources: where in memory a lane's bytes are, and which of them are in range (ISA
// manuals, "Buffer Addressing" and "Buffer Resource").

#include <utility>

#include "engine/interpret/memory/accesses.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

struct BufferResource {
  std::uint64_t base;
  std::uint32_t stride, records, word3;
  std::uint32_t element = 0;  ///< bytes of a lane that lie side by side; 0: not swizzled
  bool rdna, add_lane;

  BufferResource(const Wave& w, const isa::Instruction& in)
      : base(w.scalar[in.base.index] | std::uint64_t{w.scalar[in.base.index + 1] & 0xffff} << 32),
        stride(w.scalar[in.base.index + 1] >> 16 & 0x3fff),
        records(w.scalar[in.base.index + 2]),
        word3(w.scalar[in.base.index + 3]),
        rdna(isa::is_rdna(in.gfx)),
        add_lane(word3 >> 23 & 1) {
    const std::uint32_t swizzle = w.scalar[in.base.index + 1] >> 30;
    if (rdna) {
      constexpr std::uint32_t sizes[]{0, 4, 8, 16};  // the manuals reserve the one of 8
      element = sizes[swizzle];
      return;
    }
    // The low bit is of the cache. The manual's formula swizzles whenever the high one is set, but
    // its uses have an index then, or lanes as one; kernels that set the bit and have neither
    // (HipKittens, make_srsrc) are right on the hardware only as linear ones. GFX9 has no field for
    // the size of elements.
    if (swizzle & 2 && (in.idxen || add_lane)) element = 4;
    if (!add_lane) return;
    if (in.format == isa::Format::Mubuf && !in.row->memory.formatted())
      stride |= (word3 >> 15 & 15) << 14;
    // As AMD's emulator has it from the hardware (ROCm/rocm-systems#10928).
    if (in.gfx == isa::Gfx::Gfx950 && in.idxen && !element) add_lane = false;
  }

  /// RDNA's OOB_SELECT: what is out of range.
  enum class Check : std::uint8_t { IndexAndOffset, Index, Nothing, Raw };
  Check check() const { return static_cast<Check>(word3 >> 28 & 3); }

  /// Whether lanes' offsets count bytes from the base, and records are bytes.
  bool counts_bytes(const isa::Instruction& in) const {
    return !in.idxen && !add_lane && !element && (!rdna || check() == Check::Raw);
  }

  /// What a lane accesses.
  struct Place {
    std::uint32_t record = 0;  ///< the index of the instruction's register
    std::uint32_t index = 0, offset = 0, soffset = 0;
  };

  std::uint64_t address(const isa::Instruction& in, Place p) const {
    if (!element) return base + p.soffset + std::uint64_t{p.index} * stride + p.offset;
    // RDNA4 swizzles the scalar offset with the others.
    if (in.gfx == isa::Gfx::Gfx12) p.offset += std::exchange(p.soffset, 0);
    const std::uint32_t index_stride = 8u << (word3 >> 21 & 3);
    return base + p.soffset +
           (std::uint64_t{p.index / index_stride} * stride + p.offset / element * element) *
               index_stride +
           p.index % index_stride * element + p.offset % element;
  }

  /// Bytes of an access that are in range ("Range Checking"); `by_dword`: of some of its dwords, if
  /// not of all. CDNA: lanes as indices are not checked, other indices count records; else bytes
  /// count, those of the scalar offset too, which the manuals do not say (gfx950:
  /// ROCm/rocm-systems#10928).
  std::uint32_t valid(const isa::Instruction& in, const Place& p, std::uint32_t bytes,
                      bool by_dword) const {
    const auto below = [&](std::uint64_t at, std::uint64_t limit) -> std::uint32_t {
      if (at + bytes <= limit) return bytes;
      if (at >= limit || !by_dword) return 0;
      return static_cast<std::uint32_t>(limit - at) & ~3u;
    };
    const auto if_true = [&](bool in_range) { return in_range ? bytes : 0; };
    const std::uint64_t from_base = std::uint64_t{p.offset} + p.soffset;
    if (!rdna) {
      if (word3 >> 23 & 1 && !in.idxen) return bytes;
      return in.idxen && stride ? if_true(p.record < records) : below(from_base, records);
    }
    const bool has_record = p.index < records;
    switch (check()) {
      case Check::IndexAndOffset:
        return has_record ? below(p.offset, stride) : 0;
      case Check::Index:
        return if_true(has_record);
      case Check::Nothing:
        return if_true(records != 0);
      case Check::Raw:
        if (!element || !stride) return below(from_base, records);
        return has_record ? below(p.offset, stride) : 0;
    }
    return 0;
  }
};

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
