#include "runtime/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "code/readable_name.h"
#include "runtime/event.h"
#include "runtime/graph_work.h"
#include "runtime/kernarg.h"
#include "runtime/launch_recorder.h"
#include "runtime/occupancy.h"
#include "runtime/registered.h"
#include "runtime/state.h"
#include "runtime/stream.h"
#include "support/printable.h"

namespace hipsight::runtime {
namespace {

using engine::Dim3;

/// `extra`: {1, buffer, 2, pointer to its size, 3}.
std::span<const std::byte> packed_arguments(void** extra) {
  const std::byte* buffer = nullptr;
  std::size_t size = 0;
  for (; *extra != HIP_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == HIP_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = static_cast<const std::byte*>(extra[1]);
    else if (extra[0] == HIP_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
      size = *static_cast<const std::size_t*>(extra[1]);
    else
      fail_with(hipErrorInvalidValue);
  }
  require(buffer != nullptr || size == 0);
  return {buffer, size};
}

std::string text(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return fmt::format("{} x {} x {}", x, y, z);
}

/// Refuses a launch and tells it: many programs do not look.
[[noreturn]] void refuse(const Launch& launch, hipError_t code, const std::string& why) {
  const std::string kernel = printable(code::readable_name(launch.function->kernel->name));
  complain(fmt::format("launch of {} refused: {}", kernel, why));
  fail_with(code);
}

/// HIP's rules (ROCm clr: ihipLaunchKernel_validate).
void check(const Launch& launch) {
  const gpus::Gpu& gpu = Context::get().gpu();
  const code::Kernel& kernel = *launch.function->kernel;
  const auto& [x, y, z] = launch.grid;
  const Dim3& block = launch.block;
  const auto grid_text = [&] { return "a grid of " + text(x, y, z) + " work-items"; };
  const auto block_text = [&] { return "a block of " + text(block.x, block.y, block.z); };
  if (launch.parameters && launch.extra)
    refuse(launch, hipErrorInvalidValue, "arguments both as a list and packed");
  if (!(block.x && block.y && block.z)) refuse(launch, hipErrorInvalidConfiguration, block_text());
  if (!(x && y && z)) refuse(launch, hipErrorInvalidValue, grid_text());
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (x > most || y > most || z > most) refuse(launch, hipErrorInvalidConfiguration, grid_text());
  // No GPU would ever end it, and we count them in 64 bits.
  if (x * y > std::numeric_limits<std::uint64_t>::max() / z)
    refuse(launch, hipErrorInvalidConfiguration, grid_text() + " is beyond 2^64 in all");
  const std::uint32_t limit = gpu.max_workgroup_size;
  if (block.x > limit || block.y > limit || block.z > limit || block.volume() > limit)
    refuse(launch, hipErrorInvalidValue, fmt::format("{} is beyond {}", block_text(), limit));
  if (launch.dynamic_lds > gpu.max_lds_per_workgroup ||
      launch.dynamic_lds + kernel.lds_bytes > gpu.max_lds_per_workgroup)
    refuse(launch, hipErrorInvalidValue,
           fmt::format("{} + {} (dynamic) bytes of LDS are beyond {}", kernel.lds_bytes,
                       launch.dynamic_lds, gpu.max_lds_per_workgroup));
  if (!launch.parameters && !launch.extra && has_explicit_arguments(kernel))
    refuse(launch, hipErrorInvalidValue, "no arguments");
  if (block.volume() > kernel.max_flat_workgroup_size)
    refuse(launch, hipErrorLaunchFailure,
           fmt::format("{} is beyond the {} it was compiled for", block_text(),
                       kernel.max_flat_workgroup_size));
}

Dim3 grid_of(const Launch& launch) {
  return {static_cast<std::uint32_t>(launch.grid[0]), static_cast<std::uint32_t>(launch.grid[1]),
          static_cast<std::uint32_t>(launch.grid[2])};
}

/// A launch that is ready: what the program passed is copied.
struct Prepared {
  engine::Dispatch dispatch;
  std::vector<std::byte> arguments;
  std::shared_ptr<const services::GridGroup> group;

  void run() const {
    Context& context = Context::get();
    drop_unmapped();
    engine::Dispatch running = dispatch;
    report::Session::Launch launch(context.session(), running);
    const auto recorder = recorder_if_wanted(launch, running);
    try {
      const services::Services services(context.host(), running,
                                        group ? *group : services::GridGroup{});
      launch.add(context.engine().run(services.dispatch()));
      finish_recording(recorder.get());
    } catch (const engine::KernelError& error) {
      launch.add(error);
      finish_recording(recorder.get(), &error);
      throw;
    }
  }
};

}  // namespace

Operation operation_of(Launch launch, std::vector<std::byte>* segment) {
  check(launch);

  const code::Kernel& kernel = *launch.function->kernel;
  const Dim3 grid = grid_of(launch);
  Dim3& block = launch.block;
  block = {std::min(block.x, grid.x), std::min(block.y, grid.y), std::min(block.z, grid.z)};
  if (kernel.uniform_workgroup_size && (grid.x % block.x || grid.y % block.y || grid.z % block.z))
    refuse(launch, hipErrorInvalidValue,
           fmt::format("{} work-items are no whole number of blocks of {}",
                       text(grid.x, grid.y, grid.z), text(block.x, block.y, block.z)));
  if (launch.cooperative) {
    const auto per_multiprocessor =
        active_blocks(Context::get().gpu(), kernel, static_cast<std::uint32_t>(block.volume()),
                      static_cast<std::uint32_t>(launch.dynamic_lds));
    const std::uint64_t most =
        std::uint64_t{per_multiprocessor} * Context::get().gpu().hip_multiprocessors();
    if (grid.volume() / block.volume() > most)
      refuse(launch, hipErrorCooperativeLaunchTooLarge,
             fmt::format("{} cooperative blocks, but the GPU holds {}",
                         grid.volume() / block.volume(), most));
  }

  // AMD's runtime lets it pass; then the hardware refuses the packet, and the queue is lost (ROCr:
  // HSA_STATUS_ERROR_INVALID_ISA, OUT_OF_REGISTERS or INVALID_DISPATCH_PARAMETERS).
  if (const auto why =
          why_none_fits(Context::get().gpu(), kernel, static_cast<std::uint32_t>(block.volume()),
                        static_cast<std::uint32_t>(launch.dynamic_lds));
      !why.empty())
    refuse(launch, hipErrorLaunchOutOfResources,
           fmt::format("a block of {}: {}", text(block.x, block.y, block.z), why));

  const Geometry geometry{grid, block, static_cast<std::uint32_t>(launch.dynamic_lds)};
  auto prepared = std::make_shared<Prepared>();
  prepared->arguments = launch.extra ? kernarg(kernel, geometry, packed_arguments(launch.extra))
                                     : kernarg(kernel, geometry, launch.parameters);
  prepared->group = launch.group;
  if (segment) *segment = prepared->arguments;
  engine::Dispatch& dispatch = prepared->dispatch;
  dispatch.module = launch.function->code;
  dispatch.kernel = &kernel;
  dispatch.grid = grid;
  dispatch.block = block;
  dispatch.dynamic_lds = geometry.dynamic_lds;
  dispatch.kernarg = prepared->arguments;
  dispatch.cooperative = launch.cooperative;
  return {.what = "kernel " + code::readable_name(kernel.name),
          .run = [prepared] { prepared->run(); },
          .type = hipGraphNodeTypeKernel};
}

void run(Launch launch) {
  const auto stream = find_stream(launch.stream);
  const auto start = launch.start ? find_event(launch.start) : nullptr;
  const auto stop = launch.stop ? find_event(launch.stop) : nullptr;
  const bool capturing = is_capturing(*stream);
  Work work;
  Operation kernel;
  if (capturing)
    work = kernel_work(std::move(launch));
  else
    kernel = operation_of(std::move(launch));
  if (start) record(*start, *stream);
  if (capturing)
    capture(*stream, std::move(work));
  else if (Context::get().settings().blocking)
    stream->run(std::move(kernel));
  else
    stream->submit(std::move(kernel));
  if (stop) record(*stop, *stream);
}

}  // namespace hipsight::runtime
