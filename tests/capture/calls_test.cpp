// A launch whose kernel calls a function of another code object, captured and run again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "capture/recorder.h"
#include "capture/replay.h"

namespace hipsight::capture {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

class CapturedCalls : public testing::Test {
 protected:
  void TearDown() override { fs::remove(path_); }

  std::shared_ptr<engine::Module> load(const char* origin) {
    return engine::Module::load(code::CodeObject::read(code_, origin), engine_->memory());
  }
  std::uint64_t* words(std::size_t count) {
    return static_cast<std::uint64_t*>(
        engine_->memory().allocate(count * 8, engine::Memory::Kind::Device, "words"));
  }
  static engine::Dispatch dispatch(const std::shared_ptr<engine::Module>& module, const char* name,
                                   std::span<const std::uint64_t> arguments) {
    return {.module = module,
            .kernel = module->object().find_kernel(name),
            .grid = {64, 1, 1},
            .block = {64, 1, 1},
            .kernarg = std::as_bytes(arguments),
            .in_order = true};
  }

  std::string path_ =
      fs::temp_directory_path() / ("hipsight_calls" + std::to_string(getpid()) + ".hsc");
  std::vector<std::byte> code_ = bytes_of(HIPSIGHT_KERNELS_gfx942);
  std::unique_ptr<engine::Engine> engine_ =
      std::make_unique<engine::Engine>(gpus::find("mi300x"), engine::Options{.threads = 1});
};

TEST_F(CapturedCalls, AreReplayed) {
  std::uint64_t *in = words(32), *out = words(32), *address = words(1);
  const std::uint64_t numbers[] = {7, 9};
  std::memcpy(in, numbers, sizeof numbers);
  {
    const auto module = load("program.co"), unused = load("unused.co"),
               library = load("library.co");
    const std::uint64_t where[] = {reinterpret_cast<std::uintptr_t>(address)};
    engine_->run(dispatch(library, "address_of", where));
    const std::uint64_t arguments[] = {*address, reinterpret_cast<std::uintptr_t>(in),
                                       reinterpret_cast<std::uintptr_t>(out)};
    const engine::Dispatch call = dispatch(module, "call", arguments);
    Recorder recorder(path_, *engine_, call, 1);
    engine_->run(call);
    recorder.finish();
  }
  engine_.reset();  // so that addresses are free

  const std::vector<std::byte> file = bytes_of(path_);
  const Capture capture = Capture::read(file, path_);
  ASSERT_EQ(capture.called.size(), 1u);
  EXPECT_EQ(capture.outcome.called[0].origin, "library.co");
  std::vector<std::string> told;
  Replay replay(capture, gpus::find("mi300x"), {.threads = 1},
                [&](const std::string& text) { told.push_back(text); });
  replay.run();
  EXPECT_THAT(told, testing::IsEmpty());
  EXPECT_EQ(replay.digests(), capture.outcome.digests);
  std::uint32_t results[4];
  std::memcpy(results, out, sizeof results);  // where they were in the first run
  EXPECT_THAT(results, testing::ElementsAre(15, 1, 19, 1));
}

}  // namespace
}  // namespace hipsight::capture
