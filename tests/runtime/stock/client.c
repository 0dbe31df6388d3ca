/* A program linked against versioned symbols of HIP 6: exits with 0 when they work. */
#include <string.h>

int hipMalloc(void** pointer, unsigned long size);
int hipFree(void* pointer);
int hipMemcpy(void* to, const void* from, unsigned long size, int kind);
int hipGraphCreate(void** graph, unsigned flags);
int hipMallocAsync(void** pointer, unsigned long size, void* stream);
int hipGetDevicePropertiesR0600(void* properties, int device);

int main(void) {
  static char properties[1472];
  if (hipGetDevicePropertiesR0600(properties, 0) != 0) return 1;
  if (strcmp(properties + 1160, "gfx942:sramecc+:xnack-") != 0) return 2;
  void* device = 0;
  int value = 42, back = 0;
  if (hipMallocAsync(&device, sizeof value, 0) != 0) return 3;
  if (hipMemcpy(device, &value, sizeof value, 1) != 0) return 4;
  if (hipMemcpy(&back, device, sizeof value, 2) != 0 || back != 42) return 5;
  if (hipFree(device) != 0) return 6;
  if (hipMalloc(&device, 8) != 0 || device == 0) return 7;
  return &hipGraphCreate == 0 ? 8 : 0;
}
