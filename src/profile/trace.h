#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/engine.h"
#include "engine/events.h"
#include "gpus/gpu.h"
#include "profile/lds_patterns.h"

namespace hipsight::profile {

constexpr unsigned kSectorBytes = 32;  ///< the least that memory moves (TCC_EA_RDREQ_32B)
/// What goes to the L2 at once: loads by lines of the L1, stores by 64 bytes (as TCP_TCC_READ_REQ
/// and TCP_TCC_WRITE_REQ count on MI200, MI300 and MI350; docs/profile.md).
unsigned request_bytes(const gpus::Gpu& gpu, bool stores);

/// What executions of one instruction asked of memory, summed.
struct Use {
  bool stores = false;
  std::uint64_t requests = 0, lanes = 0;  ///< wave-instructions and their active lanes
  double bytes = 0;                       ///< that lanes asked for
  // Global and scratch memory, and scalar loads: different sectors, and lines (request_bytes).
  std::uint64_t sectors = 0, lines = 0;
  std::uint64_t lds_cycles = 0, lds_least = 0;  ///< see simulate

  Use& operator+=(const Use& other);
};

/// One access of a wave, in the order of its doings.
struct Request {
  const isa::Instruction* instruction = nullptr;
  std::uint32_t step = 0;              ///< the region of WaveTrace::path that it lies in
  std::uint32_t first = 0, count = 0;  ///< its lines, among GroupTrace::lines; none in LDS
  std::uint32_t pattern = 0;           ///< in LDS: among GroupTrace::lds
  std::uint16_t lds_cycles = 0;        ///< see simulate
  /// Lines that its bytes would fill, had its lanes asked for neighbours; or its LDS cycles, had no
  /// two of them met in a bank.
  std::uint16_t least = 0;
  bool stores = false, streams = false;  ///< streams: is not to stay in caches
  engine::Access::Space space = engine::Access::Space::Global;
  std::uint16_t from_l1 = 0, from_l2 = 0;  ///< lines that caches had; see simulate
  /// Lines beyond the L1 that its workgroup had not touched before; and lines that it had, and that
  /// the L2 still has.
  std::uint16_t first_touches = 0, reused = 0;
  std::uint16_t pages = 0;  ///< whose addresses its compute unit had to have translated
  /// Past the caches: a load of what another workgroup of the launch stores, as one that waits for
  /// others asks for their flag; and such a store.
  bool awaits = false, hands_over = false;

  bool in_vector_memory() const {
    return space == engine::Access::Space::Global || space == engine::Access::Space::Scratch;
  }
};
struct WaveTrace {
  /// A region that the wave entered, and what became of the lines that it touched there.
  struct Step {
    std::uint32_t region = 0;
    std::uint64_t lines = 0;  ///< a sum that tells lists of lines apart
  };
  std::vector<std::uint32_t> path;  ///< regions, in order
  std::vector<Request> requests;
  std::vector<Step> recent;  ///< its last steps, also those that are not kept

  /// Forgets steps of the path, and what they asked of memory.
  void drop(const std::vector<bool>& steps);
};

/// What one workgroup did.
class GroupTrace : public engine::GroupObserver {
 public:
  /// What is kept of it, some 20 MB at most: lines of requests, and regions that waves enter.
  struct Kept {
    std::size_t lines = std::size_t{1} << 20, steps = std::size_t{1} << 18;
    bool only_begin = false;  ///< beyond that it need not be observed
  };
  /// Of the GPU counts what all of its target have alike: the lines of loads. `scratch`: the
  /// address of its scratch.
  GroupTrace(const gpus::Gpu& gpu, std::uint64_t workgroup, std::uint64_t scratch, Kept kept)
      : workgroup(workgroup),
        load_bytes_(request_bytes(gpu, false)),
        store_bytes_(request_bytes(gpu, true)),
        scratch_(scratch),
        kept_(kept) {}
  GroupTrace(const gpus::Gpu& gpu, std::uint64_t workgroup, std::uint64_t scratch = 0)
      : GroupTrace(gpu, workgroup, scratch, Kept()) {}

  void enters(unsigned wave, std::uint32_t region, std::uint64_t exec) override;
  void accesses(unsigned wave, const isa::Instruction& instruction,
                const engine::Access& access) override;
  bool enough() const override {
    return kept_.only_begin && (lines.size() > kept_.lines || steps_ > kept_.steps);
  }
  bool spins(unsigned wave) override;
  /// Wave-instructions that ran, also of what was not kept.
  double instructions(std::span<const engine::RegionOfCode> regions) const;
  bool awaits() const;  ///< whether a request does

  const std::uint64_t workgroup;
  struct Executions {
    std::uint64_t count = 0, lanes = 0;
  };
  std::vector<Executions> executions;  ///< of each region
  std::unordered_map<const isa::Instruction*, Use> uses;
  std::vector<WaveTrace> waves;
  std::vector<std::uint64_t> lines;  ///< of requests, by number: address / request_bytes
  LdsPatterns lds;
  bool cut = false;  ///< waves did more than is kept

 private:
  unsigned line_bytes(bool stores) const { return stores ? store_bytes_ : load_bytes_; }
  /// The lines of so many sectors, appended; their number.
  std::uint32_t add_lines(std::span<const std::uint64_t> sectors, bool stores);

  unsigned load_bytes_, store_bytes_;
  std::uint64_t scratch_;
  Kept kept_;
  std::size_t steps_ = 0;
};

/// Where lines come from that a workgroup touches for the first time: shares, the rest from DRAM.
struct Sharing {
  double l2 = 0;        ///< another workgroup of the XCD had fetched them
  double arriving = 0;  ///< another one had just asked for them: no more traffic, but the same wait
  double mall = 0;      ///< another XCD had fetched them
};

/// Bytes of memory that a launch touches, and the workgroups of an XCD; 0 when that is not known.
struct Footprint {
  double launch = 0, xcd = 0;
};

/// What a launch reads and writes of other GPUs' memory, over links: 64-byte parts, once for each
/// workgroup that touches them. The links of several GPUs carry it at the same time.
struct Peers {
  double bytes = 0;
  unsigned gpus = 0;
};

/// What some workgroups of a launch did, whichever GPU of its target runs it. What one GPU's LDS
/// and caches make of that stands in it once simulate was called for that GPU.
///
/// The GPU that it is made for says which workgroups are worth a look: `neighbours`, which one XCD
/// holds at the same time, and others, spread over the grid; how all those begin that the GPU holds
/// at the same time as the neighbours; and how those began that the neighbours' XCD had before.
/// Where the GPU cannot hold all of a launch at once, neighbours are from its middle: grids begin
/// and end with what is rare.
class LaunchTrace : public engine::Observer {
 public:
  /// `workgroups`: of the launch; at most `sample` of them are observed, the same ones each time;
  /// and the begin of `at_once`, 0 if that is not known. `scratch_bytes`: of a workgroup.
  LaunchTrace(const gpus::Gpu& gpu, std::uint64_t workgroups, unsigned sample,
              std::uint64_t at_once = 0, std::uint64_t scratch_bytes = 0);

  engine::GroupObserver* begins(std::uint64_t workgroup) override;
  std::uint64_t next_choice(std::uint64_t workgroup) const override;

  /// Those that have begun, in the order of their numbers. The first ones are neighbours.
  const std::vector<GroupTrace>& neighbours() const { return neighbours_; }
  std::vector<GroupTrace>& neighbours() { return neighbours_; }
  const std::vector<GroupTrace>& others() const { return others_; }
  std::vector<GroupTrace>& others() { return others_; }
  /// The begins of those that the GPU holds at the same time, and that are none of the above.
  const std::vector<GroupTrace>& openings() const { return openings_; }
  std::vector<GroupTrace>& openings() { return openings_; }
  /// The begins of those that the neighbours' XCD had before them, and how many it has at once.
  std::vector<GroupTrace>& before() { return before_; }
  std::uint64_t at_once_of_xcd() const { return at_once_of_xcd_; }
  std::uint64_t workgroups() const { return workgroups_; }

  /// Calls f(group, how many workgroups it stands for) for those that were observed whole. The
  /// neighbours, which all are at the grid's begin, stand for themselves if there are others.
  template <class Function>
  void for_each_whole(Function f) const {
    const auto near = double(neighbours_.size()), far = double(others_.size()),
               all = double(workgroups_);
    for (const GroupTrace& group : neighbours_) f(group, far > 0 ? 1 : all / near);
    for (const GroupTrace& group : others_) f(group, (all - near) / far);
  }

  /// Counts of a launch of which only observed workgroups ran: those of neighbours and others, for
  /// all workgroups. Their begins alone would count too often.
  void count(engine::Result& result) const;

  /// Once LDS and caches are simulated: drops what only that needs, addresses and begins.
  void forget_addresses();

  /// By instruction; see simulate.
  std::unordered_map<const isa::Instruction*, Sharing> sharing;
  Footprint footprint;
  Peers peers;
  /// Of a trace that has kept one workgroup only: whether there were unlike ones.
  bool unlike_others = false;

  /// Lines that are kept of an opening.
  static constexpr std::size_t opening_lines = 2048;

 private:
  std::uint64_t workgroups_, at_once_of_xcd_;
  std::vector<GroupTrace> neighbours_, others_, openings_, before_;
};

}  // namespace hipsight::profile
