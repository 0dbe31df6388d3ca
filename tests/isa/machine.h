#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/launch/wave.h"
#include "engine/program/program.h"

namespace hipsight::test {

/// The code for one host instruction set.
struct HostIsa {
  std::string name;
  engine::Table table;
};
/// Those that this host can run.
const std::vector<HostIsa>& host_isas();

/// Instructions without branches or memory, ready to run.
struct Code {
  explicit Code(unsigned lanes) : constants(lanes) {}

  std::deque<isa::Instruction> instructions, extra;
  std::vector<engine::Op> ops;
  engine::ConstantPool constants;
};

/// One wave with 128 vector registers (and accumulators) of a processor: wave64 on CDNA, wave32 on
/// RDNA unless `lanes` says otherwise.
class Machine {
 public:
  Machine(std::string_view processor, const HostIsa& host_isa, unsigned lanes = 0);

  /// Assembles, decodes and lowers text. @throws Exception when an instruction is not known.
  std::unique_ptr<Code> lower(std::string_view text) const;
  /// The same of one instruction; null when it is not known.
  std::unique_ptr<Code> lower(const isa::Instruction& instruction) const;
  void run(const Code& code);

  engine::Wave& wave() { return *wave_; }
  std::uint32_t& vgpr(unsigned index, unsigned lane) { return wave_->vgpr(index)[lane]; }
  std::uint32_t& sgpr(unsigned index) { return wave_->scalar[index]; }
  unsigned lanes() const { return wave_->lanes; }

  engine::MatrixMode matrix = engine::MatrixMode::Fast;  ///< of what is lowered from now on

 private:
  struct Free {
    void operator()(engine::Wave* wave) const;
  };
  /// Appends what an instruction becomes; whether it is known.
  bool append(const isa::Instruction& instruction, engine::LoweringContext& context,
              Code& code) const;
  engine::LoweringContext context() const;

  std::string processor_;
  const HostIsa& level_;
  std::unique_ptr<engine::Wave, Free> wave_;
};

}  // namespace hipsight::test
