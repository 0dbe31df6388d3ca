#pragma once

#include <cstddef>
#include <vector>

#include "analysis/listing.h"
#include "isa/registers.h"

namespace hipsight::analysis {

/// Which vector registers hold what is read later, over a kernel's listing: how many it needs
/// there, of those that it was given.
///
/// A register is live where some path from the entry has written it and some path on leads to an
/// instruction that reads it before one that writes it. (Both, since what compilers know to be
/// undefined may be read on paths that nobody takes.) A write ends its life as in the compiler's
/// own view, whatever EXEC is: lanes that are off keep what they had, but a value made under an
/// "if" is read under the same "if", or joined after it with what the other lanes had. For the
/// latter, control is taken to go round the "if", also where the compiler has left out the branch
/// that would. Not counted is what functions read that the kernel calls (Listing::leaves). Where
/// registers are named by index, all that may be meant count as read.
struct LiveRegisters {
  struct Count {
    unsigned vgprs = 0, agprs = 0;
    unsigned both() const { return vgprs + agprs; }
  };
  /// Live before each line.
  std::vector<isa::VectorRegisters> before;
  /// At each line: live before it, or after it with what it writes; the larger of the two.
  std::vector<Count> at;
  std::size_t fullest = 0;  ///< the first line with the most of both
  Count most() const { return at.empty() ? Count{} : at[fullest]; }
};

/// What a wave of a kernel finds in vector registers: its work-items' ids, in v0.
isa::VectorRegisters work_item_ids();

/// `vgprs`: how many a wave has, so that an index can mean no others. `given`: what holds something
/// when the first instruction runs.
LiveRegisters live_registers(const Listing& listing,
                             unsigned vgprs = isa::VectorRegisters::per_file,
                             const isa::VectorRegisters& given = work_item_ids());

}  // namespace hipsight::analysis
