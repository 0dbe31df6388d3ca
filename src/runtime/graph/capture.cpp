#include "runtime/graph/capture.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "runtime/stream/stream.h"
#include "support/of_thread.h"

namespace hipsight::runtime {

/// A graph in the making. Streams take part in it from when they join it by an event.
struct Capture {
  struct Branch {
    std::shared_ptr<Stream> stream;
    std::vector<Node*> last;  ///< what the next node comes after
  };

  unsigned long long id = 0;
  hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
  std::thread::id thread;
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  hipGraph_t handle = nullptr;   ///< when the program has asked for it
  std::vector<Branch> branches;  ///< the first one began it
  bool invalid = false;
  bool ended = false;

  Branch* branch(const Stream& stream) {
    const auto found =
        std::ranges::find(branches, &stream, [](const Branch& one) { return one.stream.get(); });
    return found == branches.end() ? nullptr : &*found;
  }
};

namespace {

// Guarded by graphs_mutex; the count tells at once that there is none.
std::vector<std::shared_ptr<Capture>>& captures() {
  static auto& captures = *new std::vector<std::shared_ptr<Capture>>;
  return captures;
}
std::atomic<std::size_t> count{0};

thread_local hipStreamCaptureMode mode_of_thread = hipStreamCaptureModeGlobal;

std::shared_ptr<Capture> find(const Stream& stream) {
  for (const auto& one : captures())
    if (one->branch(stream)) return one;
  return nullptr;
}

[[noreturn]] void invalidate(Capture& capture, hipError_t why) {
  capture.invalid = true;
  fail_with(why);
}

/// The capture that the null stream would wait for, as it does for all blocking streams of its
/// device; or null.
Capture* implied(const Stream& stream) {
  if (stream.role() != Stream::Role::Null) return nullptr;
  for (const auto& one : captures())
    for (const Capture::Branch& branch : one->branches)
      if (branch.stream->device() == stream.device() &&
          !(branch.stream->flags() & hipStreamNonBlocking))
        return one.get();
  return nullptr;
}
void require_none_implied(const Stream& stream) {
  if (Capture* const capture = implied(stream)) invalidate(*capture, hipErrorStreamCaptureImplicit);
}

void add_new(std::vector<Node*>& nodes, const std::vector<Node*>& more) {
  for (Node* node : more)
    if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
}

/// Whether all that was captured comes before what the first stream captured last.
bool is_joined(const Capture& capture) {
  std::vector<Node*> left = capture.branches.front().last;
  std::set<const Node*> before(left.begin(), left.end());
  while (!left.empty()) {
    const Node* node = left.back();
    left.pop_back();
    for (Node* other : node->after)
      if (before.insert(other).second) left.push_back(other);
  }
  return std::ranges::all_of(capture.branches, [&](const Capture::Branch& branch) {
    return std::ranges::all_of(branch.last, [&](Node* node) { return before.contains(node); });
  });
}

}  // namespace

bool is_capturing(const Stream& stream) {
  if (!count) return false;
  const std::lock_guard lock(graphs_mutex());
  return find(stream) != nullptr;
}

bool is_captured_into(const Graph& graph) {
  const std::lock_guard lock(graphs_mutex());
  return std::ranges::any_of(captures(),
                             [&](const auto& one) { return one->graph.get() == &graph; });
}

Node* capture(const Stream& stream, Work work) {
  if (!count) return nullptr;
  const std::lock_guard lock(graphs_mutex());
  const auto capture = find(stream);
  if (!capture) {
    require_none_implied(stream);
    return nullptr;
  }
  require(!capture->invalid, hipErrorStreamCaptureInvalidated);
  auto& last = capture->branch(stream)->last;
  Node& node = capture->graph->add(std::move(work), last);
  last = {&node};
  return &node;
}

Node* capture(const Stream& stream, const Operation& operation) {
  if (!count) return nullptr;
  if (!operation.type && is_capturing(stream)) require_no_capture(stream);
  return capture(
      stream, Work{.type = operation.type.value_or(hipGraphNodeTypeEmpty), .operation = operation});
}

void require_no_capture(const Stream& stream) {
  if (!count) return;
  const std::lock_guard lock(graphs_mutex());
  if (const auto capture = find(stream)) invalidate(*capture, hipErrorStreamCaptureUnsupported);
  require_none_implied(stream);
}

void require_no_capture() {
  if (!count || mode_of_thread == hipStreamCaptureModeRelaxed) return;
  const std::lock_guard lock(graphs_mutex());
  for (const auto& one : captures()) {
    const bool own = one->thread == std::this_thread::get_id();
    const bool disturbed = one->mode == hipStreamCaptureModeGlobal
                               ? mode_of_thread == hipStreamCaptureModeGlobal || own
                               : one->mode == hipStreamCaptureModeThreadLocal && own;
    if (disturbed) invalidate(*one, hipErrorStreamCaptureUnsupported);
  }
}

void require_no_capture_on(int device) {
  if (!count) return;
  const std::lock_guard lock(graphs_mutex());
  for (const auto& one : captures())
    for (const Capture::Branch& branch : one->branches)
      if (branch.stream->device() == device) invalidate(*one, hipErrorStreamCaptureUnsupported);
}

CapturedPoint captured_point(const Stream& stream) {
  if (!count) return {};
  const std::lock_guard lock(graphs_mutex());
  const auto capture = find(stream);
  if (!capture) {
    require_none_implied(stream);
    return {};
  }
  require(!capture->invalid, hipErrorStreamCaptureInvalidated);
  return {capture, capture->branch(stream)->last};
}

void join_capture(const std::shared_ptr<Stream>& stream, const CapturedPoint& point) {
  const std::lock_guard lock(graphs_mutex());
  Capture& capture = *point.capture;
  require(!capture.ended, hipErrorCapturedEvent);
  require(!capture.invalid, hipErrorStreamCaptureInvalidated);
  if (stream->role() == Stream::Role::Null) invalidate(capture, hipErrorStreamCaptureImplicit);
  if (const auto own = find(*stream); own && own.get() != &capture) {
    own->invalid = true;
    invalidate(capture, hipErrorStreamCaptureMerge);
  }
  if (auto* branch = capture.branch(*stream))
    add_new(branch->last, point.nodes);
  else
    capture.branches.push_back({stream, point.nodes});
}

void invalidate(const CapturedPoint& point) {
  const std::lock_guard lock(graphs_mutex());
  if (point.capture) point.capture->invalid = true;
}

void abandon_capture(const Stream& stream) {
  if (!count) return;
  const std::lock_guard lock(graphs_mutex());
  const auto capture = find(stream);
  if (!capture) return;
  capture->invalid = true;
  if (capture->branches.front().stream.get() != &stream) return;
  capture->ended = true;
  std::erase(captures(), capture);
  count = captures().size();
}

namespace {

/// Makes work of a stream nodes of a graph, after those nodes.
hipError_t begin(hipStream_t handle, hipStreamCaptureMode mode, std::shared_ptr<Capture> capture,
                 std::vector<Node*> after) {
  require(mode <= hipStreamCaptureModeRelaxed);
  const auto stream = find_stream(handle);
  require(stream->role() != Stream::Role::Null, hipErrorStreamCaptureUnsupported);
  require(!find(*stream), hipErrorIllegalState);
  static unsigned long long last_id = 0;
  capture->id = ++last_id;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->branches.push_back({stream, std::move(after)});
  captures().push_back(std::move(capture));
  count = captures().size();
  return hipSuccess;
}

}  // namespace

HIP_API hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  return graph_api([&] { return begin(stream, mode, std::make_shared<Capture>(), {}); });
}

HIP_API hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph,
                                                const hipGraphNode_t* dependencies,
                                                const void* edges, std::size_t dependency_count,
                                                hipStreamCaptureMode mode) {
  return graph_api([&] {
    require(!edges, hipErrorNotSupported);
    require(!dependencies == !dependency_count);
    auto capture = std::make_shared<Capture>();
    capture->graph = find_graph(graph);
    capture->handle = graph;
    auto after = find_nodes(dependencies, dependency_count);
    for (const Node* node : after) require(node->graph == capture->graph.get());
    return begin(stream, mode, std::move(capture), std::move(after));
  });
}

HIP_API hipError_t hipStreamEndCapture(hipStream_t handle, hipGraph_t* graph) {
  return graph_api([&] {
    require(graph != nullptr);
    *graph = nullptr;
    const auto stream = find_stream(handle);
    const auto capture = find(*stream);
    require(capture != nullptr, hipErrorIllegalState);
    require(capture->branches.front().stream == stream, hipErrorStreamCaptureUnmatched);
    require(capture->mode == hipStreamCaptureModeRelaxed ||
                capture->thread == std::this_thread::get_id(),
            hipErrorStreamCaptureWrongThread);
    std::erase(captures(), capture);
    count = captures().size();
    capture->ended = true;
    require(!capture->invalid, hipErrorStreamCaptureInvalidated);
    require(is_joined(*capture), hipErrorStreamCaptureUnjoined);
    *graph = capture->handle ? capture->handle : add_graph(capture->graph);
    return hipSuccess;
  });
}

HIP_API hipError_t hipStreamGetCaptureInfo_v2(hipStream_t handle, hipStreamCaptureStatus* status,
                                              unsigned long long* id, hipGraph_t* graph,
                                              const hipGraphNode_t** dependencies,
                                              std::size_t* dependency_count) {
  return graph_api([&] {
    require(status != nullptr);
    auto& last = of_thread<std::vector<hipGraphNode_t>, struct Last>();
    last.clear();
    const auto stream = find_stream(handle);
    const auto capture = find(*stream);
    require(capture || !implied(*stream), hipErrorStreamCaptureImplicit);
    *status = !capture           ? hipStreamCaptureStatusNone
              : capture->invalid ? hipStreamCaptureStatusInvalidated
                                 : hipStreamCaptureStatusActive;
    if (dependency_count) *dependency_count = 0;
    if (*status != hipStreamCaptureStatusActive) return hipSuccess;
    if (id) *id = capture->id;
    if (graph) {
      if (!capture->handle) capture->handle = add_graph(capture->graph);
      *graph = capture->handle;
    }
    for (const Node* node : capture->branch(*stream)->last) last.push_back(node->handle);
    if (dependencies) *dependencies = last.data();
    if (dependency_count) *dependency_count = last.size();
    return hipSuccess;
  });
}

HIP_API hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* status,
                                           unsigned long long* id) {
  return hipStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
}

HIP_API hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  return hipStreamGetCaptureInfo_v2(stream, status, nullptr, nullptr, nullptr, nullptr);
}

HIP_API hipError_t hipStreamUpdateCaptureDependencies(hipStream_t handle,
                                                      hipGraphNode_t* dependencies,
                                                      std::size_t dependency_count,
                                                      unsigned flags) {
  return graph_api([&] {
    require(flags <= 1);  // add to the last nodes, or replace them
    const auto stream = find_stream(handle);
    const auto capture = find(*stream);
    require(capture != nullptr, hipErrorIllegalState);
    require(!capture->invalid, hipErrorStreamCaptureInvalidated);
    const auto nodes = find_nodes(dependencies, dependency_count);
    for (const Node* node : nodes) require(node->graph == capture->graph.get());
    auto& last = capture->branch(*stream)->last;
    if (flags == 1) last.clear();
    add_new(last, nodes);
    return hipSuccess;
  });
}

HIP_API hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  return api([&] {
    require(mode && *mode <= hipStreamCaptureModeRelaxed);
    std::swap(*mode, mode_of_thread);
    return hipSuccess;
  });
}

}  // namespace hipsight::runtime
