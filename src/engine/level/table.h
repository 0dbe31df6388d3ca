#pragma once

#include <string_view>
#include <unordered_map>

#include "engine/op.h"

namespace hipsight::engine {

/// The code of an instruction for wave32 and for wave64.
struct Code {
  Run wave32 = nullptr, wave64 = nullptr;
};

/// Code by instruction name (or by a name of the engine's own, in lower case), for one host
/// instruction set.
class Table {
 public:
  // Defined in table.cpp: nothing of the standard library may be instantiated in code that is
  // compiled for one host instruction set, or the linker could pick it for all.
  void add(std::string_view name, Code code);
  const Code* find(std::string_view name) const;

 private:
  std::unordered_map<std::string_view, Code> code_;
};

}  // namespace hipsight::engine
