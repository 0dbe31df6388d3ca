#pragma once

#include <cstddef>
#include <cstdint>

/// The border of the library: C functions, and values as bytes (wire.h). Programs use gpu.h, which
/// calls them. None throws, and none prints or reads the environment.
///
/// ABI: what stands here stays; what is new comes with a new name, and structs grow at their ends.
extern "C" {

#define HIPSIGHT_API __attribute__((visibility("default")))

/// The number of the newest function group that a library has; headers ask for theirs.
constexpr std::uint32_t hipsight_abi = 5;
HIPSIGHT_API std::uint32_t hipsight_abi_version();

/// An answer: a value, or if `failed` an Error. Goes with hipsight_release_answer.
struct HipsightAnswer {
  bool failed;
  std::size_t size;
  const std::byte* bytes;
};
HIPSIGHT_API void hipsight_release_answer(HipsightAnswer answer);

/// A GPU or a module. It lives until it is released, and whatever came from it.
struct HipsightObject;
HIPSIGHT_API void hipsight_retain(HipsightObject* object);
HIPSIGHT_API void hipsight_release(HipsightObject* object);

/// std::vector<GpuFacts>.
HIPSIGHT_API HipsightAnswer hipsight_gpus();
/// `options`: GpuOptions. GpuFacts, and the GPU in `gpu`.
HIPSIGHT_API HipsightAnswer hipsight_open(const char* name, const std::byte* options,
                                          std::size_t options_size, HipsightObject** gpu);
/// CollectiveTime, of GPUs like this one.
HIPSIGHT_API HipsightAnswer hipsight_all_reduce(HipsightObject* gpu, std::uint32_t ranks,
                                                std::uint64_t bytes);
/// `operation`: Collective. CollectiveTime.
HIPSIGHT_API HipsightAnswer hipsight_collective(HipsightObject* gpu, const std::byte* operation,
                                                std::size_t operation_size);
/// The address in `memory`. No value.
HIPSIGHT_API HipsightAnswer hipsight_allocate(HipsightObject* gpu, std::size_t size,
                                              const char* label, void** memory);
HIPSIGHT_API HipsightAnswer hipsight_free(HipsightObject* gpu, void* memory);
/// Lets kernels use the caller's own memory, until it is taken back. No value.
HIPSIGHT_API HipsightAnswer hipsight_lend(HipsightObject* gpu, void* memory, std::size_t size,
                                          const char* label);
HIPSIGHT_API HipsightAnswer hipsight_take_back(HipsightObject* gpu, void* memory);
/// std::vector<KernelFacts>, and the module in `module`.
HIPSIGHT_API HipsightAnswer hipsight_load(HipsightObject* gpu, const std::byte* image,
                                          std::size_t size, const char* origin,
                                          HipsightObject** module);
HIPSIGHT_API HipsightAnswer hipsight_load_file(HipsightObject* gpu, const char* path,
                                               HipsightObject** module);
/// The address and size of a device variable. No value.
HIPSIGHT_API HipsightAnswer hipsight_variable(HipsightObject* module, const char* name,
                                              void** address, std::size_t* size);

struct HipsightArgument {
  const void* value;
  std::size_t size;
};
/// `config`: LaunchConfig. KernelReport.
HIPSIGHT_API HipsightAnswer hipsight_launch(HipsightObject* module, const char* kernel,
                                            const std::byte* config, std::size_t config_size,
                                            const HipsightArgument* arguments, std::size_t count);

/// `config`: RecordConfig. No value, and the recording in `recording`: of all launches on the GPU
/// that begin from now on, until it is stopped or released.
HIPSIGHT_API HipsightAnswer hipsight_record(HipsightObject* gpu, const std::byte* config,
                                            std::size_t config_size, HipsightObject** recording);
/// No value.
HIPSIGHT_API HipsightAnswer hipsight_stop(HipsightObject* recording);
/// RunReport; std::vector<RecordedLaunch>.
HIPSIGHT_API HipsightAnswer hipsight_recorded(HipsightObject* recording);
HIPSIGHT_API HipsightAnswer hipsight_recorded_launches(HipsightObject* recording);

/// `run`: RunReport. A string: the report for people, with the sections that `details` lists; as
/// JSON; as a page.
HIPSIGHT_API HipsightAnswer hipsight_text(const std::byte* run, std::size_t size,
                                          const char* details);
HIPSIGHT_API HipsightAnswer hipsight_json(const std::byte* run, std::size_t size);
HIPSIGHT_API HipsightAnswer hipsight_html(const std::byte* run, std::size_t size);

/// ConditionFacts.
HIPSIGHT_API HipsightAnswer hipsight_condition(const char* condition);
/// `run`: RunReport. std::vector<MetCondition>.
HIPSIGHT_API HipsightAnswer hipsight_met(const std::byte* run, std::size_t size,
                                         const char* condition);

#undef HIPSIGHT_API
}
