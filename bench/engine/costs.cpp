// What does not depend on a single kernel: compiling, a second core, counting, starting.

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/case.h"
#include "engine/native.h"
#include "engine/program/program.h"
#include "support/error.h"

namespace hipsight::bench {
namespace {

double median_of_ratios(const std::vector<std::pair<double, double>>& runs) {
  std::vector<double> ratios;
  for (const auto& [one, other] : runs) ratios.push_back(one / other);
  return median(ratios);
}

/// Starts a program, with its output thrown away, and waits for it; the processor seconds it took.
double seconds_of(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error) fail("{} does not start", words.front());
  int status = 0;
  rusage used{};
  if (wait4(child, &status, 0, &used) < 0 || status) fail("{} failed", words.front());
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// A folder of this process's own.
std::filesystem::path scratch() {
  return std::filesystem::temp_directory_path() /
         fmt::format("hipsight-bench-{}", static_cast<int>(getpid()));
}

/// compiling_rows in processes of their own, since code that a process has compiled it does not
/// compile again.
std::vector<Row> compiling() {
  std::filesystem::create_directories(scratch());
  const std::string file = scratch() / "compiling.json";
  setenv("HIPSIGHT_BENCH", "compiling", 1);
  std::map<std::string, std::vector<double>> costs;
  nlohmann::json all;
  for (int i = 0; i < 3; ++i) {
    seconds_of({std::filesystem::canonical("/proc/self/exe"), file});
    all = nlohmann::json::parse(std::ifstream(file));
    for (const auto& row : all) costs[row.at("name")].push_back(row.at("value"));
  }
  std::filesystem::remove_all(scratch());
  std::vector<Row> rows;
  for (const auto& row : all)
    rows.push_back({.name = row.at("name"),
                    .value = median(costs[row.at("name")]),
                    .unit = row.at("unit"),
                    .high_is_better = false,
                    .floor = row.at("floor"),
                    .aim = row.at("aim")});
  return rows;
}

/// By how much two threads are quicker than one; the host's own gain is beside it, since two
/// processors may be one core.
Row second_core(const Place& place) {
  const auto on_the_wall = [&](unsigned threads) {
    Place here = place;
    here.options.threads = threads;
    const auto what = std::make_shared<Case>(sgemm_case(here, 4, 512));
    warm_up(*what);
    return [what] { return what->launch().on_the_wall; };
  };
  const auto host = [](unsigned threads) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::jthread> all;
    // The same work, split.
    for (unsigned i = 0; i < threads; ++i)
      all.emplace_back([=] { native::fma_in_registers(static_cast<int>(200000 / threads)); });
    all.clear();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  return {.name = "two threads against one, fp32 GEMM",
          .value = median_of_ratios(pairs(on_the_wall(1), on_the_wall(2))),
          .unit = "x",
          .floor = 1.8,
          .aim = 1.95,
          .beside = {{"x of the host's FMAs",
                      median_of_ratios(pairs([&] { return host(1); }, [&] { return host(2); }))}}};
}

/// What counting costs. Everything is translated, so that the counts do not decide what runs.
Row counting(Place place, const std::string& name, Case (*make)(const Place&)) {
  place.options.tier = engine::Tier::Translate;
  const Case counted = make(place);
  warm_up(counted);
  // For code that is lowered now, the op that counts does nothing.
  auto& region = const_cast<engine::Code&>(*engine::host_table().find("region"));
  const engine::Code usual = region;
  region.wave32 = region.wave64 = [](engine::Wave&, const engine::Op* op) { return op + 1; };
  const Case uncounted = make(place);
  warm_up(uncounted);
  region = usual;
  return {.name = fmt::format("slowdown by counting, {}", name),
          .value = median_of_ratios(pairs([&] { return counted.launch().seconds; },
                                          [&] { return uncounted.launch().seconds; })),
          .unit = "x",
          .high_is_better = false,
          .floor = 1.3,
          .aim = 1.05};
}

/// Processor seconds of a program without and with what its last run has compiled.
std::pair<double, double> cold_and_cached(const std::vector<std::string>& program) {
  const auto folder = scratch();
  setenv("HIPSIGHT_REPORT", "none", 1);
  setenv("HIPSIGHT_CACHE", folder.c_str(), 1);
  const auto runs = pairs(
      [&] {
        std::filesystem::remove_all(folder);
        return seconds_of(program);
      },
      [&] { return seconds_of(program); });
  setenv("HIPSIGHT_CACHE", "off", 1);
  std::filesystem::remove_all(folder);
  std::vector<double> cold, cached;
  for (const auto& [first, second] : runs) {
    cold.push_back(first);
    cached.push_back(second);
  }
  return {median(cold), median(cached)};
}

/// A program that runs a small kernel once; and, beside the trivial one, one whose kernel is
/// translated at first sight.
std::vector<Row> starting(const Place& place) {
  const auto trivial = cold_and_cached({place.example("saxpy"), "1000"});
  setenv("HIPSIGHT_ENGINE", "translate", 1);
  const auto translated = cold_and_cached({place.example("sgemm"), "64"});
  unsetenv("HIPSIGHT_ENGINE");
  const char* beside = "s with all of sgemm translated";
  return {{.name = "start to end of a trivial program, cold",
           .value = trivial.first,
           .unit = "s",
           .high_is_better = false,
           .floor = 0.3,
           .aim = 0.15,
           .beside = {{beside, translated.first}}},
          {.name = "start to end of a trivial program, cached",
           .value = trivial.second,
           .unit = "s",
           .high_is_better = false,
           .floor = 0.05,
           .aim = 0.03,
           .beside = {{beside, translated.second}}}};
}

}  // namespace

namespace {

/// What the first launch takes longer than the next one, for each instruction of the kernel that
/// was reached, in milliseconds.
double first_launch(Place place, engine::Tier tier) {
  place.options.tier = tier;
  double seconds = 0;
  std::size_t code = 0;
  for (const Case& what : {sgemm_case(place, 1, 128), sgemm_case(place, 4, 128),
                           sgemm_case(place, 8, 128), mandelbrot_case(place)}) {
    const Ran first = what.launch();
    seconds += first.seconds - what.launch().seconds;
    code += first.code;
  }
  return seconds * 1e3 / static_cast<double>(code);
}

double peak_mib() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

/// The same of kernels of more than 5,000 instructions (tests/engine/long.hip), and the memory that
/// it takes.
void add_long_kernels(Place place, std::vector<Row>& rows) {
  place.options.tier = engine::Tier::Translate;
  constexpr std::uint32_t items = 256;
  const double before = peak_mib();
  for (const char* name : {"long_straight", "long_branches"}) {
    Gpu gpu(place.gpu, place.options);
    Launch launch(gpu, place.build / "bench/long.gfx942.co", name);
    const std::vector<std::uint32_t> words(items, 0x3f812345);
    launch.with({1, 1, 1}, {items, 1, 1}, gpu.array(words), gpu.array(words), gpu.array(words),
                items);
    const Ran first = launch.run();
    const double seconds = first.seconds - launch.run().seconds;
    rows.push_back({.name = fmt::format("compiling {}, {} instructions, for one", name, first.code),
                    .value = seconds * 1e3 / static_cast<double>(first.code),
                    .unit = "ms",
                    .high_is_better = false,
                    .floor = 0.25,
                    .aim = 0.1});
  }
  rows.push_back({.name = "memory that this takes more",
                  .value = peak_mib() - before,
                  .unit = "MiB",
                  .high_is_better = false,
                  .floor = 500,
                  .aim = 200});
}

}  // namespace

/// When all is translated at first sight: what a region is compiled for, waves with every lane on
/// or any, is what comes to it; here nearly all are of the first kind, as usual. And for the tier
/// that runs meanwhile, whose ops are compiled with the engine and only chosen.
std::vector<Row> compiling_rows(const Place& place) {
  const double ops = first_launch(place, engine::Tier::Interpret);
  std::vector<Row> rows{{.name = "compiling, for an instruction",
                         .value = first_launch(place, engine::Tier::Translate),
                         .unit = "ms",
                         .high_is_better = false,
                         .floor = 0.25,
                         .aim = 0.1},
                        {.name = "decoding and choosing ops (the quick tier), for an instruction",
                         .value = ops,
                         .unit = "ms",
                         .high_is_better = false,
                         .floor = 0.1,
                         .aim = 0.03}};
  add_long_kernels(place, rows);
  return rows;
}

std::vector<Row> cost_rows(const Place& place) {
  std::vector<Row> rows = compiling();
  rows.push_back(second_core(place));
  rows.push_back(counting(place, "mandelbrot", mandelbrot_case));
  rows.push_back(
      counting(place, "fp32 GEMM", [](const Place& here) { return sgemm_case(here, 4, 512); }));
  for (Row& row : starting(place)) rows.push_back(std::move(row));
  return rows;
}

}  // namespace hipsight::bench
