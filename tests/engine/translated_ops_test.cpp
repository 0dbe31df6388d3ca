// Pairs of instructions with one opcode, operands and modifiers by chance: translated and
// interpreted, on registers of any bits, they leave the same in every register.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <random>

#include "engine/launch/wave.h"
#include "engine/launch/workgroup.h"
#include "engine/program/program.h"
#include "engine/translate/translator.h"
#include "isa/crash_guard.h"
#include "isa/decode.h"
#include "isa/entry.h"
#include "isa/opcodes.h"
#include "support/files.h"

namespace hipsight::engine {
namespace {

struct Target {
  const char* processor;
  unsigned lanes;
};
std::ostream& operator<<(std::ostream& out, const Target& t) {
  return out << t.processor << " wave" << t.lanes;
}

constexpr unsigned registers = 256;

const Op* leave(Wave&, const Op*) {
  return nullptr;
}

struct Free {
  void operator()(Wave* wave) const { std::free(wave); }
};
using WavePointer = std::unique_ptr<Wave, Free>;

/// A region of instructions, and what its ops need.
struct Lowered {
  explicit Lowered(unsigned lanes) : constants(lanes) {}
  std::vector<Op> ops;  ///< what counts, the instructions, and the end
  std::deque<isa::Instruction> instructions, extra;
  ConstantPool constants;
};

/// What ends a region, also as the second half of M0 and what follows it.
bool writes_exec(const Op& op, unsigned lanes) {
  constexpr std::size_t exec = offsetof(Wave, scalar) + reg::exec * sizeof(std::uint32_t);
  return op.flags & flag::write_exec ||
         (op.flags & flag::write_bits && op.bit_dst + lanes / 8 > exec);
}

class TranslatedOps : public testing::TestWithParam<Target> {
 protected:
  const Target target_ = GetParam();
  const RegisterFile file_{.lanes = target_.lanes, .vgprs = registers, .agprs = registers};
  std::mt19937 random_;
  std::uint64_t words_ = 1;  ///< the state of what draws registers' words
  RegionCount count_;
  std::vector<std::unique_ptr<Lowered>> regions_;  ///< what is translated refers to them

  void compare_all();
  /// Instructions, one behind the other; whether they were translated.
  bool compare(std::span<const isa::Instruction> instructions, isa::Decoder& decoder,
               Program& program);
  /// Calls `use` with a program that regions are translated for.
  void with_program(const auto& use) {
    const auto object = code::CodeObject::read(read_bytes(HIPSIGHT_TIERS_gfx942), "any");
    std::vector<std::byte> image(object->image_size());
    Program program(object, image.data());
    use(program);
    mode_changed(*wave(0xf0, true));
    Translator::instance().forget(program);
  }

  /// Null when an instruction is not arithmetic that the engine executes.
  std::unique_ptr<Lowered> lower(std::span<const isa::Instruction> instructions, isa::Gfx gfx) {
    auto lowered = std::make_unique<Lowered>(target_.lanes);
    LoweringContext context{host_table(), gfx, file_};
    const engine::Run unknown = host_table().find("unknown")->run(target_.lanes, false);
    lowered->ops.emplace_back().run = host_table().find("region")->run(target_.lanes, false);
    for (const isa::Instruction& instruction : instructions) {
      const std::size_t before = lowered->ops.size();
      engine::lower(lowered->instructions.emplace_back(instruction), context, lowered->constants,
                    lowered->extra, lowered->ops);
      for (const Op& op : std::span(lowered->ops).subspan(before))
        if (op.run == unknown || !op.shape || op.shape->form == isa::Form::Scalar ||
            writes_exec(op, target_.lanes))
          return nullptr;
    }
    lowered->ops.emplace_back().run = leave;
    lowered->ops.front().instruction = &lowered->instructions.front();
    return lowered;
  }

  WavePointer wave(std::uint32_t mode, bool full) {
    const std::size_t bytes = (file_.wave_bytes() + 63) / 64 * 64;
    void* memory = std::aligned_alloc(64, bytes);
    if (!memory) throw std::bad_alloc();
    std::memset(memory, 0, bytes);
    WavePointer result(new (memory) Wave{});
    Wave& w = *result;
    w.lanes = target_.lanes;
    w.register_bytes = target_.lanes * 4;
    w.full = target_.lanes == 64 ? ~0ull : 0xffffffffull;
    w.counts = &count_;
    w.budget = 1000;
    for (std::uint32_t& word : w.scalar) word = any_word();
    for (unsigned r = 0; r < 2 * registers; ++r)
      for (unsigned lane = 0; lane < target_.lanes; ++lane) w.vgpr(r)[lane] = any_word();
    w.scc = random_() & 1;
    const std::uint64_t some = random_() | std::uint64_t{random_()} << 32;
    w.set_pair(reg::exec, full ? w.full : some & w.full);
    w.mode = mode;
    mode_changed(w);
    return result;
  }

  /// Any bits, special values of f16, f32 and f64 more often than by chance, or an ordinary number.
  std::uint32_t any_word() {
    static constexpr std::uint32_t special[]{
        0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f812345,
        0xff9abcde, 1,          0x807fffff, 0x3f800000, 0x7f7fffff, 0x7ff00000, 0xfff00000,
        0x7ff80000, 0x7c007c01, 0xfc00fe01, 0x00010400, 0x3c00bc00, 0x3ff00000, 0x80100000};
    // xorshift64*: a wave takes 33,000 words, and random_ took a fifth of the time for them.
    words_ ^= words_ >> 12, words_ ^= words_ << 25, words_ ^= words_ >> 27;
    const std::uint64_t drawn = words_ * 0x2545f4914f6cdd1d;
    const auto bits = static_cast<std::uint32_t>(drawn);
    switch (drawn >> 62) {
      case 0:
        return special[bits % std::size(special)];
      case 1:
        return (bits & 0x807fffff) | (bits % 16 + 120) << 23;
      default:
        return bits;
    }
  }

  static void run(Wave& w, const Op* op) {
    mode_changed(w);
    while (op) op = op->run(w, op);
  }

  /// What differs in the registers of two waves; empty if nothing does.
  std::string difference(Wave& got, Wave& want) const {
    for (unsigned s = 0; s < reg::trash; ++s)
      if (got.scalar[s] != want.scalar[s])
        return fmt::format("s{}: {:#x} instead of {:#x}", s, got.scalar[s], want.scalar[s]);
    for (unsigned r = 0; r < 2 * registers; ++r)
      for (unsigned lane = 0; lane < target_.lanes; ++lane)
        if (got.vgpr(r)[lane] != want.vgpr(r)[lane])
          return fmt::format("v{} lane {}: {:#x} instead of {:#x}", r, lane, got.vgpr(r)[lane],
                             want.vgpr(r)[lane]);
    return got.scc == want.scc ? "" : "SCC";
  }
};

TEST_P(TranslatedOps, LeaveWhatInterpretedOnesLeave) {
  if (Engine::host_isa() == "sse4") GTEST_SKIP() << "this host cannot translate";
  const char* const more = std::getenv("HIPSIGHT_OPERANDS");  // as in tests/isa
  const unsigned rounds = more ? static_cast<unsigned>(std::atoi(more)) : 1;
  for (unsigned seed = 1; seed <= rounds && !HasFailure(); ++seed) {
    random_.seed(seed);
    words_ = seed;
    compare_all();
  }
}

bool TranslatedOps::compare(std::span<const isa::Instruction> instructions, isa::Decoder& decoder,
                            Program& program) {
  const auto& lowered = regions_.emplace_back(lower(instructions, decoder.gfx()));
  Places everything;
  everything.set();
  Task task;
  task.live_after = everything;
  task.region.begin = lowered->ops.data();
  task.region.end = &lowered->ops.back();
  task.region.file = file_;
  task.region.first = &lowered->instructions.front();
  task.variants = {.full = true, .masked = false};
  Translator::instance().translate(program, task);
  if (!is_translated(lowered->ops.front(), {.full = true})) return false;
  task.variants = {.full = false, .masked = true};
  Translator::instance().translate(program, task);
  std::string text;
  for (const isa::Instruction& in : instructions) text += decoder.text(in);
  // Rounding of all four kinds, and denormals kept or not.
  for (const std::uint32_t mode : {0xf0u, 0xc0u, 0xf5u, 0xfau, 0x3fu})
    for (const bool full : {true, false}) {
      const WavePointer start = wave(mode, full);
      const auto copy = [&] {
        void* memory = std::aligned_alloc(64, (file_.wave_bytes() + 63) / 64 * 64);
        std::memcpy(memory, start.get(), file_.wave_bytes());
        return WavePointer(static_cast<Wave*>(memory));
      };
      const WavePointer interpreted = copy(), fast = copy();
      run(*interpreted, lowered->ops.data() + 1);
      run(*fast, lowered->ops.data());
      EXPECT_EQ(difference(*fast, *interpreted), "")
          << text << " under MODE " << std::hex << mode << (full ? "" : ", some lanes");
    }
  return true;
}

void TranslatedOps::compare_all() {
  isa::Decoder decoder(target_.processor);
  const isa::CrashGuard guard;

  // Of each form of each opcode the first two that can be run, one behind the other.
  constexpr unsigned tries = 24;
  std::map<std::string, std::vector<isa::Instruction>> forms;
  isa::for_every_opcode(decoder, tries, random_, [&](const isa::Words& words) {
    const auto instruction = decoder.decode(isa::bytes_of(words), 0);
    if (!instruction) return true;
    const std::string text = decoder.text(*instruction);
    if (!isa::takes_its_operands(text) || !lower({&*instruction, 1}, decoder.gfx())) return true;
    auto& kept = forms[text.substr(0, text.find_first_of(" \t", 1))];
    if (kept.size() < 2) kept.push_back(*instruction);
    return kept.size() < 2;
  });

  std::size_t translated = 0;
  with_program([&](Program& program) {
    for (const auto& [form, instructions] : forms)
      if (instructions.size() == 2 && !HasFailure())
        translated += compare(instructions, decoder, program);
  });
  EXPECT_GT(translated, forms.size() / 2);
}

// What chance finds once in many rounds.
TEST_P(TranslatedOps, LeaveTheSameOfRareWords) {
  if (Engine::host_isa() == "sse4") GTEST_SKIP() << "this host cannot translate";
  struct Rare {
    const char* processor;
    isa::Words words;
    const char* text;
  };
  static constexpr Rare all[]{
      // Banks that differ in the halves of a row.
      {"gfx90a", {0x020004fa, 0xf2006301}, "v_add_f32_dpp"},
      {"gfx1100", {0xd71f0000, 0x000292fa, 0xf20863ef}, "v_mbcnt_lo_u32_b32_e64_dpp"},
      // A sign that moves from the product to the sum.
      {"gfx90a", {0xd1c10000, 0x4222bb72}, "v_mad_f32"},
      // A value that is neither the numerator nor the denominator.
      {"gfx90a", {0xd1e00000, 0x0416c912}, "v_div_scale_f32"},
  };
  isa::Decoder decoder(target_.processor);
  const isa::CrashGuard guard;
  with_program([&](Program& program) {
    for (const Rare& rare : all) {
      if (std::string_view(rare.processor) != target_.processor) continue;
      const auto in = decoder.decode(isa::bytes_of(rare.words), 0);
      ASSERT_TRUE(in && decoder.text(*in).find(rare.text) != std::string::npos) << rare.text;
      for (unsigned seed = 1; seed <= 64 && !HasFailure(); ++seed) {
        words_ = seed;
        compare(std::array{*in, *in}, decoder, program);
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(, TranslatedOps,
                         testing::Values(Target{"gfx90a", 64}, Target{"gfx942", 64},
                                         Target{"gfx950", 64}, Target{"gfx1100", 32},
                                         Target{"gfx1100", 64}, Target{"gfx1201", 32},
                                         Target{"gfx1201", 64}));

}  // namespace
}  // namespace hipsight::engine
