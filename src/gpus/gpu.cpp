#include "gpus/gpu.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include "support/embedded.h"
#include "support/error.h"
#include "support/printable.h"

namespace hipsight::gpus {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return result;
}

void add(std::vector<Gpu>& gpus, Gpu gpu) {
  const auto same = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& known) {
    return lower(known.name) == lower(gpu.name);
  });
  if (same != gpus.end()) {
    *same = std::move(gpu);
  } else {
    gpus.push_back(std::move(gpu));
  }
}

void add_folder(std::vector<Gpu>& gpus, const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  if (error) fail("cannot read folder '{}' of GPU files: {}", folder.string(), error.message());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) add(gpus, read(file));
}

std::string& more_folders() {
  static auto& folders = *new std::string;
  return folders;
}

std::vector<Gpu> read_all() {
  std::vector<Gpu> gpus;
  for (const EmbeddedFile& file : gpu_files()) add(gpus, parse(file.text, std::string(file.name)));
  std::istringstream folders(more_folders());
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty()) add_folder(gpus, folder);
  std::sort(gpus.begin(), gpus.end(), [](const Gpu& a, const Gpu& b) { return a.name < b.name; });
  return gpus;
}

bool is_path(std::string_view text) {
  return text.find('/') != text.npos || text.ends_with(".toml");
}

}  // namespace

namespace {

/// The number in a processor's name: "gfx90a" is 9, 0, 10; "gfx1100" 11, 0, 0.
std::string_view digits(std::string_view processor) {
  if (processor.starts_with("gfx")) processor.remove_prefix(3);
  return processor;
}

}  // namespace

int Gpu::isa_major() const {
  int major = 0;
  const std::string_view number = digits(processor);
  for (std::size_t i = 0; i + 2 < number.size(); ++i) major = 10 * major + (number[i] - '0');
  return major;
}

int Gpu::isa_minor() const {
  const std::string_view number = digits(processor);
  return number.size() < 2 ? 0 : number[number.size() - 2] - '0';
}

const Gpu::Rate* Gpu::rate(std::string_view type) const {
  const auto found =
      std::find_if(rates.begin(), rates.end(), [&](const Rate& rate) { return rate.type == type; });
  return found == rates.end() ? nullptr : &*found;
}

const Gpu::LdsPhases* Gpu::phases(std::string_view access) const {
  const auto found = std::ranges::find(lds_phases, access, &LdsPhases::access);
  return found == lds_phases.end() ? nullptr : &*found;
}

void use_folders(const std::string& folders) {
  more_folders() = folders;
}

const std::vector<Gpu>& all() {
  static const std::vector<Gpu> gpus = read_all();
  return gpus;
}

namespace {

Gpu with_xnack(Gpu gpu, bool wanted) {
  const auto off = gpu.target_id.find("xnack-");
  if (wanted && off != std::string::npos)
    gpu.target_id[off + std::string_view("xnack").size()] = '+';
  return gpu;
}

}  // namespace

Gpu find(std::string_view name_or_file, bool xnack) {
  if (is_path(name_or_file)) return with_xnack(read(fs::path(name_or_file)), xnack);
  std::vector<std::string_view> names;
  for (const Gpu& gpu : all()) {
    if (lower(gpu.name) == lower(name_or_file)) return with_xnack(gpu, xnack);
    names.push_back(gpu.name);
  }
  fail("unknown GPU '{}'; there are: {} (or a path to a GPU file)", printable(name_or_file),
       fmt::join(names, ", "));
}

}  // namespace hipsight::gpus
