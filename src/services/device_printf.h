#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace hipsight::services {

/// The text of one printf call of device code. `message` is what the device sends (LLVM,
/// AMDGPUEmitPrintf): the format, ended by a zero and padded to 8 bytes; then one word for each
/// argument, a string being ended and padded like the format. Conversions are C's; %n prints
/// nothing. A call with fewer arguments than conversions ends at the first that has none.
std::string format_printf(std::span<const std::uint64_t> message);

}  // namespace hipsight::services
