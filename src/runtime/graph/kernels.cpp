// Kernel nodes of graphs: their parameters and attributes.
#include "runtime/graph/work.h"
#include "runtime/module/registration.h"
#include "runtime/state.h"
#include "services/kernarg.h"

namespace hipsight::runtime {
namespace {

/// What a program may ask of a kernel node. The arguments are copies of our own.
struct KernelNode {
  hipKernelNodeParams parameters{};
  Launch launch{};
  std::vector<std::byte> segment;
  std::vector<void*> arguments;  ///< in the segment
  std::map<hipLaunchAttributeID, hipLaunchAttributeValue> attributes;
};
using KernelNodePtr = std::shared_ptr<const KernelNode>;

const KernelNode& kernel_node(const Node& node) {
  return *node_parameters<KernelNodePtr>(node, hipGraphNodeTypeKernel);
}

Work work_of(Launch launch, std::map<hipLaunchAttributeID, hipLaunchAttributeValue> attributes) {
  const auto cooperative = attributes.find(hipLaunchAttributeCooperative);
  if (cooperative != attributes.end()) launch.cooperative = cooperative->second.cooperative != 0;
  const Function& function = *launch.function;
  auto node = std::make_shared<KernelNode>();
  Operation operation = operation_of(launch, &node->segment);
  node->arguments = services::explicit_arguments(*function.kernel, node->segment);
  const auto blocks = [](std::uint64_t items, std::uint32_t block) {
    return static_cast<std::uint32_t>(items / block);
  };
  const engine::Dim3 block = launch.block;
  hipKernelNodeParams& p = node->parameters;
  p.func = launch.stub ? const_cast<void*>(launch.stub) : function.handle;
  p.gridDim = {blocks(launch.grid[0], block.x), blocks(launch.grid[1], block.y),
               blocks(launch.grid[2], block.z)};
  p.blockDim = {block.x, block.y, block.z};
  p.sharedMemBytes = static_cast<unsigned>(launch.dynamic_lds);
  p.kernelParams = node->arguments.data();
  launch.parameters = node->arguments.data();
  launch.extra = nullptr;
  if (launch.cooperative && cooperative == attributes.end())
    attributes[hipLaunchAttributeCooperative].cooperative = 1;
  node->attributes = std::move(attributes);
  node->launch = std::move(launch);
  return {.type = hipGraphNodeTypeKernel,
          .operation = std::move(operation),
          .parameters = KernelNodePtr(std::move(node))};
}

Launch launch_of(const hipKernelNodeParams& p) {
  require(p.func != nullptr);
  Launch launch;
  launch.grid = {std::uint64_t{p.gridDim.x} * p.blockDim.x,
                 std::uint64_t{p.gridDim.y} * p.blockDim.y,
                 std::uint64_t{p.gridDim.z} * p.blockDim.z};
  launch.block = {p.blockDim.x, p.blockDim.y, p.blockDim.z};
  launch.dynamic_lds = p.sharedMemBytes;
  launch.parameters = p.kernelParams;
  launch.extra = p.extra;
  // Either the stub of a kernel or a module's function.
  launch.function = find_function_if_any(static_cast<hipFunction_t>(p.func));
  if (!launch.function) {
    launch.function = registered_function(p.func, current_device());
    launch.stub = p.func;
  }
  return launch;
}

/// What HIP refuses as the value of an attribute (ROCm clr: GraphKernelNode::SetAttrParams).
void check(hipLaunchAttributeID which, const hipLaunchAttributeValue& value) {
  constexpr unsigned persisting = 2;
  constexpr int most_urgent = -1, least_urgent = 1;
  switch (which) {
    case hipLaunchAttributeAccessPolicyWindow: {
      const hipAccessPolicyWindow& window = value.accessPolicyWindow;
      require(window.hitRatio >= 0 && window.hitRatio <= 1 && window.missProp != persisting);
      require(window.num_bytes == 0);  // hipDeviceAttributeAccessPolicyMaxWindowSize
      return;
    }
    case hipLaunchAttributeCooperative:
      return;
    case hipLaunchAttributePriority:
      require(value.priority >= most_urgent && value.priority <= least_urgent);
      return;
  }
  fail_with(hipErrorInvalidValue);
}

/// The same kernel and arguments with other attributes.
void replace(Node& node, std::map<hipLaunchAttributeID, hipLaunchAttributeValue> attributes) {
  const KernelNodePtr old = node_parameters<KernelNodePtr>(node, hipGraphNodeTypeKernel);
  node.work = work_of(old->launch, std::move(attributes));
}

}  // namespace

Work kernel_work(const hipKernelNodeParams* parameters) {
  require(parameters != nullptr);
  return work_of(launch_of(*parameters), {});
}
Work kernel_work(Launch launch) {
  return work_of(std::move(launch), {});
}

HIP_API hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph,
                                         const hipGraphNode_t* dependencies, std::size_t count,
                                         const hipKernelNodeParams* parameters) {
  return add_node(node, graph, dependencies, count, [&] { return kernel_work(parameters); });
}
HIP_API hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t handle,
                                               hipKernelNodeParams* parameters) {
  return graph_api([&] {
    require(parameters != nullptr);
    *parameters = kernel_node(*find_node(handle)).parameters;
    return hipSuccess;
  });
}
HIP_API hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t handle,
                                               const hipKernelNodeParams* parameters) {
  return set_node(handle, [&] {
    require(parameters != nullptr);
    return work_of(launch_of(*parameters), kernel_node(*find_node(handle)).attributes);
  });
}
HIP_API hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                   const hipKernelNodeParams* parameters) {
  return set_node(exec, node, [&] { return kernel_work(parameters); });
}

HIP_API hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t handle, hipLaunchAttributeID which,
                                                  const hipLaunchAttributeValue* value) {
  return graph_api([&] {
    require(value != nullptr);
    const auto node = find_node(handle);
    auto attributes = kernel_node(*node).attributes;
    check(which, *value);
    attributes[which] = *value;
    replace(*node, std::move(attributes));
    return hipSuccess;
  });
}
HIP_API hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t handle, hipLaunchAttributeID which,
                                                  hipLaunchAttributeValue* value) {
  return graph_api([&] {
    require(value != nullptr);
    const auto node = find_node(handle);
    const auto& attributes = kernel_node(*node).attributes;
    require(which == hipLaunchAttributeAccessPolicyWindow ||
            which == hipLaunchAttributeCooperative || which == hipLaunchAttributePriority);
    const auto found = attributes.find(which);
    *value = found == attributes.end() ? hipLaunchAttributeValue{} : found->second;
    return hipSuccess;
  });
}
HIP_API hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to) {
  return graph_api([&] {
    const auto source = find_node(from), node = find_node(to);
    kernel_node(*node);
    replace(*node, kernel_node(*source).attributes);
    return hipSuccess;
  });
}

}  // namespace hipsight::runtime
