#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hipsight/fields.h"

/// What hipsight tells of GPUs, kernels and launches: plain values that own all they hold.
/// Seconds are seconds, sizes bytes, shares 0 to 1, unless said otherwise.
namespace hipsight {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t volume() const { return std::uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
  HIPSIGHT_FIELDS(x, y, z)
};

/// A number and what it is of.
struct Amount {
  std::string of;
  double value = 0;
  HIPSIGHT_FIELDS(of, value)
};

/// What a GPU is, in short (docs/gpu-files.md has all, with sources).
struct GpuFacts {
  std::string name;       ///< "mi300x"
  std::string title;      ///< "AMD Instinct MI300X"
  std::string target_id;  ///< "gfx942:sramecc+:xnack-"
  std::string file;       ///< that says so; "mi300x.toml" of one that is built in
  std::uint32_t compute_units = 0, simds_per_cu = 0, wavefront_size = 0;
  double clock_ghz = 0;          ///< peak
  std::uint64_t dram_bytes = 0;  ///< memory
  double dram_gb_per_s = 0;      ///< specified; 1 GB is 10^9 bytes
  /// Operations of matrix instructions at the peak clock, by type: "bf16"; an FMA is two.
  std::vector<Amount> matrix_per_second = {};
  HIPSIGHT_FIELDS(name, title, target_id, file, compute_units, simds_per_cu, wavefront_size,
                  clock_ghz, dram_bytes, dram_gb_per_s, matrix_per_second)
};

/// An instruction of a kernel, or a line of its source.
struct Location {
  std::string instruction;    ///< its text; empty for a line
  std::uint64_t address = 0;  ///< in the code object; 0 for a line
  std::string file;           ///< empty: not known
  std::uint32_t line = 0;     ///< 0: not known
  HIPSIGHT_FIELDS(instruction, address, file, line)
};

/// An argument that a launch passes.
struct ArgumentFacts {
  std::string name;         ///< empty: not known
  bool is_buffer = false;   ///< a pointer to the GPU's memory
  std::uint32_t bytes = 0;  ///< passed
  HIPSIGHT_FIELDS(name, is_buffer, bytes)
};

/// What the compiler says of a kernel.
struct KernelFacts {
  std::string name;    ///< as in the code object
  std::string title;   ///< demangled
  std::string target;  ///< target id of its code object
  std::uint32_t wavefront_size = 64;
  std::uint32_t vgprs = 0, agprs = 0, sgprs = 0;  ///< of a lane, a wave; vgprs counts AGPRs too
  std::uint32_t vgpr_spills = 0, sgpr_spills = 0;
  std::uint32_t lds_bytes = 0;      ///< of a workgroup, without dynamic LDS
  std::uint32_t scratch_bytes = 0;  ///< of a work-item
  std::uint64_t code_bytes = 0;
  std::uint32_t max_workgroup_size = 0;  ///< that it was compiled for
  std::vector<ArgumentFacts> arguments;  ///< without the compiler's own
  HIPSIGHT_FIELDS(name, title, target, wavefront_size, vgprs, agprs, sgprs, vgpr_spills,
                  sgpr_spills, lds_bytes, scratch_bytes, code_bytes, max_workgroup_size, arguments)
};

/// Bytes that active lanes asked for.
struct Traffic {
  double read = 0, written = 0;
  HIPSIGHT_FIELDS(read, written)
};

/// What ran. Exact, of all launches together.
struct Counts {
  std::uint64_t launches = 0, workgroups = 0, waves = 0;
  std::uint64_t instructions = 0;  ///< wave-instructions
  std::vector<Amount> by_pipe;     ///< of them: "scalar", "vector", "matrix", "LDS", ...
  double active_lanes = 0;  ///< mean share of a wave in vector instructions; 0: there were none
  std::vector<Amount> vector_operations, matrix_operations;  ///< by type: "f32"; an FMA is two
  double floating_operations = 0;                            ///< of both, floating types only
  Traffic global, flat, lds, scratch, scalar;                ///< by the space that the code names
  double host_seconds = 0;                                   ///< that emulating took
  HIPSIGHT_FIELDS(launches, workgroups, waves, instructions, by_pipe, active_lanes,
                  vector_operations, matrix_operations, floating_operations, global, flat, lds,
                  scratch, scalar, host_seconds)
};

/// The most of a resource with which more waves would be resident than are.
struct OccupancyStep {
  std::string of;             ///< "VGPRs" of a lane, "bytes of LDS" of a workgroup
  std::uint32_t at_most = 0;  ///< of it
  double waves_per_simd = 0;  ///< then
  HIPSIGHT_FIELDS(of, at_most, waves_per_simd)
};

/// How many waves of a kernel a compute unit holds at a time (docs/occupancy.md).
struct Occupancy {
  double waves_per_simd = 0;
  std::uint32_t max_waves_per_simd = 0;
  std::uint32_t workgroups = 0;  ///< of a compute unit; of a pair of them in RDNA's WGP mode
  std::uint32_t simds = 0;       ///< of what holds these
  std::string limiter;           ///< "VGPRs", "LDS", "wave slots", ...
  std::uint32_t compiler_waves_per_simd = 0;  ///< LLVM's figure, which knows no whole workgroups
  std::string sentence;                       ///< "4 of 8 waves per SIMD, limited by VGPRs"
  std::vector<OccupancyStep> steps;           ///< of the resource that limits it
  HIPSIGHT_FIELDS(waves_per_simd, max_waves_per_simd, workgroups, simds, limiter,
                  compiler_waves_per_simd, sentence, steps)
};

/// The time that one resource alone would take: a line of the roofline, and no verdict. First-order
/// and UNVALIDATED.
struct Roof {
  std::string kind;  ///< "vector", "matrix", "issue", "wave_issue", "lds", "l2", "dram_requested",
                     ///< "dram_compulsory", "launch"
  std::string name;  ///< "matrix f16"
  double seconds = 0;     ///< all launches together
  std::string evidence;   ///< amount and rate: "137 GFLOP at 1307 TFLOP/s"
  double per_second = 0;  ///< that rate, of FLOP or bytes; 0: neither
  HIPSIGHT_FIELDS(kind, name, seconds, evidence, per_second)
};

/// A kernel's place among the roofs of a GPU.
struct Roofline {
  std::optional<double> arithmetic_intensity;  ///< FLOP per byte asked of memory
  std::vector<Roof> roofs;                     ///< longest first
  std::vector<std::string> unknown;            ///< for which the GPU's file has no rate
  HIPSIGHT_FIELDS(arithmetic_intensity, roofs, unknown)
};

/// A change that would make a kernel quicker: the model, run again as if it were made, says so
/// (docs/advice.md).
struct Advice {
  std::string id;        ///< "lds-bank-conflicts": a section of docs/advice.md
  std::string change;    ///< what to do, in words
  std::string evidence;  ///< why, in figures
  Location at;           ///< where most of it is; no address and no line: all over the kernel
  double seconds = 0;    ///< that the predicted launch would take then
  double gain = 0;       ///< the share of its time that this saves
  HIPSIGHT_FIELDS(id, change, evidence, at, seconds, gain)
};

/// How long the predicted launch would take with a change that was asked about
/// (docs/what-if.md).
struct WhatIf {
  std::string change;    ///< "clock=1.5"
  double seconds = 0;    ///< with the launch itself
  double gain = 0;       ///< the share of the time now that this saves; below 0: it takes longer
  std::string bound;     ///< in words, as of the verdict
  std::string why_none;  ///< why the launch cannot be so; then the others are 0 and empty
  HIPSIGHT_FIELDS(change, seconds, gain, bound, why_none)
};

/// The answer: how long a kernel would take and what bounds it, by its prediction.
struct Verdict {
  std::string bound;            ///< in words: "memory"; empty: there is no prediction
  double seconds = 0;           ///< of all its launches
  double share = 0;             ///< of the predicted time of all kernels
  std::vector<Advice> advice;   ///< what saves most first; what would save nothing is not there
  std::string why_none;         ///< why there is no prediction
  std::vector<WhatIf> what_if;  ///< in the order in which it was asked
  HIPSIGHT_FIELDS(bound, seconds, share, advice, why_none, what_if)
};

/// Where waves would wait.
struct Wait {
  Location at;        ///< the instruction that could not be issued
  Location of;        ///< whose access or result it waited for; no text: a unit
  std::string cause;  ///< as of Prediction::stalls
  double share = 0;   ///< of all waves' waiting
  HIPSIGHT_FIELDS(at, of, cause, share)
};

/// A line of source, or an instruction where lines are not known, that waves spend their time on.
struct HotLine {
  Location at;
  double share = 0;   ///< of all waves' time: to issue it, and to wait for it or for what it asked
  std::string cause;  ///< the most of that: as of Prediction::stalls; empty: to issue it
  HIPSIGHT_FIELDS(at, share, cause)
};

/// How far predictions of a family of kernels on a GPU were from measured times.
struct ModelError {
  double median_percent = 0, p90_percent = 0;  ///< of the measured times, absolute
  std::uint32_t points = 0;                    ///< on which nothing of the model was fitted
  double seconds_at_least = 0;                 ///< nine of ten measured times lie from here ...
  std::optional<double> seconds_at_most;       ///< ... to here; none: anywhere above
  HIPSIGHT_FIELDS(median_percent, p90_percent, points, seconds_at_least, seconds_at_most)
};

/// What caches hold when a launch begins: nothing of it, or the MALL all that it reads, or L2 and
/// MALL what they can of what it touches, as if it went round in its data for long. A program that
/// goes round in buffers which together fill the MALL finds it cold.
enum class Caches : std::uint32_t { Cold, InMall, Warm };

/// What keeps a launch from being quicker.
struct Bound {
  enum class Kind : std::uint32_t {
    Launch,     ///< the launch itself takes more than half of the time
    Unit,       ///< a unit works most of it
    Grid,       ///< too few workgroups: compute units have none
    Tail,       ///< the last round of workgroups leaves compute units without work
    Occupancy,  ///< waves wait, and more of them would help
    Latency,    ///< waves wait
  };
  Kind kind = Kind::Launch;
  std::string of;        ///< the unit, as in Prediction::busy; or what waves wait for
  std::string sentence;  ///< in words: "memory", "grid: 100 workgroups for 304 compute units"
  HIPSIGHT_FIELDS(kind, of, sentence)
};

/// How long one launch would take (docs/timing.md).
struct Prediction {
  double seconds = 0;         ///< with the launch itself
  double launch_seconds = 0;  ///< of these
  double cycles = 0;          ///< of the compute units
  double clock_ghz = 0;       ///< that they were taken to run at
  Bound bound;
  std::vector<Amount> busy;    ///< share of the cycles for which a unit works, busiest first
  std::vector<Amount> stalls;  ///< what waves wait for: shares of all their waiting, largest first
  std::vector<Wait> waits;     ///< where, longest first
  std::optional<double> full_occupancy_seconds;  ///< had registers and LDS room for all waves
  std::string family;                            ///< of kernels (docs/timing.md); empty: none
  std::optional<ModelError> error;               ///< none: UNVALIDATED
  std::uint64_t workgroups_per_cu = 0, simulated = 0;
  std::vector<HotLine> lines;  ///< hottest first
  HIPSIGHT_FIELDS(seconds, launch_seconds, cycles, clock_ghz, bound, busy, stalls, waits,
                  full_occupancy_seconds, family, error, workgroups_per_cu, simulated, lines)
};

/// How many of a kernel's vector registers hold what is read later (docs/profile.md).
struct Registers {
  std::uint32_t vgprs = 0, agprs = 0;            ///< that a lane has
  std::uint32_t live_vgprs = 0, live_agprs = 0;  ///< the most that are live at once
  Location at;                                   ///< the first instruction with so many
  bool calls = false;                            ///< functions, which are not looked at
  std::optional<std::uint32_t> vgprs_for_more;   ///< the most with which more waves were resident
  double waves_per_simd = 0, waves_per_simd_with_fewer = 0;  ///< now, and then
  std::uint32_t scratch_stores = 0, scratch_loads = 0;       ///< instructions
  Location scratch_line;                                     ///< the line with most of them
  bool spills = false;  ///< the compiler says that VGPRs are spilled there
  HIPSIGHT_FIELDS(vgprs, agprs, live_vgprs, live_agprs, at, calls, vgprs_for_more, waves_per_simd,
                  waves_per_simd_with_fewer, scratch_stores, scratch_loads, scratch_line, spills)
};

/// Requests that went through the simulated caches. Stores pass the L1 by.
struct CacheUse {
  std::uint64_t l1_loads = 0, l1_hits = 0, l2_requests = 0, l2_hits = 0;
  HIPSIGHT_FIELDS(l1_loads, l1_hits, l2_requests, l2_hits)
};

/// What one instruction did, or all of one source line. What needs addresses is scaled from the
/// workgroups that were observed to all.
struct ProfileRow {
  Location at;
  std::uint64_t executions = 0;                 ///< wave-instructions, exact
  double active_lanes = 0;                      ///< mean share of the wave
  double requests = 0, sectors = 0, bytes = 0;  ///< of vector memory
  double lds_cycles = 0, lds_conflict_cycles = 0;
  CacheUse caches;
  std::optional<std::uint32_t> live_vgprs, live_agprs;  ///< of an instruction
  double time = 0;  ///< share of all waves' time, as predicted: as of HotLine
  HIPSIGHT_FIELDS(at, executions, active_lanes, requests, sectors, bytes, lds_cycles,
                  lds_conflict_cycles, caches, live_vgprs, live_agprs, time)
};

/// What one launch did to memory and LDS (docs/profile.md).
struct Profile {
  std::uint64_t launch = 0;  ///< its number among the program's
  std::uint64_t workgroups = 0, observed = 0, neighbours = 0;
  double sampling_error = 0;
  bool cut = false;  ///< caches saw only the begin of some workgroups
  std::uint32_t sector_bytes = 0;
  ProfileRow all;
  std::vector<ProfileRow> lines;         ///< the one with the most executions first
  std::vector<ProfileRow> instructions;  ///< in order of their addresses
  HIPSIGHT_FIELDS(launch, workgroups, observed, neighbours, sampling_error, cut, sector_bytes, all,
                  lines, instructions)
};

/// How exact the instructions that ran were (docs/isa.md).
struct Fidelity {
  struct Inexact {
    std::string name;
    std::uint64_t executions = 0;
    std::string fidelity, why;
    HIPSIGHT_FIELDS(name, executions, fidelity, why)
  };
  std::vector<Amount> executions;  ///< "exact", "approximate", "assumed": wave-instructions
  std::vector<Inexact> inexact;
  HIPSIGHT_FIELDS(executions, inexact)
};

/// What a kernel did that it should not do.
struct Finding {
  std::string text;         ///< names kernel, instruction and line
  std::string tool = {};    ///< that found it: "memcheck"; empty: a GPU lets it pass
  std::uint64_t count = 1;  ///< accesses of lanes that have this cause
  std::string kernel = {};  ///< demangled; empty: the host did it, or it stands in the text alone
  Location at = {};         ///< the instruction, if that is known
  Location other = {};      ///< of a race, the other one
  HIPSIGHT_FIELDS(text, tool, count, kernel, at, other)
};

/// What a launch would take on another GPU that runs the same machine code.
struct OtherGpu {
  std::string gpu;  ///< "mi325x"
  Occupancy occupancy;
  Verdict verdict;
  Prediction prediction;
  HIPSIGHT_FIELDS(gpu, occupancy, verdict, prediction)
};

/// The launches of one kernel with one block and one amount of LDS, in one range, summed; or one
/// launch.
struct KernelReport {
  KernelFacts kernel;
  Dim3 grid;                  ///< workgroups, of the first launch
  bool grids_differ = false;  ///< other launches had other grids
  Dim3 block;                 ///< work-items of a workgroup
  std::uint32_t dynamic_lds = 0;
  Counts counts;
  Occupancy occupancy;
  Verdict verdict;
  std::optional<Registers> registers;    ///< with a profile
  std::optional<Profile> profile;        ///< of the first launch, if asked for
  std::optional<Prediction> prediction;  ///< likewise
  std::optional<Fidelity> fidelity;      ///< if asked for
  std::vector<Finding> findings;
  Roofline roofline;
  std::string range;  ///< that the launches were made in (RangeReport); empty: in none
  std::vector<OtherGpu> also = {};  ///< of LaunchConfig::also, in its order
  HIPSIGHT_FIELDS(kernel, grid, grids_differ, block, dynamic_lds, counts, occupancy, verdict,
                  registers, profile, prediction, fidelity, findings, roofline, range, also)
};

/// A launch that failed.
struct FailedLaunch {
  std::string kernel;         ///< demangled
  std::string kind, message;  ///< "memory access", and all there is to say
  HIPSIGHT_FIELDS(kernel, kind, message)
};

/// A launch that had not ended when the process did.
struct UnfinishedLaunch {
  std::string kernel;  ///< demangled
  std::uint64_t workgroups_done = 0, workgroups = 0;
  HIPSIGHT_FIELDS(kernel, workgroups_done, workgroups)
};

/// Launches whose time on the GPU's clock is estimated, since it could not be predicted.
struct EstimatedLaunches {
  std::string kernel;  ///< demangled
  std::string why;
  std::uint64_t launches = 0;
  HIPSIGHT_FIELDS(kernel, why, launches)
};

/// One of the launches that a Recording saw.
struct RecordedLaunch {
  std::string kernel;  ///< demangled
  Dim3 grid, block;    ///< workgroups; work-items of a workgroup
  std::uint32_t dynamic_lds = 0;
  double seconds = 0;  ///< predicted, with the launch itself; 0: not asked for
  std::string bound;   ///< in words, as of the verdict; empty: not known
  std::string range;   ///< that its LaunchConfig named
  HIPSIGHT_FIELDS(kernel, grid, block, dynamic_lds, seconds, bound, range)
};

/// An operation of several GPUs of one kind, in nodes in which all have a link to each other.
struct Collective {
  enum class Kind : std::uint32_t {
    AllReduce,
    AllGather,
    ReduceScatter,
    AllToAll,
    Send,  ///< from each rank to the next one
  };
  Kind kind = Kind::AllReduce;
  std::uint32_t ranks = 8;
  /// Of a rank, as RCCL's tests count a size: what it gets in an all-gather, else what it gives.
  std::uint64_t bytes = 0;
  std::uint32_t nodes = 1;  ///< with as many ranks in each; a send crosses from one to the next
  /// From each GPU to those of other nodes, in each direction; needed of several nodes. 1 GB is
  /// 10^9 bytes.
  double network_gb_per_s = 0;
  /// All-to-all: what the rank gets that gets most, over the mean: as where experts have unequal
  /// loads.
  double busiest = 1;
  HIPSIGHT_FIELDS(kind, ranks, bytes, nodes, network_gb_per_s, busiest)
};

/// How long such an operation would take (docs/collectives.md).
struct CollectiveTime {
  double seconds = 0;
  std::string protocol;  ///< of RCCL: "LL", "LL128", "Simple"
  std::string bound;     ///< "latency", "links" or "network"
  /// As RCCL's tests print it: of the size over the time, (ranks - 1) / ranks, of an all-reduce
  /// twice that, of a send all.
  double bus_bytes_per_second = 0;
  bool validated = false;  ///< there are public measurements of the like
  HIPSIGHT_FIELDS(seconds, protocol, bound, bus_bytes_per_second, validated)
};

/// What launches must be asked for so that all figures of a condition are known.
struct ConditionFacts {
  bool profile = false, prediction = false;
  HIPSIGHT_FIELDS(profile, prediction)
};

/// A kernel of which a condition holds (docs/conditions.md).
struct MetCondition {
  std::string kernel;  ///< demangled
  std::string values;  ///< of the figures that the condition names: "spills is 3, vgprs is 128"
  HIPSIGHT_FIELDS(kernel, values)
};

/// Which launches a report tells of: the number `launch`, from 1, of those whose demangled kernel
/// name matches `kernel`; 0 and "": all of them.
struct Selection {
  std::string kernel;  ///< regular expression, found anywhere in the name
  std::uint64_t launch = 0;
  bool everything() const { return kernel.empty() && launch == 0; }
  HIPSIGHT_FIELDS(kernel, launch)
};

/// A stretch of a program that it named, by roctxRangePush.
struct RangeReport {
  std::string name;         ///< after those that it lies in: "step / attention"
  std::uint64_t times = 0;  ///< it was entered and launched a kernel
  double seconds = 0;       ///< predicted, of all its launches
  HIPSIGHT_FIELDS(name, times, seconds)
};

/// An operation of a GPU, on its clock (docs/timeline.md): seconds since the program began.
struct TimelineOperation {
  enum class Kind : std::uint32_t { Kernel, Copy, Fill, Event, HostFunction, Other };
  Kind kind = Kind::Other;
  std::string what;  ///< "sgemm(int, ...)", "copy of 4096 bytes"
  std::int32_t device = 0;
  std::uint32_t stream = 0;  ///< 0: the device's null stream; others in the order they were made
  double begin = 0, end = 0;
  double submitted = 0;  ///< when the host had handed it on
  std::string range;     ///< that it was submitted in; empty: in none
  HIPSIGHT_FIELDS(kind, what, device, stream, begin, end, submitted, range)
};

/// A wait of the host for a GPU.
struct TimelineWait {
  double begin = 0, end = 0;
  HIPSIGHT_FIELDS(begin, end)
};

/// A kernel, or copies of one size.
struct TimelineShare {
  std::string what;
  TimelineOperation::Kind kind = TimelineOperation::Kind::Other;
  std::uint64_t times = 0;
  double seconds = 0;  ///< of all of them
  HIPSIGHT_FIELDS(what, kind, times, seconds)
};

/// Time in which GPUs do not compute, and what would save it at the most.
struct TimelineLoss {
  std::string id;      ///< "exposed-copies": a section of docs/timeline.md
  std::string change;  ///< what it is, and what to do
  double seconds = 0;  ///< of all GPUs
  HIPSIGHT_FIELDS(id, change, seconds)
};

/// What a program did on the GPU's clock.
struct Timeline {
  double seconds = 0;                 ///< until the last operation, or wait for it, had ended
  double kernel_seconds = 0;          ///< in which a GPU ran a kernel, of all GPUs
  double copy_seconds = 0;            ///< in which it only copied or filled
  double idle_seconds = 0;            ///< in which it had nothing to do, between its operations
  std::vector<TimelineShare> shares;  ///< what takes most first
  std::vector<TimelineLoss> losses;   ///< the largest first
  std::vector<TimelineOperation> operations;  ///< in the order in which they begin
  std::vector<TimelineWait> waits;            ///< likewise
  HIPSIGHT_FIELDS(seconds, kernel_seconds, copy_seconds, idle_seconds, shares, losses, operations,
                  waits)
};

/// What the kernels of a program did.
struct RunReport {
  GpuFacts gpu;
  std::vector<KernelReport> kernels;  ///< the most predicted time first; then by first launch
  std::vector<FailedLaunch> errors;
  Selection selection;
  std::uint64_t launches = 0;  ///< all that were started, selected or not
  std::string ended;  ///< by what the process ended: "signal 2 (Interrupt)"; empty: as usual
  std::vector<UnfinishedLaunch> unfinished;
  std::vector<EstimatedLaunches> estimated;
  std::string checked;                      ///< the tools that looked for errors; empty: none
  std::vector<Finding> findings;            ///< of those, in order of the launches
  std::uint64_t suppressed = 0;             ///< of what they found, causes not to be told
  std::vector<RangeReport> ranges;          ///< in order of first launch
  std::vector<std::string> partly_checked;  ///< kernels of which a tool saw only a part, and why
  std::optional<Timeline> timeline;         ///< if asked for
  bool timing_only = false;                 ///< kernels computed no results
  std::uint64_t missing_results = 0;        ///< so often the program has copied such to the host
  HIPSIGHT_FIELDS(gpu, kernels, errors, selection, launches, ended, unfinished, estimated, checked,
                  findings, ranges, partly_checked, timeline, suppressed, timing_only,
                  missing_results)
};

}  // namespace hipsight
