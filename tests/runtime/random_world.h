#pragma once
// What the random calls of random_test.cpp work on: a program's handles and memory.

#include <gtest/gtest.h>
#include <hip/hip_ext.h>
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "kernels.h"

namespace random_calls {

inline const std::string& code_object() {
  static const std::string bytes = [] {
    std::ifstream in(HIPSIGHT_TEST_FILES "/kernels_gfx942.co", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }();
  return bytes;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::size_t pick(std::size_t count) { return engine_() % count; }
  bool one_in(std::size_t count) { return pick(count) == 0; }
  std::uint64_t bits() { return engine_(); }
  template <class Enum>
  Enum any(std::size_t count) {
    return static_cast<Enum>(pick(count));
  }
  unsigned flags(unsigned count) {
    return static_cast<unsigned>(one_in(20) ? bits() : pick(count));
  }

 private:
  std::mt19937_64 engine_;
};

/// What a program holds of one kind, whether it is still good or not.
template <class Handle>
class Bag {
 public:
  hipError_t add(hipError_t result, Handle handle) {
    const std::lock_guard lock(mutex_);
    if (result == hipSuccess && handle) all_.push_back(handle);
    return result;
  }
  /// One of them, or null, or one that was never made.
  Handle any(Random& random) {
    if (random.one_in(12)) return nullptr;
    // As an address, one where a process can have no memory.
    if (random.one_in(12))
      return reinterpret_cast<Handle>(random.one_in(2) ? random.pick(4096)
                                                       : random.bits() | std::uint64_t{1} << 63);
    const std::lock_guard lock(mutex_);
    return all_.empty() ? nullptr : all_[random.pick(all_.size())];
  }
  template <class End>
  void end_all(End&& end) {
    const std::lock_guard lock(mutex_);
    for (const Handle handle : all_) static_cast<void>(end(handle));
    all_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<Handle> all_;
};

/// Memory of the program's own, where the system puts nothing by itself.
inline char* map(std::uintptr_t address, std::size_t size) {
  void* const wish = reinterpret_cast<void*>(address);
  void* const memory = mmap(wish, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  EXPECT_EQ(memory, wish);
  return static_cast<char*>(memory);
}

/// The program: what all its threads share.
struct World {
  World() {
    (void)hipDeviceReset();
    (void)hipSetDevice(0);
    for (int i = 0; i < 2; ++i) {
      make(streams,
           [](auto* made) { return hipStreamCreateWithFlags(made, hipStreamNonBlocking); });
      make(streams, [](auto* made) { return hipStreamCreate(made); });
      make(events, [](auto* made) { return hipEventCreate(made); });
      make(pools, [](auto* made) { return hipDeviceGetDefaultMemPool(made, 0); });
      for (const std::size_t size : {64, 4096, 16384}) {
        make(memory, [&](auto* made) { return hipMalloc(reinterpret_cast<void**>(made), size); });
        make(memory, [&](auto* made) {
          return hipMallocManaged(reinterpret_cast<void**>(made), size, hipMemAttachGlobal);
        });
      }
      make(memory,
           [](auto* made) { return hipHostMalloc(reinterpret_cast<void**>(made), 4096, 0); });
      make_graph();
    }
    hipModule_t const module =
        make(modules, [](auto* made) { return hipModuleLoadData(made, code_object().data()); });
    for (const char* kernel : {"_Z5scalePffi", "_Z7boundedv"})
      make(functions, [&](auto* made) { return hipModuleGetFunction(made, module, kernel); });
  }
  ~World() {
    for (const int device : {0, 1}) {
      hipGraph_t graph = nullptr;
      (void)hipSetDevice(device);
      if (hipStreamEndCapture(hipStreamPerThread, &graph) == hipSuccess)
        (void)graphs.add(hipSuccess, graph);
    }
    (void)hipDeviceReset();
    graph_execs.end_all([](auto exec) { return hipGraphExecDestroy(exec); });
    graphs.end_all([](auto graph) { return hipGraphDestroy(graph); });
    streams.end_all([](auto stream) { return hipStreamDestroy(stream); });
    events.end_all([](auto event) { return hipEventDestroy(event); });
    objects.end_all([](auto object) { return hipUserObjectRelease(object, 1); });
    pools.end_all([](auto pool) { return hipMemPoolDestroy(pool); });
    programs.end_all([](auto program) { return hiprtcDestroyProgram(&program); });
    links.end_all([](auto link) { return hiprtcLinkDestroy(link); });
    for (int i = 0; i < 64; ++i) (void)hipHostUnregister(host + i);
    munmap(host, host_size);
    memory.end_all([](char* pointer) {
      if (hipFree(pointer) == hipSuccess || hipHostUnregister(pointer) != hipSuccess) return;
      munmap(pointer, page_size);
    });
    modules.end_all([](auto module) { return hipModuleUnload(module); });
  }

  static constexpr std::size_t page_size = 4096;
  template <class Handle, class Make>
  static Handle make(Bag<Handle>& bag, Make&& make) {
    Handle made = nullptr;
    EXPECT_EQ(bag.add(make(&made), made), hipSuccess);
    return made;
  }
  void make_graph() {
    hipGraph_t const graph = make(graphs, [](auto* made) { return hipGraphCreate(made, 0); });
    hipEvent_t const event = make(events, [](auto* made) { return hipEventCreate(made); });
    char* const array =
        make(memory, [](auto* made) { return hipMalloc(reinterpret_cast<void**>(made), 256); });
    hipGraphNode_t last = make(nodes, [&](auto* made) {
      return hipGraphAddEventRecordNode(made, graph, nullptr, 0, event);
    });
    last = make(nodes, [&](auto* made) {
      return hipGraphAddMemcpyNode1D(made, graph, &last, 1, array, array + 64, 64,
                                     hipMemcpyDeviceToDevice);
    });
    const hipMemsetParams fill{
        .dst = array, .elementSize = 4, .height = 1, .pitch = 0, .value = 1, .width = 16};
    make(nodes, [&](auto* made) { return hipGraphAddMemsetNode(made, graph, &last, 1, &fill); });
    make(graph_execs, [&](auto* made) { return hipGraphInstantiateWithFlags(made, graph, 0); });
  }

  /// Far from all else: what is beyond its end is no memory.
  static constexpr std::size_t host_size = 1 << 20;
  char* const host = map(std::uintptr_t{5} << 43, host_size);

  Bag<char*> memory;
  Bag<hipStream_t> streams;
  Bag<hipEvent_t> events;
  Bag<hipModule_t> modules;
  Bag<hipFunction_t> functions;
  Bag<hipMemPool_t> pools;
  Bag<hipGraph_t> graphs;
  Bag<hipGraphNode_t> nodes;
  Bag<hipGraphExec_t> graph_execs;
  Bag<hipUserObject_t> objects;
  Bag<hipCtx_t> contexts;
  Bag<hiprtcProgram> programs;
  Bag<hiprtcLinkState> links;
};

}  // namespace random_calls
