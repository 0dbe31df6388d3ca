// A call of an operation: its tensors are checked, then its instance is called.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "instances.h"

namespace hipsight::operations {

using Types = std::initializer_list<hipsight_type>;
inline constexpr Types computed{HIPSIGHT_F16, HIPSIGHT_BF16, HIPSIGHT_F32};
inline constexpr Types halves{HIPSIGHT_F16, HIPSIGHT_BF16};
inline constexpr Types fp8{HIPSIGHT_FP8_E4M3, HIPSIGHT_FP8_E4M3_FNUZ};
inline constexpr Types quantised{HIPSIGHT_FP8_E4M3, HIPSIGHT_FP8_E4M3_FNUZ, HIPSIGHT_I8};
inline constexpr Types f32{HIPSIGHT_F32};
inline constexpr Types whole{HIPSIGHT_I32};

bool is_one_of(hipsight_type type, Types types);

/// As kernels/types.h calls it: "bf16".
const char* name_of(hipsight_type type);

/// Columns that share a scale (kernels/gemm/scales.h, rows/operands.h).
constexpr int64_t block = 128;
constexpr int64_t blocks(int64_t size) {
  return (size + block - 1) / block;
}

class Call {
 public:
  /// @throws Failure, as all below, with a text for the user.
  Call(const char* operation, const hipsight_context* context);

  /// A tensor: of so many dimensions, each of fewer than 2^31 elements, and of one of the types.
  Call& takes(const char* name, const hipsight_tensor* tensor,
              std::initializer_list<int> dimensions, Types types);
  /// Null is none.
  Call& may_take(const char* name, const hipsight_tensor* tensor,
                 std::initializer_list<int> dimensions, Types types);

  /// The last dimension lies side by side, and lines do not overlap.
  Call& by_rows(std::initializer_list<const hipsight_tensor*> tensors);
  /// Every element follows the one before it.
  Call& without_gaps(std::initializer_list<const hipsight_tensor*> tensors);
  Call& same_type(std::initializer_list<const hipsight_tensor*> tensors);
  Call& same_sizes(std::initializer_list<const hipsight_tensor*> tensors);

  /// `what` must be so.
  Call& require(bool so, const std::string& what);

  /// "row_major" or "column_major", of the last two dimensions.
  const char* order_of(const hipsight_tensor* tensor);

  /// Calls the function of the instance, which is of the same type as the operation's own.
  template <class... Parameters, class... Arguments>
  const char* run(const Instance& instance, const char* (*)(const hipsight_context*, Parameters...),
                  const char* name, Arguments... arguments) const {
    if (context_->only_find) {
      file_of(*context_, instance);
      return nullptr;
    }
    using Function = const char*(const hipsight_context*, Parameters...);
    auto* const function = reinterpret_cast<Function*>(function_of(*context_, instance, name));
    return function(context_, arguments...);
  }

 private:
  struct Named {
    const char* name;
    const hipsight_tensor* tensor;
  };
  [[noreturn]] void fail(const std::string& what) const;
  const char* name_of_tensor(const hipsight_tensor* tensor) const;

  const char* operation_;
  const hipsight_context* context_;
  std::vector<Named> tensors_;
};

/// What a call that throws gives back; the text stays until the thread's next one.
const char* failed(const char* text);

/// Null, or what is wrong.
template <class Function>
const char* guarded(Function&& function) {
  try {
    return function();
  } catch (const std::exception& error) {
    return failed(error.what());
  }
}

}  // namespace hipsight::operations
