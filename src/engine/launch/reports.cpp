// What instructions do wrong, in words; and what instructions ask of the engine while they run.

#include <fmt/format.h>
#include <x86intrin.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <span>
#include <sstream>

#include "analysis/wave_order.h"
#include "code/readable_name.h"
#include "engine/launch/workgroup.h"
#include "engine/memory/overruns.h"
#include "engine/watch/observers.h"

namespace hipsight::engine {
namespace {

/// False for words that are no instruction, and for the end of a function.
bool is_decoded(const isa::Instruction& in) {
  return in.size != 0 && in.row->is_instruction();
}

std::string place_of(const Wave& wave, const isa::Instruction& in) {
  const Launch& launch = *wave.group->launch;
  const auto& id = wave.group->id;
  std::string place =
      fmt::format("  kernel      {}\n", code::readable_name(launch.dispatch->kernel->name));
  if (is_decoded(in)) place += fmt::format("  instruction {}\n", launch.program->text(in));
  const auto [object, address] = launch.program->place_of(in);
  place += fmt::format("  address     {:#x} in {}\n", address, object->origin());
  if (const auto line = object->line(address))
    place += fmt::format("  source      {}:{}\n", line->file, line->line);
  place +=
      fmt::format("  workgroup   ({}, {}, {}), wave {}", id[0], id[1], id[2], wave.index_in_group);
  return place;
}

std::string describe(const Memory::Allocation& a) {
  return fmt::format("{} [{:#x}, {:#x}), {} bytes", a.label, a.begin, a.end(), a.size);
}

std::string nearest_text(const Memory& memory, std::uint64_t address) {
  const auto near = memory.nearest(address);
  if (!near) return "  there is no allocation";
  const bool after = address >= near->end();
  const std::uint64_t distance = after ? address - near->end() : near->begin - address;
  constexpr std::uint64_t far = std::uint64_t{1} << 30;
  if (distance >= far) return "  far from every allocation; nearest: " + describe(*near);
  if (distance == 0) return "  right behind the end of " + describe(*near);
  return fmt::format("  nearest: {} bytes {} {}", distance, after ? "past the end of" : "before",
                     describe(*near));
}

/// What of the program's own memory holds this address, as /proc/self/maps names it: "[heap]",
/// "[stack]", a file; empty when nothing does.
std::string host_mapping(std::uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uint64_t begin = 0, end = 0;
    char dash = 0;
    std::string access, offset, device, inode, name;
    words >> std::hex >> begin >> dash >> end >> access >> offset >> device >> inode >> std::ws;
    if (address < begin || address >= end || !access.starts_with('r')) continue;
    return std::getline(words, name) ? name : "anonymous";
  }
  return "";
}

/// What there is at an address that is in no allocation, or runs out of one.
std::string whereabouts(const Launch& launch, std::uint64_t address, unsigned bytes) {
  const Memory& memory = *launch.memory;
  constexpr std::uint64_t page = 4096;
  if (address < page) {
    std::string text = address ? fmt::format("  it is {} bytes from the null pointer", address)
                               : "  it is the null pointer";
    for (const code::Argument& argument : launch.dispatch->kernel->arguments)
      if (argument.value_kind == "hidden_hostcall_buffer" ||
          argument.value_kind == "hidden_heap_v1")
        return text + "\n  (printf, assert and malloc in kernels are not supported yet)";
    return text;
  }
  if (const auto inside = memory.find(address)) {
    const auto part = memory.part(address);
    if (!part) return "  nothing is there, in " + describe(*inside);
    if (address + bytes <= part->end()) return "  it may only be read: " + describe(*inside);
    return fmt::format("  it runs {} bytes past the end of {}", address + bytes - part->end(),
                       describe(*inside));
  }
  return memory.whereabouts(address);
}

/// Where a GPU lets an access pass that is not in memory which is there for it, if it does: code
/// and arguments, which nothing protects from stores, or the pages of an allocation. What lies on
/// the page behind registered memory is the program's own, so there only loads pass.
std::optional<Memory::Part> lenient_part(const Memory& memory, std::uint64_t address,
                                         unsigned bytes, std::string_view kind) {
  const auto holds = [&](const Memory::Part& part) {
    return address >= part.begin && address + bytes <= part.end();
  };
  if (const auto part = memory.part(address); part && holds(*part)) return part;
  const auto near = memory.nearest(address);
  if (!near || (near->registered && !kind.ends_with("load"))) return std::nullopt;
  const Memory::Part pages = Memory::pages(*near);
  return holds(pages) ? std::optional(pages) : std::nullopt;
}

/// Tells of an access that a GPU does not notice, unless one by this instruction or kernel, whose
/// code is at `address`, was told. False when such accesses are errors.
bool goes_on(const Launch& launch, const void* one, std::uint64_t address, const auto& message,
             const char* why) {
  Overruns& overruns = *launch.overruns;
  if (overruns.errors) return false;
  if (overruns.is_known(one)) return true;
  const std::lock_guard lock(overruns.mutex);
  if (overruns.told.insert({launch.program->code().number, address}).second && overruns.tell)
    overruns.tell(
        fmt::format("{}\n  a GPU does not notice, since {}; the run goes on (--strict: an error)",
                    message(), why));
  overruns.is_known_now(one);
  return true;
}

/// Where such an access was, the last time that an instruction did one.
struct PassedAt {
  const Memory* memory = nullptr;
  const isa::Instruction* instruction = nullptr;
  Memory::Part part;
  std::uint64_t epoch = 0;
};
PassedAt& passed_at(const Op* op) {
  static thread_local std::array<PassedAt, 16> all;
  return all[op->instruction->address / 4 % all.size()];
}

bool is_in_block(const Wave& wave, std::uint64_t address, unsigned bytes) {
  return address + bytes <= lds_room(wave.group->lds_bytes);
}
constexpr const char* block_reason = "the LDS is given out in blocks of 512 bytes";

std::string access_message(const Wave& wave, const Op* op, std::uint64_t address, unsigned bytes,
                           unsigned lane, std::string_view kind) {
  std::string message;
  if (kind == "LDS access")
    message = fmt::format("LDS access outside the workgroup's LDS: {} bytes at {:#x} of {}", bytes,
                          address, wave.group->lds_bytes);
  else if (kind == "scratch access")
    message = fmt::format("scratch access outside the work-item's scratch: {} bytes at {:#x} of {}",
                          bytes, address, wave.scratch_bytes);
  else if (kind == "misaligned atomic")
    message = fmt::format("misaligned atomic: {} bytes at {:#x}", bytes, address);
  else if (const auto over = wave.group->launch->memory->part(address);
           over && !over->writable && bytes <= over->end() - address)
    message = fmt::format("{} over {}: {} bytes at {:#x}", kind,
                          wave.group->launch->memory->find(address)->label, bytes, address);
  else
    message = fmt::format("{} outside every allocation: {} bytes at {:#x}", kind, bytes, address);
  return message + "\n" + place_of(wave, *op->instruction) + fmt::format(", lane {}", lane);
}

/// Whether an observer has the wave go on after an error of an access.
bool is_forgiven(const Wave& wave, const Op* op, std::uint64_t address, unsigned bytes,
                 unsigned lane, std::string_view kind, const std::function<std::string()>& text) {
  if (!wave.observers) return false;
  using Space = Access::Space;
  return wave.observers->forgives({.space = kind == "LDS access"         ? Space::Lds
                                            : kind == "scratch access"   ? Space::Scratch
                                            : kind.starts_with("scalar") ? Space::Scalar
                                                                         : Space::Global,
                                   .wave = wave.index_in_group,
                                   .lane = lane,
                                   .instruction = *op->instruction,
                                   .at = address,
                                   .bytes = bytes,
                                   .misaligned = kind == "misaligned atomic",
                                   .text = text});
}

}  // namespace

std::string Memory::whereabouts(std::uintptr_t address) const {
  if (const auto inside = find(address))
    return fmt::format("  it is {} bytes into {}", address - inside->begin, describe(*inside));
  if (const auto gone = freed(address)) return "  it was freed: " + describe(*gone);
  std::string text;
  if (!owns(address))
    if (const std::string mapping = host_mapping(address); !mapping.empty())
      text = fmt::format(
          "  it is the program's own memory ({}), which the GPU cannot reach: use hipMalloc,\n"
          "  hipMallocManaged, hipHostMalloc or hipHostRegister\n",
          mapping);
  return text + nearest_text(*this, address);
}

bool report_access(const Wave& wave, const Op* op, std::uint64_t address, unsigned bytes,
                   unsigned lane, const char* what) {
  const std::string_view kind = what;
  const Launch& launch = *wave.group->launch;
  const code::Kernel& kernel = *launch.dispatch->kernel;
  const bool in_memory =
      kind != "LDS access" && kind != "scratch access" && kind != "misaligned atomic";
  const auto message = [&] {
    std::string text = access_message(wave, op, address, bytes, lane, kind);
    if (in_memory) text += "\n" + whereabouts(launch, address, bytes);
    return text;
  };
  if (kind == "LDS access" && is_in_block(wave, address, bytes) &&
      goes_on(launch, &kernel, kernel.descriptor_address, message, block_reason))
    return true;
  if (in_memory) {
    const std::uint64_t epoch = launch.memory->epoch();
    const auto part = lenient_part(*launch.memory, address, bytes, kind);
    const char* const why = part && !part->writable ? "it does not protect that from stores"
                                                    : "it is on a page of that allocation";
    if (part && goes_on(launch, op->instruction, op->instruction->address, message, why)) {
      passed_at(op) = {launch.memory, op->instruction, *part, epoch};
      return true;
    }
  }
  if (is_forgiven(wave, op, address, bytes, lane, kind, message)) return false;
  throw KernelError(KernelError::Kind::MemoryAccess, message());
}

bool is_known_overrun(const Wave& wave, const Op* op, std::uint64_t address, unsigned bytes) {
  const PassedAt& last = passed_at(op);
  const Launch& launch = *wave.group->launch;
  return last.instruction == op->instruction && last.memory == launch.memory &&
         last.epoch == launch.memory->epoch() && address >= last.part.begin &&
         address + bytes <= last.part.end() && launch.overruns->is_known(op->instruction);
}

bool report_lds_access(const Wave& wave, const Op* op, std::uint64_t address, unsigned bytes,
                       unsigned lane) {
  const auto message = [&] { return access_message(wave, op, address, bytes, lane, "LDS access"); };
  const bool in_block = is_in_block(wave, address, bytes);
  const Launch& launch = *wave.group->launch;
  const code::Kernel& kernel = *launch.dispatch->kernel;
  if (!goes_on(launch, &kernel, kernel.descriptor_address, message,
               in_block ? block_reason : "LDS reads as zero there, and stores vanish")) {
    if (is_forgiven(wave, op, address, bytes, lane, "LDS access", message)) return false;
    throw KernelError(KernelError::Kind::MemoryAccess, message());
  }
  return in_block;
}

/// Of an instruction that names a vector register beyond the last one: Op::imm.
static std::string text_of_missing(const Wave& wave, std::int64_t missing) {
  const RegisterFile& file = wave.group->launch->file;
  const bool accumulator = missing >= no_accumulator;
  return fmt::format("the kernel has no register {}{}: it asks for {} {}", accumulator ? 'a' : 'v',
                     missing - (accumulator ? no_accumulator : no_register),
                     accumulator ? file.agprs : file.vgprs + file.agprs,
                     accumulator ? "accumulators" : "vector registers");
}

void report_unknown(const Wave& wave, const Op* op) {
  const isa::Instruction& in = *op->instruction;
  const std::string processor = wave.group->launch->program->object().target().processor;
  std::string message, words;
  for (unsigned i = 0; i < in.size / 4u && i < in.words.size(); ++i)
    words += fmt::format(" {:08x}", in.words[i]);
  if (in.size == 0)
    message = "the kernel ran past the end of a function";
  else if (op->imm)
    message = text_of_missing(wave, op->imm);
  else if (is_decoded(in))
    message = fmt::format("hipsight does not implement this instruction of {}", processor);
  else
    message = fmt::format("no instruction of {}:{}", processor, words);
  message += "\n" + place_of(wave, in);
  if (is_decoded(in)) message += fmt::format("\n  words      {}", words);
  throw KernelError(KernelError::Kind::UnknownInstruction, message);
}

void report_bad_jump(const Wave& wave, const Op* op, std::uint64_t target) {
  throw KernelError(KernelError::Kind::MemoryAccess,
                    fmt::format("jump to {:#x}, where there is no code\n{}", target,
                                place_of(wave, *op->instruction)));
}

void report_trap(const Wave& wave, const Op* op) {
  throw KernelError(
      KernelError::Kind::Trap,
      fmt::format("the kernel trapped (s_trap {}): an assertion or __builtin_trap\n{}",
                  op->instruction->imm.number(), place_of(wave, *op->instruction)));
}

void report_timeout(const Wave& wave, double seconds) {
  std::string message = fmt::format("the kernel did not end within {:g} s; it was here\n{}",
                                    seconds, place_of(wave, *wave.resume->instruction));
  const Workgroup& group = *wave.group;
  const auto waits = [](const Wave* w) { return w->stop == Stop::Barrier; };
  if (const auto waiting =
          std::ranges::count_if(std::span(group.waves).first(group.started), waits))
    message += fmt::format("\n  at a barrier {} of the workgroup's {} waves that have not ended",
                           waiting, wave.group->running);
  throw KernelError(KernelError::Kind::Timeout, message);
}

void report_deadlock(const Workgroup& group) {
  const Wave* example = nullptr;
  std::uint32_t barriers = 0, semaphores = 0;
  for (std::uint32_t i = 0; i < group.started; ++i) {
    const Wave& wave = *group.waves[i];
    if (wave.stop == Stop::End) continue;
    const bool at_barrier = wave.stop == Stop::Barrier;
    (at_barrier ? barriers : semaphores) += 1;
    if (!example || (!at_barrier && example->stop == Stop::Barrier)) example = &wave;
  }
  std::string message =
      fmt::format("the kernel never ends: each wave waits for others that wait; one is here\n{}",
                  place_of(*example, *example->resume->instruction));
  if (barriers)
    message += fmt::format("\n  at a barrier {} of the workgroup's {} waves that have not ended",
                           barriers, group.running);
  if (semaphores)
    message += fmt::format("\n  at a semaphore of the GPU (ds_gws_*) {} of them", semaphores);
  throw KernelError(KernelError::Kind::Deadlock, message);
}

std::string report_order(const Wave& wave, const isa::Instruction& first, unsigned first_wave,
                         const isa::Instruction& store, std::uint64_t at) {
  const Launch& launch = *wave.group->launch;
  const auto side = [&](const isa::Instruction& in) {
    const Program::Place place = launch.program->place_of(in);
    std::string text = fmt::format("{:#x} {}", place.address, launch.program->text(in));
    if (const auto line = place.object->line(place.address))
      text = fmt::format("{}:{}: {}", line->file, line->line, text);
    return text;
  };
  const auto& id = wave.group->id;
  const char* const does = analysis::lds_use(first).loads ? "load" : "store";
  return fmt::format(
      "the order of waves decides a value in LDS: no barrier parts a {} of it from the next "
      "store\n"
      "  kernel      {}\n"
      "  {:<12}{}\n"
      "  store       {}\n"
      "  workgroup   ({}, {}, {}): wave {} {}s byte {} of LDS, then wave {} changes it\n"
      "  Here, as a GPU mostly does it, all waves come as far as the store before any goes on. "
      "Nothing\n  promises that order: __syncthreads() between the two does.",
      does, code::readable_name(launch.dispatch->kernel->name), does, side(first), side(store),
      id[0], id[1], id[2], first_wave, does, at, wave.index_in_group);
}

bool find_range(const Wave& wave, std::uintptr_t address, std::size_t bytes, bool stores,
                KnownRange& range) {
  const Memory& memory = *wave.group->launch->memory;
  const std::uint64_t epoch = memory.epoch();
  const auto found = memory.part(address);
  if (!found || bytes > found->end() - address || (stores && !found->writable)) return false;
  range = {.begin = found->begin, .end = found->end(), .epoch = epoch};
  return true;
}

const Op* jump(Wave& wave, const Op* from, std::uint64_t target) {
  const Launch& launch = *wave.group->launch;
  RegisterFile file = launch.file;
  file.skips_vectors = wave.skips_vectors;
  const Op* to = launch.program->op_at(target, file);
  if (!to) report_bad_jump(wave, from, target);
  return to;
}

std::uint64_t device_address(const Wave& wave, const Op* op) {
  return wave.group->launch->program->base() + op->instruction->address;
}

namespace {

/// When this read is, of a launch that has a clock.
double seconds_of_read(Wave& wave, const KernelClock& clock) {
  ++wave.clock_reads;
  return clock.seconds + wave.clock_reads * KernelClock::cycles_a_read / (clock.ghz * 1e9);
}

}  // namespace

std::uint64_t cycle_clock(Wave& wave) {
  const auto& clock = wave.group->launch->dispatch->clock;
  if (!clock) return __rdtsc();
  return static_cast<std::uint64_t>(seconds_of_read(wave, *clock) * clock->ghz * 1e9);
}

std::uint64_t wall_clock(Wave& wave) {
  // As hipDeviceAttributeWallClockRate says.
  constexpr std::uint64_t hz = 100'000'000;
  const auto& clock = wave.group->launch->dispatch->clock;
  if (clock) return static_cast<std::uint64_t>(seconds_of_read(wave, *clock) * hz);
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * hz + static_cast<std::uint64_t>(now.tv_nsec) / 10;
}

void ring_doorbell(const Wave& wave, std::uint32_t message) {
  const auto* doorbell = wave.group->launch->doorbell;
  if (doorbell && *doorbell) (*doorbell)(message);
}

std::uint32_t hardware_register(const Wave& wave, unsigned id) {
  // Ids of the ISA manuals: 4 HW_ID, 23 HW_ID1, 24 HW_ID2, 20 XCC_ID on gfx942. Work is spread over
  // compute units by workgroup.
  const Launch& launch = *wave.group->launch;
  const auto& groups = launch.groups;
  const auto& g = wave.group->id;
  const std::uint64_t flat =
      g[0] + std::uint64_t{groups.x} * (g[1] + std::uint64_t{groups.y} * g[2]);
  constexpr unsigned xcc_id = 20;
  if (id == xcc_id) return static_cast<std::uint32_t>(flat % launch.xcds);
  return static_cast<std::uint32_t>(flat);
}

}  // namespace hipsight::engine
