// The file of a captured launch: what is written is read again, and what is broken is said to be.
// (tests/programs captures launches of whole programs.)
#include "capture/capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "support/error.h"

namespace hipsight::capture {
namespace {

namespace fs = std::filesystem;
using engine::Memory;
using testing::HasSubstr;

Header header() {
  Header header;
  header.gpu = "mi300x";
  header.target = "gfx942:sramecc+:xnack-";
  header.kernel = "_Z5saxpyifPKfPf";
  header.launch = 3;
  header.grid = {1024, 2, 1};
  header.block = {256, 1, 1};
  header.dynamic_lds = 64;
  header.cooperative = true;
  header.exact_matrix = true;
  header.code_origin = "./program \"quoted\"";
  header.code_address = 0x10000;
  header.allocations = {{0x10000, 0x800, Memory::Kind::Code, 0, 0, false, "code object"},
                        {0x20000, 100, Memory::Kind::Device, 1, 2, false, "hipMalloc #1"},
                        {0x30010, 8, Memory::Kind::Host, 0, 0, true, "hipHostRegister"}};
  return header;
}

class CaptureFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::temp_directory_path() / ("hipsight_capture" + std::to_string(getpid()));
  }
  void TearDown() override { fs::remove(path_); }

  // Three bytes at the end of the second allocation's page.
  std::vector<std::byte> write(const Header& header, std::uint64_t address = 0x20000 + 4093) {
    FileWriter file(path_);
    file.add("HEAD", to_json(header));
    file.add("CODE", "an ELF");
    file.add("ARGS", "arguments");
    std::string block(8, '\0');
    std::memcpy(block.data(), &address, 8);
    file.add("DATA", block + "abc");
    file.add("ALSO", "another ELF");
    file.add("DONE", to_json(Outcome{{"1", "2", "3"}, "", {{"lib.so", 0x10000}}}));
    EXPECT_EQ(file.finish(), fs::file_size(path_));
    std::ifstream in(path_, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
  }
  std::string path_;
};

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// All that a file says, as one text.
std::string contents(std::span<const std::byte> file) {
  const Capture capture = Capture::read(file, "x.hsc");
  std::string all = to_json(capture.header) + to_json(capture.outcome) + text(capture.code) +
                    text(capture.kernarg);
  for (const auto& elf : capture.called) all += text(elf);
  capture.for_each_block([&](std::uint64_t address, std::span<const std::byte> bytes) {
    all += std::to_string(address) + text(bytes);
  });
  return all;
}

std::string error_of(std::span<const std::byte> file) {
  try {
    contents(file);
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

TEST_F(CaptureFile, gives_back_names_of_any_bytes) {
  Header any = header();
  any.kernel = "k\xff\x1b";
  any.code_origin = "\xe2\x82";
  any.allocations[1].label = "\x80";
  const Header back = Capture::read(write(any), "x.hsc").header;
  EXPECT_EQ(back.kernel, any.kernel);
  EXPECT_EQ(back.code_origin, any.code_origin);
  EXPECT_EQ(back.allocations[1].label, any.allocations[1].label);
}

TEST_F(CaptureFile, gives_back_what_was_written) {
  const auto file = write(header());
  const Capture capture = Capture::read(file, "x.hsc");
  EXPECT_EQ(capture.header.gpu, "mi300x");
  EXPECT_EQ(capture.header.target, "gfx942:sramecc+:xnack-");
  EXPECT_EQ(capture.header.kernel, "_Z5saxpyifPKfPf");
  EXPECT_EQ(capture.header.launch, 3u);
  EXPECT_EQ(capture.header.grid.x, 1024u);
  EXPECT_EQ(capture.header.grid.y, 2u);
  EXPECT_EQ(capture.header.block.x, 256u);
  EXPECT_EQ(capture.header.dynamic_lds, 64u);
  EXPECT_TRUE(capture.header.cooperative);
  EXPECT_TRUE(capture.header.exact_matrix);
  EXPECT_EQ(capture.header.code_origin, "./program \"quoted\"");
  EXPECT_EQ(capture.header.code_address, 0x10000u);
  ASSERT_EQ(capture.header.allocations.size(), 3u);
  const Memory::Allocation& array = capture.header.allocations[1];
  EXPECT_EQ(array.begin, 0x20000u);
  EXPECT_EQ(array.size, 100u);
  EXPECT_EQ(array.kind, Memory::Kind::Device);
  EXPECT_EQ(array.device, 1);
  EXPECT_EQ(array.flags, 2u);
  EXPECT_EQ(array.label, "hipMalloc #1");
  EXPECT_TRUE(capture.header.allocations[2].registered);
  EXPECT_EQ(text(capture.code), "an ELF");
  EXPECT_EQ(text(capture.kernarg), "arguments");
  EXPECT_EQ(capture.outcome.digests, (std::vector<std::string>{"1", "2", "3"}));
  ASSERT_EQ(capture.called.size(), 1u);
  EXPECT_EQ(text(capture.called[0]), "another ELF");
  EXPECT_EQ(capture.outcome.called[0].origin, "lib.so");
  EXPECT_EQ(capture.outcome.called[0].address, 0x10000u);
  int blocks = 0;
  capture.for_each_block([&](std::uint64_t address, std::span<const std::byte> bytes) {
    EXPECT_EQ(address, 0x20000u + 4093);
    EXPECT_EQ(text(bytes), "abc");
    ++blocks;
  });
  EXPECT_EQ(blocks, 1);
}

TEST_F(CaptureFile, has_its_name_only_when_complete) {
  {
    FileWriter file(path_);
    file.add("HEAD", to_json(header()));
  }
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_FALSE(fs::exists(path_ + ".part"));
  EXPECT_THROW(FileWriter("/no/such/folder/x"), Exception);
}

TEST_F(CaptureFile, every_cut_is_noticed) {
  const auto file = write(header());
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_THAT(error_of(std::span(file).first(size)), HasSubstr("x.hsc: ")) << size;
}

// Some bits have no meaning, as in bytes kept for later: then nothing else may have changed.
TEST_F(CaptureFile, no_changed_bit_changes_what_is_read) {
  auto file = write(header());
  const std::string before = contents(file);
  int errors = 0;
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      file[i] ^= std::byte(1 << bit);
      try {
        EXPECT_EQ(contents(file), before) << i;
      } catch (const Exception& error) {
        EXPECT_THAT(error.what(), HasSubstr("x.hsc: "));
        ++errors;
      }
      file[i] ^= std::byte(1 << bit);
    }
  }
  EXPECT_GT(errors, int(file.size()) * 4);
}

TEST_F(CaptureFile, says_what_is_wrong) {
  auto file = write(header());
  const auto with = [&](std::size_t at, int value) {
    auto changed = file;
    changed[at] = std::byte(value);
    return error_of(changed);
  };
  EXPECT_THAT(with(0, 'X'), HasSubstr("x.hsc: no capture file"));
  EXPECT_THAT(with(8, 2), HasSubstr("capture file of version 2; this hipsight reads version 1"));
  EXPECT_THAT(with(16, 'X'), HasSubstr("an unknown section at offset 16"));
  EXPECT_THAT(with(16 + 24, int(file[16 + 24]) ^ 1),
              HasSubstr("at offset 16 has another checksum"));
  EXPECT_THAT(with(16 + 15, 1), HasSubstr("at offset 16 cannot unpack to its size"));
  EXPECT_THAT(with(16 + 23, 1), HasSubstr("cut short: the section at offset 16"));
  file.resize(file.size() - 1);
  EXPECT_THAT(error_of(file), HasSubstr("cut short"));
}

TEST_F(CaptureFile, blocks_lie_in_allocations) {
  for (const std::uint64_t address :
       {std::uint64_t{0x20000 + 4094}, std::uint64_t{0x1ffff}, std::uint64_t{0x30},
        std::uint64_t{0x40000}, std::uint64_t{0x30010 + 6}, ~std::uint64_t{1}})
    EXPECT_THAT(error_of(write(header(), address)), HasSubstr("lies in no allocation")) << address;
}

TEST(CaptureHeader, is_checked) {
  const auto parse = [](const Header& header) { parse_header(to_json(header), "x.hsc"); };
  EXPECT_NO_THROW(parse(header()));
  Header overlap = header();
  overlap.allocations[1].begin = 0x10700;
  EXPECT_THROW(parse(overlap), Exception);
  Header empty = header();
  empty.allocations[1].size = 0;
  EXPECT_THROW(parse(empty), Exception);
  Header wraps = header();
  wraps.allocations[2].size = ~std::size_t{0};
  EXPECT_THROW(parse(wraps), Exception);
  Header no_code = header();
  no_code.code_address = 0x20000;
  EXPECT_THROW(parse(no_code), Exception);
  for (const char* text : {"", "{", "[]", "3", "{\"gpu\": 3}", "null"})
    EXPECT_THROW(parse_header(text, "x.hsc"), Exception) << text;
  const std::string json = to_json(header());
  for (const char* number : {"-1", "99999999999", "1.5", "\"1\"", "null"}) {
    std::string changed = json;
    EXPECT_THROW(parse_header(changed.replace(changed.find("1024"), 4, number), "x.hsc"), Exception)
        << number;
  }
}

TEST(Digests, are_of_contents) {
  std::vector<char> a(1000, 'a'), b(1000, 'a');
  const auto allocation = [](std::vector<char>& memory) {
    Memory::Allocation result;
    result.begin = reinterpret_cast<std::uintptr_t>(memory.data());
    result.size = memory.size();
    result.registered = true;
    return result;
  };
  const Memory::Allocation both[] = {allocation(a), allocation(b)};
  const auto before = digests(both);
  EXPECT_EQ(before[0], before[1]);
  b[999] = 'b';
  const auto after = digests(both);
  EXPECT_EQ(after[0], before[0]);
  EXPECT_NE(after[1], before[1]);
  EXPECT_NE(digest(before), digest(after));
  // The published XXH3 of no bytes, of 128 bits and without a seed.
  Memory::Allocation nothing = both[0];
  nothing.size = 0;
  EXPECT_EQ(digests({&nothing, 1})[0], "99aa06d3014798d86001c324468d497f");
}

}  // namespace
}  // namespace hipsight::capture
