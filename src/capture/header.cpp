#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "capture/capture.h"
#include "support/error.h"
#include "support/printable.h"

namespace hipsight::capture {
namespace {

using Json = nlohmann::ordered_json;
using Kind = engine::Memory::Kind;

constexpr std::pair<Kind, const char*> kKinds[] = {{Kind::Device, "device"},
                                                   {Kind::Host, "host"},
                                                   {Kind::Managed, "managed"},
                                                   {Kind::Code, "code"}};

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A name, which may be any bytes: a text if it is UTF-8, else an array of its bytes.
Json name_json(const std::string& name) {
  return is_utf8(name) ? Json(name) : Json(std::vector<unsigned char>(name.begin(), name.end()));
}
std::string name(const Json& json) {
  if (json.is_string()) return json;
  std::string bytes;
  for (const Json& byte : json) bytes += static_cast<char>(byte.get<unsigned char>());
  return bytes;
}

// Of a process: the upper half of the addresses is the kernel's.
constexpr std::uint64_t kEndOfMemory = std::uint64_t{1} << 47;

/// Runs what reads a text; what is wrong with it becomes an Exception.
template <class Read>
auto parse(std::string_view text, const std::string& origin, Read&& read) {
  try {
    return read(Json::parse(text));
  } catch (const Json::exception& error) {
    fail("{}: corrupt header: {}", origin, error.what());
  }
}

template <class T>
T number(const Json& json) {
  const auto value = json.get_ref<const Json::number_unsigned_t&>();
  if (value > std::uint64_t(std::numeric_limits<T>::max()))
    throw Json::out_of_range::create(401, "a number is too large", nullptr);
  return static_cast<T>(value);
}

engine::Dim3 dimensions(const Json& json) {
  return {number<std::uint32_t>(json.at(0)), number<std::uint32_t>(json.at(1)),
          number<std::uint32_t>(json.at(2))};
}

Json json_of(const engine::Dim3& d) {
  return {d.x, d.y, d.z};
}

Json json_of(const engine::Memory::Allocation& allocation) {
  Json json;
  json["address"] = allocation.begin;
  json["size"] = allocation.size;
  for (const auto& [kind, name] : kKinds)
    if (kind == allocation.kind) json["kind"] = name;
  json["device"] = allocation.device;
  json["flags"] = allocation.flags;
  json["registered"] = allocation.registered;
  json["label"] = name_json(allocation.label);
  return json;
}

engine::Memory::Allocation allocation(const Json& json, const std::string& origin) {
  engine::Memory::Allocation result;
  result.begin = number<std::uint64_t>(json.at("address"));
  result.size = number<std::uint64_t>(json.at("size"));
  const std::string kind = json.at("kind");
  const auto* known = std::ranges::find(kKinds, kind, [](const auto& k) { return k.second; });
  if (known == std::end(kKinds)) fail("{}: corrupt header: memory of kind '{}'", origin, kind);
  result.kind = known->first;
  result.device = number<int>(json.at("device"));
  result.flags = number<unsigned>(json.at("flags"));
  result.registered = json.at("registered");
  result.label = name(json.at("label"));
  return result;
}

void check(const Header& header, const std::string& origin) {
  std::uint64_t end = 1;
  bool has_code = false;
  for (const auto& allocation : header.allocations) {
    if (allocation.begin < end || allocation.size == 0 || allocation.begin > kEndOfMemory ||
        allocation.size > kEndOfMemory - allocation.begin)
      fail("{}: corrupt header: {} at {:#x} overlaps another or has no size", origin,
           allocation.label, allocation.begin);
    end = allocation.end();
    has_code |= allocation.begin == header.code_address && allocation.kind == Kind::Code;
  }
  if (!has_code) fail("{}: corrupt header: no memory for the code", origin);
}

}  // namespace

std::string to_json(const Header& header) {
  Json json;
  json["gpu"] = name_json(header.gpu);
  json["target"] = header.target;
  json["kernel"] = name_json(header.kernel);
  json["launch"] = header.launch;
  json["grid"] = json_of(header.grid);
  json["block"] = json_of(header.block);
  json["dynamic_lds"] = header.dynamic_lds;
  json["cooperative"] = header.cooperative;
  json["exact_matrix"] = header.exact_matrix;
  json["code_origin"] = name_json(header.code_origin);
  json["code_address"] = header.code_address;
  json["allocations"] = Json::array();
  for (const auto& allocation : header.allocations)
    json["allocations"].push_back(json_of(allocation));
  return dump(json);
}

Header parse_header(std::string_view text, const std::string& origin) {
  return parse(text, origin, [&](const Json& json) {
    Header header;
    header.gpu = name(json.at("gpu"));
    header.target = json.at("target");
    header.kernel = name(json.at("kernel"));
    header.launch = number<std::uint64_t>(json.at("launch"));
    header.grid = dimensions(json.at("grid"));
    header.block = dimensions(json.at("block"));
    header.dynamic_lds = number<std::uint32_t>(json.at("dynamic_lds"));
    header.cooperative = json.at("cooperative");
    header.exact_matrix = json.value("exact_matrix", false);  // younger than the first files
    header.code_origin = name(json.at("code_origin"));
    header.code_address = number<std::uint64_t>(json.at("code_address"));
    for (const Json& one : json.at("allocations"))
      header.allocations.push_back(allocation(one, origin));
    check(header, origin);
    return header;
  });
}

std::string to_json(const Outcome& outcome) {
  Json json;
  json["digests"] = outcome.digests;
  json["error"] = name_json(outcome.error);
  json["called"] = Json::array();
  for (const auto& [code, address] : outcome.called)
    json["called"].push_back({{"origin", name_json(code)}, {"address", address}});
  return dump(json);
}

Outcome parse_outcome(std::string_view text, const std::string& origin) {
  return parse(text, origin, [&](const Json& json) {
    Outcome outcome;
    outcome.digests = json.at("digests").get<std::vector<std::string>>();
    outcome.error = name(json.at("error"));
    for (const Json& one : json.value("called", Json::array()))  // younger than the first files
      outcome.called.push_back({name(one.at("origin")), number<std::uint64_t>(one.at("address"))});
    return outcome;
  });
}

}  // namespace hipsight::capture
