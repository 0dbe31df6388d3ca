#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "config/environment.h"

namespace hipsight::cli {

/// Options of a command line, by the table that they have with the environment (config/table.h).
class Options {
 public:
  /// Has a command take all options of these groups.
  void add(CLI::App& command, std::initializer_list<config::Group> groups);
  /// Has it take this one, under the names that are given, or else under its own.
  CLI::Option* add(CLI::App& command, std::string_view row, const std::string& names = "");

  /// Once the command line is parsed: all options, from the environment and from there.
  /// Says on stderr which variables nothing reads. @throws Exception when a value makes no sense.
  config::Loaded load() const;

 private:
  std::map<std::string_view, std::string> texts_;  ///< by row; empty: not given
};

}  // namespace hipsight::cli
