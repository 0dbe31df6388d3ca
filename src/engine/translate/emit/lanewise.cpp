// Loops that each slice goes round on its own (lanewise.h): control flow becomes that of the host,
// masks are values of lanes, and registers are values of the loop. Nothing is written to the wave
// before all slices are done, so that code which bails out leaves no trace.

#include "engine/translate/analysis/lanewise.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstring>

#include "engine/translate/emit/emitter.h"

namespace hipsight::engine {

using On = Branch::On;

/// The loop's variables, which LLVM makes values, and what becomes of a slice.
struct Emitter::Lanewise {
  const Loop& loop;
  const LanewiseLoop& lanes;
  Lanewise(const Loop& l, const LanewiseLoop& what) : loop(l), lanes(what) {}

  std::map<unsigned, Value*> registers, masks, scalars;  ///< variables, by place
  Value *trips = nullptr, *rare = nullptr;
  Value *at_begin = nullptr, *passed_over = nullptr;  ///< how a slice ended: 0 or 1
  /// Of parts: a bit for each trip in which they ran, and lanes in all trips. Those that always run
  /// one after the other share the first, and the second if EXEC is the same.
  std::vector<Value*> executed, active;
  std::vector<llvm::BasicBlock*> parts;
  llvm::BasicBlock* slice_end = nullptr;
  /// Of the slice that went farthest: its trips, whether it then stood at the loop's begin, and
  /// whether it passed nothing over, one behind the other; and its scalars.
  Value* best = nullptr;
  std::map<unsigned, Value*> last_scalars;
};

namespace {

constexpr unsigned best_at_begin_shift = 1, best_trips_shift = 2;

}  // namespace

Emitted Emitter::run_lanewise(const Loop& loop, const LanewiseLoop& lanes,
                              const std::string& name) {
  begin(name);
  Lanewise to(loop, lanes);
  lanewise_ = &to;
  declare_variables();
  open_lanewise();
  for (std::size_t p = 0; p < loop.parts.size(); ++p) emit_part(p);
  close_lanewise();
  emitted_.has_variables = true;
  return std::move(emitted_);
}

Value* Emitter::variable(llvm::Type* type) {
  return llvm::IRBuilder<>(entry_, entry_->begin()).CreateAlloca(type);
}

void Emitter::declare_variables() {
  Lanewise& to = *lanewise_;
  for (const LoopPart& part : to.loop.parts)
    for (const Op& op : part.ops()) {
      const Effects effects = effects_of(op, file_);
      for (unsigned place = place::temporary; place < place::count; ++place)
        if (effects.reads.test(place) || effects.writes.test(place)) to.registers[place] = nullptr;
    }
  for (auto& [place, at] : to.registers) at = variable(bits_);
  for (const unsigned place : to.lanes.masks) to.masks[place] = variable(lane_mask_type());
  for (const unsigned place : to.lanes.scalars) to.scalars[place] = variable(build_.getInt32Ty());
  llvm::Type* const word = build_.getInt64Ty();
  for (const unsigned place : to.lanes.scalars)
    to.last_scalars[place] = variable(build_.getInt32Ty());
  to.trips = variable(word);
  to.best = variable(word);
  to.rare = variable(lane_mask_type());
  to.at_begin = variable(word);
  to.passed_over = variable(word);
  for (std::size_t p = 0; p < to.loop.parts.size(); ++p) {
    const auto before = to.loop.follows(p);
    to.executed.push_back(before ? to.executed[*before] : variable(word));
    to.active.push_back(before && !writes_exec(*before) ? to.active[*before] : variable(word));
    to.parts.push_back(block("part"));
  }
  to.slice_end = block("slice_end");
}

bool Emitter::writes_exec(std::size_t p) const {
  const Places exec = [] {
    Places places;
    return places.set(reg::exec).set(reg::exec + 1);
  }();
  return std::ranges::any_of(lanewise_->loop.parts[p].ops(), [&](const Op& op) {
    return (effects_of(op, file_).writes & exec).any();
  });
}

/// AVX-512 has registers for masks. Elsewhere they are all ones or none: their signs say it, which
/// hosts look at.
llvm::Type* Emitter::lane_mask_type() {
  const bool wide = options_.group == 16;
  return wide ? llvm::FixedVectorType::get(build_.getInt1Ty(), lanes_) : bits_;
}
Value* Emitter::as_lane_mask(Value* lanes) {
  return lane_mask_type() == bits_ ? build_.CreateSExt(lanes, bits_) : lanes;
}
Value* Emitter::lanes_of(Value* mask) {
  if (mask->getType() != bits_) return mask;
  return build_.CreateICmpSLT(mask, llvm::Constant::getNullValue(bits_));
}
Value* Emitter::bits_of_lanes(Value* mask) {
  return build_.CreateBitCast(lanes_of(mask), build_.getIntNTy(lanes_));
}
Value* Emitter::any_of(Value* mask) {
  return build_.CreateICmpNE(bits_of_lanes(mask), build_.getIntN(lanes_, 0));
}
Value* Emitter::lane_mask(unsigned place) {
  const auto at = lane_masks_.find(place);
  return at != lane_masks_.end() ? at->second : as_lane_mask(mask_at(place));
}

void Emitter::open_lanewise() {
  Lanewise& to = *lanewise_;
  llvm::Type* const word = build_.getInt64Ty();
  WideMode used = WideMode::None;
  for (const LoopPart& part : to.loop.parts)
    for (const Op& op : part.ops()) used = std::max(used, wide_mode_of(op));
  Value* const exec = build_.CreateAlignedLoad(
      build_.getIntNTy(file_.lanes),
      wave_at(wave_, offsetof(Wave, scalar) + reg::exec * sizeof(std::uint32_t)), llvm::Align(4));
  Value* fits = build_.CreateICmpNE(exec, build_.getIntN(file_.lanes, 0));
  if (used != WideMode::None) fits = build_.CreateAnd(fits, modes_agree(used));
  for (std::size_t p = 0; p < to.loop.parts.size(); ++p) {
    build_.CreateStore(build_.getInt64(0), to.executed[p]);
    build_.CreateStore(build_.getInt64(0), to.active[p]);
  }
  build_.CreateStore(build_.getInt64(0), to.best);
  for (const auto& [place, at] : to.last_scalars) build_.CreateStore(build_.getInt32(0), at);
  // The header's lanes in the first trip are counted when a wave comes to it.
  Value* const first =
      build_.CreateZExt(build_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, exec), word);
  build_.CreateStore(build_.CreateNeg(first), to.active[0]);

  llvm::BasicBlock* const enter = block("enter");
  slice_head_ = block("slice");
  build_.CreateCondBr(fits, enter, bail_out_);
  build_.SetInsertPoint(enter);
  build_.CreateBr(slice_head_);
  build_.SetInsertPoint(slice_head_);
  index_ = build_.CreatePHI(word, 2);
  llvm::cast<llvm::PHINode>(index_)->addIncoming(build_.getInt64(0), enter);
  slice_ = build_.CreateInBoundsGEP(build_.getInt8Ty(), wave_,
                                    build_.CreateMul(index_, build_.getInt64(lanes_ * 4)));
  for (const auto& [place, at] : to.registers)
    build_.CreateStore(
        build_.CreateAlignedLoad(bits_, register_pointer(place), llvm::Align(lanes_ * 4)), at);
  for (const auto& [place, at] : to.masks) build_.CreateStore(lane_mask(place), at);
  for (const auto& [place, at] : to.scalars) build_.CreateStore(scalar_word(place), at);
  for (Value* at : {to.trips, to.at_begin, to.passed_over})
    build_.CreateStore(build_.getInt64(0), at);
  build_.CreateStore(llvm::Constant::getNullValue(lane_mask_type()), to.rare);
  build_.CreateCondBr(any_of(build_.CreateLoad(lane_mask_type(), to.masks.at(reg::exec))),
                      to.parts[0], to.slice_end);
}

/// Notes that a part runs, and takes the variables for it.
void Emitter::open_part(std::size_t p) {
  Lanewise& to = *lanewise_;
  llvm::Type* const word = build_.getInt64Ty();
  build_.SetInsertPoint(to.parts[p]);
  nodes_.clear();
  now_.clear();
  cache_.clear();
  initial_readers_.clear();
  rare_.clear();
  lane_numbers_ = nullptr;
  for (const auto& [place, at] : to.registers) pinned_[place] = build_.CreateLoad(bits_, at);
  for (const auto& [place, at] : to.masks)
    lane_masks_[place] = build_.CreateLoad(lane_mask_type(), at);
  scalars_.clear();
  for (const auto& [place, at] : to.scalars)
    scalars_[place] = build_.CreateLoad(build_.getInt32Ty(), at);

  const auto before = to.loop.follows(p);
  if (before && to.active[p] == to.active[*before]) return;
  Value* const lanes = build_.CreateZExt(
      build_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits_of_lanes(lane_masks_.at(reg::exec))),
      word);
  build_.CreateStore(build_.CreateAdd(build_.CreateLoad(word, to.active[p]), lanes), to.active[p]);
  if (before) return;
  Value* trips = build_.CreateLoad(word, to.trips);
  Value* const bit = build_.CreateShl(build_.getInt64(1),
                                      p == 0 ? trips : build_.CreateSub(trips, build_.getInt64(1)));
  if (p == 0) build_.CreateStore(build_.CreateAdd(trips, build_.getInt64(1)), to.trips);
  build_.CreateStore(build_.CreateOr(build_.CreateLoad(word, to.executed[p]), bit), to.executed[p]);
}

void Emitter::emit_part(std::size_t p) {
  Lanewise& to = *lanewise_;
  const LoopPart& part = to.loop.parts[p];
  open_part(p);
  Value* const exec = lane_masks_.at(reg::exec);
  for (const Op& op : part.ops()) {
    if (const auto at = to.lanes.mask_ops.find(&op); at != to.lanes.mask_ops.end())
      emit_mask_op(op, at->second);
    else if (op.shape && op.shape->form == isa::Form::Scalar)
      emit_scalar_in_part(op);
    else
      emit_vector_in_part(op);
  }
  if (Value* lanes = rare_lanes(nullptr)) {
    Value* const here = build_.CreateAnd(as_lane_mask(lanes), exec);
    build_.CreateStore(build_.CreateOr(build_.CreateLoad(lane_mask_type(), to.rare), here),
                       to.rare);
  }
  for (const auto& [place, source] : now_) {
    if (place < place::temporary || !part.live_after.test(place)) continue;
    Value* const value = nodes_[static_cast<std::size_t>(source.node)].result[source.component];
    build_.CreateStore(build_.CreateSelect(lanes_of(exec), value, pinned_.at(place)),
                       to.registers.at(place));
  }
  for (const auto& [place, at] : to.masks) build_.CreateStore(lane_mask(place), at);
  for (const auto& [place, at] : to.scalars) build_.CreateStore(scalars_.at(place), at);
  branch_from(p);
}

void Emitter::emit_vector_in_part(const Op& op) {
  const Op* const one = &op;
  connect({&one, 1});
  const std::size_t node = nodes_.size() - 1;
  emit(nodes_[node]);
  nodes_[node].emitted = true;
  if (!(op.flags & (flag::write_bits | flag::write_exec))) return;
  Value* const exec = lane_masks_.at(reg::exec);
  Value* const result = nodes_[node].result[mask_component];
  Value* const made = build_.CreateAnd(lane_mask_type() == bits_ ? result : as_lanes(result), exec);
  if (op.flags & flag::write_bits) lane_masks_[place_of(op.bit_dst)] = made;
  if (op.flags & flag::write_exec) lane_masks_[reg::exec] = made;
}

void Emitter::emit_scalar_in_part(const Op& op) {
  emit_scalar(op);
  if (op.shape->result == isa::Type::B1) return;
  // What was a mask is none now; whoever reads it as one takes this slice's bits.
  for (unsigned r = 0; r < op.shape->registers(op.shape->result); ++r) {
    const unsigned word = place_of(op.dst) + r;
    for (unsigned first : {word, word - 1})
      if (first == word || file_.lanes == 64) lane_masks_.erase(first), now_.erase(first);
  }
}

Value* Emitter::combine(TruthTable table, Value* a, Value* b, Value* c) {
  Value* const none = llvm::Constant::getNullValue(lane_mask_type());
  Value* const all = llvm::Constant::getAllOnesValue(lane_mask_type());
  const auto choose = [&](Value* on, Value* yes, Value* no) -> Value* {
    if (yes == no) return yes;
    if (yes == all && no == none) return on;
    if (yes == none && no == all) return build_.CreateNot(on);
    if (no == none) return build_.CreateAnd(on, yes);
    if (yes == all) return build_.CreateOr(on, no);
    if (yes == none) return build_.CreateAnd(build_.CreateNot(on), no);
    if (no == all) return build_.CreateOr(build_.CreateNot(on), yes);
    return build_.CreateSelect(lanes_of(on), yes, no);
  };
  const auto leaf = [&](unsigned i) { return table >> i & 1 ? all : none; };
  const auto of_a = [&](unsigned i) { return choose(a, leaf(i + 1), leaf(i)); };
  // The same value where both halves of the table are the same.
  const auto of_b = [&](unsigned i) {
    return (table >> i & 3) == (table >> (i + 2) & 3) ? of_a(i) : choose(b, of_a(i + 2), of_a(i));
  };
  return (table & 15) == table >> 4 ? of_b(0) : choose(c, of_b(4), of_b(0));
}

void Emitter::emit_mask_op(const Op& op, const MaskOp& what) {
  const auto source = [&](unsigned i) -> Value* {
    if (i >= (op.shape ? op.shape->operands : 1u))
      return llvm::Constant::getNullValue(lane_mask_type());
    if (!is_constant(op, i)) return lane_mask(place_of(op.src[i]));
    std::uint64_t bits;
    std::memcpy(&bits, reinterpret_cast<const void*>(op.src[i]), sizeof bits);
    Value* const here =
        build_.CreateLShr(build_.getInt64(bits), build_.CreateMul(index_, build_.getInt64(lanes_)));
    return as_lane_mask(
        build_.CreateBitCast(build_.CreateTrunc(here, build_.getIntNTy(lanes_)),
                             llvm::FixedVectorType::get(build_.getInt1Ty(), lanes_)));
  };
  Value *const a = source(0), *const b = source(1), *const exec = lane_masks_.at(reg::exec);
  constexpr TruthTable same_exec = 0xf0;
  Value* const result = combine(what.result, a, b, exec);
  if (what.exec != same_exec) lane_masks_[reg::exec] = combine(what.exec, a, b, exec);
  const unsigned place = place_of(op.dst);
  lane_masks_[place] = result;
  now_.erase(place);
}

void Emitter::branch_from(std::size_t p) {
  Lanewise& to = *lanewise_;
  const Branch& branch = to.loop.parts[p].branch;
  // A block that ends the slice, or begins the next trip, or goes on.
  const auto way = [&](int part, bool passes_over) -> llvm::BasicBlock* {
    if (part > 0 && !passes_over) return to.parts[static_cast<std::size_t>(part)];
    llvm::IRBuilderBase::InsertPointGuard guard(build_);
    llvm::BasicBlock* const here = block("way");
    build_.SetInsertPoint(here);
    if (passes_over) build_.CreateStore(build_.getInt64(1), to.passed_over);
    if (part > 0)
      build_.CreateBr(to.parts[static_cast<std::size_t>(part)]);
    else if (part == Branch::out)
      build_.CreateBr(to.slice_end);
    else
      go_to_begin();
    return here;
  };
  const bool leaves = to.lanes.must_leave.contains(static_cast<int>(p));
  Value* condition = nullptr;
  switch (branch.on) {
    case On::Nothing:
      build_.CreateBr(way(branch.next, false));
      return;
    case On::Always:
      build_.CreateBr(way(branch.taken, false));
      return;
    case On::SccZero:
    case On::SccOne:
      condition = build_.CreateICmpNE(scalar_word(place::scc), build_.getInt32(0));
      if (branch.on == On::SccZero) condition = build_.CreateNot(condition);
      break;
    case On::ExecZero:
    case On::ExecNotZero:
      condition = any_of(lane_masks_.at(reg::exec));
      if (branch.on == On::ExecZero) condition = build_.CreateNot(condition);
      break;
  }
  llvm::BasicBlock* const taken = way(branch.taken, leaves && branch.on == On::ExecZero);
  llvm::BasicBlock* const next = way(branch.next, leaves && branch.on == On::ExecNotZero);
  build_.CreateCondBr(condition, taken, next);
}

/// Another trip of a slice that has lanes left, unless it went round as often as it may.
void Emitter::go_to_begin() {
  Lanewise& to = *lanewise_;
  llvm::Type* const word = build_.getInt64Ty();
  Value* const some = any_of(build_.CreateLoad(lane_mask_type(), to.masks.at(reg::exec)));
  Value* const passed =
      build_.CreateICmpNE(build_.CreateLoad(word, to.passed_over), build_.getInt64(0));
  llvm::BasicBlock *const fine = block("round"), *const ends = block("at_begin");
  build_.CreateCondBr(build_.CreateAnd(some, passed), bail_out_, fine);
  build_.SetInsertPoint(fine);
  Value* const more =
      build_.CreateICmpULT(build_.CreateLoad(word, to.trips), build_.getInt64(lanewise_trips));
  build_.CreateCondBr(build_.CreateAnd(some, more), to.parts[0], ends);
  build_.SetInsertPoint(ends);
  build_.CreateStore(build_.getInt64(1), to.at_begin);
  build_.CreateBr(to.slice_end);
}

void Emitter::close_lanewise() {
  Lanewise& to = *lanewise_;
  llvm::Type* const word = build_.getInt64Ty();
  lane_masks_.clear();
  scalars_.clear();
  build_.SetInsertPoint(to.slice_end);
  llvm::BasicBlock *const fine = block("fine"), *const done = block("done");
  build_.CreateCondBr(any_of(build_.CreateLoad(lane_mask_type(), to.rare)), bail_out_, fine);
  build_.SetInsertPoint(fine);
  const Kept kept = keep_slice();
  Value* const next = build_.CreateAdd(index_, build_.getInt64(1));
  llvm::cast<llvm::PHINode>(index_)->addIncoming(next, build_.GetInsertBlock());
  build_.CreateCondBr(build_.CreateICmpULT(next, build_.getInt64(file_.lanes / lanes_)),
                      slice_head_, done);

  build_.SetInsertPoint(bail_out_);
  build_.CreateRet(op_after(1));

  build_.SetInsertPoint(done);
  write_kept(kept);
  Value* const best = build_.CreateLoad(word, to.best);
  build_.CreateStore(
      build_.CreateTrunc(build_.CreateLShr(best, best_trips_shift), build_.getInt32Ty()),
      wave_at(wave_, offsetof(Wave, trips)));
  Value* const again = build_.CreateAnd(build_.CreateLShr(best, best_at_begin_shift), 1);
  build_.CreateStore(build_.CreateTrunc(again, build_.getInt8Ty()),
                     wave_at(wave_, offsetof(Wave, goes_round)));
  for (std::size_t p = 0; p < to.loop.parts.size(); ++p) {
    const std::size_t at = lanewise_counts_offset + p * sizeof(RegionCount);
    build_.CreateStore(build_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop,
                                                   build_.CreateLoad(word, to.executed[p])),
                       wave_at(wave_, at + offsetof(RegionCount, executions)));
    build_.CreateStore(build_.CreateLoad(word, to.active[p]),
                       wave_at(wave_, at + offsetof(RegionCount, lanes)));
  }
  build_.CreateRet(op_after(2));
}

/// What a slice leaves: its registers and masks; scalars are those of the slice that went farthest.
Emitter::Kept Emitter::keep_slice() {
  Lanewise& to = *lanewise_;
  llvm::Type* const word = build_.getInt64Ty();
  Kept kept;
  const auto keep = [&](unsigned place, Value* value) {
    llvm::Type* const type = value->getType();
    kept[place] = {llvm::IRBuilder<>(entry_, entry_->begin())
                       .CreateAlloca(type, build_.getInt32(file_.lanes / lanes_)),
                   type};
    build_.CreateStore(value, build_.CreateInBoundsGEP(type, kept[place].first, index_));
  };
  const Places wanted = to.loop.live_at_header | to.loop.live_at_exit;
  for (const auto& [place, at] : to.registers)
    if (place >= place::vector && wanted.test(place)) keep(place, build_.CreateLoad(bits_, at));
  for (const auto& [place, at] : to.masks)
    keep(place, bits_of_lanes(build_.CreateLoad(lane_mask_type(), at)));

  const auto is_zero = [&](Value* at) {
    return build_.CreateZExt(build_.CreateICmpEQ(build_.CreateLoad(word, at), build_.getInt64(0)),
                             word);
  };
  Value* rank = build_.CreateShl(build_.CreateLoad(word, to.trips), best_trips_shift);
  rank = build_.CreateOr(
      rank, build_.CreateShl(build_.CreateLoad(word, to.at_begin), best_at_begin_shift));
  rank = build_.CreateOr(rank, is_zero(to.passed_over));
  Value* const before = build_.CreateLoad(word, to.best);
  Value* const better = build_.CreateICmpUGT(rank, before);
  build_.CreateStore(build_.CreateSelect(better, rank, before), to.best);
  for (const auto& [place, at] : to.scalars) {
    Value* const last = to.last_scalars.at(place);
    build_.CreateStore(build_.CreateSelect(better, build_.CreateLoad(build_.getInt32Ty(), at),
                                           build_.CreateLoad(build_.getInt32Ty(), last)),
                       last);
  }
  return kept;
}

void Emitter::write_kept(const Kept& kept) {
  Lanewise& to = *lanewise_;
  for (unsigned slice = 0; slice < file_.lanes / lanes_; ++slice) {
    slice_ = wave_at(wave_, std::uint64_t{slice} * lanes_ * 4);
    for (const auto& [place, array] : kept) {
      Value* const value = build_.CreateLoad(
          array.second, build_.CreateConstInBoundsGEP1_32(array.second, array.first, slice));
      if (place >= place::vector)
        store(value, register_pointer(place));
      else
        build_.CreateStore(value, wave_at(wave_, offsetof(Wave, scalar) + place * 4 +
                                                     std::uint64_t{slice} * lanes_ / 8));
    }
  }
  for (const auto& [place, at] : to.last_scalars)
    build_.CreateAlignedStore(
        build_.CreateLoad(build_.getInt32Ty(), at),
        wave_at(wave_,
                place == place::scc ? offsetof(Wave, scc) : offsetof(Wave, scalar) + place * 4),
        llvm::Align(4));
}

Emitted emit_lanewise(llvm::Module& module, const Library& library, const Loop& loop,
                      const LanewiseLoop& lanes, const RegisterFile& file,
                      const EmitOptions& options, const std::string& name) {
  return Emitter(module, library, file, loop.live_at_exit, options).run_lanewise(loop, lanes, name);
}

}  // namespace hipsight::engine
