#include "capture/capture.h"

#include "support/error.h"

// The first byte says whether a whole file follows, or only its header.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hipsight;
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    if (data[0] == 'f') {
      capture::Capture::read(bytes, "broken.hsc").for_each_block([](auto, auto) {});
    } else if (data[0] == 'h') {
      capture::parse_header(text, "broken.hsc");
    } else {
      capture::parse_outcome(text, "broken.hsc");
    }
  } catch (const Exception&) {
  }
  return 0;
}
