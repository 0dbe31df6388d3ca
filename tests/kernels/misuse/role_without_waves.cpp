// WaveRoles: two or more roles, of waves each
#include "hipsight/kernels/wave_roles.h"
using namespace hipsight::kernels;
#ifdef MISUSE
using Roles = WaveRoles<4, 0>;
#else
using Roles = WaveRoles<4, 1>;
#endif
static_assert(Roles::threads == (Roles::threads_of<0> + Roles::threads_of<1>));
