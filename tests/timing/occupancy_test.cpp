#include "timing/occupancy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include "support/error.h"

namespace hipsight::timing {
namespace {

// What LLVM's remarks say of one kernel.
struct Remark {
  std::string name;
  unsigned sgprs = 0, vgprs = 0, agprs = 0, lds = 0, occupancy = 0;
};

std::string run(const std::string& command) {
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string output;
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe.get())) > 0;)
    output.append(buffer, n);
  return output;
}

std::vector<Remark> remarks(const std::string& source, const std::string& flags) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("occupancy{}", getpid());
  std::filesystem::create_directories(folder);
  const auto file = folder / "kernels.hip";
  std::ofstream(file) << source;
  const std::string output = run(
      fmt::format("{} -x hip -nogpuinc -nogpulib --offload-device-only {} -O2 -c {} -o {}/out.o "
                  "-Rpass-analysis=kernel-resource-usage 2>&1",
                  HIPSIGHT_DEVICE_CLANG, flags, file.string(), folder.string()));
  std::filesystem::remove_all(folder);

  std::vector<Remark> kernels;
  const std::regex line("remark: +([A-Za-z ]+?)(?: \\[[^\\]]*\\])?: ([^ \\n]+)");
  for (std::sregex_iterator it(output.begin(), output.end(), line), end; it != end; ++it) {
    const std::string key = (*it)[1], value = (*it)[2];
    if (key == "Function Name") {
      kernels.push_back({value});
      continue;
    }
    if (kernels.empty()) continue;
    Remark& kernel = kernels.back();
    for (auto [name, field] : {std::pair{"TotalSGPRs", &Remark::sgprs},
                               {"VGPRs", &Remark::vgprs},
                               {"AGPRs", &Remark::agprs},
                               {"LDS Size", &Remark::lds},
                               {"Occupancy", &Remark::occupancy}})
      if (key == name) kernel.*field = std::stoul(value);
  }
  EXPECT_FALSE(kernels.empty()) << output;
  return kernels;
}

// A kernel of this workgroup size (kept in its name), with code or inline assembly that takes
// registers or LDS.
std::string kernel(unsigned index, unsigned workgroup, const std::string& body) {
  return fmt::format(
      "extern \"C\" __attribute__((global, amdgpu_flat_work_group_size({0}, {0})))\n"
      "void k{1}_{0}(int* p) {{ {2} *p = 1; }}\n",
      workgroup, index, body);
}

std::string clobber(char file, unsigned registers) {
  return fmt::format("asm volatile(\"\" ::: \"{}{}\");", file, registers - 1);
}

std::string use_lds(unsigned bytes) {
  return fmt::format(
      "__attribute__((shared)) static char s[{}];"
      "asm volatile(\"\" :: \"v\"((__attribute__((address_space(3))) char*)s) : \"memory\");",
      bytes);
}

std::string kernels_for(bool cdna, unsigned lds_limit) {
  std::string source;
  unsigned index = 0;
  for (unsigned n :
       {8,   23,  24,  25,  32,  33,  40,  48,  56,  64,  72,  73,  80,  84,  85,  96, 97,
        100, 120, 121, 128, 129, 144, 160, 168, 170, 171, 192, 193, 216, 240, 255, 256})
    source += kernel(index++, 64, clobber('v', n));
  for (unsigned n : {40, 64, 96}) {
    source += kernel(index++, 192, clobber('v', n));
    source += kernel(index++, 512, clobber('v', n));
  }
  for (unsigned n : {16, 80, 81, 88, 94, 95, 96, 97, 100, 102})
    source += kernel(index++, 256, clobber('s', n));
  if (cdna) {
    for (unsigned v : {16, 61, 128, 250})
      for (unsigned a : {1, 64, 100, 256})
        source += kernel(index++, 256, clobber('v', v) + clobber('a', a));
  }
  for (unsigned workgroup : {1, 32, 64, 65, 96, 128, 192, 256, 320, 512, 768, 1024}) {
    source += kernel(index++, workgroup, "");
    for (unsigned bytes : {1, 500, 1024, 1600, 3000, 4096, 8192, 10000, 16384, 20000, 24000, 32768,
                           33000, 40000, 65536, 81920, 100000, 163840})
      if (bytes <= lds_limit) source += kernel(index++, workgroup, use_lds(bytes));
  }
  return source;
}

struct Target {
  const char *gpu, *flags;
  unsigned wavefront;
  bool wgp;
};
void PrintTo(const Target& target, std::ostream* out) {
  *out << target.gpu << target.flags;
}

class OccupancyOf : public testing::TestWithParam<Target> {};

// Every kernel's figure must be LLVM's own.
TEST_P(OccupancyOf, equals_the_remark_of_llvm) {
  const Target& target = GetParam();
  const gpus::Gpu gpu = gpus::find(target.gpu);
  const bool cdna = gpu.cus_per_wgp == 1;
  const auto flags = fmt::format("--offload-arch={}{}", gpu.processor, target.flags);
  const auto kernels = remarks(kernels_for(cdna, gpu.max_lds_per_workgroup), flags);
  ASSERT_GT(kernels.size(), 200u);
  unsigned seen[17] = {};
  for (const Remark& kernel : kernels) {
    Resources resources;
    resources.vgprs = kernel.agprs ? (kernel.vgprs + 3) / 4 * 4 + kernel.agprs : kernel.vgprs;
    resources.sgprs = kernel.sgprs;
    resources.lds_bytes = kernel.lds;
    resources.workgroup_size = std::stoul(kernel.name.substr(kernel.name.find('_') + 1));
    resources.wavefront_size = target.wavefront;
    resources.wgp_mode = target.wgp;
    const Occupancy result = occupancy(gpu, resources);
    EXPECT_EQ(result.compiler_waves_per_simd, kernel.occupancy)
        << kernel.name << " VGPRs " << kernel.vgprs << " AGPRs " << kernel.agprs << " SGPRs "
        << kernel.sgprs << " LDS " << kernel.lds;
    // Whole workgroups and granules only take away (a part of a wave rounds LLVM's figure up).
    EXPECT_LE(result.waves_per_simd(), kernel.occupancy) << kernel.name;
    ++seen[std::min(kernel.occupancy, 16u)];
  }
  EXPECT_GT(std::count_if(std::begin(seen), std::end(seen), [](unsigned n) { return n > 0; }), 5);
}

INSTANTIATE_TEST_SUITE_P(
    Targets, OccupancyOf,
    testing::Values(Target{"mi210", "", 64, false}, Target{"mi300x", "", 64, false},
                    Target{"mi355x", "", 64, false}, Target{"rx7900xtx", "", 32, true},
                    Target{"rx7900xtx", " -mcumode", 32, false},
                    Target{"rx7900xtx", " -mwavefrontsize64", 64, true},
                    Target{"strix_halo", "", 32, true}, Target{"rx9070xt", "", 32, true},
                    Target{"rx9070xt", " -mwavefrontsize64", 64, true}));

Resources resources(unsigned vgprs, unsigned lds, unsigned workgroup, unsigned wavefront = 64) {
  Resources need;
  need.vgprs = vgprs;
  need.lds_bytes = lds;
  need.workgroup_size = workgroup;
  need.wavefront_size = wavefront;
  return need;
}

// By hand: 96 VGPRs leave 5 waves to a SIMD, 20 to a compute unit; workgroups of 8 waves: two.
TEST(Occupancy, counts_whole_workgroups) {
  const Occupancy result = occupancy(gpus::find("mi300x"), resources(96, 0, 512));
  EXPECT_EQ(result.workgroups, 2u);
  EXPECT_EQ(result.waves_per_simd(), 4);
  EXPECT_EQ(result.compiler_waves_per_simd, 5u);
  EXPECT_EQ(result.limiter, Limiter::Vgprs);
}

TEST(Occupancy, names_the_limiter) {
  const gpus::Gpu gpu = gpus::find("mi300x");
  EXPECT_EQ(occupancy(gpu, resources(32, 0, 256)).limiter, Limiter::WaveSlots);
  EXPECT_EQ(occupancy(gpu, resources(128, 0, 256)).limiter, Limiter::Vgprs);
  EXPECT_EQ(occupancy(gpu, resources(32, 32768, 256)).limiter, Limiter::Lds);
  EXPECT_EQ(occupancy(gpu, resources(32, 0, 192)).limiter, Limiter::WorkgroupSize);
  EXPECT_EQ(occupancy(gpu, resources(32, 0, 65)).limiter, Limiter::WaveSlots);
  // RDNA in CU mode: 32 wave slots, 16 workgroups of two waves fill them.
  EXPECT_EQ(occupancy(gpus::find("rx7900xtx"), resources(32, 0, 64, 32)).limiter,
            Limiter::WaveSlots);
}

// 512 VGPRs of a SIMD, given out eight at a time: 512 / 5 waves is 102.4.
TEST(Occupancy, says_how_many_vgprs_would_do_for_more) {
  const gpus::Gpu gpu = gpus::find("mi300x");
  const auto more = with_fewer_vgprs(gpu, resources(128, 0, 256));
  ASSERT_TRUE(more);
  EXPECT_EQ(more->vgprs, 96u);
  EXPECT_EQ(more->occupancy.waves_per_simd(), 5);
  EXPECT_EQ(occupancy(gpu, resources(97, 0, 256)).waves_per_simd(), 4);
  // Eight waves at once: the next step is two of them to a SIMD more.
  EXPECT_EQ(with_fewer_vgprs(gpu, resources(96, 0, 512))->vgprs, 80u);
  EXPECT_EQ(with_fewer_vgprs(gpu, resources(96, 0, 512))->occupancy.waves_per_simd(), 6);
  EXPECT_EQ(with_fewer_vgprs(gpu, resources(256, 0, 1024))->vgprs, 128u);  // now none fits
  // RDNA3 in wave64: 768 VGPRs of a SIMD in 24s of wave32 lanes; half of both for 64.
  EXPECT_EQ(with_fewer_vgprs(gpus::find("rx7900xtx"), resources(100, 0, 64, 64))->vgprs, 96u);
  // Nothing limits it, or something else; or LDS would as soon as VGPRs did not.
  EXPECT_FALSE(with_fewer_vgprs(gpu, resources(32, 0, 256)));
  EXPECT_FALSE(with_fewer_vgprs(gpu, resources(32, 32768, 256)));
  EXPECT_FALSE(with_fewer_vgprs(gpu, resources(200, 32768, 256)));
}

// gfx950 hands LDS out in pieces of 1280 bytes: 160 KiB are 128 of them, so 10241 bytes take nine.
TEST(Occupancy, rounds_lds_to_its_granule) {
  EXPECT_EQ(occupancy(gpus::find("mi355x"), resources(32, 10240, 64)).workgroups, 16u);
  EXPECT_EQ(occupancy(gpus::find("mi355x"), resources(32, 10241, 64)).workgroups, 14u);
}

TEST(Occupancy, says_when_no_workgroup_fits) {
  const gpus::Gpu gpu = gpus::find("mi300x");
  const Occupancy lds = occupancy(gpu, resources(32, 65537, 64));
  EXPECT_EQ(lds.workgroups, 0u);
  EXPECT_EQ(text(lds), "not one workgroup fits, for LDS");
  EXPECT_EQ(text(occupancy(gpu, resources(256, 0, 1024))), "not one workgroup fits, for VGPRs");
  EXPECT_EQ(text(occupancy(gpu, resources(128, 0, 1024))),
            "4 of 8 waves per SIMD, limited by VGPRs");
  EXPECT_THROW(occupancy(gpu, resources(32, 0, 2048)), Exception);
  EXPECT_THROW(occupancy(gpu, resources(32, 0, 0)), Exception);
}

}  // namespace
}  // namespace hipsight::timing
