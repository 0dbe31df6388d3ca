#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <optional>

#include "api/answer.h"
#include "api/objects.h"
#include "code/fat_binary.h"
#include "services/kernarg.h"
#include "session/describe.h"
#include "session/launch_rules.h"
#include "session/observation.h"
#include "support/error.h"

namespace hipsight::api {
namespace {

/// What a list of arguments lacks; empty: nothing.
std::string what_is_wrong(const KernelFacts& kernel, std::span<const HipsightArgument> arguments) {
  std::string wrong;
  if (arguments.size() != kernel.arguments.size())
    wrong =
        fmt::format("{} arguments are given, not {}", arguments.size(), kernel.arguments.size());
  for (std::size_t i = 0; wrong.empty() && i < arguments.size(); ++i)
    if (arguments[i].size != kernel.arguments[i].bytes)
      wrong = fmt::format("argument {} is given with {} bytes", i + 1, arguments[i].size);
  if (wrong.empty()) return wrong;
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const ArgumentFacts& argument = kernel.arguments[i];
    const std::string name = argument.name.empty() ? "" : " '" + argument.name + "'";
    wrong += fmt::format(
        "{}{} is {}{}", i ? ", " : "; ", i + 1,
        argument.is_buffer ? std::string("a buffer") : fmt::format("{} bytes", argument.bytes),
        name);
  }
  return wrong;
}

/// GPUs that run the same machine code as this one. @throws Failure, Exception.
std::list<gpus::Gpu> others(const gpus::Gpu& gpu, const std::vector<std::string>& names) {
  std::list<gpus::Gpu> all;
  if (names.empty()) return all;  // as of most launches
  const code::Target target = code::Target::parse(gpu.target_id);
  for (const std::string& name : names) {
    const gpus::Gpu& other = all.emplace_back(gpus::find(name, target.xnack == code::Feature::On));
    if (other.target_id != gpu.target_id)
      fail(Error::Kind::Usage, "also",
           fmt::format("{} runs code for {}, and {} runs code for {}: one launch is predicted for "
                       "GPUs of one target only",
                       other.name, other.target_id, gpu.name, gpu.target_id));
  }
  return all;
}

/// What a launch does, for a GPU on which it does not run.
class Elsewhere {
 public:
  Elsewhere(const gpus::Gpu& gpu, const session::Wishes& wishes, engine::Dispatch& dispatch)
      : gpu_(gpu), dispatch_(dispatch), observation_(gpu, wishes, dispatch) {}

  OtherGpu finish(engine::Result result) {
    session::Tally tally(gpu_, dispatch_);
    tally.add(dispatch_, observation_.finish(result));
    KernelReport report = tally.report(gpu_);
    return {gpu_.name, std::move(report.occupancy), std::move(report.verdict),
            std::move(report.prediction).value()};
  }

 private:
  const gpus::Gpu& gpu_;
  const engine::Dispatch& dispatch_;
  session::Observation observation_;
};

}  // namespace

LoadedModule::Part::Part(std::shared_ptr<engine::Module> loaded, engine::Memory& memory)
    : code(std::move(loaded)), variables(*code, memory) {
  variables.make_managed();
}

LoadedModule::LoadedModule(Reference<OpenGpu> gpu, std::span<const std::byte> file,
                           const std::string& origin)
    : gpu_(std::move(gpu)) {
  const code::Target target = code::Target::parse(gpu_->gpu().target_id);
  const auto binaries = code::find_fat_binaries(file, origin);
  if (binaries.empty()) hipsight::fail("{}: there is no device code in it", origin);
  std::optional<Exception> first;  // where none fits
  for (const auto& bytes : binaries) {
    const auto binary = code::FatBinary::open(bytes, origin);
    const code::Image* image = nullptr;
    try {
      image = &binary.select(target);
    } catch (const Exception& error) {
      if (!first) first = error;
      continue;
    }
    engine::Memory& memory = gpu_->engine().memory();
    parts_.push_back(std::make_unique<Part>(
        engine::Module::load(code::CodeObject::read(image->elf, origin), memory), memory));
  }
  if (parts_.empty()) throw *first;
  for (const auto& part : parts_)
    for (const code::Kernel& kernel : part->code->object().kernels()) {
      kernels_.push_back(session::describe(kernel, &part->code->object()));
      places_.push_back({part.get(), &kernel});
    }
}

std::optional<services::Variable> LoadedModule::variable(std::string_view name) const {
  for (const auto& part : parts_)
    if (const auto variable = part->variables.find(name)) return variable;
  return std::nullopt;
}

KernelReport LoadedModule::launch(const std::string& name, const LaunchConfig& config,
                                  std::span<const HipsightArgument> arguments) {
  const auto found = std::ranges::find(kernels_, name, &KernelFacts::name);
  if (found == kernels_.end())
    fail(Error::Kind::NotFound, name, fmt::format("no kernel is called '{}'", name));
  const KernelFacts& facts = *found;
  const auto [part, kernel] = places_[static_cast<std::size_t>(found - kernels_.begin())];
  const auto refuse = [&](const std::string& why) {
    fail(Error::Kind::InvalidLaunch, facts.title,
         fmt::format("launch of {} refused: {}", facts.title, why));
  };

  const gpus::Gpu& gpu = gpu_->gpu();
  const auto items = [](std::uint32_t groups, std::uint32_t of) {
    return std::uint64_t{groups} * of;
  };
  const session::Asked asked{
      kernel,
      {items(config.grid.x, config.block.x), items(config.grid.y, config.block.y),
       items(config.grid.z, config.block.z)},
      {config.block.x, config.block.y, config.block.z},
      config.dynamic_lds,
      config.cooperative};
  if (const auto why = session::refusal(gpu, asked)) refuse(why->text);
  const std::list<gpus::Gpu> other_gpus = others(gpu, config.also);
  for (const gpus::Gpu& other : other_gpus)
    if (const auto why = session::refusal(other, asked)) refuse(other.name + ": " + why->text);
  if (const std::string wrong = what_is_wrong(facts, arguments); !wrong.empty()) refuse(wrong);

  std::vector<void*> values;
  for (const HipsightArgument& argument : arguments)
    values.push_back(const_cast<void*>(argument.value));
  const services::Geometry geometry{asked.running_grid(), asked.running_block(),
                                    config.dynamic_lds};
  const std::vector<std::byte> kernarg = services::kernarg(*kernel, geometry, values.data());
  engine::Dispatch dispatch;
  dispatch.module = part->code;
  dispatch.kernel = kernel;
  dispatch.grid = geometry.grid;
  dispatch.block = geometry.block;
  dispatch.dynamic_lds = config.dynamic_lds;
  dispatch.kernarg = kernarg;
  dispatch.cooperative = config.cooperative;

  const auto recorders = gpu_->recorders();
  const bool timing_only = gpu_->timing_only();
  session::Wishes wishes;
  wishes.profile = config.profile;
  const bool only_counted = timing_only && recorders.empty();  // by a sample
  if (!wishes.profile && (config.predict || only_counted || !other_gpus.empty()))
    wishes.profile = session::usual_sample;
  wishes.predict = config.predict;
  wishes.sampled_only = config.sampled_only || timing_only;
  wishes.fidelity = config.fidelity;
  wishes.assumptions.caches = config.caches;
  if (config.simulate) wishes.assumptions.instructions = config.simulate;
  std::list<session::Session::Launch> recorded;
  for (const auto& recorder : recorders) recorded.emplace_back(recorder->session(), dispatch);
  session::Observation observation(gpu, wishes, dispatch);  // which decides what of it runs
  session::Wishes elsewhere = wishes;
  elsewhere.predict = true;
  elsewhere.fidelity = false;
  std::list<Elsewhere> observed;
  for (const gpus::Gpu& other : other_gpus) observed.emplace_back(other, elsewhere, dispatch);
  engine::Result result;
  const auto runs = std::ranges::find(recorded, nullptr, &session::Session::Launch::repeated);
  if (wishes.profile == 0 && !recorded.empty() && runs == recorded.end())
    result = *recorded.front().repeated();
  else
    try {
      const services::Services services(gpu_->host(), dispatch);
      for (auto& one : recorded) one.rehearse(gpu_->engine(), services.dispatch());
      result = gpu_->engine().run(services.dispatch());
    } catch (const engine::KernelError& error) {
      for (auto& one : recorded) one.add(error);
      throw;
    }
  const engine::Result ran = observed.empty() ? engine::Result() : result;
  for (auto& one : recorded) one.add(result);  // which counts a sample as all of them
  session::Tally tally(gpu, dispatch);
  tally.add(dispatch, observation.finish(result));
  KernelReport report = tally.report(gpu);
  for (Elsewhere& one : observed) report.also.push_back(one.finish(ran));
  if (config.profile == 0) report.profile.reset();
  report.findings = gpu_->take_findings();
  auto recorder = recorders.begin();
  for (const auto& one : recorded) (*recorder++)->add(report, one, config.range);
  return report;
}

}  // namespace hipsight::api
