#pragma once
// What was done last to each dword of memory.

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "isa/instruction.h"

namespace hipsight::check {

/// An access to bytes of a dword; an empty one has no bytes.
struct Touch {
  /// Whether it is atomic; `Narrow`: for its own workgroup alone. Of GFX9's and GFX11's stores the
  /// encoding does not say it.
  enum class Atomic : std::uint8_t { No, Maybe, Narrow, Yes };

  std::uint64_t instruction : 48 = 0;
  std::uint64_t wave : 8 = 0;
  std::uint64_t bytes : 4 = 0;  ///< of the dword, a bit each
  std::uint64_t atomic : 2 = 0;
  std::uint64_t asked_for : 1 = 0;  ///< of a store: atomics or synchronising loads came there
  std::uint32_t workgroup = 0;
  std::uint32_t time = 0;  ///< check::Time

  const isa::Instruction& in() const {
    return *reinterpret_cast<const isa::Instruction*>(static_cast<std::uintptr_t>(instruction));
  }
  bool operator==(const Touch& other) const = default;
  Atomic is_atomic() const { return static_cast<Atomic>(std::uint64_t{atomic}); }
  bool of_same_wave(const Touch& other) const {
    return wave == other.wave && workgroup == other.workgroup;
  }
};

/// The last store, and since then loads of two waves.
struct Dword {
  Touch store;
  std::array<Touch, 2> loads;
};

/// Dwords of memory, as they are first touched.
class Shadow {
 public:
  /// Null: no more than `most_bytes` of them are held.
  Dword* at(std::uint64_t address) {
    const std::uint64_t number = address / page_bytes;
    if (number != last_number_ || !last_) {
      const auto [known, is_new] = pages_.try_emplace(number);
      if (is_new && pages_.size() * sizeof(Page) <= most_bytes)
        known->second = std::make_unique<Page>();
      last_number_ = number;
      last_ = known->second.get();
      full_ |= !last_;
    }
    return last_ ? &(*last_)[address % page_bytes / 4] : nullptr;
  }
  bool full() const { return full_; }

 private:
  static constexpr std::uint64_t page_bytes = 4096;
  static constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30;
  using Page = std::array<Dword, page_bytes / 4>;

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t last_number_ = 0;
  Page* last_ = nullptr;
  bool full_ = false;
};

}  // namespace hipsight::check
