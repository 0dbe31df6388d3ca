// Streams, events, launches, modules, devices and contexts.

#include <iterator>

#include "random_caller.h"

namespace random_calls {

hipError_t Caller::stream() {
  hipStream_t made = nullptr;
  unsigned flags = 0;
  int priority = 0;
  const auto make = [&](hipError_t result) { return world_.streams.add(result, made); };
  return one_of(
      [&] { return make(hipStreamCreateWithFlags(&made, random_.flags(3))); },
      [&] { return make(hipStreamCreateWithPriority(&made, random_.flags(2), a_device())); },
      [&] { return hipStreamDestroy(a_stream()); },
      [&] { return hipStreamSynchronize(a_stream()); }, [&] { return hipStreamQuery(a_stream()); },
      [&] { return hipDeviceSynchronize(); }, [&] { return hipStreamGetFlags(a_stream(), &flags); },
      [&] { return hipStreamGetPriority(a_stream(), &priority); },
      [&] {
        (void)hipGetStreamDeviceId(a_stream());
        return hipSuccess;
      });
}

hipError_t Caller::value() {
  return one_of(
      [&] { return hipStreamWriteValue32(a_stream(), a_pointer(), 1, 0); },
      [&] { return hipStreamWriteValue64(a_stream(), a_pointer(), 1, 0); },
      [&] { return hipStreamWaitValue32(a_stream(), a_pointer(), 0, hipStreamWaitValueGte, ~0u); },
      [&] {
        return hipStreamWaitValue64(a_stream(), a_pointer(), 0, hipStreamWaitValueGte, ~0ull);
      });
}

hipError_t Caller::host_function() {
  const auto call = [](void* stream) {
    (void)hipStreamSynchronize(static_cast<hipStream_t>(stream));
    (void)hipDeviceSynchronize();
    launch_scale(1, 64, static_cast<hipStream_t>(stream), nullptr, 1, 0);
  };
  const auto callback = [](hipStream_t stream, hipError_t, void*) { (void)hipStreamQuery(stream); };
  hipStream_t const stream = a_stream();
  return one_of([&] { return hipLaunchHostFunc(stream, call, stream); },
                [&] { return hipStreamAddCallback(stream, callback, nullptr, random_.flags(1)); },
                [&] { return hipLaunchHostFunc(stream, nullptr, nullptr); });
}

hipError_t Caller::event() {
  hipEvent_t made = nullptr;
  float ms = 0;
  return one_of(
      [&] {
        const hipError_t result = hipEventCreateWithFlags(&made, random_.flags(8));
        return world_.events.add(result, made);
      },
      [&] { return hipEventDestroy(an_event()); },
      [&] { return hipEventRecord(an_event(), a_stream()); },
      [&] { return hipEventQuery(an_event()); }, [&] { return hipEventSynchronize(an_event()); },
      [&] { return hipStreamWaitEvent(a_stream(), an_event(), random_.flags(2)); },
      [&] { return hipEventElapsedTime(&ms, an_event(), an_event()); });
}

unsigned Caller::a_length() {
  return static_cast<unsigned>(random_.pick(3) ? random_.pick(70) : random_.bits());
}

dim3 Caller::a_shape() {
  return random_.one_in(3) ? dim3(a_length(), a_length(), a_length())
                           : dim3(1 + static_cast<unsigned>(random_.pick(64)));
}

hipError_t Caller::launch() {
  float* data = nullptr;
  float factor = 0;
  int count = 0;
  auto arguments = pointers(data, factor, count);
  void** const list = random_.one_in(8) ? nullptr : arguments.data();
  const void* stubs[] = {scale_stub(), fixed_lds_stub(), bounded_stub(), nullptr, a_pointer()};
  const void* const stub = stubs[random_.pick(std::size(stubs))];
  const std::size_t lds = random_.one_in(8) ? random_.bits() : random_.pick(1024);
  const auto small_lds = static_cast<unsigned>(lds);
  const dim3 grid = a_shape(), block = a_shape();
  hipFunction_t const function = world_.functions.any(random_);
  std::size_t size = random_.pick(64);
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, world_.host, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                   &size, HIP_LAUNCH_PARAM_END};
  hipFunctionLaunchParams several[2];
  for (auto& one : several)
    one = {.function = function,
           .gridDimX = grid.x,
           .gridDimY = grid.y,
           .gridDimZ = grid.z,
           .blockDimX = block.x,
           .blockDimY = block.y,
           .blockDimZ = block.z,
           .sharedMemBytes = small_lds,
           .hStream = a_stream(),
           .kernelParams = list};
  return one_of(
      [&] { return hipLaunchKernel(stub, grid, block, list, lds, a_stream()); },
      [&] {
        return hipExtLaunchKernel(stub, grid, block, list, lds, a_stream(), an_event(), an_event(),
                                  0);
      },
      [&] { return hipLaunchCooperativeKernel(stub, grid, block, list, small_lds, a_stream()); },
      [&] {
        return hipModuleLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                     small_lds, a_stream(), list,
                                     random_.one_in(2) ? nullptr : extra);
      },
      [&] {
        return hipExtModuleLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                        lds, a_stream(), nullptr, extra, an_event(), an_event());
      },
      [&] {
        return hipModuleLaunchCooperativeKernelMultiDevice(
            several, static_cast<unsigned>(random_.pick(3)), random_.flags(4));
      },
      [&] { return hipConfigureCall(grid, block, lds, a_stream()); },
      [&] { return hipSetupArgument(world_.host, random_.pick(64), a_size()); },
      [&] { return hipLaunchByPtr(stub); });
}

hipError_t Caller::module() {
  hipModule_t made = nullptr;
  hipFunction_t function = nullptr;
  hipModule_t const module = world_.modules.any(random_);
  const char* const names[] = {"_Z5scalePffi", "_Z7boundedv", "counter", "", "no such"};
  const char* const name = names[random_.pick(std::size(names))];
  hipDeviceptr_t address = nullptr;
  std::size_t size = 0;
  const auto make = [&](hipError_t result) { return world_.modules.add(result, made); };
  return one_of([&] { return make(hipModuleLoadData(&made, code_object().data())); },
                [&] { return make(hipModuleLoadDataEx(&made, a_pointer(), 0, nullptr, nullptr)); },
                [&] { return make(hipModuleLoad(&made, "/no/such/file")); },
                [&] { return hipModuleUnload(module); },
                [&] {
                  const hipError_t result = hipModuleGetFunction(&function, module, name);
                  return world_.functions.add(result, function);
                },
                [&] { return hipModuleGetGlobal(&address, &size, module, name); });
}

hipError_t Caller::function() {
  hipFunction_t const function = world_.functions.any(random_);
  const void* stubs[] = {scale_stub(), fixed_lds_stub(), nullptr, a_pointer()};
  const void* const stub = stubs[random_.pick(std::size(stubs))];
  int first = 0, second = 0;
  const int number = static_cast<int>(random_.flags(1100)) - 2;
  hipFuncAttributes attributes{};
  return one_of(
      [&] { return hipFuncGetAttribute(&first, random_.any<hipFunction_attribute>(12), function); },
      [&] { return hipFuncGetAttributes(&attributes, stub); },
      [&] { return hipFuncSetAttribute(stub, random_.any<hipFuncAttribute>(12), number); },
      [&] { return hipFuncSetCacheConfig(stub, random_.any<hipFuncCache_t>(4)); },
      [&] { return hipOccupancyMaxActiveBlocksPerMultiprocessor(&first, stub, number, a_size()); },
      [&] {
        return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&first, function, number,
                                                                  a_size());
      },
      [&] { return hipOccupancyMaxPotentialBlockSize(&first, &second, stub, a_size(), number); });
}

hipError_t Caller::symbol() {
  const void* symbols[] = {counter_variable(), table_variable(), nullptr, a_pointer()};
  const void* const symbol = symbols[random_.pick(std::size(symbols))];
  void* address = nullptr;
  std::size_t size = 0;
  return one_of(
      [&] { return hipMemcpyToSymbol(symbol, a_pointer(), a_count(), a_count(), a_kind()); },
      [&] {
        return hipMemcpyFromSymbolAsync(a_pointer(), symbol, a_count(), a_count(), a_kind(),
                                        a_stream());
      },
      [&] { return hipGetSymbolAddress(&address, symbol); },
      [&] { return hipGetSymbolSize(&size, symbol); });
}

hipError_t Caller::device() {
  int value = 0;
  char text[32];
  std::size_t limit = 0;
  hipDeviceProp_t properties{};
  const int length = static_cast<int>(random_.pick(sizeof text + 1)) - 1;
  return one_of([&] { return hipSetDevice(a_device()); },
                [&] {
                  return hipDeviceGetAttribute(&value, random_.any<hipDeviceAttribute_t>(11000),
                                               a_device());
                },
                [&] { return hipGetDeviceProperties(&properties, a_device()); },
                [&] { return hipDeviceGet(&value, a_device()); },
                [&] { return hipDeviceGetName(text, length, a_device()); },
                [&] { return hipDeviceGetPCIBusId(text, length, a_device()); },
                [&] { return hipDeviceGetByPCIBusId(&value, "0000:00"); },
                [&] { return hipDeviceEnablePeerAccess(a_device(), random_.flags(1)); },
                [&] { return hipDeviceDisablePeerAccess(a_device()); },
                [&] { return hipDeviceCanAccessPeer(&value, a_device(), a_device()); },
                [&] { return hipSetDeviceFlags(random_.flags(32)); },
                [&] { return hipDeviceSetLimit(random_.any<hipLimit_t>(4), a_size()); },
                [&] { return hipDeviceGetLimit(&limit, random_.any<hipLimit_t>(4)); },
                [&] { return hipDeviceGraphMemTrim(a_device()); });
}

hipError_t Caller::context() {
  hipCtx_t made = nullptr;
  hipCtx_t const context = world_.contexts.any(random_);
  unsigned flags = 0;
  int active = 0;
  return one_of(
      [&] {
        const hipError_t result = hipDevicePrimaryCtxRetain(&made, a_device());
        return world_.contexts.add(result, made);
      },
      [&] { return hipDevicePrimaryCtxRelease(a_device()); },
      [&] { return hipDevicePrimaryCtxGetState(a_device(), &flags, &active); },
      [&] { return hipDevicePrimaryCtxSetFlags(a_device(), random_.flags(8)); },
      [&] { return hipCtxSetCurrent(context); }, [&] { return hipCtxPushCurrent(context); },
      [&] { return hipCtxPopCurrent(&made); }, [&] { return hipCtxGetDevice(&active); },
      [&] { return hipCtxEnablePeerAccess(context, random_.flags(1)); },
      [&] { return hipCtxDisablePeerAccess(context); });
}

hipError_t Caller::ipc() {
  hipIpcMemHandle_t handle{};
  void* opened = nullptr;
  if (random_.one_in(2)) (void)hipIpcGetMemHandle(&handle, a_pointer());
  if (random_.one_in(2)) {  // of a process that there is not, or broken
    const std::size_t at = 11 + (random_.one_in(2) ? 0 : random_.pick(sizeof handle - 11));
    handle.reserved[at] = static_cast<char>(handle.reserved[at] ^ 0x40);
  }
  return one_of([&] { return hipIpcGetMemHandle(&handle, a_pointer()); },
                [&] { return hipIpcOpenMemHandle(&opened, handle, random_.flags(2)); },
                [&] { return hipIpcCloseMemHandle(a_pointer()); });
}

hipError_t Caller::rtc() {
  hiprtcProgram made = nullptr;
  hiprtcProgram program = world_.programs.any(random_);
  hiprtcLinkState link = nullptr;
  hiprtcLinkState const old_link = world_.links.any(random_);
  std::size_t size = 0;
  void* binary = nullptr;
  const auto ok = [](hiprtcResult result) {
    EXPECT_STRNE(hiprtcGetErrorString(result), "Invalid HIPRTC error code");
    return hipSuccess;
  };
  return one_of(
      [&] {
        if (hiprtcCreateProgram(&made, random_.one_in(4) ? nullptr : "", nullptr, 0, nullptr,
                                nullptr) == HIPRTC_SUCCESS)
          (void)world_.programs.add(hipSuccess, made);
        return hipSuccess;
      },
      [&] { return ok(hiprtcDestroyProgram(&program)); },
      [&] { return ok(hiprtcAddNameExpression(program, "name")); },
      [&] { return ok(hiprtcGetCodeSize(program, &size)); },
      [&] { return ok(hiprtcGetProgramLogSize(program, &size)); },
      [&] {
        if (hiprtcLinkCreate(0, nullptr, nullptr, &link) == HIPRTC_SUCCESS)
          (void)world_.links.add(hipSuccess, link);
        return hipSuccess;
      },
      [&] { return ok(hiprtcLinkDestroy(old_link)); },
      [&] { return ok(hiprtcLinkComplete(old_link, &binary, &size)); });
}

}  // namespace random_calls
