// What the kernel library is predicted to take: how much of what the GPU can reach that is, and how
// it stands beside public kernels in the same model.
//   bench_kernels FILE.json [--part NAME] [--gpu NAME] [--triton DIR]
#include "kernels/kernels.h"

#include <string>
#include <string_view>
#include <vector>

#include "kernels/beside.h"
#include "table.h"

namespace hipsight::bench {
namespace {

std::string only, only_gpu;  ///< part and GPU; empty: all
std::string triton_source;   ///< to record what is missing of Triton's kernels

int run(const std::string& json) {
  std::vector<Row> rows;
  const auto runs = [](std::string_view part) { return only.empty() || only == part; };
  for (const std::string gpu : {"mi210", "mi300x", "mi308x", "mi355x", "rx7900xtx", "rx9070xt"}) {
    if (!only_gpu.empty() && only_gpu != gpu) continue;
    if (gpu != "mi308x") {  // of which others are like MI300X's
      if (runs("gemm")) add_gemms(gpu, rows);
      if (runs("grouped")) add_grouped_gemms(gpu, rows);
      if (runs("int4")) add_int4_gemms(gpu, rows);
      if (runs("convolution")) add_convolutions(gpu, rows);
      if (runs("attention")) add_attention(gpu, rows);
      if (runs("backward")) add_attention_backward(gpu, rows);
      if (runs("paged")) add_paged_attention(gpu, rows);
      if (runs("rows")) add_rows(gpu, rows);
      if (only == "compile") add_compile_times(gpu, rows);  // minutes, of another kind
    }
    if (!triton_source.empty()) record_triton(triton_source, gpu);
    if (runs("triton")) add_beside(triton_contests(gpu), rows);
    if (runs("assembly")) add_beside(assembly_contests(gpu), rows);
  }
  return publish(rows, json);
}

}  // namespace
}  // namespace hipsight::bench

int main(int argc, char** argv) {
  for (; argc >= 4; argc -= 2) {
    const std::string_view option = argv[argc - 2];
    if (option == "--part")
      hipsight::bench::only = argv[argc - 1];
    else if (option == "--gpu")
      hipsight::bench::only_gpu = argv[argc - 1];
    else if (option == "--triton")
      hipsight::bench::triton_source = argv[argc - 1];
    else
      break;
  }
  return hipsight::bench::main_of(argc, argv, hipsight::bench::run);
}
