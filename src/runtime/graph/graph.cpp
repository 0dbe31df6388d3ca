#include "runtime/graph/graph.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "runtime/handles.h"
#include "runtime/state.h"
#include "runtime/stream/event.h"

namespace hipsight::runtime {
namespace {

Handles<hipGraph_t, Graph>& graphs() {
  static auto& handles = *new Handles<hipGraph_t, Graph>(0x17);
  return handles;
}
Handles<hipGraphNode_t, Node>& nodes() {
  static auto& handles = *new Handles<hipGraphNode_t, Node>(0x18);
  return handles;
}
Handles<hipGraphExec_t, GraphExec>& execs() {
  static auto& handles = *new Handles<hipGraphExec_t, GraphExec>(0x19);
  return handles;
}

template <class Object, class Handle>
std::shared_ptr<Object> found(const Handles<Handle, Object>& handles, Handle handle) {
  auto object = handles.find(handle);
  require(object != nullptr);
  return object;
}

struct MemoryInUse {
  std::mutex mutex;
  std::set<const void*> pointers;
  std::map<int, std::pair<std::uint64_t, std::uint64_t>> bytes;  ///< of a device: now and at most
};
MemoryInUse& in_use() {
  static auto& in_use = *new MemoryInUse;
  return in_use;
}

/// For each node, the positions of those that it comes after.
std::vector<std::vector<std::size_t>> positions_before(const Graph& graph) {
  std::map<const Node*, std::size_t> position;
  for (const auto& node : graph.nodes()) position.emplace(node.get(), position.size());
  std::vector<std::vector<std::size_t>> result;
  for (const auto& node : graph.nodes()) {
    auto& before = result.emplace_back();
    for (const Node* other : node->after) before.push_back(position.at(other));
    std::ranges::sort(before);
  }
  return result;
}

/// An order in which everything comes after what it waits for, and else as it was added.
std::vector<std::size_t> sorted(const std::vector<std::vector<std::size_t>>& after) {
  std::vector<std::size_t> missing, result;
  std::vector<std::vector<std::size_t>> next(after.size());
  std::set<std::size_t> ready;
  for (std::size_t i = 0; i < after.size(); ++i) {
    missing.push_back(after[i].size());
    for (const std::size_t before : after[i]) next[before].push_back(i);
    if (after[i].empty()) ready.insert(i);
  }
  while (!ready.empty()) {
    const std::size_t i = ready.extract(ready.begin()).value();
    result.push_back(i);
    for (const std::size_t other : next[i])
      if (--missing[other] == 0) ready.insert(other);
  }
  require(result.size() == after.size());  // a cycle
  return result;
}

/// The same by places in that order.
std::vector<std::set<std::size_t>> in_order(const std::vector<std::vector<std::size_t>>& after,
                                            const std::vector<std::size_t>& order) {
  std::vector<std::size_t> place(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) place[order[at]] = at;
  std::vector<std::set<std::size_t>> result(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const std::size_t before : after[i]) result[place[i]].insert(place[before]);
  return result;
}

}  // namespace

std::recursive_mutex& graphs_mutex() {
  static auto& mutex = *new std::recursive_mutex;
  return mutex;
}

GraphMemory::GraphMemory(std::size_t size, int device) : size(size), device(device) {
  static std::atomic<std::uint64_t> count{0};
  pointer = memory().allocate(size, engine::Memory::Kind::Device,
                              "graph memory #" + std::to_string(++count), device);
  require(pointer != nullptr, hipErrorOutOfMemory);
  const std::lock_guard lock(in_use().mutex);
  in_use().pointers.insert(pointer);
  auto& [now, most] = in_use().bytes[device];
  most = std::max(most, now += size);
}

GraphMemory::~GraphMemory() {
  {
    const std::lock_guard lock(in_use().mutex);
    in_use().pointers.erase(pointer);
    in_use().bytes[device].first -= size;
  }
  memory().free(pointer);
}

bool is_graph_memory(const void* pointer) {
  const std::lock_guard lock(in_use().mutex);
  return in_use().pointers.contains(pointer);
}

Work allocation(std::size_t size, int device) {
  const auto memory = std::make_shared<const GraphMemory>(size, device);
  return {.type = hipGraphNodeTypeMemAlloc,
          .operation = {.what = "graph memory", .run = [memory](timeline::Span&) {}},
          .memory = memory};
}

Node::~Node() {
  if (child_handle) graphs().remove(child_handle);
}

void Node::set(Work fresh) {
  require(work.type == fresh.type);
  work = std::move(fresh);
  if (child_handle) graphs().remove(child_handle);
  child_handle = work.child ? graphs().add(work.child) : nullptr;
}

Graph::~Graph() {
  for (const auto& node : nodes_) runtime::nodes().remove(node->handle);
}

Node& Graph::add(Work work, std::vector<Node*> after) {
  for (const Node* node : after) require(node->graph == this);
  std::ranges::sort(after);
  require(std::ranges::adjacent_find(after) == after.end());
  const auto node = std::make_shared<Node>(this, std::move(work));
  node->after = std::move(after);
  node->handle = runtime::nodes().add(node);
  if (node->work.child) node->child_handle = graphs().add(node->work.child);
  nodes_.push_back(node);
  return *node;
}

void Graph::remove(Node& node) {
  for (const auto& other : nodes_) std::erase(other->after, &node);
  runtime::nodes().remove(node.handle);
  std::erase_if(nodes_, [&](const auto& one) { return one.get() == &node; });
}

std::shared_ptr<Graph> Graph::clone() const {
  auto copy = std::make_shared<Graph>(user_objects);
  copy->origin = this;
  for (const auto& node : nodes_) {
    Work work = node->work;
    if (work.child) work.child = work.child->clone();
    copy->add(std::move(work), {}).origin = node->handle;
  }
  const auto before = positions_before(*this);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    for (const std::size_t other : before[i])
      copy->nodes_[i]->after.push_back(copy->nodes_[other].get());
  return copy;
}

GraphExec::GraphExec(const Graph& graph, unsigned long long flags)
    : flags(flags), after_(positions_before(graph)), user_objects_(graph.user_objects) {
  order_ = sorted(after_);
  for (const auto& node : graph.nodes()) {
    by_node_[node->handle] = steps_.size();
    steps_.push_back(step(node->work));
  }
}

std::shared_ptr<const GraphExec::Step> GraphExec::step(Work work) {
  auto child = work.child ? std::make_shared<GraphExec>(*work.child) : nullptr;
  return std::make_shared<const Step>(Step{std::move(work), std::move(child)});
}

Operation GraphExec::launch() const {
  auto runs = std::make_shared<Runs>();
  prepare(*runs, {});
  return {.what = "graph",
          .run =
              [runs](timeline::Span& all) {
                std::vector<timeline::Span> spans;
                for (const Run& run : *runs) {
                  require_no_fault();
                  timeline::Span& span = spans.emplace_back(all.begin, all.begin);
                  for (const std::size_t before : run.after) span.comes_after(spans[before].end);
                  run.work(span);
                  all.end = std::max(all.end, span.end);
                }
              },
          .type = hipGraphNodeTypeGraph};
}

bool GraphExec::to_pageable() const {
  return std::ranges::any_of(steps_, [](const auto& step) {
    return step->enabled && (step->child ? step->child->to_pageable() : step->work.to_pageable);
  });
}

std::vector<std::size_t> GraphExec::prepare(Runs& runs,
                                            const std::vector<std::size_t>& after) const {
  std::vector<std::vector<std::size_t>> ends(steps_.size());  // of each step
  std::vector<std::size_t> all_ends;
  for (const std::size_t i : order_) {
    const Step& step = *steps_[i];
    std::vector<std::size_t> before = after_[i].empty() ? after : std::vector<std::size_t>();
    for (const std::size_t other : after_[i])
      before.insert(before.end(), ends[other].begin(), ends[other].end());
    const auto add = [&](std::function<void(timeline::Span&)> work) {
      ends[i] = {runs.size()};
      runs.push_back({std::move(work), before});
    };
    if (!step.enabled) {
      ends[i] = before;
    } else if (step.child) {
      ends[i] = step.child->prepare(runs, before);
    } else if (step.work.type == hipGraphNodeTypeEventRecord) {
      add(record_later(*step.work.event));
    } else if (step.work.type == hipGraphNodeTypeWaitEvent) {
      if (const auto point = step.work.event->point())
        add([point](timeline::Span& span) {
          point->wait();
          span.comes_after(point->span.end);
        });
      else
        ends[i] = before;
    } else if (step.work.operation.run) {
      add([step = steps_[i]](timeline::Span& span) { do_node(step->work.operation, span); });
    } else {
      ends[i] = before;
    }
    all_ends.insert(all_ends.end(), ends[i].begin(), ends[i].end());
  }
  std::ranges::sort(all_ends);
  const auto twice = std::ranges::unique(all_ends);
  all_ends.erase(twice.begin(), twice.end());
  return all_ends.empty() ? after : all_ends;
}

hipGraphExecUpdateResult GraphExec::update(const Graph& graph, hipGraphNode_t& error_node) {
  const auto after = positions_before(graph);
  const auto order = sorted(after);
  if (order.size() != order_.size()) return hipGraphExecUpdateErrorTopologyChanged;
  Steps fresh(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) {
    const Step& old = *steps_[order_[at]];
    const Work& work = graph.nodes()[order[at]]->work;
    error_node = graph.nodes()[order[at]]->handle;
    if (work.type != old.work.type || !work.child != !old.child)
      return hipGraphExecUpdateErrorNodeTypeChanged;
    if (work.direction != old.work.direction) return hipGraphExecUpdateErrorParametersChanged;
    std::shared_ptr<GraphExec> child;
    if (old.child) {
      child = std::make_shared<GraphExec>(*old.child);
      hipGraphNode_t inner = nullptr;
      if (const auto result = child->update(*work.child, inner)) return result;
    }
    fresh[order_[at]] = std::make_shared<const Step>(Step{work, child, old.enabled});
  }
  const auto before = in_order(after, order), before_then = in_order(after_, order_);
  for (std::size_t at = 0; at < order.size(); ++at) {
    error_node = graph.nodes()[order[at]]->handle;
    if (before[at] != before_then[at]) return hipGraphExecUpdateErrorTopologyChanged;
  }
  error_node = nullptr;
  steps_ = std::move(fresh);
  return hipGraphExecUpdateSuccess;
}

std::shared_ptr<const GraphExec::Step>* GraphExec::find(hipGraphNode_t node) {
  if (const auto found = by_node_.find(node); found != by_node_.end())
    return &steps_[found->second];
  for (const auto& step : steps_)
    if (step->child)
      if (auto* inner = step->child->find(node)) return inner;
  return nullptr;
}

void GraphExec::set(hipGraphNode_t node, Work work) {
  auto* const old = find(node);
  require(old && (*old)->work.type == work.type && (*old)->work.direction == work.direction);
  if (const auto& child = (*old)->child) {
    // Only what the nodes do may change, not which there are.
    const auto copy = std::make_shared<GraphExec>(*child);
    hipGraphNode_t error_node = nullptr;
    require(copy->update(*work.child, error_node) == hipGraphExecUpdateSuccess);
    *old = std::make_shared<const Step>(Step{std::move(work), copy, (*old)->enabled});
  } else {
    require(!work.child);  // a captured launch of a graph stays what it is
    *old = std::make_shared<const Step>(Step{std::move(work), nullptr, (*old)->enabled});
  }
}

namespace {

/// Only kernels, copies and fills can be disabled.
void require_switch(const Work& work) {
  require(work.type == hipGraphNodeTypeKernel || work.type == hipGraphNodeTypeMemcpy ||
          work.type == hipGraphNodeTypeMemset);
}

}  // namespace

void GraphExec::enable(hipGraphNode_t node, bool enabled) {
  auto* const old = find(node);
  require(old != nullptr);
  require_switch((*old)->work);
  Step step = **old;
  step.enabled = enabled;
  *old = std::make_shared<const Step>(std::move(step));
}

bool GraphExec::enabled(hipGraphNode_t node) {
  const auto* const step = find(node);
  require(step != nullptr);
  require_switch((*step)->work);
  return (*step)->enabled;
}

hipGraph_t add_graph(std::shared_ptr<Graph> graph) {
  return graphs().add(std::move(graph));
}
std::shared_ptr<Graph> find_graph(hipGraph_t handle) {
  return found(graphs(), handle);
}
std::shared_ptr<Node> find_node(hipGraphNode_t handle) {
  return found(nodes(), handle);
}
std::shared_ptr<GraphExec> find_exec(hipGraphExec_t handle) {
  return found(execs(), handle);
}

std::vector<Node*> find_nodes(const hipGraphNode_t* handles, std::size_t count) {
  require(handles || count == 0);
  std::vector<Node*> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(find_node(handles[i]).get());
  return result;
}

// Graphs as programs see them: what they are made of. Their nodes: graph_nodes.cpp.

HIP_API hipError_t hipGraphCreate(hipGraph_t* graph, unsigned flags) {
  return graph_api([&] {
    require(graph && flags == 0);
    *graph = add_graph(std::make_shared<Graph>());
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphDestroy(hipGraph_t graph) {
  return graph_api([&] {
    require(graphs().remove(graph) != nullptr);
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphClone(hipGraph_t* clone, hipGraph_t graph) {
  return graph_api([&] {
    require(clone != nullptr);
    *clone = add_graph(find_graph(graph)->clone());
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphNodeFindInClone(hipGraphNode_t* result, hipGraphNode_t node,
                                           hipGraph_t clone) {
  return graph_api([&] {
    require(result != nullptr);
    const auto original = find_node(node);
    const auto copy = find_graph(clone);
    require(copy->origin == original->graph);
    const auto found = std::ranges::find(copy->nodes(), node, &Node::origin);
    require(found != copy->nodes().end());
    *result = (*found)->handle;
    return hipSuccess;
  });
}

namespace {

// What an executable may be asked to do. All of it is so anyway, or makes no difference here.
constexpr unsigned long long free_on_launch = 1, upload = 2, device_launch = 4, node_priority = 8;

hipGraphExec_t instantiate(hipGraph_t graph, unsigned long long flags) {
  const auto owner = find_graph(graph);
  // Memory of a graph has one place: two executables could use it at once.
  const auto uses_memory = [](const auto& node) {
    return node->work.type == hipGraphNodeTypeMemAlloc ||
           node->work.type == hipGraphNodeTypeMemFree;
  };
  if (std::ranges::any_of(owner->nodes(), uses_memory))
    require(owner->exec.expired(), hipErrorNotSupported);
  const auto exec = std::make_shared<GraphExec>(*owner, flags);
  owner->exec = exec;
  return execs().add(exec);
}

}  // namespace

HIP_API hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph,
                                       hipGraphNode_t* error_node, char* log, std::size_t size) {
  return graph_api([&] {
    require(exec != nullptr);
    if (error_node) *error_node = nullptr;
    if (log && size) *log = '\0';
    *exec = instantiate(graph, 0);
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* exec, hipGraph_t graph,
                                                unsigned long long flags) {
  return graph_api([&] {
    require(exec && !(flags & ~(free_on_launch | node_priority)));
    *exec = instantiate(graph, flags);
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphInstantiateWithParams(hipGraphExec_t* exec, hipGraph_t graph,
                                                 hipGraphInstantiateParams* parameters) {
  return graph_api([&] {
    require(exec && parameters);
    constexpr unsigned success = 0, error = 1;
    parameters->result_out = error;
    const auto flags = parameters->flags;  // one of them at most
    require(flags == 0 || flags == free_on_launch || flags == upload || flags == device_launch ||
            flags == node_priority);
    *exec = instantiate(graph, parameters->flags);
    parameters->errNode_out = nullptr;
    parameters->result_out = success;
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long* flags) {
  return graph_api([&] {
    require(flags != nullptr);
    *flags = find_exec(exec)->flags;
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  return graph_api([&] {
    require(execs().remove(exec) != nullptr);
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph,
                                      hipGraphNode_t* error_node,
                                      hipGraphExecUpdateResult* result) {
  return graph_api([&] {
    require(error_node && result);
    *error_node = nullptr;
    *result = hipGraphExecUpdateError;
    *result = find_exec(exec)->update(*find_graph(graph), *error_node);
    return *result == hipGraphExecUpdateSuccess ? hipSuccess : hipErrorGraphExecUpdateFailure;
  });
}

// Memory of graphs. It goes when the last graph that has its node goes: there is no reserve to
// trim.

HIP_API hipError_t hipDeviceGraphMemTrim(int device) {
  return api([&] {
    require_device(device);
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType which,
                                                 void* value) {
  return api([&] {
    require(value && which <= hipGraphMemAttrReservedMemHigh);
    require_device(device);
    const std::lock_guard lock(in_use().mutex);
    const auto [now, most] = in_use().bytes[device];
    const bool high =
        which == hipGraphMemAttrUsedMemHigh || which == hipGraphMemAttrReservedMemHigh;
    *static_cast<std::uint64_t*>(value) = high ? most : now;
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType which,
                                                 void* value) {
  return api([&] {
    require(value != nullptr);
    require_device(device);
    require(which == hipGraphMemAttrUsedMemHigh || which == hipGraphMemAttrReservedMemHigh);
    require(*static_cast<const std::uint64_t*>(value) == 0);  // may only be reset
    const std::lock_guard lock(in_use().mutex);
    auto& [now, most] = in_use().bytes[device];
    most = now;
    return hipSuccess;
  });
}

}  // namespace hipsight::runtime
