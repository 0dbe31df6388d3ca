#include "validation/variants/variants.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "timing/recording.h"
#include "validation/csv.h"
#include "validation/recordings.h"

namespace hipsight::bench {
namespace {

namespace fs = std::filesystem;
const fs::path folder = fs::path(HIPSIGHT_VALIDATION) / "variants";

struct Variant {
  std::string name;
  double seconds;  ///< measured
};
struct Study {
  std::string name, gpu;
  std::vector<Variant> variants;
};

/// Where the programs of a study are built.
fs::path work_folder(const std::string& study) {
  const fs::path made = programs() / study;
  fs::create_directories(made);
  return made;
}
std::string hipcc(const std::string& target) {
  return fmt::format("{}/hipcc -w -O3 -std=c++17 --offload-arch={}",
                     programs().parent_path().string(), target);
}

/// As build.sh of seb-v/fp32_sgemm_amd builds them: three of the kernels are assembly.
std::vector<std::string> record_sgemm(const Study& study, const fs::path& source) {
  const fs::path work = work_folder(study.name), src = fs::absolute(source) / "src";
  const std::string compiler = hipcc("gfx1100");
  std::string objects;
  for (const fs::path& file : fs::directory_iterator(src)) {
    const std::string name = file.stem().string();
    if (!name.starts_with("kernel") || name.starts_with("kernel0")) continue;  // 0 is rocBLAS
    const std::string out = (work / name).string();
    if (file.extension() == ".cpp") {
      const char* mode = name.starts_with("kernel5") ? "-mcumode" : "";
      run_command(fmt::format("{} {} -c {} -o {}.o", compiler, mode, file.string(), out));
      objects += out + ".o ";
    } else if (file.extension() == ".s" && !name.ends_with("_reference")) {
      run_command(fmt::format("clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx1100 -c {} -o {}.elf",
                              file.string(), out));
      run_command(fmt::format("ld.lld-22 -shared {}.elf -o {}/{}.hsaco", out, work.string(),
                              name.substr(0, name.find('_'))));
    }
  }
  run_command(fmt::format("{} -I{} {}/sgemm.hip {} -o {}/sgemm", compiler, src.string(),
                          folder.string(), objects, work.string()));
  std::vector<std::string> recordings;
  for (const Variant& variant : study.variants)
    recordings.push_back(record(study.gpu, "", "./sgemm " + variant.name, work));
  return recordings;
}

/// What stands behind a word in a variant's name, "m=" say; 0 if it is not there.
unsigned number_after(const Variant& variant, std::string_view word) {
  const auto at = variant.name.find(word);
  return at == variant.name.npos ? 0 : unsigned(std::stoul(variant.name.substr(at + word.size())));
}
/// The edge of the Laplacian's cube.
unsigned edge_of(const Variant& variant) {
  const unsigned n = number_after(variant, "n=");
  return n ? n : 512;
}

/// amd/amd-lab-notes' kernels, "3 m=8" being kernel3.hpp with tiles of 8, "nt" the change that the
/// text makes to kernel 1, "z=8" workgroups of 128 x 8, not of 256.
std::vector<std::string> record_laplacian(const Study& study, const fs::path& source) {
  const fs::path work = work_folder(study.name);
  std::vector<std::string> recordings;
  for (const Variant& variant : study.variants) {
    std::ifstream in(source / "finite-difference/examples" /
                     fmt::format("kernel{}.hpp", variant.name.at(0)));
    std::ostringstream text;
    if (!(text << in.rdbuf())) throw std::runtime_error("no kernels in " + source.string());
    std::string header = text.str();
    const auto define = [&](const std::string& name, unsigned value) {
      if (value)
        header = std::regex_replace(header, std::regex("#define " + name + " [0-9]+"),
                                    fmt::format("#define {} {}", name, value));
    };
    const unsigned z = number_after(variant, "z=");
    define("m", number_after(variant, "m="));
    define("LB", 128 * z);
    if (variant.name.ends_with("nt"))
      header = std::regex_replace(header, std::regex(R"(f\[pos\] = ([^;]*);)"),
                                  "__builtin_nontemporal_store($1, &f[pos]);");
    std::ofstream(work / "kernel.hpp") << header;
    run_command(fmt::format("{} -include {}/kernel.hpp {}/laplacian.hip -o {}/laplacian",
                            hipcc("gfx90a"), work.string(), folder.string(), work.string()));
    recordings.push_back(record(study.gpu, "--kernel laplacian",
                                fmt::format("{}/laplacian {} {} {}", work.string(),
                                            edge_of(variant), z ? 128 : 256, z ? z : 1)));
  }
  return recordings;
}

/// What a kernel must do: bytes that move at least, and operations.
struct Work {
  double bytes, operations;
  const char* type;
  unsigned launches;
};
Work work_of(const Study& study, const Variant& variant) {
  if (study.name == "sgemm") return {3 * 4096. * 4096 * 4, 2 * std::pow(4096., 3), "f32", 1};
  const double n = edge_of(variant), inside = std::pow(n - 2, 3);
  // The seventh kernel does a quarter of the cube at a time.
  const unsigned launches = variant.name.starts_with("7") ? 4 : 1;
  return {8 * (n * n * n + inside), 10 * inside, "f64", launches};
}

Point point(const Study& study, const Variant& variant, const std::string& recording) {
  const auto known = timing::read(recording);
  const gpus::Gpu& gpu = known->gpu;
  const timing::Prediction prediction = known->predict({.more_waves = false});
  const Work work = work_of(study, variant);
  const double compute = work.operations / (gpu.rate(work.type)->vector.value() *
                                            gpu.compute_units * gpu.clock_ghz * 1e9);
  const double measured = gpu.dram_gb_per_s_measured.value_or(0.8 * gpu.dram_gb_per_s);
  Point p{.gpu = study.gpu,
          .kernel = variant.name,
          .shape = "",
          .measured = work.bytes / variant.seconds,
          .predicted = work.bytes / (prediction.seconds * work.launches),
          .family = study.name,
          .model_family = std::string(prediction.family)};
  p.specified_roof = work.bytes / std::max(compute, work.bytes / (gpu.dram_gb_per_s * 1e9));
  p.measured_roof = work.bytes / std::max(compute, work.bytes / (measured * 1e9));
  return p;
}

}  // namespace

std::vector<Point> variant_points(const VariantSources& sources) {
  std::map<std::string, Study> studies;
  for (const auto& row : read_table("variants/variants.csv").rows) {
    Study& study = studies.try_emplace(row[0], Study{row[0], row[1], {}}).first->second;
    study.variants.push_back({row[2], std::stod(row[3]) * 1e-3});
  }
  std::vector<Point> points;
  for (const auto& [name, study] : studies) {
    const fs::path file = folder / (name + ".zst");
    if (name == "sgemm" && !sources.sgemm.empty()) pack(file, record_sgemm(study, sources.sgemm));
    if (name == "laplacian" && !sources.laplacian.empty())
      pack(file, record_laplacian(study, sources.laplacian));
    const std::vector<std::string> recordings = unpack(file);
    if (recordings.size() != study.variants.size())
      throw std::runtime_error(fmt::format("{}: {} recordings of {} variants", file.string(),
                                           recordings.size(), study.variants.size()));
    for (std::size_t i = 0; i < recordings.size(); ++i)
      points.push_back(point(study, study.variants[i], recordings[i]));
  }
  return points;
}

}  // namespace hipsight::bench
