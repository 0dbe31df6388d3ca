"""What a wheel must do on someone's own Python, with nothing else installed (./dev wheel)."""
import sys
from array import array

import hipsight

SOURCE = """#include <hip/hip_runtime.h>
extern "C" __global__ void twice(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 2 * in[i];
}
"""
COUNT = 1000
given, found = array("f", range(COUNT)), array("f", [0] * COUNT)
kernel = hipsight.Gpu("mi300x").compile(SOURCE).kernel()
report = kernel.launch(-(-COUNT // 256), 256, [given, found, COUNT], predict=True)
assert list(found) == [2 * value for value in given]
assert report.prediction.seconds > 0
print(f"Python {sys.version.split()[0]}:\n{report}")
