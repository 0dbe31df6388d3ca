// librccl.so.1 on eight emulated GPUs in one process: results against sums in float64 and exact
// integers, by the functions that programs call.
#include <gtest/gtest.h>
#include <hip/hip_runtime.h>

#include <barrier>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "functions.h"

namespace {

constexpr int ranks = 8;

struct Type {
  const char* name;
  ncclDataType_t type;
  std::size_t size;
  std::function<double(const char*)> read;
  std::function<void(char*, double)> write;
  double tolerance;  // of a result, relative; 0: exact
};

template <class T>
Type type_of(const char* name, ncclDataType_t type, double tolerance) {
  return {name,
          type,
          sizeof(T),
          [](const char* from) {
            T value;
            std::memcpy(&value, from, sizeof value);
            return static_cast<double>(value);
          },
          [](char* to, double value) {
            T as;
            if constexpr (std::is_integral_v<T>)
              as = static_cast<T>(static_cast<std::int64_t>(value));
            else
              as = static_cast<T>(value);
            std::memcpy(to, &as, sizeof as);
          },
          tolerance};
}

/// A float of 8 bits as gfx942 has it (fnuz): the exponent's bias is one more than IEEE's, there is
/// one NaN, and neither infinity nor negative zero.
Type float8(const char* name, ncclDataType_t type, int exponent_bits) {
  const int mantissa_bits = 7 - exponent_bits, bias = 1 << (exponent_bits - 1);
  const auto value_of = [=](unsigned code) {
    const int exponent = static_cast<int>(code >> mantissa_bits) & ((1 << exponent_bits) - 1);
    const double fraction = (code & ((1u << mantissa_bits) - 1)) / double(1 << mantissa_bits);
    const double size =
        exponent ? std::ldexp(1 + fraction, exponent - bias) : std::ldexp(fraction, 1 - bias);
    return code & 0x80 ? -size : size;
  };
  return {name,
          type,
          1,
          [=](const char* from) { return value_of(static_cast<unsigned char>(*from)); },
          [=](char* to, double value) {
            unsigned best = 0;  // the nearest of all that are positive
            for (unsigned code = 1; code < 0x80; code++)
              if (std::abs(value_of(code) - value) < std::abs(value_of(best) - value)) best = code;
            *to = static_cast<char>(best);
          },
          std::ldexp(1, -mantissa_bits - 1) * 1.01};
}

const std::vector<Type>& types() {
  static const std::vector<Type> all{
      type_of<std::int8_t>("int8", ncclInt8, 0),
      type_of<std::uint8_t>("uint8", ncclUint8, 0),
      type_of<std::int32_t>("int32", ncclInt32, 0),
      type_of<std::uint32_t>("uint32", ncclUint32, 0),
      type_of<std::int64_t>("int64", ncclInt64, 0),
      type_of<std::uint64_t>("uint64", ncclUint64, 0),
      type_of<_Float16>("float16", ncclFloat16, 0x1p-10),
      type_of<float>("float32", ncclFloat32, 0x1p-20),
      type_of<double>("float64", ncclFloat64, 0x1p-48),
      type_of<__bf16>("bfloat16", ncclBfloat16, 0x1p-7),
      float8("float8_e4m3", ncclFloat8e4m3, 4),
      float8("float8_e5m2", ncclFloat8e5m2, 5),
  };
  return all;
}

double combine(ncclRedOp_t op, const std::vector<double>& values) {
  double all = values[0];
  for (std::size_t i = 1; i < values.size(); i++) {
    const double next = values[i];
    all = op == ncclProd  ? all * next
          : op == ncclMax ? std::max(all, next)
          : op == ncclMin ? std::min(all, next)
                          : all + next;
  }
  return op == ncclAvg ? all / static_cast<double>(values.size()) : all;
}

#define ASSERT_HIP(call) ASSERT_EQ(call, hipSuccess)
#define ASSERT_NCCL(call) ASSERT_EQ(call, ncclSuccess) << ncclGetLastError(nullptr)

class Rccl : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    int count = 0;
    ASSERT_HIP(hipGetDeviceCount(&count));
    ASSERT_EQ(count, ranks);
    ASSERT_NCCL(ncclCommInitAll(comms, ranks, nullptr));
    for (int rank = 0; rank < ranks; rank++) {
      ASSERT_HIP(hipSetDevice(rank));
      ASSERT_HIP(hipStreamCreate(&streams[rank]));
      ASSERT_HIP(hipMalloc(&from[rank], room));
      ASSERT_HIP(hipMalloc(&to[rank], room));
    }
  }
  static void TearDownTestSuite() {
    for (ncclComm_t comm : comms) ASSERT_NCCL(ncclCommDestroy(comm));
  }

  /// Small whole numbers, so that products of integers stay exact.
  static double drawn(const Type& type, int rank, std::size_t i) {
    const auto x = (i * 2654435761u + static_cast<unsigned>(rank) * 40503u) >> 7;
    if (type.tolerance == 0) return static_cast<double>(1 + x % 2);
    return 0.5 + static_cast<double>(x % 1024) / 1024;
  }
  void fill(const Type& type, std::size_t count, std::size_t offset = 0) {
    std::vector<char> host(count * type.size);
    for (int rank = 0; rank < ranks; rank++) {
      for (std::size_t i = 0; i < count; i++)
        type.write(&host[i * type.size], drawn(type, rank, i));
      ASSERT_HIP(hipMemcpy(from[rank] + offset, host.data(), host.size(), hipMemcpyHostToDevice));
      ASSERT_HIP(hipMemset(to[rank], 0x5a, room));
    }
  }
  /// Result i of the rank against `wanted(i)`; what lies behind is as it was.
  void check(const Type& type, int rank, const char* at, std::size_t count,
             const std::function<double(std::size_t)>& wanted) {
    ASSERT_HIP(hipSetDevice(rank));
    ASSERT_HIP(hipStreamSynchronize(streams[rank]));
    std::vector<char> host(count * type.size + 16);
    ASSERT_HIP(hipMemcpy(host.data(), at, host.size(), hipMemcpyDeviceToHost));
    for (std::size_t i = 0; i < count; i++) {
      double value = wanted(i);
      if (type.tolerance == 0) {  // wraps, and averages are cut, as the type has it
        char as[8];
        type.write(as, std::trunc(value));
        value = type.read(as);
      }
      const double found = type.read(&host[i * type.size]);
      ASSERT_LE(std::abs(found - value), type.tolerance * std::abs(value))
          << type.name << ", rank " << rank << ", element " << i << " of " << count << ": " << found
          << " for " << value;
    }
  }
  double reduced(const Type& type, ncclRedOp_t op, std::size_t i) {
    std::vector<double> values;
    for (int rank = 0; rank < ranks; rank++) {
      char as[8];
      type.write(as, drawn(type, rank, i));
      values.push_back(type.read(as));
    }
    return combine(op, values);
  }
  void all(const std::function<ncclResult_t(int)>& call) {
    ASSERT_NCCL(ncclGroupStart());
    for (int rank = 0; rank < ranks; rank++) ASSERT_NCCL(call(rank));
    ASSERT_NCCL(ncclGroupEnd());
  }

  static constexpr std::size_t room = 4 << 20;
  static inline ncclComm_t comms[ranks];
  static inline hipStream_t streams[ranks];
  static inline char *from[ranks], *to[ranks];
};

TEST_F(Rccl, SaysWhoIsThere) {
  int value = 0;
  ASSERT_NCCL(ncclGetVersion(&value));
  EXPECT_GT(value, 22000);
  for (int rank = 0; rank < ranks; rank++) {
    ASSERT_NCCL(ncclCommCount(comms[rank], &value));
    EXPECT_EQ(value, ranks);
    ASSERT_NCCL(ncclCommUserRank(comms[rank], &value));
    EXPECT_EQ(value, rank);
    ASSERT_NCCL(ncclCommCuDevice(comms[rank], &value));
    EXPECT_EQ(value, rank);
    ASSERT_NCCL(ncclCommGetAsyncError(comms[rank], &value));
    EXPECT_EQ(value, ncclSuccess);
  }
}

TEST_F(Rccl, ReducesEveryTypeByEveryOperation) {
  for (const Type& type : types())
    for (const ncclRedOp_t op : {ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg}) {
      constexpr std::size_t count = 1001;
      fill(type, count);
      all([&](int rank) {
        return ncclAllReduce(from[rank], to[rank], count, type.type, op, comms[rank],
                             streams[rank]);
      });
      for (int rank = 0; rank < ranks; rank += 7)
        check(type, rank, to[rank], count, [&](std::size_t i) { return reduced(type, op, i); });
      if (HasFatalFailure()) return;
    }
}

/// One step and two, where shares are even, odd and empty.
TEST_F(Rccl, ReducesAnySizeInPlaceOrNot) {
  const Type& type = types()[7];
  for (const std::size_t count : {0u, 1u, 3u, 64u, 65536u, 65537u, 70001u, 1000000u})
    for (const bool in_place : {false, true}) {
      fill(type, count);
      char** const results = in_place ? from : to;
      all([&](int rank) {
        return ncclAllReduce(from[rank], results[rank], count, type.type, ncclSum, comms[rank],
                             streams[rank]);
      });
      for (int rank = 0; rank < ranks; rank += 3)
        check(type, rank, results[rank], count,
              [&](std::size_t i) { return reduced(type, ncclSum, i); });
      if (HasFatalFailure()) return;
    }
}

TEST_F(Rccl, ReducesWhatLiesAtOddPlaces) {
  const Type& type = types()[6];
  constexpr std::size_t count = 200001, offset = 2;
  fill(type, count, offset);
  all([&](int rank) {
    return ncclAllReduce(from[rank] + offset, to[rank] + 6, count, type.type, ncclSum, comms[rank],
                         streams[rank]);
  });
  for (int rank = 0; rank < ranks; rank += 7)
    check(type, rank, to[rank] + 6, count,
          [&](std::size_t i) { return reduced(type, ncclSum, i); });
}

TEST_F(Rccl, MovesParts) {
  const Type& type = types()[7];
  constexpr std::size_t count = 3001;
  fill(type, ranks * count);
  all([&](int rank) {
    return ncclReduceScatter(from[rank], to[rank], count, type.type, ncclSum, comms[rank],
                             streams[rank]);
  });
  for (int rank = 0; rank < ranks; rank++)
    check(type, rank, to[rank], count, [&](std::size_t i) {
      return reduced(type, ncclSum, static_cast<std::size_t>(rank) * count + i);
    });
  all([&](int rank) {
    return ncclAllGather(from[rank], to[rank], count, type.type, comms[rank], streams[rank]);
  });
  for (int rank = 0; rank < ranks; rank++)
    check(type, rank, to[rank], ranks * count,
          [&](std::size_t i) { return drawn(type, static_cast<int>(i / count), i % count); });
  // In place: a rank's part lies where it goes to.
  all([&](int rank) {
    const std::size_t own = static_cast<std::size_t>(rank) * count * type.size;
    return ncclReduceScatter(from[rank], from[rank] + own, count, type.type, ncclMax, comms[rank],
                             streams[rank]);
  });
  all([&](int rank) {
    const std::size_t own = static_cast<std::size_t>(rank) * count * type.size;
    return ncclAllGather(from[rank] + own, from[rank], count, type.type, comms[rank],
                         streams[rank]);
  });
  for (int rank = 0; rank < ranks; rank++)
    check(type, rank, from[rank], ranks * count,
          [&](std::size_t i) { return reduced(type, ncclMax, i); });
}

TEST_F(Rccl, HasRoots) {
  const Type& type = types()[2];
  constexpr std::size_t count = 555;
  fill(type, count);
  all([&](int rank) {
    return ncclReduce(from[rank], rank == 3 ? to[rank] : nullptr, count, type.type, ncclSum, 3,
                      comms[rank], streams[rank]);
  });
  check(type, 3, to[3], count, [&](std::size_t i) { return reduced(type, ncclSum, i); });
  all([&](int rank) {
    return ncclBroadcast(from[rank], to[rank], count, type.type, 5, comms[rank], streams[rank]);
  });
  for (int rank = 0; rank < ranks; rank++)
    check(type, rank, to[rank], count, [&](std::size_t i) { return drawn(type, 5, i); });
}

TEST_F(Rccl, SendsToEachOther) {
  const Type& type = types()[7];
  constexpr std::size_t count = 777;
  fill(type, count);
  ASSERT_NCCL(ncclGroupStart());
  for (int rank = 0; rank < ranks; rank++) {  // a ring
    ASSERT_NCCL(
        ncclSend(from[rank], count, type.type, (rank + 1) % ranks, comms[rank], streams[rank]));
    ASSERT_NCCL(ncclRecv(to[rank], count, type.type, (rank + ranks - 1) % ranks, comms[rank],
                         streams[rank]));
  }
  ASSERT_NCCL(ncclGroupEnd());
  for (int rank = 0; rank < ranks; rank++)
    check(type, rank, to[rank], count,
          [&](std::size_t i) { return drawn(type, (rank + ranks - 1) % ranks, i); });
}

TEST_F(Rccl, ExchangesParts) {
  const Type& type = types()[7];
  constexpr std::size_t count = 1001;
  const auto element = [](std::size_t rank) { return rank * count; };
  fill(type, ranks * count);
  all([&](int rank) {
    return ncclAllToAll(from[rank], to[rank], count, type.type, comms[rank], streams[rank]);
  });
  for (int rank = 0; rank < ranks; rank++)
    check(type, rank, to[rank], ranks * count, [&](std::size_t i) {
      return drawn(type, static_cast<int>(i / count), element(rank) + i % count);
    });
  // Rank r sends r + p elements to rank p, from the end of its memory to the begin.
  std::vector<std::vector<size_t>> sent(ranks), sent_at(ranks), got(ranks), got_at(ranks);
  for (std::size_t rank = 0; rank < ranks; rank++)
    for (std::size_t peer = 0; peer < ranks; peer++) {
      sent[rank].push_back(rank + peer);
      sent_at[rank].push_back(element(ranks - 1 - peer));
      got[rank].push_back(rank + peer);
      got_at[rank].push_back(peer == 0 ? 0 : got_at[rank].back() + got[rank][peer - 1]);
    }
  all([&](int rank) {
    return ncclAllToAllv(from[rank], sent[rank].data(), sent_at[rank].data(), to[rank],
                         got[rank].data(), got_at[rank].data(), type.type, comms[rank],
                         streams[rank]);
  });
  for (std::size_t rank = 0; rank < ranks; rank++)
    for (std::size_t peer = 0; peer < ranks; peer++)
      check(type, static_cast<int>(rank), to[rank] + got_at[rank][peer] * type.size,
            got[rank][peer], [&](std::size_t i) {
              return drawn(type, static_cast<int>(peer), element(ranks - 1 - rank) + i);
            });
  all([&](int rank) {
    return ncclGather(from[rank], rank == 2 ? to[rank] : nullptr, count, type.type, 2, comms[rank],
                      streams[rank]);
  });
  check(type, 2, to[2], ranks * count,
        [&](std::size_t i) { return drawn(type, static_cast<int>(i / count), i % count); });
  all([&](int rank) {
    return ncclScatter(rank == 5 ? from[rank] : nullptr, to[rank], count, type.type, 5, comms[rank],
                       streams[rank]);
  });
  for (int rank = 0; rank < ranks; rank++)
    check(type, rank, to[rank], count,
          [&](std::size_t i) { return drawn(type, 5, element(rank) + i); });
}

/// Each rank has a factor of its own: of the odd ones it is in the GPU's memory.
TEST_F(Rccl, SumsWithFactors) {
  for (const Type& type : types()) {
    constexpr std::size_t count = 1001;
    fill(type, count);
    ncclRedOp_t ops[ranks];
    void* factors[ranks] = {};
    for (int rank = 0; rank < ranks; rank++) {
      char factor[8];
      type.write(factor, 1 + rank % 3);
      ASSERT_HIP(hipSetDevice(rank));
      ASSERT_HIP(hipMalloc(&factors[rank], 8));
      ASSERT_HIP(hipMemcpy(factors[rank], factor, type.size, hipMemcpyHostToDevice));
      const bool on_gpu = rank % 2 == 1;
      ASSERT_NCCL(ncclRedOpCreatePreMulSum(&ops[rank], on_gpu ? factors[rank] : factor, type.type,
                                           on_gpu ? 0 : 1, comms[rank]));
    }
    all([&](int rank) {
      const ncclResult_t result = ncclAllReduce(from[rank], to[rank], count, type.type, ops[rank],
                                                comms[rank], streams[rank]);
      // Before the group ends: what was called goes on.
      return result ? result : ncclRedOpDestroy(ops[rank], comms[rank]);
    });
    for (int rank = 0; rank < ranks; rank += 7)
      check(type, rank, to[rank], count, [&](std::size_t i) {
        double sum = 0;
        for (int other = 0; other < ranks; other++) {
          char as[8];
          type.write(as, drawn(type, other, i));
          sum += type.read(as) * (1 + other % 3);
        }
        return sum;
      });
    for (void* factor : factors) ASSERT_HIP(hipFree(factor));
    if (HasFatalFailure()) return;
  }
}

/// The even ranks and the odd ones, the last first, without the last two: those are in no part.
TEST_F(Rccl, SplitsByColorAndKey) {
  const Type& type = types()[2];
  constexpr std::size_t count = 555;
  fill(type, count);
  ncclComm_t parts[ranks];
  all([&](int rank) {
    return ncclCommSplit(comms[rank], rank < 6 ? rank % 2 : -1, -rank, &parts[rank], nullptr);
  });
  ASSERT_NCCL(ncclGroupStart());
  for (int rank = 0; rank < 6; rank++) {
    int value = 0;
    ASSERT_NE(parts[rank], nullptr);
    ASSERT_NCCL(ncclCommCount(parts[rank], &value));
    EXPECT_EQ(value, 3);
    ASSERT_NCCL(ncclCommUserRank(parts[rank], &value));
    EXPECT_EQ(value, 2 - rank / 2);
    ASSERT_NCCL(
        ncclAllReduce(from[rank], to[rank], count, type.type, ncclSum, parts[rank], streams[rank]));
  }
  ASSERT_NCCL(ncclGroupEnd());
  for (int rank = 0; rank < 6; rank++) {
    check(type, rank, to[rank], count, [&](std::size_t i) {
      return drawn(type, rank % 2, i) + drawn(type, rank % 2 + 2, i) + drawn(type, rank % 2 + 4, i);
    });
    ASSERT_NCCL(ncclCommDestroy(parts[rank]));
  }
  for (int rank = 6; rank < ranks; rank++) EXPECT_EQ(parts[rank], nullptr);
}

TEST_F(Rccl, RegistersMemory) {
  void *memory = nullptr, *handle = nullptr;
  ASSERT_NCCL(ncclMemAlloc(&memory, 64));
  ASSERT_NCCL(ncclCommRegister(comms[0], memory, 64, &handle));
  EXPECT_NE(handle, nullptr);
  ASSERT_NCCL(ncclCommDeregister(comms[0], handle));
  ASSERT_NCCL(ncclMemFree(memory));
  EXPECT_EQ(ncclMemFree(&memory), ncclUnhandledCudaError);  // not the GPU's
  static_cast<void>(hipGetLastError());
}

/// What streams hold before and after: the sum of sums, and the input changed behind it.
TEST_F(Rccl, KeepsTheOrderOfStreams) {
  const Type& type = types()[2];
  constexpr std::size_t count = 100000;
  for (int rank = 0; rank < ranks; rank++) {
    ASSERT_HIP(hipSetDevice(rank));
    ASSERT_HIP(hipMemsetD32Async(from[rank], rank + 1, count, streams[rank]));
  }
  for (int round = 0; round < 3; round++) {
    all([&](int rank) {
      return ncclAllReduce(from[rank], to[rank], count, type.type, ncclSum, comms[rank],
                           streams[rank]);
    });
    for (int rank = 0; rank < ranks; rank++) {
      ASSERT_HIP(hipSetDevice(rank));
      ASSERT_HIP(
          hipMemcpyAsync(from[rank], to[rank], count * 4, hipMemcpyDeviceToDevice, streams[rank]));
    }
  }
  for (int rank = 0; rank < ranks; rank++)
    check(type, rank, from[rank], count, [](std::size_t) { return 36.0 * 8 * 8; });
}

TEST_F(Rccl, TakesAThreadForEachRank) {
  ncclUniqueId id;
  ASSERT_NCCL(ncclGetUniqueId(&id));
  const Type& type = types()[7];
  constexpr std::size_t count = 4097;
  fill(type, count);
  std::vector<std::thread> threads;
  std::vector<std::string> wrong(ranks);
  for (int rank = 0; rank < ranks; rank++)
    threads.emplace_back([&, rank] {
      ncclComm_t comm = nullptr;
      const auto good = [&](ncclResult_t result) {
        if (result != ncclSuccess) wrong[rank] = ncclGetLastError(nullptr);
        return result == ncclSuccess;
      };
      if (hipSetDevice(rank) != hipSuccess || !good(ncclCommInitRank(&comm, ranks, id, rank)))
        return;
      for (int round = 0; round < 3; round++)
        if (!good(ncclAllReduce(from[rank], to[rank], count, type.type, ncclSum, comm,
                                streams[rank])))
          return;
      static_cast<void>(hipStreamSynchronize(streams[rank]));
      good(ncclCommDestroy(comm));
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& one : wrong) EXPECT_EQ(one, "");
  for (int rank = 0; rank < ranks; rank++)
    check(type, rank, to[rank], count, [&](std::size_t i) { return reduced(type, ncclSum, i); });
}

/// A graph of each rank, all captured and launched by one thread. Launched again, they begin with
/// what the launch before has left.
TEST_F(Rccl, RunsInGraphs) {
  const Type& type = types()[2];
  for (const std::size_t count : {1000, 100000}) {  // one shot, and two steps
    std::vector<hipGraph_t> graphs(ranks);
    std::vector<hipGraphExec_t> launched(ranks);
    for (int rank = 0; rank < ranks; rank++) {
      ASSERT_HIP(hipSetDevice(rank));
      ASSERT_HIP(hipMemsetD32(from[rank], rank + 1, count));
      ASSERT_HIP(hipStreamBeginCapture(streams[rank], hipStreamCaptureModeThreadLocal));
    }
    all([&](int rank) {
      return ncclAllReduce(from[rank], to[rank], count, type.type, ncclSum, comms[rank],
                           streams[rank]);
    });
    // Each gets the next one's sum, in one group, in which it also sends something to itself.
    ASSERT_NCCL(ncclGroupStart());
    for (int rank = 0; rank < ranks; rank++) {
      char* const behind = from[rank] + count * 4;
      ASSERT_NCCL(ncclSend(behind, 64, ncclInt8, rank, comms[rank], streams[rank]));
      ASSERT_NCCL(ncclRecv(behind + 64, 64, ncclInt8, rank, comms[rank], streams[rank]));
      ASSERT_NCCL(ncclSend(to[rank], count, type.type, (rank + 7) % 8, comms[rank], streams[rank]));
      ASSERT_NCCL(
          ncclRecv(from[rank], count, type.type, (rank + 1) % 8, comms[rank], streams[rank]));
    }
    ASSERT_NCCL(ncclGroupEnd());
    for (int rank = 0; rank < ranks; rank++) {
      ASSERT_HIP(hipSetDevice(rank));
      ASSERT_HIP(hipStreamEndCapture(streams[rank], &graphs[rank]));
      ASSERT_HIP(hipGraphInstantiate(&launched[rank], graphs[rank], nullptr, nullptr, 0));
      ASSERT_HIP(hipGraphDestroy(graphs[rank]));
    }
    for (int round = 0; round < 3; round++)
      for (int rank = 0; rank < ranks; rank++)
        ASSERT_HIP(hipGraphLaunch(launched[rank], streams[rank]));
    for (int rank = 0; rank < ranks; rank++) {
      check(type, rank, from[rank], count, [](std::size_t) { return 36.0 * 8 * 8; });
      ASSERT_HIP(hipGraphExecDestroy(launched[rank]));
    }
  }
}

/// A thread for each rank, which captures in the strictest mode; a factor that is gone by then.
TEST_F(Rccl, CapturesWithAThreadForEachRank) {
  const Type& type = types()[7];
  constexpr std::size_t count = 200000;
  fill(type, count);
  ncclUniqueId id;
  ASSERT_NCCL(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  std::vector<std::string> wrong(ranks);
  std::barrier ready(ranks);  // no thread may allocate memory while another one captures
  for (int rank = 0; rank < ranks; rank++)
    threads.emplace_back([&, rank] {
      ncclComm_t comm = nullptr;
      ncclRedOp_t op = 0;
      float factor = 0.5f;
      hipGraph_t graph = nullptr;
      hipGraphExec_t launched = nullptr;
      const auto good = [&](int result, const char* what) {
        if (result != 0 && wrong[rank].empty())
          wrong[rank] = std::string(what) + ": " + ncclGetLastError(nullptr);
      };
      good(hipSetDevice(rank), "device");
      good(ncclCommInitRank(&comm, ranks, id, rank), "rank");
      good(ncclRedOpCreatePreMulSum(&op, &factor, type.type, 1, comm), "factor");
      ready.arrive_and_wait();
      good(hipStreamBeginCapture(streams[rank], hipStreamCaptureModeGlobal), "begin");
      good(ncclAllReduce(from[rank], to[rank], count, type.type, op, comm, streams[rank]), "sum");
      good(hipStreamEndCapture(streams[rank], &graph), "end");
      ready.arrive_and_wait();
      good(ncclRedOpDestroy(op, comm), "no factor");
      good(hipGraphInstantiate(&launched, graph, nullptr, nullptr, 0), "instantiate");
      for (int round = 0; round < 2; round++)
        good(hipGraphLaunch(launched, streams[rank]), "launch");
      good(hipStreamSynchronize(streams[rank]), "wait");
      good(hipGraphExecDestroy(launched), "destroy");
      good(hipGraphDestroy(graph), "destroy");
      good(ncclCommDestroy(comm), "no rank");
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& one : wrong) EXPECT_EQ(one, "");
  for (int rank = 0; rank < ranks; rank++)
    check(type, rank, to[rank], count,
          [&](std::size_t i) { return 0.5 * reduced(type, ncclSum, i); });
}

TEST_F(Rccl, FreesGraphsThatWaitWhenARankAborts) {
  ncclUniqueId id;
  ASSERT_NCCL(ncclGetUniqueId(&id));
  ncclComm_t two[2];
  hipGraph_t graphs[2];
  hipGraphExec_t launched = nullptr;
  ASSERT_NCCL(ncclGroupStart());
  for (int rank = 0; rank < 2; rank++) {
    ASSERT_HIP(hipSetDevice(rank));
    ASSERT_NCCL(ncclCommInitRank(&two[rank], 2, id, rank));
  }
  ASSERT_NCCL(ncclGroupEnd());
  // All record graphs, or none.
  const auto sum = [&] {
    static_cast<void>(ncclGroupStart());
    for (int rank = 0; rank < 2; rank++)
      static_cast<void>(
          ncclAllReduce(from[rank], to[rank], 1, ncclInt32, ncclSum, two[rank], streams[rank]));
    return ncclGroupEnd();
  };
  ASSERT_HIP(hipSetDevice(0));
  ASSERT_HIP(hipStreamBeginCapture(streams[0], hipStreamCaptureModeThreadLocal));
  EXPECT_EQ(sum(), ncclInvalidUsage);
  EXPECT_NE(std::string(ncclGetLastError(nullptr)).find("those of others are not"),
            std::string::npos);
  ASSERT_HIP(hipSetDevice(1));
  ASSERT_HIP(hipStreamBeginCapture(streams[1], hipStreamCaptureModeThreadLocal));
  ASSERT_NCCL(sum());
  for (int rank = 0; rank < 2; rank++)
    ASSERT_HIP(hipStreamEndCapture(streams[rank], &graphs[rank]));
  ASSERT_HIP(hipSetDevice(0));
  ASSERT_HIP(hipGraphInstantiate(&launched, graphs[0], nullptr, nullptr, 0));
  ASSERT_HIP(hipGraphLaunch(launched, streams[0]));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // it waits now, as a rule
  EXPECT_EQ(hipStreamQuery(streams[0]), hipErrorNotReady);
  ASSERT_NCCL(ncclCommAbort(two[1]));
  ASSERT_HIP(hipStreamSynchronize(streams[0]));
  ASSERT_NCCL(ncclCommDestroy(two[0]));
  ASSERT_HIP(hipGraphExecDestroy(launched));
  for (hipGraph_t graph : graphs) ASSERT_HIP(hipGraphDestroy(graph));
}

/// On the GPU's clock: a rank's share comes from each other GPU and goes to each, an eighth of all.
TEST_F(Rccl, TakesWhatLinksTake) {
  constexpr std::size_t count = 1 << 20;
  std::vector<void*> from(ranks), to(ranks);
  std::vector<hipEvent_t> begin(ranks), end(ranks);
  for (int rank = 0; rank < ranks; rank++) {
    ASSERT_HIP(hipSetDevice(rank));
    ASSERT_HIP(hipMalloc(&from[rank], count * sizeof(float)));
    ASSERT_HIP(hipMalloc(&to[rank], count * sizeof(float)));
    ASSERT_HIP(hipEventCreate(&begin[rank]));
    ASSERT_HIP(hipEventCreate(&end[rank]));
    ASSERT_HIP(hipEventRecord(begin[rank], streams[rank]));
  }
  all([&](int rank) {
    return ncclAllReduce(from[rank], to[rank], count, ncclFloat32, ncclSum, comms[rank],
                         streams[rank]);
  });
  constexpr double link = 45.3e9;  // bytes a second, of MI300X's file (src/gpus/mi300x.toml)
  const double moving = 2 * count * sizeof(float) / ranks / link;
  for (int rank = 0; rank < ranks; rank++) {
    ASSERT_HIP(hipSetDevice(rank));
    ASSERT_HIP(hipEventRecord(end[rank], streams[rank]));
    ASSERT_HIP(hipStreamSynchronize(streams[rank]));
    float milliseconds = 0;
    ASSERT_HIP(hipEventElapsedTime(&milliseconds, begin[rank], end[rank]));
    EXPECT_GT(milliseconds * 1e-3, moving);
    EXPECT_LT(milliseconds * 1e-3, moving + 60e-6);  // launches, and what the host takes for eight
    ASSERT_HIP(hipFree(from[rank]));
    ASSERT_HIP(hipFree(to[rank]));
    ASSERT_HIP(hipEventDestroy(begin[rank]));
    ASSERT_HIP(hipEventDestroy(end[rank]));
  }
}

TEST_F(Rccl, FreesWhoWaitsWhenARankAborts) {
  ncclUniqueId id;
  ASSERT_NCCL(ncclGetUniqueId(&id));
  ncclComm_t two[2];
  ASSERT_NCCL(ncclGroupStart());
  for (int rank = 0; rank < 2; rank++) {
    ASSERT_HIP(hipSetDevice(rank));
    ASSERT_NCCL(ncclCommInitRank(&two[rank], 2, id, rank));
  }
  ASSERT_NCCL(ncclGroupEnd());
  std::thread waits([&] {
    EXPECT_NE(ncclAllReduce(from[0], to[0], 1, ncclInt32, ncclSum, two[0], streams[0]),
              ncclSuccess);
    EXPECT_NE(std::string(ncclGetLastError(two[0])).find("aborted"), std::string::npos);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // it waits now, as a rule
  ASSERT_NCCL(ncclCommAbort(two[1]));
  waits.join();
  ncclResult_t error = ncclSuccess;
  ASSERT_NCCL(ncclCommGetAsyncError(two[0], &error));
  EXPECT_EQ(error, ncclInternalError);
  ASSERT_NCCL(ncclCommDestroy(two[0]));
}

TEST_F(Rccl, SaysWhatIsWrong) {
  const auto refused = [](ncclResult_t result, ncclResult_t wanted, const std::string& words) {
    EXPECT_EQ(result, wanted) << words;
    EXPECT_NE(std::string(ncclGetLastError(nullptr)).find(words), std::string::npos)
        << ncclGetLastError(nullptr);
  };
  const ncclComm_t comm = comms[0];
  const hipStream_t stream = streams[0];
  char *a = from[0], *b = to[0];
  refused(ncclAllReduce(a, b, 4, 42, ncclSum, comm, stream), ncclInvalidArgument, "no type 42");
  refused(ncclAllReduce(a, b, 4, 7, 9, comm, stream), ncclInvalidArgument, "no operation 9");
  refused(ncclAllReduce(nullptr, b, 4, 7, 0, comm, stream), ncclInvalidArgument, "buffer is null");
  refused(ncclAllReduce(a, b, 4, 7, 0, nullptr, stream), ncclInvalidArgument, "is null");
  refused(ncclBroadcast(a, b, 4, 7, 8, comm, stream), ncclInvalidArgument, "no rank 8 of 8");
  refused(ncclGroupEnd(), ncclInvalidUsage, "no group was started");
  ncclComm_t other = nullptr;
  refused(ncclCommSplit(comm, 0, 0, nullptr, nullptr), ncclInvalidArgument, "null");
  refused(ncclCommSplit(comm, -2, 0, &other, nullptr), ncclInvalidArgument, "color -2");
  ncclRedOp_t op = 0;
  float factor = 2;
  refused(ncclRedOpCreatePreMulSum(&op, &factor, 42, 1, comm), ncclInvalidArgument, "no type 42");
  refused(ncclRedOpCreatePreMulSum(&op, &factor, 7, 2, comm), ncclInvalidArgument, "residence 2");
  refused(ncclRedOpDestroy(5, comm), ncclInvalidArgument, "no operation 5");
  ASSERT_NCCL(ncclRedOpCreatePreMulSum(&op, &factor, 7, 1, comm));
  refused(ncclAllReduce(a, b, 4, 8, op, comm, stream), ncclInvalidArgument, "type 7, not 8");
  ASSERT_NCCL(ncclRedOpDestroy(op, comm));
  refused(ncclAllReduce(a, b, 4, 7, op, comm, stream), ncclInvalidArgument, "no operation");
  refused(ncclAllToAll(nullptr, b, 4, 7, comm, stream), ncclInvalidArgument, "buffer is null");
  refused(ncclAllToAllv(a, nullptr, nullptr, b, nullptr, nullptr, 7, comm, stream),
          ncclInvalidArgument, "are null");
  refused(ncclGather(a, b, 4, 7, 8, comm, stream), ncclInvalidArgument, "no rank 8 of 8");
  refused(ncclScatter(a, b, 4, 7, 0, nullptr, stream), ncclInvalidArgument, "is null");
  refused(ncclCommInitAll(&other, 99, nullptr), ncclInvalidArgument, "99 ranks");
  ncclUniqueId id{};
  refused(ncclCommInitRank(&other, 2, id, 0), ncclInvalidArgument, "not of ncclGetUniqueId");
  EXPECT_EQ(other, nullptr);
  // Ranks that do not agree.
  ASSERT_NCCL(ncclGroupStart());
  for (int rank = 0; rank < ranks; rank++)
    ASSERT_NCCL(ncclAllReduce(from[rank], to[rank], rank == 2 ? 5 : 4, ncclFloat32, ncclSum,
                              comms[rank], streams[rank]));
  refused(ncclGroupEnd(), ncclInvalidUsage, "rank 2 calls ncclAllReduce of 5");
  EXPECT_STREQ(ncclGetErrorString(ncclInvalidUsage), "invalid usage");
}

}  // namespace
