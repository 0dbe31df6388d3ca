#pragma once

#include <utility>

#include "runtime/graph/graph.h"
#include "runtime/launch/launch.h"
#include "runtime/memory/copy.h"

namespace hipsight::runtime {

// What nodes do, from how programs describe it. All throw Failure for what HIP refuses.

Work kernel_work(const hipKernelNodeParams* parameters);
Work kernel_work(Launch launch);
/// `parameters`: as the program gave them; else they are made from the copy.
Work copy_work(const Copy& copy, std::any parameters = {});
Work copy_work(const hipMemcpy3DParms* parameters);
Work copy_work(void* to, const void* from, std::size_t size, hipMemcpyKind kind);
Work fill_work(const Fill& fill);
Work fill_work(const hipMemsetParams* parameters);
Work host_work(const hipHostNodeParams* parameters);
Work event_work(hipGraphNodeType type, hipEvent_t event);
Work child_work(hipGraph_t child);
Work allocation_work(hipMemAllocNodeParams* parameters);
Work free_work(void* pointer);

// What the API's functions of nodes have in common. `make` gives the work; it runs under the lock.

template <class Make>
hipError_t add_node(hipGraphNode_t* result, hipGraph_t graph, const hipGraphNode_t* dependencies,
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
hipError_t set_node(hipGraphNode_t handle, Make&& make) {
  return graph_api([&] {
    find_node(handle)->set(make());
    return hipSuccess;
  });
}

template <class Make>
hipError_t set_node(hipGraphExec_t exec, hipGraphNode_t node, Make&& make) {
  return graph_api([&] {
    find_exec(exec)->set(node, make());
    return hipSuccess;
  });
}

/// The parameters of a node of this type, as the program or a capture gave them.
template <class Parameters>
const Parameters& node_parameters(const Node& node, hipGraphNodeType type) {
  require(node.work.type == type);
  const auto* parameters = std::any_cast<Parameters>(&node.work.parameters);
  require(parameters != nullptr, hipErrorNotSupported);
  return *parameters;
}

template <class Parameters>
hipError_t get_node(hipGraphNode_t handle, hipGraphNodeType type, Parameters* result) {
  return graph_api([&] {
    require(result != nullptr);
    *result = node_parameters<Parameters>(*find_node(handle), type);
    return hipSuccess;
  });
}

}  // namespace hipsight::runtime
