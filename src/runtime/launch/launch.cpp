#include "runtime/launch/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "code/readable_name.h"
#include "runtime/graph/work.h"
#include "runtime/launch/recorder.h"
#include "runtime/memory/range.h"
#include "runtime/module/registered.h"
#include "runtime/state.h"
#include "runtime/stream/event.h"
#include "runtime/stream/stream.h"
#include "services/kernarg.h"
#include "session/launch_rules.h"
#include "support/printable.h"

namespace hipsight::runtime {
namespace {

using engine::Dim3;

/// `extra`: {1, buffer, 2, pointer to its size, 3}.
std::span<const std::byte> packed_arguments(void** extra) {
  const std::byte* buffer = nullptr;
  std::size_t size = 0;
  for (; *extra != HIP_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == HIP_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = static_cast<const std::byte*>(extra[1]);
    else if (extra[0] == HIP_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
      size = *static_cast<const std::size_t*>(extra[1]);
    else
      fail_with(hipErrorInvalidValue);
  }
  require(buffer != nullptr || size == 0);
  return {buffer, size};
}

/// Refuses a launch and tells it: many programs do not look.
[[noreturn]] void refuse(const Launch& launch, hipError_t code, const std::string& why) {
  const std::string kernel = printable(code::readable_name(launch.function->kernel->name));
  complain(fmt::format("launch of {} refused: {}", kernel, why));
  fail_with(code);
}

hipError_t code_of(session::Refusal::Rule rule) {
  using Rule = session::Refusal::Rule;
  switch (rule) {
    case Rule::Configuration:
      return hipErrorInvalidConfiguration;
    case Rule::Value:
      return hipErrorInvalidValue;
    case Rule::CompiledFor:
      return hipErrorLaunchFailure;
    case Rule::Cooperative:
      return hipErrorCooperativeLaunchTooLarge;
    case Rule::Resources:
      return hipErrorLaunchOutOfResources;
  }
  return hipErrorUnknown;
}

/// HIP's rules (ROCm clr: ihipLaunchKernel_validate).
void check(const Launch& launch, const session::Asked& asked) {
  if (launch.parameters && launch.extra)
    refuse(launch, hipErrorInvalidValue, "arguments both as a list and packed");
  const auto why = session::refusal(Context::get().gpu(), asked);
  using Rule = session::Refusal::Rule;
  const bool of_dimensions = why && (why->rule == Rule::Configuration || why->rule == Rule::Value);
  if (!of_dimensions && !launch.parameters && !launch.extra &&
      services::has_explicit_arguments(*asked.kernel))
    refuse(launch, hipErrorInvalidValue, "no arguments");
  if (why) refuse(launch, code_of(why->rule), why->text);
}

/// A launch that is ready: what the program passed is copied.
struct Prepared {
  engine::Dispatch dispatch;
  std::vector<std::byte> arguments;
  std::shared_ptr<const services::GridGroup> group;
  session::Range range;

  void run(timeline::Span& span) const {
    Context& context = Context::get();
    drop_unmapped();
    engine::Dispatch running = dispatch;
    if (context.settings().predicted_time)
      running.clock = {.seconds = span.begin, .ghz = context.gpu().clock_ghz};
    report::Reporter::Launch launch(context.session(), running, range);
    const auto recorder = recorder_if_wanted(launch, running);
    try {
      const services::Services services(context.host(), running,
                                        group ? *group : services::GridGroup{});
      launch.rehearse(context.engine(), services.dispatch());
      launch.add(launch.repeated() ? *launch.repeated()
                                   : context.engine().run(services.dispatch()));
      span.takes(launch.seconds());
      finish_recording(recorder.get());
    } catch (const engine::KernelError& error) {
      launch.add(error);
      finish_recording(recorder.get(), &error);
      throw;
    }
  }
};

}  // namespace

Operation operation_of(Launch launch, std::vector<std::byte>* segment) {
  const code::Kernel& kernel = *launch.function->kernel;
  const session::Asked asked{&kernel, launch.grid, launch.block, launch.dynamic_lds,
                             launch.cooperative};
  check(launch, asked);

  const Dim3 grid = asked.running_grid(), block = asked.running_block();
  const services::Geometry geometry{grid, block, static_cast<std::uint32_t>(launch.dynamic_lds)};
  auto prepared = std::make_shared<Prepared>();
  prepared->arguments = launch.extra
                            ? services::kernarg(kernel, geometry, packed_arguments(launch.extra))
                            : services::kernarg(kernel, geometry, launch.parameters);
  prepared->group = launch.group;
  prepared->range = current_range();
  if (segment) *segment = prepared->arguments;
  engine::Dispatch& dispatch = prepared->dispatch;
  dispatch.module = launch.function->code;
  dispatch.kernel = &kernel;
  dispatch.grid = grid;
  dispatch.block = block;
  dispatch.dynamic_lds = geometry.dynamic_lds;
  dispatch.kernarg = prepared->arguments;
  dispatch.cooperative = launch.cooperative;
  dispatch.device = launch.function->device;
  return {.what = "kernel " + code::readable_name(kernel.name),
          .run = [prepared](timeline::Span& span) { prepared->run(span); },
          .type = hipGraphNodeTypeKernel,
          .workgroups = dispatch.groups().volume()};
}

void run(Launch launch) {
  timeline::HostClock::of_thread().submit();
  const auto stream = find_stream(launch.stream);
  const auto start = launch.start ? find_event(launch.start) : nullptr;
  const auto stop = launch.stop ? find_event(launch.stop) : nullptr;
  const bool capturing = is_capturing(*stream);
  Work work;
  Operation kernel;
  if (capturing)
    work = kernel_work(std::move(launch));
  else
    kernel = operation_of(std::move(launch));
  if (start) record(*start, *stream);
  if (capturing)
    capture(*stream, std::move(work));
  else if (Context::get().settings().blocking)
    stream->run(std::move(kernel));
  else
    stream->submit(std::move(kernel));
  if (stop) record(*stop, *stream);
}

}  // namespace hipsight::runtime
