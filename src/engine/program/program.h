#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/engine.h"
#include "engine/interpret/table.h"
#include "engine/program/loaded_code.h"
#include "engine/program/op.h"
#include "isa/decode.h"

namespace hipsight::engine {

struct RegionCount;
struct Task;
struct Variants;

/// The registers that code may name; the layout of a wave's register file.
struct RegisterFile {
  std::uint32_t lanes = 64;
  std::uint32_t vgprs = 0;  ///< AGPR 0 is register `vgprs`
  std::uint32_t agprs = 0;
  bool skips_vectors = false;  ///< code in which vector instructions do nothing (s_setvskip)
  auto operator<=>(const RegisterFile&) const = default;

  /// Registers that a wave has behind the last one, so that no access leaves the wave's memory:
  /// the widest operand is 32 registers.
  static constexpr std::uint32_t slack = 33;
  std::size_t wave_bytes() const;
};

/// A region, lowered.
struct Region : RegionOfCode {
  Op *begin = nullptr, *end = nullptr;  ///< its ops; the first one counts, or leads to faster code
  RegisterFile file;
};

/// A code object's instructions, decoded and lowered function by function when control first
/// reaches them; those of other code objects too, where its code calls them. Safe to use from
/// several threads.
class Program {
 public:
  Program(std::shared_ptr<const code::CodeObject> object, std::byte* image);
  ~Program();

  /// The op at a device address of code, for waves with this register file; null when the address
  /// is in no function of a code object that is loaded, or not at an instruction.
  const Op* op_at(std::uint64_t device_address, const RegisterFile& file);

  /// Where an instruction is: its code object, and its address there. Addresses of instructions
  /// count from this code object's base, those of others too.
  struct Place {
    std::shared_ptr<const code::CodeObject> object;
    std::uint64_t address = 0;
  };
  Place place_of(const isa::Instruction& instruction) const;

  /// Regions decoded so far; Op::counter indexes them. Only grows.
  std::vector<Region> regions() const;
  /// How often each ran in launches that have ended.
  std::vector<std::uint64_t> executions() const;
  void add_executions(std::span<const RegionCount> counts);
  /// No more regions than this are ever made.
  std::size_t region_limit() const;

  /// Whether it is to be watched in which order a kernel's waves use LDS (OrderWatch): now and
  /// then, where that may matter. `entry`: its first op. Told of each launch.
  bool watches_order(const Op& entry);

  bool translates_at_once() const { return tier_ == Tier::Translate; }
  /// Translates a region for waves like this one, if that is to be done at first sight.
  bool translate_now(std::size_t region, const Wave& wave);
  /// The same in the background, for the waves that `count` tells of, unless it was asked before.
  /// `rows`: workgroups are as many work-items wide as AffineFlow wants. `observed`: for waves that
  /// are.
  void translate_soon(std::size_t region, const RegionCount& count, bool rows, bool observed);

  /// How its code is to run; said before any of it is looked up.
  /// `sram_ecc`: the GPU's registers have error correction (LoweringContext).
  void set_modes(Tier tier, MatrixMode matrix, bool sram_ecc) {
    tier_ = tier;
    matrix_ = matrix;
    sram_ecc_ = sram_ecc;
  }
  isa::Gfx gfx() const { return gfx_; }
  const LoadedCode& code() const { return *code_; }
  /// What else is loaded whose functions its kernels have called.
  std::vector<std::shared_ptr<const LoadedCode>> called() const;
  std::uint64_t base() const { return code_->base(); }
  const code::CodeObject& object() const { return *code_->object; }
  /// An instruction as the assembler writes it.
  std::string text(const isa::Instruction& instruction);

 private:
  struct Function;
  bool is_kernel(std::uint64_t address) const;
  /// With mutex_ held.
  Function& function_of(std::size_t region);
  Task task(std::size_t region, Variants variants, bool rows);
  std::unique_ptr<Function> lower(const LoadedCode& code, const code::Symbol& symbol,
                                  const RegisterFile& file);

  std::shared_ptr<const LoadedCode> code_;
  std::vector<std::shared_ptr<const LoadedCode>> others_;  ///< whose functions were lowered here
  isa::Gfx gfx_;
  Tier tier_ = Tier::Interpret;
  MatrixMode matrix_ = MatrixMode::Fast;
  bool sram_ecc_ = false;
  mutable std::recursive_mutex mutex_;
  std::optional<isa::Decoder> decoder_;
  /// By LoadedCode::number and the function's address there.
  std::map<std::tuple<std::uint64_t, std::uint64_t, RegisterFile>, std::unique_ptr<Function>>
      functions_;
  std::vector<Region> regions_;
  std::vector<std::uint64_t> executions_;  ///< of regions, in launches that have ended
};

/// Op::imm of an instruction that is not known, where the reason is a register that waves do not
/// have: this, and the register's number.
constexpr std::int64_t no_register = 1, no_accumulator = 1 << 16;

/// What instructions that control flow, EXEC or memory need to know of the place they run in.
struct LoweringContext {
  const Table& table;
  isa::Gfx gfx;
  RegisterFile file;
  MatrixMode matrix = MatrixMode::Fast;
  bool sram_ecc = false;  ///< registers are written whole: 16-bit loads clear the other half
  bool indexed = false;   ///< between s_set_gpr_idx_on and _off, in the order of addresses
};

/// Constants of lowered code, spread over the lanes so that a constant reads like a register.
class ConstantPool {
 public:
  explicit ConstantPool(unsigned lanes) : lanes_(lanes) {}
  /// A register of `low`, followed by one of `high`.
  std::uint64_t slices(std::uint32_t low, std::uint32_t high);
  std::uint64_t scalar(std::uint64_t value);
  /// An op that another one runs.
  const Op* op(const Op& op) { return &ops_.emplace_back(op); }

 private:
  struct alignas(64) Slices {
    std::array<std::uint32_t, 128> words;
  };
  unsigned lanes_;
  std::deque<Slices> slices_;
  std::map<std::uint64_t, std::uint64_t> by_value_;
  std::deque<std::uint64_t> scalars_;
  std::deque<Op> ops_;
};

/// Resolves an instruction's operands to places and chooses its code. Appends one op or, for dual
/// issue, up to three. `instruction` must outlive the ops; operands are adjusted in place (16-bit
/// register halves). Unknown instructions become an op that reports them when it is reached. What
/// later instructions need to know of this one is written into the context.
void lower(isa::Instruction& instruction, LoweringContext& context, ConstantPool& constants,
           std::deque<isa::Instruction>& extra, std::vector<Op>& ops);

/// The table of code for the host's instruction set.
const Table& host_table();

}  // namespace hipsight::engine
