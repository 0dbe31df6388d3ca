#include "runtime/exit.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "runtime/state.h"

namespace hipsight::runtime {
namespace {

// docs/exit-codes.md: for programs that returned 0 although a kernel failed.
constexpr int kernel_error_status = 86;
constexpr int timeout_status = 124;

int program_status = -1;  // the program's own, once it exits

// Runs when the program and the libraries above this one have run their exit handlers and static
// destructors, which may still call HIP; only then is the report complete.
__attribute__((destructor)) void finish_process() {
  Context* context = Context::get_if_made();
  if (!context) return;
  context->session().finish();
  const hipError_t error = first_kernel_error();
  if (error == hipSuccess || program_status != 0) return;
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);
  _exit(error == hipErrorLaunchTimeOut ? timeout_status : kernel_error_status);
}

}  // namespace

void watch_exit() {
  on_exit([](int status, void*) { program_status = status & 0xff; }, nullptr);
}

}  // namespace hipsight::runtime
