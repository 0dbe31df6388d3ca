// HIP's names in _spt, for programs compiled with -fgpu-default-stream=per-thread: the same
// functions, but a null stream means the calling thread's own.
#include "runtime/error.h"
#include "runtime/stream/stream.h"

// clang-format off
#define PER_THREAD(name, parameters, ...)     \
  HIP_API hipError_t name parameters;         \
  HIP_API hipError_t name##_spt parameters {  \
    const OwnDefaultStream own;               \
    return name(__VA_ARGS__);                 \
  }
// clang-format on

namespace hipsight::runtime {

using std::size_t;

PER_THREAD(hipMemcpy, (void* to, const void* from, size_t size, hipMemcpyKind kind), to, from, size,
           kind)
PER_THREAD(hipMemcpyAsync,
           (void* to, const void* from, size_t size, hipMemcpyKind kind, hipStream_t stream), to,
           from, size, kind, stream)
PER_THREAD(hipMemcpy2D,
           (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
            size_t height, hipMemcpyKind kind),
           to, to_pitch, from, from_pitch, width, height, kind)
PER_THREAD(hipMemcpy2DAsync,
           (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
            size_t height, hipMemcpyKind kind, hipStream_t stream),
           to, to_pitch, from, from_pitch, width, height, kind, stream)
PER_THREAD(hipMemcpy3D, (const hipMemcpy3DParms* parameters), parameters)
PER_THREAD(hipMemcpy3DAsync, (const hipMemcpy3DParms* parameters, hipStream_t stream), parameters,
           stream)
PER_THREAD(hipMemcpyToSymbol,
           (const void* symbol, const void* from, size_t size, size_t offset, hipMemcpyKind kind),
           symbol, from, size, offset, kind)
PER_THREAD(hipMemcpyToSymbolAsync,
           (const void* symbol, const void* from, size_t size, size_t offset, hipMemcpyKind kind,
            hipStream_t stream),
           symbol, from, size, offset, kind, stream)
PER_THREAD(hipMemcpyFromSymbol,
           (void* to, const void* symbol, size_t size, size_t offset, hipMemcpyKind kind), to,
           symbol, size, offset, kind)
PER_THREAD(hipMemcpyFromSymbolAsync,
           (void* to, const void* symbol, size_t size, size_t offset, hipMemcpyKind kind,
            hipStream_t stream),
           to, symbol, size, offset, kind, stream)
PER_THREAD(hipMemset, (void* to, int value, size_t size), to, value, size)
PER_THREAD(hipMemsetAsync, (void* to, int value, size_t size, hipStream_t stream), to, value, size,
           stream)
PER_THREAD(hipMemset2D, (void* to, size_t pitch, int value, size_t width, size_t height), to, pitch,
           value, width, height)
PER_THREAD(hipMemset2DAsync,
           (void* to, size_t pitch, int value, size_t width, size_t height, hipStream_t stream), to,
           pitch, value, width, height, stream)
PER_THREAD(hipMemset3D, (hipPitchedPtr to, int value, hipExtent size), to, value, size)
PER_THREAD(hipMemset3DAsync, (hipPitchedPtr to, int value, hipExtent size, hipStream_t stream), to,
           value, size, stream)

PER_THREAD(hipLaunchKernel,
           (const void* stub, dim3 grid, dim3 block, void** arguments, size_t lds,
            hipStream_t stream),
           stub, grid, block, arguments, lds, stream)
PER_THREAD(hipLaunchCooperativeKernel,
           (const void* stub, dim3 grid, dim3 block, void** arguments, unsigned lds,
            hipStream_t stream),
           stub, grid, block, arguments, lds, stream)
PER_THREAD(hipLaunchHostFunc, (hipStream_t stream, hipHostFn_t function, void* user_data), stream,
           function, user_data)
PER_THREAD(hipStreamAddCallback,
           (hipStream_t stream, hipStreamCallback_t callback, void* user_data, unsigned flags),
           stream, callback, user_data, flags)

PER_THREAD(hipStreamGetFlags, (hipStream_t stream, unsigned* flags), stream, flags)
PER_THREAD(hipStreamGetPriority, (hipStream_t stream, int* priority), stream, priority)
PER_THREAD(hipStreamQuery, (hipStream_t stream), stream)
PER_THREAD(hipStreamSynchronize, (hipStream_t stream), stream)
PER_THREAD(hipStreamWaitEvent, (hipStream_t stream, hipEvent_t event, unsigned flags), stream,
           event, flags)
PER_THREAD(hipStreamIsCapturing, (hipStream_t stream, hipStreamCaptureStatus* status), stream,
           status)
PER_THREAD(hipStreamBeginCapture, (hipStream_t stream, hipStreamCaptureMode mode), stream, mode)
PER_THREAD(hipStreamEndCapture, (hipStream_t stream, hipGraph_t* graph), stream, graph)
PER_THREAD(hipStreamGetCaptureInfo,
           (hipStream_t stream, hipStreamCaptureStatus* status, unsigned long long* id), stream,
           status, id)
PER_THREAD(hipStreamGetCaptureInfo_v2,
           (hipStream_t stream, hipStreamCaptureStatus* status, unsigned long long* id,
            hipGraph_t* graph, const hipGraphNode_t** dependencies, size_t* count),
           stream, status, id, graph, dependencies, count)
PER_THREAD(hipGraphLaunch, (hipGraphExec_t exec, hipStream_t stream), exec, stream)
PER_THREAD(hipEventRecord, (hipEvent_t event, hipStream_t stream), event, stream)

}  // namespace hipsight::runtime
