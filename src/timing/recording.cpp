#include "timing/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "support/error.h"
#include "support/output_file.h"
#include "support/printable.h"
#include "support/zstd.h"
#include "timing/schedule.h"

namespace hipsight::timing {
namespace {

using Json = nlohmann::ordered_json;

/// What a recording's "hipsight recording" says: its version.
constexpr unsigned version = 5;

// Of what is read. Numbers are natural ones unless it says otherwise; those that are 0 are left
// out.

const Json& at(const Json& from, const char* key) {
  const auto found = from.find(key);
  if (found == from.end()) fail("the recording is damaged: it has no '{}'", key);
  return *found;
}
std::uint64_t natural(const Json& value, std::uint64_t most, std::string_view what) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
    fail("the recording is damaged: '{}' is {}, where at most {} makes sense", what,
         printable(value.dump()), most);
  return value.get<std::uint64_t>();
}
template <class T>
T natural(const Json& from, const char* key, std::uint64_t most = std::numeric_limits<T>::max()) {
  const auto found = from.find(key);
  return found == from.end() ? T{0} : static_cast<T>(natural(*found, most, key));
}
std::int64_t integer(const Json& value, const char* what) {
  if (!value.is_number_integer()) fail("the recording is damaged: '{}' is no whole number", what);
  return value.get<std::int64_t>();
}
double amount(const Json& from, const char* key) {
  const Json& value = at(from, key);
  if (!value.is_number() || value.get<double>() < 0)
    fail("the recording is damaged: '{}' is no amount", key);
  return value.get<double>();
}
const std::string& text(const Json& from, const char* key) {
  const Json& value = at(from, key);
  if (!value.is_string()) fail("the recording is damaged: '{}' is no text", key);
  return value.get_ref<const std::string&>();
}
const Json& list(const Json& from, const char* key) {
  const Json& value = at(from, key);
  if (!value.is_array()) fail("the recording is damaged: '{}' is no list", key);
  return value;
}
const Json& list(const Json& from, const char* key, std::size_t size) {
  const Json& value = list(from, key);
  if (value.size() != size) fail("the recording is damaged: '{}' has not {} parts", key, size);
  return value;
}

template <class T>
void put(Json& to, const char* key, T value) {
  if (value) to[key] = value;
}

/// Each in the same order for what is written and what is read.
template <class Visit>
void visit_occupancy(auto& o, Visit&& visit) {
  visit("waves_per_workgroup", o.waves_per_workgroup);
  visit("simds", o.simds);
  visit("workgroups", o.workgroups);
  visit("max_waves_per_simd", o.max_waves_per_simd);
  visit("compiler_waves_per_simd", o.compiler_waves_per_simd);
}

/// Registers are numbered by turns, one of each sort, from 1 on; 0: none, or no register.
constexpr std::array sorts{isa::Where::Vgpr, isa::Where::Agpr, isa::Where::Sgpr};

std::uint64_t number_of(const isa::Operand& operand) {
  const auto sort = std::ranges::find(sorts, operand.where);
  return sort == sorts.end()
             ? 0
             : 1 + operand.index * sorts.size() + static_cast<std::uint64_t>(sort - sorts.begin());
}
isa::Operand operand_of(std::uint64_t code) {
  isa::Operand operand;
  if (!code) return operand;
  operand.where = sorts.at((code - 1) % sorts.size());
  operand.index = static_cast<std::uint16_t>((code - 1) / sorts.size());
  return operand;
}

/// What values flow through.
template <class Visit>
void visit_operands(auto& in, Visit&& visit) {
  visit("dst", in.dst);
  visit("src0", in.src[0]);
  visit("src1", in.src[1]);
  visit("src2", in.src[2]);
  visit("src3", in.src[3]);
  visit("sdst", in.sdst);
  visit("base", in.base);
  visit("soffset", in.soffset);
  visit("dst_y", in.dst_y);
  visit("src0_y", in.src_y[0]);
  visit("src1_y", in.src_y[1]);
  visit("src2_y", in.src_y[2]);
}
/// What else decides how long it takes.
template <class Visit>
void visit_modifiers(auto& in, Visit&& visit) {
  visit("size", in.size);
  visit("cbsz", in.cbsz);
  visit("blgp", in.blgp);
  visit("cache", in.cache);
  visit("offen", in.offen);
  visit("idxen", in.idxen);
  visit("returns", in.returns);
}

Json json_of(const isa::Instruction& in) {
  Json json{{"name", in.name()}};
  if (in.row_y) json["name_y"] = in.row_y->name;
  put(json, "format", static_cast<unsigned>(in.format));
  put(json, "gfx", static_cast<unsigned>(in.gfx));
  put(json, "variant", static_cast<unsigned>(in.variant));
  // Of immediates only those that take time: waits.
  if (isa::work_of(in).pipe == isa::Pipe::Wait || in.format == isa::Format::Mtbuf)
    put(json, "immediate", in.imm.bits());
  visit_modifiers(in, [&](const char* key, auto value) { put(json, key, unsigned{value}); });
  visit_operands(in, [&](const char* key, const isa::Operand& operand) {
    put(json, key, number_of(operand));
  });
  return json;
}
void read_instruction(const Json& json, isa::Instruction& in) {
  if (!json.is_object()) fail("the recording is damaged: an instruction is no object");
  in.row = &isa::row_of(text(json, "name"));
  if (json.contains("name_y")) in.row_y = &isa::row_of(text(json, "name_y"));
  const auto one_of = [&](const char* key, auto last) {
    return static_cast<decltype(last)>(natural<unsigned>(json, key, static_cast<unsigned>(last)));
  };
  in.format = one_of("format", isa::Format::Other);
  in.gfx = one_of("gfx", isa::Gfx::Gfx12);
  in.variant = one_of("variant", isa::Variant::Dpp8);
  const auto immediate = json.find("immediate");
  in.imm = {in.row->field, immediate == json.end()
                               ? 0
                               : static_cast<std::int32_t>(integer(*immediate, "immediate"))};
  visit_modifiers(in, [&](const char* key, auto& value) {
    using Value = std::remove_reference_t<decltype(value)>;
    value = natural<Value>(json, key);
  });
  visit_operands(in, [&](const char* key, isa::Operand& operand) {
    operand = operand_of(natural<std::uint64_t>(json, key, sorts.size() * 1024));
  });
}

/// Of each request: what it says of itself, in lists of their own.
template <class Visit>
void visit_columns(auto& request, Visit&& visit) {
  visit("stores", request.stores);
  visit("awaits", request.awaits);
  visit("hands_over", request.hands_over);
  visit("lds_cycles", request.lds_cycles);
  visit("lines", request.count);
  visit("from_l1", request.from_l1);
  visit("first_touches", request.first_touches);
  visit("reused", request.reused);
  visit("pages", request.pages);
}
constexpr std::uint64_t most_of_column = 0xffff;

/// Steps and instructions as differences to the request before; columns of zeros are left out.
Json json_of(const profile::WaveTrace& wave,
             const std::map<const isa::Instruction*, std::uint32_t>& numbers) {
  Json steps = Json::array(), instructions = Json::array(), spaces = Json::array();
  Json json, columns;
  std::uint32_t step = 0, instruction = 0;
  std::set<std::string_view> used;
  for (const profile::Request& q : wave.requests) {
    steps.push_back(q.step - step);
    instructions.push_back(std::int64_t{numbers.at(q.instruction)} - instruction);
    step = q.step;
    instruction = numbers.at(q.instruction);
    spaces.push_back(static_cast<unsigned>(q.space));
    visit_columns(q, [&](const char* key, auto value) {
      columns[key].push_back(std::uint64_t{value});
      if (value) used.insert(key);
    });
  }
  json["step"] = std::move(steps);
  json["instruction"] = std::move(instructions);
  json["space"] = std::move(spaces);
  for (const std::string_view key : used) json[key] = std::move(columns[key]);
  return json;
}
void read_requests(const Json& json, profile::WaveTrace& wave,
                   const std::vector<isa::Instruction>& code) {
  const Json& steps = list(json, "step");
  const Json &instructions = list(json, "instruction", steps.size()),
             &spaces = list(json, "space", steps.size());
  wave.requests.resize(steps.size());
  std::uint64_t step = 0;
  std::int64_t instruction = 0;
  for (std::size_t i = 0; i < wave.requests.size(); ++i) {
    profile::Request& q = wave.requests[i];
    step += natural(steps[i], wave.path.size(), "step");
    // Not by more than there are, so that the sum stays one.
    const auto most = static_cast<std::int64_t>(code.size());
    instruction += std::clamp(integer(instructions[i], "instruction"), -most, most);
    if (step >= wave.path.size() || instruction < 0 || instruction >= most)
      fail("the recording is damaged: an access of no instruction");
    q.step = static_cast<std::uint32_t>(step);
    q.instruction = &code[static_cast<std::size_t>(instruction)];
    q.space = static_cast<engine::Access::Space>(
        natural(spaces[i], static_cast<unsigned>(engine::Access::Space::Scalar), "space"));
  }
  std::vector<const Json*> columns;  // null: zeros
  const profile::Request any;
  visit_columns(any, [&](const char* key, auto) {
    columns.push_back(json.contains(key) ? &list(json, key, steps.size()) : nullptr);
  });
  for (std::size_t i = 0; i < wave.requests.size(); ++i) {
    profile::Request& q = wave.requests[i];
    auto column = columns.begin();
    visit_columns(q, [&](const char* key, auto& value) {
      using Value = std::remove_reference_t<decltype(value)>;
      if (const Json* const its = *column++)
        value = static_cast<Value>(natural((*its)[i], most_of_column, key));
    });
    q.least = q.count ? static_cast<std::uint16_t>(q.count) : q.lds_cycles;  // is not recorded
  }
}

/// Instructions of the regions that a group ran, numbered in the order in which they lie; numbers
/// leave a gap where code does.
std::map<const isa::Instruction*, std::uint32_t> number(
    const std::vector<engine::RegionOfCode>& regions, const std::set<std::uint32_t>& ran) {
  std::map<const isa::Instruction*, std::uint32_t> numbers;
  for (const std::uint32_t region : ran)
    for (std::uint32_t i = 0; i < regions[region].count; ++i)
      numbers[regions[region].first + i] = 0;
  std::uint32_t next = 0;
  const isa::Instruction* before = nullptr;
  for (auto& [instruction, its] : numbers) {
    if (before && instruction != before + 1) ++next;
    its = next++;
    before = instruction;
  }
  return numbers;
}

/// Of the workgroups that were observed whole, the one that does most nearly what one of the launch
/// does on the average: the first one, where all do the same.
const profile::GroupTrace& typical(const profile::LaunchTrace& trace, const engine::Result& result,
                                   double instructions) {
  const auto off = [&](const profile::GroupTrace& group) {
    return std::fabs(group.instructions(result.regions) - instructions);
  };
  return *std::ranges::min_element(trace.neighbours(), {}, off);
}

/// Whether workgroups do more than others.
bool unlike(const gpus::Gpu& gpu, const profile::LaunchTrace& trace, const engine::Result& result) {
  std::vector<double> work;
  for (const auto* groups : {&trace.neighbours(), &trace.others()})
    for (const profile::GroupTrace& group : *groups)
      work.push_back(group.instructions(result.regions));
  return differ(work, result.workgroups <= gpu.compute_units);
}

Json json_of(const gpus::Gpu& gpu, const profile::LaunchTrace& trace, const engine::Result& result,
             const Occupancy& occupancy, std::uint32_t wavefront_size) {
  Json json{{"hipsight recording", version}, {"gpu", gpu.name}};
  visit_occupancy(occupancy, [&](const char* key, auto value) { json["occupancy"][key] = value; });
  json["wavefront_size"] = wavefront_size;
  json["workgroups"] = result.workgroups;
  double instructions = 0;
  for (const engine::InstructionCount& count : result.counts)
    instructions += static_cast<double>(count.executions);
  json["instructions"] = static_cast<std::uint64_t>(instructions);
  const profile::GroupTrace& group =
      typical(trace, result, instructions / double(std::max<std::uint64_t>(1, result.workgroups)));
  json["bytes"] = {{"launch", static_cast<std::uint64_t>(trace.footprint.launch)},
                   {"xcd", static_cast<std::uint64_t>(trace.footprint.xcd)}};
  json["unlike_others"] = trace.unlike_others || unlike(gpu, trace, result);

  std::set<std::uint32_t> ran;
  for (const profile::WaveTrace& wave : group.waves) ran.insert(wave.path.begin(), wave.path.end());
  const auto numbers = number(result.regions, ran);
  // Apart from each other: of launches of one kernel the code is alike, and so packs well.
  json["code"] = json["sharing"] = Json::array();
  for (const auto& [instruction, its] : numbers) {
    json["code"].emplace_back(json_of(*instruction))["number"] = its;
    const auto known = trace.sharing.find(instruction);
    if (known == trace.sharing.end()) continue;
    const profile::Sharing& sharing = known->second;
    json["sharing"].push_back({{"number", its},
                               {"l2", sharing.l2},
                               {"arriving", sharing.arriving},
                               {"mall", sharing.mall}});
  }
  json["regions"] = Json::array();
  std::map<std::uint32_t, std::uint32_t> renumbered;
  for (const std::uint32_t region : ran) {
    renumbered.try_emplace(region, static_cast<std::uint32_t>(renumbered.size()));
    json["regions"].push_back({{"first", numbers.at(result.regions[region].first)},
                               {"count", result.regions[region].count}});
  }
  json["cut"] = group.cut;
  json["waves"] = Json::array();
  for (const profile::WaveTrace& wave : group.waves) {
    Json path = Json::array();
    for (const std::uint32_t region : wave.path) path.push_back(renumbered.at(region));
    json["waves"].push_back({{"path", std::move(path)}, {"requests", json_of(wave, numbers)}});
  }
  return json;
}

std::unique_ptr<Recording> recording_of(const Json& json) {
  if (!json.is_object() || !json.contains("hipsight recording"))
    fail("this is no recording of hipsight");
  if (at(json, "hipsight recording") != version)
    fail("the recording is of a version that this hipsight does not know: record anew");
  // A name and never a file, whoever the recording comes from.
  const std::string& gpu = text(json, "gpu");
  const auto known = std::ranges::find(gpus::all(), gpu, &gpus::Gpu::name);
  if (known == gpus::all().end())
    fail("the recording is of the GPU '{}', which is not known here", printable(gpu));
  auto recording = std::make_unique<Recording>(*known);
  Recording& all = *recording;
  const Json& occupancy = at(json, "occupancy");
  visit_occupancy(all.occupancy, [&](const char* key, std::uint32_t& value) {
    value = natural<std::uint32_t>(occupancy, key, 1 << 20);
  });
  all.wavefront_size = natural<std::uint32_t>(json, "wavefront_size", 64);
  all.result.workgroups = natural<std::uint64_t>(json, "workgroups");
  const auto instructions = natural<std::uint64_t>(json, "instructions");
  const Json& bytes = at(json, "bytes");
  all.trace.footprint = {.launch = amount(bytes, "launch"), .xcd = amount(bytes, "xcd")};
  all.trace.unlike_others = at(json, "unlike_others") == true;

  const Json& code = list(json, "code");
  std::uint64_t last = 0, address = 0;
  if (!code.empty())  // a gap of one number before each at the most
    all.code.resize(natural<std::uint64_t>(code.back(), "number", 2 * code.size()) + 1);
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto its = natural<std::uint64_t>(code[i], "number", all.code.size() - 1);
    if (i > 0 && its <= last) fail("the recording is damaged: code is not in order");
    last = its;
    isa::Instruction& in = all.code[its];
    read_instruction(code[i], in);
    in.address = address;
    address += in.size;
  }
  for (const Json& row : list(json, "sharing")) {
    const auto its = natural<std::uint64_t>(row, "number");
    if (its >= all.code.size()) fail("the recording is damaged: what no instruction shares");
    all.trace.sharing[&all.code[its]] = {
        .l2 = amount(row, "l2"), .arriving = amount(row, "arriving"), .mall = amount(row, "mall")};
  }
  for (const Json& row : list(json, "regions")) {
    engine::RegionOfCode& region = all.result.regions.emplace_back();
    const auto first = natural<std::uint64_t>(row, "first", all.code.size());
    region.count = natural<std::uint32_t>(row, "count", all.code.size() - first);
    region.first = all.code.data() + first;
    if (region.count == 0) fail("the recording is damaged: a region without code");
  }
  if (!all.code.empty())
    all.result.counts.push_back({.instruction = all.code.data(), .executions = instructions});
  profile::GroupTrace& group = all.trace.neighbours().emplace_back(all.gpu, 0);
  group.cut = at(json, "cut") == true;
  for (const Json& row : list(json, "waves")) {
    profile::WaveTrace& wave = group.waves.emplace_back();
    for (const Json& region : list(row, "path")) {
      if (all.result.regions.empty()) fail("the recording is damaged: no such region");
      wave.path.push_back(
          static_cast<std::uint32_t>(natural(region, all.result.regions.size() - 1, "path")));
    }
    read_requests(at(row, "requests"), wave, all.code);
  }
  return recording;
}

}  // namespace

void write(const std::string& file, const gpus::Gpu& gpu, const profile::LaunchTrace& trace,
           const engine::Result& result, const Occupancy& occupancy, std::uint32_t wavefront_size) {
  if (trace.neighbours().empty()) fail("no workgroup was observed: there is nothing to record");
  write_output(file, compress(json_of(gpu, trace, result, occupancy, wavefront_size).dump()));
}

std::unique_ptr<Recording> read(std::string_view bytes) {
  const std::string unpacked = is_zstd(bytes) ? decompress(bytes) : std::string(bytes);
  const Json json = Json::parse(unpacked, nullptr, false);
  if (json.is_discarded()) fail("this is no recording of hipsight, or it is damaged");
  return recording_of(json);
}

}  // namespace hipsight::timing
