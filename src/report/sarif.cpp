#include "report/sarif.h"

#include <algorithm>
#include <utility>

#include "report/render.h"
#include "support/printable.h"

namespace hipsight::report {
namespace {

using Json = nlohmann::ordered_json;

Json place(const Location& at) {
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", printable(at.file)}}},
            {"region", {{"startLine", at.line}}}}}};
}

}  // namespace

std::string sarif_log(const char* tool, Json results) {
  Json log{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}};
  log["runs"].push_back(
      {{"tool", {{"driver", {{"name", tool}}}}}, {"results", std::move(results)}});
  return log.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_sarif(const RunReport& run) {
  Json results = Json::array();
  for (const Finding& one : run.findings) {
    Json result{{"ruleId", one.tool},
                {"level", "error"},
                {"message", {{"text", printable(one.text, true)}}}};
    result["locations"] = Json::array();
    if (one.at.line) result["locations"].push_back(place(one.at));
    if (one.other.line) result["relatedLocations"].push_back(place(one.other));
    result["occurrenceCount"] = std::max<std::uint64_t>(1, one.count);
    results.push_back(std::move(result));
  }
  return sarif_log("hipsight check", std::move(results));
}

}  // namespace hipsight::report
