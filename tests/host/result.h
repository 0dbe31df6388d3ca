#pragma once
// What passes between the two sides: results of the host, and words of the GPU.

#include <cstdint>
#include <string>
#include <vector>

namespace host_test {

/// The type of a result, as far as comparing it needs.
enum class Kind { integer, f16, f32, f64 };

/// A result of a work-item on the host.
struct Result {
  std::uint64_t bits;
  Kind kind;
  const char* text;  // the expression
};

/// Four inputs for each work-item of a case, and the host's results.
struct ItemReference {
  std::uint32_t items = 0;
  std::vector<std::uint64_t> inputs;         // words [input][item]
  std::vector<std::vector<Result>> results;  // [item][result]
};

/// An input for each thread of a case's groups, and what the host's threads leave.
struct GroupReference {
  std::vector<std::uint64_t> inputs, outputs, totals;
};

// The cases of kernels/all.h in the order of its lists; work-items first.
std::vector<std::string> item_case_names();
std::vector<std::string> group_case_names();
ItemReference run_items_on_host(std::size_t index, std::uint32_t items);
GroupReference run_groups_on_host(std::size_t index);

/// How many work-items a case has: fewer of code that was not optimised, which is slow.
std::uint32_t item_count();
/// Runs a case on the GPU; gives `results` words for each work-item, as words [result][item].
std::vector<std::uint64_t> run_items_on_gpu(std::size_t index, const ItemReference& reference,
                                            std::uint32_t results);
/// Runs a case on the GPU; fills the outputs and totals, which have their sizes.
void run_groups_on_gpu(std::size_t index, const std::vector<std::uint64_t>& inputs,
                       std::vector<std::uint64_t>& outputs, std::vector<std::uint64_t>& totals);

}  // namespace host_test
