#include "timing/validated.h"

#include <algorithm>
#include <array>

namespace hipsight::timing {
namespace {

struct Validated {
  std::string_view gpu, family;
  ModelError error;
};
constexpr auto validated = std::to_array<Validated>({
    {"mi210", "one wave", {2.5, 26.4, 25}},
    {"mi210", "small launch", {5.2, 11.0, 22}},
    {"mi210", "stream, L1", {46.2, 71.3, 12}},
    {"mi210", "stream, L2", {7.7, 38.4, 39}},
    {"mi210", "stream, memory", {1.1, 9.4, 21}},
    {"mi210", "strided", {81.4, 86.1, 43}},
    {"mi250x", "stream, memory", {4.5, 19.0, 22}},
    {"mi300a", "one wave", {2.2, 13.9, 25}},
    {"mi300a", "stream, MALL", {2.1, 13.6, 11}},
    {"mi300a", "stream, memory", {8.0, 15.3, 43}},
    {"mi300x", "GEMM, i8", {5.9, 7.8, 21}},
    {"mi300x", "stream, L2", {3.6, 9.7, 24}},
    {"mi300x", "stream, MALL", {11.8, 54.5, 54}},
    {"mi300x", "stream, memory", {8.1, 22.5, 55}},
    {"mi308x", "scaled GEMM, fp8", {2.3, 5.4, 219}},
    {"mi308x", "split GEMM, bf16", {13.2, 21.0, 12}},
    {"mi308x", "split scaled GEMM, fp8", {2.4, 8.2, 101}},
    {"mi355x", "split GEMM, bf16", {5.5, 12.0, 300}},
});

}  // namespace

const ModelError* error_of(std::string_view gpu, std::string_view family) {
  const auto found = std::ranges::find_if(
      validated, [&](const Validated& v) { return v.gpu == gpu && v.family == family; });
  return found == validated.end() ? nullptr : &found->error;
}

}  // namespace hipsight::timing
