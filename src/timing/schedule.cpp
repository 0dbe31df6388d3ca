#include "timing/schedule.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <vector>

namespace hipsight::timing {
namespace {

/// From begin to end. `work(i)`: of workgroup i, where the average is 1.
double duration(const Schedule& s, std::uint64_t count,
                const std::function<double(std::uint64_t)>& work) {
  struct Running {
    double end;  // if its compute unit remains full
    std::uint64_t unit;
    bool operator>(const Running& other) const { return end > other.end; }
  };
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running;
  std::uint64_t next = 0;
  for (std::uint64_t room = s.units * s.at_once; next < count && next < room; ++next)
    running.push({work(next) * s.together, next % s.units});
  double last_begin = 0;
  for (; next < count; ++next) {
    const auto [end, unit] = running.top();
    running.pop();
    last_begin = end;
    running.push({end + work(next) * s.together, unit});
  }
  // No others follow: the fewer are left on a compute unit, the quicker they are.
  std::vector<std::vector<double>> left(s.units);  // in order
  for (; !running.empty(); running.pop())
    left[running.top().unit].push_back((running.top().end - last_begin) / s.together);
  double longest = 0;
  for (const std::vector<double>& unit : left) {
    double time = 0, done = 0;
    for (std::size_t i = 0; i < unit.size(); ++i) {
      const auto others = static_cast<double>(unit.size() - i - 1);
      const double full = s.at_once > 1 ? others / double(s.at_once - 1) : 0;
      time += (unit[i] - done) * (s.alone + (s.together - s.alone) * full);
      done = unit[i];
    }
    longest = std::max(longest, time);
  }
  return last_begin + longest;
}

}  // namespace

double unevenness(const Schedule& schedule, std::span<const double> work) {
  const double all = std::accumulate(work.begin(), work.end(), 0.0),
               average = all / double(work.size());
  if (all <= 0) return 1;
  return duration(schedule, work.size(), [&](std::uint64_t i) { return work[i] / average; }) /
         duration(schedule, work.size(), [](std::uint64_t) { return 1.0; });
}

bool differ(std::span<const double> work, bool alone) {
  // Less than this hardly shows in times.
  constexpr double differs = 0.05;
  const double all = std::accumulate(work.begin(), work.end(), 0.0);
  double off = 0, longest = 0;
  for (const double one : work) {
    off += std::fabs(one - all / double(work.size()));
    longest = std::max(longest, one);
  }
  if (alone) off = std::max(off, longest * double(work.size()) - all);
  return off > differs * all;
}

}  // namespace hipsight::timing
