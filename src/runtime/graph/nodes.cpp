// Nodes of graphs: what they do, as programs say it and change it.
#include <limits>

#include "runtime/graph/work.h"
#include "runtime/state.h"
#include "runtime/stream/event.h"
#include "runtime/stream/stream.h"

namespace hipsight::runtime {

namespace {

/// From where to where a copy goes; the program may leave that to the addresses.
hipMemcpyKind direction_of(const Copy& copy) {
  if (copy.kind == hipMemcpyDeviceToDeviceNoCU) return hipMemcpyDeviceToDevice;
  if (copy.kind != hipMemcpyDefault) return copy.kind;
  const auto is_host = [](const void* pointer) {
    const auto allocation = memory().find(reinterpret_cast<std::uintptr_t>(pointer));
    return !allocation || allocation->kind == engine::Memory::Kind::Host;
  };
  if (is_host(copy.from)) return is_host(copy.to) ? hipMemcpyHostToHost : hipMemcpyHostToDevice;
  return is_host(copy.to) ? hipMemcpyDeviceToHost : hipMemcpyDeviceToDevice;
}

}  // namespace

Work copy_work(const Copy& copy, std::any parameters) {
  const Sides sides = check(copy);
  if (!parameters.has_value()) parameters = parameters_of(copy);
  return {.type = hipGraphNodeTypeMemcpy,
          .operation = operation_of(copy),
          .parameters = std::move(parameters),
          .direction = direction_of(copy),
          .to_pageable = !sides.to_known};
}

Work copy_work(const hipMemcpy3DParms* p) {
  require(p != nullptr);
  return copy_work(copy_of(*p), *p);
}

Work copy_work(void* to, const void* from, std::size_t size, hipMemcpyKind kind) {
  require(size > 0 && to != from);
  return copy_work(Copy{.to = to, .from = from, .lines = {size}, .kind = kind});
}

namespace {

Work symbol_work(const Copy& copy) {
  require(copy.lines.width > 0);
  return copy_work(copy);
}

}  // namespace

Work fill_work(const Fill& fill) {
  check(fill);
  const hipMemsetParams parameters{fill.to,         fill.value_size,
                                   fill.lines.rows, fill.layout.pitch,
                                   fill.value,      fill.lines.width / fill.value_size};
  return {
      .type = hipGraphNodeTypeMemset, .operation = operation_of(fill), .parameters = parameters};
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

Work allocation_work(hipMemAllocNodeParams* p) {
  constexpr unsigned pinned = 1, device = 1;
  require(p && p->bytesize && p->poolProps.allocType == pinned &&
          p->poolProps.location.type == device);
  require(p->poolProps.location.id >= 0 &&
          p->poolProps.location.id < Context::get().device_count());
  Work work = allocation(p->bytesize, p->poolProps.location.id);
  p->dptr = work.memory->pointer;
  work.parameters = *p;
  return work;
}

Work free_work(void* pointer) {
  require(pointer && is_graph_memory(pointer));
  return {.type = hipGraphNodeTypeMemFree, .parameters = pointer};
}

HIP_API hipError_t hipGraphAddMemcpyNode(hipGraphNode_t* node, hipGraph_t graph,
                                         const hipGraphNode_t* dependencies, std::size_t count,
                                         const hipMemcpy3DParms* parameters) {
  return add_node(node, graph, dependencies, count, [&] { return copy_work(parameters); });
}
HIP_API hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms* parameters) {
  return get_node(node, hipGraphNodeTypeMemcpy, parameters);
}
HIP_API hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node,
                                               const hipMemcpy3DParms* parameters) {
  return set_node(node, [&] { return copy_work(parameters); });
}
HIP_API hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                   hipMemcpy3DParms* parameters) {
  return set_node(exec, node, [&] { return copy_work(parameters); });
}

HIP_API hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph,
                                           const hipGraphNode_t* dependencies, std::size_t count,
                                           void* to, const void* from, std::size_t size,
                                           hipMemcpyKind kind) {
  return add_node(node, graph, dependencies, count,
                  [&] { return copy_work(to, from, size, kind); });
}
HIP_API hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void* to, const void* from,
                                                 std::size_t size, hipMemcpyKind kind) {
  return set_node(node, [&] { return copy_work(to, from, size, kind); });
}
HIP_API hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node,
                                                     void* to, const void* from, std::size_t size,
                                                     hipMemcpyKind kind) {
  return set_node(exec, node, [&] { return copy_work(to, from, size, kind); });
}

HIP_API hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t* node, hipGraph_t graph,
                                                 const hipGraphNode_t* dependencies,
                                                 std::size_t count, const void* symbol,
                                                 const void* from, std::size_t size,
                                                 std::size_t offset, hipMemcpyKind kind) {
  return add_node(node, graph, dependencies, count,
                  [&] { return symbol_work(copy_to_symbol(symbol, from, size, offset, kind)); });
}
HIP_API hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t* node, hipGraph_t graph,
                                                   const hipGraphNode_t* dependencies,
                                                   std::size_t count, void* to, const void* symbol,
                                                   std::size_t size, std::size_t offset,
                                                   hipMemcpyKind kind) {
  return add_node(node, graph, dependencies, count,
                  [&] { return symbol_work(copy_from_symbol(to, symbol, size, offset, kind)); });
}

HIP_API hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void* symbol,
                                                       const void* from, std::size_t size,
                                                       std::size_t offset, hipMemcpyKind kind) {
  return set_node(node,
                  [&] { return symbol_work(copy_to_symbol(symbol, from, size, offset, kind)); });
}
HIP_API hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void* to,
                                                         const void* symbol, std::size_t size,
                                                         std::size_t offset, hipMemcpyKind kind) {
  return set_node(node,
                  [&] { return symbol_work(copy_from_symbol(to, symbol, size, offset, kind)); });
}
HIP_API hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t exec, hipGraphNode_t node,
                                                           const void* symbol, const void* from,
                                                           std::size_t size, std::size_t offset,
                                                           hipMemcpyKind kind) {
  return set_node(exec, node,
                  [&] { return symbol_work(copy_to_symbol(symbol, from, size, offset, kind)); });
}
HIP_API hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t exec,
                                                             hipGraphNode_t node, void* to,
                                                             const void* symbol, std::size_t size,
                                                             std::size_t offset,
                                                             hipMemcpyKind kind) {
  return set_node(exec, node,
                  [&] { return symbol_work(copy_from_symbol(to, symbol, size, offset, kind)); });
}

HIP_API hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph,
                                         const hipGraphNode_t* dependencies, std::size_t count,
                                         const hipMemsetParams* parameters) {
  return add_node(node, graph, dependencies, count, [&] { return fill_work(parameters); });
}
HIP_API hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams* parameters) {
  return get_node(node, hipGraphNodeTypeMemset, parameters);
}
HIP_API hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node,
                                               const hipMemsetParams* parameters) {
  return set_node(node, [&] { return fill_work(parameters); });
}
HIP_API hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                   const hipMemsetParams* parameters) {
  return set_node(exec, node, [&] { return fill_work(parameters); });
}

HIP_API hipError_t hipGraphAddHostNode(hipGraphNode_t* node, hipGraph_t graph,
                                       const hipGraphNode_t* dependencies, std::size_t count,
                                       const hipHostNodeParams* parameters) {
  return add_node(node, graph, dependencies, count, [&] { return host_work(parameters); });
}
HIP_API hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams* parameters) {
  return get_node(node, hipGraphNodeTypeHost, parameters);
}
HIP_API hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node,
                                             const hipHostNodeParams* parameters) {
  return set_node(node, [&] { return host_work(parameters); });
}
HIP_API hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                 const hipHostNodeParams* parameters) {
  return set_node(exec, node, [&] { return host_work(parameters); });
}

HIP_API hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* node, hipGraph_t graph,
                                             const hipGraphNode_t* dependencies, std::size_t count,
                                             hipGraph_t child) {
  return add_node(node, graph, dependencies, count, [&] { return child_work(child); });
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
  return set_node(exec, node, [&] { return child_work(child); });
}

HIP_API hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph,
                                        const hipGraphNode_t* dependencies, std::size_t count) {
  return add_node(node, graph, dependencies, count, [] { return Work{}; });
}

HIP_API hipError_t hipGraphAddEventRecordNode(hipGraphNode_t* node, hipGraph_t graph,
                                              const hipGraphNode_t* dependencies, std::size_t count,
                                              hipEvent_t event) {
  return add_node(node, graph, dependencies, count,
                  [&] { return event_work(hipGraphNodeTypeEventRecord, event); });
}
HIP_API hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t* event) {
  return get_node(node, hipGraphNodeTypeEventRecord, event);
}
HIP_API hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  return set_node(node, [&] { return event_work(hipGraphNodeTypeEventRecord, event); });
}
HIP_API hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node,
                                                       hipEvent_t event) {
  return set_node(exec, node, [&] { return event_work(hipGraphNodeTypeEventRecord, event); });
}
HIP_API hipError_t hipGraphAddEventWaitNode(hipGraphNode_t* node, hipGraph_t graph,
                                            const hipGraphNode_t* dependencies, std::size_t count,
                                            hipEvent_t event) {
  return add_node(node, graph, dependencies, count,
                  [&] { return event_work(hipGraphNodeTypeWaitEvent, event); });
}
HIP_API hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t* event) {
  return get_node(node, hipGraphNodeTypeWaitEvent, event);
}
HIP_API hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  return set_node(node, [&] { return event_work(hipGraphNodeTypeWaitEvent, event); });
}
HIP_API hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node,
                                                     hipEvent_t event) {
  return set_node(exec, node, [&] { return event_work(hipGraphNodeTypeWaitEvent, event); });
}

HIP_API hipError_t hipGraphAddMemAllocNode(hipGraphNode_t* node, hipGraph_t graph,
                                           const hipGraphNode_t* dependencies, std::size_t count,
                                           hipMemAllocNodeParams* parameters) {
  return add_node(node, graph, dependencies, count, [&] { return allocation_work(parameters); });
}
HIP_API hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node,
                                                 hipMemAllocNodeParams* parameters) {
  return get_node(node, hipGraphNodeTypeMemAlloc, parameters);
}
HIP_API hipError_t hipGraphAddMemFreeNode(hipGraphNode_t* node, hipGraph_t graph,
                                          const hipGraphNode_t* dependencies, std::size_t count,
                                          void* pointer) {
  return add_node(node, graph, dependencies, count, [&] { return free_work(pointer); });
}
HIP_API hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void* pointer) {
  return get_node(node, hipGraphNodeTypeMemFree, static_cast<void**>(pointer));
}

HIP_API hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node,
                                          unsigned enabled) {
  return graph_api([&] {
    find_node(node);
    find_exec(exec)->enable(node, enabled != 0);
    return hipSuccess;
  });
}
HIP_API hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node,
                                          unsigned* enabled) {
  return graph_api([&] {
    require(enabled != nullptr);
    find_node(node);
    *enabled = find_exec(exec)->enabled(node);
    return hipSuccess;
  });
}

// Nodes of any type.

namespace {

Work work_of(hipGraphNodeParams* p) {
  require(p != nullptr);
  switch (p->type) {
    case hipGraphNodeTypeKernel:
      return kernel_work(&p->kernel);
    case hipGraphNodeTypeMemcpy:
      return copy_work(&p->memcpy.copyParams);
    case hipGraphNodeTypeMemset:
      return fill_work(&p->memset);
    case hipGraphNodeTypeHost:
      return host_work(&p->host);
    case hipGraphNodeTypeGraph:
      return child_work(p->graph);
    case hipGraphNodeTypeEmpty:
      return {};
    case hipGraphNodeTypeWaitEvent:
    case hipGraphNodeTypeEventRecord:
      return event_work(p->type, p->event);
    case hipGraphNodeTypeMemAlloc:
      return allocation_work(&p->alloc);
    case hipGraphNodeTypeMemFree:
      return free_work(p->free);
    default:
      fail_with(p->type < hipGraphNodeTypeMemcpyFromSymbol ? hipErrorNotSupported
                                                           : hipErrorInvalidValue);
  }
}

}  // namespace

HIP_API hipError_t hipGraphAddNode(hipGraphNode_t* node, hipGraph_t graph,
                                   const hipGraphNode_t* dependencies, std::size_t count,
                                   hipGraphNodeParams* parameters) {
  return add_node(node, graph, dependencies, count, [&] { return work_of(parameters); });
}
HIP_API hipError_t hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams* parameters) {
  return set_node(node, [&] { return work_of(parameters); });
}
HIP_API hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                             hipGraphNodeParams* parameters) {
  return set_node(exec, node, [&] { return work_of(parameters); });
}

}  // namespace hipsight::runtime
