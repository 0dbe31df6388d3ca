#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hipsight/values.h"
#include "report/source_text.h"

/// Values into text and JSON.
namespace hipsight::report {

/// What the text says of a kernel beside the answer: sections.
struct Details {
  bool advice = false, counts = false, explanation = false, prediction = false, profile = false,
       registers = false, roofs = false;
  /// "counts,roofs", or "all": as option `details` takes it. @throws Exception for other words.
  static Details of(std::string_view list);
};
/// For people: 100 columns at most, but for names. Five lines a kernel, and what else is asked for.
std::string to_text(const RunReport& run, const Details& details = {});
/// For programs: docs/report-schema.md.
std::string to_json(const RunReport& run);
/// What checks found, as SARIF 2.1.0.
std::string to_sarif(const RunReport& run);
/// What-ifs as comma-separated values, a line each: docs/what-if.md.
std::string to_csv(const RunReport& run);
/// What-ifs with several values as curves of time by value, as an SVG file.
std::string what_if_svg(const RunReport& run);
/// What the program did on the GPU's clock, for people; and as a trace in Chrome's format, which
/// Perfetto opens. Nothing where the report has none.
std::string timeline_text(const RunReport& run);
std::string timeline_trace(const RunReport& run);
/// Which launches are in the report, of how many.
std::string selection_text(const Selection& selection, std::uint64_t launches);

/// The answer about a kernel, in five lines: how long it takes, what bounds it, its hottest line,
/// what to change, and where to look further.
struct AnswerLine {
  std::string label;  ///< empty: of the first line
  std::string text;
};
std::vector<AnswerLine> answer(const KernelReport& kernel);
/// What must be known to read the answers' times; empty: nothing.
std::string caveat(const RunReport& run);
/// "26.9 us to 42.6 us".
std::string between(const ModelError& error);
/// "-31 %, to 12.1 us: let adjacent lanes access adjacent addresses (transpose.hip:16)".
std::string text_of(const Advice& advice);

/// "-31 %", "+4 %"; "as now" where it is the same to a percent's tenth.
std::string change_of_time(double gain);
/// Words, broken before column 100; lines after the first are indented.
std::string paragraph(std::string_view text, std::size_t indent);
/// Parts of the text; lines after the first are indented by `indent`.
std::string text_of(const Profile& profile, std::size_t indent);
std::string text_of(const std::vector<Wait>& waits, std::size_t indent);
/// Where its waves' time goes: by cause, and by line, with the instructions of each; what it takes
/// of a compute unit, and all advice. It has a prediction.
std::string explanation(const KernelReport& kernel, Sources& sources);
/// Of these, what it takes of a compute unit: known without a prediction.
std::string resources_text(const KernelReport& kernel);
/// How long it takes now, and with each change that was asked about. It has a prediction.
std::string what_if_text(const KernelReport& kernel, std::size_t indent);
/// What registers hold, as a sentence; and what scratch is used for, if it is.
std::string text_of(const Registers& registers);
std::string scratch_text(const Registers& registers);

/// "gemm.hip:41"; empty where it is not known.
std::string source_of(const Location& location);
/// "v_add_f32 v0, v1, v2 (gemm.hip:41)", or with the address where the line is not known.
std::string text_of(const Location& location);

}  // namespace hipsight::report
