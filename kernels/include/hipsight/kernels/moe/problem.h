// What is asked of a mixture of experts, and what no kernel takes.
#pragma once

#include "../rows/check.h"
#include "../rows/operands.h"
#include "sort.h"

namespace hipsight::kernels {

inline void check_route(RowCheck& check, int experts, const RouteOptions& options) {
  const auto range = [&](const char* name, int value, int most) {
    if (value < 1 || value > most) check.fail(name, " is ", value, ": it must be from 1 to ", most);
  };
  range("the number of experts", experts, most_experts);
  range("the number of groups", options.groups, most_groups);
  if (!check.failed() && experts % options.groups != 0)
    check.fail(experts, " experts cannot be in ", options.groups, " groups of as many each");
  range("the number of groups that are chosen", options.chosen_groups, options.groups);
  range("the number of experts by which a group is chosen", options.of_group, 2);
  if (check.failed()) return;
  const int open = experts / options.groups * options.chosen_groups;
  range("the number of experts of a token", options.chosen,
        open < most_chosen ? open : most_chosen);
  check.scale("the factor", options.factor);
}

template <class Value>
void check_choices(RowCheck& check, const char* name, const RowMajor<Value>& matrix, int rows,
                   int columns) {
  if (matrix.rows != rows || matrix.columns != columns)
    check.fail(name, " is ", matrix.rows, " x ", matrix.columns, ": it must be ", rows, " x ",
               columns);
  if (matrix.stride < columns && rows > 1)
    check.fail(name, "'s stride of ", matrix.stride, " is less than its ", columns, " columns");
  if (!matrix.data && rows > 0) check.fail(name, " is a null pointer");
}

template <class Value>
std::string wrong_with(const Route<Value>& route) {
  static_assert(is_float<Value>, "moe_route: the scores must be of f32, f16 or bf16");
  RowCheck check("moe_route", route.scores.rows, route.scores.columns);
  check.operand("the scores", route.scores);
  check_route(check, route.scores.columns, route.options);
  check_choices(check, "the experts", route.experts, route.scores.rows, route.options.chosen);
  check_choices(check, "the weights", route.weights, route.scores.rows, route.options.chosen);
  return check.error();
}

inline std::string wrong_with(const SortByExpert& sort) {
  Check check("moe_sort");
  if (sort.choices < 0) check.fail("the number of choices is negative: ", sort.choices);
  if (sort.chosen < 1) check.fail("the number of experts of a token is ", sort.chosen);
  if (sort.count < 1 || sort.count > 65536)
    check.fail("the number of experts is ", sort.count, ": it must be from 1 to 65536");
  check.pointer("the starts", sort.starts);
  if (sort.choices > 0) {
    check.pointer("the experts", sort.experts);
    check.pointer("the rows", sort.rows);
    check.pointer("the places", sort.places);
  }
  return check.error();
}

template <class Value>
std::string wrong_with(const CombineExperts<Value>& combine) {
  static_assert(is_float<Value>, "moe_combine: the rows must be of f32, f16 or bf16");
  RowCheck check("moe_combine", combine.out.rows, combine.out.columns);
  check.operand("the output", combine.out);
  check_choices(check, "the weights", combine.weights, combine.out.rows, combine.weights.columns);
  if (combine.in.columns != combine.out.columns)
    check.fail("the input has ", combine.in.columns, " columns, the output ", combine.out.columns);
  if (combine.in.stride < combine.in.columns && combine.in.rows > 1)
    check.fail("the input's stride of ", combine.in.stride, " is less than its ",
               combine.in.columns, " columns");
  if (combine.out.rows > 0 && combine.out.columns > 0 && combine.weights.columns > 0) {
    check.pointer("the input", combine.in.data);
    check.pointer("the places", combine.places);
  }
  return check.error();
}

}  // namespace hipsight::kernels
