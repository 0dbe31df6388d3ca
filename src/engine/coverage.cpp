#include "engine/coverage.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <map>

#include "engine/program/program.h"
#include "isa/crash_guard.h"
#include "isa/decode.h"
#include "isa/opcodes.h"
#include "isa/operand_use.h"

namespace hipsight::engine {
namespace {

/// Whether an instruction becomes code that is not an error.
bool is_executable(const isa::Instruction& instruction, unsigned lanes) {
  LoweringContext context{
      host_table(), instruction.gfx, {.lanes = lanes, .vgprs = 256, .agprs = 256}};
  isa::Instruction copy = instruction;
  ConstantPool constants(lanes);
  std::deque<isa::Instruction> extra;
  std::vector<Op> ops;
  lower(copy, context, constants, extra, ops);
  const Run unknown = host_table().find("unknown")->run(lanes, false);
  return std::ranges::none_of(ops, [&](const Op& op) { return op.run == unknown; });
}

/// CBSZ and BLGP name FP8, BF8, FP6, BF6 and FP4; LLVM reads their other values too.
bool has_reserved_format(const isa::Instruction& instruction) {
  constexpr unsigned last = 4;
  return instruction.row->formats_vary && (instruction.cbsz > last || instruction.blgp > last);
}

/// Whether all registers that it names are there: LLVM reads v[255:256] too, and four registers
/// from null on.
bool has_its_registers(const isa::Instruction& instruction) {
  constexpr unsigned vector = 256, scalar = 124;
  return std::ranges::none_of(isa::operand_uses(instruction, 64), [&](const isa::OperandUse& use) {
    const unsigned end = use.operand.index + use.registers;
    const bool is_exec = use.registers <= 2 && use.operand.index >= scalar;
    return use.operand.where == isa::Where::Sgpr ? end > scalar && !is_exec : end > vector;
  });
}

/// The mnemonics in a text: two, for dual issue.
std::vector<std::string> mnemonics(std::string_view text) {
  std::vector<std::string> result;
  constexpr std::string_view separator = " :: ", blank = " \t\n";
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    std::string_view half = text.substr(0, end);
    half.remove_prefix(std::min(half.find_first_not_of(blank), half.size()));
    result.emplace_back(half.substr(0, half.find_first_of(blank)));
    text = end == text.npos ? std::string_view{} : text.substr(end + separator.size());
  }
  return result;
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::toupper(c); });
  return result;
}

/// A mnemonic without what names its encoding: all forms of an opcode have this in common.
std::string_view stem(std::string_view mnemonic) {
  for (std::string_view suffix : {"_DPP8", "_DPP", "_SDWA", "_E32", "_E64", "_E96"})
    if (mnemonic.ends_with(suffix)) mnemonic.remove_suffix(suffix.size());
  return mnemonic;
}

}  // namespace

std::vector<Opcode> opcodes(std::string_view processor, std::string_view wanted) {
  isa::Decoder decoder(processor);
  const isa::CrashGuard guard;
  const bool rdna = isa::is_rdna(decoder.gfx());
  std::map<std::string, Opcode, std::less<>> found;
  const std::string asked = upper(wanted);
  // All forms of all opcodes take many tries; some of one, fewer.
  constexpr unsigned seed = 3;
  const unsigned tries = asked.empty() ? 81 : 48;
  // Of dual issue, the other half is any instruction.
  const auto is_another = [&](const isa::Instruction& in, const std::vector<std::string>& names) {
    return !asked.empty() && names.size() == 1 && in.name() != asked &&
           stem(upper(names.front())) != stem(asked);
  };
  std::mt19937 random(seed);
  isa::for_every_opcode(decoder, tries, random, [&](const isa::Words& words) {
    const auto instruction = decoder.decode(isa::bytes_of(words), 0);
    if (!instruction) return true;
    const std::string text = decoder.text(*instruction);
    if (!isa::takes_its_operands(text)) return true;
    if (has_reserved_format(*instruction) || !has_its_registers(*instruction)) return true;
    const auto names = mnemonics(text);
    if (is_another(*instruction, names)) return false;
    bool executable = false, tried = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      // LLVM has no text for some forms that no assembler takes.
      if (isa::is_left_out(names[i]) || names[i].front() < 'a') continue;
      Opcode& opcode = found[names[i]];
      opcode.mnemonic = names[i];
      if (opcode.name.empty()) opcode.name = i ? instruction->row_y->name : instruction->name();
      if (opcode.implemented) continue;
      if (!tried)
        executable = is_executable(*instruction, 64) && (!rdna || is_executable(*instruction, 32));
      tried = true;
      opcode.implemented = executable;
      if (executable || opcode.words.empty())
        opcode.words.assign(words.begin(), words.begin() + instruction->size / 4);
    }
    return true;
  });
  std::vector<Opcode> result;
  for (auto& [mnemonic, opcode] : found)
    if (asked.empty() || opcode.name == asked || upper(mnemonic) == asked)
      result.push_back(std::move(opcode));
  return result;
}

}  // namespace hipsight::engine
