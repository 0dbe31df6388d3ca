#include "code/target.h"

#include <gtest/gtest.h>
#include <llvm/TargetParser/TargetParser.h>

#include <map>
#include <set>

#include "files.h"

namespace hipsight::code {
namespace {

using testing::error_of;

TEST(Target, reads_and_writes_target_ids) {
  Target target = Target::parse("gfx90a:xnack-:sramecc+");
  EXPECT_EQ(target.processor, "gfx90a");
  EXPECT_EQ(target.xnack, Feature::Off);
  EXPECT_EQ(target.sramecc, Feature::On);
  for (const char* text : {"gfx942", "gfx90a:sramecc+:xnack-", "gfx942:xnack+", "gfx9-4-generic",
                           "gfx906:sramecc-", "gfx11-generic"})
    EXPECT_EQ(Target::parse(text).text(), text);
}

TEST(Target, names_the_text_that_is_no_target_id) {
  for (const char* text :
       {"", "gfx", "sm_90", "gfx942:", "gfx942:xnack", "gfx942:xnack+:xnack-", "gfx942::xnack+",
        "gfx942:wave64+", "gfx942:+", "gfx942:xnack+:", ":xnack+", "gfx 942", "GFX942"}) {
    std::string error = error_of([&] { Target::parse(text); });
    EXPECT_NE(error.find('"' + std::string(text) + '"'), std::string::npos)
        << text << ": " << error;
  }
}

bool runs(const char* code, const char* device) {
  return Target::parse(code).runs_on(Target::parse(device));
}

TEST(Target, stated_features_must_agree) {
  EXPECT_TRUE(runs("gfx90a", "gfx90a:sramecc+:xnack-"));
  EXPECT_TRUE(runs("gfx90a:xnack-", "gfx90a:sramecc+:xnack-"));
  EXPECT_TRUE(runs("gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"));
  EXPECT_FALSE(runs("gfx90a:xnack+", "gfx90a:sramecc+:xnack-"));
  EXPECT_FALSE(runs("gfx90a:sramecc-:xnack-", "gfx90a:sramecc+:xnack-"));
  EXPECT_FALSE(runs("gfx90a:xnack+", "gfx90a"));
  EXPECT_FALSE(runs("gfx942", "gfx90a"));
  EXPECT_FALSE(runs("gfx9-4-generic:xnack+", "gfx942:sramecc+:xnack-"));
}

TEST(Target, generic_processors_cover_what_LLVM_documents) {
  // LLVM 22 AMDGPUUsage, table of generic processors.
  const std::map<std::string, std::set<std::string>> documented = {
      {"gfx9-generic", {"gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"}},
      {"gfx9-4-generic", {"gfx942", "gfx950"}},
      {"gfx10-1-generic", {"gfx1010", "gfx1011", "gfx1012", "gfx1013"}},
      {"gfx10-3-generic",
       {"gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"}},
      {"gfx11-generic",
       {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"}},
      {"gfx12-generic", {"gfx1200", "gfx1201"}}};
  // Every processor that this LLVM knows is covered just where the table says.
  llvm::SmallVector<llvm::StringRef> processors;
  llvm::AMDGPU::fillValidArchListAMDGCN(processors);
  ASSERT_GT(processors.size(), 50u);
  for (llvm::StringRef processor : processors)
    for (const auto& [generic, covered] : documented)
      if (processor.starts_with("gfx") && !processor.ends_with("generic"))
        EXPECT_EQ(runs(generic.c_str(), processor.str().c_str()), covered.contains(processor.str()))
            << generic << " " << processor.str();
  EXPECT_FALSE(runs("gfx1100", "gfx11-generic"));
}

TEST(Target, has_sram_ecc_where_LLVM_says) {
  llvm::SmallVector<llvm::StringRef> processors;
  llvm::AMDGPU::fillValidArchListAMDGCN(processors);
  for (const llvm::StringRef processor : processors) {
    if (!processor.starts_with("gfx")) continue;
    const auto kind = llvm::AMDGPU::parseArchAMDGCN(processor);
    const bool can = llvm::AMDGPU::getArchAttrAMDGCN(kind) & llvm::AMDGPU::FEATURE_SRAMECC;
    EXPECT_EQ(Target::parse(processor.str()).has_sram_ecc(), can) << processor.str();
  }
  EXPECT_TRUE(Target::parse("gfx942:sramecc+").has_sram_ecc());
  EXPECT_FALSE(Target::parse("gfx942:sramecc-").has_sram_ecc());
  EXPECT_TRUE(Target::parse("gfx942:xnack-").has_sram_ecc());
}

}  // namespace
}  // namespace hipsight::code
