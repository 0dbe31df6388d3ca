// hipsight._hipsight: the C++ API (include/hipsight) for the package's Python, which checks and
// converts what people give.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>

#include "hipsight/hipsight.h"
#include "host_memory.h"
#include "values.h"

namespace hipsight::python {
namespace {

/// What C++ gives, or its error as an exception.
template <class T>
T value(Expected<T> expected) {
  if (!expected) throw expected.error();
  return *std::move(expected);
}

/// A launch's report, and the GPU's: what it takes to show it.
struct Report : KernelReport {
  GpuFacts gpu;

  RunReport as_run() const {
    RunReport run;
    run.gpu = gpu;
    run.kernels = {*this};
    run.launches = counts.launches;
    return run;
  }
};

/// Of several launches: what it takes to show them.
RunReport as_run(const RunReport& report) {
  return report;
}
RunReport as_run(const Report& report) {
  return report.as_run();
}

struct OpenGpu {
  explicit OpenGpu(Gpu opened) : gpu(std::move(opened)), memory(gpu) {}
  const Gpu gpu;
  HostMemory memory;
};

/// A module and its GPU.
struct LoadedModule {
  std::shared_ptr<OpenGpu> gpu;
  Module module;
};

std::shared_ptr<OpenGpu> open_gpu(const std::string& name, unsigned threads, double timeout,
                                  bool strict, bool exact_matrix, bool interpret,
                                  bool timing_only) {
  return std::make_shared<OpenGpu>(
      value(Gpu::open(name, {threads, timeout, strict, exact_matrix, interpret, timing_only})));
}

std::shared_ptr<LoadedModule> load(const std::shared_ptr<OpenGpu>& gpu, const nb::bytes& image,
                                   const std::string& origin) {
  const std::span bytes(static_cast<const std::byte*>(image.data()), image.size());
  const nb::gil_scoped_release release;
  return std::make_shared<LoadedModule>(gpu, value(gpu->gpu.load(bytes, origin)));
}

std::shared_ptr<LoadedModule> load_file(const std::shared_ptr<OpenGpu>& gpu,
                                        const std::string& path) {
  const nb::gil_scoped_release release;
  return std::make_shared<LoadedModule>(gpu, value(gpu->gpu.load_file(path)));
}

/// `arguments`: their bytes. `memory`: what of the host's they may reach.
Report launch(const LoadedModule& module, const std::string& kernel, const Sizes& grid,
              const Sizes& block, unsigned lds, bool cooperative, unsigned profile, bool predict,
              Caches caches, bool sampled_only, bool fidelity, const std::string& range,
              std::vector<std::string> also, const std::vector<nb::bytes>& arguments,
              std::vector<Range> memory) {
  const auto sizes = [](const Sizes& of) {
    return Dim3{std::get<0>(of), std::get<1>(of), std::get<2>(of)};
  };
  LaunchConfig config;
  config.grid = sizes(grid);
  config.block = sizes(block);
  config.dynamic_lds = lds;
  config.cooperative = cooperative;
  config.profile = profile;
  config.predict = predict;
  config.caches = caches;
  config.sampled_only = sampled_only;
  config.fidelity = fidelity;
  config.range = range;
  config.also = std::move(also);
  std::vector<HipsightArgument> values;
  for (const nb::bytes& argument : arguments) values.push_back({argument.data(), argument.size()});
  const nb::gil_scoped_release release;
  const HostMemory::Loan loan(module.gpu->memory, std::move(memory));
  return {value(value(module.module.kernel(kernel)).launch_list(config, values)),
          module.gpu->gpu.facts()};
}

Recording record(const OpenGpu& gpu, unsigned profile, bool predict, Caches caches, bool fidelity,
                 const std::string& check) {
  return value(gpu.gpu.record({profile, predict, caches, fidelity, check}));
}

/// Where an array of the host's memory lies: its first element, the range of all of its elements,
/// and its type as DLPack has it.
std::tuple<std::uintptr_t, Range, int, int> describe(const nb::ndarray<nb::device::cpu>& array) {
  auto begin = reinterpret_cast<std::uintptr_t>(array.data());
  const std::size_t element = (std::size_t{array.dtype().bits} * array.dtype().lanes + 7) / 8;
  std::uintptr_t first = begin, last = begin + element;
  for (std::size_t i = 0; i < array.ndim(); ++i) {
    if (array.shape(i) == 0) return {begin, {0, 0}, array.dtype().code, array.dtype().bits};
    const auto reach = static_cast<std::intptr_t>(element) * array.stride(i) *
                       static_cast<std::intptr_t>(array.shape(i) - 1);
    (reach < 0 ? first : last) += static_cast<std::uintptr_t>(reach);
  }
  return {begin, {first, last}, array.dtype().code, array.dtype().bits};
}

/// What notebooks show of a value: Python's part of the package says how.
template <class Shown>
void add_notebook_view(nb::class_<Shown>& shown, const char* function) {
  shown.def("_repr_html_", [function](const nb::handle& self) {
    return nb::cast<std::string>(nb::module_::import_("hipsight._shown").attr(function)(self));
  });
}

/// What reports are shown as.
template <class Shown>
void add_showing(nb::class_<Shown>& shown) {
  shown
      .def(
          "to_text",
          [](const Shown& report, const std::string& details) {
            return value(to_text(as_run(report), details));
          },
          nb::arg("details") = "",
          "For people: as the command hipsight shows it. details: sections beside the answer: "
          "\"counts,roofs\", or \"all\".")
      .def(
          "to_json", [](const Shown& report) { return value(to_json(as_run(report))); },
          "For programs: docs/report-schema.md.")
      .def(
          "to_html", [](const Shown& report) { return value(to_html(as_run(report))); },
          "One page that needs nothing else.")
      .def(
          "met",
          [](const Shown& report, const std::string& condition) {
            return value(met(as_run(report), condition));
          },
          nb::arg("condition"),
          "The kernels of which a condition on their figures holds: \"spills > 0\" "
          "(docs/conditions.md).")
      .def("__str__", [](const Shown& report) { return value(to_text(as_run(report))); });
  add_notebook_view(shown, "report");
}

void add_values(nb::module_& module) {
  nb::enum_<Error::Kind>(module, "ErrorKind", "What kind of thing went wrong.")
      .value("Internal", Error::Kind::Internal, "A fault of hipsight.")
      .value("Usage", Error::Kind::Usage, "An argument that makes no sense.")
      .value("NotFound", Error::Kind::NotFound, "No such GPU, file, kernel or variable.")
      .value("BadCode", Error::Kind::BadCode, "A damaged code object, or none for this GPU.")
      .value("OutOfMemory", Error::Kind::OutOfMemory, "The GPU's, or the host's.")
      .value("InvalidLaunch", Error::Kind::InvalidLaunch, "No GPU would take it.")
      .value("UnknownInstruction", Error::Kind::UnknownInstruction,
             "hipsight does not know what it does.")
      .value("MemoryAccess", Error::Kind::MemoryAccess, "Of what the kernel must not touch.")
      .value("Timeout", Error::Kind::Timeout, "Past the GPU's timeout.")
      .value("Trap", Error::Kind::Trap, "The kernel trapped: an assertion, say.")
      .value("Deadlock", Error::Kind::Deadlock, "Waves wait for what cannot come.")
      .value("Incompatible", Error::Kind::Incompatible, "The library is older than the package.");
  nb::enum_<Collective::Kind>(module, "CollectiveKind", "An operation of several GPUs.")
      .value("all_reduce", Collective::Kind::AllReduce, "All get the sum of all.")
      .value("all_gather", Collective::Kind::AllGather, "All get what each has.")
      .value("reduce_scatter", Collective::Kind::ReduceScatter, "Each gets its share of the sum.")
      .value("all_to_all", Collective::Kind::AllToAll, "Each gives each another share.")
      .value("send", Collective::Kind::Send, "Each gives the next one what it has.");
  nb::enum_<Caches>(module, "Caches", "What caches hold when a launch begins.")
      .value("cold", Caches::Cold, "Nothing of its data.")
      .value("mall", Caches::InMall, "The MALL all that it reads.")
      .value("warm", Caches::Warm, "L2 and MALL what they can of what it touches.");
  nb::enum_<Bound::Kind>(module, "BoundKind", "What keeps a launch from being quicker.")
      .value("Launch", Bound::Kind::Launch, "The launch takes more than half of the time.")
      .value("Unit", Bound::Kind::Unit, "A unit works most of it.")
      .value("Grid", Bound::Kind::Grid, "Too few workgroups: compute units have none.")
      .value("Tail", Bound::Kind::Tail, "The last round of workgroups leaves compute units idle.")
      .value("Occupancy", Bound::Kind::Occupancy, "Waves wait, and more of them would help.")
      .value("Latency", Bound::Kind::Latency, "Waves wait.");

  value_class<GpuFacts>(module, "GpuFacts", "What a GPU is, in short.");
  value_class<Location>(module, "Location", "An instruction of a kernel, or a line of its source.");
  value_class<ArgumentFacts>(module, "ArgumentFacts", "An argument that a launch passes.");
  value_class<KernelFacts>(module, "KernelFacts", "What the compiler says of a kernel.");
  value_class<Traffic>(module, "Traffic", "Bytes that active lanes asked for.");
  value_class<Counts>(module, "Counts", "What ran. Exact.");
  value_class<OccupancyStep>(
      module, "OccupancyStep",
      "The most of a resource with which more waves would be resident than are.");
  value_class<Occupancy>(module, "Occupancy",
                         "How many waves of a kernel a compute unit holds at a time.");
  value_class<Roof>(module, "Roof",
                    "The time that one resource alone would take. First-order and UNVALIDATED.");
  value_class<Roofline>(module, "Roofline", "A kernel's place among the roofs of a GPU.");
  value_class<Advice>(module, "Advice",
                      "A change that would make a kernel quicker, by the model (docs/advice.md).");
  value_class<WhatIf>(module, "WhatIf",
                      "How long the launch would take with a change (docs/what-if.md).");
  value_class<Verdict>(
      module, "Verdict",
      "The answer: how long a kernel would take and what bounds it, if predicted.");
  value_class<Wait>(module, "Wait", "Where waves would wait.");
  value_class<HotLine>(module, "HotLine", "A line that waves spend their time on.");
  value_class<ModelError>(
      module, "ModelError",
      "How far predictions of a family of kernels on a GPU were from measured times.");
  value_class<Bound>(module, "Bound", "What keeps a launch from being quicker.");
  auto prediction = value_class<Prediction>(
      module, "Prediction", "How long one launch would take, with the launch itself.");
  prediction.def("__str__", [](const nb::handle& self) {
    return nb::cast<std::string>(
        nb::module_::import_("hipsight._shown").attr("prediction_text")(self));
  });
  add_notebook_view(prediction, "prediction");
  value_class<Registers>(module, "Registers", "How many vector registers hold what is read later.");
  value_class<CacheUse>(module, "CacheUse", "Requests that went through the simulated caches.");
  value_class<ProfileRow>(module, "ProfileRow", "What one instruction or source line did.");
  value_class<Profile>(module, "Profile", "What one launch did to memory and LDS.");
  value_class<Fidelity::Inexact>(module, "Inexact", "An instruction that is not exact, and why.");
  value_class<Fidelity>(module, "Fidelity", "How exact the instructions that ran were.");
  value_class<Finding>(module, "Finding",
                       "What a kernel did that a GPU lets pass, but should not do.");
  value_class<OtherGpu>(module, "OtherGpu", "What a launch would take on another GPU.");
  auto kernel = value_class<Report>(module, "KernelReport",
                                    "What the launches of one kernel did, and would cost.");
  kernel.def_ro("gpu", &Report::gpu, "The GPU that they ran on.");
  add_showing(kernel);
  value_class<FailedLaunch>(module, "FailedLaunch", "A launch that failed.");
  value_class<UnfinishedLaunch>(module, "UnfinishedLaunch", "A launch that has not ended.");
  value_class<EstimatedLaunches>(module, "EstimatedLaunches",
                                 "Launches whose time is estimated, not predicted, and why.");
  value_class<Selection>(module, "Selection", "Which launches a report tells of.");
  value_class<RangeReport>(module, "RangeReport", "A stretch of a program that it named.");
  value_class<ConditionFacts>(module, "ConditionFacts", "What a condition takes to be judged.");
  value_class<MetCondition>(module, "MetCondition",
                            "A kernel of which a condition on its figures holds.");
  value_class<CollectiveTime>(module, "CollectiveTime",
                              "How long an operation of several GPUs would take.");
  value_class<RecordedLaunch>(module, "RecordedLaunch", "One of the launches of a profile.");
  auto run = value_class<RunReport>(module, "RunReport", "What the kernels of a program did.");
  run.def_prop_ro(
      "kernels",
      [](const RunReport& report) {
        std::vector<Report> kernels;
        for (const KernelReport& one : report.kernels) kernels.push_back({one, report.gpu});
        return kernels;
      },
      "The most predicted time first.");
  add_showing(run);
}

NB_MODULE(_hipsight, module) {
  // A GPU that a call names stays open until the process ends.
  nb::set_leak_warnings(false);
  // Python's class for it is in the package, where people read it.
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      const nb::object type = nb::module_::import_("hipsight._error").attr("Error");
      const nb::object raised = type(error.kind, error.place, error.text);
      PyErr_SetObject(type.ptr(), raised.ptr());
    }
  });
  add_values(module);
  nb::class_<OpenGpu>(module, "OpenGpu")
      .def_prop_ro("facts", [](const OpenGpu& gpu) { return gpu.gpu.facts(); })
      .def(
          "all_reduce",
          [](const OpenGpu& gpu, std::uint32_t ranks, std::uint64_t bytes) {
            return value(gpu.gpu.all_reduce(ranks, bytes));
          },
          nb::arg("ranks"), nb::arg("bytes"))
      .def(
          "collective",
          [](const OpenGpu& gpu, Collective::Kind kind, std::uint32_t ranks, std::uint64_t bytes,
             std::uint32_t nodes, double network_gb_per_s, double busiest) {
            return value(gpu.gpu.time_of({kind, ranks, bytes, nodes, network_gb_per_s, busiest}));
          },
          nb::arg("kind"), nb::arg("ranks"), nb::arg("bytes"), nb::arg("nodes"),
          nb::arg("network_gb_per_s"), nb::arg("busiest"));
  nb::class_<LoadedModule>(module, "LoadedModule")
      .def_prop_ro("kernels", [](const LoadedModule& module) { return module.module.kernels(); })
      .def("kernel",
           [](const LoadedModule& module, const std::string& name) {
             return value(module.module.kernel(name)).facts();
           })
      .def("variable", [](const LoadedModule& module, const std::string& name) {
        const auto bytes = value(module.module.variable(name));
        return std::pair(reinterpret_cast<std::uintptr_t>(bytes.data()), bytes.size());
      });
  nb::class_<Recording>(module, "Recording")
      .def("report", [](const Recording& recording) { return value(recording.report()); })
      .def("launches", [](const Recording& recording) { return value(recording.launches()); })
      .def("stop", [](const Recording& recording) { value(recording.stop()); });
  module.def("record", record, nb::arg("gpu"), nb::kw_only(), nb::arg("profile"),
             nb::arg("predict"), nb::arg("caches"), nb::arg("fidelity"), nb::arg("check"));
  module.def(
      "read_condition", [](const std::string& text) { return value(read_condition(text)); },
      nb::arg("text"));
  module.def("known_gpus", [] { return value(Gpu::known()); });
  module.def("open_gpu", open_gpu, nb::arg("name"), nb::kw_only(), nb::arg("threads"),
             nb::arg("timeout"), nb::arg("strict"), nb::arg("exact_matrix"), nb::arg("interpret"),
             nb::arg("timing_only"));
  module.def("load", load, nb::arg("gpu"), nb::arg("image"), nb::arg("origin"));
  module.def("load_file", load_file, nb::arg("gpu"), nb::arg("path"));
  module.def("launch", launch, nb::arg("module"), nb::arg("kernel"), nb::kw_only(), nb::arg("grid"),
             nb::arg("block"), nb::arg("lds"), nb::arg("cooperative"), nb::arg("profile"),
             nb::arg("predict"), nb::arg("caches"), nb::arg("sampled_only"), nb::arg("fidelity"),
             nb::arg("range"), nb::arg("also"), nb::arg("arguments"), nb::arg("memory"));
  module.def("describe", describe, nb::arg("array"));
}

}  // namespace
}  // namespace hipsight::python
