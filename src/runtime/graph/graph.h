#pragma once

#include <any>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/error.h"
#include "runtime/hip_types.h"
#include "runtime/stream/completion.h"
#include "runtime/stream/operation.h"
#include "runtime/user_object.h"

namespace hipsight::runtime {

class Event;
class Graph;
class GraphExec;

/// Memory of a node that allocates: its address is good for as long as a graph has the node.
struct GraphMemory {
  /// @throws Failure hipErrorOutOfMemory.
  GraphMemory(std::size_t size, int device);
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  const std::size_t size;
  const int device;
  void* pointer = nullptr;
};
/// Whether a graph's node allocated it. A free of it leaves it to the graph.
bool is_graph_memory(const void* pointer);

/// What a node does.
struct Work {
  hipGraphNodeType type = hipGraphNodeTypeEmpty;
  Operation operation = {};
  std::any parameters = {};           ///< as the program gave them
  std::shared_ptr<Graph> child = {};  ///< of a child graph node: a copy
  std::shared_ptr<Event> event = {};  ///< of nodes that record an event or wait for one
  std::shared_ptr<const GraphMemory> memory = {};  ///< of nodes that allocate
  std::optional<hipMemcpyKind> direction = {};     ///< of a copy: an executable keeps it
  bool to_pageable = false;  ///< a copy to memory that the runtime does not know
};

struct Node {
  Node(Graph* graph, Work work) : graph(graph), work(std::move(work)) {}
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// Makes it do something else. @throws Failure when that is of another type.
  void set(Work fresh);

  Graph* const graph;
  Work work;
  std::vector<Node*> after;  ///< of the same graph
  hipGraphNode_t handle = nullptr;
  hipGraph_t child_handle = nullptr;
  hipGraphNode_t origin = nullptr;  ///< the node that this is a clone of
};

/// Operations and what comes before what. Guarded by `graphs_mutex`.
class Graph {
 public:
  Graph() = default;
  explicit Graph(const UserObjects& objects) : user_objects(objects) {}
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// @throws Failure when a node to come after is of another graph.
  Node& add(Work work, std::vector<Node*> after);
  void remove(Node& node);
  /// In the order in which they were added.
  const std::vector<std::shared_ptr<Node>>& nodes() const { return nodes_; }
  std::shared_ptr<Graph> clone() const;

  const Graph* origin = nullptr;        ///< what this is a clone of; not to be followed
  std::weak_ptr<const GraphExec> exec;  ///< the latest
  UserObjects user_objects;

 private:
  std::vector<std::shared_ptr<Node>> nodes_;
};

/// A graph made ready to be launched: it keeps what the graph was then. Guarded by `graphs_mutex`.
class GraphExec {
 public:
  /// @throws Failure when the graph has a cycle.
  explicit GraphExec(const Graph& graph, unsigned long long flags = 0);

  /// The steps of one launch: what is changed later does not concern it.
  Operation launch() const;
  /// Whether a launch copies to memory that the runtime does not know: then it waits for the end,
  /// as such copies do.
  bool to_pageable() const;
  /// Takes over what the nodes of a graph of the same shape do. `error_node` is set where they
  /// differ.
  hipGraphExecUpdateResult update(const Graph& graph, hipGraphNode_t& error_node);

  /// Changes what a node does. @throws Failure when it has no such node, or one of another type.
  void set(hipGraphNode_t node, Work work);
  void enable(hipGraphNode_t node, bool enabled);
  bool enabled(hipGraphNode_t node);

  const unsigned long long flags;  ///< it was instantiated with

 private:
  struct Step {
    Work work;
    std::shared_ptr<GraphExec> child;
    bool enabled = true;
  };
  using Steps = std::vector<std::shared_ptr<const Step>>;
  /// A step of a launch, and the steps that it comes after on the GPU's clock.
  struct Run {
    std::function<void(timeline::Span&)> work;
    std::vector<std::size_t> after;
  };
  using Runs = std::vector<Run>;

  static std::shared_ptr<const Step> step(Work work);
  std::shared_ptr<const Step>* find(hipGraphNode_t node);
  /// Appends the steps of a launch, which comes after those; says what it ends with.
  std::vector<std::size_t> prepare(Runs& runs, const std::vector<std::size_t>& after) const;

  Steps steps_;                                  ///< as the nodes were added
  std::vector<std::size_t> order_;               ///< in which they run
  std::vector<std::vector<std::size_t>> after_;  ///< for each step
  std::map<hipGraphNode_t, std::size_t> by_node_;
  UserObjects user_objects_;
};

std::recursive_mutex& graphs_mutex();

/// The body of an API function that looks into graphs.
template <class Body>
hipError_t graph_api(Body&& body) noexcept {
  return api([&] {
    const std::lock_guard lock(graphs_mutex());
    return body();
  });
}

/// A handle for a new graph, and what is behind a handle.
/// @throws Failure hipErrorInvalidValue when there is nothing.
hipGraph_t add_graph(std::shared_ptr<Graph> graph);
std::shared_ptr<Graph> find_graph(hipGraph_t handle);
std::shared_ptr<Node> find_node(hipGraphNode_t handle);
std::shared_ptr<GraphExec> find_exec(hipGraphExec_t handle);
std::vector<Node*> find_nodes(const hipGraphNode_t* handles, std::size_t count);

/// A node that allocates, as hipGraphAddMemAllocNode and a captured hipMallocAsync make it.
Work allocation(std::size_t size, int device);

}  // namespace hipsight::runtime
