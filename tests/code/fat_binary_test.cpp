#include "code/fat_binary.h"

#include <gtest/gtest.h>
#include <llvm/Support/Compression.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "code/code_object.h"
#include "files.h"

namespace hipsight::code {
namespace {

using Bytes = std::vector<std::byte>;
using testing::error_of;
using testing::object_path;
using testing::read_object;

/// What clang-offload-bundler says is in a bundle.
std::vector<std::string> listed(const std::string& path) {
  std::istringstream text(
      testing::run_tool("clang-offload-bundler", "--list --type=o --input=" + path));
  std::vector<std::string> ids;
  for (std::string line; std::getline(text, line);) ids.push_back(line);
  return ids;
}

class EachBundle : public ::testing::TestWithParam<std::string> {};

TEST_P(EachBundle, holds_what_the_bundler_unbundles) {
  std::string path = object_path(GetParam());
  auto bytes = testing::read_file(path);
  FatBinary fat = FatBinary::open(bytes, path);
  std::vector<std::string> ids = listed(path), found = fat.others;
  EXPECT_EQ(fat.images.size(), 4u);
  EXPECT_EQ(fat.others.size(), 1u);  // the host
  for (const Image& image : fat.images) {
    std::string id = "hipv4-amdgcn-amd-amdhsa--" + image.target.text();
    found.push_back(id);
    std::string out = testing::scratch_path("unbundled");
    testing::run_tool("clang-offload-bundler", "--unbundle --type=o --targets=" + id +
                                                   " --input=" + path + " --output=" + out);
    auto expected = testing::read_file(out);
    ASSERT_EQ(image.elf.size(), expected.size()) << id;
    EXPECT_TRUE(std::ranges::equal(image.elf, expected)) << id;
    auto object = CodeObject::read(image.elf, id);
    EXPECT_EQ(object->target().text(), image.target.text());
    EXPECT_EQ(object->kernels().size(), 5u);
  }
  std::ranges::sort(ids);
  std::ranges::sort(found);
  EXPECT_EQ(found, ids);
}

TEST_P(EachBundle, knows_its_size_from_a_bare_pointer) {
  auto bytes = read_object(GetParam());
  std::size_t size = bytes.size();
  bytes.resize(size + 100'000, std::byte{0xcc});
  EXPECT_EQ(fat_binary_size(bytes.data(), bytes.size(), "bare"), size);
  EXPECT_EQ(FatBinary::open(bytes, "bare").images.size(), 4u);
}

INSTANTIATE_TEST_SUITE_P(FatBinary, EachBundle,
                         ::testing::Values("plain.hipfb", "packed2.hipfb", "packed3.hipfb"),
                         [](const auto& test) {
                           return test.param.substr(0, test.param.find('.'));
                         });

template <class T>
void append(Bytes& bytes, T value) {
  auto raw = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

/// The plain bundle, compressed into a CCOB of a version and method of our choice.
Bytes packed(unsigned version, bool zstd) {
  Bytes plain = read_object("plain.hipfb");
  llvm::ArrayRef<std::uint8_t> in(reinterpret_cast<const std::uint8_t*>(plain.data()),
                                  plain.size());
  llvm::SmallVector<std::uint8_t, 0> out;
  zstd ? llvm::compression::zstd::compress(in, out) : llvm::compression::zlib::compress(in, out);
  Bytes bytes;
  for (char c : {'C', 'C', 'O', 'B'}) bytes.push_back(std::byte(c));
  append<std::uint16_t>(bytes, version);
  append<std::uint16_t>(bytes, zstd);
  if (version == 2) append<std::uint32_t>(bytes, 24 + out.size());
  if (version == 3) append<std::uint64_t>(bytes, 32 + out.size());
  version == 3 ? append<std::uint64_t>(bytes, plain.size())
               : append<std::uint32_t>(bytes, plain.size());
  append<std::uint64_t>(bytes, 0x0123456789abcdef);
  auto raw = std::as_bytes(std::span(out));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
  return bytes;
}

TEST(FatBinary, unpacks_every_version_and_method) {
  auto plain_bytes = read_object("plain.hipfb");
  auto plain = FatBinary::open(plain_bytes, "plain");
  for (unsigned version : {1, 2, 3})
    for (bool zstd : {false, true}) {
      SCOPED_TRACE(fmt::format("version {} {}", version, zstd ? "zstd" : "zlib"));
      Bytes bytes = packed(version, zstd);
      auto fat = FatBinary::open(bytes, "packed");
      ASSERT_EQ(fat.images.size(), plain.images.size());
      for (std::size_t i = 0; i < fat.images.size(); ++i)
        EXPECT_TRUE(std::ranges::equal(fat.images[i].elf, plain.images[i].elf));

      // Two in a row, on page boundaries as linkers put them; version 1 does not say its size.
      std::size_t size = bytes.size();
      Bytes file = bytes;
      file.resize((size + 4095) / 4096 * 4096);
      std::size_t second = file.size();
      file.insert(file.end(), bytes.begin(), bytes.end());
      if (version > 1 || zstd) {
        EXPECT_EQ(fat_binary_size(file.data(), file.size(), "file"), size);
      }
      auto found = find_fat_binaries(file, "file");
      ASSERT_EQ(found.size(), 2u);
      EXPECT_EQ(found[1].data(), file.data() + second);
      EXPECT_EQ(FatBinary::open(found[0], "first").images.size(), 4u);
      EXPECT_EQ(FatBinary::open(found[1], "second").images.size(), 4u);
    }
}

TEST(FatBinary, selects_exact_before_generic_and_features_that_agree) {
  auto bytes = read_object("plain.hipfb");
  auto fat = FatBinary::open(bytes, "plain.hipfb");
  auto selected = [&](const char* device) {
    return fat.select(Target::parse(device)).target.text();
  };
  EXPECT_EQ(selected("gfx1100"), "gfx1100");
  EXPECT_EQ(selected("gfx1101"), "gfx11-generic");
  EXPECT_EQ(selected("gfx1151"), "gfx11-generic");
  EXPECT_EQ(selected("gfx90a:sramecc+:xnack-"), "gfx90a:xnack-");
  EXPECT_EQ(selected("gfx90a:sramecc+:xnack+"), "gfx90a:xnack+");
  EXPECT_EQ(error_of([&] { selected("gfx942:sramecc+:xnack-"); }),
            "plain.hipfb: no code for gfx942:sramecc+:xnack-; there is gfx11-generic, gfx1100, "
            "gfx90a:xnack+, gfx90a:xnack-");
}

TEST(FatBinary, takes_a_bare_code_object) {
  auto bytes = read_object("gfx942.features.co");
  auto fat = FatBinary::open(bytes, "bare");
  ASSERT_EQ(fat.images.size(), 1u);
  EXPECT_EQ(fat.images[0].target.text(), "gfx942:sramecc-:xnack+");
  EXPECT_EQ(fat.images[0].elf.data(), bytes.data());
  auto padded = bytes;
  padded.resize(bytes.size() + 5000, std::byte{0xcc});
  EXPECT_EQ(fat_binary_size(padded.data(), padded.size(), "bare"), bytes.size());
  EXPECT_EQ(find_fat_binaries(bytes, "bare").size(), 1u);
}

TEST(FatBinary, are_found_in_shared_libraries) {
  for (const char* name : {"libplain.so", "libpacked.so"}) {
    SCOPED_TRACE(name);
    auto file = read_object(name);
    auto bundles = find_fat_binaries(file, name);
    ASSERT_EQ(bundles.size(), 2u);
    std::vector<std::string> kernels;
    for (auto bundle : bundles) {
      EXPECT_EQ((bundle.data() - file.data()) % 4096, 0);
      EXPECT_EQ(fat_binary_size(bundle.data(), file.data() + file.size() - bundle.data(), name),
                bundle.size());
      auto fat = FatBinary::open(bundle, name);
      ASSERT_EQ(fat.images.size(), 2u);
      for (const Image& image : fat.images)
        kernels.push_back(CodeObject::read(image.elf, name)->kernels().at(0).name);
    }
    EXPECT_EQ(kernels, (std::vector<std::string>{"one", "one", "two", "two"}));
  }
}

TEST(FatBinary, are_none_in_a_program_without_GPU_code) {
  EXPECT_TRUE(find_fat_binaries(testing::read_file("/proc/self/exe"), "self").empty());
}

TEST(FatBinary, names_what_is_none) {
  Bytes text(100, std::byte{'x'});
  for (auto& error : {error_of([&] { FatBinary::open(text, "notes.txt"); }),
                      error_of([&] { find_fat_binaries(text, "notes.txt"); }),
                      error_of([&] { fat_binary_size(text.data(), 100, "notes.txt"); })})
    EXPECT_TRUE(error.starts_with("notes.txt: neither an ELF file nor")) << error;
  auto host = read_object("libplain.so");
  EXPECT_EQ(error_of([&] { FatBinary::open(host, "libplain.so"); }),
            "libplain.so: ELF machine 62 is not AMDGPU (224)");
}

}  // namespace
}  // namespace hipsight::code
