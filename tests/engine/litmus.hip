// Device code of litmus_test.cpp: what workgroups see of each other's stores. No HIP headers. All
// kernels take `memory` and `out`; workgroups meet at memory[0] before they begin, or each round.

using u32 = unsigned int;
using u64 = unsigned long long;
using V2 = u32 __attribute__((ext_vector_type(2)));
using V4 = u32 __attribute__((ext_vector_type(4)));
struct V3 {
  u32 a, b, c;
};

#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 128))) void
#define DEVICE __attribute__((device)) inline

DEVICE u32 lane() {
  return __builtin_amdgcn_workitem_id_x();
}
DEVICE u32 group() {
  return __builtin_amdgcn_workgroup_id_x();
}

/// Goes on once all have come so often.
DEVICE void meet(u32* memory, u32 all) {
  if (lane() == 0) __hip_atomic_fetch_add(memory, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  while (__hip_atomic_load(memory, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) < all) {
  }
}

// --- accesses of several words: one workgroup writes the same to all of them, one reads ----------

/// Where lanes' words are: all in one place, side by side, apart, where a table says; or apart for
/// every second lane, while the others are off.
enum class Way { Same, Side, Apart, Table, Some };

template <class V>
DEVICE V load(const V* from) {
  return *from;
}
template <>
DEVICE V3 load(const V3* from) {
  V3 v;
  u32 __attribute__((ext_vector_type(3))) r;
  asm volatile("global_load_dwordx3 %0, %1, off\ns_waitcnt vmcnt(0)" : "=v"(r) : "v"(from));
  v.a = r.x, v.b = r.y, v.c = r.z;
  return v;
}
template <class V>
DEVICE void store(V* to, u32 word) {
  *to = word;
}
template <>
DEVICE void store(V3* to, u32 word) {
  u32 __attribute__((ext_vector_type(3))) r{word, word, word};
  asm volatile("global_store_dwordx3 %0, %1, off" : : "v"(to), "v"(r));
}
DEVICE bool torn(V2 v) {
  return v.x != v.y;
}
DEVICE bool torn(V3 v) {
  return v.a != v.b;  // eight bytes, and four
}
DEVICE bool torn(V4 v) {
  return v.x != v.y || v.x != v.z || v.x != v.w;
}

constexpr u32 first_word = 64, table = 4096;

template <class V, Way way>
DEVICE void share(u32* memory, u32* out) {
  u32 slot = lane();
  if (way == Way::Same) slot = 0;
  if (way == Way::Apart || way == Way::Some) slot *= 2;
  if (way == Way::Table) slot = memory[table + slot];
  // Twelve bytes, too, begin at a multiple of eight.
  constexpr u32 words = sizeof(V) == 12 ? 4 : sizeof(V) / 4;
  V* const at = reinterpret_cast<V*>(memory + first_word + slot * words);
  if (way == Way::Some && lane() % 2) return;
  constexpr u32 rounds = 8000;
  meet(memory, 2);
  if (group() == 0) {
    for (u32 i = 0; i < rounds; ++i) {
      store(at, i);
      asm volatile("" ::: "memory");
    }
  } else {
    u32 count = 0;
    for (u32 i = 0; i < rounds; ++i) {
      count += torn(load(at));
      asm volatile("" ::: "memory");
    }
    out[lane()] = count;
  }
}
#define SHARE(NAME, WAY)                         \
  KERNEL share_2_##NAME(u32* memory, u32* out) { \
    share<V2, Way::WAY>(memory, out);            \
  }                                              \
  KERNEL share_3_##NAME(u32* memory, u32* out) { \
    share<V3, Way::WAY>(memory, out);            \
  }                                              \
  KERNEL share_4_##NAME(u32* memory, u32* out) { \
    share<V4, Way::WAY>(memory, out);            \
  }
SHARE(same, Same)
SHARE(side, Side)
SHARE(apart, Apart)
SHARE(table, Table)
SHARE(some, Some)

/// By way of a buffer, whose last lane is cut off after two words.
KERNEL share_buffer(u32* memory, u32* out) {
  const auto resource =
      __builtin_amdgcn_make_buffer_rsrc(memory + first_word, 0, 31 * 16 + 8, 0x00020000);
  constexpr u32 rounds = 8000;
  const u32 offset = lane() * 16;
  meet(memory, 2);
  u32 count = 0;
  for (u32 i = 0; i < rounds; ++i) {
    if (group() == 0) {
      __builtin_amdgcn_raw_buffer_store_b128(V4{i, i, i, i}, resource, static_cast<int>(offset), 0,
                                             0);
    } else {
      const V4 v = __builtin_amdgcn_raw_buffer_load_b128(resource, static_cast<int>(offset), 0, 0);
      count += lane() < 31 ? torn(v) : torn(V2{v.x, v.y}) || v.z || v.w;
    }
    asm volatile("" ::: "memory");
  }
  if (group() == 1) out[lane()] = count;
}

// --- the shapes of litmus tests; a place of its own for each lane and round ----------------------

#define LOAD(AT, ORDER, SCOPE) __hip_atomic_load(AT, __ATOMIC_##ORDER, __HIP_MEMORY_SCOPE_##SCOPE)
#define STORE(AT, VALUE, ORDER, SCOPE) \
  __hip_atomic_store(AT, VALUE, __ATOMIC_##ORDER, __HIP_MEMORY_SCOPE_##SCOPE)

constexpr u32 rounds = 100, line = 16;  // words
constexpr u32 places = rounds * 64 * line;
DEVICE u32* place_of(u32* memory, u32 variable, u32 round) {
  return memory + first_word + variable * places + (round * 64 + lane() % 64) * line;
}

/// Message passing: whoever sees the flag sees the message. out: how often not.
#define MESSAGE_PASSING(NAME, SCOPE, WRITES)                                             \
  KERNEL message_##NAME(u32* memory, u32* out) {                                         \
    u32 count = 0;                                                                       \
    for (u32 i = 0; i < rounds; ++i) {                                                   \
      u32 *const message = place_of(memory, 0, i), *const flag = place_of(memory, 1, i); \
      if (WRITES) {                                                                      \
        *message = i + 1;                                                                \
        STORE(flag, 1u, RELEASE, SCOPE);                                                 \
      } else {                                                                           \
        while (!LOAD(flag, ACQUIRE, SCOPE)) {                                            \
        }                                                                                \
        count += *message != i + 1;                                                      \
      }                                                                                  \
    }                                                                                    \
    if (!(WRITES)) out[lane() % 64] = count;                                             \
  }
MESSAGE_PASSING(workgroup, WORKGROUP, lane() / 64 == 0)
MESSAGE_PASSING(agent, AGENT, group() == 0)
MESSAGE_PASSING(system, SYSTEM, group() == 0)

/// The same without a loop, and with relaxed accesses between fences: the flag may be missing.
KERNEL message_fences(u32* memory, u32* out) {
  u32 count = 0;
  for (u32 i = 0; i < rounds; ++i) {
    u32 *const message = place_of(memory, 0, i), *const flag = place_of(memory, 1, i);
    meet(memory, 2 * i + 2);
    if (group() == 0) {
      STORE(message, 1u, RELAXED, AGENT);
      __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
      STORE(flag, 1u, RELAXED, AGENT);
    } else {
      const u32 seen = LOAD(flag, RELAXED, AGENT);
      __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
      count += seen > LOAD(message, RELAXED, AGENT);
    }
  }
  if (group() == 1) out[lane() % 64] = count;
}

/// Store buffering: not both may miss the other's store. out: what each saw.
#define STORE_BUFFERING(NAME, SCOPE, ORDER, FENCE)                                          \
  KERNEL buffering_##NAME(u32* memory, u32* out) {                                          \
    for (u32 i = 0; i < rounds; ++i) {                                                      \
      u32 *const mine = place_of(memory, group(), i), *const other =                        \
                                                          place_of(memory, 1 - group(), i); \
      meet(memory, 2 * i + 2);                                                              \
      STORE(mine, 1u, ORDER, SCOPE);                                                        \
      FENCE;                                                                                \
      out[(group() * rounds + i) * 64 + lane()] = LOAD(other, ORDER, SCOPE);                \
    }                                                                                       \
  }
STORE_BUFFERING(agent, AGENT, SEQ_CST, )
STORE_BUFFERING(system, SYSTEM, SEQ_CST, )
STORE_BUFFERING(fences, AGENT, RELAXED, __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"))

/// Independent reads of independent writes: two readers agree on which of two stores came first.
/// out: what each of them saw, the first of them 1, the second 2.
#define INDEPENDENT_READS(NAME, SCOPE, ORDER)                                                    \
  KERNEL independent_##NAME(u32* memory, u32* out) {                                             \
    meet(memory, 4);                                                                             \
    for (u32 i = 0; i < rounds; ++i) {                                                           \
      u32 *const mine = place_of(memory, group() & 1, i), *const other =                         \
                                                              place_of(memory, ~group() & 1, i); \
      if (group() < 2) {                                                                         \
        STORE(mine, 1u, ORDER, SCOPE);                                                           \
      } else {                                                                                   \
        const u32 first = LOAD(mine, ORDER, SCOPE);                                              \
        const u32 second = LOAD(other, ORDER, SCOPE);                                            \
        out[((group() - 2) * rounds + i) * 64 + lane()] = first | second << 1;                   \
      }                                                                                          \
    }                                                                                            \
  }
INDEPENDENT_READS(agent, AGENT, SEQ_CST)
INDEPENDENT_READS(system, SYSTEM, SEQ_CST)

#ifndef __gfx1201__  // which has no such semaphores
/// Workgroups, as many as memory[1] says, wait for each other at a semaphore of the GPU, as
/// cooperative groups do it; out: in how many rounds one saw what its neighbour had written.
KERNEL grid_barrier(u32* memory, u32* out) {
  const u32 groups = memory[1];
  const auto wait = [&] {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
    __builtin_amdgcn_s_barrier();
    if (__builtin_amdgcn_readfirstlane(lane()) == 0) __builtin_amdgcn_ds_gws_barrier(groups - 1, 0);
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
  };
  u32 seen = 0;
  for (u32 round = 1; round <= 5; ++round) {
    STORE(memory + first_word + group() * 64 + lane(), round + group(), RELAXED, AGENT);
    wait();
    const u32 next = (group() + 1) % groups;
    seen += LOAD(memory + first_word + next * 64 + lane(), RELAXED, AGENT) == round + next;
    wait();
  }
  out[group() * 64 + lane()] = seen;
}
#endif
