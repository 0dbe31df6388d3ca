#include "kpi/suite.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "conditions/condition.h"
#include "config/table.h"
#include "gpus/gpu.h"
#include "support/error.h"
#include "support/files.h"
#include "support/printable.h"

namespace hipsight::kpi {
namespace {

namespace fs = std::filesystem;

/// What may not get worse, unless a case says otherwise.
const std::map<std::string, double> usual{
    {"seconds_per_launch", 0.02}, {"spills", 0}, {"scratch_bytes", 0}};

/// Options that are the suite's, or kpi's own.
constexpr std::string_view given[]{"gpu",    "kernel", "predict", "time",
                                   "report", "json",   "values",  "fail-if"};

class Reader {
 public:
  explicit Reader(const fs::path& file) : origin_(file.string()) {}

  [[noreturn]] void wrong(const toml::node& node, std::string_view text) const {
    fail("{}:{}: {}", printable(origin_), node.source().begin.line, text);
  }
  std::string string(const toml::node& node, std::string_view key) const {
    const auto* text = node.as_string();
    if (!text) wrong(node, fmt::format("{}: expected a string", key));
    return text->get();
  }
  std::vector<std::string> strings(const toml::node& node, std::string_view key) const {
    const toml::array* list = node.as_array();
    if (!list || list->empty())
      wrong(node, fmt::format("{}: expected a list of strings, one at least", key));
    std::vector<std::string> all;
    for (const toml::node& one : *list) all.push_back(string(one, key));
    return all;
  }

  Case read(const toml::table& table) const {
    Case one;
    one.may_worsen = usual;
    for (const auto& [key, node] : table) {
      if (key == "name") {
        one.name = string(node, key);
      } else if (key == "program") {
        one.program = strings(node, key);
      } else if (key == "gpus") {
        one.gpus = strings(node, key);
        for (const std::string& gpu : one.gpus) check(node, [&] { gpus::find(gpu); });
      } else if (key == "kernel") {
        one.kernel = string(node, key);
      } else if (key == "must") {
        one.must = string(node, key);
        check(node, [&] { conditions::Condition condition(one.must); });
      } else if (key == "may_worsen") {
        worsen(one, node);
      } else if (key == "figures") {
        one.figures = strings(node, key);
        for (const std::string& name : one.figures) check_figure(node, "figures", name);
      } else if (key == "options") {
        configure(one, node);
      } else {
        wrong(node, fmt::format("unknown key '{}': there are name, program, gpus, kernel, must, "
                                "may_worsen, figures, options",
                                printable(std::string(key.str()))));
      }
    }
    if (one.name.empty() || one.program.empty() || one.gpus.empty())
      wrong(table, "a case needs name, program and gpus");
    return one;
  }

 private:
  template <class Work>
  void check(const toml::node& node, Work&& work) const {
    try {
      work();
    } catch (const Exception& error) {
      wrong(node, error.what());
    }
  }
  const conditions::Figure* check_figure(const toml::node& node, std::string_view key,
                                         std::string_view name) const {
    const conditions::Figure* figure = conditions::figure(name);
    if (!figure)
      wrong(node, fmt::format("{}: '{}' is no figure of docs/conditions.md", key,
                              printable(std::string(name))));
    return figure;
  }
  void configure(Case& one, const toml::node& node) const {
    const toml::table* table = node.as_table();
    if (!table) wrong(node, "options: expected a table of options");
    Config scratch;
    for (const auto& [key, value] : *table) {
      const std::string name(key.str());
      if (std::ranges::find(given, name) != std::end(given))
        wrong(value, fmt::format("options: '{}' is not a case's to set", name));
      const auto row = std::ranges::find(config::rows(), name, &config::Row::name);
      if (row == config::rows().end())
        wrong(value,
              fmt::format("options: '{}' is no option of docs/configuration.md", printable(name)));
      std::string text = value.is_boolean()  ? (*value.value<bool>() ? "1" : "0")
                         : value.is_string() ? *value.value<std::string>()
                                             : fmt::format("{}", value.value_or(NAN));
      check(value, [&] { config::set(scratch, *row, text); });
      one.options[name] = std::move(text);
    }
  }
  void worsen(Case& one, const toml::node& node) const {
    const toml::table* table = node.as_table();
    if (!table) wrong(node, "may_worsen: expected a table of figures");
    for (const auto& [name, share] : *table) {
      const conditions::Figure* figure = check_figure(share, "may_worsen", name.str());
      if (figure->better == conditions::Better::Neither)
        wrong(share, fmt::format("may_worsen: {} is neither better nor worse when it changes",
                                 figure->name));
      const auto value = share.value<double>();
      if (!value || *value < 0 || *value > 10)
        wrong(share, fmt::format("may_worsen: {}: expected a share from 0 to 10", name.str()));
      one.may_worsen[std::string(name.str())] = *value;
    }
  }

  std::string origin_;
};

}  // namespace

fs::path Suite::folder() const {
  return fs::absolute(file).parent_path();
}

fs::path Suite::recorded() const {
  fs::path path = file;
  return path.replace_extension(".json");
}

Suite Suite::read(const fs::path& file) {
  Suite suite{.file = file, .cases = {}};
  const std::string text = read_text(file);
  toml::table table;
  try {
    table = toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    fail("{}:{}: {}", printable(file.string()), error.source().begin.line, error.description());
  }
  const Reader reader(file);
  std::set<std::string> names;
  for (const auto& [key, node] : table) {
    const toml::array* cases = node.as_array();
    if (key != "case" || !cases) reader.wrong(node, "expected [[case]] only");
    for (const toml::node& one : *cases) {
      if (!one.is_table()) reader.wrong(one, "expected [[case]]");
      suite.cases.push_back(reader.read(*one.as_table()));
      if (!names.insert(suite.cases.back().name).second)
        reader.wrong(one, fmt::format("there are two cases '{}'", suite.cases.back().name));
    }
  }
  if (suite.cases.empty()) fail("{}: no [[case]] in it", printable(file.string()));
  return suite;
}

}  // namespace hipsight::kpi
