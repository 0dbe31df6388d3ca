#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capture/file.h"
#include "engine/engine.h"
#include "engine/memory/memory.h"

namespace hipsight::capture {

/// One launch as it stood before it ran, but for what memory held.
struct Header {
  std::string gpu;           ///< name
  std::string target;        ///< target id of the GPU
  std::string kernel;        ///< mangled
  std::uint64_t launch = 0;  ///< its number among the program's launches, from 1
  engine::Dim3 grid, block;  ///< work-items
  std::uint32_t dynamic_lds = 0;
  bool cooperative = false;
  bool exact_matrix = false;                            ///< engine::MatrixMode::Exact
  std::string code_origin;                              ///< the file that the code object came from
  std::uint64_t code_address = 0;                       ///< where it was loaded
  std::vector<engine::Memory::Allocation> allocations;  ///< in order of address
};

std::string to_json(const Header& header);
/// @throws Exception when the text makes no sense; `origin` names the file.
Header parse_header(std::string_view json, const std::string& origin);

/// What came of the launch.
struct Outcome {
  std::vector<std::string> digests;  ///< of each allocation, in order of address; empty: it failed
  std::string error;                 ///< of a launch that failed
  /// Other code objects whose functions it called.
  struct Called {
    std::string origin;
    std::uint64_t address = 0;  ///< where it was loaded
  };
  std::vector<Called> called;
};

std::string to_json(const Outcome& outcome);
/// @throws Exception as parse_header.
Outcome parse_outcome(std::string_view json, const std::string& origin);

/// A capture file in memory. What the allocations held stays packed until it is asked for.
struct Capture {
  Header header;
  Outcome outcome;
  std::vector<std::byte> code;                 ///< the ELF
  std::vector<std::vector<std::byte>> called;  ///< those of Outcome::called
  std::vector<std::byte> kernarg;
  std::vector<Section> memory;
  std::string origin;

  /// `file` must outlive the result. @throws Exception when the file is corrupt or cut short.
  static Capture read(std::span<const std::byte> file, const std::string& origin);

  /// Calls write(address, bytes) for each piece of memory that is not zero.
  /// @throws Exception when the file is corrupt.
  template <class Write>
  void for_each_block(Write&& write) const {
    for (const Section& section : memory) {
      const std::vector<std::byte> bytes = unpack(section, origin);
      const std::uint64_t address = block_address(bytes, section);
      write(address, std::span(bytes).subspan(sizeof address));
    }
  }

 private:
  std::uint64_t block_address(std::span<const std::byte> bytes, const Section& section) const;
};

/// The allocations that make up the state of a launch: all but the engine's own.
std::vector<engine::Memory::Allocation> allocations(const engine::Memory& memory);

/// What a launch may reach of an allocation: to the end of its last page (Options::strict), but no
/// more than was given of the program's own memory.
std::span<std::byte> reach(const engine::Memory::Allocation& allocation);

/// XXH3 (128 bits, hexadecimal) of what the reach of each allocation holds.
std::vector<std::string> digests(std::span<const engine::Memory::Allocation> allocations);
/// One for all of them.
std::string digest(std::span<const std::string> digests);

}  // namespace hipsight::capture
