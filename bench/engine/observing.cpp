// What observing costs: every address of every access that a kernel makes, told to one observer.

#include <fmt/format.h>

#include <bit>

#include "engine/case.h"
#include "engine/events.h"

namespace hipsight::bench {
namespace {

/// Looks at each address, as any checker does.
struct Addresses : engine::Observer, engine::GroupObserver {
  engine::GroupObserver* begins(std::uint64_t) override { return this; }
  engine::Wants wants() const override { return {.regions = false}; }
  void accesses(unsigned, const isa::Instruction&, const engine::Access& access) override {
    if (std::popcount(access.mask) == static_cast<int>(access.lanes))
      for (unsigned lane = 0; lane < access.lanes; ++lane) sum += access.at[lane];
    else
      for (std::uint64_t left = access.mask; left; left &= left - 1)
        sum += access.at[std::countr_zero(left)];
  }
  std::uint64_t sum = 0;
};

double median_ratio(const Case& plain, const Case& observed) {
  std::vector<double> ratios;
  for (const auto& [one, other] :
       pairs([&] { return observed.launch().seconds; }, [&] { return plain.launch().seconds; }))
    ratios.push_back(one / other);
  return median(ratios);
}

}  // namespace

Row observing_row(const std::filesystem::path& build) {
  std::vector<double> all;
  const auto add = [&](const Place& place, const char* name, auto make) {
    const Case what = make(place);
    Case observed = what;
    observed.launch = [&] {
      Addresses addresses;
      const Observing observing(addresses);
      return what.launch();
    };
    warm_up(what);
    warm_up(observed);
    all.push_back(median_ratio(what, observed));
    fmt::print(stderr, "{}: {} with its addresses observed: {:.2f} times as long\n", place.gpu,
               name, all.back());
  };
  for (const char* gpu : {"mi300x", "rx7900xtx"}) {
    const Place place{.gpu = gpu, .build = build};
    for (const int part : {1, 4, 8})
      add(place, "fp32 GEMM", [&](const Place& p) { return sgemm_case(p, part, 256); });
    add(place, "f16 GEMM", [](const Place& p) { return gemm_case(p, Word::F16, 256); });
    add(place, "bf16 GEMM of the kernel library",
        [](const Place& p) { return gemm_case(p, Word::Bf16, 512, true); });
    add(place, "FlashAttention", [](const Place& p) { return flash_attention_case(p, 1024); });
    add(place, "copy", copy_case);
    add(place, "saxpy", saxpy_case);
    add(place, "saxpy with exp", saxpy_exp_case);
    add(place, "mandelbrot", mandelbrot_case);
    add(place, "histogram in LDS", [](const Place& p) { return histogram_case(p, false); });
    add(place, "histogram by atomics", [](const Place& p) { return histogram_case(p, true); });
    add(place, "gather", gather_case);
  }
  const double middle = median(all);
  return {.name = "slowdown by observing addresses, median of kernels",
          .value = middle,
          .unit = "x",
          .high_is_better = false,
          .floor = 5,
          .aim = 3,
          .beside = {{"x at the most", std::ranges::max(all)}}};
}

}  // namespace hipsight::bench
