#include "runtime/launch.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "runtime/event.h"
#include "runtime/kernarg.h"
#include "runtime/occupancy.h"
#include "runtime/state.h"
#include "runtime/stream.h"

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

/// HIP's rules (ROCm clr: ihipLaunchKernel_validate).
void check(const Launch& launch) {
  const gpus::Gpu& gpu = Context::get().gpu();
  const code::Kernel& kernel = *launch.function->kernel;
  require(!(launch.parameters && launch.extra));
  const Dim3& block = launch.block;
  require(block.x && block.y && block.z, hipErrorInvalidConfiguration);
  for (const std::uint64_t size : launch.grid) require(size > 0);
  for (const std::uint64_t size : launch.grid)
    require(size <= std::numeric_limits<std::uint32_t>::max(), hipErrorInvalidConfiguration);
  for (const std::uint32_t size : {block.x, block.y, block.z})
    require(size <= gpu.max_workgroup_size);
  const std::uint64_t block_size = block.volume();
  require(block_size <= gpu.max_workgroup_size);
  require(launch.dynamic_lds <= gpu.max_lds_per_workgroup &&
          launch.dynamic_lds + kernel.lds_bytes <= gpu.max_lds_per_workgroup);
  require(launch.parameters || launch.extra || !has_explicit_arguments(kernel));
  require(block_size <= kernel.max_flat_workgroup_size, hipErrorLaunchFailure);
}

Dim3 grid_of(const Launch& launch) {
  return {static_cast<std::uint32_t>(launch.grid[0]), static_cast<std::uint32_t>(launch.grid[1]),
          static_cast<std::uint32_t>(launch.grid[2])};
}

void run_on_engine(const engine::Dispatch& dispatch) {
  Context& context = Context::get();
  try {
    context.session().add(dispatch, context.engine().run(dispatch));
  } catch (const engine::KernelError& error) {
    complain(error.what());
    context.session().add_error(dispatch.kernel->name, error);
    fail_with(set_device_fault(error.kind));
  }
}

}  // namespace

void run(Launch launch) {
  const auto stream = find_stream(launch.stream);
  const auto start = launch.start ? find_event(launch.start) : nullptr;
  const auto stop = launch.stop ? find_event(launch.stop) : nullptr;
  check(launch);

  const code::Kernel& kernel = *launch.function->kernel;
  const Dim3 grid = grid_of(launch);
  Dim3& block = launch.block;
  block = {std::min(block.x, grid.x), std::min(block.y, grid.y), std::min(block.z, grid.z)};
  require(!kernel.uniform_workgroup_size ||
          (grid.x % block.x == 0 && grid.y % block.y == 0 && grid.z % block.z == 0));
  if (launch.cooperative) {
    const auto per_multiprocessor =
        active_blocks(Context::get().gpu(), kernel, static_cast<std::uint32_t>(block.volume()),
                      static_cast<std::uint32_t>(launch.dynamic_lds));
    require(grid.volume() / block.volume() <=
                std::uint64_t{per_multiprocessor} * Context::get().gpu().hip_multiprocessors(),
            hipErrorCooperativeLaunchTooLarge);
  }

  const Geometry geometry{grid, block, static_cast<std::uint32_t>(launch.dynamic_lds)};
  const std::vector<std::byte> arguments =
      launch.extra ? kernarg(kernel, geometry, packed_arguments(launch.extra))
                   : kernarg(kernel, geometry, launch.parameters);
  engine::Dispatch dispatch;
  dispatch.module = launch.function->code;
  dispatch.kernel = &kernel;
  dispatch.grid = grid;
  dispatch.block = block;
  dispatch.dynamic_lds = geometry.dynamic_lds;
  dispatch.kernarg = arguments;
  dispatch.cooperative = launch.cooperative;
  stream->submit([&] {
    if (start) record(*start, stream->device());
    run_on_engine(dispatch);
    if (stop) record(*stop, stream->device());
  });
}

}  // namespace hipsight::runtime
