// The names in the library's headers.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

/// Of C's own kind, which may be too long for a regular expression.
void without_comments_of_c(std::string& text) {
  for (std::size_t begin; (begin = text.find("/*")) != text.npos;)
    text.erase(begin, text.find("*/", begin) + 2 - begin);
}

/// People write macros in capitals, `#define M 4`: a name like that in a header would not survive
/// them. The library's own macros begin with its name.
TEST(Names, NoneIsOfCapitalsAlone) {
  const std::set<std::string> of_standard_headers = {"INFINITY", "INT32_MAX", "INT64_C",
                                                     "INT64_MAX", "SIZE_MAX"};
  const std::regex token(R"(//[^\n]*|"(?:\\.|[^"\\\n])*"|\b([A-Za-z_]\w*))"),
      capitals("[A-Z][A-Z0-9_]*");
  int headers = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(KERNELS_HEADERS)) {
    if (!entry.is_regular_file()) continue;
    headers++;
    std::ifstream file(entry.path());
    std::string text(std::istreambuf_iterator<char>(file), {});
    without_comments_of_c(text);
    for (std::sregex_iterator it(text.begin(), text.end(), token), end; it != end; ++it) {
      const std::string name = (*it)[1];
      if (std::regex_match(name, capitals) && !name.starts_with("HIPSIGHT_"))
        EXPECT_TRUE(of_standard_headers.contains(name)) << name << " in " << entry.path();
    }
  }
  EXPECT_GT(headers, 60);
}

}  // namespace
