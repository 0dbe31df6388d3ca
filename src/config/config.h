#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hipsight {

/// What hipsight can be told, as plain values. A program of ours (the command, the runtime, the
/// launcher) reads them once, from its environment and its command line (environment.h), and hands
/// them down; nothing else reads the environment. table.cpp says what each one means and takes.
struct Config {
  // The machine.
  std::string gpu = "mi300x";
  std::string gpu_path = {};
  std::uint64_t gpus = 1;
  std::uint64_t threads = 0;  ///< 0: one per core
  double timeout = 0;         ///< seconds; 0: none
  bool strict = false;
  std::string matrix = "fast";
  std::string engine = "auto";
  std::string host_isa = {};  ///< empty: the best that there is
  std::string host_cpu = {};  ///< empty: the one that this is
  std::string cache = {};     ///< a folder, or "off"; empty: `usual_cache`
  std::uint64_t cache_size = 256;
  double exit_wait = 60;

  std::string time = "emulated";
  bool host_clock = false;

  // HIP's own.
  std::string visible_devices = {};
  bool launch_blocking = false, serialize_kernel = false;
  bool xnack = false;

  // hiprtc.
  std::string sdk = {}, clang = {};

  // Which launches are meant.
  std::string kernel = {};
  std::uint64_t launch = 0;  ///< 0: all

  // Reports.
  std::string report = "stderr";
  std::string json = {}, values = {};
  std::string html = {};
  std::string csv = {};
  std::string svg = {};
  std::string suppress = {};
  std::string sarif = {};
  bool timeline = false;
  std::string timeline_file = {};
  std::string fail_if = {};
  std::string details = {};
  bool fidelity = false;
  std::optional<double> progress = {};
  std::uint64_t profile = 0;  ///< workgroups; 0: no profile
  bool predict = false;
  bool sampled_only = false;
  bool timing_only = false;
  std::string caches = "cold";
  std::uint64_t simulate = 20'000'000;
  std::string what_if = {};  ///< words with spaces between
  std::string record = {};
  std::string trace = {}, trace_file = {};
  std::string check = {};  ///< tools; empty: none
  std::string capture = {};

  // No options, but of the environment.
  std::string usual_cache = {};  ///< this user's folder for what can be made anew; empty: none
  std::string search_path = {};  ///< PATH: where programs are looked for
  std::string run = {};          ///< HIPSIGHT_RUN: what the processes of a run share (run_state.h)
};

}  // namespace hipsight
