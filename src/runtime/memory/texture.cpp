// Texture objects on linear memory. Kernels read them by formatted buffer loads (tex1Dfetch); all
// others are images, which hipsight does not run.

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "isa/buffer_format.h"
#include "isa/decode.h"
#include "runtime/state.h"

namespace hipsight::runtime {
namespace {

struct Texture {
  hipResourceDesc resource;
  hipTextureDesc texture;
};
struct Textures {
  std::mutex mutex;
  std::map<hipTextureObject_t, Texture> made;
};
Textures& textures() {
  static auto& textures = *new Textures;
  return textures;
}

/// The device libraries read eight dwords of an image's descriptor, or four of a buffer's, and a
/// sampler's from dword 12 (HIP_SAMPLER_OBJECT_OFFSET_DWORD).
constexpr unsigned descriptor_dwords = 16;

isa::BufferNumber number_of(hipChannelFormatKind kind, hipTextureReadMode mode, int bits) {
  const bool normalized = mode == hipReadModeNormalizedFloat;
  require(!normalized || (kind != hipChannelFormatKindFloat && bits <= 16));
  switch (kind) {
    case hipChannelFormatKindSigned:
      return normalized ? isa::BufferNumber::Snorm : isa::BufferNumber::Sint;
    case hipChannelFormatKindUnsigned:
      return normalized ? isa::BufferNumber::Unorm : isa::BufferNumber::Uint;
    case hipChannelFormatKindFloat:
      return isa::BufferNumber::Float;
    default:
      fail_with(hipErrorInvalidChannelDescriptor);
  }
}

isa::BufferFormat format_of(const hipChannelFormatDesc& desc, hipTextureReadMode mode) {
  isa::BufferFormat format{{}, number_of(desc.f, mode, desc.x)};
  const int bits[4]{desc.x, desc.y, desc.z, desc.w};
  for (int i = 0; i < 4; ++i) {
    require(bits[i] == 0 || bits[i] == 8 || bits[i] == 16 || bits[i] == 32,
            hipErrorInvalidChannelDescriptor);
    format.bits[i] = static_cast<std::uint8_t>(bits[i]);
  }
  return format;
}

/// A buffer descriptor (ISA manuals, "Buffer resource descriptor") of elements side by side.
void describe(std::uint32_t* dwords, const hipResourceDesc& resource, const hipTextureDesc& how) {
  const auto& linear = resource.res.linear;
  const isa::Gfx gfx = isa::gfx_of(Context::get().gpu().processor);
  const isa::BufferFormat format = format_of(linear.desc, how.readMode);
  const auto code = isa::buffer_format_code(gfx, format);
  require(code.has_value(), hipErrorInvalidChannelDescriptor);
  const auto base = reinterpret_cast<std::uintptr_t>(linear.devPtr);
  dwords[0] = static_cast<std::uint32_t>(base);
  dwords[1] = static_cast<std::uint32_t>(base >> 32) | format.bytes() << 16;
  dwords[2] = static_cast<std::uint32_t>(linear.sizeInBytes / format.bytes());
  dwords[3] = isa::dword_with_format(gfx, *code);
}

/// CDNA3 and CDNA4 have no texture units, and HIP refuses all textures there.
void require_textures() {
  const std::string& processor = Context::get().gpu().processor;
  if (processor == "gfx942" || processor == "gfx950") fail_with(hipErrorNotSupported);
}

template <class Body>
hipError_t with_texture(hipTextureObject_t texture, Body body) {
  return api([&] {
    const std::lock_guard lock(textures().mutex);
    const auto found = textures().made.find(texture);
    require(found != textures().made.end());
    body(found);
    return hipSuccess;
  });
}

}  // namespace

HIP_API hipError_t hipCreateTextureObject(hipTextureObject_t* result,
                                          const hipResourceDesc* resource,
                                          const hipTextureDesc* texture,
                                          const hipResourceViewDesc* view) {
  return api([&] {
    require(result && resource && texture);
    require_textures();
    require(resource->resType <= hipResourceTypePitch2D);
    if (resource->resType != hipResourceTypeLinear) {
      complain("textures on arrays and pitched memory are images, which hipsight does not run");
      return hipErrorNotSupported;
    }
    require(!view && resource->res.linear.devPtr && resource->res.linear.sizeInBytes);
    std::uint32_t dwords[descriptor_dwords] = {};
    describe(dwords, *resource, *texture);
    void* memory_of_it = memory().allocate(sizeof dwords, engine::Memory::Kind::Device,
                                           "a texture's descriptor", current_device());
    require(memory_of_it != nullptr, hipErrorOutOfMemory);
    memory().copy(memory_of_it, dwords, sizeof dwords);
    *result = static_cast<hipTextureObject_t>(memory_of_it);
    const std::lock_guard lock(textures().mutex);
    textures().made.insert_or_assign(*result, Texture{*resource, *texture});
    return hipSuccess;
  });
}

HIP_API hipError_t hipDestroyTextureObject(hipTextureObject_t texture) {
  return with_texture(texture, [&](auto found) {
    textures().made.erase(found);
    memory().free(texture);
  });
}

HIP_API hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc* result,
                                                   hipTextureObject_t texture) {
  return with_texture(texture, [&](auto found) {
    require(result != nullptr);
    *result = found->second.resource;
  });
}

HIP_API hipError_t hipGetTextureObjectTextureDesc(hipTextureDesc* result,
                                                  hipTextureObject_t texture) {
  return with_texture(texture, [&](auto found) {
    require(result != nullptr);
    *result = found->second.texture;
  });
}

}  // namespace hipsight::runtime
