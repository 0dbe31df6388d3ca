#include "capture/replay.h"

#include <sys/mman.h>

#include <algorithm>

#include "code/target.h"
#include "support/error.h"

namespace hipsight::capture {

Replay::Replay(const Capture& capture, const gpus::Gpu& gpu, engine::Options options,
               const services::Host::Complain& complain)
    : capture_(capture), engine_(gpu, options), host_(engine_, gpu, complain) {
  engine_.on_overrun(complain);
  const Header& header = capture.header;
  const auto object = read(capture.code, header.code_origin);
  dispatch_.kernel = object->find_kernel(header.kernel);
  if (!dispatch_.kernel) fail("{}: no kernel {} in its code", capture.origin, header.kernel);
  dispatch_.module = load(object, header.code_address);
  for (std::size_t i = 0; i < capture.called.size(); ++i) {
    const Outcome::Called& called = capture.outcome.called[i];
    called_.push_back(load(read(capture.called[i], called.origin), called.address));
  }
  const auto is_code = [&](std::uint64_t address) {
    return address == header.code_address ||
           std::ranges::find(capture.outcome.called, address, &Outcome::Called::address) !=
               capture.outcome.called.end();
  };
  for (const auto& allocation : header.allocations)
    if (!is_code(allocation.begin)) place(allocation);
  capture.for_each_block([this](std::uint64_t address, std::span<const std::byte> bytes) {
    engine_.memory().copy(reinterpret_cast<void*>(address), bytes.data(), bytes.size());
  });

  dispatch_.grid = header.grid;
  dispatch_.block = header.block;
  dispatch_.dynamic_lds = header.dynamic_lds;
  dispatch_.kernarg = capture.kernarg;
  dispatch_.cooperative = header.cooperative;
  dispatch_.in_order = true;
}

Replay::~Replay() {
  for (const auto& [address, size] : mapped_) munmap(address, size);
}

std::shared_ptr<const code::CodeObject> Replay::read(std::span<const std::byte> elf,
                                                     const std::string& origin) const {
  auto object = code::CodeObject::read(elf, origin);
  const gpus::Gpu& gpu = engine_.gpu();
  if (!object->target().runs_on(code::Target::parse(gpu.target_id)))
    fail("{}: its code is for {}, which does not run on {} ({})", capture_.origin,
         object->target().text(), gpu.title, gpu.target_id);
  return object;
}

std::shared_ptr<engine::Module> Replay::load(std::shared_ptr<const code::CodeObject> object,
                                             std::uint64_t address) {
  const auto& all = capture_.header.allocations;
  const auto there = std::ranges::lower_bound(all, address, {}, &engine::Memory::Allocation::begin);
  if (there == all.end() || there->begin != address || there->kind != engine::Memory::Kind::Code ||
      there->size != object->image_size())
    fail("{}: corrupt header: no {} bytes at {:#x} for the code of {}", capture_.origin,
         object->image_size(), address, object->origin());
  return engine::Module::load(std::move(object), engine_.memory(), address);
}

void Replay::place(const engine::Memory::Allocation& allocation) {
  const auto taken = [&] {
    fail(
        "{}: {} [{:#x}, {:#x}) cannot be placed: its addresses are in use in this process, or are "
        "no device memory; it may work when tried again",
        capture_.origin, allocation.label, allocation.begin, allocation.end());
  };
  engine::Memory& memory = engine_.memory();
  if (!allocation.registered) {
    if (!memory.allocate_at(allocation.begin, allocation.size, allocation.kind, allocation.label,
                            allocation.device, allocation.flags))
      taken();
    return;
  }
  // The program's own memory, outside the arena. Its first page may be the last one of the piece
  // before it.
  constexpr std::uint64_t page = 4096;
  const std::uint64_t begin = std::max(mapped_end_, allocation.begin / page * page);
  if (begin < allocation.end()) {
    void* const wish = reinterpret_cast<void*>(begin);
    const std::uint64_t size = (allocation.end() - begin + page - 1) / page * page;
    void* const got =
        mmap(wish, size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED) taken();
    mapped_.emplace_back(got, size);
    if (got != wish) taken();
    mapped_end_ = begin + size;
  }
  if (!memory.add(reinterpret_cast<void*>(allocation.begin), allocation.size, allocation.kind,
                  allocation.label, allocation.flags))
    taken();
}

engine::Result Replay::run() {
  const services::Services services(host_, dispatch_);
  return engine_.run(services.dispatch());
}

std::vector<std::string> Replay::digests() const {
  return capture::digests(capture_.header.allocations);
}

}  // namespace hipsight::capture
