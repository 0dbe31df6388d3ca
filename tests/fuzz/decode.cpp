#include "isa/decode.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "isa/crash_guard.h"

// Machine code for the processor that the last byte chooses, decoded from its beginning to its end.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using hipsight::isa::Decoder;
  static std::array<Decoder, 5> decoders{Decoder("gfx90a"), Decoder("gfx942"), Decoder("gfx950"),
                                         Decoder("gfx1100"), Decoder("gfx1201")};
  if (size == 0) return 0;
  const hipsight::isa::CrashGuard guard;
  Decoder& decoder = decoders[data[size - 1] % decoders.size()];
  const auto code = std::as_bytes(std::span(data, size - 1));
  for (std::size_t at = 0; at + 4 <= code.size();) {
    const auto instruction = decoder.decode(code.subspan(at), at);
    if (!instruction) {
      at += 4;
      continue;
    }
    const bool sound = instruction->size >= 4 && instruction->size % 4 == 0 &&
                       at + instruction->size <= code.size() && !instruction->name().empty();
    if (!sound || decoder.text(*instruction).empty()) std::abort();
    work_of(*instruction);
    at += instruction->size;
  }
  return 0;
}
