#pragma once

#include <string>
#include <string_view>

namespace hipsight::code {

/// A feature of a target id: said on, said off, or not said (any).
enum class Feature { Any, Off, On };

/// A processor with its xnack and sramecc settings, as in "gfx90a:sramecc+:xnack-".
struct Target {
  std::string processor;  ///< "gfx942", or a generic one: "gfx9-4-generic"
  Feature xnack = Feature::Any;
  Feature sramecc = Feature::Any;

  /// Parses a target id. @throws Exception naming the text.
  static Target parse(std::string_view text);
  std::string text() const;
  /// Whether this is a generic processor, such as gfx11-generic.
  bool generic() const;
  /// Whether vector registers are error-corrected: as stated, else wherever a processor can, which
  /// is LLVM's rule (GCNSubtarget::d16PreservesUnusedBits).
  bool has_sram_ecc() const;

  /// Whether code built for this target runs on `device`: same processor or a generic one that
  /// covers it, and every feature that the code states is stated alike by the device.
  bool runs_on(const Target& device) const;
};

}  // namespace hipsight::code
