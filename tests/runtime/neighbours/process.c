/* process LIBRARY... CODE_OBJECT: a process that holds the libraries, in this order, and then runs a kernel by the
   last of them. What has a + before it is for all to see. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** arguments) {
  void* library = 0;
  for (int i = 1; i < count - 1; ++i) {
    const int global = arguments[i][0] == '+';
    library = dlopen(arguments[i] + global, RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!library) return puts(dlerror()), 2;
  }
  int (*run)(const char*) = (int (*)(const char*))dlsym(library, "run");
  return run ? run(arguments[count - 1]) : 3;
}
