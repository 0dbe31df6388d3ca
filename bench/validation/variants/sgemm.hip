// Launches one of the kernels of seb-v/fp32_sgemm_amd, by its number: matrices of 4096 x 4096.
#include <hip/hip_runtime.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "sgemm.h"
//
#include "kernel1_naive.h"
#include "kernel2_lds.h"
#include "kernel3_registers.h"
#include "kernel4_gmem_db.h"
#include "kernel5_lds_optim.h"
#include "kernel6_valu_optim.h"
#include "kernel7_unroll.h"
#include "kernel8_batched_gmem.h"

int main(int, char** argv) {
  std::unique_ptr<ISgemm> kernels[] = {
      std::make_unique<Kernel1Naive>(),     std::make_unique<Kernel2Lds>(),
      std::make_unique<Kernel3Registers>(), std::make_unique<Kernel4GmemDB>(),
      std::make_unique<Kernel5LdsOptim>(),  std::make_unique<Kernel6VALUOptim>(),
      std::make_unique<Kernel7Unroll>(),    std::make_unique<Kernel8BatchedGMem>()};
  ISgemm& kernel = *kernels[std::atoi(argv[1]) - 1];
  constexpr int n = 4096;
  float* matrices[3];
  for (float*& matrix : matrices)
    if (hipMalloc(reinterpret_cast<void**>(&matrix), sizeof(float) * n * n) != hipSuccess) return 1;
  kernel.init();
  kernel.run(matrices[0], matrices[1], matrices[2], 1, 0, n);
  const bool failed = hipDeviceSynchronize() != hipSuccess;
  kernel.finalize();
  return failed;
}
