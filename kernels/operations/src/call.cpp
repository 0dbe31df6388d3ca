#include "call.h"

#include <algorithm>

namespace hipsight::operations {
namespace {

bool lines_lie_apart(const hipsight_tensor& tensor, int line, int within) {
  return tensor.sizes[line] <= 1 || tensor.strides[line] >= tensor.sizes[within];
}
bool lies_side_by_side(const hipsight_tensor& tensor, int dimension) {
  return tensor.sizes[dimension] <= 1 || tensor.strides[dimension] == 1;
}

std::string sizes_of(const hipsight_tensor& tensor) {
  std::string text = "(";
  for (int i = 0; i < tensor.dimensions; i++)
    text += (i ? ", " : "") + std::to_string(tensor.sizes[i]);
  return text + ")";
}

}  // namespace

bool is_one_of(hipsight_type type, Types types) {
  return std::ranges::find(types, type) != types.end();
}

const char* name_of(hipsight_type type) {
  switch (type) {
    case HIPSIGHT_F16:
      return "f16";
    case HIPSIGHT_BF16:
      return "bf16";
    case HIPSIGHT_F32:
      return "f32";
    case HIPSIGHT_FP8_E4M3:
      return "fp8_e4m3";
    case HIPSIGHT_FP8_E4M3_FNUZ:
      return "fp8_e4m3_fnuz";
    case HIPSIGHT_I8:
      return "std::int8_t";
    case HIPSIGHT_I32:
      return "std::int32_t";
  }
  return "a type that there is not";
}

Call::Call(const char* operation, const hipsight_context* context)
    : operation_(operation), context_(context) {
  if (!context) fail("there is no context");
}

void Call::fail(const std::string& what) const {
  std::string text = std::string(operation_) + ": " + what;
  for (const Named& one : tensors_)
    text += std::string(&one == tensors_.data() ? "; " : ", ") + one.name + " is " +
            name_of(one.tensor->type) + " " + sizes_of(*one.tensor);
  throw Failure(text);
}

const char* Call::name_of_tensor(const hipsight_tensor* tensor) const {
  return std::ranges::find(tensors_, tensor, &Named::tensor)->name;
}

Call& Call::takes(const char* name, const hipsight_tensor* tensor,
                  std::initializer_list<int> dimensions, Types types) {
  if (!tensor) fail(std::string("there is no ") + name);
  if (tensor->dimensions < 0 || tensor->dimensions > HIPSIGHT_DIMENSIONS)
    fail(std::string(name) + " has " + std::to_string(tensor->dimensions) + " dimensions");
  tensors_.push_back({name, tensor});
  if (std::ranges::find(dimensions, tensor->dimensions) == dimensions.end()) {
    std::string wanted;
    for (const int one : dimensions) wanted += (wanted.empty() ? "" : " or ") + std::to_string(one);
    fail(std::string(name) + " must have " + wanted + " dimensions");
  }
  if (!is_one_of(tensor->type, types)) {
    std::string wanted;
    for (const hipsight_type one : types)
      wanted += std::string(wanted.empty() ? "" : " or ") + name_of(one);
    fail(std::string(name) + " must be " + wanted);
  }
  for (int i = 0; i < tensor->dimensions; i++)
    if (tensor->sizes[i] < 0 || tensor->sizes[i] > INT32_MAX)
      fail(std::string(name) + " must have fewer than 2^31 elements in each dimension");
  return *this;
}

Call& Call::may_take(const char* name, const hipsight_tensor* tensor,
                     std::initializer_list<int> dimensions, Types types) {
  return tensor ? takes(name, tensor, dimensions, types) : *this;
}

Call& Call::by_rows(std::initializer_list<const hipsight_tensor*> tensors) {
  for (const hipsight_tensor* tensor : tensors) {
    if (!tensor) continue;
    const int last = tensor->dimensions - 1;
    require(
        lies_side_by_side(*tensor, last) && (last == 0 || lines_lie_apart(*tensor, last - 1, last)),
        std::string("the rows of ") + name_of_tensor(tensor) +
            " must lie side by side, and not overlap");
  }
  return *this;
}

Call& Call::without_gaps(std::initializer_list<const hipsight_tensor*> tensors) {
  for (const hipsight_tensor* tensor : tensors) {
    if (!tensor) continue;
    std::int64_t stride = 1;
    for (int i = tensor->dimensions - 1; i >= 0; i--) {
      require(tensor->sizes[i] <= 1 || tensor->strides[i] == stride,
              std::string(name_of_tensor(tensor)) + " must lie without gaps");
      stride *= tensor->sizes[i];
    }
  }
  return *this;
}

Call& Call::same_type(std::initializer_list<const hipsight_tensor*> tensors) {
  const hipsight_tensor* const first = *tensors.begin();
  for (const hipsight_tensor* tensor : tensors)
    if (tensor)
      require(tensor->type == first->type, std::string(name_of_tensor(tensor)) +
                                               " must have the type of " + name_of_tensor(first));
  return *this;
}

Call& Call::same_sizes(std::initializer_list<const hipsight_tensor*> tensors) {
  const hipsight_tensor* const first = *tensors.begin();
  for (const hipsight_tensor* tensor : tensors)
    if (tensor)
      require(
          std::equal(tensor->sizes, tensor->sizes + tensor->dimensions, first->sizes,
                     first->sizes + first->dimensions),
          std::string(name_of_tensor(tensor)) + " must have the sizes of " + name_of_tensor(first));
  return *this;
}

Call& Call::require(bool so, const std::string& what) {
  if (!so) fail(what);
  return *this;
}

const char* Call::order_of(const hipsight_tensor* tensor) {
  const int row = tensor->dimensions - 2, column = row + 1;
  if (lies_side_by_side(*tensor, column) && lines_lie_apart(*tensor, row, column))
    return "row_major";
  require(lies_side_by_side(*tensor, row) && lines_lie_apart(*tensor, column, row),
          std::string("rows or columns of ") + name_of_tensor(tensor) +
              " must lie side by side, and not overlap");
  return "column_major";
}

const char* failed(const char* text) {
  static thread_local std::string kept;
  kept = text;
  return kept.c_str();
}

}  // namespace hipsight::operations
