#include "capture/capture.h"

#include <fmt/format.h>
#include <llvm/Support/Endian.h>
#include <llvm/Support/xxhash.h>

#include <algorithm>
#include <optional>

#include "support/error.h"

namespace hipsight::capture {
namespace {

std::string hash(const void* data, std::size_t size) {
  const auto hash = llvm::xxh3_128bits({static_cast<const std::uint8_t*>(data), size});
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string_view text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Capture Capture::read(std::span<const std::byte> file, const std::string& origin) {
  Capture capture;
  capture.origin = origin;
  std::optional<Section> header, code, kernarg, outcome;
  const auto once = [&](std::optional<Section>& place, const Section& section) {
    if (place) fail("{}: corrupt: a second section {}", origin, section.tag);
    place = section;
  };
  for (const Section& section : read_sections(file, origin)) {
    if (section.tag == "HEAD") {
      once(header, section);
    } else if (section.tag == "CODE") {
      once(code, section);
    } else if (section.tag == "ARGS") {
      once(kernarg, section);
    } else if (section.tag == "DONE") {
      once(outcome, section);
    } else if (section.tag == "ALSO") {
      capture.called.push_back(unpack(section, origin));
    } else if (section.tag == "DATA") {
      capture.memory.push_back(section);
    } else {
      fail("{}: corrupt: an unknown section at offset {}", origin, section.offset);
    }
  }
  if (!header || !code || !kernarg || !outcome)
    fail("{}: cut short: it does not have all of its sections", origin);
  capture.header = parse_header(text(unpack(*header, origin)), origin);
  capture.outcome = parse_outcome(text(unpack(*outcome, origin)), origin);
  if (capture.outcome.called.size() != capture.called.size())
    fail("{}: corrupt: {} sections ALSO, not {}", origin, capture.called.size(),
         capture.outcome.called.size());
  capture.code = unpack(*code, origin);
  capture.kernarg = unpack(*kernarg, origin);
  return capture;
}

std::uint64_t Capture::block_address(std::span<const std::byte> bytes,
                                     const Section& section) const {
  if (bytes.size() < sizeof(std::uint64_t))
    fail("{}: corrupt: no address at offset {}", origin, section.offset);
  const std::uint64_t address = llvm::support::endian::read64le(bytes.data());
  const std::uint64_t size = bytes.size() - sizeof address;
  const auto after =
      std::ranges::upper_bound(header.allocations, address, {}, &engine::Memory::Allocation::begin);
  const bool before_all = after == header.allocations.begin();
  const std::uint64_t from_begin = before_all ? 0 : address - std::prev(after)->begin;
  const std::uint64_t limit = before_all ? 0 : reach(*std::prev(after)).size();
  if (from_begin > limit || size > limit - from_begin)
    fail("{}: corrupt: the block at offset {} lies in no allocation", origin, section.offset);
  return address;
}

std::vector<engine::Memory::Allocation> allocations(const engine::Memory& memory) {
  auto all = memory.all();
  std::erase_if(all, [](const auto& one) { return one.kind == engine::Memory::Kind::Arguments; });
  return all;
}

std::span<std::byte> reach(const engine::Memory::Allocation& allocation) {
  constexpr std::uint64_t page = 4096;
  const std::uint64_t tail = allocation.registered ? 0 : (page - allocation.end() % page) % page;
  return {reinterpret_cast<std::byte*>(allocation.begin), allocation.size + tail};
}

std::vector<std::string> digests(std::span<const engine::Memory::Allocation> allocations) {
  std::vector<std::string> all;
  for (const auto& allocation : allocations) {
    const std::span<const std::byte> memory = reach(allocation);
    all.push_back(hash(memory.data(), memory.size()));
  }
  return all;
}

std::string digest(std::span<const std::string> digests) {
  std::string all;
  for (const std::string& one : digests) all += one;
  return hash(all.data(), all.size());
}

}  // namespace hipsight::capture
