#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "gpus/gpu.h"
#include "support/build_id.h"
#include "support/error.h"
#include "support/files.h"
#include "support/fnv.h"
#include "support/output_file.h"
#include "support/printable.h"
#include "tune/ranking.h"
#include "tune/space.h"

namespace hipsight::cli {
namespace {

namespace fs = std::filesystem;
using tune::Point;
using tune::Result;

/// Of several texts, each with its end.
class Hash {
 public:
  void add(std::string_view text) {
    hash_.add(text);
    hash_.add(static_cast<unsigned char>(0xff));  // no text has it in UTF-8
  }
  std::string text() const { return fmt::format("{:016x}", hash_.value()); }

 private:
  Fnv hash_;
};

class Tuner {
 public:
  explicit Tuner(const TuneOptions& options)
      : options_(options),
        shared_(options.ranks.size > 1 ? fs::path(options.log + "." + options.ranks.job)
                                       : scratch_ / "shared"),
        earlier_(options.log),
        now_(shared_ / "results") {
    std::vector<tune::Parameter> parameters;
    for (const std::string& text : options.parameters)
      parameters.push_back(tune::Parameter::read(text));
    points_ = tune::points(parameters);
    for (const Point& point : points_)
      filled(point, "");  // a wrong name fails before anything runs
    if (!options.build.empty()) command(points_.front(), "");
    if (!options.log.empty()) earlier_.read();
    fs::create_directories(shared_);
  }

  /// None: other ranks are still at it, and the last one will have them.
  std::optional<std::vector<Result>> results();

 private:
  /// `out`: where the build is to put the program.
  RunOptions filled(Point point, const std::string& out) const {
    point["out"] = out;
    RunOptions run = options_.run;
    for (auto* words : {&run.program, &run.launcher})
      for (std::string& word : *words) word = tune::filled(word, point);
    return run;
  }
  std::string command(Point point, const std::string& out) const {
    point["out"] = out;
    return tune::filled(options_.build, point);
  }
  /// What the result depends on: the words, what is in files that they name, the GPU, the options
  /// and this build of hipsight.
  std::string key(const Point& point, const RunOptions& run) const;
  /// Why it could not be built; empty: it was.
  std::string build(const Point& point, const fs::path& folder) const;
  /// Whoever comes first has it, of all processes that work together.
  bool claims(const std::string& name) const;
  /// All points of this part that nobody else does.
  void work() const;
  Result measure(const Point& point, const fs::path& folder,
                 const std::map<std::string, Result>& known) const;

  const TuneOptions& options_;
  TemporaryFolder scratch_;
  fs::path shared_;          ///< with the processes that work together
  tune::Log earlier_, now_;  ///< the user's, if there is one; and what came of this run
  std::vector<Point> points_;
};

std::string Tuner::key(const Point& point, const RunOptions& run) const {
  Hash hash;
  static const char here = 0;
  const auto build = build_id(&here);
  hash.add({reinterpret_cast<const char*>(build.data()), build.size()});
  hash.add(options_.build.empty() ? "" : command(point, ""));
  const RunOptions plain = filled(point, "");
  for (const auto* words : {&plain.program, &plain.launcher})
    for (const std::string& word : *words) hash.add(word);
  for (const std::string& word : run.program)
    if (fs::is_regular_file(word)) hash.add(read_file(word));
  const Config& config = run.options.config;
  hash.add(gpus::find(config.gpu).name);
  if (fs::is_regular_file(config.gpu)) hash.add(read_file(config.gpu));
  for (const char* name :
       {"kernel", "launch", "caches", "simulate", "profile", "sampled-only", "timing-only"})
    hash.add(config::text_of(config, config::row(name)));
  return hash.text();
}

/// Of what a compiler says: its errors, without where they come from; all, where it names none.
std::string errors_of(const std::string& output) {
  std::istringstream lines(output);
  std::string line, errors;
  for (unsigned count = 0; count < 3 && std::getline(lines, line);)
    if (line.find("error:") != std::string::npos) errors += line + '\n', ++count;
  return errors.empty() ? output : errors;
}

std::string Tuner::build(const Point& point, const fs::path& folder) const {
  if (options_.build.empty()) return {};
  const std::string text = command(point, folder / "program");
  const fs::path output = folder / "output";
  const int code = in_process([&] {
    if (!std::freopen("/dev/null", "r", stdin) || !std::freopen(output.c_str(), "w", stdout))
      return kUsageError;
    dup2(STDOUT_FILENO, STDERR_FILENO);
    execl("/bin/sh", "sh", "-c", text.c_str(), nullptr);
    return kNotExecutable;
  });
  const std::string why = problem(code, errors_of(read_file(output)));
  return why.empty() ? "" : "it could not be built: " + why;
}

Result Tuner::measure(const Point& point, const fs::path& folder,
                      const std::map<std::string, Result>& known) const {
  const auto failed = [&](const std::string& why, const std::string& key) {
    Result result;
    result.point = point, result.key = key, result.problem = why;
    return result;
  };
  if (const std::string why = build(point, folder); !why.empty())
    return failed(why, "not built " + tune::text_of(point));
  const RunOptions run = filled(point, folder / "program");
  const std::string is = key(point, run);
  if (const auto old = known.find(is); old != known.end() && old->second.problem.empty())
    return old->second;
  const auto came = run_for_report(run, run.options.config.gpu, folder);
  if (!came) fail("interrupted");
  if (!came->problem.empty()) return failed(came->problem, is);
  if (!came->report) return failed("it left no report: it called no HIP", is);
  try {
    Result result = tune::result_of(*came->report);
    result.point = point;
    result.key = is;
    return result;
  } catch (const Exception& error) {
    return failed(error.what(), is);
  }
}

bool Tuner::claims(const std::string& name) const {
  return bool(Descriptor(open((shared_ / name).c_str(), O_CREAT | O_EXCL | O_WRONLY, 0644)));
}

void Tuner::work() const {
  const TemporaryFolder folder;
  const bool logs = !options_.log.empty();
  const auto known = logs ? earlier_.read() : std::map<std::string, Result>();
  for (std::size_t i = options_.part - 1; i < points_.size(); i += options_.parts) {
    if (!claims(std::to_string(i))) continue;
    const Result result = measure(points_[i], folder / "", known);
    now_.add(result);
    if (logs && !known.contains(result.key)) earlier_.add(result);
    if (isatty(STDERR_FILENO))
      fmt::print(stderr, "hipsight: {} of {}: {}\n", i + 1, points_.size(),
                 printable(tune::text_of(result.point)));
  }
}

std::optional<std::vector<Result>> Tuner::results() {
  const unsigned jobs = std::min<unsigned>(options_.jobs, unsigned(points_.size()));
  std::vector<int> codes(jobs, 0);
  std::vector<std::thread> threads;
  for (unsigned job = 0; job < jobs; ++job)
    threads.emplace_back([&, job] {
      codes[job] = in_process([&] {
        work();
        return 0;
      });
    });
  for (std::thread& thread : threads) thread.join();
  if (const auto bad = std::ranges::find_if(codes, [](int code) { return code != 0; });
      bad != codes.end())
    fail("a part of the work ended early: {}{}", problem(*bad, ""),
         options_.log.empty() ? "" : "; what it had found is in " + options_.log);
  // In the order of the points, whatever ran when.
  std::vector<Result> all;
  const auto found = now_.read();
  for (const Point& point : points_) {
    const auto of = [&](const auto& one) { return one.second.point == point; };
    if (const auto one = std::ranges::find_if(found, of); one != found.end())
      all.push_back(one->second);
  }
  if (options_.ranks.size == 1) return all;
  // It stays, for those that come late.
  if (all.size() < points_.size() || !claims("table")) return std::nullopt;
  return all;
}

}  // namespace

int tune(const TuneOptions& options) {
  if (options.ranks.size > 1 && options.log.empty())
    fail("tune: {} processes work together here: --log must name a file that all of them see",
         options.ranks.size);
  for (const std::string& file : {options.csv, options.json, options.svg})
    if (!file.empty() && options.ranks.rank == 0) prepare_output(file);
  const std::string gpu = gpus::find(options.run.options.config.gpu).title;
  if (!options.against.empty()) tune::pareto({}, options.against);  // is there such a figure?
  auto results = Tuner(options).results();
  if (!results) return 0;
  std::vector<Result>& all = *results;
  tune::rank(all);
  std::fputs(tune::to_text(all, gpu, options.against, options.most).c_str(), stdout);
  if (!options.csv.empty()) write_output(options.csv, tune::to_csv(all));
  if (!options.json.empty()) write_output(options.json, tune::to_json(all, gpu));
  if (!options.svg.empty()) write_output(options.svg, tune::to_svg(all, options.against));
  return !all.empty() && all.front().problem.empty() ? 0 : kUsageError;
}

}  // namespace hipsight::cli
