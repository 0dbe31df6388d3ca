#include "services/printf_buffer.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "services/device_printf.h"

namespace hipsight::services {
namespace {

constexpr std::uint32_t printf_buffer_head = 8;

/// The format strings of a code object by their hashes: "0:0:HASH,FORMAT".
std::map<std::uint64_t, std::string> formats_by_hash(const code::CodeObject& object) {
  std::map<std::uint64_t, std::string> formats;
  for (const std::string& line : object.printf_formats()) {
    const std::size_t comma = line.find(',');
    if (!line.starts_with("0:0:") || comma == std::string::npos) continue;
    std::uint64_t hash = 0;
    std::from_chars(line.data() + 4, line.data() + comma, hash, 16);
    formats.emplace(hash, line.substr(comma + 1));
  }
  return formats;
}

}  // namespace

void clear_printf_buffer(engine::Memory& memory, std::byte* buffer) {
  const std::uint32_t head[]{0, printf_buffer_size - printf_buffer_head};
  memory.copy(buffer, head, sizeof head);
}

void print_buffer(const std::byte* buffer, const code::CodeObject& object) {
  std::uint32_t used = 0;
  std::memcpy(&used, buffer, sizeof used);
  used = std::min(used, printf_buffer_size - printf_buffer_head);
  const auto formats = used ? formats_by_hash(object) : std::map<std::uint64_t, std::string>{};
  const std::byte* record = buffer + printf_buffer_head;
  for (const std::byte* const end = record + used; end - record >= 4;) {
    std::uint32_t control = 0;
    std::memcpy(&control, record, sizeof control);
    const std::size_t size = control >> 2, words = (size - 4) / 8;
    if (size < 4 || size > static_cast<std::size_t>(end - record)) break;
    std::vector<std::uint64_t> message(words);
    std::memcpy(message.data(), record + 4, words * 8);
    if ((control & 2) && words) {
      const auto format = formats.find(message[0]);
      const std::string text = format == formats.end() ? "" : format->second;
      std::vector<std::uint64_t> whole(text.size() / 8 + 1);
      std::memcpy(whole.data(), text.data(), text.size());
      whole.insert(whole.end(), message.begin() + 1, message.end());
      message = std::move(whole);
    }
    const std::string text = format_printf(message);
    std::fwrite(text.data(), 1, text.size(), control & 1 ? stderr : stdout);
    record += size;
  }
}

}  // namespace hipsight::services
