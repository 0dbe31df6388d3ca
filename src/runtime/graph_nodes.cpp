// Nodes of graphs: what they do, as programs say it and change it.
#include <limits>

#include "runtime/copy.h"
#include "runtime/event.h"
#include "runtime/graph.h"
#include "runtime/launch.h"
#include "runtime/registration.h"
#include "runtime/state.h"
#include "runtime/stream.h"

namespace hipsight::runtime {
namespace {

Work kernel_work(const hipKernelNodeParams* p) {
  require(p && p->func);
  const std::array<std::uint64_t, 3> grid{std::uint64_t{p->gridDim.x} * p->blockDim.x,
                                          std::uint64_t{p->gridDim.y} * p->blockDim.y,
                                          std::uint64_t{p->gridDim.z} * p->blockDim.z};
  // Either the stub of a kernel or a module's function.
  auto function = find_function_if_any(static_cast<hipFunction_t>(p->func));
  if (!function) function = registered_function(p->func, current_device());
  return {.type = hipGraphNodeTypeKernel,
          .operation = operation_of(Launch{.function = std::move(function),
                                           .grid = grid,
                                           .block = {p->blockDim.x, p->blockDim.y, p->blockDim.z},
                                           .dynamic_lds = p->sharedMemBytes,
                                           .parameters = p->kernelParams,
                                           .extra = p->extra})};
}

Work copy_work(const Copy& copy, std::any parameters = {}) {
  check(copy);
  return {.type = hipGraphNodeTypeMemcpy,
          .operation = operation_of(copy),
          .parameters = std::move(parameters)};
}

Work copy_work(const hipMemcpy3DParms* p) {
  require(p != nullptr);
  return copy_work(copy_of(*p), *p);
}

Work copy_work(void* to, const void* from, std::size_t size, hipMemcpyKind kind) {
  hipMemcpy3DParms parameters{};
  parameters.srcPtr = {const_cast<void*>(from), size, size, 1};
  parameters.dstPtr = {to, size, size, 1};
  parameters.extent = {size, 1, 1};
  parameters.kind = kind;
  return copy_work(Copy{.to = to, .from = from, .lines = {size}, .kind = kind}, parameters);
}

Work fill_work(const hipMemsetParams* p) {
  require(p && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4));
  require(p->width && p->height && p->width <= std::numeric_limits<std::size_t>::max() / 4);
  const std::size_t width = p->width * p->elementSize;
  require(p->height == 1 || p->pitch >= width);
  const Fill fill{p->dst, {p->pitch}, {width, p->height}, p->value, p->elementSize};
  check(fill);
  return {.type = hipGraphNodeTypeMemset, .operation = operation_of(fill), .parameters = *p};
}

Work host_work(const hipHostNodeParams* p) {
  require(p && p->fn);
  return {.type = hipGraphNodeTypeHost,
          .operation = host_function(p->fn, p->userData),
          .parameters = *p};
}

Work event_work(hipGraphNodeType type, hipEvent_t event) {
  return {.type = type, .parameters = event, .event = find_event(event, hipErrorInvalidValue)};
}

Work child_work(hipGraph_t child) {
  return {.type = hipGraphNodeTypeGraph, .child = find_graph(child)->clone()};
}

Work free_work(void* pointer) {
  require(pointer && is_graph_memory(pointer));
  return {.type = hipGraphNodeTypeMemFree, .parameters = pointer};
}

// What the API's functions have in common. `make` gives the work; it runs under the lock.

template <class Make>
hipError_t add(hipGraphNode_t* result, hipGraph_t graph, const hipGraphNode_t* dependencies,
               std::size_t count, Make&& make) {
  return graph_api([&] {
    require(result != nullptr);
    *result = nullptr;
    const auto owner = find_graph(graph);
    auto after = find_nodes(dependencies, count);
    *result = owner->add(make(), std::move(after)).handle;
    return hipSuccess;
  });
}

template <class Make>
hipError_t set(hipGraphNode_t handle, Make&& make) {
  return graph_api([&] {
    const auto node = find_node(handle);
    Work work = make();
    require(node->work.type == work.type);
    node->work = std::move(work);
    return hipSuccess;
  });
}

template <class Make>
hipError_t set(hipGraphExec_t exec, hipGraphNode_t node, Make&& make) {
  return graph_api([&] {
    find_exec(exec)->set(node, make());
    return hipSuccess;
  });
}

template <class Parameters>
hipError_t get(hipGraphNode_t handle, hipGraphNodeType type, Parameters* result) {
  return graph_api([&] {
    require(result != nullptr);
    const auto node = find_node(handle);
    require(node->work.type == type);
    const auto* parameters = std::any_cast<Parameters>(&node->work.parameters);
    require(parameters != nullptr, hipErrorNotSupported);  // of a captured node
    *result = *parameters;
    return hipSuccess;
  });
}

}  // namespace

HIP_API hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph,
                                         const hipGraphNode_t* dependencies, std::size_t count,
                                         const hipKernelNodeParams* parameters) {
  return add(node, graph, dependencies, count, [&] { return kernel_work(parameters); });
}
HIP_API hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node,
                                               const hipKernelNodeParams* parameters) {
  return set(node, [&] { return kernel_work(parameters); });
}
HIP_API hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                   const hipKernelNodeParams* parameters) {
  return set(exec, node, [&] { return kernel_work(parameters); });
}

HIP_API hipError_t hipGraphAddMemcpyNode(hipGraphNode_t* node, hipGraph_t graph,
                                         const hipGraphNode_t* dependencies, std::size_t count,
                                         const hipMemcpy3DParms* parameters) {
  return add(node, graph, dependencies, count, [&] { return copy_work(parameters); });
}
HIP_API hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms* parameters) {
  return get(node, hipGraphNodeTypeMemcpy, parameters);
}
HIP_API hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node,
                                               const hipMemcpy3DParms* parameters) {
  return set(node, [&] { return copy_work(parameters); });
}
HIP_API hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                   hipMemcpy3DParms* parameters) {
  return set(exec, node, [&] { return copy_work(parameters); });
}

HIP_API hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph,
                                           const hipGraphNode_t* dependencies, std::size_t count,
                                           void* to, const void* from, std::size_t size,
                                           hipMemcpyKind kind) {
  return add(node, graph, dependencies, count, [&] { return copy_work(to, from, size, kind); });
}
HIP_API hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void* to, const void* from,
                                                 std::size_t size, hipMemcpyKind kind) {
  return set(node, [&] { return copy_work(to, from, size, kind); });
}
HIP_API hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node,
                                                     void* to, const void* from, std::size_t size,
                                                     hipMemcpyKind kind) {
  return set(exec, node, [&] { return copy_work(to, from, size, kind); });
}

HIP_API hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t* node, hipGraph_t graph,
                                                 const hipGraphNode_t* dependencies,
                                                 std::size_t count, const void* symbol,
                                                 const void* from, std::size_t size,
                                                 std::size_t offset, hipMemcpyKind kind) {
  return add(node, graph, dependencies, count,
             [&] { return copy_work(copy_to_symbol(symbol, from, size, offset, kind)); });
}
HIP_API hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t* node, hipGraph_t graph,
                                                   const hipGraphNode_t* dependencies,
                                                   std::size_t count, void* to, const void* symbol,
                                                   std::size_t size, std::size_t offset,
                                                   hipMemcpyKind kind) {
  return add(node, graph, dependencies, count,
             [&] { return copy_work(copy_from_symbol(to, symbol, size, offset, kind)); });
}

HIP_API hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph,
                                         const hipGraphNode_t* dependencies, std::size_t count,
                                         const hipMemsetParams* parameters) {
  return add(node, graph, dependencies, count, [&] { return fill_work(parameters); });
}
HIP_API hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams* parameters) {
  return get(node, hipGraphNodeTypeMemset, parameters);
}
HIP_API hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node,
                                               const hipMemsetParams* parameters) {
  return set(node, [&] { return fill_work(parameters); });
}
HIP_API hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                   const hipMemsetParams* parameters) {
  return set(exec, node, [&] { return fill_work(parameters); });
}

HIP_API hipError_t hipGraphAddHostNode(hipGraphNode_t* node, hipGraph_t graph,
                                       const hipGraphNode_t* dependencies, std::size_t count,
                                       const hipHostNodeParams* parameters) {
  return add(node, graph, dependencies, count, [&] { return host_work(parameters); });
}
HIP_API hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams* parameters) {
  return get(node, hipGraphNodeTypeHost, parameters);
}
HIP_API hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node,
                                             const hipHostNodeParams* parameters) {
  return set(node, [&] { return host_work(parameters); });
}
HIP_API hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                 const hipHostNodeParams* parameters) {
  return set(exec, node, [&] { return host_work(parameters); });
}

HIP_API hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* node, hipGraph_t graph,
                                             const hipGraphNode_t* dependencies, std::size_t count,
                                             hipGraph_t child) {
  return add(node, graph, dependencies, count, [&] {
    require(child != graph);
    return child_work(child);
  });
}
HIP_API hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t handle, hipGraph_t* graph) {
  return graph_api([&] {
    require(graph != nullptr);
    const auto node = find_node(handle);
    require(node->child_handle != nullptr);
    *graph = node->child_handle;
    return hipSuccess;
  });
}
HIP_API hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                       hipGraph_t child) {
  return set(exec, node, [&] { return child_work(child); });
}

HIP_API hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph,
                                        const hipGraphNode_t* dependencies, std::size_t count) {
  return add(node, graph, dependencies, count, [] { return Work{}; });
}

HIP_API hipError_t hipGraphAddEventRecordNode(hipGraphNode_t* node, hipGraph_t graph,
                                              const hipGraphNode_t* dependencies, std::size_t count,
                                              hipEvent_t event) {
  return add(node, graph, dependencies, count,
             [&] { return event_work(hipGraphNodeTypeEventRecord, event); });
}
HIP_API hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t* event) {
  return get(node, hipGraphNodeTypeEventRecord, event);
}
HIP_API hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  return set(node, [&] { return event_work(hipGraphNodeTypeEventRecord, event); });
}
HIP_API hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node,
                                                       hipEvent_t event) {
  return set(exec, node, [&] { return event_work(hipGraphNodeTypeEventRecord, event); });
}
HIP_API hipError_t hipGraphAddEventWaitNode(hipGraphNode_t* node, hipGraph_t graph,
                                            const hipGraphNode_t* dependencies, std::size_t count,
                                            hipEvent_t event) {
  return add(node, graph, dependencies, count,
             [&] { return event_work(hipGraphNodeTypeWaitEvent, event); });
}
HIP_API hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t* event) {
  return get(node, hipGraphNodeTypeWaitEvent, event);
}
HIP_API hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  return set(node, [&] { return event_work(hipGraphNodeTypeWaitEvent, event); });
}
HIP_API hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node,
                                                     hipEvent_t event) {
  return set(exec, node, [&] { return event_work(hipGraphNodeTypeWaitEvent, event); });
}

HIP_API hipError_t hipGraphAddMemAllocNode(hipGraphNode_t* node, hipGraph_t graph,
                                           const hipGraphNode_t* dependencies, std::size_t count,
                                           hipMemAllocNodeParams* parameters) {
  return add(node, graph, dependencies, count, [&] {
    require(parameters && parameters->bytesize && parameters->poolProps.allocType == 1 &&
            parameters->poolProps.location.type == 1);
    require_device(parameters->poolProps.location.id);
    Work work = allocation(parameters->bytesize, parameters->poolProps.location.id);
    parameters->dptr = work.memory->pointer;
    work.parameters = *parameters;
    return work;
  });
}
HIP_API hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node,
                                                 hipMemAllocNodeParams* parameters) {
  return get(node, hipGraphNodeTypeMemAlloc, parameters);
}
HIP_API hipError_t hipGraphAddMemFreeNode(hipGraphNode_t* node, hipGraph_t graph,
                                          const hipGraphNode_t* dependencies, std::size_t count,
                                          void* pointer) {
  return add(node, graph, dependencies, count, [&] { return free_work(pointer); });
}
HIP_API hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void* pointer) {
  return get(node, hipGraphNodeTypeMemFree, static_cast<void**>(pointer));
}

HIP_API hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node,
                                          unsigned enabled) {
  return graph_api([&] {
    find_exec(exec)->enable(node, enabled != 0);
    return hipSuccess;
  });
}
HIP_API hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node,
                                          unsigned* enabled) {
  return graph_api([&] {
    require(enabled != nullptr);
    *enabled = find_exec(exec)->enabled(node);
    return hipSuccess;
  });
}

}  // namespace hipsight::runtime
