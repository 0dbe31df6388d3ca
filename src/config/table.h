#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "config/config.h"

namespace hipsight::config {

/// What an option is about: a command takes the groups that mean something to it.
enum class Group { Machine, Hip, Compiler, Selection, Report, Profile, Trace, Check, Capture };

/// One option. Its name, "exit-wait", gives the command line's --exit-wait, the environment's
/// HIPSIGHT_EXIT_WAIT and Python's exit_wait.
struct Row {
  using Value = std::variant<std::string Config::*, bool Config::*, std::uint64_t Config::*,
                             double Config::*, std::optional<double> Config::*>;

  std::string_view name;
  Value value;
  Group group;
  std::string_view takes;  ///< a word for the value: "FILE"; or the values themselves: "fast|exact"
  std::string_view words;  ///< what it does
  double least = 0, most = 0;     ///< of numbers
  std::string_view usual = {};    ///< what its default means, where the value does not say it
  std::string_view bare = {};     ///< what the option means on the command line without a value
  std::string_view option = {};   ///< where its name on the command line is another
  std::string_view foreign = {};  ///< where its variable is none of ours: "HSA_XNACK"
  void (*check)(const std::string& text) = nullptr;  ///< throws Exception, saying what is allowed

  bool is_flag() const { return std::holds_alternative<bool Config::*>(value); }
  /// Whether it takes one of the words of `takes`.
  bool is_choice() const { return takes.find('|') != takes.npos; }
  bool is_file() const { return takes == "FILE"; }
  std::string variable() const;      ///< "HIPSIGHT_EXIT_WAIT"
  std::string command_line() const;  ///< "--exit-wait"
  std::string keyword() const;       ///< "exit_wait"
  std::string type() const;          ///< "seconds", "1 to 64"; for a list of all options
};

/// Every option, in the order in which a list tells of them.
std::span<const Row> rows();
/// The row of that name. There must be one.
const Row& row(std::string_view name);

/// Sets an option from its text.
/// @throws Exception "abc: it takes a number from 1 to 64", to be put after "HIPSIGHT_GPUS=".
void set(Config& config, const Row& row, const std::string& text);
/// An option's value as `set` takes it; empty when it is nothing.
std::string text_of(const Config& config, const Row& row);
/// The same for people: "one per core" rather than 0.
std::string describe(const Config& config, const Row& row);

/// Variables that begin with HIPSIGHT_ and are no options, with what reads them.
struct Other {
  std::string_view variable, words;
};
std::span<const Other> others();

/// The table of all options in Markdown, as docs/configuration.md has it.
std::string markdown();

}  // namespace hipsight::config
