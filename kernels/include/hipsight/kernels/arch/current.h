// The architecture that is being compiled for. A kernel's source is compiled once for each GPU and
// once for the host, and finds there, in namespace arch, always the same names:
//   current                        which Architecture it is
//   MatrixStep<T>                  the matrix step for operands of T: shape, layouts, multiply()
//   workgroup<D>()   the workgroup's number in a dimension of the grid
//   thread()         the work-item's number in its workgroup
//   lane(), wave()   the same as a lane and the wave it is in; wave_size lanes make a wave
//   anew(x)          x, which is not to be computed before; moved(x): a copy in other registers;
//                    held(x): in scalar registers, not read or computed anew
//   uniform(x)       x, of which the caller knows that all lanes of a wave have the same
//   exchange<M>(x)   x of the lane whose number is this one's XOR M; all lanes must take part
//   any(x)           whether x is true in any lane
//   exp2(x), reciprocal(x)   as fast as the GPU has them, within 2^-23 of the result
//   log2(x)          the same way; -inf of 0
//   fma(x, y, z)     x * y + z, of two x
//   rounded<T>(x)    two x in T, of 16 bits, in 4 bytes; cut<T>(x): what T has no bits for is cut;
//                    nearest<T>(x): rounded, but of two equally near ones any
//   weights<T>(x, s) two x in T, in 4 bytes, and added to s; of a sum, cut_share<T> is cut off
//   barrier<S>()     for the whole workgroup; shared memory is then seen by all. S: of copies past
//                    the registers only what was waited for
//   wave_barrier()   for the wave: its shared memory is then seen by all of it
//   publish(), refresh()   what was written is seen by the whole GPU; what that wrote is seen
//   set_flag(p, v), read_flag(p)   a number that the whole GPU sees; pause() before asking again
//   load<V>(base, offset, limit)     bounded access to global memory, in bytes; see below
//   store(base, offset, limit, v)
//   any_alignment       whether these take addresses that are no multiples of the access
//   native_fp8<T>       whether there are to_fp8<T>() and from_fp8<T>(), of four values at once
//   set_priority<N>()   of this wave, 0 to 3
//   keep_order()        the compiler moves nothing from before it to after it, nor back
//   interleave<R, G>()  a hint for what is before it: R reads of shared memory first, then each of
//                       G requests to global memory behind a matrix instruction
//   read_ahead<R, G>()  the same for steps of 16-bit operands that need one of R reads each: some
//                       reads come first, the others, and G requests, one by one between steps.
//                       <R, G, P>: each read is P instructions
//   direct_copies       whether there are copy_to_shared() and wait_for_copies<Y>(), for all but
//                       the last Y, and these
// A load at an offset of `limit` or beyond gives zeros, a store there vanishes. `base` and `limit`
// must be the same for the whole wave.
#pragma once

#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
#include "cdna.h"
#elif defined(__GFX11__) || defined(__GFX12__)
#include "rdna.h"
#elif defined(__CUDA_ARCH__)
#include "nvidia.h"
#elif defined(__HIP_DEVICE_COMPILE__)
#error \
    "hipsight's kernels are for gfx90a, gfx942, gfx950, gfx11 and gfx12: this GPU is none of them"
#else
#include "host.h"
#endif

#include "anew.h"

namespace hipsight::kernels::arch {

inline constexpr int wave_size = facts(current).wave;

HIPSIGHT_INLINE int lane() {
  return thread() % wave_size;
}

HIPSIGHT_INLINE int wave() {
  return natural(uniform(thread() / wave_size));
}

}  // namespace hipsight::kernels::arch
