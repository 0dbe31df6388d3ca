// Calls of operations on rows.
#pragma once

#include "call.h"

namespace hipsight::operations {

using Tensor = const hipsight_tensor*;

/// A call whose matrices are tokens x columns: x, others that are alike it, and a result y.
class OnRows : public Call {
 public:
  /// `source`: of the instance.
  OnRows(const char* operation, const hipsight_context* context, const char* name, Tensor x,
         const char* source = "rows")
      : Call(operation, context), x_(x), instance_{source, {}} {
    takes(name, x, {2}, computed).by_rows({x});
    instance_.macros = {std::string("VALUE=") + name_of(x->type),
                        std::string("OPERATION_") + operation};
  }

  OnRows& alike(const char* name, Tensor tensor) {
    takes(name, tensor, {2}, computed).same_type({x_, tensor}).same_sizes({x_, tensor});
    by_rows({tensor});
    return *this;
  }
  /// A value for each column.
  OnRows& of_columns(const char* name, Tensor tensor) {
    takes(name, tensor, {1}, computed).same_type({x_, tensor}).without_gaps({tensor});
    require(tensor->sizes[0] == x_->sizes[1],
            std::string(name) + " must have a value for each column");
    return *this;
  }
  /// f32, of x's sizes.
  OnRows& in_f32(const char* name, Tensor tensor) {
    takes(name, tensor, {2}, f32).same_sizes({x_, tensor}).by_rows({tensor});
    return *this;
  }
  /// A value for each row.
  OnRows& of_rows(const char* name, Tensor tensor, Types types) {
    takes(name, tensor, {1}, types).without_gaps({tensor});
    require(tensor->sizes[0] == x_->sizes[0],
            std::string(name) + " must have a value for each row");
    return *this;
  }
  /// Memory for the call.
  OnRows& workspace(Tensor tensor) {
    takes("workspace", tensor, {1}, {HIPSIGHT_I8}).without_gaps({tensor});
    return *this;
  }
  OnRows& macro(const std::string& one) {
    instance_.macros.push_back(one);
    return *this;
  }
  /// Of x's type, or quantised, with its scales.
  OnRows& result(Tensor y, Tensor scales) {
    if (!scales) return alike("y", y);
    takes("y", y, {2}, quantised).takes("scales", scales, {2}, f32).by_rows({y, scales});
    same_sizes({x_, y});
    const int64_t rows = x_->sizes[0], columns = x_->sizes[1];
    instance_.macros.push_back(std::string("QUANTISED=") + name_of(y->type));
    // Of up to 128 columns there is one block: a scale for each row.
    const bool by_row = scales->sizes[1] == 1;
    require(scales->sizes[0] == rows && (by_row || scales->sizes[1] == blocks(columns)),
            "scales must be tokens x 1, or tokens x columns/128");
    if (by_row)
      without_gaps({scales});
    else
      instance_.macros.emplace_back("BLOCKS");
    return *this;
  }

  template <class Function, class... Arguments>
  const char* run(Function* function, const char* name, Arguments... arguments) const {
    return Call::run(instance_, function, name, arguments...);
  }

 private:
  Tensor x_;
  Instance instance_;
};

}  // namespace hipsight::operations
