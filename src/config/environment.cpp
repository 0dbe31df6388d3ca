#include "config/environment.h"

#include <fmt/format.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "support/error.h"
#include "support/nearest.h"
#include "support/pattern.h"

namespace hipsight::config {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "HIPSIGHT_";

// A user's folder for what can be made anew, by the XDG Base Directory Specification.
std::string usual_cache() {
  const fs::path common = environment("XDG_CACHE_HOME"), home = environment("HOME");
  if (common.is_absolute()) return common / "hipsight";
  return home.is_absolute() ? home / ".cache/hipsight" : fs::path();
}

}  // namespace

std::string environment(const char* name) {
  const char* value = secure_getenv(name);
  return value ? value : "";
}

void Loaded::from_command_line(const Row& row, const std::string& text) {
  try {
    set(config, row, text);
  } catch (const Exception& error) {
    fail("{}: {}", row.command_line(), error.what());
  }
  origins[static_cast<std::size_t>(&row - rows().data())] = Origin::CommandLine;
}

Loaded read() {
  Loaded loaded{{}, std::vector(rows().size(), Origin::Default)};
  for (std::size_t i = 0; i < rows().size(); ++i) {
    const Row& row = rows()[i];
    const std::string text = environment(row.variable().c_str());
    if (text.empty()) continue;
    try {
      set(loaded.config, row, text);
    } catch (const Exception& error) {
      fail("{}={}", row.variable(), error.what());
    }
    loaded.origins[i] = Origin::Environment;
  }
  loaded.config.usual_cache = usual_cache();
  loaded.config.search_path = environment("PATH");
  loaded.config.run = environment("HIPSIGHT_RUN");
  return loaded;
}

Ranks ranks() {
  struct Starter {
    const char *rank, *size;
    std::vector<const char*> job;
  };
  for (const Starter& one :
       {Starter{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"PMIX_NAMESPACE"}},
        Starter{"PMI_RANK", "PMI_SIZE", {"HYDRA_LOCALHOST_PID", "PMI_ID"}},
        Starter{"SLURM_PROCID", "SLURM_NTASKS", {"SLURM_JOB_ID", "SLURM_STEP_ID"}}}) {
    const std::string rank = environment(one.rank), size = environment(one.size);
    if (rank.empty() || size.empty()) continue;
    static const Pattern number("^[0-9]{1,6}$");
    if (!number.is_in(rank) || !number.is_in(size) || std::stoul(rank) >= std::stoul(size))
      fail("{} is '{}' and {} is '{}': no rank among so many", one.rank, rank, one.size, size);
    if (std::stoul(size) == 1) return {};
    Ranks ranks{unsigned(std::stoul(rank)), unsigned(std::stoul(size)), "job"};
    for (const char* name : one.job)
      for (const char c : environment(name)) ranks.job += std::isalnum(c) ? c : '-';
    return ranks;
  }
  return {};
}

std::vector<std::string> strangers() {
  std::vector<std::string> known, result;
  for (const Row& row : rows()) known.push_back(row.variable());
  for (const Other& other : others()) known.emplace_back(other.variable);
  if (getauxval(AT_SECURE)) return result;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    if (!name.starts_with(prefix) || std::ranges::find(known, name) != known.end()) continue;
    result.push_back(
        fmt::format("nothing reads {}; the nearest that there is: {} ('hipsight config' lists all)",
                    name, nearest(name, known)));
  }
  return result;
}

}  // namespace hipsight::config
