#include "code/use.h"
#include "support/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    hipsight::code::testing::use_code_object(std::as_bytes(std::span(data, size)));
  } catch (const hipsight::Exception&) {
  }
  return 0;
}
