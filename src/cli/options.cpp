#include "cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/commands.h"
#include "support/error.h"
#include "support/printable.h"

namespace hipsight::cli {
namespace {

// What is wrong with an option's text; empty: nothing.
std::string check(const config::Row& row, const std::string& text) try {
  Config scratch;
  config::set(scratch, row, text);
  return {};
} catch (const Exception& error) {
  return error.what();
}

std::string words(const config::Row& row) {
  const std::string usual = describe(Config(), row);
  return row.is_flag() || usual == "none" ? std::string(row.words)
                                          : fmt::format("{} (default: {})", row.words, usual);
}

}  // namespace

CLI::Option* Options::add(CLI::App& command, std::string_view name, const std::string& names) {
  const config::Row& row = config::row(name);
  const std::string all = names.empty() ? row.command_line() : names;
  const std::string bare(row.is_flag() ? "1" : row.bare);
  std::string& text = texts_[row.name];
  CLI::Option* const option =
      !bare.empty() ? command.add_flag(fmt::format("{}{{{}}}", all, bare), text, words(row))
                    : command.add_option(all, text, words(row))->type_name(std::string(row.takes));
  return option->check(
      CLI::Validator([&row](const std::string& given) { return check(row, given); }, ""));
}

void Options::add(CLI::App& command, std::initializer_list<config::Group> groups) {
  for (const config::Row& row : config::rows())
    if (std::ranges::find(groups, row.group) != groups.end()) add(command, row.name);
}

config::Loaded Options::load() const {
  config::Loaded loaded = config::read();
  for (const auto& [name, text] : texts_)
    if (!text.empty()) loaded.from_command_line(config::row(name), text);
  for (const std::string& stranger : config::strangers())
    std::fprintf(stderr, "hipsight: %s\n", printable(stranger).c_str());
  return loaded;
}

int show_config(const config::Loaded& loaded) {
  fmt::print("{:<20} {:<24} {:<14} {}\n", "option", "variable", "from", "value");
  for (std::size_t i = 0; i < config::rows().size(); ++i) {
    constexpr const char* origins[]{"default", "environment", "command line"};
    const config::Row& row = config::rows()[i];
    fmt::print("{:<20} {:<24} {:<14} {}\n", row.command_line(), row.variable(),
               origins[static_cast<int>(loaded.origins[i])],
               printable(config::describe(loaded.config, row)));
  }
  return 0;
}

}  // namespace hipsight::cli
