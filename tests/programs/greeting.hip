// A program with nothing wrong: adds on the GPU, prints bytes of all kinds, ends as it is told.
//   greeting [EXIT_STATUS | abort | kill | crash | overflow | _exit | exec | fork]
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "check.h"

__global__ void add(const int* a, const int* b, int* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

int overflow(int depth) {
  volatile int room[1000] = {depth};
  return overflow(room[0] + 1) + room[1];
}

int main(int argc, char** argv) {
  const int n = 100;
  int host_a[n], host_b[n], host_sum[n];
  for (int i = 0; i < n; ++i) host_a[i] = i, host_b[i] = 1000 * i;
  int *a = device_array<int>(n), *b = device_array<int>(n), *sum = device_array<int>(n);
  MUST(hipMemcpy(a, host_a, sizeof host_a, hipMemcpyHostToDevice));
  MUST(hipMemcpy(b, host_b, sizeof host_b, hipMemcpyHostToDevice));
  add<<<2, 64>>>(a, b, sum, n);
  MUST(hipGetLastError());
  MUST(hipMemcpy(host_sum, sum, sizeof host_sum, hipMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    if (host_sum[i] != 1001 * i) return 71;
  hipDeviceProp_t device;
  MUST(hipGetDeviceProperties(&device, 0));

  std::fprintf(stderr, "words on stderr\n");
  std::printf("%s, %d processors\r\n\xff\x01", device.gcnArchName, device.multiProcessorCount);
  std::putchar('\0');
  std::printf("no newline at the end");
  const std::string ending = argc > 1 ? argv[1] : "0";
  if (ending == "abort") {
    std::fflush(stdout);
    std::abort();
  }
  if (ending == "kill") {
    std::fflush(stdout);
    std::raise(SIGKILL);
  }
  std::fflush(stdout);
  if (ending == "crash") *static_cast<volatile int*>(nullptr) = 1;
  if (ending == "overflow") overflow(1);
  if (ending == "_exit") _exit(0);
  if (ending == "exec") execl("/bin/echo", "echo", "and echo", nullptr);
  if (ending == "fork") {  // its child is not the one to report
    if (fork() == 0) _exit(0);
    wait(nullptr);
  }
  return std::atoi(ending.c_str());
}
