#pragma once

#include <cstddef>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hipsight/expected.h"
#include "hipsight/values.h"
#include "hipsight/wire.h"

/// The report of a program that ran as a process of its own, as values: what `hipsight run --values
/// FILE -- PROGRAM` leaves. A program that has kernels of its own to launch needs none (gpu.h).
namespace hipsight {

/// What such a file begins with; a RunReport follows (wire.h).
constexpr std::string_view report_file_magic = "hipsight values\n";

inline std::vector<std::byte> report_file(const RunReport& report) {
  wire::Writer writer;
  writer.put(report);
  const auto magic = std::as_bytes(std::span(report_file_magic));
  std::vector<std::byte> bytes(magic.begin(), magic.end());
  bytes.insert(bytes.end(), writer.bytes().begin(), writer.bytes().end());
  return bytes;
}

/// Errors: NotFound; Incompatible, when it is no such file, or a damaged one.
inline Expected<RunReport> read_report(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(in), {});
  if (!in.is_open() || in.bad())
    return Error{Error::Kind::NotFound, path, "cannot read '" + path + "'"};
  RunReport report;
  if (content.starts_with(report_file_magic)) {
    wire::Reader reader(std::as_bytes(std::span(content)).subspan(report_file_magic.size()));
    reader.get(report);
    if (reader.whole()) return report;
  }
  return Error{Error::Kind::Incompatible, path, "'" + path + "' is no whole file of --values"};
}

}  // namespace hipsight
