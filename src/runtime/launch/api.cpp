// The ways in which programs launch kernels.
#include <algorithm>
#include <span>
#include <vector>

#include "runtime/launch/launch.h"
#include "runtime/module/registration.h"
#include "runtime/state.h"
#include "runtime/stream/stream.h"
#include "support/of_thread.h"

namespace hipsight::runtime {
namespace {

using Items = std::array<std::uint64_t, 3>;

/// The work-items of a grid that is given in blocks.
Items items(dim3 grid, dim3 block) {
  return {std::uint64_t{grid.x} * block.x, std::uint64_t{grid.y} * block.y,
          std::uint64_t{grid.z} * block.z};
}

engine::Dim3 size(dim3 block) {
  return {block.x, block.y, block.z};
}

hipError_t submit(Launch launch) {
  run(std::move(launch));
  return hipSuccess;
}

/// The kernel of a host stub on the device of a stream.
std::shared_ptr<Function> kernel_of(const void* stub, hipStream_t stream) {
  require(stub != nullptr, hipErrorInvalidDeviceFunction);
  try {
    return registered_function(stub, find_stream(stream)->device());
  } catch (const Failure& failure) {
    // The program's own kernels cannot run: that must not look like success.
    if (failure.code == hipErrorNoBinaryForGpu || failure.code == hipErrorInvalidImage)
      note_kernel_error(failure.code);
    throw;
  }
}

/// The function of a handle; its stream is checked first, as HIP does.
std::shared_ptr<Function> function_of(hipFunction_t function, hipStream_t stream) {
  find_stream(stream, hipErrorInvalidValue);
  return find_function(function);
}

struct CallConfiguration {
  dim3 grid, block;
  std::size_t lds;
  hipStream_t stream;
};
std::vector<CallConfiguration>& call_configurations() {
  return of_thread<std::vector<CallConfiguration>, struct Configurations>();
}
/// What hipSetupArgument has set.
std::vector<std::byte>& pending_arguments() {
  return of_thread<std::vector<std::byte>, struct Arguments>();
}

}  // namespace

// kernel<<<grid, block, lds, stream>>>(...): the compiler pushes the configuration and calls the
// stub, which pops it and calls hipLaunchKernel.

HIP_API hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, std::size_t lds,
                                              hipStream_t stream) {
  return api([&] {
    call_configurations().push_back({grid, block, lds, stream});
    return hipSuccess;
  });
}

HIP_API hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, std::size_t* lds,
                                             hipStream_t* stream) {
  return api([&] {
    require(!call_configurations().empty(), hipErrorMissingConfiguration);
    const CallConfiguration top = call_configurations().back();
    call_configurations().pop_back();
    if (grid) *grid = top.grid;
    if (block) *block = top.block;
    if (lds) *lds = top.lds;
    if (stream) *stream = top.stream;
    return hipSuccess;
  });
}

HIP_API hipError_t hipLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                                   std::size_t lds, hipStream_t stream) {
  return api([&] {
    return submit({.function = kernel_of(stub, stream),
                   .stub = stub,
                   .grid = items(grid, block),
                   .block = size(block),
                   .dynamic_lds = lds,
                   .stream = stream,
                   .parameters = arguments});
  });
}

HIP_API hipError_t hipExtLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                                      std::size_t lds, hipStream_t stream, hipEvent_t start,
                                      hipEvent_t stop, int flags) {
  return api([&] {
    return submit({.function = kernel_of(stub, stream),
                   .stub = stub,
                   .grid = items(grid, block),
                   .block = size(block),
                   .dynamic_lds = lds,
                   .stream = stream,
                   .parameters = arguments,
                   .start = start,
                   .stop = stop});
  });
}

HIP_API hipError_t hipLaunchCooperativeKernel(const void* stub, dim3 grid, dim3 block,
                                              void** arguments, unsigned lds, hipStream_t stream) {
  return api([&] {
    return submit({.function = kernel_of(stub, stream),
                   .stub = stub,
                   .grid = items(grid, block),
                   .block = size(block),
                   .dynamic_lds = lds,
                   .stream = stream,
                   .parameters = arguments,
                   .cooperative = true});
  });
}

HIP_API hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                         unsigned grid_z, unsigned block_x, unsigned block_y,
                                         unsigned block_z, unsigned lds, hipStream_t stream,
                                         void** parameters, void** extra) {
  return api([&] {
    return submit({.function = function_of(function, stream),
                   .grid = items({grid_x, grid_y, grid_z}, {block_x, block_y, block_z}),
                   .block = {block_x, block_y, block_z},
                   .dynamic_lds = lds,
                   .stream = stream,
                   .parameters = parameters,
                   .extra = extra});
  });
}

HIP_API hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x,
                                                    unsigned grid_y, unsigned grid_z,
                                                    unsigned block_x, unsigned block_y,
                                                    unsigned block_z, unsigned lds,
                                                    hipStream_t stream, void** parameters) {
  return api([&] {
    return submit({.function = function_of(function, stream),
                   .grid = items({grid_x, grid_y, grid_z}, {block_x, block_y, block_z}),
                   .block = {block_x, block_y, block_z},
                   .dynamic_lds = lds,
                   .stream = stream,
                   .parameters = parameters,
                   .cooperative = true});
  });
}

namespace {

hipFunctionLaunchParams function_launch_of(const hipLaunchParams& p) {
  const auto function = kernel_of(p.func, p.stream);
  return {.function = function->handle,
          .gridDimX = p.gridDim.x,
          .gridDimY = p.gridDim.y,
          .gridDimZ = p.gridDim.z,
          .blockDimX = p.blockDim.x,
          .blockDimY = p.blockDim.y,
          .blockDimZ = p.blockDim.z,
          .sharedMemBytes = static_cast<unsigned>(p.sharedMem),
          .hStream = p.stream,
          .kernelParams = p.args};
}

/// One kernel on several devices, each in a stream of its own; cooperative ones may wait for each
/// other.
template <class Parameters, class FunctionLaunchOf>
hipError_t submit_all(const Parameters* list, unsigned count, unsigned flags, bool cooperative,
                      FunctionLaunchOf&& function_launch_of) {
  return api([&] {
    constexpr unsigned known = 3;  // no waiting for other work of the devices: before, after
    require(list && count && flags <= known);
    std::vector<Launch> launches;
    std::vector<std::uint64_t> sizes;
    std::vector<int> devices;
    for (unsigned i = 0; i < count; ++i) {
      const hipFunctionLaunchParams p = function_launch_of(list[i]);
      const auto stream = find_stream(p.hStream, hipErrorInvalidValue);
      require(stream->role() == Stream::Role::Own, hipErrorInvalidHandle);
      devices.push_back(stream->device());
      const dim3 block{p.blockDimX, p.blockDimY, p.blockDimZ};
      launches.push_back({.function = find_function(p.function),
                          .grid = items({p.gridDimX, p.gridDimY, p.gridDimZ}, block),
                          .block = size(block),
                          .dynamic_lds = p.sharedMemBytes,
                          .stream = p.hStream,
                          .parameters = p.kernelParams,
                          .cooperative = cooperative});
      const auto& grid = launches.back().grid;
      sizes.push_back(grid[0] * grid[1] * grid[2]);
    }
    std::ranges::sort(devices);
    require(std::ranges::adjacent_find(devices) == devices.end(), hipErrorInvalidDevice);
    for (const Launch& launch : launches) operation_of(launch);  // all of them, or none
    if (cooperative) {
      const auto groups = services::GridGroup::of(memory(), sizes);
      for (unsigned i = 0; i < count; ++i)
        launches[i].group = std::make_shared<const services::GridGroup>(groups[i]);
    }
    for (Launch& launch : launches) run(std::move(launch));
    return hipSuccess;
  });
}

}  // namespace

HIP_API hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams* list, int count,
                                                         unsigned flags) {
  return submit_all(list, static_cast<unsigned>(std::max(count, 0)), flags, true,
                    function_launch_of);
}
HIP_API hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams* list, int count,
                                                      unsigned flags) {
  return submit_all(list, static_cast<unsigned>(std::max(count, 0)), flags, false,
                    function_launch_of);
}
HIP_API hipError_t hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams* list,
                                                               unsigned count, unsigned flags) {
  return submit_all(list, count, flags, true, [](const auto& p) { return p; });
}

/// Unlike the others, this one counts the grid in work-items.
HIP_API hipError_t hipExtModuleLaunchKernel(hipFunction_t function, std::uint32_t grid_x,
                                            std::uint32_t grid_y, std::uint32_t grid_z,
                                            std::uint32_t block_x, std::uint32_t block_y,
                                            std::uint32_t block_z, std::size_t lds,
                                            hipStream_t stream, void** parameters, void** extra,
                                            hipEvent_t start, hipEvent_t stop,
                                            std::uint32_t flags) {
  return api([&] {
    return submit({.function = function_of(function, stream),
                   .grid = {grid_x, grid_y, grid_z},
                   .block = {block_x, block_y, block_z},
                   .dynamic_lds = lds,
                   .stream = stream,
                   .parameters = parameters,
                   .extra = extra,
                   .start = start,
                   .stop = stop});
  });
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

// The last two by their C++ names as well: HIP declares them outside extern "C".
HIP_API_ALIAS(
    _Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j,
    hipExtModuleLaunchKernel);
HIP_API_ALIAS(
    _Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_,
    hipHccModuleLaunchKernel);

// Launches described by a structure, with attributes (HIP 7).

namespace {

bool wants_cooperative(const hipLaunchAttribute* attributes, unsigned count) {
  require(attributes || count == 0);
  return std::any_of(attributes, attributes + count, [](const hipLaunchAttribute& attribute) {
    return attribute.id == hipLaunchAttributeCooperative && attribute.value.cooperative;
  });
}

}  // namespace

HIP_API hipError_t hipLaunchKernelExC(const hipLaunchConfig_t* config, const void* stub,
                                      void** arguments) {
  return api([&] {
    require(config != nullptr);
    return submit({.function = kernel_of(stub, config->stream),
                   .grid = items(config->gridDim, config->blockDim),
                   .block = size(config->blockDim),
                   .dynamic_lds = config->dynamicSmemBytes,
                   .stream = config->stream,
                   .parameters = arguments,
                   .cooperative = wants_cooperative(config->attrs, config->numAttrs)});
  });
}

HIP_API hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG* config, hipFunction_t function,
                                        void** parameters, void** extra) {
  return api([&] {
    require(config != nullptr);
    return submit({.function = function_of(function, config->hStream),
                   .grid = items(config->gridDim, config->blockDim),
                   .block = size(config->blockDim),
                   .dynamic_lds = config->sharedMemBytes,
                   .stream = config->hStream,
                   .parameters = parameters,
                   .extra = extra,
                   .cooperative = wants_cooperative(config->attrs, config->numAttrs)});
  });
}

// The oldest way to launch: configure, one call per argument, launch by pointer.

HIP_API hipError_t hipConfigureCall(dim3 grid, dim3 block, std::size_t lds, hipStream_t stream) {
  pending_arguments().clear();
  return __hipPushCallConfiguration(grid, block, lds, stream);
}

HIP_API hipError_t hipSetupArgument(const void* argument, std::size_t size, std::size_t offset) {
  return api([&] {
    constexpr std::size_t most = 1 << 20;
    require(argument && size <= most && offset <= most);
    pending_arguments().resize(std::max(pending_arguments().size(), offset + size));
    std::ranges::copy(std::span(static_cast<const std::byte*>(argument), size),
                      pending_arguments().begin() + static_cast<std::ptrdiff_t>(offset));
    return hipSuccess;
  });
}

HIP_API hipError_t hipLaunchByPtr(const void* stub) {
  return api([&] {
    CallConfiguration call{};
    if (const hipError_t error =
            __hipPopCallConfiguration(&call.grid, &call.block, &call.lds, &call.stream))
      return error;
    std::size_t bytes = pending_arguments().size();
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, pending_arguments().data(),
                     HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes, HIP_LAUNCH_PARAM_END};
    return submit({.function = kernel_of(stub, call.stream),
                   .grid = items(call.grid, call.block),
                   .block = size(call.block),
                   .dynamic_lds = call.lds,
                   .stream = call.stream,
                   .extra = extra});
  });
}

}  // namespace hipsight::runtime
