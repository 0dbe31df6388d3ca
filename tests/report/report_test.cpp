#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "config/config.h"
#include "hipsight/report_file.h"
#include "report/html.h"
#include "report/render.h"
#include "report/reporter.h"
#include "report/side_by_side.h"
#include "session/describe.h"
#include "support/error.h"

namespace hipsight::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A kernel that a compiler might have made, launched by hand.
struct Launched {
  code::Kernel kernel;
  engine::Dispatch dispatch;
  engine::Result result;

  explicit Launched(std::string name = "_Z5saxpyifPKfPf", std::uint32_t groups = 4096) {
    kernel.name = std::move(name);
    kernel.vgprs = 96;
    kernel.sgprs = 24;
    kernel.lds_bytes = 1024;
    kernel.wavefront_size = 64;
    dispatch.kernel = &kernel;
    dispatch.block = {512, 1, 1};
    dispatch.grid = {groups * 512, 1, 1};
    result.workgroups = groups;
    result.waves = groups * 8;
    result.host_seconds = 0.25;
  }
};

void add(Reporter& session, const Launched& launched) {
  engine::Dispatch dispatch = launched.dispatch;
  Reporter::Launch(session, dispatch).add(launched.result);
}

Output nowhere() {
  Output output;
  output.text = Output::Text::None;
  return output;
}

TEST(Session, sums_launches_of_a_kernel) {
  Reporter session(gpus::find("mi300x"), nowhere());
  const Launched launched;
  add(session, launched);
  add(session, launched);
  const json report = json::parse(session.json());
  ASSERT_EQ(report["kernels"].size(), 1u);
  const json& kernel = report["kernels"][0];
  EXPECT_EQ(kernel["title"], "saxpy(int, float, float const*, float*)");
  EXPECT_EQ(kernel["launches"], 2);
  EXPECT_EQ(kernel["workgroups"], 8192);
  EXPECT_EQ(kernel["grid_workgroups"], json({4096, 1, 1}));
  EXPECT_EQ(kernel["grids_differ"], false);
  EXPECT_EQ(kernel["host_seconds"], 0.5);
  // 96 VGPRs: five waves to a SIMD, of which workgroups of eight waves use four.
  EXPECT_EQ(kernel["occupancy"]["waves_per_simd"], 4);
  EXPECT_EQ(kernel["occupancy"]["compiler_waves_per_simd"], 5);
  EXPECT_EQ(kernel["occupancy"]["limiter"], "vgprs");
}

/// Each time a range is entered it launches saxpy twice: once itself, once in a range inside.
TEST(Session, keeps_ranges_apart_and_counts_how_often_each_is_entered) {
  Reporter session(gpus::find("mi300x"), nowhere());
  const Launched launched;
  const auto add_in = [&](const session::Range& range) {
    engine::Dispatch dispatch = launched.dispatch;
    Reporter::Launch(session, dispatch, range).add(launched.result);
  };
  add(session, launched);
  for (const std::uint64_t entry : {1, 3, 5}) {
    add_in({"step", entry});
    add_in({"step / inside", entry + 1});
    add_in({"step", entry});
  }
  const json report = json::parse(session.json());
  EXPECT_EQ(report["ranges"], json::parse(R"([
    {"name": "step", "times": 3, "seconds": 0.0},
    {"name": "step / inside", "times": 3, "seconds": 0.0}])"));
  std::map<std::string, int> launches;
  for (const json& kernel : report["kernels"])
    launches[kernel["range"].is_null() ? "" : kernel["range"]] = kernel["launches"];
  EXPECT_EQ(launches, (std::map<std::string, int>{{"", 1}, {"step", 6}, {"step / inside", 3}}));
  EXPECT_TRUE(has(session.text(), "\nstep: entered 3 times, "));
  EXPECT_TRUE(has(session.text(), " 2 launches  saxpy(int, float, float const*, float*)\n"));
}

TEST(Session, prints_names_as_they_stand_in_the_source) {
  Reporter session(gpus::find("mi300x"), nowhere());
  const Launched half("_Z4gemmiPKDF16_Pf"), c("plain_name");
  add(session, half);
  add(session, c);
  const json kernels = json::parse(session.json())["kernels"];
  EXPECT_EQ(kernels[0]["title"], "gemm(int, _Float16 const*, float*)");
  EXPECT_EQ(kernels[1]["title"], "plain_name");
}

/// Assembly calls every kernel "kernel"; each of its files has another one.
TEST(Session, keeps_kernels_of_one_name_apart) {
  Reporter session(gpus::find("mi300x"), nowhere());
  Launched first("kernel"), second("kernel");
  first.kernel.code_size = 4096;
  second.kernel.code_size = 5120;
  add(session, first);
  add(session, second);
  add(session, first);
  const json kernels = json::parse(session.json())["kernels"];
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0]["launches"], 2);
  EXPECT_EQ(kernels[1]["launches"], 1);
}

TEST(Session, keeps_block_sizes_and_dynamic_lds_apart) {
  Reporter session(gpus::find("mi300x"), nowhere());
  Launched launched;
  add(session, launched);
  launched.dispatch.grid.x = 512;
  add(session, launched);  // another grid: the same entry
  launched.dispatch.block.x = 256;
  add(session, launched);
  launched.dispatch.dynamic_lds = 4096;
  add(session, launched);
  const json kernels = json::parse(session.json())["kernels"];
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0]["grids_differ"], true);
  EXPECT_EQ(kernels[1]["resources"]["lds_bytes"], 1024);
  EXPECT_EQ(kernels[2]["resources"]["lds_bytes"], 5120);
  EXPECT_EQ(kernels[2]["resources"]["dynamic_lds_bytes"], 4096);
}

TEST(Session, a_partial_workgroup_counts) {
  Reporter session(gpus::find("mi300x"), nowhere());
  Launched launched;
  launched.dispatch.grid = {1000, 3, 1};
  add(session, launched);
  EXPECT_EQ(json::parse(session.json())["kernels"][0]["grid_workgroups"], json({2, 3, 1}));
}

TEST(Session, writes_files_once_and_says_what_it_cannot_write) {
  const fs::path folder =
      fs::temp_directory_path() / ("hipsight_report" + std::to_string(getpid()));
  fs::create_directories(folder);
  Output output;
  output.text = Output::Text::File;
  output.text_file = folder / "report.txt";
  output.json_file = folder / "no/such/folder.json";
  output.values_file = folder / "values";
  Reporter session(gpus::find("mi300x"), output);
  const Launched launched;
  add(session, launched);
  testing::internal::CaptureStderr();
  session.finish();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "hipsight: cannot write '" + output.json_file + "': No such file or directory\n");
  EXPECT_EQ(content(output.text_file), session.text());
  EXPECT_EQ(to_json(*read_report(output.values_file)), session.json());
  fs::remove(output.text_file);
  session.finish();
  EXPECT_FALSE(fs::exists(output.text_file));
  fs::remove_all(folder);
}

TEST(Session, options_say_where) {
  EXPECT_EQ(Output::of({}).text, Output::Text::Stderr);
  EXPECT_TRUE(Output::of({}).json_file.empty());
  EXPECT_EQ(Output::of({.report = "none"}).text, Output::Text::None);
  EXPECT_EQ(Output::of({.json = "/x.json"}).json_file, "/x.json");
  EXPECT_EQ(Output::of({.values = "/x"}).values_file, "/x");
  EXPECT_EQ(Output::of({.report = "/r.txt"}).text, Output::Text::File);
  EXPECT_EQ(Output::of({.report = "/r.txt"}).text_file, "/r.txt");
  EXPECT_THROW(Output::of({.profile = 1, .trace = "0"}), Exception);
  EXPECT_THROW(Output::of({.timing_only = true, .check = "memcheck"}), Exception);
}

TEST(Session, options_say_what_is_told) {
  const Output usual = Output::of({});
  EXPECT_FALSE(usual.wishes.profile || usual.wishes.fidelity || usual.wishes.sampled_only ||
               usual.trace);
  EXPECT_FALSE(usual.details.counts || usual.details.profile);
  EXPECT_EQ(Output::of({.predict = true}).wishes.profile, session::usual_sample);
  EXPECT_EQ(usual.wishes.assumptions.instructions, timing::Assumptions().instructions);
  const Output all = Output::of({.details = "counts,profile",
                                 .fidelity = true,
                                 .profile = 8,
                                 .predict = true,
                                 .sampled_only = true,
                                 .caches = "warm",
                                 .simulate = 5,
                                 .record = "/x"});
  EXPECT_TRUE(all.wishes.profile == 8 && all.wishes.fidelity && all.wishes.sampled_only &&
              all.wishes.predict && all.details.profile && !all.details.roofs);
  EXPECT_EQ(all.wishes.assumptions.caches, timing::Caches::Warm);
  EXPECT_EQ(all.wishes.assumptions.instructions, 5u);
  EXPECT_EQ(all.recording_file, "/x");
  EXPECT_EQ(Output::of({.trace = "3:1", .trace_file = "/t"}).trace->file, "/t");
  EXPECT_EQ(selection_of({.kernel = "a|b", .launch = 12}).launch, 12u);
  EXPECT_EQ(selection_of({.kernel = "a|b", .launch = 12}).kernel, "a|b");
  EXPECT_EQ(ProgressOutput::of({.progress = 0.5}).seconds, 0.5);
}

TEST(Session, says_how_exact_instructions_were_if_asked) {
  isa::Instruction add_f32, exp_f32;
  add_f32.row = &isa::row_of(isa::Opcode::V_ADD_F32);
  exp_f32.row = &isa::row_of(isa::Opcode::V_EXP_F32);
  Launched launched;
  launched.result.counts = {{&add_f32, 70, 70 * 64}, {&exp_f32, 30, 30 * 64}};
  Output output = nowhere();
  for (const bool asked : {false, true}) {
    output.wishes.fidelity = asked;
    Reporter session(gpus::find("mi300x"), output);
    add(session, launched);
    add(session, launched);
    const json kernel = json::parse(session.json())["kernels"][0];
    ASSERT_EQ(kernel.contains("fidelity"), asked);
    if (!asked) continue;
    EXPECT_EQ(kernel["fidelity"]["exact"], 140);
    EXPECT_EQ(kernel["fidelity"]["approximate"], 60);
    EXPECT_EQ(kernel["fidelity"]["assumed"], 0);
    ASSERT_EQ(kernel["fidelity"]["inexact"].size(), 1u);
    EXPECT_EQ(kernel["fidelity"]["inexact"][0]["name"], "v_exp_f32");
  }
}

TEST(Session, lists_failed_launches) {
  Reporter session(gpus::find("mi300x"), nowhere());
  Launched spin("_Z4spinv");
  Reporter::Launch(session, spin.dispatch)
      .add(engine::KernelError(engine::KernelError::Kind::Timeout, "spin: ran longer than 2 s"));
  const json report = json::parse(session.json());
  EXPECT_EQ(
      report["errors"][0],
      json({{"kernel", "spin()"}, {"kind", "timeout"}, {"message", "spin: ran longer than 2 s"}}));
  EXPECT_TRUE(has(session.text(), "no kernel ran to its end")) << session.text();
  EXPECT_TRUE(has(session.text(), "spin(): timeout")) << session.text();
}

TEST(Selection, takes_kernels_by_their_demangled_names) {
  Reporter session(gpus::find("mi300x"), nowhere(), {.kernel = "^saxpy\\(int"});
  add(session, Launched());
  add(session, Launched("_Z4gemmiPKDF16_Pf"));
  add(session, Launched());
  const json report = json::parse(session.json());
  ASSERT_EQ(report["kernels"].size(), 1u);
  EXPECT_EQ(report["kernels"][0]["launches"], 2);
  EXPECT_EQ(report["selection"],
            json({{"kernel", "^saxpy\\(int"}, {"launch", nullptr}, {"of_launches", 3}}));
  EXPECT_TRUE(has(session.text(), "only kernels matching '^saxpy\\(int'; the program made 3"))
      << session.text();
}

TEST(Selection, takes_one_launch_of_them) {
  Reporter session(gpus::find("mi300x"), nowhere(), {.kernel = "saxpy", .launch = 2});
  add(session, Launched("_Z5saxpyifPKfPf", 10));
  add(session, Launched("_Z4gemmiPKDF16_Pf", 20));
  add(session, Launched("_Z5saxpyifPKfPf", 30));
  add(session, Launched("_Z5saxpyifPKfPf", 40));
  const json kernels = json::parse(session.json())["kernels"];
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0]["workgroups"], 30);
}

TEST(Selection, says_when_nothing_was_selected) {
  Reporter session(gpus::find("mi300x"), nowhere(), {.kernel = {}, .launch = 7});
  add(session, Launched());
  EXPECT_TRUE(has(session.text(), "only launch 7 of all kernels; the program made 1 launch in all"))
      << session.text();
  EXPECT_TRUE(has(session.text(), "no such launch ran to its end")) << session.text();
}

TEST(Selection, refuses_nonsense) {
  EXPECT_THROW(Reporter(gpus::find("mi300x"), nowhere(), {.kernel = "("}), Exception);
}

// stderr goes into a pipe, so that a test can wait for what is written.
TEST(Progress, tells_what_runs_and_how_far_it_is) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int before = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  {
    Reporter session(gpus::find("mi300x"), nowhere(), {}, {.seconds = 0.01, .rewritten = false});
    Launched done, launched;
    add(session, done);
    Reporter::Launch running(session, launched.dispatch);
    *launched.dispatch.finished += 1024;
    std::string text;
    while (!has(text, "25 % of 4096 workgroups")) {
      char buffer[4096];
      const ssize_t size = read(ends[0], buffer, sizeof buffer);
      ASSERT_GT(size, 0);
      text.append(buffer, static_cast<std::size_t>(size));
    }
    EXPECT_TRUE(has(text, " s, 1 launches done; saxpy(int, float, float const*, float*): 25 % of"))
        << text;
  }
  dup2(before, STDERR_FILENO);
  for (const int file : {ends[0], ends[1], before}) close(file);
}

/// Of kernels with these names, by hand.
RunReport report_on(const char* gpu, const std::vector<std::string>& kernels) {
  RunReport report;
  report.gpu.name = gpu;
  for (const std::string& title : kernels) {
    KernelReport& kernel = report.kernels.emplace_back();
    kernel.kernel.title = title;
    kernel.block = {64, 2, 1};
    kernel.counts.launches = 1;
  }
  return report;
}

TEST(SideBySide, compares_kernels_by_name) {
  const GpuRun runs[] = {{"mi300x", report_on("mi300x", {"one()", "two()", "two()"}), ""},
                         {"rx7900xtx", report_on("rx7900xtx", {"two()"}), ""},
                         {"mi355x", {}, "exit code 1\nno code for gfx950"}};
  EXPECT_EQ(to_text(runs),
            R"(
hipsight: the same program on several GPUs. Times of one launch, predicted; nine of ten
measured ones of such kernels lie between the two beside it (docs/timing.md)

one()
  mi300x            ?  not predicted (1 launch, blocks of 128)
  rx7900xtx  did not run
  mi355x     did not run

two()
  mi300x            ?  not predicted (1 launch, blocks of 128)
  rx7900xtx         ?  not predicted (1 launch, blocks of 128)
  mi355x     did not run

two() (2)
  mi300x            ?  not predicted (1 launch, blocks of 128)
  rx7900xtx  did not run
  mi355x     did not run

mi355x: exit code 1
no code for gfx950
)");
}

TEST(SideBySide, says_how_far_off_predictions_may_be) {
  GpuRun runs[] = {{"mi300x", report_on("mi300x", {"k()"}), ""},
                   {"mi210", report_on("mi210", {"k()"}), ""},
                   {"rx7900xtx", report_on("rx7900xtx", {"k()"}), ""}};
  for (GpuRun& run : runs) {
    Prediction& prediction = run.report->kernels[0].prediction.emplace();
    prediction.seconds = 2e-6;
    prediction.bound.sentence = "memory";
  }
  runs[0].report->kernels[0].prediction->error =
      ModelError{.seconds_at_least = 1e-6, .seconds_at_most = 3e-6};
  runs[1].report->kernels[0].prediction->error =
      ModelError{.seconds_at_least = 1e-6, .seconds_at_most = {}};
  const std::string text = to_text(runs);
  EXPECT_TRUE(has(text, "Times of one launch, predicted;")) << text;
  for (const char* row :
       {"  mi300x      2.00 us  1.00 us to 3.00 us  memory (1 launch, blocks of 128)\n",
        "  mi210       2.00 us  1.00 us to ?  memory (", "  rx7900xtx   2.00 us  UNVALIDATED  mem"})
    EXPECT_TRUE(has(text, row)) << row << text;
}

TEST(SideBySide, joins_the_reports) {
  const GpuRun runs[] = {{"mi300x", report_on("mi300x", {"one()"}), ""},
                         {"rx7900xtx", report_on("rx7900xtx", {"one()"}), ""},
                         {"mi355x", {}, "exit code 1"}};
  json whole = json::parse(to_json(runs));
  const json also = whole["also"];
  ASSERT_EQ(also.size(), 2u);
  EXPECT_EQ(also[0], json({{"gpu", "rx7900xtx"},
                           {"report", json::parse(to_json(*runs[1].report))},
                           {"problem", nullptr}}));
  EXPECT_EQ(also[1], json({{"gpu", "mi355x"}, {"report", nullptr}, {"problem", "exit code 1"}}));
  whole.erase("also");
  EXPECT_EQ(whole, json::parse(to_json(*runs[0].report)));
  const std::string docs = content(fs::path(HIPSIGHT_DOCS) / "report-schema.md");
  for (const char* key : {"also", "report", "problem"})
    EXPECT_TRUE(has(docs, "`" + std::string(key) + "`")) << key;
}

// A report of a kernel with a bit of everything.
RunReport full() {
  const gpus::Gpu gpu = gpus::find("mi300x");
  RunReport run;
  run.gpu = session::describe(gpu);
  KernelReport report;
  KernelFacts& kernel = report.kernel;
  kernel.name = kernel.title = "attention\xff";  // not UTF-8
  kernel.target = "gfx942";
  report.block = {256, 1, 1};
  report.grid = {64, 32, 1};
  kernel.vgprs = 128;
  kernel.agprs = 32;
  kernel.sgprs = 60;
  kernel.lds_bytes = 16384;
  report.dynamic_lds = 256;
  kernel.scratch_bytes = 16;
  kernel.vgpr_spills = 3;
  profile::Summary sum;
  sum.launches = 3;
  sum.workgroups = 3 * 2048;
  sum.waves = sum.workgroups * 4;
  for (std::size_t i = 0; i < profile::kPipes; ++i) sum.instructions[i] = 1000000 * (i + 1);
  for (std::size_t i = 0; i < profile::kNumbers; ++i)
    sum.vector_operations[i] = sum.matrix_operations[i] = 1e9 * double(i);
  sum.vector_lanes = 64 * 7000000;
  for (profile::Bytes* space : {&sum.global, &sum.flat, &sum.lds, &sum.scratch, &sum.scalar})
    *space = {1e9, 1e8};
  report.counts = session::describe(sum, 64);
  report.fidelity = session::describe(profile::FidelitySummary{
      1000, {{"V_EXP_F32", {{isa::Fidelity::Approximate, "of a table that is not public"}, 20}}}});
  ProfileRow row;
  row.at.file = "src/attention.hip";
  row.at.line = 42;
  row.executions = 1000;
  row.requests = 100;
  row.sectors = 800;
  row.bytes = 12800;
  row.lds_cycles = 500;
  row.lds_conflict_cycles = 125;
  row.caches = {400, 100, 300, 150};
  report.profile = {1, 64, 8, 4, 0.01, true, profile::kSectorBytes, row, {row}, {row}};
  report.profile->instructions[0].live_vgprs = 61;
  report.profile->instructions[0].live_agprs = 16;
  report.profile->instructions[0].at.instruction = "global_load_dword v1, v[2:3], off";
  timing::Resources need;
  need.vgprs = 128;
  need.workgroup_size = 256;
  const auto fewer = timing::with_fewer_vgprs(gpu, need);
  Registers& registers = report.registers.emplace();
  registers.vgprs = 96;
  registers.agprs = 32;
  registers.live_vgprs = 61;
  registers.live_agprs = 16;
  registers.at = {"v_add_f32_e32 v1, v2, v3", 0x1234, "src/attention.hip", 42};
  registers.calls = true;
  registers.waves_per_simd = 4;
  registers.vgprs_for_more = fewer->vgprs;
  registers.waves_per_simd_with_fewer = fewer->occupancy.waves_per_simd();
  registers.scratch_stores = 12;
  registers.scratch_loads = 1;
  registers.scratch_line = {"", 0, "src/attention.hip", 30};
  registers.spills = true;
  const timing::Occupancy occupancy = timing::occupancy(gpu, need);
  report.occupancy = session::occupancy_facts(gpu, need);
  report.roofline = session::roofline(gpu, sum, occupancy, 64);
  report.roofline.roofs.push_back({"dram_compulsory", "DRAM, compulsory", 1e-5, "100 MB"});
  Prediction& prediction = report.prediction.emplace();
  prediction.seconds = 40e-6;
  prediction.launch_seconds = 2e-6;
  prediction.cycles = 8e4;
  prediction.clock_ghz = 2.1;
  prediction.bound = {Bound::Kind::Unit, "LDS", "LDS"};
  prediction.busy = {{"LDS", 0.83}, {"L1", 0.4}};
  prediction.stalls = {{"LDS data", 0.6}, {"loads", 0.4}};
  prediction.waits = {{registers.at, {}, "LDS data", 0.5}};
  prediction.lines = {{{"", 0, "src/attention.hip", 42}, 0.625, "LDS data"}};
  report.verdict = {"LDS",
                    120e-6,
                    0.75,
                    {{"lds-bank-conflicts", "pad or swizzle", "25 % are bank conflicts",
                      registers.at, 30e-6, 0.25},
                     {"occupancy", "take less", "2 of 8 waves", {}, 36e-6, 0.1}},
                    "",
                    {{"clock=2.0", 42e-6, -0.05, "LDS", ""}, {"lds=1K", 0, 0, "", "none fits"}}};
  run.kernels.push_back(report);
  run.errors.push_back({"bad", "memory access", "bad: reads outside every allocation"});
  return run;
}

void keys(const json& value, std::vector<std::string>& out) {
  for (const auto& [key, item] : value.items()) {
    if (value.is_object()) out.push_back(key);
    if (item.is_structured()) keys(item, out);
  }
}

TEST(Json, every_key_is_documented) {
  const std::string docs = content(fs::path(HIPSIGHT_DOCS) / "report-schema.md");
  ASSERT_FALSE(docs.empty());
  const json report = json::parse(to_json(full()));
  EXPECT_EQ(report["schema"], "hipsight.report");
  EXPECT_EQ(report["version"], 2);
  std::vector<std::string> all;
  keys(report, all);
  EXPECT_GT(all.size(), 80u);
  for (const std::string& key : all) {
    // Types of numbers are documented by example.
    const bool number = key.size() <= 4 && key.find_first_of("0123456789") != key.npos;
    EXPECT_TRUE(number || has(docs, "`" + key + "`")) << key;
  }
  for (const json& roof : report["kernels"][0]["roofs"])
    EXPECT_TRUE(has(docs, "`" + roof["kind"].get<std::string>() + "`")) << roof;
}

TEST(Text, answers_in_five_lines) {
  RunReport run = full();
  run.kernels[0].fidelity.reset();
  const auto whole = [&] { return to_text(run); };
  EXPECT_TRUE(has(whole(), R"(
attention\xff: 120 us in 3 launches, each 40.0 us, 75 % of the time
  bound by      LDS
  hottest line  attention.hip:42, 62 % of its waves' time, mostly waiting for LDS data
  to try        -25 %, to 30.0 us: pad or swizzle (attention.hip:42)
  see           1 more to try, all figures: -v; what that means: docs/advice.md, lds-bank-conflicts
  what if       now         40.0 us            LDS
                clock=2.0   42.0 us    +5.0 %  LDS
                lds=1K         none            none fits

)")) << whole();
  EXPECT_TRUE(has(whole(), "UNVALIDATED")) << whole();
  EXPECT_EQ(whole().find("UNVALIDATED"), whole().rfind("UNVALIDATED"));
  KernelReport& kernel = run.kernels[0];
  kernel.prediction->error = ModelError{.median_percent = 4,
                                        .p90_percent = 10,
                                        .points = 20,
                                        .seconds_at_least = 36e-6,
                                        .seconds_at_most = 45e-6};
  kernel.verdict.advice.clear();
  EXPECT_TRUE(has(whole(), "each 40.0 us (36.0 us to 45.0 us), 75 % of the time")) << whole();
  EXPECT_TRUE(has(whole(), "to try        nothing that the model knows would save 5 %"));
  EXPECT_FALSE(has(whole(), "UNVALIDATED")) << whole();
  kernel.prediction.reset();
  kernel.verdict = {.why_none = "not asked for"};
  EXPECT_TRUE(has(whole(), "attention\\xff: 3 launches, no prediction: not asked for\n"));
  EXPECT_TRUE(has(whole(), "128 VGPRs")) << "there is nothing else to tell";
}

TEST(Csv, has_a_line_for_each_change) {
  RunReport run = full();
  run.kernels[0].kernel.title = "scale(float*, \"x\")";
  const std::string begin = "\"scale(float*, \"\"x\"\")\",,";
  EXPECT_EQ(to_csv(run), "kernel,range,change,seconds,gain,bound,why_none\n" + begin +
                             ",4e-05,0,LDS,\n" + begin + "clock=2.0,4.2e-05,-0.05,LDS,\n" + begin +
                             "lds=1K,,,,none fits\n");
}

TEST(Text, has_the_sections_that_are_asked_for) {
  RunReport run = full();
  run.kernels[0].fidelity.reset();
  const std::pair<const char*, const char*> sections[]{
      {"advice", "2 of 8 waves"},       {"counts", "60 SGPRs"},
      {"prediction", "busy: LDS 83 %"}, {"profile", "8 of 64 workgroups observed"},
      {"registers", "16 of 32 AGPRs"},  {"roofs", "FLOP per byte"}};
  for (const auto& [asked, of_it] : sections)
    for (const auto& [section, part] : sections)
      EXPECT_EQ(has(to_text(run, Details::of(asked)), part), section == asked)
          << asked << ", " << section;
}

TEST(Text, fits_a_hundred_columns_and_says_what_it_is) {
  const std::string text = to_text(full(), Details::of("all"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  for (const char* part :
       {"AMD Instinct MI300X (mi300x",
        "3 launches",
        "64 x 32 workgroups of 256 work-items",
        "128 VGPRs (32 of them AGPRs)",
        "60 SGPRs",
        "LDS 16640 B (256 dynamic)",
        "spilled 3 VGPRs, 0 SGPRs",
        "4 of 8 waves per SIMD, limited by VGPRs",
        "at most 61 of 96 VGPRs and 16 of 32 AGPRs hold what is read later, at v_add_f32_e32",
        "v2, v3 (attention.hip:42); what the functions that it calls read is not known",
        "96 or fewer of both a SIMD would have 5 waves, not 4",
        "VGPRs spilled: 12 stores and 1 load in its code, most at attention.hip:30",
        "matrix f16",
        "global 1.00 GB read + 100 MB written",
        "FLOP per byte",
        "DRAM, compulsory",
        "UNVALIDATED",
        "1 launch failed",
        "bad: memory access",
        "98 % exact, 2 % approximate, 0 % assumed",
        "8 of 64 workgroups observed, 4 of them neighbours",
        "be 1 % off",
        "12.8 kB asked for, 25.6 kB moved",
        "500 cycles of its compute unit, 25 % of them",
        "100 %       100        8     50 %     25 %      50 %      25 %  attention.hip:42",
        "global_load_dword v1, v[2:3], off at 0x0",
        "v_exp_f32, 20 times: approximate; of a table that is not public"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
}

/// A page that holds whatever names and source may be; with the answer first.
TEST(Html, escapes_what_is_anybodys) {
  const std::string evil = "</style></td><script>alert(1)</script><img src=x onerror='a()'>&\"";
  RunReport run = full();
  KernelReport& kernel = run.kernels[0];
  kernel.kernel.title = kernel.kernel.name = evil;
  kernel.verdict.bound = evil;
  kernel.verdict.why_none = evil;
  kernel.verdict.advice[0] = {evil, evil, evil, {evil, 4, evil, 3}, 1e-5, 0.5};
  kernel.prediction->lines[0].at = {evil, 4, evil + ".hip", 1};
  kernel.verdict.what_if = {{evil, 1e-5, 0.5, evil, ""}, {evil, 0, 0, "", evil}};
  kernel.occupancy.steps = {{evil, 96, 5}};
  kernel.prediction->lines[0].cause = evil;
  kernel.prediction->stalls[0].of = evil;
  kernel.prediction->busy[0].of = evil;
  kernel.profile->lines[0].at = {"", 0, evil + ".hip", 1};
  kernel.profile->instructions[0].at = {evil, 4, evil + ".hip", 1};
  kernel.roofline.roofs[0].name = evil;
  kernel.occupancy.sentence = evil;
  kernel.registers->at = {evil, 4, evil, 3};
  run.gpu.title = run.gpu.target_id = evil;
  run.errors[0] = {evil, evil, evil};
  run.selection.kernel = evil;
  run.kernels.push_back(kernel);
  run.kernels.back().prediction.reset();
  const std::string page = to_html(run, [&](const std::string&) { return evil + "\n" + evil; });
  EXPECT_FALSE(has(page, "<script") || has(page, "<img") || has(page, "onerror='")) << page;
  EXPECT_TRUE(has(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
  // Tags are ours alone: one of each that opens a page or its style.
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = page.find(part, at)) != page.npos; at += part.size()) ++found;
    return found;
  };
  for (const char* once :
       {"<html", "</html>", "<style>", "</style>", "<body>", "</body>", "<main>"})
    EXPECT_EQ(count(once), 1u) << once;
  for (const char* tag :
       {"table", "tr", "td", "details", "article", "dl", "dd", "svg", "div", "ol"})
    EXPECT_EQ(count("<" + std::string(tag) + ">") + count("<" + std::string(tag) + " "),
              count("</" + std::string(tag) + ">"))
        << tag;
}

/// A launch that moves a byte for each operation, half of which the L1 has, and 3 of 4 others the
/// L2.
TEST(Html, draws_the_roofline) {
  RunReport run = full();
  KernelReport& kernel = run.kernels[0];
  kernel.counts.floating_operations = 1e9;
  kernel.verdict.seconds = 1e-3;  // 1 TFLOP/s
  kernel.roofline.arithmetic_intensity = 1;
  kernel.profile->all.caches = {.l1_loads = 100, .l1_hits = 50, .l2_requests = 50, .l2_hits = 37};
  kernel.roofline.roofs = {{"vector", "vector f32", 1e-5, "", 100e12},
                           {"matrix", "matrix <f16>", 1e-6, "", 1000e12},
                           {"dram_requested", "DRAM, all requests", 1e-3, "", 1e12}};
  const SourceText none = [](const std::string&) { return std::string(); };
  const std::string page = to_html(run, none);
  for (const char* part : {"asked for: 1.00 TFLOP/s at 1 FLOP per byte",
                           "beyond the L1: 1.00 TFLOP/s at 2 FLOP per byte",
                           "beyond the L2: 1.00 TFLOP/s at 7.69 FLOP per byte",
                           "matrix &lt;f16&gt;: 1.00 PFLOP/s", "DRAM: 1.00 TB/s"})
    EXPECT_TRUE(has(page, part)) << part;
  kernel.prediction.reset();
  EXPECT_FALSE(has(to_html(run, none), "class=\"roofline\""));
}

TEST(Html, needs_nothing_else) {
  const std::string page = to_html(full(), [](const std::string&) { return "int x;"; });
  EXPECT_TRUE(has(page, "content=\"default-src 'none'; style-src 'unsafe-inline'\""));
  for (const char* part : {"http://", "https://", "src=", "url(", "@import", "<link", "<script",
                           "<iframe", "<object", "<form", "javascript:"})
    EXPECT_FALSE(has(page, part)) << part;
  for (std::size_t at = 0; (at = page.find("href=\"", at)) != page.npos; at += 6)
    EXPECT_EQ(page[at + 6], '#') << page.substr(at, 40);
  // What the first screen has comes before all tables.
  const std::size_t answer = page.find("<dl class=\"answer\">"), end = page.find("</dl>", answer);
  ASSERT_NE(answer, page.npos);
  EXPECT_LT(end, page.find("<details"));
  const std::string first = page.substr(answer, end - answer);
  for (const char* part :
       {"40.0 us", "LDS", "attention.hip:42", "pad or swizzle", "25 %", "30.0 us"})
    EXPECT_TRUE(has(first, part)) << part << first;
  EXPECT_LT(page.find("UNVALIDATED"), answer);
  EXPECT_EQ(page.find("UNVALIDATED"), page.rfind("UNVALIDATED"));  // said once
  EXPECT_TRUE(has(page, "global_load_dword v1, v[2:3], off"));
}

/// In a browser: no script runs, neither one that a name would bring nor one that stood in the
/// page.
TEST(Html, runs_no_script_in_a_browser) {
  if (std::system("command -v chromium >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "NOT RUN: there is no chromium here";
  const fs::path folder = fs::temp_directory_path() / ("hipsight_page" + std::to_string(getpid()));
  fs::create_directories(folder);
  RunReport run = full();
  const std::string script = "<script>document.title='ran'</script>",
                    image = "<img src=x onerror=\"document.title='ran'\">";
  run.kernels[0].kernel.title = script + image;
  const std::string page = to_html(run, [&](const std::string&) { return script + image; });
  const auto dom = [&](const std::string& text) {
    std::ofstream(folder / "page.html") << text;
    const std::string line =
        "timeout 60 chromium --headless=new --no-sandbox --disable-gpu --dump-dom "
        "--user-data-dir=" +
        (folder / "profile").string() + " file://" + (folder / "page.html").string() + " >" +
        (folder / "dom").string() + " 2>/dev/null";
    EXPECT_EQ(std::system(line.c_str()), 0);
    return content(folder / "dom");
  };
  const std::string plain = dom(page);
  EXPECT_TRUE(has(plain, "<dt>predicted time</dt>")) << plain.substr(0, 2000);
  EXPECT_FALSE(has(plain, "<title>ran</title>"));
  const std::string with_scripts = dom(page + script + image);
  EXPECT_TRUE(has(with_scripts, "<script>") && !has(with_scripts, "<title>ran</title>"));
  // The browser does run them where nothing forbids it.
  EXPECT_TRUE(has(dom("<!doctype html><title>no</title>" + script), "<title>ran</title>"));
  fs::remove_all(folder);
}

TEST(Html, shows_source_of_source_files_only) {
  const fs::path folder = fs::temp_directory_path() / ("hipsight_html" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "a.hip") << "int x;";
  std::ofstream(folder / "secret") << "hush";
  fs::create_directories(folder / "folder.hip");
  EXPECT_EQ(source_text(folder / "a.hip"), "int x;");
  for (const char* name : {"secret", "folder.hip", "missing.hip"})
    EXPECT_EQ(source_text(folder / name), "") << name;
  fs::remove_all(folder);
}

}  // namespace
}  // namespace hipsight::report
