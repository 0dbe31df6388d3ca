// What observers are told of each instruction that accesses memory, against what it does. Nothing
// says beforehand what that is: it is found by experiment. The same instruction runs again and
// again on other contents of memory, LDS and scratch:
//   - bytes that were not told of are changed: nothing else may come of it;
//   - a byte that each lane is told to read is changed: what comes of every lane has to change;
//   - only bytes that were told to be written may be, and what is stored must not depend on what
//     was there.
#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

#include "engine/coverage.h"
#include "engine/events.h"
#include "isa/decode.h"
#include "isa/opcodes.h"
#include "kernels.h"
#include "support/files.h"

namespace hipsight::engine {
namespace {

using Space = Access::Space;
using isa::MemoryAccess;

struct Target {
  const char *gpu, *processor, *file;
  unsigned lanes;
};
std::ostream& operator<<(std::ostream& out, const Target& t) {
  return out << t.processor << ", waves of " << t.lanes;
}

// As accesses.hip has them.
constexpr std::size_t slot_words = 8, slots = 1024;
constexpr std::uint32_t mark = 0xbf80abcd, end_mark = 0xbf80abce;
constexpr std::uint32_t left_low = 0x5eed0001, left_high = 0x5eed0002;
constexpr std::size_t lds_bytes = 16384, scratch_bytes = 128;  // scratch of a lane
constexpr std::size_t vectors = 256, scalars = 100;
constexpr unsigned m0 = 100, exec = 101;  // places in the image

/// Bytes around where addresses point, and where in them.
constexpr std::size_t window = 16384, middle = 4096;
/// What is told and tried of one byte: an address, a place in LDS, or a place of a lane's scratch.
struct Byte {
  Space space;
  std::uint64_t at;
  auto operator<=>(const Byte&) const = default;
};

/// All that an instruction may read or write.
struct Contents {
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(window);
  std::vector<std::uint8_t> lds = std::vector<std::uint8_t>(lds_bytes);
  std::vector<std::uint8_t> scratch;  ///< a dword of each lane after the other
};
constexpr std::array parts{&Contents::memory, &Contents::lds, &Contents::scratch};

struct Told {
  MemoryAccess::Does does;
  unsigned bytes;
  std::map<unsigned, std::vector<Byte>> of_lane;  ///< in order
};
struct Register {
  Written::File file;
  unsigned index;
  std::uint64_t mask;
  std::vector<std::uint32_t> values;
  bool operator==(const Register&) const = default;
};
struct Outcome {
  std::vector<Told> told;
  std::vector<Register> written;
  Contents left;
};

class Accesses : public testing::TestWithParam<Target>, public GroupObserver, public Observer {
 public:
  GroupObserver* begins(std::uint64_t) override { return this; }
  bool steps(unsigned) const override { return true; }
  void accesses(unsigned, const isa::Instruction& in, const Access& access) override {
    if (in.words != instruction.words) return;
    Told told{access.does, access.bytes, {}};
    for (unsigned lane = 0; lane < access.lanes; ++lane) {
      if (!(access.mask >> lane & 1)) continue;
      for (unsigned k = 0; k < access.bytes_of(lane); ++k)
        told.of_lane[lane].push_back(place(access, lane, k));
    }
    outcome.told.push_back(told);
  }
  void step(unsigned, const Step& step) override {
    if (!step.instruction || step.instruction->words != instruction.words) return;
    for (const Written& w : step.written) {
      const bool vector = w.file == Written::File::Vector || w.file == Written::File::Accumulator;
      outcome.written.push_back(
          {w.file, w.index, vector ? w.mask : 1, {w.values, w.values + (vector ? lanes : 1)}});
    }
  }

 protected:
  Byte place(const Access& access, unsigned lane, unsigned k) const {
    if (access.space == Space::Scalar || access.space == Space::Global)
      return {Space::Global, access.at[access.space == Space::Scalar ? 0 : lane] + k};
    if (access.space == Space::Lds) return {Space::Lds, access.at[lane] + k};
    // Dwords of a lane lie apart by those of all.
    const std::uint64_t first = access.at[lane] / 4 * 4, in = access.at[lane] % 4 + k;
    return {Space::Scratch, first + in / 4 * lanes * 4 + in % 4};
  }
  std::uint8_t& at(Contents& contents, const Byte& byte) const {
    if (byte.space == Space::Lds) return contents.lds.at(byte.at);
    if (byte.space == Space::Scratch) return contents.scratch.at(byte.at);
    return contents.memory.at(byte.at - reinterpret_cast<std::uintptr_t>(data));
  }
  Contents nothing() const {
    Contents none;
    none.scratch.resize(scratch_bytes * lanes);
    return none;
  }

  /// Puts the operands into an image of the registers; changes fields that would lead elsewhere.
  void set_operands(std::vector<std::uint32_t>& words);
  Outcome run(const Contents& contents);
  void check();

  const Target target = GetParam();
  const unsigned lanes = target.lanes;
  const std::uint64_t on = lanes == 64 ? 0xffff'fffe'7fff'fffd : 0x7fff'fffd;
  isa::Decoder decoder{target.processor};
  isa::Instruction instruction;
  Outcome outcome;

  Engine engine{gpus::find(target.gpu), {.threads = 1, .tier = Tier::Interpret}};
  template <class T>
  T* array(std::size_t count) {
    return static_cast<T*>(engine.memory().allocate(count * sizeof(T), Memory::Kind::Device, ""));
  }
  std::uint8_t* const data = array<std::uint8_t>(window);
  std::uint32_t* const image = array<std::uint32_t>(vectors * 64 + 128);
  std::uint8_t* const before = array<std::uint8_t>(lds_bytes + scratch_bytes * 64);
  std::uint8_t* const after = array<std::uint8_t>(lds_bytes + scratch_bytes * 64);
  std::uint32_t* const offset = array<std::uint32_t>(1);
  std::shared_ptr<Module> module;
  Contents contents;
  std::mt19937 random{1};
};

void set_bits(std::uint32_t& word, unsigned high, unsigned low, std::uint32_t value) {
  const std::uint32_t mask = (high - low == 31 ? ~0u : (1u << (high - low + 1)) - 1) << low;
  word = (word & ~mask) | (value << low & mask);
}

void Accesses::set_operands(std::vector<std::uint32_t>& words) {
  const auto decode = [&] {
    isa::Words all{};
    std::ranges::copy(words, all.begin());
    instruction = *decoder.decode(isa::bytes_of(all), 0);
  };
  decode();
  const bool gfx12 = decoder.gfx() == isa::Gfx::Gfx12, gfx11 = decoder.gfx() >= isa::Gfx::Gfx11;
  const MemoryAccess& row = instruction.row->memory;
  using enum isa::Format;
  const bool flat =
      instruction.format == Flat || instruction.format == Global || instruction.format == Scratch;
  const bool buffer = instruction.format == Mubuf || instruction.format == Mtbuf;
  constexpr unsigned base = 8, vector = 4, gap = 16, null = 124;
  if (instruction.format == Mtbuf) {
    if (gfx12)
      set_bits(words[1], 29, 23, 61);
    else
      set_bits(words[0], 25, 19, gfx11 ? 61 : 4u << 4 | 14);
  }
  // Registers and offsets of addresses.
  if (instruction.format == Ds) {
    // Two accesses of all lanes, side by side.
    const std::uint32_t far = row.apart > 1 ? 0x1000 : 0x0201;
    set_bits(words[0], 15, 0, row.accesses == 2 ? far : gap);
    const unsigned gds = gfx11 ? 17 : 16;
    set_bits(words[0], gds, gds, 0);
    if (row.address == MemoryAccess::Address::Register) set_bits(words[1], 7, 0, vector);
  } else if (flat) {
    if (gfx12) {
      set_bits(words[2], 31, 8, gap);
      set_bits(words[2], 7, 0, vector);
    } else {
      set_bits(words[0], 12, 0, gap);
      set_bits(words[1], 7, 0, vector);
    }
    if (instruction.base.where == isa::Where::Sgpr || row.address == MemoryAccess::Address::Lane)
      set_bits(words[gfx12 ? 0 : 1], gfx12 ? 6 : 22, gfx12 ? 0 : 16, base);
  } else if (buffer && gfx12) {
    set_bits(words[0], 6, 0, null);
    set_bits(words[1], 17, 9, base);
    set_bits(words[2], 31, 8, gap);
    set_bits(words[2], 7, 0, vector);
  } else if (buffer) {
    constexpr unsigned zero = 128;
    set_bits(words[0], 11, 0, gap);
    set_bits(words[1], 31, 24, zero);
    set_bits(words[1], 20, 16, base / 4);
    set_bits(words[1], 7, 0, vector);
  } else {
    set_bits(words[0], 5, 0, base / 2);
    set_bits(words[1], 23, 0, gap);
    if (gfx11) {
      set_bits(words[1], 31, 25, null);
    } else {
      set_bits(words[0], 14, 14, 0);  // no scalar offset
      set_bits(words[0], 17, 17, 1);  // but a constant
    }
  }
  decode();

  for (std::size_t i = 0; i < vectors * lanes + scalars; ++i) image[i] = random();
  std::uint32_t* const scalar = image + vectors * lanes;
  const auto set = [&](unsigned index, std::uint64_t value) {
    scalar[index] = static_cast<std::uint32_t>(value);
    scalar[index + 1] = static_cast<std::uint32_t>(value >> 32);
  };
  const std::uint64_t to = reinterpret_cast<std::uintptr_t>(data) + middle;
  if (buffer || instruction.name().starts_with("S_BUFFER")) {
    constexpr std::uint32_t stride = 64, records = 8192, selects = 0xfac;
    // Four dwords as they are; where there is no stride, GFX11 looks for offsets past the records.
    std::uint32_t format = gfx11 ? 61u << 12 : 4u << 12 | 14u << 15;
    if (gfx11 && !instruction.idxen) format |= 3u << 28;
    set(base, to | std::uint64_t{instruction.idxen ? stride : 0} << 48);
    scalar[base + 2] = instruction.idxen ? records / stride : records;
    scalar[base + 3] = selects | format;
  } else {
    set(base, instruction.format == Scratch ? gap : to);
  }
  scalar[m0] = 256;
  scalar[exec] = static_cast<std::uint32_t>(on);
  scalar[exec + 1] = static_cast<std::uint32_t>(on >> 32);

  const bool with_base = instruction.base.where == isa::Where::Sgpr;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const std::uint32_t own = lane * 64;
    std::uint64_t address = own;
    if (instruction.format == Flat || (instruction.format == Global && !with_base))
      address = to + own;
    if (instruction.format == Scratch) address = lane % 4 * 16;
    if (instruction.idxen) address = lane | std::uint64_t{16} << 32;
    if (instruction.src[0].where != isa::Where::Vgpr) continue;
    image[vector * lanes + lane] = static_cast<std::uint32_t>(address);
    if (instruction.format != Ds && instruction.format != Scratch)
      image[(vector + 1) * lanes + lane] = static_cast<std::uint32_t>(address >> 32);
  }
}

Outcome Accesses::run(const Contents& contents) {
  std::ranges::copy(contents.memory, data);
  std::ranges::copy(contents.lds, before);
  std::ranges::copy(contents.scratch, before + lds_bytes);
  outcome = {};
  const code::Kernel* kernel = module->object().find_kernel("access");
  std::vector<std::byte> kernarg(kernel->kernarg_size);
  const void* const arguments[] = {image, before, offset};
  for (std::size_t i = 0; i < std::size(arguments); ++i)
    std::memcpy(kernarg.data() + kernel->arguments.at(i).offset, &arguments[i], 8);
  engine.run({.module = module,
              .kernel = kernel,
              .grid = {lanes, 1, 1},
              .block = {lanes, 1, 1},
              .kernarg = kernarg,
              .observers = {this}});
  std::copy_n(data, window, outcome.left.memory.begin());
  std::copy_n(after, lds_bytes, outcome.left.lds.begin());
  outcome.left.scratch.assign(after + lds_bytes, after + lds_bytes + scratch_bytes * lanes);
  return outcome;
}

void Accesses::check() {
  const Outcome first = run(contents);
  Contents read = nothing(), written = nothing();  // not zero: was told of
  bool any = false;
  for (const Told& told : first.told)
    for (const auto& [lane, bytes] : told.of_lane) {
      EXPECT_TRUE(on >> lane & 1) << "lane " << lane << " is off";
      for (const Byte& byte : bytes) {
        any = true;
        if (told.does != MemoryAccess::Does::Store) at(read, byte) = 1;
        if (told.does != MemoryAccess::Does::Load) at(written, byte) = 1;
      }
    }
  EXPECT_TRUE(any) << "nothing was told";

  // What was not told of has no effect, and stays; what is written does not depend on what was.
  Contents other = contents;
  for (auto part : parts)
    for (std::size_t i = 0; i < (other.*part).size(); ++i)
      if (!(read.*part)[i]) (other.*part)[i] ^= 0xff;
  const Outcome second = run(other);
  EXPECT_EQ(second.written, first.written) << "something was read that was not told of";
  unsigned strange = 0, kept = 0;
  for (auto part : parts)
    for (std::size_t i = 0; i < (other.*part).size(); ++i) {
      const auto was = (contents.*part)[i], left = (first.left.*part)[i];
      const auto other_was = (other.*part)[i], other_left = (second.left.*part)[i];
      if (!(written.*part)[i])
        strange += left != was || other_left != other_was;
      else if (!(read.*part)[i])
        kept += left != other_left;
    }
  EXPECT_EQ(strange, 0u) << "bytes were written that were not told of";
  EXPECT_EQ(kept, 0u) << "bytes were told of, but not written";

  // What was told to be read is.
  const auto came_of = [&](const Outcome& result, unsigned lane) {
    std::vector<std::uint64_t> all;
    for (const Register& r : result.written)
      if (r.mask >> lane & 1) all.push_back(r.values.at(r.values.size() > 1 ? lane : 0));
    return all;
  };
  const bool returns = !first.written.empty();
  const MemoryAccess& row = instruction.row->memory;
  for (std::size_t i = 0; i < first.told.size(); ++i) {
    const Told& told = first.told[i];
    if (told.does == MemoryAccess::Does::Store) continue;
    if (told.does == MemoryAccess::Does::Atomic && !returns) continue;
    // A format's first byte always counts.
    std::set<unsigned> tried{0};
    if (!row.formatted()) tried.insert({told.bytes / 2, told.bytes - 1});
    for (const unsigned k : tried) {
      Contents changed = contents;
      std::set<Byte> bytes;
      for (const auto& [lane, all] : told.of_lane)
        if (k < all.size()) bytes.insert(all[k]);
      for (const Byte& byte : bytes) at(changed, byte) ^= 0xff;
      const Outcome third = run(changed);
      // Lanes exchange what they read, or come one after the other to the same bytes.
      if (row.layout == MemoryAccess::Layout::Transposed ||
          (row.atomic() && bytes.size() < told.of_lane.size())) {
        EXPECT_NE(third.written, first.written) << "byte " << k << " was not read";
        continue;
      }
      unsigned unmoved = 0;
      for (const auto& [lane, all] : told.of_lane) {
        if (k >= all.size()) continue;
        unmoved += returns
                       ? came_of(third, lane) == came_of(first, lane)
                       : third.left.lds == first.left.lds && third.left.memory == changed.memory;
      }
      EXPECT_EQ(unmoved, 0u) << "byte " << k << " of access " << i << " was not read";
    }
  }
}

TEST_P(Accesses, AreToldAsTheyAre) {
  std::string text = read_text(target.file);
  const auto find_word = [&](std::uint32_t wanted) {
    for (std::size_t at = 0; at + 4 <= text.size(); at += 4)
      if (!std::memcmp(text.data() + at, &wanted, 4)) return at;
    ADD_FAILURE() << "no " << wanted;
    return std::size_t{0};
  };
  const std::uintptr_t to = reinterpret_cast<std::uintptr_t>(after);
  const std::uint32_t low = static_cast<std::uint32_t>(to),
                      high = static_cast<std::uint32_t>(to >> 32);
  std::memcpy(text.data() + find_word(left_low), &low, 4);
  std::memcpy(text.data() + find_word(left_high), &high, 4);
  const std::size_t begin = find_word(mark) + 4, end = find_word(end_mark);
  ASSERT_EQ(begin + slots * slot_words * 4, end);

  contents.scratch.resize(scratch_bytes * lanes);
  for (auto part : parts)
    std::ranges::generate(contents.*part, [&] { return static_cast<std::uint8_t>(random()); });

  struct Case {
    Opcode opcode;
    std::vector<std::uint32_t> words, image;
    isa::Instruction instruction;
  };
  std::vector<Case> cases;
  for (const Opcode& opcode : opcodes(target.processor)) {
    const isa::Row& row = isa::row_of(opcode.name);
    if (!opcode.implemented || row.kind != isa::Kind::Memory) continue;
    Case one{opcode, opcode.words, {}, {}};
    set_operands(one.words);
    one.instruction = instruction;
    one.image.assign(image, image + vectors * lanes + 128);
    std::size_t at = begin + cases.size() * slot_words * 4;
    std::memcpy(text.data() + at, one.words.data(), one.words.size() * 4);
    at += one.words.size() * 4;
    const std::uint32_t jump = 0xbf820000;  // s_branch; 0xbfa00000 from GFX11 on
    const std::uint32_t branch = (decoder.gfx() < isa::Gfx::Gfx11 ? jump : 0xbfa00000) |
                                 static_cast<std::uint32_t>((end - at - 4) / 4);
    std::memcpy(text.data() + at, &branch, 4);
    cases.push_back(one);
  }
  ASSERT_GT(cases.size(), 100u);
  ASSERT_LE(cases.size(), slots);
  module = Module::load(code::CodeObject::read(std::as_bytes(std::span(text)), target.file),
                        engine.memory());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].opcode.mnemonic + ": " + decoder.text(cases[i].instruction));
    instruction = cases[i].instruction;
    std::ranges::copy(cases[i].image, image);
    *offset = static_cast<std::uint32_t>(i * slot_words * 4);
    try {
      check();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    , Accesses,
    testing::Values(Target{"mi210", "gfx90a", HIPSIGHT_ACCESSES_gfx90a, 64},
                    Target{"mi300x", "gfx942", HIPSIGHT_ACCESSES_gfx942, 64},
                    Target{"mi355x", "gfx950", HIPSIGHT_ACCESSES_gfx950, 64},
                    Target{"rx7900xtx", "gfx1100", HIPSIGHT_ACCESSES_gfx1100, 32},
                    Target{"rx7900xtx", "gfx1100", HIPSIGHT_ACCESSES_gfx1100_wave64, 64},
                    Target{"rx9070xt", "gfx1201", HIPSIGHT_ACCESSES_gfx1201, 32},
                    Target{"rx9070xt", "gfx1201", HIPSIGHT_ACCESSES_gfx1201_wave64, 64}));

}  // namespace
}  // namespace hipsight::engine
