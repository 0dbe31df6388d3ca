"""Ten tasks as a benchmark of generated kernels has them (names and numbers are KernelBench's, level 1, smaller here):
a kernel, what it works on, and the reference."""

HEAD = "#include <hip/hip_runtime.h>\n"
SUM = """
__device__ float sum_of_block(float value) {  // 256 work-items
  __shared__ float parts[256];
  parts[threadIdx.x] = value;
  for (int step = 128; step; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) parts[threadIdx.x] += parts[threadIdx.x + step];
  }
  __syncthreads();
  return parts[0];
}
"""


def work(launch, **buffers):
    grid, arguments = launch
    names = {name: {"shape": shape} | ({"fill": "zeros"} if name == "out" else {}) for name, shape in buffers.items()}
    return {"buffers": names, "launches": [{"grid": grid, "block": [256], "arguments": arguments}]}


TASKS = {
    "1_square_matrix_multiplication": (HEAD + """
__global__ void multiply(int n, const float* a, const float* b, float* out) {  // 256 work-items: a tile of 16 x 16
  __shared__ float as[16][17], bs[16][17];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  const int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    as[y][x] = a[row * n + k + x];
    bs[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[y][i] * bs[i][x];
    __syncthreads();
  }
  out[row * n + column] = sum;
}
""", work(([8, 8], [128, "a", "b", "out"]), a=[128, 128], b=[128, 128], out=[128, 128]),
        "def reference(a, b): return {'out': a.astype(np.float64) @ b}"),
    "4_matrix_vector_multiplication": (HEAD + SUM + """
__global__ void multiply(int k, const float* a, const float* x, float* out) {
  float sum = 0;
  for (int i = threadIdx.x; i < k; i += 256) sum += a[blockIdx.x * k + i] * x[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
""", work(([64], [1000, "a", "x", "out"]), a=[64, 1000], x=[1000], out=[64]),
        "def reference(a, x): return {'out': a.astype(np.float64) @ x}"),
    "19_relu": (HEAD + """
__global__ void relu(int n, const float* x, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
""", work(([40], [10000, "x", "out"]), x=[10000], out=[10000]),
        "def reference(x): return {'out': np.maximum(x, 0)}"),
    "23_softmax": (HEAD + SUM + """
__device__ float largest_of_block(float value) {
  __shared__ float parts[256];
  parts[threadIdx.x] = value;
  for (int step = 128; step; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) parts[threadIdx.x] = fmaxf(parts[threadIdx.x], parts[threadIdx.x + step]);
  }
  __syncthreads();
  return parts[0];
}
__global__ void softmax(int columns, const float* x, float* out) {
  x += blockIdx.x * columns, out += blockIdx.x * columns;
  float largest = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += 256) largest = fmaxf(largest, x[i]);
  largest = largest_of_block(largest);
  for (int i = threadIdx.x; i < columns; i += 256) sum += expf(x[i] - largest);
  sum = sum_of_block(sum);
  for (int i = threadIdx.x; i < columns; i += 256) out[i] = expf(x[i] - largest) / sum;
}
""", work(([16], [1500, "x", "out"]), x=[16, 1500], out=[16, 1500]), """
def reference(x):
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return {'out': e / e.sum(1, keepdims=True)}
"""),
    "36_rms_norm": (HEAD + SUM + """
__global__ void norm(int columns, float eps, const float* x, float* out) {
  x += blockIdx.x * columns, out += blockIdx.x * columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 256) sum += x[i] * x[i];
  const float factor = rsqrtf(sum_of_block(sum) / columns + eps);
  for (int i = threadIdx.x; i < columns; i += 256) out[i] = x[i] * factor;
}
""", work(([16], [1500, 1e-5, "x", "out"]), x=[16, 1500], out=[16, 1500]), """
def reference(x):
    x = x.astype(np.float64)
    return {'out': x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5)}
"""),
    "40_layer_norm": (HEAD + SUM + """
__global__ void norm(int columns, float eps, const float* x, const float* weight, const float* bias, float* out) {
  x += blockIdx.x * columns, out += blockIdx.x * columns;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < columns; i += 256) sum += x[i];
  const float mean = sum_of_block(sum) / columns;
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += 256) squares += (x[i] - mean) * (x[i] - mean);
  const float factor = rsqrtf(sum_of_block(squares) / columns + eps);
  for (int i = threadIdx.x; i < columns; i += 256) out[i] = (x[i] - mean) * factor * weight[i] + bias[i];
}
""", work(([16], [1500, 1e-5, "x", "weight", "bias", "out"]), x=[16, 1500], weight=[1500], bias=[1500], out=[16, 1500]), """
def reference(x, weight, bias):
    x = x.astype(np.float64)
    return {'out': (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * weight + bias}
"""),
    "42_max_pooling_2d": (HEAD + """
__global__ void pool(int height, int width, const float* x, float* out) {  // windows of 2 x 2
  const int i = blockIdx.x * 256 + threadIdx.x, columns = width / 2, rows = height / 2;
  if (i >= rows * columns) return;
  const float* at = x + i / columns * 2 * width + i % columns * 2;
  out[i] = fmaxf(fmaxf(at[0], at[1]), fmaxf(at[width], at[width + 1]));
}
""", work(([13], [100, 130, "x", "out"]), x=[100, 130], out=[50, 65]),
        "def reference(x): return {'out': x.reshape(50, 2, 65, 2).max((1, 3))}"),
    "47_sum_reduction_over_a_dimension": (HEAD + """
__global__ void sum(int rows, int columns, const float* x, float* out) {
  const int column = blockIdx.x * 256 + threadIdx.x;
  if (column >= columns) return;
  float all = 0;
  for (int row = 0; row < rows; ++row) all += x[row * columns + column];
  out[column] = all;
}
""", work(([4], [100, 900, "x", "out"]), x=[100, 900], out=[900]),
        "def reference(x): return {'out': x.sum(0, dtype=np.float64)}"),
    "92_cumsum_exclusive": (HEAD + """
__global__ void scan(int columns, const float* x, float* out) {  // a row of 256 at the most
  __shared__ float parts[2][256];
  const int i = threadIdx.x;
  x += blockIdx.x * columns, out += blockIdx.x * columns;
  int from = 0;
  parts[0][i] = i && i <= columns ? x[i - 1] : 0;
  for (int step = 1; step < 256; step *= 2) {
    __syncthreads();
    parts[1 - from][i] = parts[from][i] + (i >= step ? parts[from][i - step] : 0);
    from = 1 - from;
  }
  if (i < columns) out[i] = parts[from][i];
}
""", work(([30], [200, "x", "out"]), x=[30, 200], out=[30, 200]),
        "def reference(x): return {'out': np.cumsum(x, 1, np.float64) - x}"),
    "94_mse_loss": (HEAD + SUM + """
__global__ void loss(int n, const float* x, const float* y, float* out) {
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += (x[i] - y[i]) * (x[i] - y[i]);
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) atomicAdd(out, sum / n);
}
""", work(([8], [20000, "x", "y", "out"]), x=[20000], y=[20000], out=[1]),
        "def reference(x, y): return {'out': ((x.astype(np.float64) - y) ** 2).mean()}"),
}
