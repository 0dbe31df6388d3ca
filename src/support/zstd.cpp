#include "support/zstd.h"

#include <zstd.h>

#include "support/error.h"

namespace hipsight {

bool is_zstd(std::string_view bytes) {
  return bytes.starts_with("\x28\xb5\x2f\xfd");
}

std::string compress(std::string_view bytes, int level) {
  std::string frame(ZSTD_compressBound(bytes.size()), 0);
  const std::size_t size =
      ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size)) fail("zstd: {}", ZSTD_getErrorName(size));
  frame.resize(size);
  return frame;
}

std::string decompress(std::string_view frame, std::uint64_t most) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  // A frame makes at most 128 KiB of four bytes: more is a lie that would only cost memory.
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || size > most ||
      size / 32768 > frame.size())
    fail("zstd: no frame that says how long it is, or one that is damaged");
  std::string bytes(size, 0);
  const std::size_t made = ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
  if (ZSTD_isError(made)) fail("zstd: {}", ZSTD_getErrorName(made));
  if (made != size) fail("zstd: the frame ends too early");
  return bytes;
}

std::optional<std::size_t> zstd_frame_size(std::span<const std::byte> bytes) {
  const std::size_t size = ZSTD_findFrameCompressedSize(bytes.data(), bytes.size());
  if (ZSTD_isError(size)) return std::nullopt;
  return size;
}

}  // namespace hipsight
