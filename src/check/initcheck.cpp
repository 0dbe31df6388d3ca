#include "check/initcheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <unordered_map>

#include "code/code_object.h"
#include "code/readable_name.h"

namespace hipsight::check {
namespace {

using engine::Access;

/// In each byte that nobody wrote: no small number as an integer, and as a float (3.0), half (2.1)
/// or bfloat16 one that sums do not lose.
constexpr std::uint8_t other_value = 0x40;

std::uint32_t dword_at(std::uint64_t address) {
  std::uint32_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

/// Whether it asks the host for something, which is to be done once.
bool calls_the_host(const code::Kernel& kernel) {
  return std::ranges::any_of(kernel.arguments, [](const code::Argument& argument) {
    return argument.value_kind == "hidden_hostcall_buffer" ||
           argument.value_kind == "hidden_printf_buffer" || argument.value_kind == "hidden_heap_v1";
  });
}

}  // namespace

/// What one run of the launch stored, and what it read that nobody had written.
class Initcheck::Run final : public engine::Observer {
 public:
  struct Stored {
    const isa::Instruction* by = nullptr;  ///< the last store
    std::uint64_t workgroup = 0;           ///< that made it
    std::uint32_t before = 0, after = 0;   ///< the dword; `after` once the run has ended
    std::uint8_t bytes = 0;                ///< a bit each
  };
  /// Where an instruction first read such bytes.
  struct Read {
    const isa::Instruction* by;
    std::string what;
  };

  Run(Written& written, const engine::Memory& memory) : written_(written), memory_(memory) {}
  void launch_begins(const engine::LaunchFacts& launch) override { lds_bytes_ = launch.lds_bytes; }
  engine::GroupObserver* begins(std::uint64_t workgroup) override;

  /// Notes what memory holds now.
  void ends() {
    for (auto& [address, one] : stored) one.after = dword_at(address);
  }
  /// Takes back what it stored.
  void undo() {
    for (const auto& [address, one] : stored)
      for (unsigned byte = 0; byte < 4; ++byte)
        if (one.bytes >> byte & 1)
          reinterpret_cast<std::uint8_t*>(address)[byte] =
              static_cast<std::uint8_t>(one.before >> 8 * byte);
  }

  std::unordered_map<std::uint64_t, Stored> stored;  ///< by the dword's address
  std::vector<Read> reads;                           ///< in the order of their first time

 private:
  friend class Group;
  bool is_unwritten(std::uint64_t byte) const {
    if (written_.has(byte)) return false;
    const auto one = stored.find(byte & ~3ull);
    return one == stored.end() || !(one->second.bytes >> (byte & 3) & 1);
  }
  void reads_unwritten(const isa::Instruction& by, std::string what) {
    if (known_.insert(&by).second) reads.push_back({&by, std::move(what)});
  }

  Written& written_;
  const engine::Memory& memory_;
  std::uint32_t lds_bytes_ = 0;
  std::set<const isa::Instruction*> known_;
  std::map<std::uint64_t, std::unique_ptr<engine::GroupObserver>> groups_;
};

class Initcheck::Group final : public engine::GroupObserver {
 public:
  Group(Run& run, std::uint64_t number) : run_(run), number_(number), lds_(run.lds_bytes_) {}
  engine::Wants wants() const override { return {.regions = false}; }
  void workgroup_ends() override { lds_ = {}; }

  void accesses(unsigned, const isa::Instruction& in, const Access& access) override {
    if (access.space == Access::Space::Scratch) return;
    for (std::uint64_t left = access.touching(); left; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      const std::uint64_t begin = access.at[lane], end = begin + access.bytes_of(lane);
      if (access.space == Access::Space::Lds)
        lds(in, access, begin, std::min<std::uint64_t>(end, lds_.size()));
      else
        memory(in, access, begin, end);
    }
  }

 private:
  void lds(const isa::Instruction& in, const Access& access, std::uint64_t begin,
           std::uint64_t end) {
    for (std::uint64_t at = begin; at < end; ++at) {
      if (access.loads() && !lds_[at])
        run_.reads_unwritten(in, fmt::format("byte {:#x} of LDS", at));
      if (access.stores()) lds_[at] = true;
    }
  }
  void memory(const isa::Instruction& in, const Access& access, std::uint64_t begin,
              std::uint64_t end) {
    if (access.loads())
      for (std::uint64_t at = begin; at < end; ++at)
        if (run_.is_unwritten(at)) {
          const auto of = run_.memory_.find(at);
          run_.reads_unwritten(in, of ? fmt::format("byte {} of {}", at - of->begin, of->label)
                                      : fmt::format("{:#x}", at));
          break;
        }
    if (!access.stores()) return;
    for (std::uint64_t at = begin & ~3ull; at < end; at += 4) {
      const auto [known, is_new] = run_.stored.try_emplace(at);
      Run::Stored& one = known->second;
      if (is_new) one.before = dword_at(at);
      const std::uint64_t from = std::max(begin, at), to = std::min(end, at + 4);
      one.bytes |= static_cast<std::uint8_t>(((1u << (to - from)) - 1) << (from - at));
      one.by = &in;
      one.workgroup = number_;
    }
  }

  Run& run_;
  const std::uint64_t number_;
  std::vector<bool> lds_;  ///< bytes that were written
};

engine::GroupObserver* Initcheck::Run::begins(std::uint64_t workgroup) {
  auto& group = groups_[workgroup];
  group = std::make_unique<Group>(*this, workgroup);
  return group.get();
}

Initcheck::Initcheck(Written& written, const engine::Memory& memory)
    : written_(written), memory_(memory) {}
Initcheck::~Initcheck() = default;

void Initcheck::rehearse(engine::Engine& engine, const engine::Dispatch& dispatch) {
  partial_ = calls_the_host(*dispatch.kernel) || !written_.fill(other_value);
  if (partial_) return;
  rehearsal_ = std::make_unique<Run>(written_, memory_);
  engine::Dispatch other = dispatch;
  other.observers = {rehearsal_.get()};
  other.finished = nullptr;
  other.unwritten = other_value;
  try {
    engine.run(other);
  } catch (const engine::KernelError& error) {
    failure_ = error.what();
  }
  rehearsal_->ends();
  rehearsal_->undo();
  written_.clear();
}

void Initcheck::failed() {
  if (run_) mark_stored();
}

void Initcheck::mark_stored() {
  for (const auto& [address, one] : run_->stored)
    for (unsigned byte = 0; byte < 4; ++byte)
      if (one.bytes >> byte & 1) written_.mark(address + byte, 1);
}

void Initcheck::launch_begins(const engine::LaunchFacts& launch) {
  listing_ = &launch.listing;
  kernel_ = code::readable_name(launch.dispatch.kernel->name);
  run_ = std::make_unique<Run>(written_, memory_);
  run_->launch_begins(launch);
}

engine::GroupObserver* Initcheck::begins(std::uint64_t workgroup) {
  return run_->begins(workgroup);
}

std::string Initcheck::text(const isa::Instruction& store, std::uint64_t byte,
                            std::uint64_t workgroup) const {
  const auto in = memory_.find(byte);
  std::string out =
      fmt::format("what is stored hangs on what nobody wrote\n  kernel      {}\n  store       {}\n",
                  kernel_, place_text(*listing_, store));
  constexpr std::size_t most = 3;
  const auto& reads = run_->reads.empty() && rehearsal_ ? rehearsal_->reads : run_->reads;
  for (std::size_t i = 0; i < std::min(most, reads.size()); ++i)
    out +=
        fmt::format("  reads       {}: {}\n", place_text(*listing_, *reads[i].by), reads[i].what);
  if (reads.size() > most) out += fmt::format("  and         {} more\n", reads.size() - most);
  if (reads.empty()) out += "  reads       registers or scratch\n";
  return out + fmt::format("  workgroup   {}, {}", workgroup,
                           in ? fmt::format("byte {} of {}, {} bytes", byte - in->begin, in->label,
                                            in->size)
                              : fmt::format("byte {:#x}", byte));
}

void Initcheck::launch_ends() {
  run_->ends();
  mark_stored();
  if (!rehearsal_) return;
  struct First {
    std::uint64_t byte = 0, workgroup = 0, count = 0;
  };
  std::map<const isa::Instruction*, First> differ;
  const auto compare = [&](std::uint64_t address, const Run::Stored& by, std::uint32_t one,
                           std::uint32_t other, std::uint8_t bytes) {
    for (unsigned byte = 0; byte < 4; ++byte) {
      if (!(bytes >> byte & 1) || !((one ^ other) >> 8 * byte & 0xff)) continue;
      First& first = differ[by.by];
      if (!first.count++ || address + byte < first.byte)
        first.byte = address + byte, first.workgroup = by.workgroup;
      return;
    }
  };
  for (const auto& [address, one] : run_->stored) {
    const auto other = rehearsal_->stored.find(address);
    compare(address, one, one.after,
            other == rehearsal_->stored.end() ? one.before : other->second.after, one.bytes);
  }
  for (const auto& [address, other] : rehearsal_->stored)
    if (!run_->stored.contains(address))
      compare(address, other, other.after, dword_at(address), other.bytes);
  for (const auto& [store, first] : differ)
    findings_.push_back(
        {.tool = "initcheck",
         .text = text(*store, first.byte, first.workgroup),
         .count = first.count,
         .address = store->address,
         .kernel = kernel_,
         .at = location_of(*listing_, *store),
         .second = run_->reads.empty() ? Location() : location_of(*listing_, *run_->reads[0].by)});
  if (!failure_.empty())
    findings_.push_back({.tool = "initcheck",
                         .text = fmt::format("the kernel fails if what nobody wrote is not 0\n"
                                             "  kernel      {}\n  with {:#x} in each byte: {}",
                                             kernel_, other_value, failure_),
                         .count = 1,
                         .kernel = kernel_});
  std::ranges::sort(findings_, {}, &Finding::address);
}

}  // namespace hipsight::check
