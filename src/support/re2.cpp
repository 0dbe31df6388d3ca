#include "support/re2.h"

#include <re2/re2.h>

#include <cstdio>
#include <memory>

void* hipsight_re2_new(const char* text, std::size_t size, bool bytes, char* why,
                       std::size_t room) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  if (bytes) options.set_encoding(re2::RE2::Options::EncodingLatin1);
  auto expression = std::make_unique<re2::RE2>(re2::StringPiece(text, size), options);
  if (expression->ok()) return expression.release();
  std::snprintf(why, room, "%s", expression->error().c_str());
  return nullptr;
}

void hipsight_re2_delete(void* expression) {
  delete static_cast<re2::RE2*>(expression);
}

bool hipsight_re2_is_in(const void* expression, const char* text, std::size_t size) {
  return re2::RE2::PartialMatch(re2::StringPiece(text, size),
                                *static_cast<const re2::RE2*>(expression));
}
