// The functions of hipsight/abi.h.
#include "hipsight/abi.h"

#include <fmt/format.h>

#include <cstdlib>

#include "api/answer.h"
#include "api/objects.h"
#include "conditions/condition.h"
#include "report/html.h"
#include "report/render.h"
#include "session/describe.h"
#include "support/error.h"
#include "support/files.h"
#include "timing/collectives.h"

namespace hipsight::api {
namespace {

/// A struct that a program has sent.
template <class T>
T read(const std::byte* bytes, std::size_t size) {
  T value;
  wire::Reader reader({bytes, size});
  reader.get(value);
  if (!reader.whole()) fail(Error::Kind::Incompatible, "libhipsight", "values that are cut");
  return value;
}

OpenGpu& gpu_of(HipsightObject* object) {
  auto* const gpu = dynamic_cast<OpenGpu*>(object);
  if (!gpu) fail(Error::Kind::Usage, "GPU", "this is no GPU that hipsight has opened");
  return *gpu;
}

LoadedModule& module_of(HipsightObject* object) {
  auto* const module = dynamic_cast<LoadedModule*>(object);
  if (!module) fail(Error::Kind::Usage, "module", "this is no module that hipsight has loaded");
  return *module;
}

OpenRecording& recording_of(HipsightObject* object) {
  auto* const recording = dynamic_cast<OpenRecording*>(object);
  if (!recording) fail(Error::Kind::Usage, "recording", "this is no recording of hipsight's");
  return *recording;
}

void check_options(const GpuOptions& options) {
  if (!(options.timeout_seconds >= 0 && options.timeout_seconds <= 1e9))
    fail(Error::Kind::Usage, "timeout_seconds",
         fmt::format("timeout_seconds is {}: it takes 0 to 10^9", options.timeout_seconds));
  if (options.threads > 4096)
    fail(Error::Kind::Usage, "threads",
         fmt::format("threads is {}: it takes 0 to 4096", options.threads));
}

std::vector<std::byte> content(const char* path) try {
  return read_bytes(path);
} catch (const Exception& error) {
  fail(Error::Kind::NotFound, path, error.what());
}

std::vector<KernelFacts> load(HipsightObject* gpu, std::span<const std::byte> file,
                              const std::string& origin, HipsightObject** module) {
  auto loaded = std::make_unique<LoadedModule>(Reference(gpu_of(gpu)), file, origin);
  std::vector<KernelFacts> kernels = loaded->kernels();
  *module = loaded.release();
  return kernels;
}

}  // namespace
}  // namespace hipsight::api

using namespace hipsight;
using namespace hipsight::api;

std::uint32_t hipsight_abi_version() {
  return hipsight_abi;
}

void hipsight_release_answer(HipsightAnswer answer) {
  std::free(const_cast<std::byte*>(answer.bytes));
}

void hipsight_retain(HipsightObject* object) {
  object->references.fetch_add(1, std::memory_order_relaxed);
}

void hipsight_release(HipsightObject* object) {
  if (object->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object;
}

HipsightAnswer hipsight_gpus() {
  return answer_to(Error::Kind::Internal, "GPU files", [] {
    std::vector<GpuFacts> all;
    for (const gpus::Gpu& gpu : gpus::all()) all.push_back(session::describe(gpu));
    return all;
  });
}

HipsightAnswer hipsight_open(const char* name, const std::byte* options, std::size_t options_size,
                             HipsightObject** gpu) {
  return answer_to(Error::Kind::NotFound, name, [&] {
    const auto asked = read<GpuOptions>(options, options_size);
    check_options(asked);
    auto opened = std::make_unique<OpenGpu>(gpus::find(name), asked);
    GpuFacts facts = session::describe(opened->gpu());
    *gpu = opened.release();
    return facts;
  });
}

HipsightAnswer hipsight_all_reduce(HipsightObject* gpu, std::uint32_t ranks, std::uint64_t bytes) {
  return answer_to(Error::Kind::Usage, "all-reduce",
                   [&] { return timing::all_reduce_time(gpu_of(gpu).gpu(), ranks, bytes); });
}

HipsightAnswer hipsight_collective(HipsightObject* gpu, const std::byte* operation,
                                   std::size_t operation_size) {
  return answer_to(Error::Kind::Usage, "collective", [&] {
    return timing::collective_time(gpu_of(gpu).gpu(), read<Collective>(operation, operation_size));
  });
}

HipsightAnswer hipsight_allocate(HipsightObject* gpu, std::size_t size, const char* label,
                                 void** memory) {
  return answer_to(Error::Kind::Usage, label, [&] {
    OpenGpu& open = gpu_of(gpu);
    if (size == 0) fail(Error::Kind::Usage, label, fmt::format("{}: a buffer of 0 bytes", label));
    *memory = open.engine().memory().allocate(size, engine::Memory::Kind::Device, label);
    if (!*memory)
      fail(Error::Kind::OutOfMemory, label,
           fmt::format("{}: {} has no {} bytes of memory left", label, open.gpu().title, size));
  });
}

HipsightAnswer hipsight_free(HipsightObject* gpu, void* memory) {
  return answer_to(Error::Kind::Usage, "memory", [&] {
    if (!gpu_of(gpu).engine().memory().free(memory))
      fail(Error::Kind::Usage, "memory", fmt::format("{} is no buffer of this GPU", memory));
  });
}

HipsightAnswer hipsight_lend(HipsightObject* gpu, void* memory, std::size_t size,
                             const char* label) {
  return answer_to(Error::Kind::Usage, label, [&] {
    if (!gpu_of(gpu).engine().memory().add(memory, size, engine::Memory::Kind::Host, label))
      fail(Error::Kind::Usage, label,
           fmt::format("{}: its {} bytes at {} cannot be lent: there are none, or some are in "
                       "another buffer",
                       label, size, memory));
  });
}

HipsightAnswer hipsight_take_back(HipsightObject* gpu, void* memory) {
  return answer_to(Error::Kind::Usage, "memory", [&] {
    if (!gpu_of(gpu).engine().memory().remove(memory))
      fail(Error::Kind::Usage, "memory", fmt::format("{} is not lent to this GPU", memory));
  });
}

HipsightAnswer hipsight_load(HipsightObject* gpu, const std::byte* image, std::size_t size,
                             const char* origin, HipsightObject** module) {
  return answer_to(Error::Kind::BadCode, origin,
                   [&] { return load(gpu, {image, size}, origin, module); });
}

HipsightAnswer hipsight_load_file(HipsightObject* gpu, const char* path, HipsightObject** module) {
  return answer_to(Error::Kind::BadCode, path,
                   [&] { return load(gpu, content(path), path, module); });
}

HipsightAnswer hipsight_variable(HipsightObject* module, const char* name, void** address,
                                 std::size_t* size) {
  return answer_to(Error::Kind::Usage, name, [&] {
    const auto found = module_of(module).variable(name);
    if (!found)
      fail(Error::Kind::NotFound, name, fmt::format("no device variable is called '{}'", name));
    *address = found->address;
    *size = found->size;
  });
}

HipsightAnswer hipsight_launch(HipsightObject* module, const char* kernel, const std::byte* config,
                               std::size_t config_size, const HipsightArgument* arguments,
                               std::size_t count) {
  return answer_to(Error::Kind::InvalidLaunch, kernel, [&] {
    return module_of(module).launch(kernel, read<LaunchConfig>(config, config_size),
                                    {arguments, count});
  });
}

HipsightAnswer hipsight_record(HipsightObject* gpu, const std::byte* config,
                               std::size_t config_size, HipsightObject** recording) {
  return answer_to(Error::Kind::Usage, "recording", [&] {
    *recording = new OpenRecording(Reference(gpu_of(gpu)), read<RecordConfig>(config, config_size));
  });
}

HipsightAnswer hipsight_stop(HipsightObject* recording) {
  return answer_to(Error::Kind::Usage, "recording", [&] { recording_of(recording).stop(); });
}

HipsightAnswer hipsight_recorded(HipsightObject* recording) {
  return answer_to(Error::Kind::Usage, "recording",
                   [&] { return recording_of(recording).recorder().report(); });
}

HipsightAnswer hipsight_recorded_launches(HipsightObject* recording) {
  return answer_to(Error::Kind::Usage, "recording",
                   [&] { return recording_of(recording).recorder().launches(); });
}

HipsightAnswer hipsight_text(const std::byte* run, std::size_t size, const char* details) {
  return answer_to(Error::Kind::Usage, "details", [&] {
    return report::to_text(read<RunReport>(run, size), report::Details::of(details));
  });
}

HipsightAnswer hipsight_json(const std::byte* run, std::size_t size) {
  return answer_to(Error::Kind::Internal, "report",
                   [&] { return report::to_json(read<RunReport>(run, size)); });
}

HipsightAnswer hipsight_html(const std::byte* run, std::size_t size) {
  return answer_to(Error::Kind::Internal, "report", [&] {
    return report::to_html(read<RunReport>(run, size), report::source_text);
  });
}

HipsightAnswer hipsight_condition(const char* condition) {
  return answer_to(Error::Kind::Usage, "condition",
                   [&] { return conditions::Condition(condition).facts(); });
}

HipsightAnswer hipsight_met(const std::byte* run, std::size_t size, const char* condition) {
  return answer_to(Error::Kind::Usage, "condition", [&] {
    return conditions::met(read<RunReport>(run, size), conditions::Condition(condition));
  });
}
