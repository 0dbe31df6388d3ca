// Nodes of graphs: what programs read from them, write to them, and say of them.
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>

#include <array>
#include <numeric>
#include <vector>

#include "graph_fixture.h"
#include "kernels.h"

// Of HIP 6, which the headers that the tests are built with do not have.
struct NodeParameters {
  hipGraphNodeType type;
  int reserved[3];
  union {
    long long all[29];
    hipMemsetParams fill;
    hipHostNodeParams host;
    hipGraph_t graph;
  };
  long long more;
};
extern "C" hipError_t hipGraphAddNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t,
                                      NodeParameters*);
extern "C" hipError_t hipGraphNodeSetParams(hipGraphNode_t, NodeParameters*);
extern "C" hipError_t hipStreamBeginCaptureToGraph(hipStream_t, hipGraph_t, const hipGraphNode_t*,
                                                   const void* edges, size_t, hipStreamCaptureMode);
extern "C" hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*,
                                               size_t, const HIP_MEMCPY3D*, hipCtx_t);

namespace {

class GraphNodesTest : public GraphFixture {
 protected:
  void SetUp() override {
    GraphFixture::SetUp();
    std::iota(array, array + 64, 0);
    ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    GraphFixture::TearDown();
  }

  std::vector<hipGraphNode_t> nodes() {
    std::size_t count = 0;
    EXPECT_EQ(hipGraphGetNodes(graph, nullptr, &count), hipSuccess);
    std::vector<hipGraphNode_t> result(count);
    EXPECT_EQ(hipGraphGetNodes(graph, result.data(), &count), hipSuccess);
    return result;
  }
};

TEST_F(GraphNodesTest, ACapturedKernelCanBeReadAndChanged) {
  ASSERT_EQ(hipGraphDestroy(graph), hipSuccess);
  graph = nullptr;
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  launch_scale(2, 32, stream, reinterpret_cast<float*>(array), 3, 5);
  ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  const auto node = nodes().at(0);
  hipKernelNodeParams kernel{};
  ASSERT_EQ(hipGraphKernelNodeGetParams(node, &kernel), hipSuccess);
  EXPECT_EQ(kernel.func, scale_stub());
  EXPECT_EQ(kernel.gridDim.x, 2u);
  EXPECT_EQ(kernel.blockDim.x, 32u);
  EXPECT_EQ(*static_cast<void**>(kernel.kernelParams[0]), array);
  EXPECT_EQ(*static_cast<float*>(kernel.kernelParams[1]), 3.0f);
  EXPECT_EQ(*static_cast<int*>(kernel.kernelParams[2]), 5);
  float factor = 7;
  kernel.kernelParams[1] = &factor;
  kernel.gridDim.x = 4;
  ASSERT_EQ(hipGraphKernelNodeSetParams(node, &kernel), hipSuccess);
  run(instantiate());
  ASSERT_EQ(fake::launches().size(), 1u);
  EXPECT_EQ(fake::launches()[0].dispatch.grid.x, 128u);
  EXPECT_EQ(fake::launches()[0].at<float>(8), 7.0f);
  EXPECT_EQ(fake::launches()[0].at<int>(12), 5);
  hipMemsetParams fill{};
  EXPECT_EQ(hipGraphMemsetNodeGetParams(node, &fill), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphKernelNodeGetParams(node, nullptr), hipErrorInvalidValue);
}

TEST_F(GraphNodesTest, AFillMayHaveAnyPitch) {
  hipMemsetParams fill{};
  fill.dst = array;
  fill.elementSize = 4;
  fill.width = 1;
  fill.height = 3;
  fill.pitch = 5;
  fill.value = 0x04030201;
  hipGraphNode_t node = nullptr;
  ASSERT_EQ(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &fill), hipSuccess);
  run(instantiate());
  const auto* bytes = reinterpret_cast<const unsigned char*>(array);
  const unsigned char expected[] = {1, 2, 3, 4, 1, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0};
  for (std::size_t i = 0; i < sizeof expected; ++i) EXPECT_EQ(bytes[i], expected[i]) << i;
}

TEST_F(GraphNodesTest, CapturedCopiesAndFillsCanBeRead) {
  ASSERT_EQ(hipGraphDestroy(graph), hipSuccess);
  graph = nullptr;
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  ASSERT_EQ(hipMemcpy2DAsync(array, 16, array + 32, 32, 8, 3, hipMemcpyDefault, stream),
            hipSuccess);
  ASSERT_EQ(hipMemsetD32Async(array, 9, 6, stream), hipSuccess);
  ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  const auto all = nodes();
  ASSERT_EQ(all.size(), 2u);
  hipMemcpy3DParms copy{};
  ASSERT_EQ(hipGraphMemcpyNodeGetParams(all[0], &copy), hipSuccess);
  EXPECT_EQ(copy.dstPtr.ptr, array);
  EXPECT_EQ(copy.dstPtr.pitch, 16u);
  EXPECT_EQ(copy.srcPtr.pitch, 32u);
  EXPECT_EQ(copy.extent.width, 8u);
  EXPECT_EQ(copy.extent.height, 3u);
  hipMemsetParams fill{};
  ASSERT_EQ(hipGraphMemsetNodeGetParams(all[1], &fill), hipSuccess);
  EXPECT_EQ(fill.dst, array);
  EXPECT_EQ(fill.value, 9u);
  EXPECT_EQ(fill.width, 6u);
  EXPECT_EQ(fill.elementSize, 4u);
  // What was read does the same when it is written back.
  ASSERT_EQ(hipGraphMemcpyNodeSetParams(all[0], &copy), hipSuccess);
  ASSERT_EQ(hipGraphDestroyNode(all[1]), hipSuccess);
  run(instantiate());
  const std::array<int, 10> expected{32, 33, 2, 3, 40, 41, 6, 7, 48, 49};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(array[i], expected[i]) << i;
}

TEST_F(GraphNodesTest, AttributesOfAKernelReachItsLaunch) {
  float factor = 3;
  int count = 5;
  auto arguments = pointers(array, factor, count);
  hipKernelNodeParams kernel{};
  kernel.func = const_cast<void*>(scale_stub());
  kernel.kernelParams = arguments.data();
  hipGraphNode_t first = nullptr, second = nullptr;
  ASSERT_EQ(hipGraphAddKernelNode(&first, graph, nullptr, 0, &kernel), hipSuccess);
  ASSERT_EQ(hipGraphAddKernelNode(&second, graph, &first, 1, &kernel), hipSuccess);
  factor = 4;  // the nodes have their own
  hipKernelNodeAttrValue value{};
  value.cooperative = 1;
  ASSERT_EQ(hipGraphKernelNodeSetAttribute(second, hipKernelNodeAttributeCooperative, &value),
            hipSuccess);
  run(instantiate());
  ASSERT_EQ(hipGraphKernelNodeCopyAttributes(second, first), hipSuccess);
  value.cooperative = 0;
  ASSERT_EQ(hipGraphKernelNodeGetAttribute(first, hipKernelNodeAttributeCooperative, &value),
            hipSuccess);
  EXPECT_EQ(value.cooperative, 1);
  run(instantiate());
  ASSERT_EQ(fake::launches().size(), 4u);
  for (const auto& [launch, cooperative] : {std::pair{0, false}, {1, true}, {2, true}, {3, true}}) {
    const auto& one = fake::launches()[static_cast<std::size_t>(launch)];
    EXPECT_EQ(one.dispatch.cooperative, cooperative) << launch;
    EXPECT_EQ(one.at<float>(8), 3.0f) << launch;
  }
  value.accessPolicyWindow = {};
  value.accessPolicyWindow.hitRatio = 2;
  EXPECT_EQ(hipGraphKernelNodeSetAttribute(first, hipKernelNodeAttributeAccessPolicyWindow, &value),
            hipErrorInvalidValue);
}

TEST_F(GraphNodesTest, CopiesOfVariablesCanBeChanged) {
  float* table = nullptr;
  ASSERT_EQ(hipGetSymbolAddress(reinterpret_cast<void**>(&table), table_variable()), hipSuccess);
  auto* values = reinterpret_cast<float*>(array);
  values[0] = 50;
  values[1] = 60;
  hipGraphNode_t in = nullptr, out = nullptr;
  ASSERT_EQ(hipGraphAddMemcpyNodeToSymbol(&in, graph, nullptr, 0, table_variable(), values, 4, 0,
                                          hipMemcpyDeviceToDevice),
            hipSuccess);
  ASSERT_EQ(hipGraphAddMemcpyNodeFromSymbol(&out, graph, &in, 1, values + 8, table_variable(), 4, 4,
                                            hipMemcpyDeviceToDevice),
            hipSuccess);
  const hipGraphExec_t exec = instantiate();
  ASSERT_EQ(hipGraphExecMemcpyNodeSetParamsToSymbol(exec, in, table_variable(), values + 1, 4, 8,
                                                    hipMemcpyDeviceToDevice),
            hipSuccess);
  ASSERT_EQ(hipGraphExecMemcpyNodeSetParamsFromSymbol(exec, out, values + 9, table_variable(), 4,
                                                      12, hipMemcpyDeviceToDevice),
            hipSuccess);
  run(exec);
  EXPECT_EQ(table[2], 60);
  EXPECT_EQ(values[9], table[3]);
  EXPECT_EQ(hipGraphMemcpyNodeSetParamsToSymbol(in, table_variable(), values, 4, 16,
                                                hipMemcpyDeviceToDevice),
            hipErrorInvalidValue);  // behind its end
  EXPECT_EQ(hipGraphMemcpyNodeSetParamsFromSymbol(out, values, table_variable(), 0, 0,
                                                  hipMemcpyDeviceToDevice),
            hipErrorInvalidValue);
  ASSERT_EQ(hipMemcpy(table, (const float[]){1, 2, 4, 8}, 16, hipMemcpyDefault), hipSuccess);
}

TEST_F(GraphNodesTest, NodesOfAnyTypeAndOfTheDriver) {
  NodeParameters any{};
  any.type = hipGraphNodeTypeMemset;
  any.fill = {.dst = array, .elementSize = 4, .height = 1, .pitch = 4, .value = 70, .width = 2};
  hipGraphNode_t fill = nullptr, copy = nullptr;
  ASSERT_EQ(hipGraphAddNode(&fill, graph, nullptr, 0, &any), hipSuccess);
  // Two slices of two rows of one int, from the second row of a source four ints wide.
  HIP_MEMCPY3D box{};
  box.srcMemoryType = box.dstMemoryType = hipMemoryTypeDevice;
  box.srcDevice = array;
  box.srcPitch = 16;
  box.srcHeight = 4;
  box.srcY = 1;
  box.srcXInBytes = 4;
  box.dstDevice = array + 40;
  box.dstPitch = 4;
  box.dstHeight = 2;
  box.WidthInBytes = 4;
  box.Height = box.Depth = 2;
  hipCtx_t context = nullptr;
  ASSERT_EQ(hipCtxCreate(&context, 0, 0), hipSuccess);
  ASSERT_EQ(hipDrvGraphAddMemcpyNode(&copy, graph, &fill, 1, &box, context), hipSuccess);
  run(instantiate());
  EXPECT_EQ(array[1], 70);
  const std::array<int, 6> expected{5, 9, 21, 25, 44, 45};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(array[40 + i], expected[i]) << i;
  any.type = static_cast<hipGraphNodeType>(99);
  EXPECT_EQ(hipGraphAddNode(&fill, graph, nullptr, 0, &any), hipErrorInvalidValue);
  EXPECT_EQ(hipCtxDestroy(context), hipSuccess);
}

TEST_F(GraphNodesTest, AChildThatIsReplacedIsTheOneThatIsFound) {
  hipGraph_t one = nullptr, two = nullptr, found = nullptr;
  hipGraphNode_t node = nullptr, empty = nullptr;
  for (hipGraph_t* made : {&one, &two}) ASSERT_EQ(hipGraphCreate(made, 0), hipSuccess);
  for (hipGraph_t owner : {one, two, two})
    ASSERT_EQ(hipGraphAddEmptyNode(&empty, owner, nullptr, 0), hipSuccess);
  ASSERT_EQ(hipGraphAddChildGraphNode(&node, graph, nullptr, 0, one), hipSuccess);
  NodeParameters any{};
  any.type = hipGraphNodeTypeGraph;
  any.graph = two;
  ASSERT_EQ(hipGraphNodeSetParams(node, &any), hipSuccess);
  ASSERT_EQ(hipGraphChildGraphNodeGetGraph(node, &found), hipSuccess);
  std::size_t count = 0;
  ASSERT_EQ(hipGraphGetNodes(found, nullptr, &count), hipSuccess);
  EXPECT_EQ(count, 2u);
  for (hipGraph_t owner : {one, two}) EXPECT_EQ(hipGraphDestroy(owner), hipSuccess);
}

TEST_F(GraphNodesTest, AStreamAddsToAGraphThatThereIs) {
  const auto first = add_fill(array, 10);
  ASSERT_EQ(
      hipStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1, hipStreamCaptureModeGlobal),
      hipSuccess);
  ASSERT_EQ(hipMemcpyAsync(array + 1, array, 4, hipMemcpyDefault, stream), hipSuccess);
  hipGraph_t same = nullptr;
  ASSERT_EQ(hipStreamEndCapture(stream, &same), hipSuccess);
  EXPECT_EQ(same, graph);
  EXPECT_EQ(nodes().size(), 2u);
  run(instantiate());
  EXPECT_EQ(array[1], 10);
}

TEST_F(GraphNodesTest, ACloneKnowsWhatItsNodesCameFrom) {
  const auto a = add_fill(array, 10), b = add_fill(array + 1, 20, {a});
  hipGraph_t clone = nullptr;
  ASSERT_EQ(hipGraphClone(&clone, graph), hipSuccess);
  hipGraphNode_t node = nullptr;
  ASSERT_EQ(hipGraphNodeFindInClone(&node, a, clone), hipSuccess);
  ASSERT_EQ(hipGraphDestroyNode(node), hipSuccess);
  EXPECT_EQ(hipGraphNodeFindInClone(&node, a, clone), hipErrorInvalidValue);
  ASSERT_EQ(hipGraphNodeFindInClone(&node, b, clone), hipSuccess);
  hipMemsetParams fill{};
  ASSERT_EQ(hipGraphMemsetNodeGetParams(node, &fill), hipSuccess);
  EXPECT_EQ(fill.value, 20u);
  EXPECT_EQ(hipGraphDestroy(clone), hipSuccess);
}

TEST_F(GraphNodesTest, AnExecutableKeepsTheDirectionOfACopy) {
  std::array<int, 2> own{};
  hipGraphNode_t copy = nullptr;
  ASSERT_EQ(hipGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, own.data(), array + 3, 4,
                                    hipMemcpyDeviceToHost),
            hipSuccess);
  const hipGraphExec_t exec = instantiate();
  EXPECT_EQ(
      hipGraphExecMemcpyNodeSetParams1D(exec, copy, array, own.data(), 4, hipMemcpyHostToDevice),
      hipErrorInvalidValue);
  ASSERT_EQ(hipGraphExecMemcpyNodeSetParams1D(exec, copy, own.data() + 1, array + 5, 4,
                                              hipMemcpyDeviceToHost),
            hipSuccess);
  // The program's own memory is written when the launch returns.
  ASSERT_EQ(hipGraphLaunch(exec, stream), hipSuccess);
  EXPECT_EQ(own[0], 0);
  EXPECT_EQ(own[1], 5);
  EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
}

TEST_F(GraphNodesTest, UserObjectsGoWithTheLastThatRefersToThem) {
  int gone = 0;
  const auto make = [&](unsigned references) {
    hipUserObject_t object = nullptr;
    EXPECT_EQ(hipUserObjectCreate(
                  &object, &gone, [](void* count) { ++*static_cast<int*>(count); }, references,
                  hipUserObjectNoDestructorSync),
              hipSuccess);
    return object;
  };
  const auto own = make(1);
  ASSERT_EQ(hipUserObjectRetain(own, 2), hipSuccess);
  ASSERT_EQ(hipUserObjectRelease(own, 2), hipSuccess);
  EXPECT_EQ(gone, 0);
  ASSERT_EQ(hipUserObjectRelease(own, 1), hipSuccess);
  EXPECT_EQ(gone, 1);

  const auto shared = make(1);
  ASSERT_EQ(hipGraphRetainUserObject(graph, shared, 1, hipGraphUserObjectMove), hipSuccess);
  add_fill(array, 1);
  const hipGraphExec_t exec = instantiate();
  ASSERT_EQ(hipUserObjectRelease(shared, 1), hipSuccess);  // not the program's any more
  ASSERT_EQ(hipGraphReleaseUserObject(graph, shared, 1), hipSuccess);
  EXPECT_EQ(gone, 1);  // the executable has it
  run(exec);
  EXPECT_EQ(gone, 2);

  const auto last = make(2);
  ASSERT_EQ(hipGraphRetainUserObject(graph, last, 1, 0), hipSuccess);
  ASSERT_EQ(hipUserObjectRelease(last, 2), hipSuccess);
  EXPECT_EQ(gone, 2);
  ASSERT_EQ(hipGraphDestroy(graph), hipSuccess);
  graph = nullptr;
  EXPECT_EQ(gone, 3);
}

}  // namespace
