// The frame: what depends on what, the loop over slices, and when to bail out.

#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "engine/translate/emit/emitter.h"

namespace hipsight::engine {

namespace {

using isa::Type;

}  // namespace

Emitted Emitter::run(std::span<const Op* const> scalars, std::span<const Op* const> ops,
                     const std::string& name) {
  connect(ops);
  begin(name);
  has_parameters_ = only_stores();
  emit_scalars(scalars, ops);
  together_ = fits_side_by_side(ops);
  find_places();
  if (together_)
    side_by_side();
  else
    straight();
  return std::move(emitted_);
}

Source Emitter::current(unsigned place) const {
  const auto at = now_.find(place);
  return at == now_.end() ? Source{-1, 0, place} : at->second;
}

unsigned Emitter::place_of(std::uint64_t offset) const {
  return place::at(static_cast<std::uint32_t>(offset), register_bytes_);
}

Source Emitter::read(unsigned place) {
  const Source source = current(place);
  if (source.node < 0) initial_readers_[place].push_back(static_cast<int>(nodes_.size()));
  return source;
}

bool Emitter::is_waited_for(unsigned place) {
  return std::ranges::any_of(initial_readers_[place], [&](int reader) {
    return !nodes_[static_cast<std::size_t>(reader)].emitted;
  });
}

void Emitter::connect(std::span<const Op* const> ops) {
  nodes_.reserve(ops.size());
  for (const Op* op : ops) {
    Node node;
    node.op = op;
    if (const MemoryAccess* load = load_of(*op)) {
      connect_load(node, *load);
      continue;
    }
    if (const MemoryAccess* store = store_of(*op)) {
      connect_store(node, *store);
      continue;
    }
    const isa::Shape& shape = *op->shape;
    for (unsigned i = 0; i < shape.operands; ++i) {
      const Type type = shape.operand[i];
      if (is_constant(*op, i)) continue;
      if (type == Type::B1) {
        node.first[i] = read(place_of(op->src[i]));
      } else if (is_vector(*op, i)) {
        const unsigned place = place_of(op->prepare >> i & 1 ? op->origin[i] : op->src[i]);
        node.first[i] = read(place);
        if (shape.registers(type) == 2) node.second[i] = read(place + 1);
      }
    }
    const int index = static_cast<int>(nodes_.size());
    if (shape.result != Type::B1) {
      const unsigned place = place_of(op->dst);
      for (unsigned r = 0; r < shape.registers(shape.result); ++r) {
        if (keeps_part(*op)) node.before[r] = read(place + r);
        now_[place + r] = {index, r, place + r};
      }
    }
    if (op->flags & flag::write_bits)
      now_[place_of(op->bit_dst)] = {index, mask_component, place_of(op->bit_dst)};
    nodes_.push_back(node);
  }
}

void Emitter::connect_load(Node& node, const MemoryAccess& load) {
  const Op& op = *node.op;
  node.first[0] = read(place_of(op.src[0]));
  const bool wide = !load.in_lds() && op.instruction->base.where != isa::Where::Sgpr;
  if (wide) node.second[0] = read(place_of(op.src[0]) + 1);
  const int index = static_cast<int>(nodes_.size());
  for (unsigned r = 0; r < load.dwords() * load.accesses; ++r)
    now_[place_of(op.dst) + r] = {index, r, place_of(op.dst) + r};
  nodes_.push_back(node);
}

void Emitter::begin(const std::string& name) {
  llvm::Type* pointer = build_.getPtrTy();
  auto* type = llvm::FunctionType::get(pointer, {pointer, pointer}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->addParamAttr(0, llvm::Attribute::NoAlias);
  wave_ = function_->getArg(0);
  emitted_.function = function_;
  entry_ = block("entry");
  bail_out_ = block("bail_out");
  build_.SetInsertPoint(entry_);
}

llvm::BasicBlock* Emitter::block(const char* name) {
  return llvm::BasicBlock::Create(module_.getContext(), name, function_);
}

Value* Emitter::wave_at(Value* wave, std::uint64_t offset) {
  // One step from where a slice or the wave begins, for what may be a step itself.
  llvm::APInt more(64, 0);
  wave = wave->stripAndAccumulateConstantOffsets(module_.getDataLayout(), more, false);
  offset += more.getZExtValue();
  return build_.CreateConstInBoundsGEP1_64(build_.getInt8Ty(), wave, offset);
}

Value* Emitter::register_pointer(unsigned place) {
  const std::uint64_t offset =
      place >= place::vector ? sizeof(Wave) + std::uint64_t{place - place::vector} * register_bytes_
                             : offsetof(Wave, temporary) + std::uint64_t{place - place::temporary} *
                                                               (Wave::temporary_bytes / 2);
  if (!has_parameters_) return wave_at(slice_, offset);
  return build_.CreateInBoundsGEP(build_.getInt8Ty(), slice_,
                                  parameter(Parameter::Register, offset));
}

bool Emitter::only_stores() const {
  constexpr std::size_t most = 8;  // longer ones are seldom alike
  const auto may_be_there = [](const Node& node) {
    const MemoryAccess* store = store_of(*node.op);
    return node.op->shape || (store && !store->in_lds());
  };
  return !options_.masked && !stores_.empty() && nodes_.size() <= most &&
         std::ranges::all_of(nodes_, may_be_there);
}

Value* Emitter::parameter(Parameter kind, std::uint64_t value) {
  if (!has_parameters_) return build_.getInt64(value);
  Value*& known = parameters_[{kind, value}];
  if (known) return known;
  if (!table_) {
    llvm::IRBuilder<> at_entry(entry_, entry_->begin());
    table_ = at_entry.CreateLoad(build_.getPtrTy(),
                                 at_entry.CreateConstInBoundsGEP1_64(
                                     build_.getInt8Ty(), function_->getArg(1), offsetof(Op, imm)));
  }
  llvm::IRBuilder<> behind(entry_, std::next(table_->getIterator()));
  known = behind.CreateLoad(
      build_.getInt64Ty(),
      behind.CreateConstInBoundsGEP1_64(build_.getInt64Ty(), table_, emitted_.parameters.size()));
  emitted_.parameters.push_back(value);
  return known;
}

Value* Emitter::op_after(unsigned count) {
  return wave_at(function_->getArg(1), count * sizeof(Op));
}

void Emitter::go_on() {
  static_assert(offsetof(Op, run) == 0);
  Value* const next = op_after(2);
  auto* const run = build_.CreateLoad(build_.getPtrTy(), next);
  auto* const call = build_.CreateCall(function_->getFunctionType(), run, {wave_, next});
  call->setTailCallKind(llvm::CallInst::TCK_MustTail);
  build_.CreateRet(call);
}

Emitter::WideMode Emitter::wide_mode_of(const Op& op) {
  if (!op.shape || op.shape->has_fields()) return WideMode::None;  // as run_vector_entry has it
  const auto uses = [&](Type type) {
    return op.shape->result == type || std::ranges::count(op.shape->operand, type);
  };
  return uses(Type::F64) ? WideMode::F64 : uses(Type::F16) ? WideMode::F16 : WideMode::None;
}

Value* Emitter::modes_agree(WideMode used) {
  Value* a = build_.CreateLoad(build_.getInt32Ty(), wave_at(wave_, offsetof(Wave, csr_32)));
  Value* b = build_.CreateLoad(build_.getInt32Ty(), wave_at(wave_, offsetof(Wave, csr_64)));
  Value* const same = build_.CreateICmpEQ(a, b);
  if (used == WideMode::F64) return same;
  // What is computed of f16 is never a denormal f32, and one that is converted rounds to 0.
  constexpr std::uint32_t rounding = 3u << 13;
  Value* const to_nearest =
      build_.CreateICmpEQ(build_.CreateAnd(build_.CreateOr(a, b), rounding), build_.getInt32(0));
  return build_.CreateOr(same, to_nearest);
}

void Emitter::check_modes() {
  // f64 and f16 follow a rounding mode of their own; what differs is left to the interpreter.
  WideMode used = WideMode::None;
  for (const Node& node : nodes_) used = std::max(used, wide_mode_of(*node.op));
  if (used == WideMode::None) return;
  go_on_if(modes_agree(used));
}

void Emitter::find_outputs(const Places& wanted) {
  for (const auto& [place, source] : now_) {
    const bool mask = is_mask(source);
    if (wanted.test(place) || (mask && file_.lanes == 64 && wanted.test(place + 1)))
      (mask ? masks_ : outputs_).emplace_back(place, source);
  }
}

void Emitter::open() {
  check_modes();
  llvm::BasicBlock* const before = build_.GetInsertBlock();
  slice_head_ = block("slice");
  build_.CreateBr(slice_head_);
  build_.SetInsertPoint(slice_head_);
  find_outputs(live_ | stored_);

  // Where there are only stores whose places are known, nothing is left to do in slices.
  const bool stores_only =
      !stores_.empty() && outputs_.empty() && masks_.empty() &&
      std::ranges::all_of(stores_, [&](std::size_t s) {
        return !store_of(*nodes_[s].op)->in_lds() || lds_places_.contains(nodes_[s].first[0].key());
      });
  if (stores_only) {
    index_ = build_.getInt64(0);
  } else {
    auto* const index = build_.CreatePHI(build_.getInt64Ty(), 2);
    index->addIncoming(build_.getInt64(0), before);
    index_ = index;
  }
  slice_ = build_.CreateInBoundsGEP(build_.getInt8Ty(), wave_,
                                    build_.CreateMul(index_, build_.getInt64(lanes_ * 4)));
  if (options_.masked) active_ = mask_at(reg::exec);
}

void Emitter::close() {
  for (std::size_t m = 0; m < masks_.size(); ++m) {
    const auto& [place, source] = masks_[m];
    Value* lanes = as_lanes(nodes_[static_cast<std::size_t>(source.node)].result[mask_component]);
    if (options_.masked) lanes = build_.CreateAnd(lanes, active_);
    emitted_.masks.push_back(static_cast<std::uint32_t>(offsetof(Wave, scalar)) + place * 4);
    Value* to = build_.CreateInBoundsGEP(build_.getInt8Ty(),
                                         wave_at(wave_, offsetof(Wave, temporary) + m * 8),
                                         build_.CreateMul(index_, build_.getInt64(lanes_ / 8)));
    build_.CreateStore(build_.CreateBitCast(lanes, build_.getIntNTy(lanes_)), to);
  }
  llvm::BasicBlock* done = block("done");
  if (auto* const index = llvm::dyn_cast<llvm::PHINode>(index_)) {
    Value* next = build_.CreateAdd(index, build_.getInt64(1));
    index->addIncoming(next, build_.GetInsertBlock());
    build_.CreateCondBr(build_.CreateICmpULT(next, build_.getInt64(file_.lanes / lanes_)),
                        slice_head_, done);
  } else {
    build_.CreateBr(done);
  }

  build_.SetInsertPoint(bail_out_);
  Value* slices_done = build_.getInt64(0);
  const auto is_before = [&](auto* p) { return before_slices_.contains(p); };
  if (!llvm::all_of(llvm::predecessors(bail_out_), is_before)) {
    auto* phi = build_.CreatePHI(build_.getInt64Ty(), 2);
    for (llvm::BasicBlock* p : llvm::predecessors(bail_out_))
      phi->addIncoming(is_before(p) ? build_.getInt64(0) : index_, p);
    slices_done = phi;
  }
  leave_rest(slices_done);

  build_.SetInsertPoint(done);
  llvm::Type* mask_type = build_.getIntNTy(file_.lanes);
  for (std::size_t m = 0; m < masks_.size(); ++m)
    build_.CreateAlignedStore(
        build_.CreateAlignedLoad(mask_type, wave_at(wave_, offsetof(Wave, temporary) + m * 8),
                                 llvm::Align(8)),
        wave_at(wave_, emitted_.masks[m]), llvm::Align(4));
  emit_stores();
}

void Emitter::leave_rest(Value* slices_done) {
  Value* lanes_done = build_.CreateMul(slices_done, build_.getInt64(lanes_));
  build_.CreateStore(build_.CreateTrunc(lanes_done, build_.getInt32Ty()),
                     wave_at(wave_, offsetof(Wave, done_lanes)));
  write_unwritten();
  if (!stores_.empty() && !llvm::isa<llvm::Constant>(slices_done)) write_addresses(slices_done);
  build_.CreateRet(op_after(1));
}

void Emitter::straight() {
  open();
  // Giving up in a group undoes what the groups before it have stored.
  undo_ = bail_out_;
  for (std::size_t at = 0; at < outputs_.size() || at == 0; at += options_.group) {
    const std::size_t end = std::min(outputs_.size(), at + options_.group);
    const bool last = end == outputs_.size();
    cache_.clear();
    lane_numbers_ = nullptr;
    rare_.clear();
    std::vector<int> needed;
    for (std::size_t o = at; o < end; ++o) need(outputs_[o].second.node, needed);
    if (last) {
      for (const auto& [place, source] : masks_) need(source.node, needed);
      for (const std::size_t store : stores_)
        if (const Source& address = nodes_[store].first[0]; address.node >= 0)
          need(address.node, needed);
    }
    std::ranges::sort(needed);
    for (const int node : needed) emit(nodes_[static_cast<std::size_t>(node)]);
    if (last) check_stores();
    std::vector<Value*> before(end - at);
    for (std::size_t o = at; o < end; ++o) {
      const unsigned place = outputs_[o].first;
      const bool kept = is_waited_for(place);
      if (kept || options_.masked) before[o - at] = initial(place);
      if (kept) pinned_[place] = before[o - at];
    }
    if (Value* const rare = rare_lanes(nullptr)) bail_out_if(rare, undo());
    for (std::size_t o = at; o < end; ++o) {
      const auto& [place, source] = outputs_[o];
      Value* to = register_pointer(place);
      Value* old = before[o - at];
      llvm::StoreInst* const made = commit(source, old, to);
      if (options_.masked || initial_readers_.contains(place)) overwritten_.emplace_back(made, old);
    }
  }
  close();
  go_on();
}

llvm::StoreInst* Emitter::commit(const Source& source, Value* old, Value* to) {
  Value* value = value_of(source);
  if (options_.masked) value = build_.CreateSelect(active_, value, old);
  return store(value, to);
}

bool Emitter::is_mask(const Source& source) const {
  return source.component == mask_component &&
         nodes_[static_cast<std::size_t>(source.node)].op->shape;
}

void Emitter::need(int node, std::vector<int>& needed) {
  Node& n = nodes_[static_cast<std::size_t>(node)];
  if (n.emitted) return;
  n.emitted = true;
  needed.push_back(node);
  const auto follow = [&](const Source& source) {
    if (source.node >= 0) need(source.node, needed);
  };
  for (unsigned i = 0; i < 4; ++i) follow(n.first[i]), follow(n.second[i]);
  for (const Source& source : n.before) follow(source);
}

llvm::StoreInst* Emitter::store(Value* value, Value* to) {
  return build_.CreateAlignedStore(value, to, llvm::Align(lanes_ * 4));
}

llvm::BasicBlock* Emitter::undo() {
  if (overwritten_.empty()) return undo_;
  llvm::IRBuilder<> at_entry(entry_, entry_->begin()), in_undo(block("undo"));
  const llvm::Align align(lanes_ * 4);
  for (auto [made, old] : std::exchange(overwritten_, {})) {
    llvm::IRBuilder<> before(made);
    Value *const to = made->getPointerOperand(), *const slot = at_entry.CreateAlloca(bits_);
    // Loaded again, if need be, rather than kept in a register across the check.
    if (!old) old = before.CreateAlignedLoad(bits_, to, align);
    before.CreateAlignedStore(old, slot, align);
    in_undo.CreateAlignedStore(in_undo.CreateAlignedLoad(bits_, slot, align), to, align);
  }
  in_undo.CreateBr(undo_);
  return undo_ = in_undo.GetInsertBlock();
}

namespace {

/// Whether EXEC is a number for the op, or its result. What is interpreted when code bails out runs
/// under another EXEC: lanes that are done are off.
bool uses_exec(const Op& op) {
  const auto meets_exec = [](std::uint64_t offset, std::uint64_t registers) {
    constexpr std::uint64_t bytes = sizeof(std::uint32_t);
    constexpr std::uint64_t exec = offsetof(Wave, scalar) + reg::exec * bytes;
    return offset < exec + 2 * bytes && offset + registers * bytes > exec;
  };
  if (op.flags & flag::write_exec || (op.flags & flag::write_bits && meets_exec(op.bit_dst, 1)))
    return true;
  for (unsigned i = 0; i < op.shape->operands; ++i) {
    const Type type = op.shape->operand[i];
    if (type != Type::B1 && !is_constant(op, i) && !is_vector(op, i) &&
        meets_exec(op.origin[i], op.shape->registers(type)))
      return true;
  }
  return false;
}

}  // namespace

bool can_emit(const Op& op, const Library& library) {
  const isa::Instruction& in = *op.instruction;
  if (load_of(op) || store_of(op)) return !in.gds && in.src[0].where == isa::Where::Vgpr;
  if (!op.shape || op.shape->form == isa::Form::Scalar) return false;
  if (uses_exec(op) || !can_emit_encoding(op, library.slice_lanes())) return false;
  return library.find(op) != nullptr;
}

Emitted emit(llvm::Module& module, const Library& library, std::span<const Op* const> scalars,
             std::span<const Op* const> ops, const RegisterFile& file, const Places& live,
             const EmitOptions& options, const std::string& name) {
  return Emitter(module, library, file, live, options).run(scalars, ops, name);
}

Emitted emit_loop(llvm::Module& module, const Library& library, std::span<const Op* const> ops,
                  const Op& branch, const RegisterFile& file, const Places& live,
                  const EmitOptions& options, const std::string& name) {
  return Emitter(module, library, file, live, options).run_loop(ops, branch, name);
}

}  // namespace hipsight::engine
