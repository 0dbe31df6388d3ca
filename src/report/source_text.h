#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hipsight::report {

/// What a source file holds; empty: it is not there, or not to be shown.
using SourceText = std::function<std::string(const std::string& file)>;

/// Of files that are named as source files are: code objects name them, and they are anybody's.
std::string source_text(const std::string& file);

/// Lines of files, as far as they can be read.
class Sources {
 public:
  explicit Sources(SourceText text) : text_(std::move(text)) {}
  /// Empty: it is not there. Tabs are four spaces.
  std::string_view line(const std::string& file, std::uint32_t number);

 private:
  SourceText text_;
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace hipsight::report
