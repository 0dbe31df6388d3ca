// Source lines, beside llvm-symbolizer's, and beside the source itself.
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "code/code_object.h"
#include "files.h"

namespace hipsight::code {
namespace {

class EachLines : public ::testing::TestWithParam<std::string> {};

TEST_P(EachLines, agree_with_the_symbolizer) {
  std::string path = testing::object_path(GetParam());
  auto object = CodeObject::read(testing::read_file(path), path);
  std::string addresses;
  std::vector<std::uint64_t> asked;
  for (const Kernel& kernel : object->kernels())
    for (std::uint64_t a = kernel.entry; a < kernel.entry + kernel.code_size; a += 4) {
      asked.push_back(a);
      addresses += fmt::format(" {:#x}", a);
    }
  auto expected = nlohmann::json::parse(testing::run_tool(
      "llvm-symbolizer", "--output-style=JSON --functions=linkage --obj=" + path + addresses));
  ASSERT_EQ(expected.size(), asked.size());
  unsigned with_line = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto& frame = expected[i]["Symbol"][0];
    auto line = object->line(asked[i]);
    ASSERT_EQ(line.has_value(), frame["Line"] != 0) << addresses;
    if (!line) continue;
    ++with_line;
    EXPECT_EQ(line->file, frame["FileName"].get<std::string>());
    EXPECT_EQ(line->line, frame["Line"].get<unsigned>());
    EXPECT_EQ(line->column, frame["Column"].get<unsigned>());
    // The function that holds the code stands last, after those that were inlined into it.
    EXPECT_EQ(line->function, expected[i]["Symbol"].back()["FunctionName"].get<std::string>());
  }
  EXPECT_GT(with_line, asked.size() / 2);
}

INSTANTIATE_TEST_SUITE_P(Lines, EachLines,
                         ::testing::Values("gfx90a.co", "gfx90a.v4.co", "gfx942.O0.co",
                                           "gfx1100.co", "gfx1201.packed_lines.co"));

TEST(Lines, point_into_the_kernel_that_was_written) {
  auto object = CodeObject::read(testing::read_object("gfx942.co"), "gfx942.co");
  const Kernel* kernel = object->find_kernel("scale");
  auto first = object->line(kernel->entry);
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->file.ends_with("tests/code/device.hip")) << first->file;
  EXPECT_EQ(first->function, "scale");
  std::ifstream source(first->file);
  std::string text;
  bool multiply_seen = false;
  std::vector<std::string> lines;
  while (std::getline(source, text)) lines.push_back(text);
  for (std::uint64_t a = kernel->entry; a < kernel->entry + kernel->code_size; a += 4)
    if (auto line = object->line(a); line && line->line <= lines.size())
      multiply_seen |= lines[line->line - 1].find("in[i] * factor") != std::string::npos;
  EXPECT_TRUE(multiply_seen);
}

TEST(Lines, are_none_without_debug_information) {
  auto object = CodeObject::read(testing::read_object("gfx1100.no_lines.co"), "no_lines");
  EXPECT_EQ(object->line(object->kernels()[0].entry), std::nullopt);
}

TEST(Lines, survive_tables_that_crash_or_hang_LLVM) {
  auto line_of_f = [](const std::string& name) {
    auto object = CodeObject::read(testing::read_object(name), name);
    return object->line(object->find_symbol("f")->address);
  };
  auto good = line_of_f("lines.co");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->file, "/src/a.hip");
  EXPECT_EQ(good->line, 42u);
  for (const char* bad : {"unknown_form", "number_as_string", "path_as_number", "endless"})
    EXPECT_EQ(line_of_f(fmt::format("lines.{}.co", bad)), std::nullopt) << bad;
}

TEST(Lines, may_be_asked_for_by_many_threads) {
  auto object = CodeObject::read(testing::read_object("gfx942.co"), "gfx942.co");
  auto alone = CodeObject::read(testing::read_object("gfx942.co"), "gfx942.co");
  std::vector<std::thread> threads;
  std::vector<unsigned> wrong(8);
  for (unsigned t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      for (const Kernel& kernel : object->kernels())
        for (std::uint64_t a = kernel.entry; a < kernel.entry + kernel.code_size; a += 4) {
          auto one = object->line(a), other = alone->line(a);
          wrong[t] += one.has_value() != other.has_value() || (one && one->line != other->line);
        }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<unsigned>(wrong.size()));
}

}  // namespace
}  // namespace hipsight::code
