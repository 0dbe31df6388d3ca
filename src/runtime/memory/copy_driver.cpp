// 2D and 3D copies as the driver's functions describe them.
#include "runtime/graph/work.h"
#include "runtime/memory/memory_type.h"
#include "runtime/state.h"
#include "runtime/stream/stream.h"

namespace hipsight::runtime {
namespace {

/// One end: its first byte and its layout.
std::byte* corner(hipMemoryType type, const void* host, hipDeviceptr_t device, hipArray_t array,
                  std::size_t x, std::size_t y, std::size_t z, std::size_t pitch,
                  std::size_t height, const HIP_MEMCPY3D& p, Layout& layout) {
  if (type == hipMemoryTypeArray) {
    require(array != nullptr);
    fail_with(hipErrorNotSupported);
  }
  const void* pointer = type == hipMemoryTypeHost ? host : device;
  const std::size_t width = sum(x, p.WidthInBytes), rows = sum(y, p.Height);
  layout.pitch = pitch ? pitch : width;
  layout.slice_pitch = product(layout.pitch, height ? height : rows);
  require(layout.pitch >= width &&
          (p.Depth == 1 || layout.slice_pitch >= product(layout.pitch, rows)));
  return at(pointer, layout, x, y, z);
}

hipMemcpyKind kind_of(hipMemoryType from, hipMemoryType to) {
  const bool from_host = from == hipMemoryTypeHost, to_host = to == hipMemoryTypeHost;
  if (from_host) return to_host ? hipMemcpyHostToHost : hipMemcpyHostToDevice;
  return to_host ? hipMemcpyDeviceToHost : hipMemcpyDeviceToDevice;
}

/// The same with sizes of another width.
template <class To, class From>
To converted(const From& p) {
  using Size = decltype(To::Depth);
  const auto size = [](auto value) { return static_cast<Size>(value); };
  return {size(p.srcXInBytes),  size(p.srcY),      size(p.srcZ),        size(p.srcLOD),
          p.srcMemoryType,      p.srcHost,         p.srcDevice,         p.srcArray,
          size(p.srcPitch),     size(p.srcHeight), size(p.dstXInBytes), size(p.dstY),
          size(p.dstZ),         size(p.dstLOD),    p.dstMemoryType,     p.dstHost,
          p.dstDevice,          p.dstArray,        size(p.dstPitch),    size(p.dstHeight),
          size(p.WidthInBytes), size(p.Height),    size(p.Depth)};
}

/// What a program of this library's HIP version passes.
HIP_MEMCPY3D read(const void* parameters) {
  require(parameters != nullptr);
  if (abi_version() >= 6) return *static_cast<const HIP_MEMCPY3D*>(parameters);
  return converted<HIP_MEMCPY3D>(*static_cast<const HIP_MEMCPY3D_R0000*>(parameters));
}
void write(const HIP_MEMCPY3D& from, void* parameters) {
  require(parameters != nullptr);
  if (abi_version() >= 6)
    *static_cast<HIP_MEMCPY3D*>(parameters) = from;
  else
    *static_cast<HIP_MEMCPY3D_R0000*>(parameters) = converted<HIP_MEMCPY3D_R0000>(from);
}

HIP_MEMCPY3D in_3d(const hip_Memcpy2D* p) {
  require(p != nullptr);
  HIP_MEMCPY3D all{};
  all.srcXInBytes = p->srcXInBytes;
  all.srcY = p->srcY;
  all.srcMemoryType = p->srcMemoryType;
  all.srcHost = p->srcHost;
  all.srcDevice = p->srcDevice;
  all.srcArray = p->srcArray;
  all.srcPitch = p->srcPitch;
  all.dstXInBytes = p->dstXInBytes;
  all.dstY = p->dstY;
  all.dstMemoryType = p->dstMemoryType;
  all.dstHost = p->dstHost;
  all.dstDevice = p->dstDevice;
  all.dstArray = p->dstArray;
  all.dstPitch = p->dstPitch;
  all.WidthInBytes = p->WidthInBytes;
  all.Height = p->Height;
  all.Depth = 1;
  return all;
}

/// Submits what `make` gives: the body of an API function.
template <class Make>
hipError_t copy_in(hipStream_t stream, Wait wait, Make&& make) {
  return api([&] {
    const auto target = find_stream(stream);
    submit(*target, copy_of(make()), wait);
    return hipSuccess;
  });
}

Work driver_copy_work(const void* parameters) {
  const HIP_MEMCPY3D all = read(parameters);
  return copy_work(copy_of(all), all);
}

Work fill_work(const HIP_MEMSET_NODE_PARAMS* p) {
  require(p != nullptr);
  const hipMemsetParams parameters{p->dst, p->elementSize, p->height, p->pitch, p->value, p->width};
  return fill_work(&parameters);
}

}  // namespace

Copy copy_of(const HIP_MEMCPY3D& p) {
  if (!p.WidthInBytes || !p.Height || !p.Depth) return {.lines = {0}};
  const auto from = memory_type(p.srcMemoryType), to = memory_type(p.dstMemoryType);
  Copy copy{.lines = {p.WidthInBytes, p.Height, p.Depth}, .kind = kind_of(from, to)};
  copy.from = corner(from, p.srcHost, p.srcDevice, p.srcArray, p.srcXInBytes, p.srcY, p.srcZ,
                     p.srcPitch, p.srcHeight, p, copy.from_layout);
  copy.to = corner(to, p.dstHost, p.dstDevice, p.dstArray, p.dstXInBytes, p.dstY, p.dstZ,
                   p.dstPitch, p.dstHeight, p, copy.to_layout);
  return copy;
}

HIP_API hipError_t hipMemcpyParam2D(const hip_Memcpy2D* parameters) {
  return copy_in(nullptr, Wait::Yes, [&] { return in_3d(parameters); });
}
HIP_API hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D* parameters, hipStream_t stream) {
  return copy_in(stream, Wait::No, [&] { return in_3d(parameters); });
}
HIP_API hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D* parameters) {
  return copy_in(nullptr, Wait::Yes, [&] { return in_3d(parameters); });
}
// `parameters` is a HIP_MEMCPY3D, which HIP 6 made larger.
HIP_API hipError_t hipDrvMemcpy3D(const void* parameters) {
  return copy_in(nullptr, Wait::Yes, [&] { return read(parameters); });
}
HIP_API hipError_t hipDrvMemcpy3DAsync(const void* parameters, hipStream_t stream) {
  return copy_in(stream, Wait::No, [&] { return read(parameters); });
}

// The same as nodes of graphs.

HIP_API hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t* node, hipGraph_t graph,
                                            const hipGraphNode_t* dependencies, std::size_t count,
                                            const void* parameters, hipCtx_t context) {
  if (!context) return finish(hipErrorInvalidValue);
  return add_node(node, graph, dependencies, count, [&] { return driver_copy_work(parameters); });
}
HIP_API hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, void* parameters) {
  return graph_api([&] {
    write(node_parameters<HIP_MEMCPY3D>(*find_node(node), hipGraphNodeTypeMemcpy), parameters);
    return hipSuccess;
  });
}
HIP_API hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const void* parameters) {
  return set_node(node, [&] { return driver_copy_work(parameters); });
}
HIP_API hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                      const void* parameters, hipCtx_t context) {
  if (!context) return finish(hipErrorInvalidValue);
  return set_node(exec, node, [&] { return driver_copy_work(parameters); });
}
HIP_API hipError_t hipDrvGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph,
                                            const hipGraphNode_t* dependencies, std::size_t count,
                                            const HIP_MEMSET_NODE_PARAMS* parameters,
                                            hipCtx_t context) {
  return add_node(node, graph, dependencies, count, [&] { return fill_work(parameters); });
}
HIP_API hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                      const HIP_MEMSET_NODE_PARAMS* parameters,
                                                      hipCtx_t context) {
  return set_node(exec, node, [&] { return fill_work(parameters); });
}
HIP_API hipError_t hipDrvGraphAddMemFreeNode(hipGraphNode_t* node, hipGraph_t graph,
                                             const hipGraphNode_t* dependencies, std::size_t count,
                                             hipDeviceptr_t pointer) {
  return add_node(node, graph, dependencies, count, [&] { return free_work(pointer); });
}

}  // namespace hipsight::runtime
