#include "fibers.h"

#include <algorithm>

namespace host_test {

Fibers::Fibers(std::uint32_t count, const std::function<void(Fibers&, std::uint32_t)>& body)
    : words(count), fibers_(count), body_(body) {
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  for (Fiber& fiber : fibers_) {
    fiber.stack.resize(64 << 10);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = &main_;
    // makecontext passes ints only.
    makecontext(&fiber.context, reinterpret_cast<void (*)()>(&Fibers::start), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
  }
}

void Fibers::start(unsigned high, unsigned low) {
  auto& self = *reinterpret_cast<Fibers*>(std::uintptr_t{high} << 32 | low);
  const std::uint32_t index = self.current_;
  self.body_(self, index);
  self.fibers_[index].done = true;
}

void Fibers::run(std::uint32_t count, const std::function<void(Fibers&, std::uint32_t)>& body) {
  Fibers all(count, body);
  for (std::uint32_t done = 0; done < count;) {
    done = 0;
    for (std::uint32_t i = 0; i < count; i++) {
      all.current_ = i;
      if (!all.fibers_[i].done) swapcontext(&all.main_, &all.fibers_[i].context);
      done += all.fibers_[i].done;
    }
  }
}

void Fibers::wait_for(std::uint32_t first, std::uint32_t count) {
  Fiber& self = fibers_[current_];
  const std::uint64_t wait = ++self.waits;
  const auto begin = fibers_.begin() + first;
  const auto end = fibers_.begin() + std::min(first + count, this->count());
  // Those that are ahead have waited more often; those that have returned wait for none.
  while (!std::all_of(begin, end, [&](const Fiber& f) { return f.done || f.waits >= wait; }))
    swapcontext(&self.context, &main_);
}

}  // namespace host_test
