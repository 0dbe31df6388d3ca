#include "hipsight/wire.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "hipsight/gpu.h"
#include "hipsight/report_file.h"

namespace hipsight {
namespace {

using wire::Reader;
using wire::Writer;

template <class T>
T round_trip(const T& value) {
  Writer writer;
  writer.put(value);
  Reader reader(writer.bytes());
  T back{};
  reader.get(back);
  EXPECT_TRUE(reader.whole());
  return back;
}

TEST(Wire, brings_back_what_was_put) {
  KernelReport report;
  report.kernel.name = "gemm";
  report.kernel.arguments = {{"a", true, 8}, {"n", false, 4}};
  report.grid = {1, 2, 3};
  report.counts.by_pipe = {{"vector", 12.5}};
  report.prediction.emplace().waits = {{{"v_add", 16, "x.hip", 3}, {}, "loads", 0.25}};
  report.prediction->error = ModelError{.median_percent = 4, .seconds_at_most = {}};
  const KernelReport back = round_trip(report);
  EXPECT_EQ(back.kernel.name, "gemm");
  ASSERT_EQ(back.kernel.arguments.size(), 2u);
  EXPECT_EQ(back.kernel.arguments[1].bytes, 4u);
  EXPECT_EQ(back.grid, (Dim3{1, 2, 3}));
  EXPECT_EQ(back.counts.by_pipe.at(0).value, 12.5);
  EXPECT_EQ(back.prediction.value().waits.at(0).at.file, "x.hip");
  EXPECT_EQ(back.prediction->error.value().median_percent, 4);
  EXPECT_FALSE(back.prediction->error->seconds_at_most);
  EXPECT_FALSE(back.profile);
}

struct Old {
  int a = 1;
  std::string b = "b";
  HIPSIGHT_FIELDS(a, b)
};
struct New {
  int a = 1;
  std::string b = "b";
  std::vector<Old> c = {{}};
  double d = 0.5;
  HIPSIGHT_FIELDS(a, b, c, d)
};
struct OldPair {
  Old first;
  int second = 0;
  HIPSIGHT_FIELDS(first, second)
};
struct NewPair {
  New first;
  int second = 0;
  HIPSIGHT_FIELDS(first, second)
};

TEST(Wire, older_readers_skip_new_fields) {
  NewPair pair;
  pair.first.a = 5;
  pair.second = 9;
  Writer writer;
  writer.put(pair);
  OldPair old;
  Reader reader(writer.bytes());
  reader.get(old);
  EXPECT_TRUE(reader.whole());
  EXPECT_EQ(old.first.a, 5);
  EXPECT_EQ(old.second, 9);
}

TEST(Wire, newer_readers_keep_what_older_writers_did_not_know) {
  OldPair pair;
  pair.first.b = "x";
  pair.second = 9;
  Writer writer;
  writer.put(pair);
  NewPair read;
  Reader reader(writer.bytes());
  reader.get(read);
  EXPECT_TRUE(reader.whole());
  EXPECT_EQ(read.first.b, "x");
  EXPECT_EQ(read.first.d, 0.5);
  EXPECT_EQ(read.first.c.size(), 1u);
  EXPECT_EQ(read.second, 9);
}

TEST(Wire, what_is_cut_is_told) {
  New value;
  value.b = "a longer text";
  Writer writer;
  writer.put(value);
  for (std::size_t size = 0; size < writer.bytes().size(); ++size) {
    Reader reader(std::span(writer.bytes()).first(size));
    New back;
    reader.get(back);
    EXPECT_FALSE(reader.whole()) << size;
  }
}

class ReportFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "hipsight_report_file_" + std::to_string(getpid());
    report_.gpu.name = "mi300x";
    report_.kernels.emplace_back().kernel.title = "saxpy()";
  }
  void TearDown() override { std::remove(path_.c_str()); }
  void write(std::span<const std::byte> bytes) {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  }
  std::string path_;
  RunReport report_;
};

TEST_F(ReportFile, brings_the_report_back) {
  write(report_file(report_));
  const auto back = read_report(path_);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->gpu.name, "mi300x");
  EXPECT_EQ(back->kernels.at(0).kernel.title, "saxpy()");
}

TEST_F(ReportFile, is_whole_or_an_error_that_names_it) {
  const auto none = read_report(path_);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, Error::Kind::NotFound);
  EXPECT_EQ(none.error().text, "cannot read '" + path_ + "'");
  std::vector<std::byte> bytes = report_file(report_);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    write(std::span(bytes).first(size));
    const auto cut = read_report(path_);
    ASSERT_FALSE(cut) << size;
    EXPECT_EQ(cut.error().kind, Error::Kind::Incompatible);
    EXPECT_EQ(cut.error().place, path_);
  }
  bytes[0] = std::byte{'H'};
  write(bytes);
  EXPECT_FALSE(read_report(path_));
}

// How many values a struct takes in braces: its fields.
struct Anything {
  template <class T>
  operator T() const;
};
template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Anything())...}; };
}
template <class T, std::size_t N = 0>
constexpr std::size_t field_count() {
  if constexpr (takes<T>(std::make_index_sequence<N + 1>()))
    return field_count<T, N + 1>();
  else
    return N;
}

template <class T>
void expect_complete_one() {
  EXPECT_EQ(field_count<T>(), std::tuple_size_v<decltype(T().fields())>) << T::field_names;
}
template <class... T>
void expect_complete() {
  (expect_complete_one<T>(), ...);
}

/// A field that is not listed would be lost on its way.
TEST(Wire, every_struct_lists_all_its_fields) {
  expect_complete<Error, Dim3, GpuFacts, Location, ArgumentFacts, KernelFacts, Amount, Traffic,
                  Counts, Occupancy, Roof, Roofline, Advice, WhatIf, Verdict, Wait, HotLine,
                  ModelError, Prediction, Registers, CacheUse, ProfileRow, Profile, Fidelity,
                  Fidelity::Inexact, Finding, KernelReport, FailedLaunch, UnfinishedLaunch,
                  RangeReport, Collective, CollectiveTime, OtherGpu, Selection, RunReport,
                  GpuOptions, LaunchConfig, RecordConfig>();
}

}  // namespace
}  // namespace hipsight
