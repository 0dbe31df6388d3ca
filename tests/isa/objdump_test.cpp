// Whole code objects against llvm-objdump: where instructions begin and end, and their fields.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/Object/ELFObjectFile.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "code/fat_binary.h"
#include "field_check.h"
#include "isa/decode.h"

namespace hipsight::test {
namespace {

/// One line of llvm-objdump: "\ts_nop 0    // 000000001600: BF800000".
struct Line {
  std::string text;
  std::size_t size = 0;  ///< bytes
};

std::map<std::uint64_t, Line> disassemble(const std::string& path) {
  const std::string command = std::string(LLVM_TOOLS) + "/llvm-objdump -d -z " + path;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string output;
  char buffer[4096];
  while (const std::size_t n = fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, n);
  if (pclose(pipe) != 0) throw std::runtime_error(command + " failed");

  std::map<std::uint64_t, Line> lines;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) {
    const auto comment = line.find("// ");
    if (line.empty() || line[0] != '\t' || comment == std::string::npos) continue;
    std::istringstream rest(line.substr(comment + 3));
    std::uint64_t address = 0;
    char colon = 0;
    rest >> std::hex >> address >> colon;
    Line& entry = lines[address];
    for (std::string word; rest >> word && word.size() == 8;) entry.size += 4;
    const auto end = line.find_last_not_of(" \t", comment - 1);
    entry.text = line.substr(1, end);
  }
  return lines;
}

struct Counts {
  std::size_t objects = 0, instructions = 0;
};

void compare(const code::Image& image, const std::string& origin, Counts& counts) {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("hipsight_objdump.{}.co", getpid());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(image.elf.data()),
             static_cast<std::streamsize>(image.elf.size()));
  const std::map<std::uint64_t, Line> expected = disassemble(path);
  std::filesystem::remove(path);
  ASSERT_FALSE(expected.empty()) << origin;

  isa::Decoder decoder(image.target.processor);
  auto elf = llvm::cantFail(llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(
      llvm::StringRef(reinterpret_cast<const char*>(image.elf.data()), image.elf.size()), origin)));
  std::size_t found = 0;
  int differences = 0;
  for (const llvm::object::SectionRef& section : elf->sections()) {
    if (!section.isText()) continue;
    const llvm::StringRef contents = llvm::cantFail(section.getContents());
    const std::span code(reinterpret_cast<const std::byte*>(contents.data()), contents.size());
    for (std::size_t at = 0; at < code.size(); ++found) {
      const std::uint64_t address = section.getAddress() + at;
      const auto line = expected.find(address);
      ASSERT_NE(line, expected.end()) << fmt::format("{}: nothing at {:#x}", origin, address);
      const auto instruction = decoder.decode(code.subspan(at), address);
      // What is no instruction is a word of data.
      const bool data = line->second.text.starts_with(".long");
      ASSERT_EQ(instruction.has_value(), !data) << origin << ": " << line->second.text;
      const std::size_t size = instruction ? instruction->size : 4;
      ASSERT_EQ(size, line->second.size) << origin << ": " << line->second.text;
      if (instruction) {
        const std::string difference = test::difference(*instruction, line->second.text);
        if (!difference.empty() && ++differences <= 10)
          ADD_FAILURE() << origin << ": " << line->second.text << ": " << difference;
        ++counts.instructions;
      }
      at += size;
    }
  }
  EXPECT_EQ(found, expected.size()) << origin;
  ++counts.objects;
}

Counts compare_all(const std::string& folder) {
  Counts counts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string extension = entry.path().extension();
    if (!entry.is_regular_file() ||
        (!extension.empty() && extension != ".co" && extension != ".so"))
      continue;
    // Others there are for what surrounds code: they have none, or that of their neighbours.
    const std::string name = entry.path().filename();
    if (extension == ".co" && !name.starts_with("gfx")) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> text(std::istreambuf_iterator<char>(file), {});
    const auto bytes = std::as_bytes(std::span(text));
    for (const auto& bundle : code::find_fat_binaries(bytes, entry.path()))
      for (const code::FatBinary fat = code::FatBinary::open(bundle, entry.path());
           const code::Image& image : fat.images) {
        const std::string_view processor = image.target.processor;
        const bool ours = processor == "gfx90a" || processor.starts_with("gfx94") ||
                          processor.starts_with("gfx95") || processor == "gfx9-4-generic" ||
                          processor.starts_with("gfx11") || processor.starts_with("gfx12");
        if (ours) compare(image, fmt::format("{} {}", name, processor), counts);
      }
  }
  return counts;
}

TEST(Objdump, AgreesOnTheExamples) {
  const Counts counts = compare_all(EXAMPLES);
  EXPECT_GE(counts.objects, 20u);
  EXPECT_GT(counts.instructions, 10000u);
}

TEST(Objdump, AgreesOnTheTestsCodeObjects) {
  const Counts counts = compare_all(OBJECTS);
  EXPECT_GE(counts.objects, 10u);
}

}  // namespace
}  // namespace hipsight::test
