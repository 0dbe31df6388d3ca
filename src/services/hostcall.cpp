#include "services/hostcall.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstring>
#include <new>
#include <ranges>

#include "services/device_printf.h"

namespace hipsight::services {
namespace {

/// amd_signal_t (ROCr, amd_hsa_signal.h). The device adds to `value`; only where there is a mailbox
/// does it also send the interrupt that wakes us.
struct Signal {
  std::int64_t kind;
  std::int64_t value;
  std::uint64_t mailbox;
  std::uint32_t event;
  std::uint32_t unused[9];
};
static_assert(sizeof(Signal) == 64);
constexpr std::int64_t user_signal = 1;  // AMD_SIGNAL_KIND_USER

}  // namespace

struct HostcallBuffer::Header {
  std::uint64_t next;  ///< of a stack: index, and above it a tag that tells uses apart; 0: the end
  std::uint64_t active_lanes;
  HostService service;
  std::atomic<std::uint32_t> control;  ///< bit 0: ready
};

/// What the device sees; our own part follows `index_mask`.
struct HostcallBuffer::Shared {
  Header* headers;
  Payload* payloads;
  Signal* doorbell;
  std::uint64_t free_stack;
  std::atomic<std::uint64_t> ready_stack;
  std::uint64_t index_mask;

  std::uint64_t mailbox;
  alignas(64) Signal signal;
};

HostcallBuffer::HostcallBuffer(engine::Memory& memory, std::uint32_t packets, Handlers handlers)
    : memory_(memory), handlers_(std::move(handlers)), packets_(std::bit_ceil(packets)) {
  static_assert(sizeof(Header) == 24);
  const std::size_t headers = sizeof(Shared),
                    payloads = (headers + packets_ * sizeof(Header) + 63) & ~63ull;
  // Pages of packets that are never used are never touched.
  void* bytes = memory_.allocate(payloads + packets_ * sizeof(Payload),
                                 engine::Memory::Kind::Arguments, "hostcall buffer");
  if (!bytes) throw std::bad_alloc();
  shared_ = new (bytes) Shared{};
  headers_ = reinterpret_cast<Header*>(static_cast<std::byte*>(bytes) + headers);
  payloads_ = reinterpret_cast<Payload*>(static_cast<std::byte*>(bytes) + payloads);
  shared_->headers = headers_;
  shared_->payloads = payloads_;
  shared_->doorbell = &shared_->signal;
  shared_->index_mask = packets_ - 1;
  shared_->signal.kind = user_signal;
  shared_->signal.mailbox = reinterpret_cast<std::uintptr_t>(&shared_->mailbox);
  reset();
}

HostcallBuffer::~HostcallBuffer() {
  memory_.free(shared_);
}

std::uint64_t HostcallBuffer::address() const {
  return reinterpret_cast<std::uintptr_t>(shared_);
}

void HostcallBuffer::reset() {
  messages_.clear();
  // Packet 0 cannot be named 0, which ends a stack: it has a tag from the start.
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < packets_; ++i) {
    headers_[i].next = next;
    next = i ? i : packets_;
  }
  shared_->free_stack = next;
  shared_->ready_stack = 0;
}

void HostcallBuffer::serve() {
  // A kernel may have written anything here: nothing is followed further than there are packets.
  const std::uint64_t mask = packets_ - 1;
  std::vector<std::uint64_t> ready;
  for (std::uint64_t packet = shared_->ready_stack.exchange(0); packet && ready.size() < packets_;
       packet = headers_[packet & mask].next)
    ready.push_back(packet & mask);
  for (const std::uint64_t packet : std::views::reverse(ready)) {
    Header& header = headers_[packet];
    for (std::uint64_t left = header.active_lanes; left; left &= left - 1)
      answer(header.service, payloads_[packet][std::countr_zero(left)]);
    header.control.fetch_and(~1u, std::memory_order_release);
  }
}

void HostcallBuffer::answer(HostService service, Slot& slot) {
  switch (service) {
    case HostService::Call: {
      // A host function that the program handed to its kernel: void (*)(result[2], arguments[7]).
      Dl_info where{};
      std::uint64_t result[2] = {};
      if (auto* function = reinterpret_cast<void*>(slot[0]); dladdr(function, &where))
        reinterpret_cast<void (*)(std::uint64_t*, const std::uint64_t*)>(slot[0])(result, slot + 1);
      else
        handlers_.complain(
            fmt::format("a kernel calls {} on the host, which is no function", function));
      std::ranges::copy(result, slot);
      return;
    }
    case HostService::Printf:
      return print(slot);
    case HostService::Memory:
      slot[0] = handlers_.memory(slot[0], slot[1]);
      return;
  }
  handlers_.complain(fmt::format("a kernel asks the host for service {}, which is not known",
                                 static_cast<std::uint32_t>(service)));
}

// Word 0 describes the packet: bit 0 begins a message, bit 1 ends it, bits 5-7 count the words that
// follow, and the rest is the message's number, given in the answer to its first packet.
void HostcallBuffer::print(Slot& slot) {
  constexpr std::uint64_t begin = 1, end = 2;
  const std::uint64_t words = slot[0] >> 5 & 7;
  std::uint64_t number = slot[0] >> 8;
  if (slot[0] & begin) {
    number = next_message_++;
    messages_[number].clear();
    slot[0] = (slot[0] & 0xfe) | number << 8;
  }
  const auto found = messages_.find(number);
  if (found == messages_.end()) {
    handlers_.complain(
        fmt::format("a kernel continues message {} to the host, which did not begin", number));
    return;
  }
  std::vector<std::uint64_t>& message = found->second;
  message.insert(message.end(), slot + 1, slot + 1 + words);
  if (!(slot[0] & end)) return;

  // The first word of a message: bit 0 means stderr.
  if (!message.empty()) {
    const std::string text = format_printf(std::span(message).subspan(1));
    std::fwrite(text.data(), 1, text.size(), message[0] & 1 ? stderr : stdout);
    slot[0] = text.size();
  }
  messages_.erase(found);
}

}  // namespace hipsight::services
