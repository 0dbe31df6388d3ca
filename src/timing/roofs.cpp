#include "timing/roofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "support/quantity.h"

namespace hipsight::timing {

std::string_view rate_name(isa::Number number) {
  switch (number) {
    case isa::Number::F64:
      return "f64";
    case isa::Number::F32:
      return "f32";
    case isa::Number::F16:
      return "f16";
    case isa::Number::BF16:
      return "bf16";
    case isa::Number::F8:
      return "fp8";
    case isa::Number::F6:
      return "fp6";
    case isa::Number::F4:
      return "fp4";
    case isa::Number::I8:
      return "i8";
    case isa::Number::I4:
      return "i4";
    case isa::Number::XF32:
      return "xf32";
    case isa::Number::None:
    case isa::Number::I32:
    case isa::Number::I16:
      return "";  // no file has them: the issue roof stands for them
  }
  return "";
}

namespace {

class Builder {
 public:
  Builder(const gpus::Gpu& gpu, const Launches& launches)
      : gpu_(gpu), launches_(launches), summary_(*launches.summary) {
    const double per_launch =
        double(summary_.workgroups) / std::max(summary_.launches, std::uint64_t{1});
    const std::uint32_t cus_of_workgroup =
        std::max(launches.occupancy.simds / gpu.simds_per_cu, std::uint32_t{1});
    const double places = double(gpu.compute_units) / cus_of_workgroup;
    result_.busy_compute_units = std::min(per_launch, places) * cus_of_workgroup;
    result_.rounds =
        per_launch / (places * std::max(launches.occupancy.workgroups, std::uint32_t{1}));
  }

  Roofs build() {
    if (summary_.launches == 0) return result_;
    for (std::size_t i = 0; i < profile::kNumbers; ++i) arithmetic(isa::Number(i), false);
    for (std::size_t i = 0; i < profile::kNumbers; ++i) arithmetic(isa::Number(i), true);
    issue();
    wave_issue();
    lds();
    memory();
    launch();
    std::sort(result_.roofs.begin(), result_.roofs.end(), [](const Roof& a, const Roof& b) {
      return std::tie(b.seconds, a.kind, a.name) < std::tie(a.seconds, b.kind, b.name);
    });
    return result_;
  }

 private:
  double compute_clocks() const { return result_.busy_compute_units * gpu_.clock_ghz * 1e9; }

  void add(Roof::Kind kind, std::string name, double seconds, std::string evidence,
           double per_second = 0) {
    result_.roofs.push_back({kind, std::move(name), seconds, std::move(evidence), per_second});
  }

  void arithmetic(isa::Number number, bool matrix) {
    const double operations =
        (matrix ? summary_.matrix_operations : summary_.vector_operations)[std::size_t(number)];
    const std::string_view key = rate_name(number);
    if (operations == 0 || (key.empty() && !matrix)) return;
    const std::string name = fmt::format("{} {}", matrix ? "matrix" : "vector", isa::text(number));
    const gpus::Gpu::Rate* rate = gpu_.rate(key);
    const auto per_clock = rate ? (matrix ? rate->matrix : rate->vector) : std::nullopt;
    if (!per_clock) {
      result_.unknown.push_back(name);
      return;
    }
    const double per_second = *per_clock * compute_clocks();
    add(matrix ? Roof::Kind::Matrix : Roof::Kind::Vector, name, operations / per_second,
        fmt::format("{} at {}", quantity(operations, "FLOP"), quantity(per_second, "FLOP/s")),
        per_second);
  }

  // Vector instructions keep their SIMD's vector unit for issue_cycles; a SIMD starts one
  // instruction of each other kind in that time.
  void issue() {
    const double scale = std::max(launches_.wavefront_size / gpu_.wavefront_size, std::uint32_t{1});
    const auto count = [&](isa::Pipe pipe) { return double(summary_.instructions_of(pipe)); };
    const double vector = count(isa::Pipe::Vector) * gpu_.issue_cycles * scale +
                          count(isa::Pipe::Transcendental) * scale *
                              gpu_.transcendental_cycles.value_or(gpu_.issue_cycles);
    const struct {
      const char* name;
      double cycles;
    } kinds[] = {
        {"vector", vector},
        {"scalar", count(isa::Pipe::Scalar) * gpu_.issue_cycles},
        {"memory", (count(isa::Pipe::Global) + count(isa::Pipe::Flat) + count(isa::Pipe::Scratch)) *
                       gpu_.issue_cycles},
        {"LDS", count(isa::Pipe::Lds) * gpu_.issue_cycles},
    };
    const auto most = *std::max_element(std::begin(kinds), std::end(kinds),
                                        [](auto a, auto b) { return a.cycles < b.cycles; });
    if (most.cycles == 0) return;
    add(Roof::Kind::Issue, fmt::format("issue of {} instructions", most.name),
        most.cycles / (gpu_.simds_per_cu * compute_clocks()),
        fmt::format("{} SIMD cycles", quantity(most.cycles, "")));
  }

  // One wave starts an instruction every issue_cycles at best, and workgroups beyond those resident
  // wait for a round: a lower bound that no other wave can hide. Waits may cost nothing.
  void wave_issue() {
    if (summary_.waves == 0) return;
    const double instructions =
        double(summary_.all_instructions() - summary_.instructions_of(isa::Pipe::Wait)) /
        double(summary_.waves);
    const double rounds = std::max(1.0, std::floor(result_.rounds));
    add(Roof::Kind::WaveIssue, "each wave's own instructions",
        double(summary_.launches) * rounds * instructions * gpu_.issue_cycles /
            (gpu_.clock_ghz * 1e9),
        fmt::format("{}, one every {:g} cycle{}, {:.0f} round{}", quantity(instructions, ""),
                    gpu_.issue_cycles, gpu_.issue_cycles == 1 ? "" : "s", rounds,
                    rounds == 1 ? "" : "s"));
  }

  void lds() {
    if (summary_.lds.total() == 0) return;
    if (!gpu_.lds_bytes_per_clock_per_cu) {
      result_.unknown.push_back("LDS");
      return;
    }
    const double per_second = *gpu_.lds_bytes_per_clock_per_cu * compute_clocks();
    add(Roof::Kind::Lds, "LDS", summary_.lds.total() / per_second,
        fmt::format("{} at {}, if no bank conflicts", quantity(summary_.lds.total(), "B"),
                    quantity(per_second, "B/s")),
        per_second);
  }

  void memory() {
    const double bytes = summary_.memory_bytes();
    const auto transfer = [&](Roof::Kind kind, const char* name, double amount, double gb_per_s,
                              const char* note) {
      add(kind, name, amount / (gb_per_s * 1e9),
          fmt::format("{} at {}{}", quantity(amount, "B"), quantity(gb_per_s * 1e9, "B/s"), note),
          gb_per_s * 1e9);
    };
    if (bytes > 0) {
      if (gpu_.l2_gb_per_s) {
        transfer(Roof::Kind::L2, "L2", bytes, *gpu_.l2_gb_per_s, ", if no L1 hits");
      } else {
        result_.unknown.push_back("L2");
      }
      transfer(Roof::Kind::Dram, "DRAM, all requests", bytes,
               gpu_.dram_gb_per_s_measured.value_or(gpu_.dram_gb_per_s),
               gpu_.dram_gb_per_s_measured ? " measured, if no cache hits"
                                           : " specified, if no cache hits");
    }
    if (launches_.compulsory_bytes)
      transfer(Roof::Kind::DramCompulsory, "DRAM, compulsory", *launches_.compulsory_bytes,
               gpu_.dram_gb_per_s_measured.value_or(gpu_.dram_gb_per_s), ", if caches are perfect");
  }

  void launch() {
    if (!gpu_.launch_us) {
      result_.unknown.push_back("launch");
      return;
    }
    const double each = std::max(*gpu_.launch_us, gpu_.launch_interval_us.value_or(0));
    add(Roof::Kind::Launch, "launch", double(summary_.launches) * each * 1e-6,
        fmt::format("{} at {} us", summary_.launches, each));
  }

  const gpus::Gpu& gpu_;
  const Launches& launches_;
  const profile::Summary& summary_;
  Roofs result_;
};

}  // namespace

const Roof* Roofs::find(Roof::Kind kind) const {
  const auto found =
      std::find_if(roofs.begin(), roofs.end(), [&](const Roof& roof) { return roof.kind == kind; });
  return found == roofs.end() ? nullptr : &*found;
}

Roofs roofs(const gpus::Gpu& gpu, const Launches& launches) {
  return Builder(gpu, launches).build();
}

}  // namespace hipsight::timing
