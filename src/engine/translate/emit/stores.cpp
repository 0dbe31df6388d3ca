// Stores to LDS and memory: once all slices are done, so that no lane's load comes after another
// lane's store, in the kernel's order. They store what registers hold then.

#include <fmt/format.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "engine/translate/emit/emitter.h"

namespace hipsight::engine {

const MemoryAccess* store_of(const Op& op) {
  const MemoryAccess& memory = op.instruction->row->memory;
  const bool plain = memory.layout == MemoryAccess::Layout::Plain;
  const bool lds = memory.in_lds() && (plain || memory.layout == MemoryAccess::Layout::High);
  const bool global = memory.space == MemoryAccess::Space::Global && plain && memory.bytes >= 4;
  const bool known = memory.does == MemoryAccess::Does::Store && (lds || global) &&
                     memory.address == MemoryAccess::Address::Register;
  return known ? &memory : nullptr;
}

bool is_store(const Op& op) {
  return store_of(op) != nullptr;
}

void Emitter::connect_store(Node& node, const MemoryAccess& store) {
  const Op& op = *node.op;
  const unsigned address = place_of(op.src[0]);
  node.first[0] = read(address);
  if (!store.in_lds() && op.instruction->base.where != isa::Where::Sgpr)
    node.second[0] = read(address + 1);
  if (store.in_lds()) stored_.set(address);
  for (unsigned a = 0; a < store.accesses; ++a)
    for (unsigned r = 0; r < store.dwords(); ++r) stored_.set(place_of(op.src[1 + a]) + r);
  stores_.push_back(nodes_.size());
  nodes_.push_back(node);
}

bool Emitter::stores_apart(const Node& node) const {
  const MemoryAccess* store = store_of(*node.op);
  return store && !store->in_lds() &&
         pattern_of(static_cast<std::int32_t>(affine_of(*node.op).stride), store->bytes) !=
             " contiguous";
}

void Emitter::check_stores() {
  std::set<std::tuple<int, unsigned, unsigned>> checked;
  for (const std::size_t s : stores_) {
    const Source& address = nodes_[s].first[0];
    if (!store_of(*nodes_[s].op)->in_lds() || lds_places_.contains(address.key()) ||
        !checked.insert(address.key()).second)
      continue;
    Value* safe[4]{};
    call("LDS check", {wave_, build_.getInt32(lds_extent(address)), value_of(address)}, safe);
  }
}

void Emitter::emit_stores() {
  for (const std::size_t s : stores_)
    for (unsigned a = 0; a < store_of(*nodes_[s].op)->accesses; ++a) emit_store(s, a);
}

void Emitter::write_addresses(Value* slices) {
  std::vector<std::size_t> some;
  const auto is_missing = [&](unsigned place) {
    const auto is_here = [&](const auto& output) { return output.first == place; };
    return now_.contains(place) && std::ranges::none_of(outputs_, is_here);
  };
  for (const std::size_t s : stores_) {
    const Op& op = *nodes_[s].op;
    const unsigned low = place_of(op.src[0]);
    const bool wide = op.instruction->base.where != isa::Where::Sgpr;
    if (!store_of(op)->in_lds() && (is_missing(low) || (wide && is_missing(low + 1))))
      some.push_back(s);
  }
  if (some.empty()) return;
  llvm::BasicBlock *const before = build_.GetInsertBlock(), *const head = block("addresses"),
                          *const body = block("write"), *const after = block("written");
  build_.CreateBr(head);
  build_.SetInsertPoint(head);
  auto* const index = build_.CreatePHI(build_.getInt64Ty(), 2);
  index->addIncoming(build_.getInt64(0), before);
  build_.CreateCondBr(build_.CreateICmpULT(index, slices), body, after);
  build_.SetInsertPoint(body);
  slice_ = build_.CreateInBoundsGEP(build_.getInt8Ty(), wave_,
                                    build_.CreateMul(index, build_.getInt64(lanes_ * 4)));
  for (const std::size_t s : some) {
    const Op& op = *nodes_[s].op;
    const isa::Operand& base = op.instruction->base;
    Value* first = build_.CreateSub(
        place_in_slice(s, index), parameter(Parameter::Offset, static_cast<std::uint64_t>(op.imm)));
    if (base.where == isa::Where::Sgpr) first = build_.CreateSub(first, scalar_pair(base.index));
    const auto stride = static_cast<std::int32_t>(affine_of(op).stride);
    llvm::SmallVector<llvm::Constant*, 16> behind;
    for (unsigned l = 0; l < lanes_; ++l)
      behind.push_back(build_.getInt64(static_cast<std::uint64_t>(std::int64_t{stride} * l)));
    Value* const at = build_.CreateAdd(build_.CreateVectorSplat(lanes_, first),
                                       llvm::ConstantVector::get(behind));
    const unsigned place = place_of(op.src[0]);
    store(build_.CreateTrunc(at, bits_), register_pointer(place));
    if (base.where != isa::Where::Sgpr)
      store(build_.CreateTrunc(build_.CreateLShr(at, 32), bits_), register_pointer(place + 1));
  }
  index->addIncoming(build_.CreateAdd(index, build_.getInt64(1)), build_.GetInsertBlock());
  build_.CreateBr(head);
  build_.SetInsertPoint(after);
}

void Emitter::for_each(unsigned count, llvm::function_ref<void(Value*)> each) {
  llvm::BasicBlock *const before = build_.GetInsertBlock(), *const body = block("each");
  build_.CreateBr(body);
  build_.SetInsertPoint(body);
  auto* const index = build_.CreatePHI(build_.getInt64Ty(), 2);
  index->addIncoming(build_.getInt64(0), before);
  each(index);
  Value* const next = build_.CreateAdd(index, build_.getInt64(1));
  index->addIncoming(next, build_.GetInsertBlock());
  llvm::BasicBlock* const after = block("after_each");
  build_.CreateCondBr(build_.CreateICmpULT(next, build_.getInt64(count)), body, after);
  build_.SetInsertPoint(after);
}

void Emitter::emit_store(std::size_t node, unsigned access) {
  if (store_of(*nodes_[node].op)->dwords() == 1 && stores_apart(nodes_[node]))
    return store_lanes(node);
  for_each(file_.lanes / lanes_, [&](Value* index) {
    slice_ = build_.CreateInBoundsGEP(build_.getInt8Ty(), wave_,
                                      build_.CreateMul(index, build_.getInt64(lanes_ * 4)));
    store_slice(node, access, index, [&](unsigned place) {
      return build_.CreateAlignedLoad(bits_, register_pointer(place), llvm::Align(lanes_ * 4));
    });
  });
}

void Emitter::store_lanes(std::size_t node) {
  const Op& op = *nodes_[node].op;
  const MemoryAccess& store = *store_of(op);
  const Address address = address_of(op);
  llvm::Type *const part = build_.getIntNTy(store.bytes * 8), *const byte = build_.getInt8Ty();
  slice_ = wave_;
  Value* const registers = wave_at(register_pointer(place_of(op.src[1])), store.high() ? 2 : 0);
  const std::int64_t stride = static_cast<std::int32_t>(address.affine.stride);
  const auto number = [&](std::int64_t n) {
    return build_.getInt64(static_cast<std::uint64_t>(n));
  };
  for_each(file_.lanes / address.group, [&](Value* group) {
    Value* const to =
        build_.CreateIntToPtr(first_in_group(places_.at(node), group), build_.getPtrTy());
    Value* const from = build_.CreateInBoundsGEP(
        byte, registers, build_.CreateMul(group, number(std::int64_t{4} * address.group)));
    // Some at once: a loop of as many trips as a group has lanes would often be mispredicted.
    constexpr unsigned together = 4;
    for_each(address.group / together, [&](Value* some) {
      Value* const lane = build_.CreateMul(some, number(together));
      Value* const at = build_.CreateGEP(byte, to, build_.CreateMul(lane, number(stride)));
      Value* const word = build_.CreateInBoundsGEP(build_.getInt32Ty(), from, lane);
      for (unsigned l = 0; l < together; ++l)
        build_.CreateAlignedStore(
            build_.CreateAlignedLoad(part, wave_at(word, l * std::uint64_t{4}), llvm::Align(1)),
            wave_at(at, static_cast<std::uint64_t>(stride * l)), llvm::Align(1),
            /*isVolatile=*/true);  // in their order, as all that others see
                                   // (interpret/memory/whole.h)
    });
  });
}

void Emitter::store_slice(std::size_t node, unsigned access, Value* index,
                          llvm::function_ref<Value*(unsigned)> word) {
  const Op& op = *nodes_[node].op;
  const MemoryAccess& store = *store_of(op);
  Value* value[4];
  for (unsigned r = 0; r < 4; ++r)
    value[r] = r < store.dwords() ? word(place_of(op.src[1 + access]) + r) : splat(0);
  if (store.high()) value[0] = build_.CreateLShr(value[0], 16);

  const std::string what =
      store.bytes < 4 ? fmt::format("part {}", store.bytes) : fmt::format("{}", store.dwords());
  const std::uint32_t offset = store.in_lds() ? lds_offset(op, store, access) : 0;
  const auto place = lds_places_.find(nodes_[node].first[0].key());
  if (store.in_lds() && place == lds_places_.end()) {
    call(fmt::format("LDS STORE {}", what),
         {wave_, build_.getInt32(offset), word(place_of(op.src[0])), value[0], value[1], value[2],
          value[3]},
         nullptr);
    return;
  }
  const Address address = address_of(op);
  const auto stride = static_cast<std::int32_t>(address.affine.stride);
  Value* const by = build_.getInt64(static_cast<std::uint64_t>(std::int64_t{stride}));
  const std::string name = fmt::format("STORE {}{}", what, pattern_of(stride, store.bytes));
  const auto to_lds = [&](Value* at) {
    if (!lds_) {
      llvm::IRBuilder<>::InsertPointGuard guard(build_);
      build_.SetInsertPoint(entry_, entry_->getFirstInsertionPt());
      lds_ = build_.CreateLoad(build_.getInt64Ty(), wave_at(wave_, offsetof(Wave, lds)));
    }
    return build_.CreateAdd(build_.CreateAdd(lds_, build_.getInt64(offset)), at);
  };
  if (address.group < lanes_) {
    for_each_group(address.group, index, [&](Value* group, llvm::ArrayRef<int> lanes) {
      Value* part[4];
      for (unsigned r = 0; r < 4; ++r) part[r] = build_.CreateShuffleVector(value[r], lanes);
      call(name,
           {to_lds(first_in_group({place->second}, group)), by, part[0], part[1], part[2], part[3]},
           nullptr);
    });
    return;
  }
  Value* const at = store.in_lds() ? to_lds(in_slice({place->second}, address, index))
                                   : place_in_slice(node, index);
  call(name, {at, by, value[0], value[1], value[2], value[3]}, nullptr);
}

}  // namespace hipsight::engine
