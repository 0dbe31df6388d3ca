#include "config/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <vector>

#include "conditions/condition.h"
#include "config/tools.h"
#include "support/error.h"
#include "support/pattern.h"

namespace hipsight::config {
namespace {

constexpr double many = 1e9;
constexpr double no_limit = 0x1p62;

void check_pattern(const std::string& text) {
  static_cast<void>(Pattern(text));
}

void check_sections(const std::string& text) {
  static const Pattern form(
      "^(advice|counts|explanation|prediction|profile|registers|roofs|all)"
      "(,(advice|counts|explanation|prediction|profile|registers|roofs|all))*$");
  if (!form.is_in(text))
    fail(
        "it takes advice, counts, explanation, prediction, profile, registers, roofs or all, "
        "joined by commas");
}

void check_tools(const std::string& text) {
  static const std::string tool = fmt::format("({})", fmt::join(tools, "|"));
  static const Pattern form(fmt::format("^{0}(,{0})*$", tool));
  if (!form.is_in(text)) fail("it takes {}, joined by commas", fmt::join(tools, ", "));
}

void check_condition(const std::string& text) {
  static_cast<void>(conditions::Condition(text));
}

// What changes there are, those who predict say.
void check_what_ifs(const std::string& text) {
  static const Pattern form(
      "^[a-z0-9-]+(=[^ ,+=]+(,[^ ,+=]+)*)?([+ ][a-z0-9-]+(=[^ ,+=]+(,[^ ,+=]+)*)?)*$");
  if (!form.is_in(text))
    fail("it takes NAME, NAME=VALUE or NAME=VALUE,VALUE,...; changes at once are joined by +");
}

// X[,Y[,Z]][:WAVE]
void check_wave(const std::string& text) {
  static const Pattern form("^[0-9]{1,9}(,[0-9]{1,9}){0,2}(:[0-9]{1,9})?$");
  if (!form.is_in(text))
    fail("'{}' is no wave to trace: expected WORKGROUP[:WAVE], as in 3 or 0,2:1", text);
}

constexpr Row table[]{
    {.name = "gpu",
     .value = &Config::gpu,
     .group = Group::Machine,
     .takes = "NAME",
     .words = "The GPU: a name ('hipsight gpus' lists them) or a GPU file"},
    {.name = "gpu-path",
     .value = &Config::gpu_path,
     .group = Group::Machine,
     .takes = "FOLDER:...",
     .words = "Folders with more GPU files",
     .usual = "none"},
    {.name = "gpus",
     .value = &Config::gpus,
     .group = Group::Machine,
     .takes = "N",
     .words = "How many of that GPU the program sees",
     .least = 1,
     .most = 64},
    {.name = "threads",
     .value = &Config::threads,
     .group = Group::Machine,
     .takes = "N",
     .words = "Host threads that run kernels",
     .least = 1,
     .most = 4096,
     .usual = "one per core"},
    {.name = "timeout",
     .value = &Config::timeout,
     .group = Group::Machine,
     .takes = "SECONDS",
     .words = "Longest time of one kernel launch",
     .least = 0,
     .most = many,
     .usual = "no limit"},
    {.name = "strict",
     .value = &Config::strict,
     .group = Group::Machine,
     .takes = "0|1",
     .words = "Accesses just beyond an allocation, on its last page, are errors too"},
    {.name = "matrix",
     .value = &Config::matrix,
     .group = Group::Machine,
     .takes = "fast|exact|skip",
     .words = "How matrix instructions sum: by the quickest chain of FMAs, exactly as measured on "
              "GPUs, or not at all"},
    {.name = "engine",
     .value = &Config::engine,
     .group = Group::Machine,
     .takes = "auto|interpret|translate",
     .words = "How kernels run: translated to host code once that is worth it, never, or at first "
              "sight"},
    {.name = "host-isa",
     .value = &Config::host_isa,
     .group = Group::Machine,
     .takes = "sse4|avx2|avx512",
     .words = "The host instruction set to use",
     .usual = "the best of this host"},
    {.name = "host-cpu",
     .value = &Config::host_cpu,
     .group = Group::Machine,
     .takes = "NAME",
     .words = "The processor, by LLVM's name, that kernels are translated for",
     .usual = "this host's"},
    {.name = "cache",
     .value = &Config::cache,
     .group = Group::Machine,
     .takes = "FOLDER",
     .words = "Where translated code and predictions are kept for later runs; off: nowhere",
     .usual = "hipsight in XDG_CACHE_HOME or ~/.cache"},
    {.name = "cache-size",
     .value = &Config::cache_size,
     .group = Group::Machine,
     .takes = "MIB",
     .words = "The most that is kept there, in MiB",
     .least = 0,
     .most = 0x1p30},
    {.name = "exit-wait",
     .value = &Config::exit_wait,
     .group = Group::Machine,
     .takes = "SECONDS",
     .words = "How long work that is left may take when the program exits",
     .least = 0,
     .most = many},

    {.name = "time",
     .value = &Config::time,
     .group = Group::Machine,
     .takes = "emulated|predicted",
     .words = "What HIP's events tell: the time that a GPU would take, or the emulation"},
    {.name = "host-clock",
     .value = &Config::host_clock,
     .group = Group::Machine,
     .takes = "0|1",
     .words = "The program's own clocks go by the GPU's, too (docs/timeline.md)"},

    {.name = "visible-devices",
     .value = &Config::visible_devices,
     .group = Group::Hip,
     .takes = "N,...",
     .words = "Which of the GPUs the program sees; a number that there is not ends the list",
     .usual = "all",
     .foreign = "HIP_VISIBLE_DEVICES"},
    {.name = "launch-blocking",
     .value = &Config::launch_blocking,
     .group = Group::Hip,
     .takes = "0|1",
     .words = "A launch waits for its kernel",
     .foreign = "HIP_LAUNCH_BLOCKING"},
    {.name = "serialize-kernel",
     .value = &Config::serialize_kernel,
     .group = Group::Hip,
     .takes = "0|1",
     .words = "The same as launch-blocking",
     .foreign = "AMD_SERIALIZE_KERNEL"},
    {.name = "xnack",
     .value = &Config::xnack,
     .group = Group::Hip,
     .takes = "0|1",
     .words = "A GPU that can do so runs code that is compiled for xnack+",
     .foreign = "HSA_XNACK"},

    {.name = "sdk",
     .value = &Config::sdk,
     .group = Group::Compiler,
     .takes = "FOLDER",
     .words = "The HIP SDK whose headers hiprtc takes",
     .usual = "beside the library, or /opt/rocm"},
    {.name = "clang",
     .value = &Config::clang,
     .group = Group::Compiler,
     .takes = "PROGRAM",
     .words = "The clang++ that hiprtc runs",
     .usual = "the SDK's, or the one on the PATH"},

    {.name = "kernel",
     .value = &Config::kernel,
     .group = Group::Selection,
     .takes = "REGEX",
     .words = "Only kernels with this in their demangled name",
     .usual = "all",
     .check = check_pattern},
    {.name = "launch",
     .value = &Config::launch,
     .group = Group::Selection,
     .takes = "N",
     .words = "Only the N-th launch of those, from 1",
     .least = 1,
     .most = no_limit,
     .usual = "all"},

    {.name = "report",
     .value = &Config::report,
     .group = Group::Report,
     .takes = "FILE",
     .words = "Where the report goes: a file, stderr, or none"},
    {.name = "json",
     .value = &Config::json,
     .group = Group::Report,
     .takes = "FILE",
     .words = "Write the report as JSON, too",
     .usual = "none"},
    {.name = "values",
     .value = &Config::values,
     .group = Group::Report,
     .takes = "FILE",
     .words = "Write the report as values, too, for C++ programs (hipsight/report_file.h)",
     .usual = "none"},
    {.name = "html",
     .value = &Config::html,
     .group = Group::Report,
     .takes = "FILE",
     .words = "Write the report as a page, too, that needs nothing else",
     .usual = "none"},
    {.name = "csv",
     .value = &Config::csv,
     .group = Group::Report,
     .takes = "FILE",
     .words = "Write what --what-if gives as a table of comma-separated values, too",
     .usual = "none"},
    {.name = "svg",
     .value = &Config::svg,
     .group = Group::Report,
     .takes = "FILE",
     .words = "Draw what --what-if gives for several values, too",
     .usual = "none"},
    {.name = "timeline",
     .value = &Config::timeline,
     .group = Group::Report,
     .takes = "0|1",
     .words = "Report what the program did on the GPU's clock in place of its kernels; with --time "
              "predicted (docs/timeline.md)"},
    {.name = "timeline-file",
     .value = &Config::timeline_file,
     .group = Group::Report,
     .takes = "FILE",
     .words = "Write that as a trace, too, that Perfetto opens",
     .usual = "none"},
    {.name = "fail-if",
     .value = &Config::fail_if,
     .group = Group::Report,
     .takes = "CONDITION",
     .words = "Fail if it holds of a kernel: \"spills > 0\" (docs/conditions.md)",
     .usual = "none",
     .check = check_condition},
    {.name = "details",
     .value = &Config::details,
     .group = Group::Report,
     .takes = "SECTION,...",
     .words = "Sections of the text beside the answers: advice, counts, explanation, prediction, "
              "profile, registers, roofs, or all",
     .usual = "none",
     .check = check_sections},
    {.name = "fidelity",
     .value = &Config::fidelity,
     .group = Group::Report,
     .takes = "0|1",
     .words = "Say which instructions were exact, approximate or assumed"},
    {.name = "progress",
     .value = &Config::progress,
     .group = Group::Report,
     .takes = "SECONDS",
     .words = "Say on stderr, so often, how far the program is; 0: never",
     .least = 0,
     .most = many,
     .usual = "every 5 s, on a terminal",
     .bare = "5"},

    {.name = "profile",
     .value = &Config::profile,
     .group = Group::Profile,
     .takes = "N",
     .words = "Profile the first launch of each kernel: the number of workgroups whose accesses "
              "are observed",
     .least = 1,
     .most = 1 << 20,
     .usual = "no profile",
     .option = "--sample"},
    {.name = "predict",
     .value = &Config::predict,
     .group = Group::Profile,
     .takes = "0|1",
     .words = "Predict the first launch of each kernel, and say what bounds it and what to try"},
    {.name = "sampled-only",
     .value = &Config::sampled_only,
     .group = Group::Profile,
     .takes = "0|1",
     .words = "Run no other workgroups of those launches: quick, but their results are missing"},
    {.name = "timing-only",
     .value = &Config::timing_only,
     .group = Group::Profile,
     .takes = "0|1",
     .words =
         "Compute no results: of each launch run what its prediction needs, and nothing of one "
         "that is like another before it"},
    {.name = "caches",
     .value = &Config::caches,
     .group = Group::Profile,
     .takes = "cold|mall|warm",
     .words = "What caches hold when a launch begins: nothing of its data, the MALL all of it, or "
              "L2 and MALL what fits"},
    {.name = "simulate",
     .value = &Config::simulate,
     .group = Group::Profile,
     .takes = "N",
     .words = "Instructions of a compute unit's waves that are simulated; the rest is extrapolated",
     .least = 1,
     .most = no_limit},
    {.name = "what-if",
     .value = &Config::what_if,
     .group = Group::Profile,
     .takes = "NAME[=VALUE,...]",
     .words = "Predict it with this change, too (docs/what-if.md); once more for each other change",
     .usual = "none",
     .check = check_what_ifs},
    {.name = "record",
     .value = &Config::record,
     .group = Group::Profile,
     .takes = "FILE",
     .words = "Write what a prediction needs of the last such launch",
     .usual = "none"},

    {.name = "trace",
     .value = &Config::trace,
     .group = Group::Trace,
     .takes = "WORKGROUP[:WAVE]",
     .words = "Show each instruction that one wave of the first launch runs, and the registers "
              "that it writes",
     .usual = "none",
     .check = check_wave},
    {.name = "trace-file",
     .value = &Config::trace_file,
     .group = Group::Trace,
     .takes = "FILE",
     .words = "Write that here",
     .usual = "stderr"},

    {.name = "check",
     .value = &Config::check,
     .group = Group::Check,
     .takes = "TOOL,...",
     .words =
         "Look for errors that kernels make (docs/check.md): memcheck, accesses outside the memory "
         "that is there for them; racecheck, races between waves, of a workgroup or of two; "
         "synccheck, barriers that not all come to; initcheck, results that hang on what nobody "
         "wrote; waitcheck, registers that are used before the wait for them; numcheck, NaNs and "
         "infinities; shufflecheck, lanes that read lanes that are off; leakcheck, memory that "
         "the program does not free",
     .usual = "none",
     .option = "--tool",
     .check = check_tools},
    {.name = "suppress",
     .value = &Config::suppress,
     .group = Group::Check,
     .takes = "PATH",
     .words = "What is not to be told of what they find: lines of TOOL KERNEL [FILE[:LINE]]",
     .usual = "none"},
    {.name = "sarif",
     .value = &Config::sarif,
     .group = Group::Check,
     .takes = "FILE",
     .words = "Write what they find as SARIF, too",
     .usual = "none"},

    {.name = "capture",
     .value = &Config::capture,
     .group = Group::Capture,
     .takes = "FILE",
     .words = "Write the first selected launch here, with its memory",
     .usual = "none",
     .option = "--output"},
};

constexpr Other other_table[]{
    {"HIPSIGHT_RUN", "the processes of one `hipsight run`, which sets it"},
    {"HIPSIGHT_TARGETS", "`build/hipcc`: the processors to compile for"},
    {"HIPSIGHT_BENCH", "`bench_engine`: what to measure"},
    {"HIPSIGHT_GOLDEN", "tests: `renew` writes the files anew that they compare with"},
    {"HIPSIGHT_EVERY_INSTANCE", "tests of the kernel library: all instances"},
    {"HIPSIGHT_RANDOM_SEQUENCES", "random tests: how many"},
    {"HIPSIGHT_RANDOM_SEED", "random tests: where to begin"},
    {"HIPSIGHT_CASES", "`tests/external`: what to run"},
    {"HIPSIGHT_NOTES", "`tests/external`: where to tell of it"},
};

std::string in_capitals(std::string_view name) {
  std::string result;
  for (const char c : name)
    result += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

template <class Number>
Number number(const Row& row, const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, value);
  // Not so for NaN.
  if (error == std::errc{} && after == end && double(value) >= row.least &&
      double(value) <= row.most)
    return value;
  const std::string kind = std::is_integral_v<Number> ? "a whole number" : "a number";
  if (row.most == no_limit) fail("{}: it takes {} from {}", text, kind, row.least);
  fail("{}: it takes {} from {} to {}", text, kind, row.least, row.most);
}

bool flag(const Row& row, const std::string& text) {
  // As HIP does: AMD_SERIALIZE_KERNEL=3 is on, and what is no number is off.
  if (!row.foreign.empty()) return std::strtol(text.c_str(), nullptr, 0) != 0;
  if (text == "0" || text == "1") return text == "1";
  fail("{}: it takes 0 or 1", text);
}

std::vector<std::string_view> choices(std::string_view takes) {
  std::vector<std::string_view> result;
  for (std::size_t end = 0; (end = takes.find('|')) != takes.npos; takes.remove_prefix(end + 1))
    result.push_back(takes.substr(0, end));
  result.push_back(takes);
  return result;
}

std::string choice(const Row& row, const std::string& text) {
  const auto all = choices(row.takes);
  if (std::ranges::find(all, text) != all.end()) return text;
  fail("{}: it takes {} or {}", text, fmt::join(all.begin(), all.end() - 1, ", "), all.back());
}

}  // namespace

std::string Row::variable() const {
  return foreign.empty() ? "HIPSIGHT_" + in_capitals(name) : std::string(foreign);
}
std::string Row::command_line() const {
  return option.empty() ? "--" + std::string(name) : std::string(option);
}
std::string Row::keyword() const {
  std::string result(name);
  std::ranges::replace(result, '-', '_');
  return result;
}
std::string Row::type() const {
  std::string result(takes);
  if (most == 0) return result;
  return most == no_limit ? fmt::format("{} from {}", result, least)
                          : fmt::format("{} from {} to {}", result, least, most);
}

std::span<const Row> rows() {
  return table;
}
const Row& row(std::string_view name) {
  return *std::ranges::find(table, name, &Row::name);
}
std::span<const Other> others() {
  return other_table;
}

void set(Config& config, const Row& row, const std::string& text) {
  if (row.check) try {
      row.check(text);
    } catch (const Exception& error) {
      fail("{}: {}", text, error.what());
    }
  std::visit(
      Overloaded{[&](std::string Config::* member) {
                   config.*member = row.is_choice() ? choice(row, text) : text;
                 },
                 [&](bool Config::* member) { config.*member = flag(row, text); },
                 [&](std::uint64_t Config::* member) {
                   config.*member = number<std::uint64_t>(row, text);
                 },
                 [&](double Config::* member) { config.*member = number<double>(row, text); },
                 [&](std::optional<double> Config::* member) {
                   config.*member = number<double>(row, text);
                 }},
      row.value);
}

std::string text_of(const Config& config, const Row& row) {
  return std::visit(
      Overloaded{[&](std::string Config::* member) { return config.*member; },
                 [&](bool Config::* member) { return std::string(config.*member ? "1" : "0"); },
                 [&](std::optional<double> Config::* member) {
                   return config.*member ? fmt::format("{}", *(config.*member)) : std::string();
                 },
                 [&](auto Config::* member) { return fmt::format("{}", config.*member); }},
      row.value);
}

std::string describe(const Config& config, const Row& row) {
  static const Config usual;
  const std::string text = text_of(config, row);
  return !row.usual.empty() && text == text_of(usual, row) ? std::string(row.usual) : text;
}

std::string markdown() {
  const auto in_table = [](std::string text) {  // "|" would end a cell
    for (std::size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, "\\");
    return text;
  };
  std::string result =
      "| command line | environment | takes | default | what it does |\n|---|---|---|---|---|\n";
  for (const Row& row : rows())
    result += fmt::format("| `{}` | `{}` | {} | {} | {} |\n", row.command_line(), row.variable(),
                          in_table(row.type()), describe(Config(), row),
                          in_table(std::string(row.words)));
  return result;
}

}  // namespace hipsight::config
