// Graphs that are built node by node: what a launch does, and what changes do to the next one.
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>

#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "graph_fixture.h"
#include "kernels.h"

namespace {

class GraphTest : public GraphFixture {
 protected:
  hipGraphNode_t add_copy(int* to, const int* from, std::vector<hipGraphNode_t> after = {}) {
    hipGraphNode_t node = nullptr;
    EXPECT_EQ(hipGraphAddMemcpyNode1D(&node, graph, after.data(), after.size(), to, from,
                                      sizeof(int), hipMemcpyDefault),
              hipSuccess);
    return node;
  }
  /// A node that takes its name down in `order`.
  hipGraphNode_t add_step(char name, std::vector<hipGraphNode_t> after = {}) {
    steps_.push_back(std::make_unique<Step>(Step{&order, name}));
    const hipHostNodeParams host{.fn =
                                     [](void* data) {
                                       auto& step = *static_cast<Step*>(data);
                                       step.order->push_back(step.name);
                                     },
                                 .userData = steps_.back().get()};
    hipGraphNode_t node = nullptr;
    EXPECT_EQ(hipGraphAddHostNode(&node, graph, after.data(), after.size(), &host), hipSuccess);
    return node;
  }

  std::string order;

 private:
  struct Step {
    std::string* order;
    char name;
  };
  std::vector<std::unique_ptr<Step>> steps_;
};

TEST_F(GraphTest, NodesRunAfterThoseTheyDependOn) {
  const auto last = add_step('D');
  const auto a = add_step('A');
  const auto b = add_step('B', {a});
  const auto c = add_step('C', {a, b});
  ASSERT_EQ(hipGraphAddDependencies(graph, &c, &last, 1), hipSuccess);
  const hipGraphExec_t exec = instantiate();
  EXPECT_EQ(order, "");  // nothing runs before the launch
  ASSERT_EQ(hipGraphLaunch(exec, nullptr), hipSuccess);
  run(exec);
  EXPECT_EQ(order, "ABCDABCD");
}

TEST_F(GraphTest, ACycleIsRefused) {
  const auto a = add_step('A');
  const auto b = add_step('B', {a});
  ASSERT_EQ(hipGraphAddDependencies(graph, &b, &a, 1), hipSuccess);
  hipGraphExec_t exec = nullptr;
  EXPECT_EQ(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipErrorInvalidValue);
  ASSERT_EQ(hipGraphRemoveDependencies(graph, &b, &a, 1), hipSuccess);
  run(instantiate());
  EXPECT_EQ(order, "AB");
}

TEST_F(GraphTest, ShapeIsAsItWasMade) {
  const auto a = add_step('A');
  const auto b = add_fill(array, 1, {a});
  const auto c = add_copy(array + 1, array, {a, b});
  hipGraphNode_t nodes[5] = {a, a, a, a, a}, from[4], to[4];
  std::size_t count = 0;
  ASSERT_EQ(hipGraphGetNodes(graph, nullptr, &count), hipSuccess);
  EXPECT_EQ(count, 3u);
  count = 5;
  ASSERT_EQ(hipGraphGetNodes(graph, nodes, &count), hipSuccess);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(std::vector(nodes, nodes + 5),
            (std::vector<hipGraphNode_t>{a, b, c, nullptr, nullptr}));
  count = 4;
  ASSERT_EQ(hipGraphGetEdges(graph, from, to, &count), hipSuccess);
  ASSERT_EQ(count, 3u);
  using Edges = std::set<std::pair<hipGraphNode_t, hipGraphNode_t>>;
  Edges edges;
  for (std::size_t i = 0; i < count; ++i) edges.emplace(from[i], to[i]);
  EXPECT_EQ(edges, (Edges{{a, b}, {a, c}, {b, c}}));
  count = 5;
  ASSERT_EQ(hipGraphGetRootNodes(graph, nodes, &count), hipSuccess);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(nodes[0], a);
  ASSERT_EQ(hipGraphNodeGetDependencies(c, nullptr, &count), hipSuccess);
  EXPECT_EQ(count, 2u);
  count = 5;
  ASSERT_EQ(hipGraphNodeGetDependentNodes(b, nodes, &count), hipSuccess);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(nodes[0], c);
  hipGraphNodeType type{};
  ASSERT_EQ(hipGraphNodeGetType(a, &type), hipSuccess);
  EXPECT_EQ(type, hipGraphNodeTypeHost);
  ASSERT_EQ(hipGraphNodeGetType(b, &type), hipSuccess);
  EXPECT_EQ(type, hipGraphNodeTypeMemset);
  ASSERT_EQ(hipGraphNodeGetType(c, &type), hipSuccess);
  EXPECT_EQ(type, hipGraphNodeTypeMemcpy);
  ASSERT_EQ(hipGraphDestroyNode(b), hipSuccess);
  EXPECT_EQ(hipGraphNodeGetType(b, &type), hipErrorInvalidValue);
  ASSERT_EQ(hipGraphGetEdges(graph, nullptr, nullptr, &count), hipSuccess);
  EXPECT_EQ(count, 1u);
}

TEST_F(GraphTest, KernelNodesTakeTheirArgumentsWhenTheyAreMade) {
  float* data = reinterpret_cast<float*>(array);
  float factor = 3;
  int count = 5;
  auto arguments = pointers(data, factor, count);
  hipKernelNodeParams kernel{};
  kernel.func = const_cast<void*>(scale_stub());
  kernel.gridDim = dim3(2);
  kernel.blockDim = dim3(64);
  kernel.kernelParams = arguments.data();
  hipGraphNode_t node = nullptr;
  ASSERT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, &kernel), hipSuccess);
  const hipGraphExec_t exec = instantiate();
  factor = 4;  // too late for what is made
  ASSERT_EQ(hipGraphLaunch(exec, nullptr), hipSuccess);
  ASSERT_EQ(hipGraphExecKernelNodeSetParams(exec, node, &kernel), hipSuccess);
  run(exec);
  factor = 5;
  ASSERT_EQ(hipGraphKernelNodeSetParams(node, &kernel), hipSuccess);
  run(instantiate());
  ASSERT_EQ(fake::launches().size(), 3u);
  EXPECT_EQ(fake::launches()[0].dispatch.grid.x, 128u);
  EXPECT_EQ(fake::launches()[0].at<float>(8), 3.0f);
  EXPECT_EQ(fake::launches()[1].at<float>(8), 4.0f);
  EXPECT_EQ(fake::launches()[2].at<float>(8), 5.0f);
  kernel.blockDim = dim3(2048);
  EXPECT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, &kernel), hipErrorInvalidValue);
  EXPECT_EQ(node, nullptr);
}

TEST_F(GraphTest, CopiesAndFillsCanBeChangedInTheExecutable) {
  const auto fill = add_fill(array, 7);
  const auto copy = add_copy(array + 1, array, {fill});
  hipMemcpy3DParms three{};
  three.srcPtr = make_hipPitchedPtr(array, 8, 8, 1);
  three.dstPtr = make_hipPitchedPtr(array + 2, 8, 8, 1);
  three.extent = make_hipExtent(8, 1, 1);
  three.kind = hipMemcpyDeviceToDevice;
  hipGraphNode_t wide = nullptr;
  ASSERT_EQ(hipGraphAddMemcpyNode(&wide, graph, &copy, 1, &three), hipSuccess);
  const hipGraphExec_t exec = instantiate();
  ASSERT_EQ(hipGraphLaunch(exec, nullptr), hipSuccess);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(std::vector<int>(array, array + 6), (std::vector<int>{7, 7, 7, 7, 0, 0}));

  const hipMemsetParams other = fill_of(array, 9);
  ASSERT_EQ(hipGraphExecMemsetNodeSetParams(exec, fill, &other), hipSuccess);
  three.dstPtr.ptr = array + 4;
  ASSERT_EQ(hipGraphExecMemcpyNodeSetParams(exec, wide, &three), hipSuccess);
  ASSERT_EQ(hipGraphExecMemcpyNodeSetParams1D(exec, copy, array + 8, array, 4, hipMemcpyDefault),
            hipSuccess);
  EXPECT_EQ(hipGraphExecMemsetNodeSetParams(exec, copy, &other), hipErrorInvalidValue);
  run(exec);
  EXPECT_EQ(std::vector<int>(array, array + 9), (std::vector<int>{9, 7, 7, 7, 9, 7, 0, 0, 9}));

  hipMemsetParams kept{};  // the graph itself is as it was
  ASSERT_EQ(hipGraphMemsetNodeGetParams(fill, &kept), hipSuccess);
  EXPECT_EQ(kept.value, 7u);
}

TEST_F(GraphTest, BadNodesAreRefused) {
  hipGraphNode_t node = nullptr;
  hipMemsetParams fill = fill_of(array + 64, 1);
  EXPECT_EQ(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &fill), hipErrorInvalidValue);
  fill = fill_of(array, 1);
  fill.elementSize = 3;
  EXPECT_EQ(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &fill), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddMemcpyNode1D(&node, graph, nullptr, 0, array, array, 4096, hipMemcpyDefault),
            hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddMemcpyNode(&node, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddEmptyNode(&node, nullptr, nullptr, 0), hipErrorInvalidValue);
  const auto made_up = reinterpret_cast<hipGraphNode_t>(0x1234);
  EXPECT_EQ(hipGraphAddEmptyNode(&node, graph, &made_up, 1), hipErrorInvalidValue);
  hipGraph_t other = nullptr;
  ASSERT_EQ(hipGraphCreate(&other, 0), hipSuccess);
  const auto foreign = add_step('A');
  EXPECT_EQ(hipGraphAddEmptyNode(&node, other, &foreign, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphDestroy(other), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(other), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphLaunch(nullptr, nullptr), hipErrorInvalidValue);
}

TEST_F(GraphTest, AChildIsCopiedAndMayBeReplacedByOneOfTheSameShape) {
  hipGraph_t child = nullptr;
  ASSERT_EQ(hipGraphCreate(&child, 0), hipSuccess);
  std::swap(graph, child);  // add_fill adds to the child
  const auto inner = add_fill(array, 3);
  std::swap(graph, child);
  hipGraphNode_t node = nullptr;
  ASSERT_EQ(hipGraphAddChildGraphNode(&node, graph, nullptr, 0, child), hipSuccess);
  add_copy(array + 1, array, {node});
  const hipMemsetParams four = fill_of(array, 4);
  ASSERT_EQ(hipGraphMemsetNodeSetParams(inner, &four), hipSuccess);  // not in the copy
  const hipGraphExec_t exec = instantiate();
  ASSERT_EQ(hipGraphLaunch(exec, nullptr), hipSuccess);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(array[1], 3);
  ASSERT_EQ(hipGraphExecChildGraphNodeSetParams(exec, node, child), hipSuccess);
  ASSERT_EQ(hipGraphLaunch(exec, nullptr), hipSuccess);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(array[1], 4);
  // The copy's own nodes can be reached, and changed in the executable.
  hipGraph_t copy = nullptr;
  ASSERT_EQ(hipGraphChildGraphNodeGetGraph(node, &copy), hipSuccess);
  hipGraphNode_t copied = nullptr;
  std::size_t count = 1;
  ASSERT_EQ(hipGraphGetNodes(copy, &copied, &count), hipSuccess);
  const hipMemsetParams five = fill_of(array, 5);
  ASSERT_EQ(hipGraphExecMemsetNodeSetParams(exec, copied, &five), hipSuccess);
  hipGraphNode_t more = nullptr;
  ASSERT_EQ(hipGraphAddEmptyNode(&more, child, nullptr, 0), hipSuccess);
  EXPECT_EQ(hipGraphExecChildGraphNodeSetParams(exec, node, child), hipErrorInvalidValue);
  run(exec);
  EXPECT_EQ(array[1], 5);
  EXPECT_EQ(hipGraphDestroy(child), hipSuccess);
}

TEST_F(GraphTest, AnExecutableTakesOverAGraphOfTheSameShape) {
  const auto fill = add_fill(array, 1);
  add_copy(array + 1, array, {fill});
  const hipGraphExec_t exec = instantiate();
  hipGraph_t other = nullptr;
  ASSERT_EQ(hipGraphClone(&other, graph), hipSuccess);
  hipGraphNode_t clone = nullptr;
  ASSERT_EQ(hipGraphNodeFindInClone(&clone, fill, other), hipSuccess);
  const hipMemsetParams eight = fill_of(array, 8);
  ASSERT_EQ(hipGraphMemsetNodeSetParams(clone, &eight), hipSuccess);
  hipGraphNode_t error_node = nullptr;
  hipGraphExecUpdateResult result{};
  ASSERT_EQ(hipGraphExecUpdate(exec, other, &error_node, &result), hipSuccess);
  EXPECT_EQ(result, hipGraphExecUpdateSuccess);
  ASSERT_EQ(hipGraphLaunch(exec, nullptr), hipSuccess);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(array[1], 8);

  hipGraphNode_t extra = nullptr;
  ASSERT_EQ(hipGraphAddEmptyNode(&extra, other, nullptr, 0), hipSuccess);
  EXPECT_EQ(hipGraphExecUpdate(exec, other, &error_node, &result), hipErrorGraphExecUpdateFailure);
  EXPECT_EQ(result, hipGraphExecUpdateErrorTopologyChanged);
  EXPECT_EQ(error_node, nullptr);  // no node is at fault for their number
  ASSERT_EQ(hipGraphDestroyNode(extra), hipSuccess);
  ASSERT_EQ(hipGraphDestroyNode(clone), hipSuccess);
  hipGraphNode_t copy = nullptr;
  std::size_t count = 1;
  ASSERT_EQ(hipGraphGetNodes(other, &copy, &count), hipSuccess);
  ASSERT_EQ(hipGraphAddEmptyNode(&extra, other, &copy, 1), hipSuccess);
  EXPECT_EQ(hipGraphExecUpdate(exec, other, &error_node, &result), hipErrorGraphExecUpdateFailure);
  EXPECT_EQ(result, hipGraphExecUpdateErrorNodeTypeChanged);
  EXPECT_EQ(error_node, copy);
  run(exec);
  EXPECT_EQ(array[1], 8);
  EXPECT_EQ(hipGraphDestroy(other), hipSuccess);
}

TEST_F(GraphTest, AnExecutableOutlivesItsGraphAndItsLaunches) {
  add_fill(array, 6);
  const hipGraphExec_t exec = instantiate();
  ASSERT_EQ(hipGraphDestroy(graph), hipSuccess);
  ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
  run(exec);
  EXPECT_EQ(array[0], 6);
  EXPECT_EQ(hipGraphLaunch(exec, nullptr), hipErrorInvalidValue);
}

TEST_F(GraphTest, DisabledNodesDoNothing) {
  const auto a = add_fill(array, 5);
  const auto b = add_fill(array + 1, 6, {a});
  const auto step = add_step('C', {b});
  const hipGraphExec_t exec = instantiate();
  ASSERT_EQ(hipGraphNodeSetEnabled(exec, a, 0), hipSuccess);
  unsigned enabled = 1;
  ASSERT_EQ(hipGraphNodeGetEnabled(exec, a, &enabled), hipSuccess);
  EXPECT_EQ(enabled, 0u);
  EXPECT_EQ(hipGraphNodeSetEnabled(exec, step, 0), hipErrorInvalidValue);
  ASSERT_EQ(hipGraphLaunch(exec, nullptr), hipSuccess);
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(array[0], 0);
  EXPECT_EQ(array[1], 6);
  ASSERT_EQ(hipGraphNodeSetEnabled(exec, a, 1), hipSuccess);
  run(exec);
  EXPECT_EQ(array[0], 5);
  EXPECT_EQ(order, "CC");
}

TEST_F(GraphTest, EventNodesRecordAndWait) {
  hipEvent_t event = nullptr;
  ASSERT_EQ(hipEventCreate(&event), hipSuccess);
  const auto a = add_step('A');
  hipGraphNode_t recorded = nullptr, waited = nullptr;
  ASSERT_EQ(hipGraphAddEventRecordNode(&recorded, graph, &a, 1, event), hipSuccess);
  ASSERT_EQ(hipGraphAddEventWaitNode(&waited, graph, &recorded, 1, event), hipSuccess);
  add_step('B', {waited});
  hipEvent_t same = nullptr;
  ASSERT_EQ(hipGraphEventRecordNodeGetEvent(recorded, &same), hipSuccess);
  EXPECT_EQ(same, event);
  const hipGraphExec_t exec = instantiate();
  ASSERT_EQ(hipGraphLaunch(exec, nullptr), hipSuccess);
  ASSERT_EQ(hipEventSynchronize(event), hipSuccess);
  EXPECT_EQ(order.substr(0, 1), "A");
  run(exec);
  EXPECT_EQ(order, "ABAB");
  EXPECT_EQ(hipEventDestroy(event), hipSuccess);
}

TEST_F(GraphTest, MemoryOfANodeLivesAsLongAsItsGraph) {
  hipMemAllocNodeParams parameters{};
  parameters.poolProps.allocType = hipMemAllocationTypePinned;
  parameters.poolProps.location = {hipMemLocationTypeDevice, 0};
  parameters.bytesize = 256;
  std::uint64_t before = 0, now = 0;
  ASSERT_EQ(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemCurrent, &before), hipSuccess);
  hipGraphNode_t allocated = nullptr, freed = nullptr;
  ASSERT_EQ(hipGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &parameters), hipSuccess);
  auto* const memory = static_cast<int*>(parameters.dptr);
  ASSERT_NE(memory, nullptr);
  hipMemAllocNodeParams same{};
  ASSERT_EQ(hipGraphMemAllocNodeGetParams(allocated, &same), hipSuccess);
  EXPECT_EQ(same.dptr, memory);
  EXPECT_EQ(same.bytesize, 256u);
  const auto fill = add_fill(memory, 12, {allocated});
  const auto copy = add_copy(array, memory, {fill});
  ASSERT_EQ(hipGraphAddMemFreeNode(&freed, graph, &copy, 1, memory), hipSuccess);
  EXPECT_EQ(hipGraphAddMemFreeNode(&freed, graph, &copy, 1, array), hipErrorInvalidValue);
  const hipGraphExec_t exec = instantiate();
  ASSERT_EQ(hipGraphLaunch(exec, nullptr), hipSuccess);
  ASSERT_EQ(hipGraphDestroy(graph), hipSuccess);
  ASSERT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
  ASSERT_EQ(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemCurrent, &now), hipSuccess);
  EXPECT_EQ(now, before + 256);
  array[0] = 0;
  run(exec);
  EXPECT_EQ(array[0], 12);
  EXPECT_EQ(hipDeviceGraphMemTrim(0), hipSuccess);
  EXPECT_EQ(hipDeviceGraphMemTrim(7), hipErrorInvalidDevice);
  ASSERT_EQ(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemCurrent, &now), hipSuccess);
  EXPECT_EQ(now, before);
  EXPECT_EQ(hipMemset(memory, 0, 4), hipErrorInvalidValue);
}

TEST_F(GraphTest, AFailedKernelEndsTheGraph) {
  fake::on_launch() = [](const auto&) {
    throw hipsight::engine::KernelError(hipsight::engine::KernelError::Kind::Trap, "trap");
  };
  hipKernelNodeParams kernel{};
  kernel.func = const_cast<void*>(bounded_stub());
  kernel.gridDim = kernel.blockDim = dim3(1);
  hipGraphNode_t node = nullptr;
  ASSERT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, &kernel), hipSuccess);
  add_step('A', {node});
  const hipGraphExec_t exec = instantiate();
  ASSERT_EQ(hipGraphLaunch(exec, nullptr), hipSuccess);
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorLaunchFailure);
  EXPECT_EQ(order, "");
  EXPECT_EQ(hipDeviceReset(), hipSuccess);
  EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
}

TEST_F(GraphTest, IsDrawnForGraphviz) {
  const auto a = add_step('A');
  add_fill(array, 1, {a});
  const std::string path = testing::TempDir() + "graph_test.dot";
  ASSERT_EQ(hipGraphDebugDotPrint(graph, path.c_str(), 0), hipSuccess);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(),
            "digraph hip {\n"
            "  node0 [label=\"host function\"];\n"
            "  node1 [label=\"fill of 4 bytes\"];\n"
            "  node0 -> node1;\n"
            "}\n");
  EXPECT_EQ(hipGraphDebugDotPrint(graph, "/no/such/folder/x.dot", 0), hipErrorOperatingSystem);
}

}  // namespace
