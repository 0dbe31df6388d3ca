// Random sequences of calls with good, destroyed and made-up handles and pointers: every call
// returns a code that HIP has, and the process lives. HIPSIGHT_RANDOM_SEQUENCES says how many
// sequences (1000), HIPSIGHT_RANDOM_SEED with which one to begin: docs/runtime.md, Robustness.
#include <gtest/gtest.h>
#include <hip/hip_ext.h>
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "fake_engine.h"
#include "kernels.h"

// Of the sanitizers, where the test is built with them.
extern "C" __attribute__((weak)) void __sanitizer_set_report_fd(void* file);

namespace {

// Before the first call of HIP, which makes the devices.
const int two_devices = setenv("HIPSIGHT_GPUS", "2", 1);

unsigned setting(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

const std::string& code_object() {
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
char* map(std::uintptr_t address, std::size_t size) {
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

  // Memory.

  hipError_t keep(hipError_t result, void* pointer) {
    return world_.memory.add(result, static_cast<char*>(pointer));
  }
  hipError_t allocate() {
    void* made = nullptr;
    std::size_t pitch = 0;
    hipPitchedPtr box{};
    const std::size_t size = a_size();
    return one_of([&] { return keep(hipMalloc(&made, size), made); },
                  [&] { return keep(hipHostMalloc(&made, size, random_.flags(64)), made); },
                  [&] { return keep(hipMallocManaged(&made, size, random_.flags(4)), made); },
                  [&] { return keep(hipExtMallocWithFlags(&made, size, random_.flags(6)), made); },
                  [&] { return keep(hipMallocAsync(&made, size, a_stream()), made); },
                  [&] { return keep(hipMallocPitch(&made, &pitch, size, a_count()), made); },
                  [&] {
                    const hipError_t result = hipMalloc3D(&box, {size, a_count(), a_count()});
                    return keep(result, box.ptr);
                  },
                  [&] { return register_page(); }, [&] { return hipMalloc(nullptr, size); });
  }
  hipError_t register_page() {
    if (random_.one_in(2)) return hipHostRegister(a_pointer(), a_size(), random_.flags(16));
    char* const page = a_page();
    const hipError_t result = hipHostRegister(page, World::page_size, 0);
    if (random_.one_in(4)) munmap(page, World::page_size);  // a mistake: it is still registered
    return keep(result, page);
  }
  /// Never twice at the same address: what is registered though it is gone must not become other
  /// memory.
  static char* a_page() {
    static std::atomic<std::uintptr_t> next{std::uintptr_t{3} << 44};
    return map(next += 2 * World::page_size, World::page_size);
  }
  hipError_t free() {
    return one_of([&] { return hipFree(a_pointer()); }, [&] { return hipHostFree(a_pointer()); },
                  [&] { return hipFreeAsync(a_pointer(), a_stream()); },
                  [&] { return hipHostUnregister(a_pointer()); });
  }
  hipError_t copy() {
    char *const to = a_pointer(), *const from = a_pointer();
    const std::size_t size = a_size();
    return one_of(
        [&] { return hipMemcpy(to, from, size, a_kind()); },
        [&] { return hipMemcpyAsync(to, from, size, a_kind(), a_stream()); },
        [&] { return hipMemcpyWithStream(to, from, size, a_kind(), a_stream()); },
        [&] { return hipMemcpyHtoDAsync(to, from, size, a_stream()); },
        [&] { return hipMemcpyDtoHAsync(to, from, size, a_stream()); },
        [&] { return hipMemcpyDtoDAsync(to, from, size, a_stream()); },
        [&] { return hipMemcpyPeer(to, a_device(), from, a_device(), size); },
        [&] { return hipMemcpyPeerAsync(to, a_device(), from, a_device(), size, a_stream()); });
  }
  /// Memory, or null. What is far from any other address can be inside of a sanitizer's own memory.
  char* a_place() {
    char* const pointer = a_pointer();
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    return address >> 45 == 0 || address >> 47 ? nullptr : pointer;
  }
  hipMemcpy3DParms a_box() {
    hipMemcpy3DParms box{};
    box.srcPtr = {a_place(), a_pitch(), a_pitch(), a_count()};
    box.dstPtr = {a_place(), a_pitch(), a_pitch(), a_count()};
    if (random_.one_in(2)) box.srcPos = {a_count(), a_count(), a_count()};
    if (random_.one_in(2)) box.dstPos = {a_count(), a_count(), a_count()};
    box.extent = {a_pitch(), a_count(), a_count()};
    box.kind = a_kind();
    return box;
  }
  hipError_t copy_boxes() {
    const hipMemcpy3DParms box = a_box();
    hip_Memcpy2D flat{};
    flat.srcMemoryType = flat.dstMemoryType = random_.any<hipMemoryType>(4);
    flat.srcHost = flat.srcDevice = a_place();
    flat.dstHost = flat.dstDevice = a_place();
    flat.srcPitch = a_pitch();
    flat.dstPitch = a_pitch();
    flat.srcXInBytes = a_count();
    flat.srcY = a_count();
    flat.WidthInBytes = a_pitch();
    flat.Height = a_count();
    HIP_MEMCPY3D deep{};
    deep.srcMemoryType = deep.dstMemoryType = flat.srcMemoryType;
    deep.srcHost = deep.srcDevice = flat.srcDevice;
    deep.dstHost = deep.dstDevice = flat.dstDevice;
    deep.srcPitch = static_cast<unsigned>(a_pitch());
    deep.dstPitch = static_cast<unsigned>(a_pitch());
    deep.srcZ = static_cast<unsigned>(a_count());
    deep.srcHeight = static_cast<unsigned>(a_count());
    deep.WidthInBytes = static_cast<unsigned>(a_pitch());
    deep.Height = static_cast<unsigned>(a_count());
    deep.Depth = static_cast<unsigned>(a_count());
    return one_of(
        [&] {
          return hipMemcpy2D(a_place(), a_pitch(), a_place(), a_pitch(), a_pitch(), a_count(),
                             a_kind());
        },
        [&] {
          return hipMemcpy2DAsync(a_place(), a_pitch(), a_place(), a_pitch(), a_pitch(), a_count(),
                                  a_kind(), a_stream());
        },
        [&] { return hipMemcpy3D(&box); }, [&] { return hipMemcpy3DAsync(&box, a_stream()); },
        [&] { return hipMemcpyParam2D(&flat); },
        [&] { return hipMemcpyParam2DAsync(&flat, a_stream()); },
        [&] { return hipDrvMemcpy3D(&deep); },
        [&] { return hipDrvMemcpy3DAsync(&deep, a_stream()); });
  }
  hipError_t fill() {
    char* const to = a_place();
    const std::size_t size = a_size();
    const hipPitchedPtr box{to, a_pitch(), a_pitch(), a_count()};
    return one_of(
        [&] { return hipMemset(to, 1, size); },
        [&] { return hipMemsetAsync(to, 1, size, a_stream()); },
        [&] { return hipMemsetD8Async(to, 1, size, a_stream()); },
        [&] { return hipMemsetD16(to, 1, size); },
        [&] { return hipMemsetD32Async(to, 1, size, a_stream()); },
        [&] { return hipMemset2D(to, a_pitch(), 1, a_pitch(), a_count()); },
        [&] { return hipMemset2DAsync(to, a_pitch(), 1, a_pitch(), a_count(), a_stream()); },
        [&] { return hipMemset3D(box, 1, {a_pitch(), a_count(), a_count()}); },
        [&] { return hipMemset3DAsync(box, 1, {a_pitch(), a_count(), a_count()}, a_stream()); });
  }
  hipError_t ask() {
    hipPointerAttribute_t attributes{};
    std::uint64_t value = 0;
    hipDeviceptr_t base = nullptr;
    std::size_t size = 0, total = 0;
    unsigned flags = 0;
    return one_of([&] { return hipPointerGetAttributes(&attributes, a_pointer()); },
                  [&] {
                    return hipPointerGetAttribute(&value, random_.any<hipPointer_attribute>(20),
                                                  a_pointer());
                  },
                  [&] { return hipMemGetAddressRange(&base, &size, a_pointer()); },
                  [&] { return hipHostGetDevicePointer(&base, a_pointer(), random_.flags(2)); },
                  [&] { return hipHostGetFlags(&flags, a_pointer()); },
                  [&] { return hipMemPtrGetInfo(a_pointer(), &size); },
                  [&] { return hipMemGetInfo(&size, &total); });
  }
  hipError_t managed() {
    char* const pointer = a_pointer();
    const std::size_t size = a_size();
    std::array<int, 4> data{};
    return one_of(
        [&] { return hipMemAdvise(pointer, size, random_.any<hipMemoryAdvise>(110), a_device()); },
        [&] { return hipMemPrefetchAsync(pointer, size, a_device(), a_stream()); },
        [&] {
          return hipMemRangeGetAttribute(data.data(), random_.pick(17),
                                         random_.any<hipMemRangeAttribute>(6), pointer, size);
        },
        [&] { return hipStreamAttachMemAsync(a_stream(), pointer, size, random_.flags(8)); });
  }
  hipError_t pool() {
    void* made = nullptr;
    hipMemPool_t pool = world_.pools.any(random_);
    hipMemPoolProps properties{};
    properties.allocType = random_.any<hipMemAllocationType>(2);
    properties.location = {random_.any<hipMemLocationType>(2), a_device()};
    std::uint64_t value = random_.one_in(2) ? 0 : random_.bits();
    hipMemLocation place = properties.location;
    hipMemAccessDesc access{place, random_.any<hipMemAccessFlags>(4)};
    hipMemAccessFlags flags{};
    return one_of(
        [&] {
          const hipError_t result = hipMemPoolCreate(&pool, &properties);
          return world_.pools.add(result, pool);
        },
        [&] { return keep(hipMallocFromPoolAsync(&made, a_size(), pool, a_stream()), made); },
        [&] { return hipMemPoolDestroy(pool); }, [&] { return hipMemPoolTrimTo(pool, a_size()); },
        [&] { return hipMemPoolGetAttribute(pool, random_.any<hipMemPoolAttr>(10), &value); },
        [&] { return hipMemPoolSetAttribute(pool, random_.any<hipMemPoolAttr>(10), &value); },
        [&] { return hipMemPoolSetAccess(pool, &access, random_.pick(2)); },
        [&] { return hipMemPoolGetAccess(&flags, pool, &place); },
        [&] { return hipDeviceGetDefaultMemPool(&pool, a_device()); },
        [&] { return hipDeviceSetMemPool(a_device(), pool); });
  }

  // Streams and events.

  hipError_t stream() {
    hipStream_t made = nullptr;
    unsigned flags = 0;
    int priority = 0;
    const auto make = [&](hipError_t result) { return world_.streams.add(result, made); };
    return one_of(
        [&] { return make(hipStreamCreateWithFlags(&made, random_.flags(3))); },
        [&] { return make(hipStreamCreateWithPriority(&made, random_.flags(2), a_device())); },
        [&] { return hipStreamDestroy(a_stream()); },
        [&] { return hipStreamSynchronize(a_stream()); },
        [&] { return hipStreamQuery(a_stream()); }, [&] { return hipDeviceSynchronize(); },
        [&] { return hipStreamGetFlags(a_stream(), &flags); },
        [&] { return hipStreamGetPriority(a_stream(), &priority); },
        [&] {
          (void)hipGetStreamDeviceId(a_stream());
          return hipSuccess;
        });
  }
  /// Waits only for what is there already.
  hipError_t value() {
    return one_of(
        [&] { return hipStreamWriteValue32(a_stream(), a_pointer(), 1, 0); },
        [&] { return hipStreamWriteValue64(a_stream(), a_pointer(), 1, 0); },
        [&] {
          return hipStreamWaitValue32(a_stream(), a_pointer(), 0, hipStreamWaitValueGte, ~0u);
        },
        [&] {
          return hipStreamWaitValue64(a_stream(), a_pointer(), 0, hipStreamWaitValueGte, ~0ull);
        });
  }
  /// Functions that call HIP in their turn; what would wait there is refused.
  hipError_t host_function() {
    const auto call = [](void* stream) {
      (void)hipStreamSynchronize(static_cast<hipStream_t>(stream));
      (void)hipDeviceSynchronize();
      launch_scale(1, 64, static_cast<hipStream_t>(stream), nullptr, 1, 0);
    };
    const auto callback = [](hipStream_t stream, hipError_t, void*) {
      (void)hipStreamQuery(stream);
    };
    hipStream_t const stream = a_stream();
    return one_of([&] { return hipLaunchHostFunc(stream, call, stream); },
                  [&] { return hipStreamAddCallback(stream, callback, nullptr, random_.flags(1)); },
                  [&] { return hipLaunchHostFunc(stream, nullptr, nullptr); });
  }
  hipError_t event() {
    hipEvent_t made = nullptr;
    float ms = 0;
    return one_of(
        [&] {
          const hipError_t result = hipEventCreateWithFlags(&made, random_.flags(8));
          return world_.events.add(result, made);
        },
        [&] { return hipEventDestroy(an_event()); },
        [&] { return hipEventRecord(an_event(), a_stream()); },
        [&] { return hipEventQuery(an_event()); }, [&] { return hipEventSynchronize(an_event()); },
        [&] { return hipStreamWaitEvent(a_stream(), an_event(), random_.flags(2)); },
        [&] { return hipEventElapsedTime(&ms, an_event(), an_event()); });
  }

  // Kernels.

  unsigned a_length() {
    return static_cast<unsigned>(random_.pick(3) ? random_.pick(70) : random_.bits());
  }
  dim3 a_shape() {
    return random_.one_in(3) ? dim3(a_length(), a_length(), a_length())
                             : dim3(1 + static_cast<unsigned>(random_.pick(64)));
  }
  hipError_t launch() {
    float* data = nullptr;
    float factor = 0;
    int count = 0;
    auto arguments = pointers(data, factor, count);
    void** const list = random_.one_in(8) ? nullptr : arguments.data();
    const void* stubs[] = {scale_stub(), fixed_lds_stub(), bounded_stub(), nullptr, a_pointer()};
    const void* const stub = stubs[random_.pick(std::size(stubs))];
    const std::size_t lds = random_.one_in(8) ? random_.bits() : random_.pick(1024);
    const auto small_lds = static_cast<unsigned>(lds);
    const dim3 grid = a_shape(), block = a_shape();
    hipFunction_t const function = world_.functions.any(random_);
    std::size_t size = random_.pick(64);
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, world_.host, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                     &size, HIP_LAUNCH_PARAM_END};
    hipFunctionLaunchParams several[2];
    for (auto& one : several)
      one = {.function = function,
             .gridDimX = grid.x,
             .gridDimY = grid.y,
             .gridDimZ = grid.z,
             .blockDimX = block.x,
             .blockDimY = block.y,
             .blockDimZ = block.z,
             .sharedMemBytes = small_lds,
             .hStream = a_stream(),
             .kernelParams = list};
    return one_of(
        [&] { return hipLaunchKernel(stub, grid, block, list, lds, a_stream()); },
        [&] {
          return hipExtLaunchKernel(stub, grid, block, list, lds, a_stream(), an_event(),
                                    an_event(), 0);
        },
        [&] { return hipLaunchCooperativeKernel(stub, grid, block, list, small_lds, a_stream()); },
        [&] {
          return hipModuleLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                       small_lds, a_stream(), list,
                                       random_.one_in(2) ? nullptr : extra);
        },
        [&] {
          return hipExtModuleLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y,
                                          block.z, lds, a_stream(), nullptr, extra, an_event(),
                                          an_event());
        },
        [&] {
          return hipModuleLaunchCooperativeKernelMultiDevice(
              several, static_cast<unsigned>(random_.pick(3)), random_.flags(4));
        },
        [&] { return hipConfigureCall(grid, block, lds, a_stream()); },
        [&] { return hipSetupArgument(world_.host, random_.pick(64), a_size()); },
        [&] { return hipLaunchByPtr(stub); });
  }
  hipError_t module() {
    hipModule_t made = nullptr;
    hipFunction_t function = nullptr;
    hipModule_t const module = world_.modules.any(random_);
    const char* const names[] = {"_Z5scalePffi", "_Z7boundedv", "counter", "", "no such"};
    const char* const name = names[random_.pick(std::size(names))];
    hipDeviceptr_t address = nullptr;
    std::size_t size = 0;
    const auto make = [&](hipError_t result) { return world_.modules.add(result, made); };
    return one_of(
        [&] { return make(hipModuleLoadData(&made, code_object().data())); },
        [&] { return make(hipModuleLoadDataEx(&made, a_pointer(), 0, nullptr, nullptr)); },
        [&] { return make(hipModuleLoad(&made, "/no/such/file")); },
        [&] { return hipModuleUnload(module); },
        [&] {
          const hipError_t result = hipModuleGetFunction(&function, module, name);
          return world_.functions.add(result, function);
        },
        [&] { return hipModuleGetGlobal(&address, &size, module, name); });
  }
  hipError_t function() {
    hipFunction_t const function = world_.functions.any(random_);
    const void* stubs[] = {scale_stub(), fixed_lds_stub(), nullptr, a_pointer()};
    const void* const stub = stubs[random_.pick(std::size(stubs))];
    int first = 0, second = 0;
    const int number = static_cast<int>(random_.flags(1100)) - 2;
    hipFuncAttributes attributes{};
    return one_of(
        [&] {
          return hipFuncGetAttribute(&first, random_.any<hipFunction_attribute>(12), function);
        },
        [&] { return hipFuncGetAttributes(&attributes, stub); },
        [&] { return hipFuncSetAttribute(stub, random_.any<hipFuncAttribute>(12), number); },
        [&] { return hipFuncSetCacheConfig(stub, random_.any<hipFuncCache_t>(4)); },
        [&] {
          return hipOccupancyMaxActiveBlocksPerMultiprocessor(&first, stub, number, a_size());
        },
        [&] {
          return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&first, function, number,
                                                                    a_size());
        },
        [&] { return hipOccupancyMaxPotentialBlockSize(&first, &second, stub, a_size(), number); });
  }
  hipError_t symbol() {
    const void* symbols[] = {counter_variable(), table_variable(), nullptr, a_pointer()};
    const void* const symbol = symbols[random_.pick(std::size(symbols))];
    void* address = nullptr;
    std::size_t size = 0;
    return one_of(
        [&] { return hipMemcpyToSymbol(symbol, a_pointer(), a_count(), a_count(), a_kind()); },
        [&] {
          return hipMemcpyFromSymbolAsync(a_pointer(), symbol, a_count(), a_count(), a_kind(),
                                          a_stream());
        },
        [&] { return hipGetSymbolAddress(&address, symbol); },
        [&] { return hipGetSymbolSize(&size, symbol); });
  }

  // Devices, contexts, other processes.

  hipError_t device() {
    int value = 0;
    char text[32];
    std::size_t limit = 0;
    hipDeviceProp_t properties{};
    const int length = static_cast<int>(random_.pick(sizeof text + 1)) - 1;
    return one_of([&] { return hipSetDevice(a_device()); },
                  [&] {
                    return hipDeviceGetAttribute(&value, random_.any<hipDeviceAttribute_t>(11000),
                                                 a_device());
                  },
                  [&] { return hipGetDeviceProperties(&properties, a_device()); },
                  [&] { return hipDeviceGet(&value, a_device()); },
                  [&] { return hipDeviceGetName(text, length, a_device()); },
                  [&] { return hipDeviceGetPCIBusId(text, length, a_device()); },
                  [&] { return hipDeviceGetByPCIBusId(&value, "0000:00"); },
                  [&] { return hipDeviceEnablePeerAccess(a_device(), random_.flags(1)); },
                  [&] { return hipDeviceDisablePeerAccess(a_device()); },
                  [&] { return hipDeviceCanAccessPeer(&value, a_device(), a_device()); },
                  [&] { return hipSetDeviceFlags(random_.flags(32)); },
                  [&] { return hipDeviceSetLimit(random_.any<hipLimit_t>(4), a_size()); },
                  [&] { return hipDeviceGetLimit(&limit, random_.any<hipLimit_t>(4)); },
                  [&] { return hipDeviceGraphMemTrim(a_device()); });
  }
  hipError_t context() {
    hipCtx_t made = nullptr;
    hipCtx_t const context = world_.contexts.any(random_);
    unsigned flags = 0;
    int active = 0;
    return one_of(
        [&] {
          const hipError_t result = hipDevicePrimaryCtxRetain(&made, a_device());
          return world_.contexts.add(result, made);
        },
        [&] { return hipDevicePrimaryCtxRelease(a_device()); },
        [&] { return hipDevicePrimaryCtxGetState(a_device(), &flags, &active); },
        [&] { return hipDevicePrimaryCtxSetFlags(a_device(), random_.flags(8)); },
        [&] { return hipCtxSetCurrent(context); }, [&] { return hipCtxPushCurrent(context); },
        [&] { return hipCtxPopCurrent(&made); }, [&] { return hipCtxGetDevice(&active); },
        [&] { return hipCtxEnablePeerAccess(context, random_.flags(1)); },
        [&] { return hipCtxDisablePeerAccess(context); });
  }
  hipError_t ipc() {
    hipIpcMemHandle_t handle{};
    void* opened = nullptr;
    if (random_.one_in(2)) (void)hipIpcGetMemHandle(&handle, a_pointer());
    if (random_.one_in(2)) {  // of a process that there is not, or broken
      const std::size_t at = 11 + (random_.one_in(2) ? 0 : random_.pick(sizeof handle - 11));
      handle.reserved[at] = static_cast<char>(handle.reserved[at] ^ 0x40);
    }
    return one_of([&] { return hipIpcGetMemHandle(&handle, a_pointer()); },
                  [&] { return hipIpcOpenMemHandle(&opened, handle, random_.flags(2)); },
                  [&] { return hipIpcCloseMemHandle(a_pointer()); });
  }

  // Graphs.

  hipError_t keep_graph(hipError_t result, hipGraph_t graph) {
    return world_.graphs.add(result, graph);
  }
  hipError_t capture() {
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
  hipError_t graph() {
    hipGraph_t made = nullptr;
    hipGraphNode_t found[8];
    hipGraphNode_t others[8];
    std::size_t count = random_.pick(std::size(found) + 1);
    hipGraphNode_t const from = a_node(), to = a_node();
    return one_of(
        [&] { return keep_graph(hipGraphCreate(&made, random_.flags(1)), made); },
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
  hipError_t add_node() {
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
          const hipError_t result =
              hipGraphAddMemAllocNode(&made, graph, after, count, &allocation);
          (void)this->keep(result, allocation.dptr);
          return keep(result);
        },
        [&] { return keep(hipGraphAddMemFreeNode(&made, graph, after, count, a_pointer())); });
  }
  hipMemsetParams a_fill() {
    hipMemsetParams fill{};
    fill.dst = a_pointer();
    fill.elementSize = random_.flags(5);
    fill.width = a_pitch();
    fill.height = a_count();
    fill.pitch = a_pitch();
    fill.value = 1;
    return fill;
  }
  struct KernelNode {
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
  hipError_t node() {
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
  hipError_t graph_exec() {
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
  hipError_t object() {
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

  /// Without a compilation, which takes long.
  hipError_t rtc() {
    hiprtcProgram made = nullptr;
    hiprtcProgram program = world_.programs.any(random_);
    hiprtcLinkState link = nullptr;
    hiprtcLinkState const old_link = world_.links.any(random_);
    std::size_t size = 0;
    void* binary = nullptr;
    const auto ok = [](hiprtcResult result) {
      EXPECT_STRNE(hiprtcGetErrorString(result), "Invalid HIPRTC error code");
      return hipSuccess;
    };
    return one_of(
        [&] {
          if (hiprtcCreateProgram(&made, random_.one_in(4) ? nullptr : "", nullptr, 0, nullptr,
                                  nullptr) == HIPRTC_SUCCESS)
            (void)world_.programs.add(hipSuccess, made);
          return hipSuccess;
        },
        [&] { return ok(hiprtcDestroyProgram(&program)); },
        [&] { return ok(hiprtcAddNameExpression(program, "name")); },
        [&] { return ok(hiprtcGetCodeSize(program, &size)); },
        [&] { return ok(hiprtcGetProgramLogSize(program, &size)); },
        [&] {
          if (hiprtcLinkCreate(0, nullptr, nullptr, &link) == HIPRTC_SUCCESS)
            (void)world_.links.add(hipSuccess, link);
          return hipSuccess;
        },
        [&] { return ok(hiprtcLinkDestroy(old_link)); },
        [&] { return ok(hiprtcLinkComplete(old_link, &binary, &size)); });
  }

  World& world_;
  Random random_;
};

bool has_name(hipError_t code) {
  return std::strcmp(hipGetErrorName(code), "hipErrorUnknown") != 0;
}

/// In a child of a fork each call is refused, and none harms it.
void fork_and_call(World& world, unsigned seed) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    void* made = nullptr;
    bool refused = hipMalloc(&made, 16) == hipErrorNotInitialized;
    Caller caller(world, seed);
    for (int i = 0; i < 20; ++i) refused = has_name(caller.step()) && refused;
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

constexpr int steps = 50;

void call(World& world, unsigned seed) {
  Caller caller(world, seed);
  for (int i = 0; i < steps; ++i) {
    const hipError_t result = caller.step();
    // hipErrorUnknown is what becomes of an exception that nobody expected.
    EXPECT_TRUE(has_name(result)) << result;
  }
}

class RandomCalls : public testing::Test {
 protected:
  // What goes wrong is told on stderr, which is a lot here. Some kernels take a while, or fail.
  void SetUp() override {
    if (__sanitizer_set_report_fd) {
      static const int errors = dup(STDERR_FILENO);
      __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<std::intptr_t>(errors)));
    }
    testing::internal::CaptureStderr();
    fake::on_launch() = [](const auto& dispatch) {
      const std::uint64_t number = dispatch.grid.volume() + dispatch.dynamic_lds;
      if (number % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(number % 100));
      if (number % 29 == 0)
        throw hipsight::engine::KernelError(hipsight::engine::KernelError::Kind::Trap, "trap");
    };
  }
  void TearDown() override {
    fake::reset();
    (void)hipDeviceReset();
    (void)testing::internal::GetCapturedStderr();
  }
  template <class Sequence>
  void run(unsigned count, Sequence&& sequence) {
    const unsigned first = setting("HIPSIGHT_RANDOM_SEED", 0);
    for (unsigned seed = first; seed < first + count; ++seed) {
      {
        World world;
        sequence(world, seed);
      }
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
      fake::launches().clear();
    }
  }
  const unsigned sequences = setting("HIPSIGHT_RANDOM_SEQUENCES", 1000);
};

TEST_F(RandomCalls, OfOneThread) {
  run(sequences, [](World& world, unsigned seed) {
    call(world, seed);
    if (seed % 100 == 0) fork_and_call(world, seed);
  });
}

TEST_F(RandomCalls, OfThreeThreadsWithTheSameHandles) {
  run(sequences / 4, [](World& world, unsigned seed) {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < 3; ++t)
      threads.emplace_back([&world, seed, t] { call(world, 3 * seed + t); });
  });
}

}  // namespace
