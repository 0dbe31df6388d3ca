#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/commands.h"
#include "engine/coverage.h"
#include "isa/opcodes.h"
#include "isa/source_text.h"
#include "support/error.h"

namespace hipsight::cli {
namespace {

std::vector<std::string> targets_of(const IsaOptions& options) {
  if (!options.targets.empty()) return options.targets;
  return {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"};
}

}  // namespace

int show_instruction(const IsaOptions& options) {
  std::map<std::string, std::map<std::string, std::set<std::string>>> found;
  std::set<std::string> executed;
  for (const std::string& target : targets_of(options))
    for (const auto& opcode : engine::opcodes(target, options.name)) {
      if (opcode.implemented) executed.insert(opcode.name);
      found[opcode.name][target].insert(opcode.mnemonic +
                                        (opcode.implemented ? "" : " (not executed)"));
    }
  if (found.empty()) fail("no processor has an instruction {}", options.name);
  for (const auto& [name, processors] : found) {
    fmt::print("{}\n\n", name);
    const std::string source = isa::source_text(name);
    if (!executed.contains(name))
      fmt::print("hipsight does not execute it.\n");
    else if (source.empty())
      fmt::print("Memory, control, lane exchange or matrix: code of src/engine/interpret.\n");
    else
      fmt::print("{}", source);
    fmt::print("\n");
    for (const auto& [target, mnemonics] : processors)
      fmt::print("{:<8} {}\n", target, fmt::join(mnemonics, ", "));
  }
  return 0;
}

int show_coverage(const IsaOptions& options) {
  nlohmann::json rows = nlohmann::json::array();
  for (const std::string& target : targets_of(options)) {
    const auto opcodes = engine::opcodes(target);
    nlohmann::json missing = nlohmann::json::array();
    for (const auto& opcode : opcodes)
      if (!opcode.implemented) missing.push_back(opcode.mnemonic);
    const std::size_t total = opcodes.size(), implemented = total - missing.size();
    const double percent = 100.0 * static_cast<double>(implemented) / static_cast<double>(total);
    rows.push_back(
        {{"target", target}, {"implemented", implemented}, {"total", total}, {"percent", percent}});
    if (options.missing) rows.back()["missing"] = missing;
    if (options.json) continue;
    fmt::print("{:<8} {:>5} of {:>5} opcodes, {:.2f} %\n", target, implemented, total, percent);
    if (options.missing)
      for (const auto& name : missing) fmt::print("  {}\n", name.get<std::string>());
  }
  if (options.json) {
    fmt::print("{}\n", rows.dump(2));
    return 0;
  }
  fmt::print("\nLeft out:\n");
  for (const auto& [prefix, why] : isa::left_out()) fmt::print("  {:<18} {}\n", prefix, why);
  return 0;
}

}  // namespace hipsight::cli
