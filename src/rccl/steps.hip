#include <hip/hip_fp8.h>
#include <hip/hip_runtime.h>

#include <limits>
#include <type_traits>

#include "steps.h"

namespace hipsight::rccl {
namespace {

using f16 = _Float16;
using bf16 = __bf16;

/// A float of 8 bits. Its name is one for all GPUs; its format is the one that a GPU converts: on
/// gfx942 the kind without infinities and negative zero.
template <class Ocp, class Fnuz>
struct Float8 {
#if HIP_FP8_TYPE_FNUZ && !HIP_FP8_TYPE_OCP
  using Format = Fnuz;
#else
  using Format = Ocp;
#endif
  std::uint8_t bits;

  Float8() = default;
  __device__ explicit Float8(float value) : bits(Format(value).__x) {}
  __device__ explicit operator float() const {
    Format as;
    as.__x = bits;
    return static_cast<float>(as);
  }
};
using e4m3 = Float8<__hip_fp8_e4m3, __hip_fp8_e4m3_fnuz>;
using e5m2 = Float8<__hip_fp8_e5m2, __hip_fp8_e5m2_fnuz>;

constexpr int threads = 256;
/// As many as keep a GPU's links busy; each goes on with what is left.
constexpr std::size_t most_workgroups = 512;

/// What values are combined in.
template <class T>
using Wide = std::conditional_t<(sizeof(T) < sizeof(float) && !std::is_integral_v<T>), float, T>;

struct Sum {
  template <class W>
  __device__ static W combine(W a, W b) {
    if constexpr (std::is_integral_v<W>) {
      using U = std::make_unsigned_t<W>;  // which wraps
      return static_cast<W>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return a + b;
    }
  }
  template <class W>
  __device__ static W finish(W all, int) {
    return all;
  }
};
struct Average : Sum {
  template <class W>
  __device__ static W finish(W all, int ranks) {
    return all / static_cast<W>(ranks);
  }
};
struct ScaledSum : Sum {};
struct Product {
  template <class W>
  __device__ static W combine(W a, W b) {
    if constexpr (std::is_integral_v<W>)
      return static_cast<W>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    else
      return a * b;
  }
  template <class W>
  __device__ static W finish(W all, int) {
    return all;
  }
};
struct Largest {
  template <class W>
  __device__ static W combine(W a, W b) {
    return b > a ? b : a;
  }
  template <class W>
  __device__ static W finish(W all, int) {
    return all;
  }
};
struct Smallest : Largest {
  template <class W>
  __device__ static W combine(W a, W b) {
    return b < a ? b : a;
  }
};

/// So many elements are moved at once: 16 bytes, where all buffers allow it, else one.
template <class T, class Op, int n>
__global__ void __launch_bounds__(threads)
    reduce_kernel(Buffers from, Buffers factors, int ranks, T* to, std::size_t count) {
  struct alignas(n * sizeof(T)) Values {
    T of[n];
  };
  const std::size_t step = std::size_t{gridDim.x} * threads;
  for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < count / n; i += step) {
    Wide<T> all[n];
    for (int rank = 0; rank < ranks; rank++) {
      const Values values = static_cast<const Values*>(from.of[rank])[i];
      for (int k = 0; k < n; k++) {
        auto value = static_cast<Wide<T>>(values.of[k]);
        if constexpr (std::is_same_v<Op, ScaledSum>)
          value = Product::combine(value,
                                   static_cast<Wide<T>>(*static_cast<const T*>(factors.of[rank])));
        all[k] = rank ? Op::combine(all[k], value) : value;
      }
    }
    Values result;
    for (int k = 0; k < n; k++) result.of[k] = static_cast<T>(Op::finish(all[k], ranks));
    reinterpret_cast<Values*>(to)[i] = result;
  }
}

template <class Word>
__global__ void __launch_bounds__(threads) gather_kernel(Buffers from, char* to, Parts parts) {
  const int rank = static_cast<int>(blockIdx.y);
  const std::size_t step = std::size_t{gridDim.x} * threads;
  const auto* const source = static_cast<const Word*>(from.of[rank]);
  auto* const target = reinterpret_cast<Word*>(to + parts.at[rank]);
  for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
       i < parts.bytes[rank] / sizeof(Word); i += step)
    target[i] = source[i];
}

unsigned workgroups(std::size_t items) {
  const std::size_t all = (items + threads - 1) / threads;
  return static_cast<unsigned>(all < most_workgroups ? all : most_workgroups);
}

bool aligned(const void* at, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(at) % to == 0;
}

template <class T, class Op, int n>
void start(const Buffers& from, const Buffers& factors, int ranks, void* to, std::size_t count,
           hipStream_t stream) {
  if (count / n)
    reduce_kernel<T, Op, n><<<workgroups(count / n), threads, 0, stream>>>(
        from, factors, ranks, static_cast<T*>(to), count);
}

template <class T, class Op>
void reduce_as(const Buffers& from, const Buffers& factors, int ranks, void* to, std::size_t count,
               hipStream_t stream) {
  // Four floats of 8 bits: the code for sixteen would be long where no instruction converts them.
  constexpr int n = sizeof(T) == 1 && !std::is_integral_v<T> ? 4 : 16 / sizeof(T);
  bool wide = aligned(to, 16);
  for (int rank = 0; rank < ranks; rank++) wide &= aligned(from.of[rank], 16);
  std::size_t done = 0;
  if (wide) {
    start<T, Op, n>(from, factors, ranks, to, count, stream);
    done = count / n * n;
  }
  Buffers rest;
  for (int rank = 0; rank < ranks; rank++) rest.of[rank] = static_cast<T*>(from.of[rank]) + done;
  start<T, Op, 1>(rest, factors, ranks, static_cast<T*>(to) + done, count - done, stream);
}

template <class T>
void reduce_by(ncclRedOp_t op, const Buffers& from, const Buffers& factors, int ranks, void* to,
               std::size_t count, hipStream_t stream) {
  switch (op) {
    case ncclSum:
      return reduce_as<T, Sum>(from, factors, ranks, to, count, stream);
    case ncclProd:
      return reduce_as<T, Product>(from, factors, ranks, to, count, stream);
    case ncclMax:
      return reduce_as<T, Largest>(from, factors, ranks, to, count, stream);
    case ncclMin:
      return reduce_as<T, Smallest>(from, factors, ranks, to, count, stream);
    case scaled_sum:
      return reduce_as<T, ScaledSum>(from, factors, ranks, to, count, stream);
    default:
      return reduce_as<T, Average>(from, factors, ranks, to, count, stream);
  }
}

}  // namespace

std::size_t size_of(ncclDataType_t type) {
  constexpr std::size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  static_assert(sizeof sizes / sizeof *sizes == ncclNumTypes);
  return sizes[type];
}

hipError_t reduce(const Buffers& from, const Buffers& factors, int ranks, void* to,
                  std::size_t count, ncclDataType_t type, ncclRedOp_t op, hipStream_t stream) {
  const auto as = [&]<class T>(T) { reduce_by<T>(op, from, factors, ranks, to, count, stream); };
  switch (type) {
    case ncclInt8:
      as(std::int8_t());
      break;
    case ncclUint8:
      as(std::uint8_t());
      break;
    case ncclInt32:
      as(std::int32_t());
      break;
    case ncclUint32:
      as(std::uint32_t());
      break;
    case ncclInt64:
      as(std::int64_t());
      break;
    case ncclUint64:
      as(std::uint64_t());
      break;
    case ncclFloat16:
      as(f16());
      break;
    case ncclFloat32:
      as(float());
      break;
    case ncclFloat64:
      as(double());
      break;
    case ncclBfloat16:
      as(bf16());
      break;
    case ncclFloat8e4m3:
      as(e4m3());
      break;
    default:
      as(e5m2());
  }
  return hipGetLastError();
}

hipError_t gather(const Buffers& from, int ranks, void* to, const Parts& parts,
                  hipStream_t stream) {
  std::size_t most = 0;
  bool wide = true;
  for (int rank = 0; rank < ranks; rank++) {
    most = most < parts.bytes[rank] ? parts.bytes[rank] : most;
    wide &= aligned(from.of[rank], 16) && aligned(static_cast<char*>(to) + parts.at[rank], 16) &&
            parts.bytes[rank] % 16 == 0;
  }
  if (most == 0) return hipSuccess;
  char* const target = static_cast<char*>(to);
  if (wide)
    gather_kernel<uint4>
        <<<dim3(workgroups(most / 16), ranks), threads, 0, stream>>>(from, target, parts);
  else
    gather_kernel<char><<<dim3(workgroups(most), ranks), threads, 0, stream>>>(from, target, parts);
  return hipGetLastError();
}

}  // namespace hipsight::rccl
