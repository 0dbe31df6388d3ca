// What people define before they include the library: every name of one capital letter, and words
// of capitals. It has no such names of its own, so that none of these changes it. (HIP's own
// headers do: who defines these includes HIP before.)
#include <hip/hip_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <memory>
#include <string>

#define HOSTILE \
  }             \
  a macro of the user #
#define A HOSTILE
#define B HOSTILE
#define C HOSTILE
#define D HOSTILE
#define E HOSTILE
#define F HOSTILE
#define G HOSTILE
#define H HOSTILE
#define I HOSTILE
#define J HOSTILE
#define K HOSTILE
#define L HOSTILE
#define M HOSTILE
#define N HOSTILE
#define O HOSTILE
#define P HOSTILE
#define Q HOSTILE
#define R HOSTILE
#define S HOSTILE
#define T HOSTILE
#define U HOSTILE
#define V HOSTILE
#define W HOSTILE
#define X HOSTILE
#define Y HOSTILE
#define Z HOSTILE
#define TILE HOSTILE
#define SIZE HOSTILE
#define WIDTH HOSTILE
#define DEPTH HOSTILE
#define ROWS HOSTILE
#define COLUMNS HOSTILE
#define BLOCK HOSTILE
#define TYPE HOSTILE
#define WAVE HOSTILE
#define WARP_SIZE HOSTILE

#include "hipsight/kernels/append_to_cache.h"
#include "hipsight/kernels/attention.h"
#include "hipsight/kernels/attention/on_host.h"
#include "hipsight/kernels/attention_backward.h"
#include "hipsight/kernels/attention_backward/on_host.h"
#include "hipsight/kernels/causal_convolution.h"
#include "hipsight/kernels/convolution.h"
#include "hipsight/kernels/convolution/on_host.h"
#include "hipsight/kernels/gemm.h"
#include "hipsight/kernels/gemm/on_host.h"
#include "hipsight/kernels/grouped_gemm.h"
#include "hipsight/kernels/grouped_gemm/on_host.h"
#include "hipsight/kernels/int4_gemm.h"
#include "hipsight/kernels/moe.h"
#include "hipsight/kernels/moe/on_host.h"
#include "hipsight/kernels/paged_attention.h"
#include "hipsight/kernels/paged_attention/on_host.h"
#include "hipsight/kernels/rows.h"
#include "hipsight/kernels/rows/on_host.h"
#include "hipsight/kernels/training.h"
#include "hipsight/kernels/training/on_host.h"
#include "hipsight/kernels/wave_roles.h"

hipsight::kernels::Status call(const hipsight::kernels::RowMajor<const float>& a,
                               const hipsight::kernels::RowMajor<float>& c) {
  return hipsight::kernels::gemm(nullptr, a, a, c);
}

hipsight::kernels::Status call(const hipsight::kernels::RowMajor<const float>& a,
                               const hipsight::kernels::RowMajor<float>& c,
                               const hipsight::kernels::RowGroups& groups, const int* index) {
  using namespace hipsight::kernels;
  return grouped_gemm<TileSize::small>(nullptr, indexed_rows(a, index, 1), a, c, groups);
}
