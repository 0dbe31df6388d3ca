// hipsight/operations.h on an emulated MI300X, by the HIP runtime.
#include "hipsight/operations.h"

#include <gmock/gmock.h>
#include <hip/hip_runtime_api.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsNull;

/// A tensor of f32 without gaps, in memory that host and GPU see.
class Values {
 public:
  explicit Values(std::vector<std::int64_t> sizes, hipsight_type type = HIPSIGHT_F32)
      : tensor{nullptr, type, static_cast<int>(sizes.size()), {}, {}} {
    std::int64_t count = 1;
    for (std::size_t i = sizes.size(); i-- > 0; count *= sizes[i])
      tensor.sizes[i] = sizes[i], tensor.strides[i] = count;
    count_ = static_cast<std::size_t>(count);
    EXPECT_EQ(hipMallocManaged(&tensor.data, 4 * count_ + 4, hipMemAttachGlobal), hipSuccess);
    for (std::size_t i = 0; i < count_; i++) (*this)[i] = std::sin(static_cast<float>(7 * i % 101));
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  ~Values() { (void)hipFree(tensor.data); }

  float& operator[](std::size_t i) const { return static_cast<float*>(tensor.data)[i]; }
  int& whole(std::size_t i) const { return static_cast<int*>(tensor.data)[i]; }
  std::size_t size() const { return count_; }
  operator const hipsight_tensor*() const { return &tensor; }

  hipsight_tensor tensor;

 private:
  std::size_t count_ = 0;
};

/// The last two dimensions swapped, of the same values.
hipsight_tensor transposed(hipsight_tensor tensor) {
  const int row = tensor.dimensions - 2;
  std::swap(tensor.sizes[row], tensor.sizes[row + 1]);
  std::swap(tensor.strides[row], tensor.strides[row + 1]);
  return tensor;
}

class Operations : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(hipsight_operations_setup(nullptr, std::getenv("OPERATIONS_CACHE")), IsNull());
  }

  const hipsight_context on_mi300x{.target = "gfx942:sramecc+:xnack-"};
};

double at(const hipsight_tensor& tensor, std::int64_t i, std::int64_t j) {
  return static_cast<const float*>(tensor.data)[i * tensor.strides[0] + j * tensor.strides[1]];
}

void expect_product(const hipsight_tensor& a, const hipsight_tensor& b, const Values& c) {
  for (std::int64_t i = 0; i < c.tensor.sizes[0]; i++)
    for (std::int64_t j = 0; j < c.tensor.sizes[1]; j++) {
      double sum = 0;
      for (std::int64_t k = 0; k < a.sizes[1]; k++) sum += at(a, i, k) * at(b, k, j);
      ASSERT_NEAR(at(c.tensor, i, j), sum, 1e-4) << i << ", " << j;
    }
}

TEST_F(Operations, GemmTakesRowsAndColumns) {
  const Values a({70, 33}), b({33, 45}), b_by_columns({45, 33}), c({70, 45});
  ASSERT_THAT(hipsight_gemm(&on_mi300x, a, b, c, nullptr), IsNull());
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  expect_product(a.tensor, b.tensor, c);
  const hipsight_tensor of_columns = transposed(b_by_columns.tensor);
  ASSERT_THAT(hipsight_gemm(&on_mi300x, a, &of_columns, c, nullptr), IsNull());
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  expect_product(a.tensor, of_columns, c);
}

TEST_F(Operations, GemmSharesItsDepth) {
  const Values a({20, 4096}), b({4096, 45}), c({20, 45});
  std::uint64_t bytes = 0;
  ASSERT_THAT(hipsight_gemm_workspace(&on_mi300x, a, b, c, &bytes), IsNull());
  ASSERT_GT(bytes, 0u);
  // `Values` has floats.
  const Values memory({static_cast<std::int64_t>(bytes) / 4 + 1});
  const hipsight_tensor workspace{
      memory.tensor.data, HIPSIGHT_I8, 1, {static_cast<std::int64_t>(bytes)}, {1}};
  ASSERT_THAT(hipsight_gemm(&on_mi300x, a, b, c, &workspace), IsNull());
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  expect_product(a.tensor, b.tensor, c);
}

TEST_F(Operations, GemmDoesNotShareAShallowDepth) {
  const Values a({8, 64}), b({64, 8}), c({8, 8});
  std::uint64_t bytes = 1;
  ASSERT_THAT(hipsight_gemm_workspace(&on_mi300x, a, b, c, &bytes), IsNull());
  EXPECT_EQ(bytes, 0u);
}

TEST_F(Operations, GemmTakesAStream) {
  hipStream_t stream;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  hipsight_context there = on_mi300x;
  there.stream = stream;
  const Values a({16, 16}), b({16, 16}), c({16, 16});
  ASSERT_THAT(hipsight_gemm(&there, a, b, c, nullptr), IsNull());
  ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
  expect_product(a.tensor, b.tensor, c);
  ASSERT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST_F(Operations, NothingToDoIsDone) {
  const Values a({0, 8}), b({8, 4}), c({0, 4});
  EXPECT_THAT(hipsight_gemm(&on_mi300x, a, b, c, nullptr), IsNull());
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
}

TEST_F(Operations, RmsNorm) {
  const Values x({5, 300}), weight({300}), y({5, 300});
  ASSERT_THAT(hipsight_rms_norm(&on_mi300x, x, weight, y, 1e-5F, nullptr), IsNull());
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  for (std::size_t row = 0; row < 5; row++) {
    double squares = 0;
    for (std::size_t i = 0; i < 300; i++) squares += x[row * 300 + i] * x[row * 300 + i];
    const double factor = 1 / std::sqrt(squares / 300 + 1e-5);
    for (std::size_t i = 0; i < 300; i++)
      ASSERT_NEAR(y[row * 300 + i], x[row * 300 + i] * factor * weight[i], 1e-5)
          << row << ", " << i;
  }
}

TEST_F(Operations, RopeKeepsLengths) {
  const Values x({6, 2, 64}), y({6, 2, 64}), cosine({10, 32}), sine({10, 32}), places({6});
  for (std::size_t i = 0; i < cosine.size(); i++) {
    const float angle = 0.01F * static_cast<float>(i);
    cosine[i] = std::cos(angle), sine[i] = std::sin(angle);
  }
  hipsight_tensor positions = places.tensor;
  positions.type = HIPSIGHT_I32;
  for (std::size_t i = 0; i < 6; i++) places.whole(i) = static_cast<int>(9 - i);
  ASSERT_THAT(hipsight_rope(&on_mi300x, x, y, cosine, sine, &positions, 0), IsNull());
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  for (std::size_t token = 0; token < 6; token++)
    for (std::size_t i = 0; i < 32; i++) {
      const std::size_t at = token * 128 + i, angle = (9 - token) * 32 + i;
      ASSERT_NEAR(y[at], x[at] * cosine[angle] - x[at + 32] * sine[angle], 1e-5);
      ASSERT_NEAR(y[at + 32], x[at + 32] * cosine[angle] + x[at] * sine[angle], 1e-5);
    }
}

// --- What is refused -----------------------------------------------------------------------------

TEST_F(Operations, NamesWhatIsWrong) {
  const Values a({4, 8}), b({8, 4}), c({4, 4}), weight({5}), batch({2, 4, 8});
  const auto gemm = [&](const hipsight_tensor* x, const hipsight_tensor* y,
                        const hipsight_tensor* z) {
    const char* const wrong = hipsight_gemm(&on_mi300x, x, y, z, nullptr);
    return std::string(wrong ? wrong : "");
  };
  EXPECT_EQ(gemm(a, a, c),
            "gemm: a must have as many columns as b has rows; a is f32 (4, 8), b is "
            "f32 (4, 8), c is f32 (4, 4)");
  EXPECT_THAT(gemm(a, nullptr, c), HasSubstr("gemm: there is no b"));
  EXPECT_THAT(gemm(batch, b, c), HasSubstr("all be matrices, or all batches"));
  hipsight_tensor other = b.tensor;
  other.type = HIPSIGHT_BF16;
  EXPECT_THAT(gemm(a, &other, c), HasSubstr("b must have the type of a"));
  other.type = HIPSIGHT_FP8_E4M3;
  EXPECT_THAT(gemm(a, &other, c), HasSubstr("b must be f16 or bf16 or f32"));
  other = b.tensor;
  other.strides[1] = 2;
  EXPECT_THAT(gemm(a, &other, c), HasSubstr("rows or columns of b must lie side by side"));
  other = b.tensor;
  other.sizes[0] = INT64_C(1) << 31;
  EXPECT_THAT(gemm(a, &other, c), HasSubstr("b must have fewer than 2^31 elements"));
  other.dimensions = 7;
  EXPECT_THAT(gemm(a, &other, c), HasSubstr("b has 7 dimensions"));
  EXPECT_THAT(hipsight_rms_norm(&on_mi300x, a, weight, a, 1e-5F, nullptr),
              HasSubstr("rms_norm: weight must have a value for each column"));
  EXPECT_THAT(hipsight_gemm(nullptr, a, b, c, nullptr), HasSubstr("there is no context"));
  const hipsight_context nowhere{};
  EXPECT_THAT(hipsight_gemm(&nowhere, a, b, c, nullptr), HasSubstr("the context names no target"));
  const hipsight_context strange{.target = "../gfx942"};
  EXPECT_THAT(hipsight_gemm(&strange, a, b, c, nullptr), HasSubstr("is a name like gfx942"));
}

// --- Instances -----------------------------------------------------------------------------------

/// A folder for instances that goes with the test.
struct Folder {
  const fs::path path = fs::path(testing::TempDir()) / ("operations_" + std::to_string(getpid()));
  Folder() { EXPECT_THAT(hipsight_operations_setup(nullptr, path.c_str()), IsNull()); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(path))
      if (entry.is_regular_file()) all.push_back(entry.path());
    return all;
  }
  /// Where headers are that were precompiled for instances; empty if none were.
  fs::path precompiled() const {
    for (const auto& entry : fs::directory_iterator(path))
      if (entry.path().filename().string().starts_with("headers-"))
        return entry.path() / "headers.h.gch";
    return {};
  }
};

void forget(const char* variable) {
  unsetenv(variable);
}

TEST_F(Operations, AnInstanceIsCompiledOnce) {
  const Folder folder;
  const Values x({4, 16}), y({4, 16});
  hipsight_context find = on_mi300x;
  find.only_find = 1;
  std::array<std::thread, 3> threads;
  for (auto& thread : threads)
    thread = std::thread([&] { EXPECT_THAT(hipsight_softmax(&on_mi300x, x, y, 1), IsNull()); });
  for (auto& thread : threads) thread.join();
  ASSERT_EQ(folder.files().size(), 1U);
  EXPECT_THAT(folder.files()[0].filename().string(), HasSubstr("rows-gfx942-hip-"));
  // Found without a compiler.
  setenv("HIPSIGHT_CLANG", "/no/such/compiler", 1);
  EXPECT_THAT(hipsight_softmax(&find, x, y, 1), IsNull());
  forget("HIPSIGHT_CLANG");
  ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
  float sum = 0;
  for (std::size_t i = 0; i < 16; i++) sum += y[i];
  EXPECT_NEAR(sum, 1, 1e-5);
}

/// And headers that no longer fit are no fault: the instance is compiled without, and they are
/// deleted.
TEST_F(Operations, HeadersArePrecompiled) {
  const Folder folder;
  const Values x({4, 16}), y({4, 16}), weight({16});
  const hipsight_context find{.target = "gfx1201", .only_find = 1};
  ASSERT_THAT(hipsight_softmax(&find, x, y, 1), IsNull());
  const fs::path made = folder.precompiled();
  EXPECT_TRUE(fs::exists(made / "host"));
  EXPECT_TRUE(fs::exists(made / "gfx1201"));
  std::ofstream(made / "gfx1201") << "nothing";
  ASSERT_THAT(hipsight_rms_norm(&find, x, weight, y, 1e-5F, nullptr), IsNull());
  EXPECT_EQ(folder.files().size(), 2U);
  EXPECT_FALSE(fs::exists(made));
}

TEST_F(Operations, ACompilerThatIsNotThereIsNamed) {
  const Folder folder;
  const Values x({4, 16}), y({4, 16});
  const hipsight_context elsewhere{.target = "gfx90a"};
  setenv("HIPSIGHT_CLANG", "/no/such/compiler", 1);
  EXPECT_THAT(hipsight_softmax(&elsewhere, x, y, 1), HasSubstr("/no/such/compiler"));
  forget("HIPSIGHT_CLANG");
  EXPECT_TRUE(folder.files().empty());
}

TEST_F(Operations, AnUnknownTargetIsTheCompilersToTell) {
  const Folder folder;
  const Values x({4, 16}), y({4, 16});
  const hipsight_context unknown{.target = "gfx000"};
  EXPECT_THAT(hipsight_softmax(&unknown, x, y, 1), HasSubstr("gfx000"));
}

TEST_F(Operations, ABrokenInstanceIsNamed) {
  const Folder folder;
  const Values x({4, 16}), y({4, 16});
  hipsight_context find = on_mi300x, use = on_mi300x;
  find.only_find = 1;
  find.target = use.target = "gfx950";
  ASSERT_THAT(hipsight_softmax(&find, x, y, 1), IsNull());
  const fs::path file = folder.files().at(0);
  std::ofstream(file) << "no library";
  EXPECT_THAT(hipsight_softmax(&use, x, y, 1), HasSubstr(file.filename().string()));
}

TEST_F(Operations, AHomeThatIsNotThereIsNamed) {
  ASSERT_THAT(hipsight_operations_setup("/no/such/folder", nullptr), IsNull());
  EXPECT_THAT(hipsight_operations_version(), IsNull());
  const Values x({4, 16}), y({4, 16});
  const hipsight_context elsewhere{.target = "gfx1100"};
  EXPECT_THAT(hipsight_softmax(&elsewhere, x, y, 1), HasSubstr("/no/such/folder/hipcc"));
}

// --- Launches that somebody else makes -----------------------------------------------------------

struct Launched {
  std::string file, kernel;
  hipsight_size grid, block;
};

TEST_F(Operations, LaunchesComeToWhoWantsThem) {
  std::vector<Launched> launched;
  hipsight_context context{.target = "gfx1100"};
  context.compute_units = 48;
  context.launch_data = &launched;
  context.launch = [](void* data, const char* file, const char* kernel, hipsight_size grid,
                      hipsight_size block, std::size_t, void**) {
    static_cast<std::vector<Launched>*>(data)->push_back({file, kernel, grid, block});
  };
  const Values x({4096, 16}), y({4096, 16});
  ASSERT_THAT(hipsight_softmax(&context, x, y, 1), IsNull());
  ASSERT_EQ(launched.size(), 1U);
  EXPECT_THAT(launched[0].kernel, HasSubstr("row"));
  EXPECT_TRUE(fs::exists(launched[0].file));
  EXPECT_GT(launched[0].grid.x, 1U);
  EXPECT_GE(launched[0].block.x, 32U);
}

}  // namespace
