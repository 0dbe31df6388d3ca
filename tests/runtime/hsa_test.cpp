// libhsa-runtime64.so, as a program that looks for its GPU asks it.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

struct Handle {
  std::uint64_t handle;
};
using Callback = std::uint32_t (*)(Handle, void*);

class HsaTest : public testing::Test {
 protected:
  template <class... Arguments>
  std::uint32_t call(const char* name, Arguments... arguments) const {
    void* function = dlsym(library, name);
    EXPECT_NE(function, nullptr) << name;
    return reinterpret_cast<std::uint32_t (*)(Arguments...)>(function)(arguments...);
  }
  std::vector<std::uint64_t> all(const char* name) const {
    std::vector<std::uint64_t> found;
    const Callback add = [](Handle one, void* to) {
      static_cast<std::vector<std::uint64_t>*>(to)->push_back(one.handle);
      return 0u;
    };
    EXPECT_EQ(call(name, add, static_cast<void*>(&found)), 0u);
    return found;
  }
  std::string text(std::uint64_t agent, std::uint32_t attribute) const {
    char value[64] = {};
    EXPECT_EQ(call("hsa_agent_get_info", Handle{agent}, attribute, static_cast<void*>(value)), 0u);
    return value;
  }
  std::uint32_t number(std::uint64_t agent, std::uint32_t attribute) const {
    std::uint32_t value = ~0u;
    EXPECT_EQ(call("hsa_agent_get_info", Handle{agent}, attribute, static_cast<void*>(&value)), 0u);
    return value;
  }

  void* library = dlopen(HIPSIGHT_LIBRARIES "/libhsa-runtime64.so", RTLD_NOW | RTLD_LOCAL);
};

TEST_F(HsaTest, NamesTheEmulatedGpus) {
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_EQ(call("hsa_shut_down"), 0x100bu);  // not initialized
  setenv("HIPSIGHT_GPU", "mi300x", 1);
  setenv("HIPSIGHT_GPUS", "2", 1);
  ASSERT_EQ(call("hsa_init"), 0u);
  ASSERT_EQ(all("hsa_iterate_agents"), (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_EQ(number(0, 17), 0u);  // a processor
  EXPECT_EQ(number(2, 17), 1u);  // a GPU
  EXPECT_EQ(text(2, 0), "gfx942");
  EXPECT_EQ(text(2, 0xa009), "AMD Instinct MI300X");
  EXPECT_EQ(number(1, 0xa002), 304u);
  EXPECT_EQ(number(2, 0xa006), 2u << 8);  // as HIP's pciBusID

  std::uint64_t isa = 0;
  const Callback keep = [](Handle one, void* to) {
    *static_cast<std::uint64_t*>(to) = one.handle;
    return 1u;  // enough
  };
  EXPECT_EQ(call("hsa_agent_iterate_isas", Handle{1}, keep, static_cast<void*>(&isa)), 1u);
  std::uint32_t length = 0;
  EXPECT_EQ(call("hsa_isa_get_info_alt", Handle{isa}, 0u, static_cast<void*>(&length)), 0u);
  std::string name(length, '?');
  EXPECT_EQ(call("hsa_isa_get_info_alt", Handle{isa}, 1u, static_cast<void*>(name.data())), 0u);
  EXPECT_EQ(name, std::string("amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-") + '\0');

  EXPECT_EQ(call("hsa_agent_get_info", Handle{3}, 0u, static_cast<void*>(name.data())), 0x1004u);
  EXPECT_EQ(call("hsa_shut_down"), 0u);
  unsetenv("HIPSIGHT_GPU");
  unsetenv("HIPSIGHT_GPUS");
}

}  // namespace
