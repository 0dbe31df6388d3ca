// Every opcode that the coverage counts as implemented runs: in waves of both sizes, with operands.
#include <chrono>
#include <cstring>

#include "engine/coverage.h"
#include "kernels.h"
#include "support/files.h"

namespace hipsight::engine {
namespace {

struct Target {
  const char *gpu, *processor, *file;
};
std::ostream& operator<<(std::ostream& out, const Target& t) {
  return out << t.processor << ", " << t.file;
}

constexpr std::size_t slot_words = 8, slots = 2048;

/// The code object of opcodes.hip with an instruction in each slot; what follows ends the wave.
std::vector<std::byte> with_instructions(const char* file, const std::vector<Opcode>& opcodes) {
  std::string text = read_text(file);
  constexpr std::uint32_t mark = 0xbf80abcd;
  std::size_t at = 0;
  for (std::uint32_t word = 0; word != mark && at + 4 <= text.size(); at += 4)
    std::memcpy(&word, text.data() + at, 4);
  EXPECT_LE(at + slots * slot_words * 4, text.size());
  for (std::size_t i = 0; i < opcodes.size(); ++i) {
    std::vector<std::uint32_t> words = opcodes[i].words;
    // Branches go to what follows them.
    constexpr std::uint32_t target = 0xffff;
    for (const char* jump : {"s_branch", "s_cbranch_", "s_call_", "s_subvector_loop_"})
      if (opcodes[i].mnemonic.starts_with(jump) && !opcodes[i].mnemonic.ends_with("_join") &&
          !opcodes[i].mnemonic.ends_with("_g_fork"))
        words[0] &= ~target;
    // What follows this one is decoded otherwise, up to its end.
    constexpr std::uint32_t gpr_idx_off = 0xbf9c0000;
    if (opcodes[i].mnemonic == "s_set_gpr_idx_on") words.push_back(gpr_idx_off);
    std::memcpy(text.data() + at + i * slot_words * 4, words.data(), words.size() * 4);
  }
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

class Opcodes : public testing::TestWithParam<Target> {};

TEST_P(Opcodes, AllRun) {
  const Target& target = GetParam();
  std::vector<Opcode> all = opcodes(target.processor);
  std::erase_if(all, [](const Opcode& opcode) { return !opcode.implemented; });
  ASSERT_LE(all.size(), slots);

  // Some wait for other waves.
  constexpr std::chrono::milliseconds patience{50};
  Engine engine(gpus::find(target.gpu),
                {.threads = 1, .timeout = patience, .tier = Tier::Interpret});
  const auto bytes = with_instructions(target.file, all);
  const auto module = Module::load(code::CodeObject::read(bytes, target.file), engine.memory());
  const code::Kernel* kernel = module->object().find_kernel("slots");
  ASSERT_NE(kernel, nullptr);
  // Offsets reach 2^23 bytes either way.
  constexpr std::size_t size = 1 << 25;
  auto* data =
      static_cast<std::byte*>(engine.memory().allocate(size, Memory::Kind::Device, "data"));
  auto* offset =
      static_cast<std::uint32_t*>(engine.memory().allocate(64, Memory::Kind::Device, "offset"));
  ASSERT_TRUE(data && offset);
  const std::byte* const middle = data + size / 2;
  std::vector<std::byte> kernarg(kernel->kernarg_size);
  std::memcpy(kernarg.data() + kernel->arguments.at(0).offset, &middle, 8);
  std::memcpy(kernarg.data() + kernel->arguments.at(1).offset, &offset, 8);

  std::size_t ran = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    *offset = static_cast<std::uint32_t>(i * slot_words * 4);
    try {
      engine.run({.module = module,
                  .kernel = kernel,
                  .grid = {64, 1, 1},
                  .block = {64, 1, 1},
                  .kernarg = kernarg});
      ++ran;
    } catch (const KernelError& error) {
      // An address that is none, a trap or an endless wait is what the operands give.
      if (error.kind == KernelError::Kind::UnknownInstruction)
        ADD_FAILURE() << all[i].mnemonic << ": " << error.what();
    }
  }
  // Most instructions compute, and cannot fail.
  EXPECT_GT(ran, all.size() * 3 / 4);
}

INSTANTIATE_TEST_SUITE_P(
    , Opcodes,
    testing::Values(Target{"mi210", "gfx90a", HIPSIGHT_OPCODES_gfx90a},
                    Target{"mi300x", "gfx942", HIPSIGHT_OPCODES_gfx942},
                    Target{"mi355x", "gfx950", HIPSIGHT_OPCODES_gfx950},
                    Target{"rx7900xtx", "gfx1100", HIPSIGHT_OPCODES_gfx1100},
                    Target{"rx7900xtx", "gfx1100", HIPSIGHT_OPCODES_gfx1100_wave64},
                    Target{"rx7900xtx", "gfx1151", HIPSIGHT_OPCODES_gfx1151},
                    Target{"rx7900xtx", "gfx1151", HIPSIGHT_OPCODES_gfx1151_wave64},
                    Target{"rx9070xt", "gfx1201", HIPSIGHT_OPCODES_gfx1201},
                    Target{"rx9070xt", "gfx1201", HIPSIGHT_OPCODES_gfx1201_wave64}));

}  // namespace
}  // namespace hipsight::engine
