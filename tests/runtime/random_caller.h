#pragma once
// Random calls of HIP.

#include "random_world.h"

namespace random_calls {

/// One thread of it.
class Caller {
 public:
  Caller(World& world, unsigned seed) : world_(world), random_(seed) {}

  hipError_t step() {
    const hipError_t result =
        one_of([&] { return allocate(); }, [&] { return free(); }, [&] { return copy(); },
               [&] { return copy_boxes(); }, [&] { return fill(); }, [&] { return ask(); },
               [&] { return managed(); }, [&] { return pool(); }, [&] { return stream(); },
               [&] { return value(); }, [&] { return host_function(); }, [&] { return event(); },
               [&] { return launch(); }, [&] { return module(); }, [&] { return function(); },
               [&] { return symbol(); }, [&] { return device(); }, [&] { return context(); },
               [&] { return ipc(); }, [&] { return capture(); }, [&] { return graph(); },
               [&] { return add_node(); }, [&] { return add_node(); }, [&] { return node(); },
               [&] { return graph_exec(); }, [&] { return object(); }, [&] { return rtc(); });
    if (result == hipErrorLaunchFailure || random_.one_in(50)) (void)hipDeviceReset();
    return result;
  }

 private:
  template <class... Calls>
  hipError_t one_of(Calls&&... calls) {
    std::size_t chosen = random_.pick(sizeof...(calls));
    hipError_t result = hipSuccess;
    (void)((chosen-- == 0 && (result = calls(), true)) || ...);
    return result;
  }

  // Arguments.

  hipStream_t a_stream() {
    if (random_.one_in(20)) return hipStreamPerThread;
    return world_.streams.any(random_);
  }
  hipEvent_t an_event() { return world_.events.any(random_); }
  hipGraph_t a_graph() { return world_.graphs.any(random_); }
  hipGraphNode_t a_node() { return world_.nodes.any(random_); }
  hipGraphExec_t an_exec() { return world_.graph_execs.any(random_); }
  int a_device() { return static_cast<int>(random_.pick(4)) - 1; }
  hipMemcpyKind a_kind() { return random_.any<hipMemcpyKind>(7); }

  /// Memory of any kind, or none. Sizes below are less than what the program owns behind it.
  char* a_pointer() {
    switch (random_.pick(8)) {
      case 0:
        return nullptr;
      case 1:
        return reinterpret_cast<char*>(random_.pick(4096));
      case 2:
        return reinterpret_cast<char*>(0xdead000000000000 + random_.pick(4096));
      case 3:
        return world_.host + random_.pick(64);
      default: {
        char* const known = world_.memory.any(random_);
        return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(known) + random_.pick(64));
      }
    }
  }
  std::size_t a_size() {
    switch (random_.pick(8)) {
      case 0:
        return 0;
      case 1:
        return ~std::size_t{0} - random_.pick(100);
      case 2:
        return random_.bits();
      default:
        return random_.pick(4096);
    }
  }
  std::size_t too_much() { return (~std::size_t{0} >> random_.pick(4)) - random_.pick(100); }
  std::size_t a_pitch() { return random_.one_in(16) ? too_much() : random_.pick(128); }
  std::size_t a_count() { return random_.one_in(16) ? too_much() : random_.pick(8); }

  // Calls, each of a random function of its kind.

  // Memory.
  hipError_t keep(hipError_t result, void* pointer);
  hipError_t allocate();
  hipError_t register_page();
  /// Never twice at the same address: what is registered though it is gone must not become other
  /// memory.
  static char* a_page();
  hipError_t free();
  hipError_t copy();
  /// Memory, or null. What is far from any other address can be inside of a sanitizer's own memory.
  char* a_place();
  hipMemcpy3DParms a_box();
  hipError_t copy_boxes();
  hipError_t fill();
  hipError_t ask();
  hipError_t managed();
  hipError_t pool();

  // Streams and events.
  hipError_t stream();
  /// Waits only for what is there already.
  hipError_t value();
  /// Functions that call HIP in their turn; what would wait there is refused.
  hipError_t host_function();
  hipError_t event();
  // Kernels.
  unsigned a_length();
  dim3 a_shape();
  hipError_t launch();
  hipError_t module();
  hipError_t function();
  hipError_t symbol();
  // Devices, contexts, other processes.
  hipError_t device();
  hipError_t context();
  hipError_t ipc();
  /// Without a compilation, which takes long.
  hipError_t rtc();

  // Graphs.
  hipError_t keep_graph(hipError_t result, hipGraph_t graph);
  hipError_t capture();
  hipError_t graph();
  hipError_t add_node();
  hipMemsetParams a_fill();
  struct KernelNode;
  hipError_t node();
  hipError_t graph_exec();
  hipError_t object();

  World& world_;
  Random random_;
};

}  // namespace random_calls
