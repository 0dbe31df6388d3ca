// What comes before what in a graph; graphs launched and drawn.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "runtime/graph/capture.h"
#include "runtime/graph/graph.h"
#include "runtime/state.h"
#include "runtime/stream/stream.h"
#include "support/error.h"
#include "support/output_file.h"

namespace hipsight::runtime {
namespace {

/// Hands out a list as HIP does: without room only its size; too much room is filled with null.
template <class Handle>
void hand_out(const std::vector<Handle>& list, Handle* result, std::size_t* count) {
  require(count != nullptr);
  if (result) {
    for (std::size_t i = 0; i < *count; ++i) result[i] = i < list.size() ? list[i] : nullptr;
    *count = std::min(*count, list.size());
  } else {
    *count = list.size();
  }
}

template <class Nodes>
std::vector<hipGraphNode_t> handles(const Nodes& nodes) {
  std::vector<hipGraphNode_t> result;
  for (const auto& node : nodes) result.push_back(node->handle);
  return result;
}

/// Calls `action` with both nodes of each edge that the program names.
template <class Action>
hipError_t for_each_edge(hipGraph_t handle, const hipGraphNode_t* from, const hipGraphNode_t* to,
                         std::size_t count, Action&& action) {
  return graph_api([&] {
    const auto graph = find_graph(handle);
    const auto before = find_nodes(from, count), after = find_nodes(to, count);
    for (std::size_t i = 0; i < count; ++i)
      require(before[i]->graph == graph.get() && after[i]->graph == graph.get() &&
              before[i] != after[i]);
    for (std::size_t i = 0; i < count; ++i) action(*before[i], *after[i]);
    return hipSuccess;
  });
}

const char* name_of(hipGraphNodeType type) {
  constexpr const char* names[] = {
      "kernel",       "copy",   "fill",        "host function", "graph", "empty", "event wait",
      "event record", "signal", "signal wait", "allocation",    "free",  "copy",  "copy"};
  return type < std::size(names) ? names[type] : "?";
}

std::string label(const Node& node) {
  const std::string& what = node.work.operation.what;
  std::string text = what.empty() ? name_of(node.work.type) : what;
  for (std::size_t at = 0; (at = text.find_first_of("\"\\", at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

/// Nodes and edges in the language of Graphviz; graphs inside as clusters.
void draw(std::ostream& out, const Graph& graph, const std::string& prefix) {
  const auto& nodes = graph.nodes();
  const auto name = [&](const Node* node) {
    const auto found = std::ranges::find(nodes, node, &std::shared_ptr<Node>::get);
    return fmt::format("{}{}", prefix, found - nodes.begin());
  };
  for (const auto& node : nodes) {
    const std::string own = name(node.get());
    out << fmt::format("  {} [label=\"{}\"];\n", own, label(*node));
    for (const Node* before : node->after) out << fmt::format("  {} -> {};\n", name(before), own);
    if (!node->work.child) continue;
    out << fmt::format("  subgraph cluster_{} {{\n", own);
    draw(out, *node->work.child, own + "_");
    out << "  }\n";
  }
}

}  // namespace

HIP_API hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                           const hipGraphNode_t* to, std::size_t count) {
  return for_each_edge(graph, from, to, count, [](Node& before, Node& after) {
    require(std::ranges::find(after.after, &before) == after.after.end());
    after.after.push_back(&before);
  });
}
HIP_API hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                              const hipGraphNode_t* to, std::size_t count) {
  return for_each_edge(graph, from, to, count, [](Node& before, Node& after) {
    require(std::erase(after.after, &before) == 1);
  });
}

HIP_API hipError_t hipGraphDestroyNode(hipGraphNode_t handle) {
  return graph_api([&] {
    const auto node = find_node(handle);
    require(!is_captured_into(*node->graph));  // what is captured next may come after it
    node->graph->remove(*node);
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* count) {
  return graph_api([&] {
    hand_out(handles(find_graph(graph)->nodes()), nodes, count);
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* nodes,
                                        std::size_t* count) {
  return graph_api([&] {
    auto roots = find_graph(graph)->nodes();
    std::erase_if(roots, [](const auto& node) { return !node->after.empty(); });
    hand_out(handles(roots), nodes, count);
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t* from, hipGraphNode_t* to,
                                    std::size_t* count) {
  return graph_api([&] {
    require(count && !from == !to);
    std::vector<hipGraphNode_t> first, second;
    const auto owner = find_graph(graph);
    for (const auto& node : owner->nodes())
      for (const Node* before : node->after) {
        first.push_back(before->handle);
        second.push_back(node->handle);
      }
    std::size_t room = *count;
    hand_out(first, from, &room);
    hand_out(second, to, count);
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t* dependencies,
                                               std::size_t* count) {
  return graph_api([&] {
    hand_out(handles(find_node(node)->after), dependencies, count);
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t handle, hipGraphNode_t* dependents,
                                                 std::size_t* count) {
  return graph_api([&] {
    const auto node = find_node(handle);
    auto others = node->graph->nodes();
    std::erase_if(others, [&](const auto& other) {
      return std::ranges::find(other->after, node.get()) == other->after.end();
    });
    hand_out(handles(others), dependents, count);
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* type) {
  return graph_api([&] {
    require(type != nullptr);
    *type = find_node(node)->work.type;
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char* path, unsigned flags) {
  return graph_api([&] {
    require(path != nullptr);
    const auto owner = find_graph(graph);
    std::ostringstream out;
    out << "digraph hip {\n";
    draw(out, *owner, "node");
    out << "}\n";
    try {
      write_output(path, out.str());
    } catch (const Exception& error) {
      complain(error.what());
      fail_with(hipErrorOperatingSystem);
    }
    return hipSuccess;
  });
}

namespace {

/// A launch by each launch of the graph that it is captured into.
Operation later(const GraphExec& exec) {
  return {.what = "graph",
          .run =
              [kept = std::make_shared<const GraphExec>(exec)](timeline::Span& span) {
                Operation launch;
                {
                  const std::lock_guard lock(graphs_mutex());
                  launch = kept->launch();
                }
                launch.run(span);
              },
          .type = hipGraphNodeTypeGraph};
}

}  // namespace

HIP_API hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  return api([&] {
    const auto target = find_stream(stream);
    timeline::HostClock::of_thread().submit();
    Operation operation;
    bool wait = false;
    {
      const std::lock_guard lock(graphs_mutex());
      const auto executable = find_exec(exec);
      if (is_capturing(*target)) {
        operation = later(*executable);
      } else {
        operation = executable->launch();
        wait = executable->to_pageable();
      }
    }
    if (wait)
      target->run(std::move(operation));
    else
      target->submit(std::move(operation));
    return hipSuccess;
  });
}

/// There is nothing to upload: a launch finds all in place.
HIP_API hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream) {
  return graph_api([&] {
    find_exec(exec);
    find_stream(stream);
    return hipSuccess;
  });
}

}  // namespace hipsight::runtime
