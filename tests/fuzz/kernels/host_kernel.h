#pragma once
// What a library of kernels for the host gives the program that runs it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../host/fibers.h"

namespace fuzz {

using host_test::Fibers;

struct HostKernel {
  const char* name;
  std::uint32_t size[3];     ///< of a workgroup, in work-items
  std::uint32_t groups;      ///< workgroups, along x
  std::uint32_t slots;       ///< words of output of a work-item
  std::size_t shared_bytes;  ///< LDS of a workgroup
  /// One work-item: its number in the group, the group's, and the words that the kernel gets.
  void (*run)(Fibers& fibers, std::uint32_t lanes, std::uint32_t thread, std::uint32_t block,
              void* shared, const std::uint64_t* in, std::uint64_t* out, std::uint64_t* totals);
  std::uint32_t threads() const { return size[0] * size[1] * size[2]; }
};

}  // namespace fuzz
