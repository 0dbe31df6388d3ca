#pragma once
// What programs call, as RCCL's documentation has it (NCCL's API; the types of RCCL 2.22). Names
// and numbers are the interface; all else is ours.

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>

extern "C" {

using ncclResult_t = int;
enum : int {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7,
};

using ncclDataType_t = int;
enum : int {
  ncclInt8 = 0,
  ncclUint8 = 1,
  ncclInt32 = 2,
  ncclUint32 = 3,
  ncclInt64 = 4,
  ncclUint64 = 5,
  ncclFloat16 = 6,
  ncclFloat32 = 7,
  ncclFloat64 = 8,
  ncclBfloat16 = 9,
  ncclFloat8e4m3 = 10,
  ncclFloat8e5m2 = 11,
  ncclNumTypes = 12,
};

using ncclRedOp_t = int;
enum : int { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4, ncclNumOps = 5 };

struct ncclUniqueId {
  char internal[128];
};
struct ncclConfig_t;
using ncclComm_t = struct ncclComm*;
}
