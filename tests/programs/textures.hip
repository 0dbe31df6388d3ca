// Reads textures on linear memory in kernels, each element type as it is and normalised, and prints
// what is not as the host has it.
//   textures
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "check.h"

constexpr int count = 1000, beyond = 24;

template <class T>
__global__ void fetch(hipTextureObject_t texture, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<T>(texture, i);
}

hipResourceDesc linear(void* data, hipChannelFormatDesc desc, std::size_t bytes) {
  hipResourceDesc resource = {};
  resource.resType = hipResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = desc;
  resource.res.linear.sizeInBytes = bytes;
  return resource;
}

/// What a kernel reads of `host`, and of elements beyond its end.
template <class Out, class T>
std::vector<Out> fetched(const std::vector<T>& host, hipTextureReadMode mode) {
  T* data = device_array<T>(host.size());
  MUST(hipMemcpy(data, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice));
  const auto resource = linear(data, hipCreateChannelDesc<T>(), host.size() * sizeof(T));
  hipTextureDesc how = {};
  how.readMode = mode;
  hipTextureObject_t texture = nullptr;
  MUST(hipCreateTextureObject(&texture, &resource, &how, nullptr));

  hipResourceDesc same = {};
  hipTextureDesc same_how = {};
  MUST(hipGetTextureObjectResourceDesc(&same, texture));
  MUST(hipGetTextureObjectTextureDesc(&same_how, texture));
  if (same.res.linear.devPtr != data || same_how.readMode != mode) std::puts("another texture");

  const int n = static_cast<int>(host.size()) + beyond;
  Out* out = device_array<Out>(n);
  fetch<Out><<<(n + 127) / 128, 128>>>(texture, out, n);
  std::vector<Out> result(n);
  MUST(hipMemcpy(result.data(), out, n * sizeof(Out), hipMemcpyDeviceToHost));
  MUST(hipDestroyTextureObject(texture));
  MUST(hipFree(data));
  MUST(hipFree(out));
  return result;
}

template <class T>
void check_elements(const char* name) {
  std::vector<T> host(count);
  auto* bytes = reinterpret_cast<unsigned char*>(host.data());
  for (std::size_t i = 0; i < count * sizeof(T); ++i)
    bytes[i] = static_cast<unsigned char>(i * 167 + i / 256);
  const auto result = fetched<T>(host, hipReadModeElementType);
  if (std::memcmp(result.data(), host.data(), count * sizeof(T)) != 0)
    std::printf("%s: elements differ\n", name);
  const std::vector<T> zeros(beyond);
  if (std::memcmp(&result[count], zeros.data(), beyond * sizeof(T)) != 0)
    std::printf("%s: elements beyond the end are not 0\n", name);
}

template <class T>
void check_normalised(const char* name) {
  std::vector<T> host(count);
  for (int i = 0; i < count; ++i) host[i] = static_cast<T>(i * 167 - 3);
  host[0] = std::numeric_limits<T>::min();
  host[1] = std::numeric_limits<T>::max();
  const auto result = fetched<float>(host, hipReadModeNormalizedFloat);
  for (int i = 0; i < count; ++i) {
    const float expected = std::max(float(host[i]) / float(std::numeric_limits<T>::max()), -1.0f);
    if (result[i] != expected)
      std::printf("%s: element %d is %g, not %g\n", name, i, result[i], expected);
  }
}

void check_misuse() {
  float* data = device_array<float>(16);
  const auto floats = hipCreateChannelDesc<float>();
  const auto good = linear(data, floats, 64);
  hipTextureDesc how = {};
  hipTextureObject_t texture = nullptr;
  tell("no result", hipCreateTextureObject(nullptr, &good, &how, nullptr));
  tell("no resource", hipCreateTextureObject(&texture, nullptr, &how, nullptr));
  const auto empty = linear(data, floats, 0);
  tell("empty", hipCreateTextureObject(&texture, &empty, &how, nullptr));
  const auto odd = linear(data, hipCreateChannelDesc(32, 8, 0, 0, hipChannelFormatKindFloat), 64);
  tell("odd channels", hipCreateTextureObject(&texture, &odd, &how, nullptr));
  how.readMode = hipReadModeNormalizedFloat;
  tell("normalised floats", hipCreateTextureObject(&texture, &good, &how, nullptr));
  how.readMode = hipReadModeElementType;
  auto pitched = good;
  pitched.resType = hipResourceTypePitch2D;
  tell("pitched", hipCreateTextureObject(&texture, &pitched, &how, nullptr));
  MUST(hipCreateTextureObject(&texture, &good, &how, nullptr));
  MUST(hipDestroyTextureObject(texture));
  tell("destroyed", hipDestroyTextureObject(texture));
}

int main() {
  check_elements<unsigned char>("uchar");
  check_elements<char>("char");
  check_elements<unsigned short>("ushort");
  check_elements<short>("short");
  check_elements<unsigned>("uint");
  check_elements<int>("int");
  check_elements<float>("float");
  check_elements<uchar2>("uchar2");
  check_elements<char4>("char4");
  check_elements<ushort4>("ushort4");
  check_elements<short2>("short2");
  check_elements<uint2>("uint2");
  check_elements<int4>("int4");
  check_elements<float2>("float2");
  check_elements<float4>("float4");
  check_normalised<unsigned char>("uchar");
  check_normalised<char>("char");
  check_normalised<unsigned short>("ushort");
  check_normalised<short>("short");
  check_misuse();
}
