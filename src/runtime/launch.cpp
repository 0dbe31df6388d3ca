#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "runtime/event.h"
#include "runtime/kernarg.h"
#include "runtime/occupancy.h"
#include "runtime/registration.h"
#include "runtime/state.h"
#include "runtime/stream.h"

namespace hipsight::runtime {
namespace {

using engine::Dim3;

/// One launch as the program asks for it.
struct Launch {
  std::shared_ptr<Function> function;
  std::uint64_t grid[3] = {};  ///< work-items
  Dim3 block;
  std::size_t dynamic_lds = 0;
  hipStream_t stream = nullptr;
  void** parameters = nullptr;
  void** extra = nullptr;
  bool cooperative = false;
  hipEvent_t start = nullptr, stop = nullptr;
};

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

hipError_t run(Launch launch) {
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
  return hipSuccess;
}

/// A launch of a host stub; the grid counts blocks.
hipError_t run_stub(const void* stub, dim3 grid, dim3 block, void** arguments, std::size_t lds,
                    hipStream_t stream, bool cooperative = false, hipEvent_t start = nullptr,
                    hipEvent_t stop = nullptr) {
  return api([&] {
    require(stub != nullptr, hipErrorInvalidDeviceFunction);
    Launch launch;
    launch.function = registered_function(stub, find_stream(stream)->device());
    launch.grid[0] = std::uint64_t{grid.x} * block.x;
    launch.grid[1] = std::uint64_t{grid.y} * block.y;
    launch.grid[2] = std::uint64_t{grid.z} * block.z;
    launch.block = {block.x, block.y, block.z};
    launch.dynamic_lds = lds;
    launch.stream = stream;
    launch.parameters = arguments;
    launch.cooperative = cooperative;
    launch.start = start;
    launch.stop = stop;
    return run(std::move(launch));
  });
}

/// A launch of a module's function; the grid counts work-items.
hipError_t run_function(hipFunction_t function, const std::uint64_t (&grid)[3], Dim3 block,
                        std::size_t lds, hipStream_t stream, void** parameters, void** extra,
                        bool cooperative = false, hipEvent_t start = nullptr,
                        hipEvent_t stop = nullptr) {
  return api([&] {
    find_stream(stream, hipErrorInvalidValue);
    Launch launch;
    launch.function = find_function(function);
    std::copy(std::begin(grid), std::end(grid), launch.grid);
    launch.block = block;
    launch.dynamic_lds = lds;
    launch.stream = stream;
    launch.parameters = parameters;
    launch.extra = extra;
    launch.cooperative = cooperative;
    launch.start = start;
    launch.stop = stop;
    return run(std::move(launch));
  });
}

struct CallConfiguration {
  dim3 grid, block;
  std::size_t lds;
  hipStream_t stream;
};
thread_local std::vector<CallConfiguration> call_configurations;

}  // namespace

// kernel<<<grid, block, lds, stream>>>(...): the compiler pushes the configuration and calls the
// stub, which pops it and calls hipLaunchKernel.

HIP_API hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, std::size_t lds,
                                              hipStream_t stream) {
  return api([&] {
    call_configurations.push_back({grid, block, lds, stream});
    return hipSuccess;
  });
}

HIP_API hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, std::size_t* lds,
                                             hipStream_t* stream) {
  return api([&] {
    require(!call_configurations.empty(), hipErrorMissingConfiguration);
    const CallConfiguration top = call_configurations.back();
    call_configurations.pop_back();
    if (grid) *grid = top.grid;
    if (block) *block = top.block;
    if (lds) *lds = top.lds;
    if (stream) *stream = top.stream;
    return hipSuccess;
  });
}

HIP_API hipError_t hipLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                                   std::size_t lds, hipStream_t stream) {
  return run_stub(stub, grid, block, arguments, lds, stream);
}

HIP_API hipError_t hipExtLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                                      std::size_t lds, hipStream_t stream, hipEvent_t start,
                                      hipEvent_t stop, int flags) {
  return run_stub(stub, grid, block, arguments, lds, stream, false, start, stop);
}

HIP_API hipError_t hipLaunchCooperativeKernel(const void* stub, dim3 grid, dim3 block,
                                              void** arguments, unsigned lds, hipStream_t stream) {
  return run_stub(stub, grid, block, arguments, lds, stream, true);
}

HIP_API hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                         unsigned grid_z, unsigned block_x, unsigned block_y,
                                         unsigned block_z, unsigned lds, hipStream_t stream,
                                         void** parameters, void** extra) {
  return run_function(function,
                      {std::uint64_t{grid_x} * block_x, std::uint64_t{grid_y} * block_y,
                       std::uint64_t{grid_z} * block_z},
                      {block_x, block_y, block_z}, lds, stream, parameters, extra);
}

HIP_API hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x,
                                                    unsigned grid_y, unsigned grid_z,
                                                    unsigned block_x, unsigned block_y,
                                                    unsigned block_z, unsigned lds,
                                                    hipStream_t stream, void** parameters) {
  return run_function(function,
                      {std::uint64_t{grid_x} * block_x, std::uint64_t{grid_y} * block_y,
                       std::uint64_t{grid_z} * block_z},
                      {block_x, block_y, block_z}, lds, stream, parameters, nullptr, true);
}

HIP_API hipError_t hipExtModuleLaunchKernel(hipFunction_t function, std::uint32_t grid_x,
                                            std::uint32_t grid_y, std::uint32_t grid_z,
                                            std::uint32_t block_x, std::uint32_t block_y,
                                            std::uint32_t block_z, std::size_t lds,
                                            hipStream_t stream, void** parameters, void** extra,
                                            hipEvent_t start, hipEvent_t stop,
                                            std::uint32_t flags) {
  return run_function(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, lds, stream,
                      parameters, extra, false, start, stop);
}

HIP_API hipError_t hipHccModuleLaunchKernel(hipFunction_t function, std::uint32_t grid_x,
                                            std::uint32_t grid_y, std::uint32_t grid_z,
                                            std::uint32_t block_x, std::uint32_t block_y,
                                            std::uint32_t block_z, std::size_t lds,
                                            hipStream_t stream, void** parameters, void** extra,
                                            hipEvent_t start, hipEvent_t stop) {
  return hipExtModuleLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, lds,
                                  stream, parameters, extra, start, stop, 0);
}

// The same two by their C++ names: HIP declares them outside extern "C".
HIP_API hipError_t
_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j(
    hipFunction_t function, std::uint32_t grid_x, std::uint32_t grid_y, std::uint32_t grid_z,
    std::uint32_t block_x, std::uint32_t block_y, std::uint32_t block_z, std::size_t lds,
    hipStream_t stream, void** parameters, void** extra, hipEvent_t start, hipEvent_t stop,
    std::uint32_t flags) {
  return hipExtModuleLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, lds,
                                  stream, parameters, extra, start, stop, flags);
}

HIP_API hipError_t
_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_(
    hipFunction_t function, std::uint32_t grid_x, std::uint32_t grid_y, std::uint32_t grid_z,
    std::uint32_t block_x, std::uint32_t block_y, std::uint32_t block_z, std::size_t lds,
    hipStream_t stream, void** parameters, void** extra, hipEvent_t start, hipEvent_t stop) {
  return hipExtModuleLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, lds,
                                  stream, parameters, extra, start, stop, 0);
}

// The oldest way to launch: configure, one call per argument, launch by pointer.
namespace {
thread_local std::vector<std::byte> pending_arguments;
}

HIP_API hipError_t hipConfigureCall(dim3 grid, dim3 block, std::size_t lds, hipStream_t stream) {
  pending_arguments.clear();
  return __hipPushCallConfiguration(grid, block, lds, stream);
}

HIP_API hipError_t hipSetupArgument(const void* argument, std::size_t size, std::size_t offset) {
  return api([&] {
    constexpr std::size_t most = 1 << 20;
    require(argument && size <= most && offset <= most);
    pending_arguments.resize(std::max(pending_arguments.size(), offset + size));
    std::memcpy(pending_arguments.data() + offset, argument, size);
    return hipSuccess;
  });
}

HIP_API hipError_t hipLaunchByPtr(const void* stub) {
  return api([&] {
    CallConfiguration call{};
    require(
        __hipPopCallConfiguration(&call.grid, &call.block, &call.lds, &call.stream) == hipSuccess,
        hipErrorMissingConfiguration);
    std::size_t size = pending_arguments.size();
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, pending_arguments.data(),
                     HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
    Launch launch;
    launch.function = registered_function(stub, find_stream(call.stream)->device());
    launch.grid[0] = std::uint64_t{call.grid.x} * call.block.x;
    launch.grid[1] = std::uint64_t{call.grid.y} * call.block.y;
    launch.grid[2] = std::uint64_t{call.grid.z} * call.block.z;
    launch.block = {call.block.x, call.block.y, call.block.z};
    launch.dynamic_lds = call.lds;
    launch.stream = call.stream;
    launch.extra = extra;
    return run(std::move(launch));
  });
}

HIP_API_ALIAS(hipLaunchKernel_spt, hipLaunchKernel);
HIP_API_ALIAS(hipLaunchCooperativeKernel_spt, hipLaunchCooperativeKernel);

}  // namespace hipsight::runtime
