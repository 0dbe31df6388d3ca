#include "conditions/condition.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "support/error.h"

namespace hipsight::conditions {

/// `not` has one part, a comparison none.
struct Condition::Node {
  enum class What { Compare, And, Or, Not } what = What::Compare;
  std::vector<std::unique_ptr<const Node>> parts;
  const Figure* figure = nullptr;
  bool (*compare)(double, double) = nullptr;
  double limit = 0;
};

namespace {

using Node = Condition::Node;

struct Unit {
  std::string_view name;
  Kind kind;
  double size;
};
constexpr Unit units[]{
    {"ns", Kind::Seconds, 1e-9},  {"us", Kind::Seconds, 1e-6},  {"ms", Kind::Seconds, 1e-3},
    {"s", Kind::Seconds, 1},      {"%", Kind::Share, 0.01},     {"B", Kind::Bytes, 1},
    {"kB", Kind::Bytes, 1e3},     {"MB", Kind::Bytes, 1e6},     {"GB", Kind::Bytes, 1e9},
    {"KiB", Kind::Bytes, 0x1p10}, {"MiB", Kind::Bytes, 0x1p20}, {"GiB", Kind::Bytes, 0x1p30},
};

struct Comparison {
  std::string_view sign;  ///< a longer one before its beginning
  bool (*holds)(double, double);
};
constexpr Comparison comparisons[]{
    {"<=", [](double a, double b) { return a <= b; }},
    {">=", [](double a, double b) { return a >= b; }},
    {"==", [](double a, double b) { return a == b; }},
    {"!=", [](double a, double b) { return a != b; }},
    {"<", [](double a, double b) { return a < b; }},
    {">", [](double a, double b) { return a > b; }},
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Nobody nests deeper, and each level takes stack.
constexpr int most_nested = 64;

class Parser {
 public:
  Parser(std::string_view text, std::vector<const Figure*>& named) : text_(text), named_(named) {}

  std::unique_ptr<const Node> whole() {
    auto result = any();
    if (!rest().empty()) fail_at("'and', 'or' or its end");
    return result;
  }

 private:
  std::unique_ptr<const Node> any() {
    return joined(Node::What::Or, "or", [this] { return all(); });
  }
  std::unique_ptr<const Node> all() {
    return joined(Node::What::And, "and", [this] { return one(); });
  }

  template <class Part>
  std::unique_ptr<const Node> joined(Node::What what, std::string_view word, Part part) {
    auto first = part();
    if (peek_word() != word) return first;
    auto node = std::make_unique<Node>();
    node->what = what;
    node->parts.push_back(std::move(first));
    while (take_word(word)) node->parts.push_back(part());
    return node;
  }

  std::unique_ptr<const Node> one() {
    if (++depth_ > most_nested)
      fail("condition '{}': more than {} levels of 'not' and parentheses", text_, most_nested);
    auto result = not_joined();
    --depth_;
    return result;
  }

  std::unique_ptr<const Node> not_joined() {
    if (take_word("not")) {
      auto node = std::make_unique<Node>();
      node->what = Node::What::Not;
      node->parts.push_back(one());
      return node;
    }
    if (take("(")) {
      auto inside = any();
      if (!take(")")) fail_at("')'");
      return inside;
    }
    return comparison();
  }

  std::unique_ptr<const Node> comparison() {
    const std::string_view name = peek_word();
    if (name.empty()) fail_at("a figure");
    auto node = std::make_unique<Node>();
    node->figure = figure(name);
    if (!node->figure) {
      std::vector<std::string_view> names;
      for (const Figure& known : figures()) names.push_back(known.name);
      fail("condition '{}': there is no figure '{}'; there are {}", text_, name,
           fmt::join(names, ", "));
    }
    at_ += name.size();
    if (std::ranges::find(named_, node->figure) == named_.end()) named_.push_back(node->figure);
    for (const Comparison& known : comparisons)
      if (!node->compare && take(known.sign)) node->compare = known.holds;
    if (!node->compare) fail_at("<, <=, >, >=, == or !=");
    node->limit = number(*node->figure);
    return node;
  }

  double number(const Figure& of) {
    const std::string_view from = rest();
    double value = 0;
    const auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) fail_at("a number");
    at_ += static_cast<std::size_t>(end - from.data());
    const std::string_view unit = take_unit();
    if (unit.empty()) return value;
    std::vector<std::string_view> fitting;
    for (const Unit& known : units) {
      if (known.kind != of.kind) continue;
      if (known.name == unit) return value * known.size;
      fitting.push_back(known.name);
    }
    fail("condition '{}': {} takes no '{}'; it takes {}", text_, of.name, unit,
         fitting.empty() ? "a number alone" : fmt::format("{}", fmt::join(fitting, ", ")));
  }

  /// What follows a number and is no word of the language.
  std::string_view take_unit() {
    if (take("%")) return "%";
    const std::string_view word = peek_word();
    if (word == "and" || word == "or") return "";
    at_ += word.size();
    return word;
  }

  std::string_view rest() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
    return text_.substr(at_);
  }
  std::string_view peek_word() {
    const std::string_view from = rest();
    if (from.empty() || !is_letter(from[0])) return "";
    return from.substr(0, std::ranges::find_if_not(from, [](char c) {
                            return is_letter(c) || is_digit(c);
                          }) - from.begin());
  }
  bool take_word(std::string_view word) {
    if (peek_word() != word) return false;
    at_ += word.size();
    return true;
  }
  bool take(std::string_view sign) {
    if (!rest().starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  [[noreturn]] void fail_at(std::string_view expected) {
    const std::string_view from = rest();
    fail("condition '{}': {} is expected {}", text_, expected,
         from.empty() ? "at its end" : fmt::format("before '{}'", from));
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<const Figure*>& named_;
};

bool holds(const Node& node, const KernelReport& kernel, std::string_view text) {
  const auto part = [&](const auto& one) { return holds(*one, kernel, text); };
  switch (node.what) {
    case Node::What::And:
      return std::ranges::all_of(node.parts, part);
    case Node::What::Or:
      return std::ranges::any_of(node.parts, part);
    case Node::What::Not:
      return !part(node.parts.front());
    case Node::What::Compare:
      break;
  }
  if (!is_known(*node.figure, kernel))
    fail("condition '{}': {} of {} is not known: there is no {} of it", text, node.figure->name,
         kernel.kernel.title, node.figure->needs == Needs::Profile ? "profile" : "prediction");
  const auto value = node.figure->of(kernel);
  return value && node.compare(*value, node.limit);
}

}  // namespace

Condition::Condition(std::string_view text) : text_(text), root_(Parser(text_, named_).whole()) {}
Condition::~Condition() = default;

bool Condition::holds(const KernelReport& kernel) const {
  return conditions::holds(*root_, kernel, text_);
}

ConditionFacts Condition::facts() const {
  const auto any = [this](Needs needs) {
    return std::ranges::any_of(named_, [&](const Figure* one) { return one->needs == needs; });
  };
  return {any(Needs::Profile), any(Needs::Prediction)};
}

std::string Condition::values(const KernelReport& kernel) const {
  std::vector<std::string> all;
  for (const Figure* one : named_) {
    if (!is_known(*one, kernel)) continue;
    const auto value = one->of(kernel);
    all.push_back(fmt::format("{} is {}", one->name, value ? text_of(one->kind, *value) : "none"));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

std::vector<MetCondition> met(const RunReport& run, const Condition& condition) {
  std::vector<MetCondition> result;
  for (const KernelReport& kernel : run.kernels)
    if (condition.holds(kernel)) result.push_back({kernel.kernel.title, condition.values(kernel)});
  return result;
}

}  // namespace hipsight::conditions
