#include "support/environment.h"

#include <cstdlib>

namespace hipsight {

std::string environment(const char* name) {
  const char* value = secure_getenv(name);
  return value ? value : "";
}

}  // namespace hipsight
