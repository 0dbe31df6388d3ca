// The shared libraries as the loader and their clients see them.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr const char* folder = HIPSIGHT_LIBRARIES "/";

struct Library {
  explicit Library(int major) : major(major) {
    handle = dlopen((folder + ("libamdhip64.so." + std::to_string(major))).c_str(),
                    RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(handle, nullptr) << dlerror();
  }
  template <class Function>
  Function* get(const char* name, const char* version = nullptr) const {
    void* symbol = version ? dlvsym(handle, name, version) : dlsym(handle, name);
    EXPECT_NE(symbol, nullptr) << name << " " << (version ? version : "");
    return reinterpret_cast<Function*>(symbol);
  }
  int major;
  void* handle;
};

class LibraryTest : public testing::TestWithParam<int> {
 protected:
  Library library{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Major, LibraryTest, testing::Values(5, 6, 7));

TEST_P(LibraryTest, Soname) {
  link_map* map = nullptr;
  ASSERT_EQ(dlinfo(library.handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)), 0);
  const char* strings = nullptr;
  std::size_t soname = 0;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_SONAME) soname = entry->d_un.d_val;
  }
  EXPECT_EQ(strings + soname, "libamdhip64.so." + std::to_string(GetParam()));
}

TEST_P(LibraryTest, EveryExportHasItsVersion) {
  std::ifstream list(HIPSIGHT_EXPORTS);
  std::string line;
  int count = 0;
  while (std::getline(list, line)) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string name, node;
    words >> name >> node;
    const bool later = node > "hip_6.4";
    const bool there = dlvsym(library.handle, name.c_str(), node.c_str()) != nullptr;
    EXPECT_EQ(there, !later || GetParam() == 7) << line;
    ++count;
  }
  EXPECT_GT(count, 500);
}

TEST_P(LibraryTest, VersionsThatStockProgramsAskFor) {
  // Undefined symbols of programs that Debian packages, with their versions.
  const std::pair<const char*, const char*> wanted[] = {
      {"hipMalloc", "hip_4.2"},
      {"__hipRegisterFatBinary", "hip_4.2"},
      {"__hipPushCallConfiguration", "hip_4.2"},
      {"hipLaunchKernel", "hip_4.2"},
      {"_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_"
       "tS6"
       "_j",
       "hip_4.2"},
      {"hipGraphLaunch", "hip_4.3"},
      {"hipGraphExecUpdate", "hip_4.5"},
      {"hipThreadExchangeStreamCaptureMode", "hip_5.0"},
      {"hipMallocAsync", "hip_5.1"},
      {"hipLaunchHostFunc", "hip_5.3"},
      {"hipModuleLaunchCooperativeKernel", "hip_5.5"},
      {"hipGetDevicePropertiesR0600", "hip_6.0"},
  };
  for (const auto& [name, version] : wanted) library.get<void>(name, version);
}

TEST_P(LibraryTest, ReportsTheVersionItStandsInFor) {
  int runtime = 0, driver = 0;
  ASSERT_EQ(library.get<int(int*)>("hipRuntimeGetVersion")(&runtime), 0);
  ASSERT_EQ(library.get<int(int*)>("hipDriverGetVersion")(&driver), 0);
  EXPECT_EQ(runtime / 10000000, GetParam());
  EXPECT_EQ(driver, runtime);
}

TEST_P(LibraryTest, UnsupportedFunctionsSayItOnce) {
  const std::string name = std::array{"hipGraphicsMapResources", "hipGraphicsUnmapResources",
                                      "hipGLGetDevices"}[GetParam() - 5];
  auto* function = library.get<int(int, void*, void*)>(name.c_str());
  testing::internal::CaptureStderr();
  EXPECT_EQ(function(0, nullptr, nullptr), 801);
  EXPECT_EQ(function(0, nullptr, nullptr), 801);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "hipsight: " + name + " is not supported\n");
  EXPECT_EQ(library.get<int()>("hipPeekAtLastError")(), 801);
}

TEST_P(LibraryTest, BothPropertyLayouts) {
  // Offsets as programs were compiled with them, not as our header has them.
  char bytes[2000];
  const auto number = [&](std::size_t offset) {
    int value = 0;
    std::memcpy(&value, bytes + offset, sizeof value);
    return value;
  };
  std::memset(bytes, 'x', sizeof bytes);
  ASSERT_EQ(library.get<int(void*, int)>("hipGetDevicePropertiesR0600")(bytes, 0), 0);
  EXPECT_STREQ(bytes, "AMD Instinct MI300X");
  EXPECT_EQ(number(308), 64);
  EXPECT_EQ(number(388), 304);
  EXPECT_STREQ(bytes + 1160, "gfx942:sramecc+:xnack-");
  EXPECT_EQ(bytes[1472], 'x');
  std::memset(bytes, 'x', sizeof bytes);
  ASSERT_EQ(library.get<int(void*, int)>("hipGetDeviceProperties")(bytes, 0), 0);
  EXPECT_STREQ(bytes, "AMD Instinct MI300X");
  EXPECT_EQ(number(276), 64);
  EXPECT_STREQ(bytes + 396, "gfx942:sramecc+:xnack-");
  EXPECT_EQ(bytes[792], 'x');
}

TEST_P(LibraryTest, ProcAddresses) {
  auto* look_up =
      library.get<int(const char*, void**, int, std::uint64_t, unsigned*)>("hipGetProcAddress");
  void* address = nullptr;
  unsigned status = 9;
  EXPECT_EQ(look_up("hipMalloc", &address, 600, 0, &status), 0);
  EXPECT_EQ(address, dlsym(library.handle, "hipMalloc"));
  EXPECT_EQ(status, 0u);
  EXPECT_EQ(look_up("hipGetDeviceProperties", &address, 600, 0, nullptr), 0);
  EXPECT_EQ(address, dlsym(library.handle, "hipGetDevicePropertiesR0600"));
  EXPECT_EQ(look_up("hipGetDeviceProperties", &address, 570, 0, nullptr), 0);
  EXPECT_EQ(address, dlsym(library.handle, "hipGetDeviceProperties"));
  EXPECT_EQ(look_up("hipChooseDevice", &address, 600, 0, nullptr), 0);
  EXPECT_EQ(address, dlsym(library.handle, "hipChooseDeviceR0600"));
  EXPECT_EQ(look_up("hipChooseDevice", &address, 570, 0, nullptr), 0);
  EXPECT_EQ(address, dlsym(library.handle, "hipChooseDevice"));
  EXPECT_EQ(look_up("hipNoSuchFunction", &address, 600, 0, &status), 1);
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(status, 1u);
  EXPECT_EQ(look_up(nullptr, &address, 600, 0, nullptr), 1);
}

/// What came with HIP 10.0 and 10.1, as their changelog and AMD's own tests of it have it.
TEST(Library, FunctionsOfHip10) {
  const Library library{7};
  unsigned flags = 99;
  auto* initialise = library.get<int(int, unsigned, unsigned)>("hipInitDevice");
  auto* flags_of = library.get<int(unsigned*)>("hipGetDeviceFlags");
  constexpr unsigned yield = 2;
  EXPECT_EQ(initialise(0, yield, 1), 0);
  EXPECT_EQ(flags_of(&flags), 0);
  EXPECT_EQ(flags, yield);
  EXPECT_EQ(initialise(0, 0, 0), 0);  // whose flags are not valid
  EXPECT_EQ(flags_of(&flags), 0);
  EXPECT_EQ(flags, yield);
  EXPECT_EQ(initialise(0, 0, 1), 0);
  EXPECT_EQ(initialise(0, 0, 2), 1);
  EXPECT_EQ(initialise(0, 0x1000, 1), 1);
  EXPECT_EQ(initialise(77, 0, 0), 101);

  char luid[8];
  unsigned mask = 0;
  auto* get_luid = library.get<int(char*, unsigned*, int)>("hipDeviceGetLuid");
  EXPECT_EQ(get_luid(luid, &mask, 0), 801);  // on Linux

  struct Location {
    unsigned type;
    int id;
  } on_device{1, 0}, on_host{2, 0}, on_none{0, 0}, elsewhere{1, -1};
  auto* pool_of = library.get<int(void**, Location*, unsigned)>("hipMemGetDefaultMemPool");
  void *pinned = nullptr, *again = nullptr, *managed = nullptr, *of_device = nullptr;
  constexpr unsigned is_pinned = 1, is_managed = 2;
  ASSERT_EQ(pool_of(&pinned, &on_device, is_pinned), 0);
  ASSERT_EQ(library.get<int(void**, int)>("hipDeviceGetDefaultMemPool")(&of_device, 0), 0);
  EXPECT_EQ(pinned, of_device);
  ASSERT_EQ(pool_of(&managed, &on_device, is_managed), 0);
  ASSERT_EQ(pool_of(&again, &on_device, is_managed), 0);
  EXPECT_EQ(managed, again);
  EXPECT_NE(managed, pinned);
  for (Location* wrong : {&on_host, &on_none, &elsewhere, static_cast<Location*>(nullptr)})
    EXPECT_EQ(pool_of(&again, wrong, is_pinned), 1);
  EXPECT_EQ(pool_of(nullptr, &on_device, is_pinned), 1);
  EXPECT_EQ(pool_of(&again, &on_device, 0), 1);
  EXPECT_NE(library.get<int(void*)>("hipMemPoolDestroy")(managed), 0);

  // Memory of the managed pool is managed memory.
  void* memory = nullptr;
  ASSERT_EQ(library.get<int(void**, std::size_t, void*, void*)>("hipMallocFromPoolAsync")(
                &memory, 64, managed, nullptr),
            0);
  int is = 0;
  constexpr int attribute_is_managed = 8;  // HIP_POINTER_ATTRIBUTE_IS_MANAGED
  EXPECT_EQ(library.get<int(void*, int, void*)>("hipPointerGetAttribute")(&is, attribute_is_managed,
                                                                          memory),
            0);
  EXPECT_EQ(is, 1);
  EXPECT_EQ(library.get<int(void*, void*)>("hipFreeAsync")(memory, nullptr), 0);
}

TEST_P(LibraryTest, PointerTypesAreNumberedAsInThatVersion) {
  struct {
    unsigned type;
    int device;
    void* device_pointer;
    void* host_pointer;
    int managed;
    unsigned flags;
  } attributes{};
  auto* get = library.get<int(void*, const void*)>("hipPointerGetAttributes");
  void* device = nullptr;
  ASSERT_EQ(library.get<int(void**, std::size_t)>("hipMalloc")(&device, 16), 0);
  ASSERT_EQ(get(&attributes, device), 0);
  EXPECT_EQ(attributes.type, GetParam() == 5 ? 1u : 2u);
  EXPECT_EQ(attributes.device_pointer, device);
  int mine = 0;
  if (GetParam() == 5) {
    EXPECT_EQ(get(&attributes, &mine), 1);
  } else {
    EXPECT_EQ(get(&attributes, &mine), 0);
    EXPECT_EQ(attributes.type, 0u);  // unregistered
    EXPECT_EQ(attributes.device, -2);
  }
  EXPECT_EQ(library.get<int(void*)>("hipFree")(device), 0);
}

TEST_P(LibraryTest, LastErrorStandsUntilReadSinceHip7) {
  int device = 0;
  (void)library.get<int()>("hipGetLastError")();
  EXPECT_EQ(library.get<int(void**, std::size_t)>("hipMalloc")(nullptr, 16), 1);
  EXPECT_EQ(library.get<int(int*)>("hipGetDevice")(&device), 0);
  EXPECT_EQ(library.get<int()>("hipExtGetLastError")(), 0);
  EXPECT_EQ(library.get<int()>("hipGetLastError")(), GetParam() == 7 ? 1 : 0);
  EXPECT_EQ(library.get<int()>("hipGetLastError")(), 0);
}

TEST(Libraries, AreOneRuntime) {
  const Library five(5), six(6), seven(7);
  void* const bare = dlopen(HIPSIGHT_LIBRARIES "/libamdhip64.so", RTLD_NOW | RTLD_LOCAL);
  EXPECT_EQ(dlsym(bare, "hipFree"), dlsym(seven.handle, "hipFree"));  // the newest
  void *memory = nullptr, *base = nullptr, *event = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(six.get<int(void**, std::size_t)>("hipMalloc")(&memory, 64), 0);
  EXPECT_EQ(five.get<int(void**, std::size_t*, void*)>("hipMemGetAddressRange")(
                &base, &size, static_cast<char*>(memory) + 8),
            0);
  EXPECT_EQ(base, memory);
  EXPECT_EQ(size, 64u);
  ASSERT_EQ(five.get<int(void**)>("hipEventCreate")(&event), 0);
  EXPECT_EQ(seven.get<int(void*, void*)>("hipEventRecord")(event, nullptr), 0);
  EXPECT_EQ(six.get<int(void*)>("hipEventDestroy")(event), 0);
  EXPECT_EQ(seven.get<int(void*)>("hipFree")(memory), 0);
  EXPECT_EQ(five.get<int(void*)>("hipFree")(memory), 1);
}

// The numbers are those of hip_runtime_api.h of HIP 7.2.
TEST(Libraries, HaveTheNewestAttributes) {
  const Library library(7);
  const auto get = [&](int which) {
    int value = -1;
    EXPECT_EQ(library.get<int(int*, int, int)>("hipDeviceGetAttribute")(&value, which, 0), 0);
    return value;
  };
  EXPECT_EQ(get(92), 0);          // HostNumaId
  EXPECT_EQ(get(10018), 8);       // NumberOfXccs
  EXPECT_EQ(get(10019), 512);     // MaxAvailableVgprsPerThread
  EXPECT_EQ(get(10020), 0x74a1);  // PciChipId
}

/// Calls a function that must succeed.
template <class... Arguments>
void call(const Library& library, const char* name, Arguments... arguments) {
  EXPECT_EQ(library.get<int(Arguments...)>(name)(arguments...), 0) << name;
}

TEST(Libraries, RunTheKernelsOfHipLibraries) {
  const Library hip(7);
  void *library = nullptr, *store = nullptr, *function = nullptr, *same = nullptr, *none = nullptr;
  const char* const file = HIPSIGHT_TEST_FILES "/kernels_gfx942.co";
  const char* const wanted = "_Z5storePii";
  call(hip, "hipLibraryLoadFromFile", &library, file, none, none, 0U, none, none, 0U);
  call(hip, "hipLibraryGetKernel", &store, library, wanted);
  unsigned count = 0;
  call(hip, "hipLibraryGetKernelCount", &count, library);
  std::vector<void*> all(count);
  call(hip, "hipLibraryEnumerateKernels", all.data(), count, library);
  EXPECT_EQ(std::count(all.begin(), all.end(), store), 1);
  const char* name = nullptr;
  call(hip, "hipKernelGetName", &name, store);
  EXPECT_STREQ(name, wanted);
  call(hip, "hipKernelGetLibrary", &same, store);
  EXPECT_EQ(same, library);
  call(hip, "hipKernelGetFunction", &function, store);
  std::size_t offset = 0, size = 0;
  call(hip, "hipKernelGetParamInfo", store, std::size_t{1}, &offset, &size);
  EXPECT_EQ(offset, 8U);
  EXPECT_EQ(size, 4U);

  constexpr int dynamic_lds = 8;
  int value = 0;
  call(hip, "hipKernelSetAttribute", dynamic_lds, 1024, store, 0);
  call(hip, "hipKernelGetAttribute", &value, dynamic_lds, store, 0);
  EXPECT_EQ(value, 1024);
  call(hip, "hipFuncSetAttribute", function, dynamic_lds, 2048);
  call(hip, "hipFuncGetAttribute", &value, dynamic_lds, function);
  EXPECT_EQ(value, 2048);
  call(hip, "hipKernelSetAttributeForDevice", store, dynamic_lds, 512, 0);
  call(hip, "hipFuncGetAttribute", &value, dynamic_lds, function);
  EXPECT_EQ(value, 512);

  void* module = nullptr;
  call(hip, "hipModuleLoad", &module, file);
  std::vector<void*> functions(count);
  call(hip, "hipModuleEnumerateFunctions", functions.data(), count, module);
  call(hip, "hipModuleGetFunction", &same, module, wanted);
  EXPECT_EQ(std::count(functions.begin(), functions.end(), same), 1);
  call(hip, "hipModuleUnload", module);

  // All three stand for it; so does a kernel's handle where a stub is expected.
  int* memory = nullptr;
  call(hip, "hipMallocManaged", &memory, std::size_t{4}, 1U);
  const auto launch = [&](void* what, int number) {
    void* arguments[] = {static_cast<void*>(&memory), &number};
    call(hip, "hipModuleLaunchKernel", what, 1U, 1U, 1U, 1U, 1U, 1U, 0U, none,
         static_cast<void**>(arguments), none);
    call(hip, "hipDeviceSynchronize");
    EXPECT_EQ(*memory, number);
  };
  launch(store, 1);
  launch(function, 2);
  launch(all[static_cast<std::size_t>(std::find(all.begin(), all.end(), store) - all.begin())], 3);

  // Variables. In `variables`, kernels count and leave 11 in the managed one.
  int *counter = nullptr, *common = nullptr;
  call(hip, "hipLibraryGetGlobal", &counter, &size, library, "counter");
  EXPECT_EQ(*counter, 7);
  call(hip, "hipLibraryGetManaged", &common, &size, library, "common");
  EXPECT_EQ(size, 4U);
  EXPECT_EQ(*common, 3);
  void* variables = nullptr;
  int* result = nullptr;
  call(hip, "hipLibraryGetKernel", &variables, library, "_Z9variablesPi");
  call(hip, "hipMallocManaged", &result, std::size_t{8}, 1U);
  void* arguments[] = {static_cast<void*>(&result)};
  call(hip, "hipModuleLaunchKernel", variables, 1U, 1U, 1U, 1U, 1U, 1U, 0U, none,
       static_cast<void**>(arguments), none);
  call(hip, "hipDeviceSynchronize");
  EXPECT_EQ(result[1], 3);
  EXPECT_EQ(*common, 11);
  EXPECT_EQ(*counter, 8);

  call(hip, "hipLibraryUnload", library);
  EXPECT_EQ(hip.get<int(const char**, void*)>("hipKernelGetName")(&name, store), 400);
  call(hip, "hipFree", static_cast<void*>(result));
  call(hip, "hipFree", static_cast<void*>(memory));
}

long resident_kib() {
  std::ifstream pages("/proc/self/statm");
  long all = 0, resident = 0;
  pages >> all >> resident;
  return resident * 4;
}

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Libraries, KeepNothingOfModulesThatAreUnloaded) {
  const Library hip(7);
  const std::string image = read_file(HIPSIGHT_TEST_FILES "/kernels_gfx942.co");
  std::vector<void*> modules(600);
  call(hip, "hipInit", 0U);
  const long before = resident_kib();
  for (void*& module : modules) call(hip, "hipModuleLoadData", &module, image.data());
  EXPECT_GT(resident_kib(), before + 30'000);
  for (void* const module : modules) call(hip, "hipModuleUnload", module);
  EXPECT_LT(resident_kib(), before + 12'000);
}

TEST(Libraries, KeepNoTranslatedCodeOfModulesThatAreUnloaded) {
  setenv("HIPSIGHT_ENGINE", "translate", 1);
  const Library hip(7);
  const std::string image = read_file(HIPSIGHT_TEST_FILES "/kernels_gfx942.co");
  const auto literal_at = [&](const std::string& in, std::size_t from) {
    constexpr std::uint32_t literal = 0x13579bdf;
    return in.find(std::string(reinterpret_cast<const char*>(&literal), sizeof literal), from);
  };
  ASSERT_NE(literal_at(image, 0), std::string::npos);
  int turns = 3;
  void *data = nullptr, *none = nullptr;
  call(hip, "hipMalloc", &data, std::size_t{256});
  const auto run_another = [&](std::uint32_t number) {
    std::string code = image;
    for (std::size_t at = 0; (at = literal_at(code, at)) != std::string::npos;)
      std::memcpy(&code[at], &(number = 2 * number + 1), sizeof number);
    void *module = nullptr, *hash = nullptr;
    call(hip, "hipModuleLoadData", &module, code.data());
    call(hip, "hipModuleGetFunction", &hash, module, "_Z4hashPji");
    void* arguments[] = {static_cast<void*>(&data), &turns};
    call(hip, "hipModuleLaunchKernel", hash, 1U, 1U, 1U, 64U, 1U, 1U, 0U, none,
         static_cast<void**>(arguments), none);
    call(hip, "hipDeviceSynchronize");
    call(hip, "hipModuleUnload", module);
  };
  std::uint32_t number = 1000;
  for (int i = 0; i < 270; ++i) run_another(number++);  // some is kept, for modules that come again
  const long before = resident_kib();
  for (int i = 0; i < 200; ++i) run_another(number++);
  EXPECT_LT(resident_kib(), before + 1000);
  call(hip, "hipFree", data);
}

TEST(Libraries, TakeArgumentsOfEveryKind) {
  const Library library(7);
  EXPECT_EQ(library.get<std::uint16_t(float)>("__gnu_f2h_ieee")(1.5F), 0x3e00);  // by xmm0
  // On the stack.
  char from[6] = "abcde", to[6] = "";
  auto* copy = library.get<int(void*, std::size_t, const void*, std::size_t, std::size_t,
                               std::size_t, int, void*)>("hipMemcpy2DAsync");
  EXPECT_EQ(copy(to, 2, from, 2, 2, 2, 0, nullptr), 0);
  EXPECT_EQ(library.get<int()>("hipDeviceSynchronize")(), 0);
  EXPECT_STREQ(to, "abcd");
}

}  // namespace
