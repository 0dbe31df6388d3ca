// Wait counters, on what the compiler makes of the examples for every GPU: it knows the rules, so
// nothing may be found there; and where one of its waits is left out, something should be.
#include "analysis/under_way.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "analysis/listing.h"
#include "code/fat_binary.h"

namespace hipsight::analysis {
namespace {

/// What is used too early on any path, without the wait at line `left_out`.
std::vector<EarlyUse> early_uses(const Listing& listing, std::size_t left_out, bool first_only) {
  constexpr std::size_t most_states = 100'000;
  const unsigned lanes = listing.processor.starts_with("gfx9") ? 64 : 32;
  std::vector<EarlyUse> found;
  std::set<std::pair<std::size_t, std::string>> seen;
  std::vector<std::pair<std::size_t, UnderWay>> left{{listing.entry, {}}};
  while (!left.empty() && seen.size() < most_states && !(first_only && !found.empty())) {
    auto [at, state] = std::move(left.back());
    left.pop_back();
    // Lines from which control only goes on need not be told apart.
    for (bool goes_on = true; goes_on && at != Listing::nowhere;) {
      const Listing::Line& line = listing.lines[at];
      if (at != left_out) state.run(line.instruction, lanes, found);
      goes_on = line.target == Listing::nowhere;
      if (goes_on) {
        at = line.next;
        continue;
      }
      for (const std::size_t next : {line.next, line.target})
        if (next != Listing::nowhere && seen.insert({next, state.key()}).second)
          left.emplace_back(next, state);
    }
  }
  EXPECT_LT(seen.size(), most_states);
  return found;
}

struct Kernel {
  std::string name;
  Listing listing;
};

std::vector<Kernel> kernels_of(const std::string& example) {
  std::vector<Kernel> all;
  const std::string path = std::string(EXAMPLES) + "/" + example;
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> content(std::istreambuf_iterator<char>(file), {});
  for (const auto& bundle : code::find_fat_binaries(std::as_bytes(std::span(content)), path))
    for (const code::Image& image : code::FatBinary::open(bundle, path).images) {
      const auto object = code::CodeObject::read(image.elf, path);
      for (const code::Kernel& kernel : object->kernels()) {
        Listing lines = listing(*object, kernel);
        if (!lines.leaves)
          all.push_back({fmt::format("{} {}", kernel.name, lines.processor), std::move(lines)});
      }
    }
  return all;
}

TEST(UnderWay, NothingIsUsedTooEarlyInWhatTheCompilerMakes) {
  unsigned kernels = 0;
  for (const char* example : {"saxpy", "sgemm", "gemm", "flash_attention", "transpose", "histogram",
                              "scan", "softmax", "reduction", "rmsnorm", "router"})
    for (const Kernel& kernel : kernels_of(example)) {
      ++kernels;
      for (const EarlyUse& use : early_uses(kernel.listing, Listing::nowhere, false))
        ADD_FAILURE() << fmt::format("{}: {:#x} uses what {:#x} brings", kernel.name,
                                     use.by->address, use.of->address);
    }
  EXPECT_GE(kernels, 50u);
}

/// A mutation harness: each wait of a correct kernel is left out in turn. Those that are not found
/// guard no register: stores before a barrier, and what the next wait covers as well.
TEST(UnderWay, MostWaitsThatAreLeftOutAreMissed) {
  unsigned waits = 0, missed = 0;
  for (const char* example : {"saxpy", "transpose", "scan", "softmax", "reduction", "rmsnorm"})
    for (const Kernel& kernel : kernels_of(example))
      for (std::size_t i = 0; i < kernel.listing.lines.size(); ++i) {
        const isa::Wait wait = isa::wait_of(kernel.listing.lines[i].instruction);
        if (wait == isa::Wait{}) continue;
        ++waits;
        missed += !early_uses(kernel.listing, i, true).empty();
      }
  EXPECT_GE(waits, 300u);
  EXPECT_GE(double(missed) / waits, 0.9) << missed << " of " << waits;
}

}  // namespace
}  // namespace hipsight::analysis
