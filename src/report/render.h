#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hipsight/values.h"

/// Values into text and JSON.
namespace hipsight::report {

/// For people: 100 columns at most, but for names. `tables`: of profiles, too.
std::string to_text(const RunReport& run, bool tables = true);
/// For programs: docs/report-schema.md.
std::string to_json(const RunReport& run);
/// Which launches are in the report, of how many.
std::string selection_text(const Selection& selection, std::uint64_t launches);

/// Parts of the text; lines after the first are indented by `indent`.
std::string text_of(const Profile& profile, std::size_t indent);
std::string text_of(const std::vector<Wait>& waits, std::size_t indent);
/// What registers hold, as a sentence; and what scratch is used for, if it is.
std::string text_of(const Registers& registers);
std::string scratch_text(const Registers& registers);

/// "gemm.hip:41"; empty where it is not known.
std::string source_of(const Location& location);
/// "v_add_f32 v0, v1, v2 (gemm.hip:41)", or with the address where the line is not known.
std::string text_of(const Location& location);

}  // namespace hipsight::report
