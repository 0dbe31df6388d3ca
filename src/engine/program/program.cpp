#include "engine/program/program.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <utility>

#include "analysis/wave_order.h"
#include "code/elf.h"
#include "engine/launch/workgroup.h"
#include "engine/translate/analysis/liveness.h"
#include "engine/translate/translator.h"
#include "isa/crash_guard.h"
#include "support/error.h"

namespace hipsight::engine {

struct Program::Function {
  explicit Function(unsigned lanes) : constants(lanes) {}

  std::vector<isa::Instruction> instructions;
  std::deque<isa::Instruction> extra;
  std::vector<Op> ops;
  ConstantPool constants;
  std::map<std::uint64_t, std::size_t> op_of;  ///< by virtual address
  std::size_t first_region = 0, regions = 0;
  bool translatable = true;
  bool order_matters = false;  ///< waves wait for each other before a store to LDS, or in a callee
  std::uint64_t launches = 0;
  std::optional<Liveness> liveness;
  std::optional<AffineFlow> affine, of_halves;
  struct Request {
    Variants variants;
    bool rows = false;
  };
  std::vector<Request> requests;  ///< of regions: what was asked to be translated soon
};

namespace {

using isa::Control;

bool leaves(const isa::Instruction& in) {
  return in.row->control >= Control::Branch && in.row->control <= Control::End;
}
/// Instructions that jump and change EXEC, or what others mean, as analyses do not know of:
/// functions with one are not translated.
bool bars_translation(const isa::Instruction& in) {
  switch (in.row->control) {
    case Control::Fork:
    case Control::Join:
    case Control::Halves:
    case Control::SkipVectors:
      return true;
    default:
      return false;
  }
}
/// Also a comparison's mask, a carry, and a lane that is read.
bool writes_exec(const isa::Instruction& in) {
  const auto is_exec = [](const isa::Operand& o) {
    return o.where == isa::Where::Sgpr && (o.index == reg::exec || o.index == reg::exec + 1);
  };
  if (is_exec(in.dst) || is_exec(in.sdst)) return true;
  return in.row->writes.exec;
}
/// The first op of a region that is translated when it is reached first (Tier::Translate).
const Op* translate_first(Wave& w, const Op* op) {
  if (!wants_translation(w)) return host_table().find("region")->run(w.lanes, false)(w, op);
  w.group->launch->program->translate_now(op->counter, w);
  return op;
}
/// Code that no symbol names, as where they were stripped: from an address on to the next function,
/// or to the end of the code.
std::optional<code::Symbol> nameless(const code::CodeObject& object, std::uint64_t address) {
  std::uint64_t size = code::Elf(object.elf(), object.origin()).code_left(address);
  if (!size) return std::nullopt;
  for (const code::Symbol& symbol : object.symbols())
    if (symbol.function && symbol.address > address)
      size = std::min(size, symbol.address - address);
  return code::Symbol{.name = "", .address = address, .size = size, .function = true};
}

}  // namespace

Program::Program(std::shared_ptr<const code::CodeObject> object, std::byte* image)
    : code_(add_code(std::move(object), image)),
      gfx_(isa::gfx_of(code_->object->target().processor)) {}
Program::~Program() {
  remove_code(*code_);
  if (tier_ != Tier::Interpret) Translator::instance().forget(*this);
}

std::size_t Program::region_limit() const {
  // Functions that kernels of several register files call are lowered for each, and those of other
  // code objects come on top.
  constexpr std::size_t shared = 1 << 20;
  return object().image_size() + shared;
}

Program::Place Program::place_of(const isa::Instruction& instruction) const {
  const std::uint64_t at = base() + instruction.address;
  const std::lock_guard lock(mutex_);
  if (!code_->holds(at))
    for (const auto& other : others_)
      if (other->holds(at)) return {other->object, at - other->base()};
  return {code_->object, instruction.address};
}

std::vector<std::shared_ptr<const LoadedCode>> Program::called() const {
  const std::lock_guard lock(mutex_);
  auto called = others_;
  std::erase_if(called, [](const auto& code) { return code_at(code->base()) != code; });
  return called;
}

std::vector<Region> Program::regions() const {
  const std::lock_guard lock(mutex_);
  return regions_;
}

std::vector<std::uint64_t> Program::executions() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> executions = executions_;
  executions.resize(regions_.size());
  return executions;
}

void Program::add_executions(std::span<const RegionCount> counts) {
  const std::lock_guard lock(mutex_);
  executions_.resize(std::max(executions_.size(), counts.size()));
  for (std::size_t r = 0; r < counts.size(); ++r) executions_[r] += counts[r].executions;
}

Program::Function& Program::function_of(std::size_t region) {
  return *std::ranges::find_if(functions_, [&](const auto& f) {
            return region - f.second->first_region < f.second->regions;
          })->second;
}

bool Program::is_kernel(std::uint64_t address) const {
  return std::ranges::any_of(object().kernels(),
                             [&](const code::Kernel& k) { return k.entry == address; });
}

Task Program::task(std::size_t region, Variants variants, bool rows) {
  Function& function = function_of(region);
  if (!function.liveness)
    function.liveness.emplace(std::span(regions_).subspan(function.first_region, function.regions));
  const std::size_t in_function = region - function.first_region;
  const auto regions = std::span(regions_).subspan(function.first_region, function.regions);
  if (rows && !function.affine) {
    const bool kernel = is_kernel(regions.front().first->address);
    function.affine.emplace(regions, *function.liveness, kernel, Affine::group);
    function.of_halves.emplace(regions, *function.liveness, kernel, Affine::half);
  }
  return {.region = regions_[region],
          .live_after = function.liveness->after(in_function),
          .all_lanes = function.liveness->all_lanes(in_function),
          .affine = rows ? function.affine->before(in_function) : Affinities{},
          .of_halves = rows ? function.of_halves->before(in_function) : Affinities{},
          .variants = variants,
          .loop = find_loop(regions, *function.liveness, in_function)};
}

bool Program::translate_now(std::size_t region, const Wave& wave) {
  if (tier_ != Tier::Translate || !wants_translation(wave)) return false;
  const bool rows = has_whole_rows(wave.group->launch->dispatch->block);
  std::unique_lock lock(mutex_);
  const Variants wanted = variant_for(wave, *regions_[region].begin, rows);
  if (is_translated(*regions_[region].begin, wanted)) return false;
  const Task task = this->task(region, wanted, rows);
  lock.unlock();
  Translator::instance().translate(*this, task);
  return true;
}

void Program::translate_soon(std::size_t index, const RegionCount& count, bool rows,
                             bool observed) {
  const std::lock_guard lock(mutex_);
  Function& function = function_of(index);
  if (!function.translatable) return;
  function.requests.resize(function.regions);
  auto& [asked, with_rows] = function.requests[index - function.first_region];
  if (observed) {
    if (!std::exchange(asked.observed, true))
      Translator::instance().request(*this, task(index, {.observed = true}, false));
    return;
  }
  // Code for any EXEC also serves where every lane is on, a little slower. Where there is none, a
  // thousandth of the lanes takes some hundredths of the time.
  const std::uint64_t all = count.executions * regions_[index].file.lanes, off = all - count.lanes;
  const Variants wanted{.full = off * 10 < all,
                        .masked = off * 1000 > all || (asked.full && with_rows && !rows)};
  const Variants more{.full = wanted.full && !asked.full, .masked = wanted.masked && !asked.masked};
  if (!more.full && !more.masked) return;
  if (more.full) with_rows = rows;
  asked.full |= more.full;
  asked.masked |= more.masked;
  Translator::instance().request(*this, task(index, more, rows));
}

std::string Program::text(const isa::Instruction& instruction) {
  const std::lock_guard lock(mutex_);
  if (!decoder_) decoder_.emplace(object().target().processor);
  return decoder_->text(instruction);
}

bool Program::watches_order(const Op& entry) {
  const std::lock_guard lock(mutex_);
  Function& function = function_of(entry.counter);
  return function.order_matters && std::has_single_bit(++function.launches);
}

const Op* Program::op_at(std::uint64_t device_address, const RegisterFile& file) {
  const auto code = code_->holds(device_address) ? code_ : code_at(device_address);
  if (!code) return nullptr;
  const std::uint64_t address = device_address - code->base();
  const code::Symbol* symbol = code->object->function_at(address);
  const std::lock_guard lock(mutex_);
  const auto op_in = [&](const Function& function) {
    const auto at = function.op_of.find(device_address - base());
    return at == function.op_of.end() ? nullptr : &function.ops[at->second];
  };
  const auto key = [&](std::uint64_t begin) { return std::tuple(code->number, begin, file); };
  std::optional<code::Symbol> without_name;
  if (!symbol) {
    // It may be in the middle of what was lowered before.
    for (auto at = functions_.upper_bound(key(address)); at != functions_.begin();) {
      const auto& [number, begin, registers] = (--at)->first;
      if (number != code->number) break;
      if (const Op* op = registers == file ? op_in(*at->second) : nullptr) return op;
    }
    without_name = nameless(*code->object, address);
    if (!without_name) return nullptr;
    symbol = &*without_name;
  }
  auto found = functions_.find(key(symbol->address));
  if (found == functions_.end()) {
    found = functions_.emplace(key(symbol->address), lower(*code, *symbol, file)).first;
    // The latest first: another one may have had its addresses before.
    if (code != code_ && std::ranges::find(others_, code) == others_.end())
      others_.insert(others_.begin(), code);
  }
  return op_in(*found->second);
}

std::unique_ptr<Program::Function> Program::lower(const LoadedCode& object_code,
                                                  const code::Symbol& symbol,
                                                  const RegisterFile& file) {
  if (!decoder_) decoder_.emplace(object().target().processor);
  const code::CodeObject& object = *object_code.object;
  auto lowered = std::make_unique<Function>(file.lanes);
  Function& function = *lowered;
  if (symbol.address > object.image_size() || symbol.size > object.image_size() - symbol.address)
    fail("{}: function '{}' lies outside the loaded image", object.origin(), symbol.name);

  // Decode; words that are no instructions become single-word ones that stop the launch when
  // reached.
  const isa::CrashGuard guard;
  const std::span code(object_code.image + symbol.address, symbol.size);
  const std::uint64_t begin_address = object_code.base() + symbol.address - base();
  std::set<std::uint64_t> leaders{begin_address};
  function.instructions.reserve(code.size() / 4);  // ops and regions point at them
  std::optional<std::uint64_t> behind_exec;        ///< what follows a write of EXEC
  bool calls = false;
  for (std::size_t at = 0; at + 4 <= code.size();) {
    const std::uint64_t address = begin_address + at;
    auto decoded = decoder_->decode(code.subspan(at), address);
    if (!decoded) {
      decoded.emplace();
      decoded->address = address;
      decoded->size = 4;
      decoded->gfx = gfx_;
      std::memcpy(decoded->words.data(), code.data() + at, 4);
    }
    const isa::Instruction& in = function.instructions.emplace_back(*decoded);
    if (in.row->has_target()) leaders.insert(branch_target(in));
    at += in.size;
    // A branch does nothing to lanes: it belongs to the region that narrowed EXEC for it.
    if (behind_exec && !in.row->has_target()) leaders.insert(*behind_exec);
    behind_exec.reset();
    if (leaves(in))
      leaders.insert(begin_address + at);
    else if (writes_exec(in))
      behind_exec = begin_address + at;
    if (bars_translation(in)) function.translatable = false;
    calls |= in.row->control == Control::Call;
  }

  const auto stores = analysis::overtaking_stores(function.instructions, is_kernel(begin_address));
  auto store = stores.begin();
  function.order_matters = calls || !stores.empty();

  LoweringContext context{host_table(), gfx_, file, matrix_, sram_ecc_};
  const Code* region_code = context.table.find("region");
  const Run nothing = context.table.find("S_NOP")->wave64;
  std::vector<std::pair<std::size_t, std::uint64_t>> branches;  // op index, target address
  const std::size_t first_region = regions_.size();
  if (leaders.size() > region_limit() - first_region)
    fail("{}: kernels of too many register files call '{}'", object.origin(), symbol.name);
  std::vector<std::size_t> region_begins;  // op indices
  Region* region = nullptr;
  for (isa::Instruction& in : function.instructions) {
    function.op_of[in.address] = function.ops.size();
    if (leaders.contains(in.address)) {
      Op begin;
      begin.run = tier_ == Tier::Translate && function.translatable
                      ? translate_first
                      : region_code->run(file.lanes, false);
      begin.counter = static_cast<std::uint32_t>(regions_.size());
      begin.instruction = &in;
      region_begins.push_back(function.ops.size());
      function.ops.push_back(begin);
      regions_.push_back({{&in, 0}, nullptr, nullptr, file});
      region = &regions_.back();
    }
    ++region->count;
    const bool waits = store != stores.end() && store->address == in.address;
    if (waits) {
      isa::Instruction& wait = function.extra.emplace_back();
      wait.address = in.address;
      wait.format = isa::Format::Sopp;
      wait.gfx = gfx_;
      // The store could overtake other waves' loads: a wave lets the others come as far.
      wait.row = &isa::row_of(isa::Opcode::WAIT_FOR_WAVES);
      Op& op = function.ops.emplace_back();
      op.instruction = &wait;
      op.run =
          context.table.find(store->maybe ? "wait for waves if LDS" : "wait for waves")->wave64;
      ++store;
    }
    const std::size_t first = function.ops.size();
    engine::lower(in, context, function.constants, function.extra, function.ops);
    if (waits) function.ops[first - 1].src[0] = function.ops[first].src[0];  // the lanes' addresses
    // What has no effect is counted with its region, and needs no op.
    if (function.ops.back().run == nothing) function.ops.pop_back();
    if (in.row->has_target()) branches.emplace_back(first, branch_target(in));
  }
  // Running past the end, or to an address between instructions, is reported where it happens.
  isa::Instruction& end = function.extra.emplace_back();
  end.address = begin_address + symbol.size;
  end.row = &isa::row_of(isa::Opcode::END_OF_FUNCTION);
  const std::size_t end_index = function.ops.size();
  Op& stop = function.ops.emplace_back();
  stop.instruction = &end;
  stop.run = context.table.find("unknown")->wave64;
  for (const auto& [index, target] : branches) {
    const auto at = function.op_of.find(target);
    const std::size_t to = at == function.op_of.end() ? end_index : at->second;
    function.ops[index].target = &function.ops[to];
    if (to <= index) function.ops[index].flags |= flag::backward;
  }
  region_begins.push_back(end_index);
  for (std::size_t r = 0; r + 1 < region_begins.size(); ++r) {
    regions_[first_region + r].begin = &function.ops[region_begins[r]];
    regions_[first_region + r].end = &function.ops[region_begins[r + 1]];
  }
  function.first_region = first_region;
  function.regions = region_begins.size() - 1;
  return lowered;
}

}  // namespace hipsight::engine
