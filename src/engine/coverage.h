#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hipsight::engine {

/// An opcode of a processor, as the assembler names it with its encoding: "v_add_f32_e64_dpp".
struct Opcode {
  std::string mnemonic;
  std::string name;                  ///< of the instruction: "V_ADD_F32"
  bool implemented = false;          ///< the engine has code for it
  std::vector<std::uint32_t> words;  ///< an instruction that has it; one with code, if there is one
};

/// Every opcode that LLVM decodes when the opcode fields of all encodings are counted through, but
/// for those of isa::left_out; in order of their mnemonics. With `wanted`, an instruction's name or
/// a mnemonic, in any case: those that it names, which takes a fraction of the time. @throws
/// Exception when the processor is not known.
std::vector<Opcode> opcodes(std::string_view processor, std::string_view wanted = {});

}  // namespace hipsight::engine
