#pragma once
// Algorithms of a workgroup: local memory, barriers, exchanges between lanes. Every thread has a
// word of input and a word of output, and all share the launch's `totals`.

#include <initializer_list>

#include "group.h"

namespace host_test {

struct Geometry {
  CASE_NAME("indices and sizes");
  static constexpr Triple size{7, 5, 3}, count{3, 2, 4};
  struct Shared {};
  DEVICE static void run(Group& group, Shared& shared, const u64* in, u64* out, u64* totals) {
    const Triple t = group.thread(), b = group.block(), s = group.size(), n = group.count();
    u64 packed = 0;
    for (u32 x : {t.x, t.y, t.z, b.x, b.y, b.z, s.x, s.y, s.z, n.x, n.y, n.z})
      packed = packed * 31 + x;
    out[global_index(group)] = packed;
  }
};

struct Reduction {
  CASE_NAME("tree reduction");
  static constexpr Triple size{256, 1, 1}, count{9, 1, 1};
  struct Shared {
    u64 sums[256];
    f32 least[256];
  };
  DEVICE static void run(Group& group, Shared& shared, const u64* in, u64* out, u64* totals) {
    const u32 thread = thread_index(group), index = global_index(group);
    shared.sums[thread] = in[index];
    shared.least[thread] = f32(i32(in[index]));
    for (u32 half = 128; half; half /= 2) {
      group.barrier();
      if (thread < half) {
        shared.sums[thread] += shared.sums[thread + half];
        if (shared.least[thread + half] < shared.least[thread])
          shared.least[thread] = shared.least[thread + half];
      }
    }
    group.barrier();
    out[index] = shared.sums[0] + bits(shared.least[0]);
    if (thread == 0) atomic_add(&totals[0], shared.sums[0]);
  }
};

struct Scan {
  CASE_NAME("prefix sums");
  static constexpr Triple size{16, 12, 1}, count{2, 3, 1};  // three waves of 64
  struct Shared {
    u32 sums[2][192];
    u16 counts[192];
  };
  DEVICE static void run(Group& group, Shared& shared, const u64* in, u64* out, u64* totals) {
    const u32 thread = thread_index(group), index = global_index(group);
    u32 from = 0;
    shared.sums[0][thread] = u32(in[index]);
    shared.counts[thread] = u16(in[index] & 3);
    group.barrier();
    for (u32 step = 1; step < 192; step *= 2, from ^= 1) {
      u32 sum = shared.sums[from][thread];
      u32 counted = shared.counts[thread];
      if (thread >= step) {
        sum += shared.sums[from][thread - step];
        counted += shared.counts[thread - step];
      }
      shared.sums[from ^ 1][thread] = sum;
      group.barrier();
      shared.counts[thread] = u16(counted);
      group.barrier();
    }
    out[index] = u64(shared.sums[from][thread]) << 16 | shared.counts[thread];
  }
};

struct BitonicSort {
  CASE_NAME("bitonic sort");
  static constexpr Triple size{128, 1, 1}, count{4, 1, 1};
  struct Shared {
    u64 keys[128];
  };
  DEVICE static void run(Group& group, Shared& shared, const u64* in, u64* out, u64* totals) {
    const u32 thread = thread_index(group), index = global_index(group);
    shared.keys[thread] = in[index];
    for (u32 length = 2; length <= 128; length *= 2) {
      for (u32 step = length / 2; step; step /= 2) {
        group.barrier();
        const u32 other = thread ^ step;
        if (other > thread) {
          const bool up = (thread & length) == 0;
          const u64 a = shared.keys[thread], b = shared.keys[other];
          if ((a > b) == up) {
            shared.keys[thread] = b;
            shared.keys[other] = a;
          }
        }
      }
    }
    group.barrier();
    out[index] = shared.keys[thread];
  }
};

/// Elements of 1 to 16 bytes, in local memory with and without padding.
template <class T>
struct Transpose {
  CASE_NAME("transpose");
  static constexpr Triple size{16, 16, 1}, count{2, 2, 1};
  struct Shared {
    T padded[16][17], plain[16][16];
  };
  DEVICE static void run(Group& group, Shared& shared, const u64* in, u64* out, u64* totals) {
    const auto [x, y, z] = group.thread();
    const u32 index = global_index(group);
    const T value = make(in[index]);
    shared.padded[y][x] = value;
    shared.plain[x][y] = value;
    group.barrier();
    const T a = shared.padded[x][y], b = shared.plain[15 - x][y];
    out[index] = word(a) * 3 ^ word(b);
  }
  DEVICE static T make(u64 x) {
    if constexpr (sizeof(T) == 16)
      return T{u32(x), u32(x >> 32), u32(x >> 16), ~u32(x)};
    else
      return from_bits<T>(x);
  }
  DEVICE static u64 word(T x) {
    if constexpr (sizeof(T) == 16)
      return (u64(x.x) | u64(x.y) << 32) + x.z * 5ull + x.w;
    else
      return bits(x);
  }
};
using Quad = u32 __attribute__((ext_vector_type(4)));

struct TiledProduct {
  CASE_NAME("tiled matrix product");
  static constexpr Triple size{8, 8, 1}, count{3, 2, 1};
  static constexpr u32 depth = 24;
  struct Shared {
    f64 a[8][8], b[8][8];
  };
  DEVICE static void run(Group& group, Shared& shared, const u64* in, u64* out, u64* totals) {
    const auto [x, y, z] = group.thread();
    f64 sum = 0;
    for (u32 k = 0; k < depth; k += 8) {
      shared.a[y][x] = f64(i32(in[(y * depth + k + x) % 300]));
      shared.b[y][x] = f64(i32(in[((k + y) * 24 + x + group.block().x) % 300])) * 0.37;
      group.barrier();
      for (u32 i = 0; i < 8; i++) sum += shared.a[y][i] * shared.b[i][x];
      group.barrier();
    }
    out[global_index(group)] = bits(sum);
  }
};

struct Histogram {
  CASE_NAME("histogram");
  static constexpr Triple size{100, 1, 1}, count{11, 1, 1};  // the last wave is not full
  struct Shared {
    u32 bins[32];
  };
  DEVICE static void run(Group& group, Shared& shared, const u64* in, u64* out, u64* totals) {
    const u32 thread = thread_index(group), index = global_index(group);
    if (thread < 32) shared.bins[thread] = 0;
    group.barrier();
    for (u64 rest = in[index]; rest; rest >>= 13) atomic_add(&shared.bins[rest & 31], 1u);
    group.barrier();
    out[index] = shared.bins[in[index] & 31];
    if (thread < 32) atomic_add(&totals[thread], u64(shared.bins[thread]));
  }
};

/// The one local word of each operation, and the launch's, come out the same in any order.
template <class T>
struct IntegerAtomics {
  CASE_NAME("integer atomics");
  static constexpr Triple size{96, 1, 1}, count{7, 1, 1};
  static constexpr int words = 12;
  struct Shared {
    T words[IntegerAtomics::words];
    u64 olds;
  };
  DEVICE static void update(T* words, T value, u64* olds) {
    using S = std::make_signed_t<T>;
    S* const signed_words = reinterpret_cast<S*>(words);
    atomic_add(&words[0], value);
    atomic_min(&words[1], value);
    atomic_max(&words[2], value);
    atomic_and(&words[3], T(value | 0x55));
    atomic_or(&words[4], T(value & 0x10001));
    atomic_xor(&words[5], value);
    // What is there before: for counts each number once, for exchanges each value but one.
    atomic_add(olds, u64(atomic_add(&words[6], T(1))) * 3);
    atomic_add(olds, u64(atomic_exchange(&words[7], T(value >> 1))));
    T old = words[8];
    while (!atomic_replace(&words[8], old, T(old + value * 7))) {
    }
    atomic_min(&signed_words[9], S(value));
    atomic_max(&signed_words[10], S(value));
  }
  DEVICE static void run(Group& group, Shared& shared, const u64* in, u64* out, u64* totals) {
    const u32 thread = thread_index(group), index = global_index(group);
    T* const global = reinterpret_cast<T*>(totals);  // the last word stays as it is
    u64* const global_olds = totals + 20;
    if (thread < words) shared.words[thread] = thread == 3 ? ~T(0) : T(thread * 1000);
    if (thread == words) shared.olds = 0;
    group.barrier();
    const T value = T(in[index]);
    update(shared.words, value, &shared.olds);
    if (in[index] & 4) update(global, value, global_olds);  // some lanes only
    group.barrier();
    u64 folded = shared.olds + shared.words[7];
    ROLLED for (int i = 0; i < words; i++) {
      if (i != 7) folded = folded * 31 + shared.words[i];
    }
    out[index] = folded;
    // The last group folds in the one exchanged value that nobody has seen.
    group.barrier();
    if (thread == 0) {
      group.fence();
      if (atomic_add(&totals[30], u64(1)) == volume(group.count()) - 1)
        atomic_add(global_olds, u64(atomic_exchange(&global[7], T(0))));
    }
  }
};

struct Counters {
  CASE_NAME("wrapping counters");
  static constexpr Triple size{70, 1, 1}, count{3, 1, 1};
  struct Shared {
    u32 up, down, sum;
  };
  DEVICE static void run(Group& group, Shared& shared, const u64* in, u64* out, u64* totals) {
    const u32 thread = thread_index(group);
    if (thread == 0) shared = {5, 2, 0};
    group.barrier();
    atomic_add(&shared.sum, atomic_increment(&shared.up, 12u));
    atomic_add(&shared.sum, atomic_decrement(&shared.down, 16u));
    atomic_increment(reinterpret_cast<u32*>(totals), 99u);
    atomic_decrement(reinterpret_cast<u32*>(totals) + 1, 7u);
    group.barrier();
    out[global_index(group)] = shared.up + shared.down * 100 + u64(shared.sum) * 10000;
  }
};

/// Sums of small multiples of a power of two are exact in any order.
template <class T>
struct FloatAtomics {
  CASE_NAME("floating-point atomics");
  static constexpr Triple size{80, 1, 1}, count{5, 1, 1};
  struct Shared {
    T sum, fast, least, most;
  };
  DEVICE static void run(Group& group, Shared& shared, const u64* in, u64* out, u64* totals) {
    const u32 thread = thread_index(group), index = global_index(group);
    if (thread == 0) shared = {T(1), T(2), T(1000), T(-1000)};
    group.barrier();
    const T value = T(i32(in[index] & 2047) - 1000) / T(8);
    T* const global = reinterpret_cast<T*>(totals);
    atomic_add(&shared.sum, value);
    atomic_add_fast(&shared.fast, value);
    atomic_min(&shared.least, value);
    atomic_max(&shared.most, value);
    atomic_add(&global[0], value);
    atomic_add_fast(&global[1], value);
    atomic_min(&global[2], value);
    atomic_max(&global[3], value);
    group.barrier();
    out[index] = bits(shared.sum) ^ u64(bits(shared.fast)) * 3 ^ u64(bits(shared.least)) * 5 ^
                 u64(bits(shared.most)) * 7;
  }
};

struct Shuffles {
  CASE_NAME("exchanges between lanes");
  static constexpr Triple size{128, 1, 1}, count{2, 1, 1};
  struct Shared {};
  DEVICE static void run(Group& group, Shared& shared, const u64* in, u64* out, u64* totals) {
    const u32 index = global_index(group), lane = thread_index(group) % lanes;
    const u64 word = in[index];
    u64 folded = group.shuffle(word, u32(word) % lanes);
    folded = folded * 31 + group.shuffle(u32(word), 5);
    folded = folded * 31 + bits(group.shuffle(f32(i32(word)), lane + 3));
    folded = folded * 31 + bits(group.shuffle(f64(i32(word)), lanes - 1 - lane));
    u32 sum = u32(word);
    for (u32 mask = lanes / 2; mask; mask /= 2) sum += group.shuffle_xor(sum, mask);
    folded = folded * 31 + sum;
    u32 prefix = u32(word) & 0xffff;
    for (u32 by = 1; by < lanes; by *= 2) {
      const u32 other = group.shuffle_up(prefix, by);
      if (lane >= by) prefix += other;
    }
    folded = folded * 31 + prefix;
    const u32 odd = group.ballot(word & 1);
    folded = folded * 31 + odd;
    // The place among the lanes that vote.
    folded = folded * 31 + u32(__builtin_popcount(odd & ((1u << lane) - 1)));
    out[index] = folded;
  }
};

/// Pointers whose memory is known only when they are used.
struct FlatPointers {
  CASE_NAME("flat pointers");
  static constexpr Triple size{64, 1, 1}, count{4, 1, 1};
  struct Shared {
    u32 words[64];
    u8 bytes[64];
  };
  CALLED static u64 called_read(u32* words, const u8* bytes, u32 at) {
    words[at & 7] += 3;
    return words[(at + 1) & 7] * 7ull + bytes[at & 7] + words[at & 7];
  }
  DEVICE static void run(Group& group, Shared& shared, const u64* in, u64* out, u64* totals) {
    const u32 thread = thread_index(group), index = global_index(group);
    const u64 word = in[index];
    u32 local[8];
    u8 local_bytes[8];
    for (u32 i = 0; i < 8; i++) {
      local[i] = u32(word >> (4 * i));
      local_bytes[i] = u8(word >> (8 * i));
    }
    shared.words[thread] = u32(word) + thread;
    shared.bytes[thread] = u8(word >> 9);
    group.barrier();
    // Each run of eight threads owns eight words: only the first writes to them.
    u32* const words = thread % 8 == 0 ? &shared.words[thread] : local;
    const u8* const bytes = word & 16   ? local_bytes
                            : word & 32 ? &shared.bytes[thread & ~7u]
                                        : reinterpret_cast<const u8*>(&in[index]);
    u64 folded = called_read(words, bytes, u32(word >> 3));
    folded = folded * 31 + called_read(local, bytes, u32(word >> 7));
    group.barrier();
    for (u32 i = 0; i < 8; i++) folded = folded * 31 + local[i] + shared.words[(thread & ~7u) | i];
    out[index] = folded;
  }
};

/// A lock that groups spin on, and the last group to come adds up what all have left.
struct Locks {
  CASE_NAME("locks between groups");
  static constexpr Triple size{64, 1, 1}, count{12, 1, 1};
  struct Shared {
    u32 last;
  };
  DEVICE static void run(Group& group, Shared& shared, const u64* in, u64* out, u64* totals) {
    const u32 thread = thread_index(group), index = global_index(group);
    if (thread == 0) {
      u64 open = 0;
      while (!atomic_replace(&totals[0], open, u64(1))) open = 0;
      totals[1] += in[index];
      totals[2] ^= in[index] * 3;
      atomic_store(&totals[0], u64(0));
    }
    atomic_store(&out[index], in[index] >> 3);
    group.fence();
    group.barrier();
    if (thread == 0) shared.last = atomic_add(&totals[3], u64(1)) == volume(group.count()) - 1;
    group.barrier();
    if (!shared.last) return;
    group.fence();
    u64 sum = 0;
    for (u32 i = thread; i < volume(group.count()) * 64; i += 64) sum += atomic_load(&out[i]);
    atomic_add(&totals[4], sum);
  }
};

}  // namespace host_test
