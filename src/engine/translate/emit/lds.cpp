// Loads from LDS.

#include <fmt/format.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <array>
#include <bit>

#include "engine/translate/emit/emitter.h"

namespace hipsight::engine {

std::uint32_t Emitter::lds_extent(const Source& address) const {
  std::uint32_t extent = 0;
  for (const Node& node : nodes_) {
    if (node.first[0].key() != address.key()) continue;
    const auto add = [&](const auto& access, unsigned bytes) {
      for (unsigned a = 0; access.in_lds() && a < access.accesses; ++a)
        extent = std::max(extent, lds_offset(*node.op, access, a) + bytes);
    };
    if (const MemoryAccess* load = load_of(*node.op)) add(*load, load->dwords() * 4);
    if (const MemoryAccess* store = store_of(*node.op)) add(*store, store->bytes);
  }
  return extent;
}

void Emitter::emit_lds_loads(const Source& address) {
  std::vector<LdsLoad> all;
  for (Node& node : nodes_) {
    const MemoryAccess* load = load_of(*node.op);
    if (!load || !load->in_lds() || node.first[0].key() != address.key() || node.result[0])
      continue;
    all.push_back({&node, load});
    node.emitted = true;
  }
  const Affine known = affine_of(*all.front().node->op);
  Value* at;
  const auto found = lds_places_.find(address.key());
  if (found != lds_places_.end() && known.known) {
    const Address address = address_of(*all.front().node->op);
    Value* index = index_;
    if (in_rows_.contains(found->second))
      index = build_.CreateURem(index, build_.getInt64(std::max(1u, address.group / lanes_)));
    Value* const first = in_slice({found->second}, address, index);
    at = build_.CreateVectorSplat(lanes_, build_.CreateTrunc(first, build_.getInt32Ty()));
  } else {
    Value* checked[4]{};
    call("LDS check", {wave_, build_.getInt32(lds_extent(address)), value_of(address)}, checked);
    at = checked[0];
    // One straight line; lanes out of range are dealt with before it.
    if (known.known) {
      if (Value* const rare = rare_lanes(nullptr)) bail_out_if(rare, undo());
      rare_.clear();
    }
  }
  if (known.known) {
    const auto stride = static_cast<std::int32_t>(known.stride);
    std::vector<LdsAccess> accesses;
    for (const LdsLoad& one : all) {
      // In one place for all lanes, each dword is an access of its own.
      const unsigned dwords = stride ? one.load->dwords() : 1;
      for (unsigned r = 0; r < one.load->dwords() * one.load->accesses; r += dwords) {
        const unsigned access = r / one.load->dwords(), dword = r % one.load->dwords();
        accesses.push_back(
            {lds_offset(*one.node->op, *one.load, access) + dword * 4, dwords, one.node, r});
      }
    }
    std::ranges::sort(accesses, {}, &LdsAccess::offset);
    for (auto first = accesses.begin(); first != accesses.end();) {
      const auto end =
          first + std::min<std::ptrdiff_t>(first->dwords == 2 ? 2 : 1, accesses.end() - first);
      const Pending& load = pending_loads_.emplace_back(stride, std::vector(first, end), at);
      for (const LdsAccess& access : load.accesses)
        for (unsigned d = 0; d < access.dwords; ++d) pending_[access.results() + d] = &load;
      first = end;
    }
    return;
  }
  load_anywhere(all, at);
}

void Emitter::load_anywhere(std::span<const LdsLoad> all, Value* at) {
  const bool dwords =
      std::ranges::any_of(all, [](const LdsLoad& one) { return one.load->dwords() == 1; });
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
    for (const LdsLoad& one : all) {
      auto& result = results.emplace_back();
      for (unsigned a = 0; a < one.load->accesses; ++a) {
        const bool known = std::string_view(pattern) != "contiguous" || one.load->dwords() == 1;
        call("LDS " + std::to_string(one.load->dwords()) + " " + (known ? pattern : "any"),
             {wave_, build_.getInt32(lds_offset(*one.node->op, *one.load, a)), at},
             result.data() + a * one.load->dwords());
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
    for (unsigned r = 0; r < all[i].load->all_dwords(); ++r) {
      auto* phi = build_.CreatePHI(bits_, static_cast<unsigned>(arms.size()));
      for (const Arm& one : arms) phi->addIncoming(one.results[i][r], one.end);
      all[i].node->result[r] = phi;
    }
}

void Emitter::load_pending(Value** result) {
  const Pending& load = *pending_.at(result);
  // Four dwords side by side take no longer each lane on its own.
  if (load.accesses.size() == 2 && load_four(load.stride, load.accesses, load.at)) return;
  for (const LdsAccess& access : load.accesses) load_affine(load.stride, access, load.at);
}

void Emitter::load_affine(std::int32_t stride, const LdsAccess& access, Value* at) {
  const std::string_view pattern = pattern_of(stride, access.dwords * 4);
  const std::string name = fmt::format("LDS {}{}", access.dwords, pattern);
  Value* const by = build_.getInt32(access.offset);
  if (pattern == " strided")
    call(name, {wave_, by, build_.getInt32(static_cast<std::uint32_t>(stride)), at},
         access.results());
  else
    call(name, {wave_, by, at}, access.results());
}

bool Emitter::load_four(std::int32_t stride, std::span<const LdsAccess> accesses, Value* at) {
  constexpr unsigned lanes = 16, four = 4;
  const bool strided = pattern_of(stride, accesses.front().dwords * 4) == " strided";
  if (options_.group != lanes || !strided) return false;  // a register of AVX-512
  const std::uint32_t offset = accesses.front().offset;
  llvm::SmallVector<unsigned, four> place;  // of each dword, behind the first one
  llvm::SmallVector<Value**, four> result;
  std::uint32_t wanted = 0;
  for (const LdsAccess& access : accesses) {
    const std::uint32_t bytes = access.offset - offset;
    if (bytes % 4 || bytes / 4 + access.dwords > lanes) return false;
    for (unsigned d = 0; d < access.dwords; ++d) {
      place.push_back(bytes / 4 + d);
      result.push_back(access.results() + d);
      wanted |= 1u << place.back();
    }
  }
  if (place.size() != four || std::popcount(wanted) != four) return false;
  // Dwords of four lanes come to one register, each lane's moved up so far that they lie where no
  // other's do.
  llvm::SmallVector<unsigned, four> moved;
  std::uint32_t taken = 0;
  for (unsigned by = 0; moved.size() < four && wanted << by < 1u << lanes; ++by) {
    if (taken & wanted << by) continue;
    taken |= wanted << by;
    moved.push_back(by);
  }
  if (moved.size() < four) return false;

  Value* const lds = build_.CreateLoad(build_.getPtrTy(), wave_at(wave_, offsetof(Wave, lds)));
  Value* const first = build_.CreateGEP(
      build_.getInt8Ty(), lds,
      build_.CreateZExt(build_.CreateExtractElement(at, std::uint64_t{0}), build_.getInt64Ty()));
  Value* together[four];  // of lanes n, n + 4, n + 8 and n + 12
  for (unsigned n = 0; n < four; ++n) {
    together[n] = splat(0);
    for (unsigned i = 0; i < four; ++i) {
      llvm::SmallVector<llvm::Constant*, lanes> here;
      for (unsigned l = 0; l < lanes; ++l)
        here.push_back(build_.getInt1(wanted << moved[i] >> l & 1));
      const std::int64_t bytes =
          offset + std::int64_t{stride} * (four * i + n) - std::int64_t{moved[i]} * 4;
      Value* const from = build_.CreateGEP(build_.getInt8Ty(), first,
                                           build_.getInt64(static_cast<std::uint64_t>(bytes)));
      together[n] = build_.CreateMaskedLoad(bits_, from, llvm::Align(1),
                                            llvm::ConstantVector::get(here), together[n]);
    }
  }
  // Then they are turned in two steps: two dwords of two lanes, one dword of four lanes.
  const auto shuffle = [&](Value* a, Value* b, auto at_quarter) {
    llvm::SmallVector<int, lanes> all;
    for (unsigned i = 0; i < four; ++i)
      for (const unsigned l : at_quarter(i)) all.push_back(static_cast<int>(l));
    return build_.CreateShuffleVector(a, b, all);
  };
  for (unsigned d = 0; d < four; d += 2) {
    const auto two = [&](unsigned i) {
      const unsigned x = moved[i] + place[d], y = moved[i] + place[d + 1];
      return std::array{x, lanes + x, y, lanes + y};
    };
    Value* const low = shuffle(together[0], together[1], two);
    Value* const high = shuffle(together[2], together[3], two);
    for (unsigned e = 0; e < 2; ++e)
      *result[d + e] = shuffle(low, high, [&](unsigned i) {
        const unsigned x = four * i + 2 * e;
        return std::array{x, x + 1, lanes + x, lanes + x + 1};
      });
  }
  return true;
}

}  // namespace hipsight::engine
