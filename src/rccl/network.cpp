#include "network.h"

#include <dlfcn.h>

#include <cstdlib>

namespace hipsight::rccl {
namespace {

/// Numbers that Open MPI's mpirun sets, or else Slurm with PMIx.
int of_job(const char* mpirun, const char* slurm) {
  const char* value = secure_getenv(mpirun);
  if (!value && secure_getenv("PMIX_RANK")) value = secure_getenv(slurm);
  return value ? std::atoi(value) : -1;
}

/// Streams send and receive on threads of their own, beside the program's. Programs that start MPI
/// themselves ask for no threads: Open MPI gives them nevertheless when this says so.
[[gnu::constructor]] void ask_for_threads() {
  if (number_in_job() >= 0) setenv("OMPI_MPI_THREAD_LEVEL", "3", 0);
}

struct Found {
  Network* network = nullptr;
  std::string why;
};

Found find() {
  if (number_in_job() < 0) return {};
  void* const library = dlopen("librccl-mpi.so.1", RTLD_NOW);
  if (!library) return {nullptr, std::string("there is no way to other processes: ") + dlerror()};
  using Start = Network* (*)(std::string&);
  const auto start = reinterpret_cast<Start>(dlsym(library, "hipsight_rccl_network"));
  Found found;
  if (start)
    found.network = start(found.why);
  else
    found.why = "librccl-mpi.so.1 is of another version";
  return found;
}

}  // namespace

int number_in_job() {
  if (of_job("OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS") < 2) return -1;
  return of_job("OMPI_COMM_WORLD_RANK", "SLURM_PROCID");
}

Network* network(std::string& why) {
  static const Found& found = *new Found(find());
  why = found.why;
  return found.network;
}

}  // namespace hipsight::rccl
