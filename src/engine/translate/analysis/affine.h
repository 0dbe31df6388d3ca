#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engine/translate/analysis/liveness.h"

namespace hipsight::engine {

/// How a vector register's values lie across each aligned group of lanes (16, or
/// Affinities::group): the first one, plus `stride` for every lane after it. Addresses made from
/// work-item numbers are like this, and need neither a look at each lane nor a gather.
struct Affine {
  bool known = false;
  std::uint32_t stride = 0;  ///< modulo 2^32
  std::uint8_t zeros = 0;    ///< low bits that are 0 in each group's first value
  std::uint8_t bits = 32;    ///< values are below 2^bits
  /// If it is not known: from this bit on, a group's values are the same.
  std::uint8_t rough = 32;
  /// Otherwise it holds only if the last lane's value is where it should be, which is left to be
  /// checked.
  bool sure = true;

  static constexpr unsigned group = 16;
  static constexpr unsigned half = 8;  ///< a smaller group, for rows of eight lanes
  bool uniform() const { return known && stride == 0 && sure; }
  bool operator==(const Affine&) const = default;
};
/// How the addresses of an access lie.
struct Address {
  Affine affine;
  unsigned group = Affine::group;  ///< lanes of which that holds
};
/// The stride as a signed number, unless it is so large that a value could wrap more than once
/// within a group.
std::optional<std::int64_t> signed_stride(const Affine& a);

/// An addition's carry, on its way from the low words of two values to their high ones.
struct Carry {
  struct Operand {
    unsigned high = 0;                        ///< place of the high register; 0: it is a scalar
    std::optional<std::int64_t> stride;       ///< with that register, or of the scalar
    std::optional<std::int64_t> word_stride;  ///< if the high word is 0
    bool operator==(const Operand&) const = default;
  };
  unsigned low = 0;  ///< place of the sum's low register
  Operand operand[2];
  bool operator==(const Carry&) const = default;
};

/// The smaller or the larger of a growing word and a value that is the same in all lanes. If the
/// last lane is as far from the first one as the stride says, no lane is cut off; unless the word
/// wraps, which shows once it is extended to 64 bits as the comparison takes it. So nothing else is
/// known of it.
struct Clamped {
  std::int64_t stride = 0;
  bool is_signed = false;
  bool operator==(const Clamped&) const = default;
};

/// What is known of registers, by place; what is missing is not known.
struct Affinities {
  unsigned group = Affine::group;  ///< lanes
  std::map<unsigned, Affine> words;
  /// Of pairs of registers, by the first one's place: by how much the 64-bit value grows from lane
  /// to lane of a group. Of extended words that holds only if none wraps within the group, which is
  /// left to be checked: then the last lane's value is where it should be.
  std::map<unsigned, std::int64_t> pairs;
  std::map<unsigned, Carry> carries;  ///< by the mask's place
  std::map<unsigned, Clamped> clamped;
  std::map<unsigned, std::uint32_t> constants;  ///< in scalar registers

  Affinities() = default;
  /// Nothing is known.
  explicit Affinities(unsigned group) : group(group) {}
  bool operator==(const Affinities&) const = default;
  /// By how much the pair grows from lane to lane.
  std::optional<std::int64_t> pair_at(unsigned place) const;
};

/// Follows work-item numbers and scalars through a function's vector arithmetic. What it finds
/// holds for waves with every lane on, of workgroups whose rows are whole groups of lanes.
class AffineFlow {
 public:
  AffineFlow(std::span<const Region> regions, const Liveness& liveness, bool kernel,
             unsigned group);

  const Affinities& before(std::size_t region) const { return before_[region]; }
  /// What holds after an op.
  static void step(Affinities& now, const Op& op, const RegisterFile& file, bool all_lanes);

 private:
  std::vector<Affinities> before_;
};

}  // namespace hipsight::engine
