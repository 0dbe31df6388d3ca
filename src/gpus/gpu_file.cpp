// Reads GPU files. docs/gpu-files.md describes the format for users.
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <sstream>
#include <variant>

#include "gpus/gpu.h"
#include "support/embedded.h"
#include "support/error.h"
#include "support/files.h"
#include "support/printable.h"

namespace hipsight::gpus {
namespace {

using Member = std::variant<std::uint32_t Gpu::*, std::uint64_t Gpu::*, double Gpu::*,
                            std::optional<std::uint32_t> Gpu::*,
                            std::optional<std::uint64_t> Gpu::*, std::optional<double> Gpu::*>;

struct Field {
  std::string_view key;
  Member member;
  std::string_view unit;
  bool required;
  double min, max;
};

constexpr double kMiB = 1 << 20;

// Every number that a GPU file may hold, and what it may be: far more than any GPU has, but nothing
// that the model cannot hold. Zero is refused unless it means something: unknown is a missing key.
const Field kFields[] = {
    {"compute_units", &Gpu::compute_units, "", true, 1, 65536},
    {"cus_per_wgp", &Gpu::cus_per_wgp, "", true, 1, 2},
    {"xcds", &Gpu::xcds, "", true, 1, 1024},
    {"shader_engines", &Gpu::shader_engines, "", false, 1, 1024},
    {"simds_per_cu", &Gpu::simds_per_cu, "", true, 1, 64},
    {"wavefront_size", &Gpu::wavefront_size, "lanes", true, 32, 64},
    {"max_waves_per_simd", &Gpu::max_waves_per_simd, "", true, 1, 64},
    {"max_workgroup_size", &Gpu::max_workgroup_size, "work-items", true, 1, 1024},
    {"max_workgroups_per_cu", &Gpu::max_workgroups_per_cu, "", true, 1, 256},
    {"vgprs_per_simd", &Gpu::vgprs_per_simd, "per lane", true, 1, 65536},
    {"vgpr_granule", &Gpu::vgpr_granule, "registers", true, 1, 1024},
    {"max_vgprs_per_wave", &Gpu::max_vgprs_per_wave, "", true, 1, 65536},
    {"sgprs_per_simd", &Gpu::sgprs_per_simd, "", false, 1, 65536},
    {"sgpr_granule", &Gpu::sgpr_granule, "registers", false, 1, 1024},
    {"lds_bytes_per_cu", &Gpu::lds_bytes_per_cu, "bytes", true, 1, 1 << 24},
    {"lds_granule", &Gpu::lds_granule, "bytes", true, 1, 1 << 20},
    {"max_lds_per_workgroup", &Gpu::max_lds_per_workgroup, "bytes", true, 1, 1 << 24},
    {"lds_banks", &Gpu::lds_banks, "", false, 1, 1024},
    {"lds_bytes_per_clock_per_cu", &Gpu::lds_bytes_per_clock_per_cu, "bytes/clock", false, 1,
     65536},
    {"issue_cycles", &Gpu::issue_cycles, "cycles", true, 0.25, 64},
    {"transcendental_cycles", &Gpu::transcendental_cycles, "cycles", false, 0.25, 256},
    {"l1_bytes_per_cu", &Gpu::l1_bytes_per_cu, "bytes", false, 1024, kMiB},
    {"l1_line_bytes", &Gpu::l1_line_bytes, "bytes", false, 32, 128},
    {"l2_bytes", &Gpu::l2_bytes, "bytes", true, 4096, 4096 * kMiB},
    {"mall_bytes", &Gpu::mall_bytes, "bytes", false, 0, 16384 * kMiB},
    {"dram_bytes", &Gpu::dram_bytes, "bytes", true, kMiB, kMiB * kMiB},
    {"dram_gb_per_s", &Gpu::dram_gb_per_s, "GB/s", true, 1e-3, 1e9},
    {"dram_gb_per_s_measured", &Gpu::dram_gb_per_s_measured, "GB/s", false, 1e-3, 1e9},
    {"l2_gb_per_s", &Gpu::l2_gb_per_s, "GB/s", false, 1e-3, 1e9},
    {"mall_gb_per_s", &Gpu::mall_gb_per_s, "GB/s", false, 1e-3, 1e9},
    {"host_gb_per_s", &Gpu::host_gb_per_s, "GB/s", false, 1e-3, 1e9},
    {"memory_clock_ghz", &Gpu::memory_clock_ghz, "GHz", false, 1e-3, 1000},
    {"memory_bus_bits", &Gpu::memory_bus_bits, "bits", false, 1, 1 << 20},
    {"l1_latency", &Gpu::l1_latency, "cycles", false, 1, 1e6},
    {"l2_latency", &Gpu::l2_latency, "cycles", false, 1, 1e6},
    {"mall_latency", &Gpu::mall_latency, "cycles", false, 1, 1e6},
    {"dram_latency", &Gpu::dram_latency, "cycles", false, 1, 1e6},
    {"clock_ghz", &Gpu::clock_ghz, "GHz", true, 1e-3, 1000},
    {"power_watts", &Gpu::power_watts, "W", false, 1, 1e6},
    {"power_base_watts", &Gpu::power_base_watts, "W", false, 0, 1e6},
    {"power_clock_watts", &Gpu::power_clock_watts, "W at 1 GHz", false, 0, 1e6},
    {"dram_pj_per_byte", &Gpu::dram_pj_per_byte, "pJ/byte", false, 0, 1e6},
    {"vector_pj", &Gpu::vector_pj, "pJ at 1 GHz", false, 0, 1e6},
    {"launch_us", &Gpu::launch_us, "us", false, 0, 1e9},
    {"launch_interval_us", &Gpu::launch_interval_us, "us", false, 0, 1e9},
    {"peer_links", &Gpu::peer_links, "", false, 1, 64},
    {"peer_gb_per_s", &Gpu::peer_gb_per_s, "GB/s", false, 1e-3, 1e6},
    {"peer_gb_per_s_measured", &Gpu::peer_gb_per_s_measured, "GB/s", false, 1e-3, 1e6},
    {"pci_device_id", &Gpu::pci_device_id, "", false, 0, 65535},
    {"asic_revision", &Gpu::asic_revision, "", false, 0, 255},
    {"integrated", &Gpu::integrated, "", false, 0, 1},
};

constexpr std::array<std::string_view, 10> kRateTypes = {"f64", "f32", "xf32", "f16", "bf16",
                                                         "fp8", "fp6", "fp4",  "i8",  "i4"};

constexpr std::string_view kNumberForm = "{ value = NUMBER, source = \"TEXT\" }";

std::string place(const std::string& origin, const toml::node& node) {
  return fmt::format("{}:{}", origin, node.source().begin.line);
}

std::string print(double value) {
  return value == std::floor(value) && std::abs(value) < 1e16
             ? fmt::format("{}", static_cast<std::int64_t>(value))
             : fmt::format("{:g}", value);
}

struct Number {
  double value;
  bool integer;
  std::string text;  ///< as it stands there: a double may not hold it
  std::string source;
};

// `node`: the table { value, source } of one number.
Number read_number(const std::string& origin, const std::string& key, const toml::node& node) {
  const toml::table* table = node.as_table();
  if (!table) fail("{}: {}: expected {}", place(origin, node), key, kNumberForm);
  for (const auto& [name, entry] : *table) {
    if (name != "value" && name != "source")
      fail("{}: {}: unknown key '{}'; expected {}", place(origin, entry), key, name.str(),
           kNumberForm);
  }
  const toml::node* value = table->get("value");
  if (!value || !value->is_number())
    fail("{}: {}: 'value' must be a number; expected {}", place(origin, node), key, kNumberForm);
  const auto source = (*table)["source"].value<std::string>();
  if (!source || source->empty())
    fail("{}: {}: every number needs its 'source'; expected {}", place(origin, node), key,
         kNumberForm);
  if (const auto* integer = value->as_integer())
    return {static_cast<double>(integer->get()), true, fmt::format("{}", integer->get()), *source};
  const double real = value->as_floating_point()->get();
  return {real, false, print(real), *source};
}

// What is wrong with a number that is out of range; empty: it is in range.
std::string out_of_range(double value, const std::string& text, double min, double max,
                         std::string_view unit) {
  if (value >= min && value <= max) return {};  // not so for NaN
  return fmt::format("{} is out of range; expected {} to {}{}{}{}", text, print(min), print(max),
                     unit.empty() ? "" : " ", unit,
                     value == 0 ? " (leave an unknown number out)" : "");
}

// `number` if it is in range.
double in_range(const std::string& origin, const std::string& key, const toml::node& node,
                const Number& number, double min, double max, std::string_view unit) {
  const std::string wrong = out_of_range(number.value, number.text, min, max, unit);
  if (!wrong.empty()) fail("{}: {}: {}", place(origin, node), key, wrong);
  return number.value;
}

void record(Gpu& gpu, const std::string& key, double value, std::string_view unit,
            const std::string& source) {
  auto same = std::find_if(gpu.facts.begin(), gpu.facts.end(),
                           [&](const Gpu::Fact& fact) { return fact.key == key; });
  if (same == gpu.facts.end()) same = gpu.facts.insert(same, Gpu::Fact{});
  *same = {key, print(value), std::string(unit), source};
}

// False: the field takes whole numbers.
bool assign(Gpu& gpu, const Field& field, double value, bool integer) {
  return std::visit(
      [&](auto member) {
        using Value = std::remove_reference_t<decltype(gpu.*member)>;
        constexpr bool real =
            std::is_same_v<Value, double> || std::is_same_v<Value, std::optional<double>>;
        if constexpr (real) {
          gpu.*member = value;
        } else {
          if (!integer) return false;
          if constexpr (std::is_integral_v<Value>) {
            gpu.*member = static_cast<Value>(value);
          } else {
            gpu.*member = static_cast<typename Value::value_type>(value);
          }
        }
        return true;
      },
      field.member);
}

void read_field(Gpu& gpu, const std::string& origin, const Field& field, const toml::node& node) {
  const std::string key(field.key);
  const Number number = read_number(origin, key, node);
  in_range(origin, key, node, number, field.min, field.max, field.unit);
  if (!assign(gpu, field, number.value, number.integer))
    fail("{}: {}: expected a whole number", place(origin, node), key);
  record(gpu, key, number.value, field.unit, number.source);
}

void read_rates(Gpu& gpu, const std::string& origin, const toml::node& node) {
  const toml::table* rates = node.as_table();
  if (!rates) fail("{}: rates: expected tables [rates.TYPE]", place(origin, node));
  for (const auto& [type_key, entry] : *rates) {
    const std::string type(type_key.str());
    if (std::find(kRateTypes.begin(), kRateTypes.end(), type) == kRateTypes.end())
      fail("{}: rates.{}: unknown type; expected one of {}", place(origin, entry), type,
           fmt::join(kRateTypes, ", "));
    const toml::table* pipes = entry.as_table();
    if (!pipes) fail("{}: rates.{}: expected a table", place(origin, entry), type);
    auto rate = std::find_if(gpu.rates.begin(), gpu.rates.end(),
                             [&](const Gpu::Rate& known) { return known.type == type; });
    if (rate == gpu.rates.end()) rate = gpu.rates.insert(rate, Gpu::Rate{.type = type});
    for (const auto& [pipe, value] : *pipes) {
      const std::string key = fmt::format("rates.{}.{}", type, pipe.str());
      const bool energy = pipe == "matrix_pj";
      if (pipe != "vector" && pipe != "matrix" && !energy)
        fail("{}: {}: expected 'vector', 'matrix' or 'matrix_pj'", place(origin, value), key);
      const Number number = read_number(origin, key, value);
      const std::string_view unit = energy ? "pJ at 1 GHz" : "operations/clock/CU";
      (pipe == "vector"   ? rate->vector
       : pipe == "matrix" ? rate->matrix
                          : rate->matrix_pj) =
          in_range(origin, key, value, number, 1e-3, 1e9, unit);
      record(gpu, key, number.value, unit, number.source);
    }
  }
}

constexpr std::array<std::string_view, 8> kLdsAccesses = {"read_b32",  "read_b64",  "read_b96",
                                                          "read_b128", "write_b32", "write_b64",
                                                          "write_b96", "write_b128"};
constexpr std::string_view kPhasesForm =
    "{ lanes = \"0-15 16-31 ...\", banks = NUMBER, source = \"TEXT\" }";

// Lanes of phases: "0-3,20-23 4-7,16-19 ...". Every lane of a wave, once; or nothing.
std::vector<std::uint64_t> parse_phases(std::string_view text, std::uint32_t wavefront_size) {
  std::vector<std::uint64_t> phases;
  std::uint64_t all = 0;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    std::uint64_t lanes = 0;
    std::istringstream ranges(word);
    for (std::string range; std::getline(ranges, range, ',');) {
      unsigned first = 0, last = 0;
      char dash = 0, more = 0;
      std::istringstream numbers(range);
      if (!(numbers >> first >> dash >> last) || dash != '-' || numbers >> more || first > last ||
          last >= wavefront_size)
        return {};
      lanes |= (~0ull >> (63 - (last - first))) << first;
    }
    if (!lanes || (all & lanes)) return {};
    all |= lanes;
    phases.push_back(lanes);
  }
  return all == ~0ull >> (64 - wavefront_size) ? phases : std::vector<std::uint64_t>();
}

void read_phases(Gpu& gpu, const std::string& origin, const toml::node& node) {
  const toml::table* table = node.as_table();
  if (!table) fail("{}: lds_phases: expected ACCESS = {}", place(origin, node), kPhasesForm);
  for (const auto& [name, entry] : *table) {
    const std::string access(name.str());
    if (std::ranges::find(kLdsAccesses, access) == kLdsAccesses.end())
      fail("{}: lds_phases.{}: unknown access; expected one of {}", place(origin, entry), access,
           fmt::join(kLdsAccesses, ", "));
    const toml::table* fields = entry.as_table();
    const auto lanes = fields ? (*fields)["lanes"].value<std::string>() : std::nullopt;
    const auto banks = fields ? (*fields)["banks"].value<std::uint32_t>() : std::nullopt;
    const auto source = fields ? (*fields)["source"].value<std::string>() : std::nullopt;
    if (!lanes || !banks || !*banks || *banks > 1024 || !source || source->empty() ||
        fields->size() != 3)
      fail("{}: lds_phases.{}: expected {}", place(origin, entry), access, kPhasesForm);
    const auto phases = parse_phases(*lanes, gpu.wavefront_size);
    if (phases.empty())
      fail("{}: lds_phases.{}: '{}' does not name each of {} lanes once", place(origin, entry),
           access, *lanes, gpu.wavefront_size);
    std::erase_if(gpu.lds_phases, [&](const auto& known) { return known.access == access; });
    gpu.lds_phases.push_back({access, phases, *banks});
    record(gpu, "lds_phases." + access, static_cast<double>(phases.size()), "cycles", *source);
  }
}

std::string text_of(const toml::table& file, const std::string& origin, std::string_view key,
                    const std::string& inherited) {
  const toml::node* node = file.get(key);
  if (!node) {
    if (inherited.empty()) fail("{}: '{}' is missing", origin, key);
    return inherited;
  }
  const auto text = node->value<std::string>();
  if (!text || text->empty()) fail("{}: {}: expected a text", place(origin, *node), key);
  return *text;
}

// The built-in GPU that a file builds on (`base`), or an empty one.
Gpu base_of(const toml::table& file, const std::string& origin) {
  const toml::node* node = file.get("base");
  if (!node) return {};
  const std::string base = node->value_or(std::string());
  std::vector<std::string_view> names;
  for (const EmbeddedFile& built_in : gpu_files()) {
    const auto name = built_in.name.substr(0, built_in.name.rfind('.'));
    if (name == base) return parse(built_in.text, std::string(built_in.name));
    names.push_back(name);
  }
  fail("{}: base: no built-in GPU '{}'; there are: {}", place(origin, *node), base,
       fmt::join(names, ", "));
}

}  // namespace

// Numbers that must fit together for occupancy to mean anything.
void check(const Gpu& gpu) {
  const std::string& origin = gpu.file;
  if (gpu.wavefront_size != 32 && gpu.wavefront_size != 64)
    fail("{}: wavefront_size: expected 32 or 64", origin);
  if (gpu.vgpr_granule > gpu.vgprs_per_simd)
    fail("{}: vgpr_granule is more than vgprs_per_simd", origin);
  if (gpu.max_lds_per_workgroup > gpu.lds_bytes_per_cu * gpu.cus_per_wgp)
    fail("{}: max_lds_per_workgroup is more than a compute unit has", origin);
  if (gpu.compute_units % gpu.cus_per_wgp != 0)
    fail("{}: compute_units is not a multiple of cus_per_wgp", origin);
  if (gpu.xcds > gpu.compute_units) fail("{}: xcds is more than compute_units", origin);
  const std::uint32_t line = gpu.l1_line_bytes.value_or(128);
  if ((line & (line - 1)) != 0)
    fail(
        "{}: l1_line_bytes: {} is no power of two; the L2's lines of 128 bytes are whole ones of "
        "it",
        origin, line);
  if (gpu.processor.rfind("gfx", 0) != 0)
    fail("{}: target_id: '{}' names no processor; expected such as \"gfx942:sramecc+:xnack-\"",
         origin, gpu.target_id);
}

void set(Gpu& gpu, std::string_view key, double value, const std::string& source) {
  const auto field = std::ranges::find(kFields, key, &Field::key);
  if (field == std::end(kFields)) fail("{}: no number of a GPU", key);
  const std::string wrong = out_of_range(value, print(value), field->min, field->max, field->unit);
  if (!wrong.empty()) fail("{}: {}", key, wrong);
  if (!assign(gpu, *field, value, value == std::floor(value)))
    fail("{}: {}: expected a whole number", key, print(value));
  record(gpu, std::string(key), value, field->unit, source);
}

Gpu parse(std::string_view text, const std::string& origin) {
  toml::table file;
  try {
    file = toml::parse(text, origin);
  } catch (const toml::parse_error& error) {
    fail("{}:{}: not TOML: {}", origin, error.source().begin.line, error.description());
  }

  Gpu gpu = base_of(file, origin);
  gpu.file = origin;
  gpu.name = text_of(file, origin, "name", "");
  gpu.title = text_of(file, origin, "title", gpu.title);
  gpu.target_id = text_of(file, origin, "target_id", gpu.target_id);
  gpu.processor = gpu.target_id.substr(0, gpu.target_id.find(':'));

  std::set<std::string_view> known = {"name", "title", "target_id", "base", "rates", "lds_phases"};
  const bool whole = !file.contains("base");
  for (const Field& field : kFields) {
    known.insert(field.key);
    if (const toml::node* node = file.get(field.key)) {
      read_field(gpu, origin, field, *node);
    } else if (field.required && whole) {
      fail("{}: '{}' is missing; expected {}", origin, field.key, kNumberForm);
    }
  }
  if (const toml::node* rates = file.get("rates")) read_rates(gpu, origin, *rates);
  if (const toml::node* phases = file.get("lds_phases")) read_phases(gpu, origin, *phases);
  for (const auto& [key, node] : file) {
    if (!known.contains(key.str())) fail("{}: unknown key '{}'", place(origin, node), key.str());
  }
  check(gpu);
  return gpu;
}

Gpu read(const std::filesystem::path& path) {
  std::string text;
  try {
    text = read_text(path);
  } catch (const Exception& error) {
    fail("GPU file: {}", error.what());
  }
  return parse(text, printable(path.native()));
}

}  // namespace hipsight::gpus
