// Loads from LDS and memory.

#include <fmt/format.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <array>

#include "engine/translate/emitter.h"

namespace hipsight::engine {

namespace {

constexpr Load loads[]{
    {"DS_READ_B32", true, 1},
    {"DS_READ_B64", true, 2},
    {"DS_READ_B96", true, 3},
    {"DS_READ_B128", true, 4},
    {"DS_READ2_B32", true, 1, 2, 4},
    {"DS_READ2_B64", true, 2, 2, 8},
    {"DS_READ2ST64_B32", true, 1, 2, 256},
    {"DS_READ2ST64_B64", true, 2, 2, 512},
    {"GLOBAL_LOAD_DWORD", false, 1},
    {"GLOBAL_LOAD_DWORDX2", false, 2},
    {"GLOBAL_LOAD_DWORDX3", false, 3},
    {"GLOBAL_LOAD_DWORDX4", false, 4},
};

}  // namespace

const Load* load_of(const Op& op) {
  if (op.shape) return nullptr;
  const auto* at = std::ranges::find(loads, op.instruction->name, &Load::name);
  return at == std::end(loads) ? nullptr : at;
}

void Emitter::emit_load(Node& node, const Load& load) {
  if (load.lds) {
    const auto index = static_cast<int>(&node - nodes_.data());
    if (!node.result[0] && !pending_.contains({index, 0})) emit_lds_loads(node.first[0]);
    return;
  }
  const auto index = static_cast<std::size_t>(&node - nodes_.data());
  if (places_.contains(index)) return load_at_place(index);
  const isa::Instruction& in = *node.op->instruction;
  const auto [base, high] = base_and_high(node);
  call("GLOBAL " + std::to_string(load.dwords),
       {wave_, base, build_.getInt32(known_index(in.address)), value_of(node.first[0]), high},
       node.result);
}

std::pair<Value*, Value*> Emitter::base_and_high(const Node& node) {
  const isa::Operand& scalar = node.op->instruction->base;
  Value* const offset = build_.getInt64(static_cast<std::uint64_t>(node.op->imm));
  if (scalar.where == isa::Where::Sgpr)
    return {build_.CreateAdd(offset, scalar_pair(scalar.index)), splat(0)};
  return {offset, value_of(node.second[0])};
}

void Emitter::call(const std::string& name, std::initializer_list<Value*> arguments,
                   Value** results) {
  const llvm::Function& function = *library_->find(name);
  ValueMap map;
  unsigned at = 4;
  for (Value* argument : arguments) map[function.getArg(at++)] = argument;
  copy_here(function, map, results);
}

std::uint32_t Emitter::lds_extent(const Source& address) const {
  std::uint32_t extent = 0;
  for (const Node& node : nodes_) {
    if (node.first[0].key() != address.key()) continue;
    const auto add = [&](const auto& access, unsigned bytes) {
      for (unsigned a = 0; access.lds && a < access.accesses; ++a)
        extent = std::max(extent, lds_offset(*node.op, access, a) + bytes);
    };
    if (const Load* load = load_of(*node.op)) add(*load, load->dwords * 4);
    if (const Store* store = store_of(*node.op)) add(*store, store->bytes);
  }
  return extent;
}

void Emitter::emit_lds_loads(const Source& address) {
  struct One {
    Node* node;
    const Load* load;
  };
  std::vector<One> all;
  bool dwords = false;  // some are of one dword
  for (Node& node : nodes_) {
    const Load* load = load_of(*node.op);
    if (!load || !load->lds || node.first[0].key() != address.key() || node.result[0]) continue;
    all.push_back({&node, load});
    node.emitted = true;
    dwords |= load->dwords == 1;
  }
  const Affine known = affine_of(*all.front().node->op);
  Value* at;
  if (const auto found = lds_places_.find(address.key()); found != lds_places_.end()) {
    const auto stride = static_cast<std::int32_t>(known.stride);
    Value* const first = in_slice(found->second, stride, index_);
    at = build_.CreateVectorSplat(lanes_, build_.CreateTrunc(first, build_.getInt32Ty()));
  } else {
    Value* checked[4]{};
    call("LDS check", {wave_, build_.getInt32(lds_extent(address)), value_of(address)}, checked);
    at = checked[0];
    // One straight line; lanes out of range are dealt with before it.
    if (known.known) {
      give_up_if(rare_lanes(nullptr), undo_);
      rare_.clear();
    }
  }
  if (known.known) {
    for (const One& one : all) {
      const auto node = static_cast<int>(one.node - nodes_.data());
      const unsigned dwords = known.stride ? one.load->dwords : 1;
      for (unsigned d = 0; d < one.load->dwords * one.load->accesses; d += dwords) {
        const unsigned access = d / one.load->dwords, in_access = d % one.load->dwords;
        const std::uint32_t offset = lds_offset(*one.node->op, *one.load, access) + in_access * 4;
        pending_[{node, d}] = {known, dwords, offset, at};
      }
    }
    return;
  }
  Value* const from_first = build_.CreateSub(
      at, build_.CreateVectorSplat(lanes_, build_.CreateExtractElement(at, std::uint64_t{0})));
  const auto is_zero = [&](Value* v) {
    return build_.CreateICmpEQ(build_.CreateOrReduce(v), build_.getInt32(0));
  };

  llvm::BasicBlock *uniform = block("uniform"), *not_uniform = block("not_uniform");
  llvm::BasicBlock *any = block("any"), *loaded = block("loaded");
  llvm::BasicBlock* contiguous = dwords ? block("contiguous") : nullptr;
  build_.CreateCondBr(is_zero(from_first), uniform, not_uniform);
  build_.SetInsertPoint(not_uniform);
  if (contiguous)
    build_.CreateCondBr(is_zero(build_.CreateXor(from_first, lane_offsets())), contiguous, any);
  else
    build_.CreateBr(any);

  // The same loads for each pattern; then whichever were done. Some are loops on some hosts, and
  // end in a block of their own.
  struct Arm {
    std::vector<std::array<Value*, 4>> results;  // of each load
    llvm::BasicBlock* end;
  };
  std::vector<Arm> arms;
  const auto arm = [&](llvm::BasicBlock* where, const char* pattern) {
    if (!where) return;
    build_.SetInsertPoint(where);
    std::vector<std::array<Value*, 4>> results;
    for (const One& one : all) {
      auto& result = results.emplace_back();
      for (unsigned a = 0; a < one.load->accesses; ++a) {
        const bool known = std::string_view(pattern) != "contiguous" || one.load->dwords == 1;
        call("LDS " + std::to_string(one.load->dwords) + " " + (known ? pattern : "any"),
             {wave_, build_.getInt32(lds_offset(*one.node->op, *one.load, a)), at},
             result.data() + a * one.load->dwords);
      }
    }
    arms.push_back({std::move(results), build_.GetInsertBlock()});
    build_.CreateBr(loaded);
  };
  arm(uniform, "uniform");
  arm(contiguous, "contiguous");
  arm(any, "any");
  build_.SetInsertPoint(loaded);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (unsigned r = 0; r < all[i].load->dwords * all[i].load->accesses; ++r) {
      auto* phi = build_.CreatePHI(bits_, static_cast<unsigned>(arms.size()));
      for (const Arm& one : arms) phi->addIncoming(one.results[i][r], one.end);
      all[i].node->result[r] = phi;
    }
}

std::string_view pattern_of(std::int32_t stride, unsigned bytes) {
  if (stride == 0) return " uniform";
  const bool side_by_side = stride == static_cast<std::int32_t>(bytes) && bytes != 12;
  return side_by_side ? " contiguous" : " strided";
}

void Emitter::load_pending(int node, unsigned component) {
  const auto found = std::prev(pending_.upper_bound({node, component}));
  const Pending& load = found->second;
  const auto stride = static_cast<std::int32_t>(load.known.stride);
  const std::string_view pattern = pattern_of(stride, load.dwords * 4);
  const std::string name = fmt::format("LDS {}{}", load.dwords, pattern);
  Value* const by = build_.getInt32(load.offset);
  Value** const results = nodes_[static_cast<std::size_t>(node)].result + found->first.second;
  if (pattern == " strided")
    call(name, {wave_, by, build_.getInt32(load.known.stride), load.at}, results);
  else
    call(name, {wave_, by, load.at}, results);
}

Affine Emitter::affine_of(const Op& op) const {
  if (!options_.addresses || options_.masked) return {};
  const auto found = options_.addresses->find(&op);
  return found == options_.addresses->end() ? Affine{} : found->second;
}

Value* Emitter::lane_offsets() {
  llvm::SmallVector<llvm::Constant*, 16> offsets;
  for (unsigned l = 0; l < lanes_; ++l) offsets.push_back(build_.getInt32(l * 4));
  return llvm::ConstantVector::get(offsets);
}

Value* Emitter::scalar_pair(unsigned index) {
  if (scalars_.contains(index) || scalars_.contains(index + 1))  // a loop changes them
    return build_.CreateOr(
        build_.CreateZExt(scalar_word(index), build_.getInt64Ty()),
        build_.CreateShl(build_.CreateZExt(scalar_word(index + 1), build_.getInt64Ty()), 32));
  return build_.CreateAlignedLoad(
      build_.getInt64Ty(), wave_at(wave_, offsetof(Wave, scalar) + index * 4), llvm::Align(4));
}

}  // namespace hipsight::engine
