#include "validation/gemm/gemm.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Compression.h>
#include <llvm/Support/Error.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "timing/recording.h"
#include "validation/gemm/split.h"
#include "validation/profile_run.h"

namespace hipsight::bench {
namespace {

namespace fs = std::filesystem;
const fs::path folder = fs::path(HIPSIGHT_VALIDATION) / "gemm";

struct Object {
  std::string path, family, kernel;
  unsigned tile_m, tile_n;
};
struct Launch {
  std::string gpu;
  unsigned m, n, k, split_k, bias, out_bytes;
  double least, most;
};

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream bytes;
  if (!(bytes << in.rdbuf())) throw std::runtime_error("cannot read " + file.string());
  return bytes.str();
}

/// Recordings of one binary on one GPU, in the order of timings.csv: each with its length before
/// it, all compressed together. Lengths are eight bytes, the lowest first.
fs::path file_of(const std::string& gpu, const Object& object) {
  return folder / (gpu + "." + fs::path(object.path).stem().string() + ".zst");
}
std::vector<std::string> unpack(const fs::path& file) {
  const std::string packed = contents(file);
  llvm::SmallVector<std::uint8_t, 0> bytes;
  // The length of it all comes first.
  const auto number = [](const char* at) {
    std::uint64_t value = 0;
    for (int i = 8; i--;) value = value << 8 | static_cast<unsigned char>(at[i]);
    return value;
  };
  if (packed.size() < 8) throw std::runtime_error(file.string() + " is too short");
  if (llvm::Error error = llvm::compression::zstd::decompress(
          llvm::arrayRefFromStringRef(llvm::StringRef(packed).drop_front(8)), bytes,
          number(packed.data())))
    throw std::runtime_error(file.string() + ": " + llvm::toString(std::move(error)));
  const std::string_view all = llvm::toStringRef(bytes);
  std::vector<std::string> recordings;
  for (std::size_t at = 0; at + 8 <= all.size();) {
    const std::uint64_t length = number(all.data() + at);
    recordings.emplace_back(all.substr(at + 8, length));
    at += 8 + length;
  }
  return recordings;
}
void pack(const fs::path& file, const std::vector<std::string>& recordings) {
  const auto number = [](std::uint64_t value) {
    std::string bytes;
    for (int i = 0; i < 8; ++i, value >>= 8) bytes += static_cast<char>(value & 255);
    return bytes;
  };
  std::string all;
  for (const std::string& one : recordings) all += number(one.size()) + one;
  llvm::SmallVector<std::uint8_t, 0> packed;
  llvm::compression::zstd::compress(llvm::arrayRefFromStringRef(all), packed, 19);
  std::ofstream out(file, std::ios::binary);
  out << number(all.size()) << llvm::toStringRef(packed).str();
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::string record(const std::string& source, const Object& object, const Launch& l) {
  const fs::path build = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  const fs::path file = fs::temp_directory_path() / fmt::format("hipsight.{}.recording", getpid());
  const std::string command = fmt::format(
      "{0}/hipsight predict --gpu {1} --sampled-only --sample 1 --no-report --timeout 300 --record "
      "{2} -- {0}/bench/gemm_launch {3}/{4} {5} {6} {7} {8} {9} {10} {11} {12} {13} {14}",
      build.string(), l.gpu, file.string(), source, object.path, object.kernel, object.family, l.m,
      l.n, l.k, object.tile_m, object.tile_n, l.split_k, l.bias, l.out_bytes);
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error(fmt::format("'{}' failed", command));
  std::string bytes = contents(file);
  fs::remove(file);
  return bytes;
}

/// Clocks under sustained matrix load, GHz: ROCm blogs, measuring max-achievable FLOPs part 2 (1.2
/// to 1.55), and ROCm/aiter's timings.
const std::map<std::string, double> sustained_clock{
    {"mi300x", 1.4}, {"mi308x", 1.4}, {"mi355x", 1.55}};

/// The matrices' bytes, and what crosses to memory at least.
double bytes_of(const Object& object, const Launch& l) {
  const double in = object.family == "bf16" ? 2 : 1;
  return (double(l.m) + l.n) * l.k * in + double(l.m) * l.n * l.out_bytes;
}

/// aiter's tuners go round in 101 copies of the matrices (aiter/test_common.py): when those fit
/// into the MALL, they stay there.
timing::Caches caches_of(const gpus::Gpu& gpu, double bytes) {
  return 101 * bytes <= double(gpu.mall_bytes.value_or(0)) ? timing::Caches::InMall
                                                           : timing::Caches::Cold;
}

GemmPoint predict(const std::string& recording, const Object& object, const Launch& l) {
  const auto known = timing::read(recording);
  const gpus::Gpu& gpu = known->gpu;
  const double bytes = bytes_of(object, l);
  const timing::Prediction prediction = known->predict(caches_of(gpu, bytes), false);
  const double memory = gpu.dram_gb_per_s_measured.value_or(0.8 * gpu.dram_gb_per_s) * 1e9;
  // Partial sums of fp8 and i8 are added up in memory, which another kernel sets to zero before;
  // what was measured has it in.
  const bool zeroed = object.family != "bf16" && l.split_k > 1;
  const double zeroing =
      zeroed ? prediction.launch_seconds + double(l.m) * l.n * l.out_bytes / memory : 0;

  const gpus::Gpu::Rate* rate = gpu.rate(object.family);
  const double operations = 2.0 * l.m * l.n * l.k,
               each_ghz = rate->matrix.value_or(NAN) * gpu.compute_units * 1e9;
  GemmPoint p{.gpu = l.gpu,
              .family = object.family,
              .binary = fs::path(object.path).stem().string(),
              .fitted = is_fitted(object.path),
              .m = l.m,
              .n = l.n,
              .k = l.k,
              .split_k = l.split_k,
              .least = l.least * 1e-6,
              .most = l.most * 1e-6,
              .predicted = prediction.seconds + zeroing,
              .bound = prediction.bound,
              .model_family = std::string(prediction.family)};
  p.specified_roof =
      std::max(operations / (each_ghz * gpu.clock_ghz), bytes / (gpu.dram_gb_per_s * 1e9));
  p.achievable_roof =
      std::max(operations / (each_ghz * sustained_clock.at(gpu.name)), bytes / memory);
  p.launch_roof = p.achievable_roof + prediction.launch_seconds;
  return p;
}

}  // namespace

std::vector<GemmPoint> gemm_points(const std::string& source) {
  std::vector<Object> objects;
  for (const auto& row : read_table("gemm/objects.csv").rows)
    objects.push_back(
        {row[0], row[1], row[2], unsigned(std::stoul(row[3])), unsigned(std::stoul(row[4]))});
  std::map<std::pair<std::string, std::size_t>, std::vector<Launch>> launches;
  for (const auto& row : read_table("gemm/timings.csv").rows) {
    const auto number = [&](std::size_t i) { return unsigned(std::stoul(row[i])); };
    launches[{row[0], number(1)}].push_back({row[0], number(2), number(3), number(4), number(5),
                                             number(6), number(7), std::stod(row[8]),
                                             std::stod(row[9])});
  }
  std::vector<GemmPoint> points;
  for (const auto& [key, all] : launches) {
    const Object& object = objects.at(key.second);
    const fs::path file = file_of(key.first, object);
    std::vector<std::string> recordings;
    if (source.empty()) {
      recordings = unpack(file);
    } else {
      for (const Launch& launch : all) recordings.push_back(record(source, object, launch));
      pack(file, recordings);
    }
    if (recordings.size() != all.size())
      throw std::runtime_error(fmt::format("{}: {} recordings of {} launches", file.string(),
                                           recordings.size(), all.size()));
    for (std::size_t i = 0; i < all.size(); ++i)
      points.push_back(predict(recordings[i], object, all[i]));
  }
  return points;
}

}  // namespace hipsight::bench
