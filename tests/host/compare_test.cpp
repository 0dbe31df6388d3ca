// Each case on the GPU against the host, bit for bit.
//
// Of NaNs only that they are NaNs: IEEE 754 and C++ leave open which operand's payload a result
// keeps, and compilers swap operands. (tests/isa compares the payloads that instructions give.)

#include <gtest/gtest.h>

#include <cctype>
#include <ostream>
#include <sstream>

#include "result.h"

namespace host_test {
namespace {

bool is_nan(std::uint64_t bits, Kind kind) {
  switch (kind) {
    case Kind::integer:
      return false;
    case Kind::f16:
      return (bits & 0x7fff) > 0x7c00;
    case Kind::f32:
      return (bits & 0x7fffffff) > 0x7f800000;
    case Kind::f64:
      return (bits & ~0ull >> 1) > 0x7ffull << 52;
  }
  return false;
}

struct Case {
  std::string name;
  std::size_t index;
};
std::vector<Case> cases(const std::vector<std::string>& names) {
  std::vector<Case> all;
  for (const std::string& name : names) all.push_back({name, all.size()});
  return all;
}
std::string test_name(const testing::TestParamInfo<Case>& info) {
  std::string name;  // of the type, in letters that GoogleTest allows
  for (const char c : info.param.name.substr(info.param.name.rfind(", ") + 2))
    if (std::isalnum(static_cast<unsigned char>(c)))
      name += c;
    else if (c == '<' || c == ' ')
      name += '_';
  return name;
}
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class Items : public testing::TestWithParam<Case> {};

TEST_P(Items, GiveTheHostsResults) {
  const ItemReference host = run_items_on_host(GetParam().index, item_count());
  const auto rows = static_cast<std::uint32_t>(host.results[0].size());
  const auto gpu = run_items_on_gpu(GetParam().index, host, rows);
  // One message for each expression: how many work-items differ, and the first of them.
  for (std::uint32_t row = 0; row < rows; row++) {
    std::uint32_t wrong = 0;
    std::string first;
    for (std::uint32_t item = 0; item < host.items; item++) {
      const Result& want = host.results[item].at(row);
      const std::uint64_t got = gpu[std::size_t{row} * host.items + item];
      if (got == want.bits) continue;
      if (is_nan(got, want.kind) && is_nan(want.bits, want.kind)) continue;
      if (wrong++) continue;
      std::ostringstream text;
      text << "work-item " << item << std::hex << ", inputs";
      for (int i = 0; i < 4; i++) text << " 0x" << host.inputs[std::size_t(i) * host.items + item];
      text << ": 0x" << got << " instead of 0x" << want.bits;
      first = text.str();
    }
    if (wrong)
      ADD_FAILURE() << "result " << row << ", " << host.results[0][row].text << ": " << wrong
                    << " of " << host.items << " differ; " << first;
  }
}

class Groups : public testing::TestWithParam<Case> {};

TEST_P(Groups, LeaveWhatTheHostsLeave) {
  const GroupReference host = run_groups_on_host(GetParam().index);
  std::vector<std::uint64_t> outputs(host.outputs.size()), totals(host.totals.size());
  run_groups_on_gpu(GetParam().index, host.inputs, outputs, totals);
  const auto compare = [](const char* what, const auto& got, const auto& want) {
    for (std::size_t i = 0; i < want.size(); i++) {
      if (got[i] == want[i]) continue;
      ADD_FAILURE() << what << " " << i << std::hex << ": 0x" << got[i] << " instead of 0x"
                    << want[i];
      return;
    }
  };
  compare("output of thread", outputs, host.outputs);
  compare("total", totals, host.totals);
}

INSTANTIATE_TEST_SUITE_P(, Items, testing::ValuesIn(cases(item_case_names())), test_name);
INSTANTIATE_TEST_SUITE_P(, Groups, testing::ValuesIn(cases(group_case_names())), test_name);

}  // namespace
}  // namespace host_test
