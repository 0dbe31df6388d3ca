// The host's side: every case in a loop, compiled without contraction.

#include <string_view>

#include "inputs.h"
#include "kernels/all.h"

namespace host_test {
namespace {

template <class T>
std::string type_name() {
  // "std::string host_test::(anonymous namespace)::type_name() [T = …]"
  const std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t at = text.rfind("T = ") + 4;
  std::string name(text.substr(at, text.size() - at - 1));
  for (std::size_t at; (at = name.find("host_test::")) != name.npos;) name.erase(at, 11);
  return name;
}

template <class Case>
ItemReference run_items(u32 items) {
  using T = typename Case::Input;
  ItemReference reference;
  reference.items = items;
  reference.inputs = make_inputs<T>(items, 1);
  reference.results.resize(items);
  for (u32 item = 0; item < items; item++) {
    const auto input = [&](u32 i) { return from_bits<T>(reference.inputs[i * items + item]); };
    Out out;
    Case::run(input(0), input(1), input(2), input(3), out);
    reference.results[item] = std::move(out.results);
  }
  return reference;
}

template <class Case>
GroupReference run_groups() {
  const u32 threads = volume(Case::size), groups = volume(Case::count);
  GroupReference reference;
  std::mt19937_64 random(1);
  for (u32 i = 0; i < threads * groups; i++) reference.inputs.push_back(random());
  reference.outputs.resize(threads * groups);
  reference.totals.resize(shared_words);
  for (u32 group = 0; group < groups; group++) {
    typename Case::Shared shared;
    const auto place = [](u32 index, Triple size) {
      return Triple{index % size.x, index / size.x % size.y, index / size.x / size.y};
    };
    Fibers::run(threads, [&](Fibers& fibers, u32 thread) {
      Group self(fibers, place(thread, Case::size), place(group, Case::count), Case::size,
                 Case::count);
      Case::run(self, shared, reference.inputs.data(), reference.outputs.data(),
                reference.totals.data());
    });
  }
  return reference;
}

// Tables by index.
template <class... Case>
std::vector<std::string> names(List<Case...>) {
  return {std::string(Case::name) + ", " + type_name<Case>()...};
}
template <class... Case>
ItemReference run_case(List<Case...>, std::size_t index, u32 items) {
  static constexpr ItemReference (*all[])(u32) = {run_items<Case>...};
  return all[index](items);
}
template <class... Case>
GroupReference run_case(List<Case...>, std::size_t index) {
  static constexpr GroupReference (*all[])() = {run_groups<Case>...};
  return all[index]();
}

}  // namespace

std::vector<std::string> item_case_names() {
  return names(ItemCases{});
}
std::vector<std::string> group_case_names() {
  return names(GroupCases{});
}
ItemReference run_items_on_host(std::size_t index, u32 items) {
  return run_case(ItemCases{}, index, items);
}
GroupReference run_groups_on_host(std::size_t index) {
  return run_case(GroupCases{}, index);
}

}  // namespace host_test
