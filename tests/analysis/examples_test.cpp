// The examples' kernels, as clang optimizes them for every GPU, against what LLVM says they take.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "analysis/live_registers.h"
#include "code/fat_binary.h"

namespace hipsight::analysis {
namespace {

using File = isa::VectorRegisters::File;

/// One more than the highest register of a file that a listing names; 0: it names none.
unsigned highest(const Listing& listing, File file) {
  const isa::RegisterUses uses(listing.processor);
  unsigned most = 0;
  for (const Listing::Line& line : listing.lines) {
    const isa::RegisterUse use = uses.of(line.instruction);
    for (unsigned i = most; i < isa::VectorRegisters::per_file; ++i)
      if (use.reads.has(file, i) || use.writes.has(file, i)) most = i + 1;
  }
  return most;
}

void check(const code::Kernel& kernel, const Listing& listing) {
  // LLVM's count is of the registers up to the highest one that code names.
  const unsigned vgprs = kernel.vgprs - kernel.agprs;
  ASSERT_FALSE(listing.leaves);
  EXPECT_EQ(highest(listing, File::Agpr), kernel.agprs);
  if (kernel.agprs == 0) EXPECT_EQ(std::max(highest(listing, File::Vgpr), 1u), vgprs);

  const LiveRegisters live = live_registers(listing, vgprs);
  EXPECT_LE(live.most().vgprs, vgprs);
  EXPECT_LE(live.most().agprs, kernel.agprs);
  // It gives out the lowest ones that are free. What is left between are gaps before pairs and
  // quadruples, of which a kernel with few registers has more: 4 of 6 are the least here. With many
  // the gaps hardly count, 42 of 50, but where most values are quadruples: 84 of 120 (sgemm_steps).
  const double share = double(live.most().both()) / kernel.vgprs;
  EXPECT_GE(share, kernel.vgprs < 40 ? 0.6 : 0.7);
}

TEST(Examples, TakeHardlyMoreRegistersThanAreLive) {
  unsigned kernels = 0;
  for (const auto& entry : std::filesystem::directory_iterator(EXAMPLES)) {
    if (!entry.is_regular_file() || entry.path().has_extension()) continue;
    const std::string path = entry.path();
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> content(std::istreambuf_iterator<char>(file), {});
    const auto bundles = code::find_fat_binaries(std::as_bytes(std::span(content)), path);
    for (const auto& bundle : bundles) {
      const code::FatBinary fat = code::FatBinary::open(bundle, path);
      for (const code::Image& image : fat.images) {
        const auto object = code::CodeObject::read(image.elf, path);
        for (const code::Kernel& kernel : object->kernels()) {
          SCOPED_TRACE(fmt::format("{} of {} for {}", kernel.name, path, image.target.processor));
          check(kernel, listing(*object, kernel));
          ++kernels;
        }
      }
    }
  }
  EXPECT_GT(kernels, 50u);
}

}  // namespace
}  // namespace hipsight::analysis
