#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/program/op.h"

namespace hipsight::engine {

/// The code of an instruction for wave32 and for wave64; where there is one, also for ops that are
/// plain (Op::plain), which is faster.
struct Code {
  Run wave32 = nullptr, wave64 = nullptr;
  Run plain_wave32 = nullptr, plain_wave64 = nullptr;

  Run run(unsigned lanes, bool plain) const {
    if (plain && plain_wave64) return lanes == 32 ? plain_wave32 : plain_wave64;
    return lanes == 32 ? wave32 : wave64;
  }
};

struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const {
    return std::hash<std::string_view>{}(name);
  }
};

/// Code by instruction name (or by a name of the engine's own, in lower case), for one host
/// instruction set.
class Table {
 public:
  // Defined in table.cpp: nothing of the standard library may be instantiated in code that is
  // compiled for one host instruction set, or the linker could pick it for all.
  void add(std::string_view name, Code code);
  void add(std::string_view prefix, std::string_view name, Code code);
  const Code* find(std::string_view name) const;

 private:
  std::unordered_map<std::string, Code, NameHash, std::equal_to<>> code_;
};

}  // namespace hipsight::engine
