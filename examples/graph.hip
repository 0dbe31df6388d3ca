// A graph: the steps of an iteration are captured once from a stream and then launched as a whole,
// again and again; an update changes the arguments of its kernels.
//   graph [N]
#include "common.h"

constexpr int kThreads = 256;
constexpr int kLaunches = 5;

// One step of a simulation: x moves with velocity v, and v is damped.
__global__ void move(int n, int step, int* x, const int* v) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += step * v[i];
}

__global__ void damp(int n, int* v) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] -= v[i] / 8;
}

struct Simulation {
  int n;
  int *x, *v;  // on the GPU
  int* host;   // pinned: x after each launch
  hipStream_t stream;

  // A graph of one iteration.
  hipGraph_t capture(int step) const {
    hipGraph_t graph;
    const int blocks = ceil_div(n, kThreads);
    HIP_CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    move<<<blocks, kThreads, 0, stream>>>(n, step, x, v);
    HIP_CHECK(hipGetLastError());
    damp<<<blocks, kThreads, 0, stream>>>(n, v);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpyAsync(host, x, n * sizeof(int), hipMemcpyDeviceToHost, stream));
    HIP_CHECK(hipStreamEndCapture(stream, &graph));
    return graph;
  }
};

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 50'003);
  std::vector<int> x(n), v(n);
  std::mt19937 generator(1);
  std::uniform_int_distribution<int> value(-1000, 1000);
  for (int i = 0; i < n; i++) x[i] = value(generator), v[i] = value(generator);
  DeviceArray<int> device_x(x), device_v(v);

  Simulation simulation = {n, device_x.data(), device_v.data(), nullptr, nullptr};
  HIP_CHECK(hipHostMalloc(reinterpret_cast<void**>(&simulation.host), n * sizeof(int), 0));
  HIP_CHECK(hipStreamCreate(&simulation.stream));

  hipGraphExec_t executable;
  const hipGraph_t graph = simulation.capture(1), other_graph = simulation.capture(-3);
  HIP_CHECK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));

  // Nothing has run so far. Half of the launches are of the graph, half of its update.
  Comparison comparison;
  for (const int step : {1, -3}) {
    if (step != 1) {
      hipGraphNode_t node;
      hipGraphExecUpdateResult result;
      HIP_CHECK(hipGraphExecUpdate(executable, other_graph, &node, &result));
    }
    for (int launch = 0; launch < kLaunches; launch++) {
      HIP_CHECK(hipGraphLaunch(executable, simulation.stream));
      HIP_CHECK(hipStreamSynchronize(simulation.stream));
      for (int i = 0; i < n; i++) {
        x[i] += step * v[i];
        v[i] -= v[i] / 8;
        comparison.add(simulation.host[i], x[i], 0);
      }
    }
  }
  HIP_CHECK(hipGraphExecDestroy(executable));
  HIP_CHECK(hipGraphDestroy(graph));
  HIP_CHECK(hipGraphDestroy(other_graph));
  HIP_CHECK(hipStreamDestroy(simulation.stream));
  HIP_CHECK(hipHostFree(simulation.host));
  return comparison.report("graph " + std::to_string(n), "exact");
}
