/* The softmax of a matrix without memory: which kernel it would be, launched by nobody. */
#include <hipsight/operations.h>
#include <stdio.h>

static void launch(void* data, const char* file, const char* kernel, hipsight_size grid,
                   hipsight_size block, size_t lds, void** arguments) {
  (void)lds, (void)arguments;
  printf("%u workgroups of %u of a kernel with a name of %s letters in %s\n", grid.x, block.x,
         kernel[0] ? "some" : "no", file);
  *(int*)data += 1;
}

int main(void) {
  int launches = 0;
  const hipsight_context context = {
      .target = "gfx942", .launch = launch, .launch_data = &launches, .compute_units = 304};
  const hipsight_tensor x = {&launches, HIPSIGHT_F32, 2, {1024, 64}, {64, 1}};
  const char* const wrong = hipsight_softmax(&context, &x, &x, 1);
  if (wrong) printf("%s\n", wrong);
  return !wrong && launches == 1 ? 0 : 1;
}
