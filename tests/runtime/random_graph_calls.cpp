// Graphs, and capturing them.

#include <array>
#include <iterator>

#include "random_caller.h"

namespace random_calls {

/// A kernel node's parameters, and what they point at.
struct Caller::KernelNode {
  explicit KernelNode(Caller& caller) : arguments(pointers(data, factor, count)) {
    void* functions[] = {const_cast<void*>(scale_stub()), caller.a_pointer(), nullptr,
                         caller.world_.functions.any(caller.random_)};
    parameters.func = functions[caller.random_.pick(4)];
    parameters.gridDim = caller.a_shape();
    parameters.blockDim = caller.a_shape();
    parameters.kernelParams = arguments.data();
  }
  float* data = nullptr;
  float factor = 0;
  int count = 0;
  std::array<void*, 3> arguments;
  hipKernelNodeParams parameters{};
};

hipError_t Caller::keep_graph(hipError_t result, hipGraph_t graph) {
  return world_.graphs.add(result, graph);
}

hipError_t Caller::capture() {
  hipGraph_t graph = nullptr;
  hipStreamCaptureStatus status{};
  unsigned long long id = 0;
  const hipGraphNode_t* last = nullptr;
  std::size_t count = 0;
  hipGraphNode_t node = a_node();
  auto mode = random_.any<hipStreamCaptureMode>(4);
  hipStream_t const stream = a_stream();
  return one_of(
      [&] { return hipStreamBeginCapture(stream, mode); },
      [&] { return keep_graph(hipStreamEndCapture(stream, &graph), graph); },
      [&] { return keep_graph(hipStreamEndCapture(stream, &graph), graph); },
      [&] { return hipStreamIsCapturing(stream, &status); },
      [&] {
        const hipError_t result =
            hipStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &last, &count);
        for (std::size_t i = 0; result == hipSuccess && i < count; ++i)
          (void)world_.nodes.add(result, last[i]);
        return keep_graph(result, graph);
      },
      [&] { return hipStreamUpdateCaptureDependencies(stream, &node, 1, random_.flags(2)); },
      [&] { return hipThreadExchangeStreamCaptureMode(&mode); });
}

hipError_t Caller::graph() {
  hipGraph_t made = nullptr;
  hipGraphNode_t found[8];
  hipGraphNode_t others[8];
  std::size_t count = random_.pick(std::size(found) + 1);
  hipGraphNode_t const from = a_node(), to = a_node();
  return one_of([&] { return keep_graph(hipGraphCreate(&made, random_.flags(1)), made); },
                [&] { return keep_graph(hipGraphCreate(&made, 0), made); },
                [&] { return keep_graph(hipGraphClone(&made, a_graph()), made); },
                [&] { return hipGraphDestroy(a_graph()); },
                [&] {
                  const hipError_t result = hipGraphGetNodes(a_graph(), found, &count);
                  for (std::size_t i = 0; result == hipSuccess && i < count; ++i)
                    (void)world_.nodes.add(result, found[i]);
                  return result;
                },
                [&] { return hipGraphGetRootNodes(a_graph(), found, &count); },
                [&] { return hipGraphGetEdges(a_graph(), found, others, &count); },
                [&] { return hipGraphAddDependencies(a_graph(), &from, &to, random_.pick(2)); },
                [&] { return hipGraphRemoveDependencies(a_graph(), &from, &to, random_.pick(2)); },
                [&] { return hipGraphDebugDotPrint(a_graph(), "/dev/null", 0); },
                [&] { return hipGraphNodeFindInClone(found, a_node(), a_graph()); });
}

hipError_t Caller::add_node() {
  hipGraphNode_t made = nullptr;
  hipGraph_t const graph = a_graph();
  const hipGraphNode_t after[] = {a_node(), a_node()};
  const std::size_t count = random_.one_in(2) ? 0 : random_.pick(3);
  const hipMemcpy3DParms box = a_box();
  const hipMemsetParams filled = a_fill();
  const hipHostNodeParams host{[](void*) {}, nullptr};
  hipMemAllocNodeParams allocation{};
  allocation.poolProps.allocType = hipMemAllocationTypePinned;
  allocation.poolProps.location = {hipMemLocationTypeDevice, a_device()};
  allocation.bytesize = a_size();
  KernelNode kernel(*this);
  const auto keep = [&](hipError_t result) { return world_.nodes.add(result, made); };
  return one_of(
      [&] { return keep(hipGraphAddEmptyNode(&made, graph, after, count)); },
      [&] { return keep(hipGraphAddKernelNode(&made, graph, after, count, &kernel.parameters)); },
      [&] { return keep(hipGraphAddMemcpyNode(&made, graph, after, count, &box)); },
      [&] {
        return keep(hipGraphAddMemcpyNode1D(&made, graph, after, count, a_pointer(), a_pointer(),
                                            a_size(), a_kind()));
      },
      [&] { return keep(hipGraphAddMemsetNode(&made, graph, after, count, &filled)); },
      [&] { return keep(hipGraphAddHostNode(&made, graph, after, count, &host)); },
      [&] { return keep(hipGraphAddChildGraphNode(&made, graph, after, count, a_graph())); },
      [&] { return keep(hipGraphAddEventRecordNode(&made, graph, after, count, an_event())); },
      [&] { return keep(hipGraphAddEventWaitNode(&made, graph, after, count, an_event())); },
      [&] {
        const hipError_t result = hipGraphAddMemAllocNode(&made, graph, after, count, &allocation);
        (void)this->keep(result, allocation.dptr);
        return keep(result);
      },
      [&] { return keep(hipGraphAddMemFreeNode(&made, graph, after, count, a_pointer())); });
}

hipMemsetParams Caller::a_fill() {
  hipMemsetParams fill{};
  fill.dst = a_pointer();
  fill.elementSize = random_.flags(5);
  fill.width = a_pitch();
  fill.height = a_count();
  fill.pitch = a_pitch();
  fill.value = 1;
  return fill;
}

hipError_t Caller::node() {
  hipGraphNode_t const node = a_node();
  hipGraph_t graph = nullptr;
  hipGraphNodeType type{};
  hipEvent_t event = nullptr;
  hipGraphNode_t found[4];
  std::size_t count = random_.pick(std::size(found) + 1);
  hipMemcpy3DParms box = a_box();
  hipMemsetParams filled = a_fill();
  hipHostNodeParams host{};
  hipMemAllocNodeParams allocation{};
  KernelNode kernel(*this);
  void* pointer = nullptr;
  return one_of([&] { return hipGraphDestroyNode(node); },
                [&] { return hipGraphNodeGetType(node, &type); },
                [&] { return hipGraphNodeGetDependencies(node, found, &count); },
                [&] { return hipGraphNodeGetDependentNodes(node, found, &count); },
                [&] {
                  const hipError_t result = hipGraphChildGraphNodeGetGraph(node, &graph);
                  return keep_graph(result, graph);
                },
                [&] { return hipGraphKernelNodeGetParams(node, &kernel.parameters); },
                [&] { return hipGraphKernelNodeSetParams(node, &kernel.parameters); },
                [&] { return hipGraphMemcpyNodeGetParams(node, &box); },
                [&] { return hipGraphMemcpyNodeSetParams(node, &box); },
                [&] { return hipGraphMemsetNodeGetParams(node, &filled); },
                [&] { return hipGraphMemsetNodeSetParams(node, &filled); },
                [&] { return hipGraphHostNodeGetParams(node, &host); },
                [&] { return hipGraphEventRecordNodeGetEvent(node, &event); },
                [&] { return hipGraphEventRecordNodeSetEvent(node, an_event()); },
                [&] { return hipGraphEventWaitNodeSetEvent(node, an_event()); },
                [&] { return hipGraphMemAllocNodeGetParams(node, &allocation); },
                [&] { return hipGraphMemFreeNodeGetParams(node, static_cast<void*>(&pointer)); });
}

hipError_t Caller::graph_exec() {
  hipGraphExec_t made = nullptr;
  hipGraphExec_t const exec = an_exec();
  hipGraphNode_t node = a_node();
  hipGraphExecUpdateResult result{};
  hipMemcpy3DParms box = a_box();
  const hipMemsetParams filled = a_fill();
  KernelNode kernel(*this);
  const auto make = [&](hipError_t code) { return world_.graph_execs.add(code, made); };
  return one_of(
      [&] { return make(hipGraphInstantiate(&made, a_graph(), &node, nullptr, 0)); },
      [&] { return make(hipGraphInstantiateWithFlags(&made, a_graph(), random_.flags(10))); },
      [&] { return hipGraphLaunch(exec, a_stream()); },
      [&] { return hipGraphLaunch(exec, a_stream()); }, [&] { return hipGraphExecDestroy(exec); },
      [&] { return hipGraphExecUpdate(exec, a_graph(), &node, &result); },
      [&] { return hipGraphExecKernelNodeSetParams(exec, node, &kernel.parameters); },
      [&] { return hipGraphExecMemcpyNodeSetParams(exec, node, &box); },
      [&] { return hipGraphExecMemsetNodeSetParams(exec, node, &filled); },
      [&] { return hipGraphExecChildGraphNodeSetParams(exec, node, a_graph()); },
      [&] { return hipGraphNodeSetEnabled(exec, node, random_.flags(2)); });
}

hipError_t Caller::object() {
  hipUserObject_t made = nullptr;
  hipUserObject_t const object = world_.objects.any(random_);
  const auto count = static_cast<unsigned>(a_count());
  return one_of(
      [&] {
        const hipError_t result =
            hipUserObjectCreate(&made, nullptr, [](void*) {}, 1 + count % 3, random_.flags(2));
        return world_.objects.add(result, made);
      },
      [&] { return hipUserObjectRetain(object, count); },
      [&] { return hipUserObjectRelease(object, count); },
      [&] { return hipGraphRetainUserObject(a_graph(), object, count, random_.flags(2)); },
      [&] { return hipGraphReleaseUserObject(a_graph(), object, count); });
}

}  // namespace random_calls
