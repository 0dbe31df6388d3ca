#include "engine/translate/compiler.h"

#include <fmt/format.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/FunctionComparator.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "engine/disk_cache.h"
#include "engine/engine.h"
#include "engine/host.h"
#include "engine/program/program.h"
#include "engine/translate/analysis/lanewise.h"
#include "engine/translate/cluster.h"
#include "engine/translate/emit/emit.h"
#include "engine/translate/emit/words.h"
#include "engine/translate/library.h"
#include "isa/entry.h"
#include "isa/instruction.h"
#include "support/error.h"

namespace hipsight::engine {
namespace {

template <class T>
T check(llvm::Expected<T> result, const char* what) {
  if (!result) fail("{}: {}", what, toString(result.takeError()));
  return std::move(*result);
}
void check(llvm::Error error, const char* what) {
  if (error) fail("{}: {}", what, toString(std::move(error)));
}

/// What this host has and what it lacks, in LLVM's words: "+avx2,-amx-tile,".
std::string host_features() {
  std::map<std::string, bool> sorted;
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    sorted[feature.getKey().str()] = feature.getValue();
  std::string features;
  for (const auto& [name, has] : sorted) features += (has ? '+' : '-') + name + ',';
  return features;
}

std::unique_ptr<llvm::TargetMachine> host_machine(bool wide) {
  static const bool initialised = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    return true;
  }();
  (void)initialised;
  const llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string error;
  const auto* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) fail("LLVM has no code generator for this host: {}", error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  const std::string& asked = host().cpu;
  const std::string processor = asked.empty() ? llvm::sys::getHostCPUName().str() : asked;
  // The processor's own schedule, but no instructions that it lacks, as a virtual machine may hide
  // some of them, and none beyond the chosen host instruction set.
  const std::string features =
      (asked.empty() ? host_features() : "") + (wide ? "-prefer-256-bit" : "-avx512f");
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, processor, features, options, llvm::Reloc::PIC_,
                                  llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, true));
  if (!machine->getMCSubtargetInfo()->isCPUStringValid(processor))
    fail("LLVM does not know the host's processor '{}'", processor);
  return machine;
}

/// What LLVM's passes over its own code ask for.
struct Analyses {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;

  explicit Analyses(llvm::TargetMachine* machine) {
    llvm::PassBuilder builder(machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graphs, modules);
  }
};

/// LLVM's code generator, without passes that find nothing in emitted code, or that make it no
/// faster: its addresses are a register and a constant, and its order is the kernel's.
struct Generator : llvm::legacy::PassManagerBase {
  llvm::legacy::PassManager passes;

  void add(llvm::Pass* pass) override {
    static constexpr std::string_view left_out[]{"Canonicalize Freeze Instructions in Loops",
                                                 "Constant Hoisting",
                                                 "Detect Dead Lanes",
                                                 "Early If-Conversion",
                                                 "Early Tail Duplication",
                                                 "Expand memcmp() to load/stores",
                                                 "Live DEBUG_VALUE analysis",
                                                 "Loop Strength Reduction",
                                                 "Machine Instruction Scheduler",
                                                 "Machine Late Instructions Cleanup Pass",
                                                 "Machine Loop Invariant Code Motion",
                                                 "Merge contiguous icmps into a memcmp",
                                                 "Merge disjoint stack slots",
                                                 "ObjC ARC contraction",
                                                 "Partially inline calls to library functions",
                                                 "Post RA top-down list latency scheduler",
                                                 "Remove Redundant DEBUG_VALUE analysis",
                                                 "Shrink Wrapping analysis",
                                                 "Tail Duplication",
                                                 "X86 Avoid Store Forwarding Blocks",
                                                 "X86 Domain Reassignment Pass",
                                                 "X86 FP Stackifier",
                                                 "X86 LEA Optimize",
                                                 "X86 Load Value Injection (LVI) Load Hardening",
                                                 "X86 Partial Reduction",
                                                 "X86 cmov Conversion"};
    static_assert(std::ranges::is_sorted(left_out));
    const std::string_view name(pass->getPassName());
    if (std::ranges::binary_search(left_out, name))
      delete pass;
    else
      passes.add(pass);
  }
};

}  // namespace

struct Compiler::Impl {
  EmitOptions options;
  llvm::LLVMContext context;
  std::map<unsigned, Library> libraries;  ///< by the lanes of a slice; made when they are needed
  std::unique_ptr<llvm::TargetMachine> machine;
  // Making these takes as long as compiling a small function; they serve for all.
  Analyses analyses;
  Generator generator;
  llvm::SmallString<0> object;  ///< what the generator has written
  llvm::raw_svector_ostream object_stream{object};
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::optional<DiskCache> cache = DiskCache::of(host());
  std::unordered_map<std::string, std::weak_ptr<const std::vector<Run>>> linked;  ///< by name
  std::deque<CompiledCode> latest;       ///< kept for code objects that are loaded again
  std::unique_ptr<llvm::Module> module;  ///< to be compiled
  std::vector<Emitted> functions;        ///< in it

  explicit Impl(bool wide)
      : options{.slice_lanes = wide ? 16u : 8u, .group = wide ? 16u : 8u, .library = {}},
        machine(host_machine(wide)),
        analyses(machine.get()),
        jit(check(llvm::orc::LLJITBuilder().create(), "LLVM's JIT does not start")) {
    options.library = [this](unsigned lanes) -> const Library& {
      return libraries.try_emplace(lanes, this->context, this->options.slice_lanes, lanes)
          .first->second;
    };
    if (machine->addPassesToEmitFile(generator, object_stream, nullptr,
                                     llvm::CodeGenFileType::ObjectFile))
      fail("LLVM cannot write object code for this host");
  }

  /// For slices of one host register.
  const Library& usual_library() const { return options.library(options.slice_lanes); }

  void optimise(llvm::Function& function, bool has_variables) {
    permute_words(function, this->options.slice_lanes * 32);
    llvm::FunctionPassManager passes;
    if (has_variables) passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
    passes.addPass(llvm::EarlyCSEPass());
    passes.addPass(llvm::DCEPass());
    passes.run(function, analyses.functions);
    analyses.functions.clear();
  }

  /// What is not made of words takes more registers than results.
  static bool is_of_words(const isa::Shape& shape, bool or_masks) {
    const auto is_word = [&](isa::Type t) {
      return t == isa::Type::F32 || t == isa::Type::U32 || t == isa::Type::I32 ||
             (or_masks && t == isa::Type::B1);
    };
    return is_word(shape.result) && is_word(shape.operand[0]);
  }

  /// Long chains of few values leave a host idle that waits for each result: two slices at once
  /// give it twice as much to do. The figures are as many as fit sixteen registers.
  bool takes_double_slices(std::span<const Op* const> ops, const RegisterFile& file,
                           const Places& live) const {
    if (options.slice_lanes == 16) return false;
    for (const Op* op : ops)
      if (op->shape && !is_of_words(*op->shape, false)) return false;
    const Chain chain = chain_of(ops, file, live);
    return chain.length >= 8 && chain.width <= 5;
  }

  /// The same of loops that lanes leave: each trip is such a chain. Lanes of two slices wait for
  /// each other, but the host no longer waits for most of a trip. Sixteen registers are too few.
  bool takes_double_slices(const Loop& loop, const LanewiseLoop& lanes,
                           const RegisterFile& file) const {
    if (options.slice_lanes != 16) return false;
    constexpr std::size_t most_places = 10, most_ops = 40;
    std::size_t ops = 0;
    Places written;
    for (const LoopPart& part : loop.parts)
      for (const Op& op : part.ops()) {
        if (lanes.mask_ops.contains(&op)) continue;
        if (op.shape && op.shape->form == isa::Form::Scalar) continue;
        if (!op.shape || !is_of_words(*op.shape, true)) return false;
        ++ops;
        written |= effects_of(op, file).writes;
      }
    std::size_t places = 0;
    for (unsigned place = place::vector; place < place::count; ++place)
      places += written.test(place);
    return places <= most_places && ops <= most_ops;
  }

  template <class Emit>
  Compiled compile(Emit emit_function, bool doubled = false) {
    EmitOptions options = this->options;
    if (doubled) options.slice_lanes *= 2;
    if (!module) {
      module = std::make_unique<llvm::Module>("clusters", context);
      module->setTargetTriple(machine->getTargetTriple());
      module->setDataLayout(machine->createDataLayout());
    }
    const std::size_t number = functions.size();
    Emitted emitted = emit_function(*module, options.library(options.slice_lanes), options,
                                    fmt::format("cluster_{}", number));
    llvm::Function& function = *emitted.function;
    function.addFnAttr("target-cpu", machine->getTargetCPU());
    function.addFnAttr("target-features", machine->getTargetFeatureString());
    function.addFnAttr("min-legal-vector-width", this->options.slice_lanes == 16 ? "512" : "256");
    // Denormals follow MODE, which is not known here: nothing may be folded by one rule.
    function.addFnAttr("denormal-fp-math", "dynamic,dynamic");
    std::string why;
    llvm::raw_string_ostream problems(why);
    if (llvm::verifyFunction(function, &problems)) {
      function.eraseFromParent();
      fail("the translator made code that LLVM refuses: {}", why);
    }
    // Kernels repeat themselves.
    llvm::GlobalNumberState numbers;
    for (std::size_t n = 0; n < number; ++n) {
      if (llvm::FunctionComparator(functions[n].function, &function, &numbers).compare()) continue;
      function.eraseFromParent();
      return {n, emitted.masks, emitted.parameters};
    }
    const Emitted& made = functions.emplace_back(std::move(emitted));
    return {number, made.masks, made.parameters};
  }

  /// Code is known by what it is made from: LLVM's bitcode, which says all there is to say of it.
  CompiledCode finish() {
    if (!module) return {};
    const std::unique_ptr<llvm::Module> made = std::move(module);
    const std::vector<Emitted> emitted = std::exchange(functions, {});
    llvm::SmallVector<char, 0> bitcode;
    llvm::raw_svector_ostream out(bitcode);
    llvm::WriteBitcodeToFile(*made, out);
    const DiskCache::Key key = DiskCache::key_of(std::as_bytes(std::span(bitcode)));
    const std::string name = DiskCache::text(key);
    if (const auto known = linked.find(name); known != linked.end()) return known->second.lock();
    const auto name_of = [&](std::size_t number) {
      return fmt::format("cluster_{}_{}", name, number);
    };
    std::unique_ptr<llvm::MemoryBuffer> object;
    if (const auto found = cache ? cache->find(key) : std::nullopt) {
      object = llvm::MemoryBuffer::getMemBufferCopy(
          {reinterpret_cast<const char*>(found->data()), found->size()}, name);
    } else {
      for (std::size_t f = 0; f < emitted.size(); ++f) {
        emitted[f].function->setName(name_of(f));
        optimise(*emitted[f].function, emitted[f].has_variables);
      }
      object = generate(*made);
      if (cache) cache->keep(key, std::as_bytes(std::span(object->getBuffer())));
    }
    const llvm::orc::ResourceTrackerSP memory = jit->getMainJITDylib().createResourceTracker();
    check(jit->addObjectFile(memory, std::move(object)), "LLVM's JIT refuses an object");
    auto runs = std::make_unique<std::vector<Run>>();
    for (std::size_t f = 0; f < emitted.size(); ++f)
      runs->push_back(check(jit->lookup(name_of(f)), "LLVM's JIT does not link").toPtr<Run>());
    CompiledCode code(runs.release(), [this, name, memory](const std::vector<Run>* all) {
      linked.erase(name);
      llvm::consumeError(memory->remove());
      delete all;
    });
    linked[name] = code;
    constexpr std::size_t most = 256;
    latest.push_back(code);
    if (latest.size() > most) latest.pop_front();
    return code;
  }

  std::unique_ptr<llvm::MemoryBuffer> generate(llvm::Module& module) {
    generator.passes.run(module);
    auto made = llvm::MemoryBuffer::getMemBufferCopy(object, module.getName());
    object.clear();
    return made;
  }
};

Compiler::Compiler() : impl_(std::make_unique<Impl>(Engine::host_isa() == "avx512")) {}
Compiler::~Compiler() = default;

bool Compiler::takes(const Op& op) const {
  return can_emit(op, impl_->usual_library());
}

bool Compiler::takes_scalar(const Op& op) const {
  return can_emit_scalar(op, impl_->usual_library());
}

bool Compiler::joins(const Op& op) const {
  return can_join(op, impl_->usual_library());
}

bool Compiler::stores(const Op& op) {
  return is_store(op);
}

Compiled Compiler::compile(const Cluster& cluster, const RegisterFile& file, const Places& live,
                           bool masked, const Addresses& addresses) {
  const auto emit_function = [&](llvm::Module& module, const Library& library, EmitOptions options,
                                 const std::string& name) {
    options.masked = masked;
    options.addresses = &addresses;
    return emit(module, library, cluster.scalars, cluster.arithmetic, file, live, options, name);
  };
  return impl_->compile(emit_function, impl_->takes_double_slices(cluster.arithmetic, file, live));
}

Compiled Compiler::compile_loop(std::span<const Op* const> ops, const Op& branch,
                                const RegisterFile& file, const Places& live, bool masked,
                                const Addresses& addresses) {
  return impl_->compile([&](llvm::Module& module, const Library& library, EmitOptions options,
                            const std::string& name) {
    options.masked = masked;
    options.addresses = &addresses;
    return emit_loop(module, library, ops, branch, file, live, options, name);
  });
}

CompiledCode Compiler::finish() {
  return impl_->finish();
}

std::shared_ptr<const Run> Compiler::compile_lanewise(const Loop& loop, const RegisterFile& file) {
  const auto lanes = lanewise(
      loop, file,
      [&](const Op& op) { return takes(op) && !stores(op) && op.instruction->cache == 0; },
      [&](const Op& op) { return takes_scalar(op); });
  if (!lanes) return nullptr;
  const auto emit_function = [&](llvm::Module& module, const Library& library,
                                 const EmitOptions& options, const std::string& name) {
    return emit_lanewise(module, library, loop, *lanes, file, options, name);
  };
  const Compiled made =
      impl_->compile(emit_function, impl_->takes_double_slices(loop, *lanes, file));
  const CompiledCode code = impl_->finish();
  return {code, &(*code)[made.number]};
}

}  // namespace hipsight::engine
