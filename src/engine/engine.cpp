#include "engine/engine.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>

#include "engine/launch/launch.h"
#include "engine/launch/pool.h"
#include "engine/memory/overruns.h"
#include "engine/translate/translator.h"
#include "support/error.h"

namespace hipsight::engine {
namespace {

struct LoadedModule final : Module {
  Memory* memory = nullptr;
  std::unique_ptr<Program> program;

  LoadedModule(std::shared_ptr<const code::CodeObject> object, Memory& device, std::uintptr_t at)
      : memory(&device) {
    object_ = std::move(object);
    const std::size_t size = std::max<std::size_t>(object_->image_size(), 1);
    const std::string label = "code object " + object_->origin();
    image_ = static_cast<std::byte*>(at ? device.allocate_at(at, size, Memory::Kind::Code, label)
                                        : device.allocate(size, Memory::Kind::Code, label));
    if (!image_) fail("{}: no device memory for its {} bytes", object_->origin(), size);
    device.tell_write(image_, size);
    object_->load(image_, reinterpret_cast<std::uintptr_t>(image_));
    device.set_parts(image_, parts(size));
    program = std::make_unique<Program>(object_, image_);
  }
  ~LoadedModule() override { memory->free(image_); }

  std::vector<Code> called() const override {
    std::vector<Code> all;
    for (const auto& code : program->called()) all.push_back({code->object, code->base()});
    return all;
  }

 private:
  /// Code, constants and what lies between segments is only read.
  std::vector<Memory::Part> parts(std::size_t size) const {
    std::vector<Memory::Part> parts;
    std::uint64_t at = 0;
    const auto add = [&](std::uint64_t end, bool writable) {
      if (end > at)
        parts.push_back({reinterpret_cast<std::uintptr_t>(image_) + at, end - at, writable});
      at = end;
    };
    for (const auto& [begin, end] : object_->writable()) {
      add(begin, false);
      add(end, true);
    }
    add(size, false);
    return parts;
  }
};

/// Blocks of device memory for kernel arguments and packets, kept for the next launch.
class ArgumentBlocks {
 public:
  explicit ArgumentBlocks(Memory& memory) : memory_(memory) {}
  ~ArgumentBlocks() {
    for (void* block : free_) memory_.free(block);
  }
  static constexpr std::size_t size = 8192, kernarg_limit = size - 512;

  std::byte* take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      void* fresh = memory_.allocate(size, Memory::Kind::Arguments, "kernel arguments");
      if (!fresh) fail("no device memory for kernel arguments");
      return static_cast<std::byte*>(fresh);
    }
    std::byte* block = free_.back();
    free_.pop_back();
    return block;
  }
  void give_back(std::byte* block) {
    const std::lock_guard lock(mutex_);
    free_.push_back(block);
  }

 private:
  Memory& memory_;
  std::mutex mutex_;
  std::vector<std::byte*> free_;
};

/// hsa_kernel_dispatch_packet_t (HSA Platform System Architecture, "Kernel dispatch packet").
struct Packet {
  std::uint16_t header = 2 | 1 << 8 | 2 << 9 | 2 << 11, setup = 3;
  std::uint16_t workgroup_size[3];
  std::uint16_t reserved0 = 0;
  std::uint32_t grid_size[3];
  std::uint32_t private_segment_size, group_segment_size;
  std::uint64_t kernel_object, kernarg_address, reserved2 = 0, completion_signal = 0;
};
static_assert(sizeof(Packet) == 64);

}  // namespace

std::shared_ptr<Module> Module::load(std::shared_ptr<const code::CodeObject> object, Memory& memory,
                                     std::uintptr_t at) {
  return std::make_shared<LoadedModule>(std::move(object), memory, at);
}

struct Engine::Impl {
  gpus::Gpu gpu;
  Options options;
  Memory memory;
  ArgumentBlocks blocks{memory};
  std::function<void(std::uint32_t)> doorbell;
  Overruns overruns;
  Pool pool;
  Tier tier;
  MatrixMode matrix;
  bool sram_ecc;

  Impl(gpus::Gpu g, Options o)
      : gpu(std::move(g)),
        options(o),
        memory(gpu.dram_bytes ? gpu.dram_bytes : std::uint64_t{16} << 30),
        pool(o.threads),
        tier(choose_tier(o.tier)),
        matrix(o.matrix),
        sram_ecc(code::Target::parse(gpu.target_id).has_sram_ecc()) {
    if (tier == Tier::Auto) Translator::stop_before_exit();
    overruns.errors = o.strict;
  }
};

Engine::Engine(gpus::Gpu gpu, Options options)
    : impl_(std::make_unique<Impl>(std::move(gpu), options)) {}
Engine::~Engine() = default;
const gpus::Gpu& Engine::gpu() const {
  return impl_->gpu;
}
MatrixMode Engine::matrix() const {
  return impl_->matrix;
}
Memory& Engine::memory() {
  return impl_->memory;
}
void Engine::on_doorbell(std::function<void(std::uint32_t)> handler) {
  impl_->doorbell = std::move(handler);
}
void Engine::on_overrun(std::function<void(const std::string&)> handler) {
  impl_->overruns.tell = std::move(handler);
}

namespace {

/// The workgroups that the GPU holds at once, as far as waves and LDS say: those may wait for each
/// other, so all of them must get on.
std::uint64_t resident(const gpus::Gpu& gpu, std::uint32_t waves, std::uint32_t lds_bytes) {
  std::uint64_t per_cu = gpu.simds_per_cu * gpu.max_waves_per_simd / std::max(1u, waves);
  if (lds_bytes) per_cu = std::min<std::uint64_t>(per_cu, gpu.lds_bytes_per_cu / lds_bytes);
  return gpu.compute_units * std::max<std::uint64_t>(1, per_cu);
}

void check(const Dispatch& d, const gpus::Gpu& gpu) {
  const auto invalid = [&](const std::string& why) {
    throw KernelError(KernelError::Kind::InvalidLaunch,
                      fmt::format("cannot launch {}: {}", d.kernel ? d.kernel->name : "?", why));
  };
  if (!d.kernel || !d.module) invalid("no kernel");
  if (d.grid.volume() == 0) invalid("the grid is empty");
  if (d.block.volume() == 0) invalid("the workgroup is empty");
  if (d.block.volume() > 1024 || d.block.x > 1024 || d.block.y > 1024 || d.block.z > 1024)
    invalid(fmt::format("a workgroup of {} x {} x {} work-items is beyond 1024", d.block.x,
                        d.block.y, d.block.z));
  const std::uint64_t lds = std::uint64_t{d.kernel->lds_bytes} + d.dynamic_lds;
  if (gpu.max_lds_per_workgroup && lds > gpu.max_lds_per_workgroup)
    invalid(fmt::format("{} bytes of LDS are beyond the {} of {}", lds, gpu.max_lds_per_workgroup,
                        gpu.title));
  if (d.kernarg.size() > ArgumentBlocks::kernarg_limit)
    invalid(fmt::format("{} bytes of arguments are beyond {}", d.kernarg.size(),
                        ArgumentBlocks::kernarg_limit));
}

}  // namespace

Result Engine::run(const Dispatch& d) {
  check(d, impl_->gpu);
  auto& module = static_cast<LoadedModule&>(*d.module);
  const auto divide = [](std::uint32_t a, std::uint32_t b) { return a / b + (a % b != 0); };

  struct Block {
    ArgumentBlocks& blocks;
    std::byte* bytes;
    ~Block() { blocks.give_back(bytes); }
  } block{impl_->blocks, impl_->blocks.take()};
  impl_->memory.copy(block.bytes, d.kernarg.data(), d.kernarg.size());

  Launch launch;
  launch.dispatch = &d;
  launch.program = module.program.get();
  launch.memory = &impl_->memory;
  launch.gfx = module.program->gfx();
  launch.tier = impl_->tier;
  module.program->set_modes(impl_->tier, impl_->matrix, impl_->sram_ecc);
  launch.file = register_file(*d.kernel, launch.gfx);
  launch.groups = d.groups();
  launch.lds_bytes = d.kernel->lds_bytes + d.dynamic_lds;
  constexpr std::uint32_t dynamic_stack = 16384;
  launch.scratch_bytes =
      d.kernel->scratch_bytes + (d.kernel->uses_dynamic_stack ? dynamic_stack : 0);
  launch.xcds = std::max(1u, impl_->gpu.xcds);
  launch.kernarg = block.bytes;
  launch.doorbell = &impl_->doorbell;
  launch.overruns = &impl_->overruns;
  GlobalSemaphores semaphores;
  // For grid-wide barriers (ds_gws_barrier), as AMD's runtime does before a cooperative launch
  // (ROCclr, KernelBlitManager::RunGwsInit).
  if (d.cooperative)
    semaphores.all[0].count = static_cast<std::uint32_t>(launch.groups.volume() - 1);
  launch.semaphores = &semaphores;
  launch.work_item_ids = work_item_ids(d.block, launch.file.lanes);

  std::byte* const packet_at = block.bytes + ArgumentBlocks::kernarg_limit;
  std::byte* const queue_at = packet_at + 128;
  constexpr std::size_t queue_bytes = 256;  // amd_queue_t
  Packet packet{.workgroup_size = {static_cast<std::uint16_t>(d.block.x),
                                   static_cast<std::uint16_t>(d.block.y),
                                   static_cast<std::uint16_t>(d.block.z)},
                .grid_size = {d.grid.x, d.grid.y, d.grid.z},
                .private_segment_size = launch.scratch_bytes,
                .group_segment_size = launch.lds_bytes,
                .kernel_object = reinterpret_cast<std::uintptr_t>(
                    d.module->address(d.kernel->descriptor_address)),
                .kernarg_address = reinterpret_cast<std::uintptr_t>(block.bytes)};
  impl_->memory.copy(packet_at, &packet, sizeof packet);
  // amd_queue_t: the apertures' high halves at 0x40 and 0x44 (code object v4 reads them).
  const std::uint32_t apertures[]{static_cast<std::uint32_t>(aperture::shared_base >> 32),
                                  static_cast<std::uint32_t>(aperture::private_base >> 32)};
  impl_->memory.copy(queue_at + 0x40, apertures, sizeof apertures);
  const auto read_only = [](const std::byte* begin, std::size_t size) {
    return Memory::Part{reinterpret_cast<std::uintptr_t>(begin), size, false};
  };
  // Compilers load some bytes more than they use, as far as the segment is aligned.
  constexpr std::size_t alignment = 64;
  const std::size_t kernarg_bytes = (d.kernarg.size() + alignment - 1) / alignment * alignment;
  impl_->memory.set_parts(
      block.bytes, {read_only(block.bytes, kernarg_bytes), read_only(packet_at, sizeof packet),
                    read_only(queue_at, queue_bytes)});
  launch.dispatch_packet = packet_at;
  launch.queue = queue_at;
  launch.start = wave_start(launch);

  launch.entry = module.program->op_at(module.program->base() + d.kernel->entry, launch.file);
  if (!launch.entry)
    throw KernelError(KernelError::Kind::InvalidLaunch,
                      fmt::format("cannot launch {}: its entry {:#x} is in no function of {}",
                                  d.kernel->name, d.kernel->entry, d.module->object().origin()));
  launch.watches_order = module.program->watches_order(*launch.entry);
  const auto waves = divide(static_cast<std::uint32_t>(d.block.volume()), launch.file.lanes);
  try {
    Result result = run_launch(launch, impl_->pool, impl_->options.timeout,
                               resident(impl_->gpu, waves, launch.lds_bytes));
    result.matrix = impl_->matrix;
    return result;
  } catch (const std::bad_alloc&) {
    throw KernelError(
        KernelError::Kind::InvalidLaunch,
        fmt::format("cannot launch {}: the host has not enough memory for its workgroups; a "
                    "work-item has {} bytes of scratch",
                    d.kernel->name, launch.scratch_bytes));
  }
}

}  // namespace hipsight::engine
