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

/// A bundle by hand (clang's ClangOffloadBundler documentation, "Bundled Binary File Layout").
Bytes bundle_of(const std::vector<std::pair<std::string, Bytes>>& entries) {
  auto text = [](Bytes& bytes, std::string_view text) {
    auto raw = std::as_bytes(std::span(text));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  };
  std::size_t offset = 32;
  for (const auto& [id, contents] : entries) offset += 24 + id.size();
  Bytes bytes;
  text(bytes, "__CLANG_OFFLOAD_BUNDLE__");
  append<std::uint64_t>(bytes, entries.size());
  for (const auto& [id, contents] : entries) {
    append<std::uint64_t>(bytes, offset);
    append<std::uint64_t>(bytes, contents.size());
    append<std::uint64_t>(bytes, id.size());
    text(bytes, id);
    offset += contents.size();
  }
  for (const auto& [id, contents] : entries)
    bytes.insert(bytes.end(), contents.begin(), contents.end());
  return bytes;
}

TEST(FatBinary, reads_old_and_foreign_entry_ids) {
  Bytes code(8, std::byte{1});
  Bytes bytes = bundle_of({{"host-x86_64-unknown-linux-gnu", {}},
                           {"hip-amdgcn-amd-amdhsa-gfx906:sramecc-", code},
                           {"hipv4-amdgcn-amd-amdhsa-unknown-gfx942:xnack-", code},
                           {"hip-spirv64-amd-amdhsa--amdgcnspirv", code},
                           {"openmp-amdgcn-amd-amdhsa--gfx90a", code},
                           {"hipv4-amdgcn-amd-amdhsa--gfx9999:quantum+", code},
                           {"odd", code}});
  auto fat = FatBinary::open(bytes, "mixed");
  ASSERT_EQ(fat.images.size(), 2u);
  EXPECT_EQ(fat.images[0].target.text(), "gfx906:sramecc-");
  EXPECT_EQ(fat.images[1].target.text(), "gfx942:xnack-");
  EXPECT_EQ(fat.others.size(), 5u);
  EXPECT_EQ(error_of([&] { fat.select(Target::parse("gfx1201")); }),
            "mixed: no code for gfx1201; there is gfx906:sramecc-, gfx942:xnack-, "
            "hip-spirv64-amd-amdhsa--amdgcnspirv, openmp-amdgcn-amd-amdhsa--gfx90a, "
            "hipv4-amdgcn-amd-amdhsa--gfx9999:quantum+, odd");
}

TEST(FatBinary, says_where_a_bundle_is_wrong) {
  Bytes bytes = bundle_of({{"hip-amdgcn-amd-amdhsa--gfx906", Bytes(8)}});
  bytes.pop_back();
  EXPECT_EQ(error_of([&] { FatBinary::open(bytes, "cut"); }),
            "cut: bundle entry hip-amdgcn-amd-amdhsa--gfx906 at offset 0x20: 0x8 bytes at 0x55 "
            "are outside its 0x5c bytes");
  EXPECT_EQ(error_of([&] { FatBinary::open(std::span(bytes).first(50), "cut"); }),
            "cut: the bundle's table is cut short at offset 0x30");
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
