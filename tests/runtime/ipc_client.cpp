// Opens the memory of another process by a handle in hexadecimal, and doubles its integers.
#include <hip/hip_runtime_api.h>

#include <cstdlib>
#include <string>
#include <vector>

int main(int, char** arguments) {
  const std::string text = arguments[1];
  const std::size_t count = std::strtoul(arguments[2], nullptr, 10);
  hipIpcMemHandle_t handle{};
  for (std::size_t i = 0; i < sizeof handle.reserved; ++i)
    handle.reserved[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  void* device = nullptr;
  if (hipIpcOpenMemHandle(&device, handle, hipIpcMemLazyEnablePeerAccess) != hipSuccess) return 1;
  std::vector<int> values(count);
  const std::size_t size = count * sizeof(int);
  if (hipMemcpy(values.data(), device, size, hipMemcpyDeviceToHost) != hipSuccess) return 2;
  for (int& value : values) value *= 2;
  if (hipMemcpy(device, values.data(), size, hipMemcpyHostToDevice) != hipSuccess) return 3;
  if (hipFree(device) == hipSuccess) return 4;  // it is not ours
  if (hipIpcCloseMemHandle(device) != hipSuccess) return 5;
  if (hipMemset(device, 0, 4) == hipSuccess) return 6;  // gone
  return hipIpcCloseMemHandle(device) == hipSuccess ? 7 : 0;
}
