#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hipsight {

/// Whether bytes begin with a zstd frame.
bool is_zstd(std::string_view bytes);

/// As one zstd frame, which says how long its contents are. `level`: 1 to 19.
std::string compress(std::string_view bytes, int level = 3);

/// The contents of one frame that says how long they are, of at most `most` bytes.
/// @throws Exception when it is none, or is damaged.
std::string decompress(std::string_view frame, std::uint64_t most = std::uint64_t{1} << 32);

/// The length of the frame at the front of `bytes`; nothing when it is no whole frame.
std::optional<std::size_t> zstd_frame_size(std::span<const std::byte> bytes);

}  // namespace hipsight
