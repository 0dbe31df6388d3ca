#include "code/target.h"

#include <algorithm>
#include <array>
#include <span>

#include "support/error.h"

namespace hipsight::code {
namespace {

struct Generic {
  std::string_view name;
  std::span<const std::string_view> covers;
};

constexpr std::string_view gfx9[] = {"gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"};
constexpr std::string_view gfx9_4[] = {"gfx940", "gfx941", "gfx942", "gfx950"};
constexpr std::string_view gfx10_1[] = {"gfx1010", "gfx1011", "gfx1012", "gfx1013"};
constexpr std::string_view gfx10_3[] = {"gfx1030", "gfx1031", "gfx1032", "gfx1033",
                                        "gfx1034", "gfx1035", "gfx1036"};
constexpr std::string_view gfx11[] = {"gfx1100", "gfx1101", "gfx1102", "gfx1103",
                                      "gfx1150", "gfx1151", "gfx1152", "gfx1153"};
constexpr std::string_view gfx12[] = {"gfx1200", "gfx1201"};

// LLVM AMDGPUUsage, "AMDGPU Generic Processors".
constexpr Generic generics[] = {
    {"gfx9-generic", gfx9},       {"gfx9-4-generic", gfx9_4}, {"gfx10-1-generic", gfx10_1},
    {"gfx10-3-generic", gfx10_3}, {"gfx11-generic", gfx11},   {"gfx12-generic", gfx12},
};

// LLVM AMDGPUUsage, "AMDGPU Processors": those with the target feature sramecc.
constexpr std::string_view sram_ecc[] = {"gfx906", "gfx908", "gfx90a", "gfx940",
                                         "gfx941", "gfx942", "gfx950", "gfx9-4-generic"};

bool covers(std::string_view generic, std::string_view processor) {
  for (const Generic& g : generics)
    if (g.name == generic) return std::ranges::find(g.covers, processor) != g.covers.end();
  return false;
}

bool agrees(Feature code, Feature device) {
  return code == Feature::Any || code == device;
}

std::string_view sign(Feature feature) {
  return feature == Feature::On ? "+" : "-";
}

}  // namespace

Target Target::parse(std::string_view text) {
  auto bad = [&](std::string_view why) { fail("target id \"{}\": {}", text, why); };
  Target target;
  std::string_view rest = text;
  auto next = [&] {
    auto part = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    return part;
  };

  std::string_view processor = next();
  auto valid = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (!processor.starts_with("gfx") || processor.size() < 4 ||
      !std::ranges::all_of(processor, valid))
    bad("no processor such as gfx942");
  target.processor = processor;

  if (text.ends_with(':')) bad("a feature is missing after the last colon");
  while (!rest.empty()) {
    std::string_view part = next();
    std::string_view name = part.substr(0, part.empty() ? 0 : part.size() - 1);
    Feature* feature = name == "xnack"     ? &target.xnack
                       : name == "sramecc" ? &target.sramecc
                                           : nullptr;
    if (!feature || (part.back() != '+' && part.back() != '-'))
      bad("a feature is xnack or sramecc with + or -");
    if (*feature != Feature::Any) bad("a feature is given twice");
    *feature = part.back() == '+' ? Feature::On : Feature::Off;
  }
  return target;
}

std::string Target::text() const {
  std::string text = processor;
  if (sramecc != Feature::Any) text += fmt::format(":sramecc{}", sign(sramecc));
  if (xnack != Feature::Any) text += fmt::format(":xnack{}", sign(xnack));
  return text;
}

bool Target::generic() const {
  return processor.ends_with("-generic");
}

bool Target::has_sram_ecc() const {
  return sramecc == Feature::On ||
         (sramecc == Feature::Any && std::ranges::find(sram_ecc, processor) != std::end(sram_ecc));
}

bool Target::runs_on(const Target& device) const {
  return (processor == device.processor || covers(processor, device.processor)) &&
         agrees(xnack, device.xnack) && agrees(sramecc, device.sramecc);
}

}  // namespace hipsight::code
