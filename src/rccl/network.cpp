#include "network.h"

#include <dlfcn.h>

#include <cstdlib>

namespace hipsight::rccl {
namespace {

/// What Open MPI's mpirun, Slurm and others that start jobs by PMIx set.
bool in_job() {
  const char* const size = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (size) return std::atoi(size) > 1;
  const char* const tasks = std::getenv("SLURM_NTASKS");
  return std::getenv("PMIX_RANK") && tasks && std::atoi(tasks) > 1;
}

/// Streams send and receive on threads of their own, beside the program's. Programs that start MPI
/// themselves ask for no threads: Open MPI gives them nevertheless when this says so.
[[gnu::constructor]] void ask_for_threads() {
  if (in_job()) setenv("OMPI_MPI_THREAD_LEVEL", "3", 0);
}

struct Found {
  Network* network = nullptr;
  std::string why;
};

Found find() {
  if (!in_job()) return {};
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

Network* network(std::string& why) {
  static const Found& found = *new Found(find());
  why = found.why;
  return found.network;
}

}  // namespace hipsight::rccl
