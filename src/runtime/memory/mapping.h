#pragma once

#include <cstddef>

namespace hipsight::runtime {

/// Bytes from `pointer` to the end of the readable memory that holds it; 0 when it is not readable.
std::size_t readable_bytes(const void* pointer);

/// The same of writable memory.
std::size_t writable_bytes(const void* pointer);

enum class Access { Read, Write };
/// Whether the process may read or write the whole range. Touches its pages, for a caller who is
/// about to do so anyway.
bool is_accessible(const void* pointer, std::size_t size, Access access);

/// Whether the process has memory in the whole range, accessible or not. Costs a system call,
/// whatever the size.
bool is_mapped(const void* pointer, std::size_t size);

}  // namespace hipsight::runtime
