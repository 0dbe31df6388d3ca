#include "report/wave_trace.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <mutex>
#include <optional>
#include <utility>

#include "code/readable_name.h"
#include "engine/engine.h"
#include "isa/decode.h"
#include "support/error.h"
#include "support/output_file.h"
#include "support/printable.h"

namespace hipsight::report {
namespace {

using engine::Written;
using File = Written::File;

constexpr unsigned vcc = 106, exec = 126;  // as instructions encode them

std::string name_of_scalar(unsigned index, bool rdna) {
  if (index == vcc) return "vcc_lo";
  if (index == vcc + 1) return "vcc_hi";
  if (index == exec) return "exec_lo";
  if (index == exec + 1) return "exec_hi";
  if (index == (rdna ? 125 : 124)) return "m0";
  if (!rdna && index == 102) return "flat_scratch_lo";
  if (!rdna && index == 103) return "flat_scratch_hi";
  if (!rdna && index == 104) return "xnack_mask_lo";
  if (!rdna && index == 105) return "xnack_mask_hi";
  if (index >= 108 && index < 124) return fmt::format("ttmp{}", index - 108);
  return fmt::format("s{}", index);
}

/// "0-3,8": lanes of a mask.
std::string ranges(std::uint64_t mask) {
  std::string text;
  for (unsigned lane = 0; lane < 64; ++lane) {
    if (!(mask >> lane & 1)) continue;
    const unsigned first = lane;
    while (lane < 63 && mask >> (lane + 1) & 1) ++lane;
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (lane > first) text += fmt::format("-{}", lane);
  }
  return text;
}

/// A vector register's values: "v1=3f800000" where they are alike, "v0=00000000+4" where they grow
/// by a constant from lane to lane, else "v2=[...]". Lanes, unless all of them: "v2{0-31}=...".
std::string text_of_vector(const Written& written, unsigned lanes) {
  const std::uint64_t all = lanes == 64 ? ~0ull : (1ull << lanes) - 1;
  const char letter = written.file == File::Vector ? 'v' : 'a';
  std::string text = fmt::format("{}{}", letter, written.index);
  if (written.mask != all) text += fmt::format("{{{}}}", ranges(written.mask));
  const auto first = static_cast<unsigned>(__builtin_ctzll(written.mask));
  const std::uint32_t base = written.values[first];
  std::uint32_t step = 0;
  bool affine = true, seen_second = false;
  std::string each;
  for (unsigned lane = first; lane < lanes; ++lane) {
    if (!(written.mask >> lane & 1)) continue;
    const std::uint32_t value = written.values[lane];
    each += fmt::format("{}{:08x}", each.empty() ? "" : " ", value);
    if (lane == first) continue;
    // Where lanes are missing the step is still from one lane to the next one.
    const std::uint32_t difference = value - base;
    if (!seen_second) {
      seen_second = true;
      step = difference / (lane - first);
    }
    affine = affine && difference == step * (lane - first);
  }
  if (!affine) return text + "=[" + each + "]";
  text += fmt::format("={:08x}", base);
  if (step) text += fmt::format("{:+}", static_cast<std::int32_t>(step));
  return text;
}

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

}  // namespace

TraceOptions TraceOptions::parse(std::string_view text) {
  TraceOptions options;
  const char *at = text.data(), *const end = at + text.size();
  bool good = true;
  const auto number = [&](std::uint32_t& value) {
    const auto [after, error] = std::from_chars(at, end, value);
    good = good && error == std::errc{};
    at = after;
  };
  const auto next_is = [&](char c) { return good && at != end && *at == c && (++at, true); };
  number(options.workgroup[0]);
  if (next_is(',')) number(options.workgroup[1]);
  if (at != end && next_is(',')) number(options.workgroup[2]);
  if (next_is(':')) number(options.wave);
  if (!good || at != end)
    fail("'{}' is no wave to trace: expected WORKGROUP[:WAVE], as in 3 or 0,2:1", text);
  return options;
}

class WaveTrace::Writer final : public engine::GroupObserver {
 public:
  Writer(const TraceOptions& options, const engine::Dispatch& dispatch, std::uint64_t number)
      : wave_(options.wave),
        object_(dispatch.module->object()),
        rdna_(object_.target().processor.starts_with("gfx1")),
        decoder_(object_.target().processor) {
    if (!options.file.empty()) file_.emplace(options.file);
    const auto& [x, y, z] = options.workgroup;
    print(fmt::format("trace of launch {}: {}, workgroup ({}, {}, {}), wave {}\n", number,
                      printable(code::readable_name(dispatch.kernel->name)), x, y, z, wave_));
  }
  ~Writer() override = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  engine::Wants wants() const override { return {.regions = false, .accesses = false}; }
  bool steps(unsigned wave) const override { return wave == wave_; }
  void step(unsigned, const engine::Step& step) override {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    std::string line;
    if (step.instruction) {
      ++count_;
      tell_source(step.instruction->address);
      line =
          fmt::format("{:6x}  {:<48}", step.instruction->address, decoder_.text(*step.instruction));
    } else {
      line = fmt::format("{:6}  {:<48}", "", "(start)");
    }
    for (const Written& written : step.written) line += " " + text_of(written, step.lanes);
    line.erase(line.find_last_not_of(' ') + 1);
    print(line + "\n");
  }

  void finish() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(finished_, true)) return;
    print(fmt::format("end of the trace: {} instructions\n", count_));
    if (!file_) return;
    file_->write(pending_);
    file_->finish();
  }

 private:
  std::string text_of(const Written& written, unsigned lanes) const {
    if (written.file == File::Scc) return fmt::format("scc={}", *written.values);
    if (written.file != File::Scalar) return text_of_vector(written, lanes);
    return fmt::format("{}={:08x}", name_of_scalar(written.index, rdna_), *written.values);
  }
  void tell_source(std::uint64_t address) {
    const auto line = object_.line(address);
    if (!line) return;
    std::string place = fmt::format("{}:{}", printable(line->file), line->line);
    if (place == place_) return;
    place_ = std::move(place);
    print(fmt::format("; {}\n", place_));
  }
  void print(const std::string& text) {
    if (!file_) {
      std::fwrite(text.data(), 1, text.size(), stderr);
      return;
    }
    constexpr std::size_t piece = 1 << 16;
    pending_ += text;
    if (pending_.size() < piece) return;
    file_->write(pending_);
    pending_.clear();
  }

  const unsigned wave_;
  const code::CodeObject& object_;
  const bool rdna_;
  isa::Decoder decoder_;
  std::optional<OutputFile> file_;  ///< none: stderr
  std::string pending_;             ///< of the file
  std::mutex mutex_;                ///< a signal may end the process, and so the trace, meanwhile
  bool finished_ = false;
  std::string place_;
  std::uint64_t count_ = 0;
};

WaveTrace::WaveTrace(const TraceOptions& options, const engine::Dispatch& dispatch,
                     std::uint64_t number) {
  const auto& [x, y, z] = options.workgroup;
  const auto &grid = dispatch.grid, &block = dispatch.block;
  const std::uint64_t groups[]{divide_up(grid.x, block.x), divide_up(grid.y, block.y),
                               divide_up(grid.z, block.z)};
  if (x >= groups[0] || y >= groups[1] || z >= groups[2])
    fail(
        "nothing is traced: launch {} of the program has {} x {} x {} workgroups, and none ({}, "
        "{}, {})",
        number, groups[0], groups[1], groups[2], x, y, z);
  const std::uint64_t waves = divide_up(block.volume(), dispatch.kernel->wavefront_size);
  if (options.wave >= waves)
    fail("nothing is traced: a workgroup of launch {} of the program has {} waves, and no wave {}",
         number, waves, options.wave);
  workgroup_ = x + groups[0] * (y + groups[1] * z);
  writer_ = std::make_unique<Writer>(options, dispatch, number);
}
WaveTrace::~WaveTrace() = default;

void WaveTrace::finish() {
  writer_->finish();
}

engine::GroupObserver* WaveTrace::begins(std::uint64_t workgroup) {
  return workgroup == workgroup_ ? writer_.get() : nullptr;
}
std::uint64_t WaveTrace::next_choice(std::uint64_t workgroup) const {
  return workgroup <= workgroup_ ? workgroup_ : ~std::uint64_t{0};
}

}  // namespace hipsight::report
