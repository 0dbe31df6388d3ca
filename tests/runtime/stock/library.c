/* Stands in for HIP's own library while the client is linked, so that the client asks for the
   versions that programs built with ROCm ask for. It is never run. */
int hipMalloc(void** pointer, unsigned long size) { return 999; }
int hipFree(void* pointer) { return 999; }
int hipMemcpy(void* to, const void* from, unsigned long size, int kind) { return 999; }
int hipGraphCreate(void** graph, unsigned flags) { return 999; }
int hipMallocAsync(void** pointer, unsigned long size, void* stream) { return 999; }
int hipGetDevicePropertiesR0600(void* properties, int device) { return 999; }
