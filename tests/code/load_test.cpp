// Loading: segments in place, relocations applied, globals with their values.
#include <gtest/gtest.h>
#include <llvm/BinaryFormat/ELF.h>

#include <cstring>

#include "code/code_object.h"
#include "files.h"

namespace hipsight::code {
namespace {

constexpr std::uint64_t base = 0x7f00'1234'5000;

struct Image {
  explicit Image(const std::string& name)
      : object(CodeObject::read(testing::read_object(name), name)), bytes(object->image_size()) {
    object->load(bytes.data(), base);
  }
  template <class T>
  T at(const std::string& symbol, std::size_t index = 0) const {
    T value;
    std::memcpy(&value, bytes.data() + object->find_symbol(symbol)->address + index * sizeof(T),
                sizeof(T));
    return value;
  }
  std::uint64_t address(const std::string& symbol) const {
    return base + object->find_symbol(symbol)->address;
  }
  std::shared_ptr<const CodeObject> object;
  std::vector<std::byte> bytes;
};

class EachLoad : public ::testing::TestWithParam<std::string> {};

TEST_P(EachLoad, puts_globals_and_pointers_in_place) {
  Image image(GetParam());
  EXPECT_EQ(image.at<int>("counter"), 7);
  EXPECT_EQ(image.at<double>("factors", 0), 1.5);
  EXPECT_EQ(image.at<double>("factors", 1), -2.25);
  EXPECT_EQ(image.at<double>("factors", 2), 1e100);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(image.at<float>("table", i), 0.0f);
  // The pointer table is made of relocations.
  EXPECT_EQ(image.at<std::uint64_t>("pointers", 0), image.address("counter"));
  EXPECT_EQ(image.at<std::uint64_t>("pointers", 1), 0u);
  EXPECT_EQ(image.at<std::uint64_t>("pointers", 2), image.address("counter") + 5 * sizeof(int));
  EXPECT_EQ(image.at<std::uint64_t>("pointers", 3), image.address("table") + 3 * sizeof(float));
}

TEST_P(EachLoad, puts_code_where_objcopy_finds_it) {
  Image image(GetParam());
  std::string text = testing::scratch_path("text");
  testing::run_tool("llvm-objcopy", "--dump-section .text=" + text + " " +
                                        testing::object_path(GetParam()) + " /dev/null");
  auto expected = testing::read_file(text);
  std::uint64_t begin = 0;
  auto listing = testing::readelf(testing::object_path(GetParam()), "-S");
  for (const auto& entry : listing["Sections"])
    if (entry["Section"]["Name"]["Name"] == ".text") begin = entry["Section"]["Address"];
  ASSERT_GT(expected.size(), 256u);
  ASSERT_LE(begin + expected.size(), image.bytes.size());
  EXPECT_EQ(std::memcmp(image.bytes.data() + begin, expected.data(), expected.size()), 0);
}

INSTANTIATE_TEST_SUITE_P(Load, EachLoad,
                         ::testing::Values("gfx90a.co", "gfx90a.v4.co", "gfx942.O0.co", "gfx950.co",
                                           "gfx1100.co", "gfx1201.co", "gfx9-4-generic.co"));

TEST(Load, resolves_relocations_that_name_symbols) {
  Image image("relocations.co");
  EXPECT_EQ(image.at<std::uint64_t>("slots", 0), image.address("here") + 4);
  EXPECT_EQ(image.at<std::uint64_t>("slots", 1), 0u);  // weak, and nobody defines it
  EXPECT_EQ(image.at<std::uint64_t>("slots", 2), image.address("here") - 8);
  EXPECT_EQ(image.at<std::uint64_t>("slots", 3), 0x1122334455667788u);
  EXPECT_EQ(image.at<std::uint64_t>("here"), 42u);
}

TEST(Load, names_a_symbol_that_nobody_defines) {
  auto object = CodeObject::read(testing::read_object("undefined.co"), "undefined.co");
  std::vector<std::byte> image(object->image_size());
  EXPECT_EQ(testing::error_of([&] { object->load(image.data(), base); }),
            "undefined.co: symbol elsewhere is not defined");
}

/// relocations.co with the type of the relocation of slots[2] (here - 8) replaced.
std::vector<std::byte> with_type(std::uint32_t type) {
  auto path = testing::object_path("relocations.co");
  auto bytes = testing::read_file(path);
  auto object = CodeObject::read(bytes, path);
  std::uint64_t place = object->find_symbol("slots")->address + 16;
  auto listing = testing::readelf(path, "-S");
  for (const auto& entry : listing["Sections"]) {
    const auto& section = entry["Section"];
    if (section["Name"]["Name"] != ".rela.dyn") continue;
    std::uint64_t begin = section["Offset"], size = section["Size"];
    for (std::uint64_t at = begin; at < begin + size; at += sizeof(llvm::ELF::Elf64_Rela)) {
      llvm::ELF::Elf64_Rela rela;
      std::memcpy(&rela, bytes.data() + at, sizeof(rela));
      if (rela.r_offset != place) continue;
      rela.setSymbolAndType(rela.getSymbol(), type);
      std::memcpy(bytes.data() + at, &rela, sizeof(rela));
      return bytes;
    }
  }
  throw std::runtime_error("no relocation of slots[2]");
}

std::uint64_t slot_with_type(std::uint32_t type, std::uint64_t at = base) {
  auto object = CodeObject::read(with_type(type), "patched");
  std::vector<std::byte> image(object->image_size());
  object->load(image.data(), at);
  std::uint64_t value;
  std::memcpy(&value, image.data() + object->find_symbol("slots")->address + 16, 8);
  return value;
}

TEST(Load, computes_every_type_as_AMDGPUUsage_defines_it) {
  using namespace llvm::ELF;
  auto object = CodeObject::read(testing::read_object("relocations.co"), "relocations.co");
  std::uint64_t symbol = object->find_symbol("here")->address;
  std::uint64_t place = object->find_symbol("slots")->address + 16;
  std::uint64_t value = base + symbol - 8, difference = symbol - 8 - place;
  EXPECT_EQ(slot_with_type(R_AMDGPU_ABS64), value);
  EXPECT_EQ(slot_with_type(R_AMDGPU_ABS32_LO), value & 0xffffffff);
  EXPECT_EQ(slot_with_type(R_AMDGPU_ABS32_HI), value >> 32);
  EXPECT_EQ(slot_with_type(R_AMDGPU_ABS32, 0x10000), 0x10000 + symbol - 8);
  EXPECT_EQ(slot_with_type(R_AMDGPU_REL64), difference);
  EXPECT_EQ(slot_with_type(R_AMDGPU_REL32), difference & 0xffffffff);
  EXPECT_EQ(slot_with_type(R_AMDGPU_REL32_LO), difference & 0xffffffff);
  EXPECT_EQ(slot_with_type(R_AMDGPU_REL32_HI), difference >> 32);
  EXPECT_EQ(slot_with_type(R_AMDGPU_RELATIVE64), base - 8);
  EXPECT_EQ(slot_with_type(R_AMDGPU_NONE), 0u);
}

TEST(Load, names_a_relocation_that_it_cannot_apply) {
  using namespace llvm::ELF;
  using testing::error_of;
  auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(error_of([] { slot_with_type(R_AMDGPU_GOTPCREL); }), "R_AMDGPU_GOTPCREL"));
  EXPECT_TRUE(has(error_of([] { slot_with_type(99); }), "type 99"));
  EXPECT_TRUE(has(error_of([] { slot_with_type(R_AMDGPU_ABS32); }), "does not fit in 32 bits"));
}

}  // namespace
}  // namespace hipsight::code
