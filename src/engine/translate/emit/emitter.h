#pragma once
// The emitter's inside: how a cluster's arithmetic becomes LLVM code. emit.cpp has the frame, the
// other files of this folder have the parts.

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/program/program.h"
#include "engine/translate/analysis/effects.h"
#include "engine/translate/analysis/lane_masks.h"
#include "engine/translate/emit/emit.h"
#include "engine/translate/library.h"
#include "isa/entry.h"
#include "isa/instruction.h"

namespace hipsight::engine {

using llvm::Value;

/// A value that an op reads: what an earlier op made, or what the register held at the start.
struct Source {
  int node = -1;
  unsigned component = 0;  ///< of the earlier op: first register, second register, mask
  unsigned place = 0;

  auto key() const { return std::tuple(node, component, place); }
};

struct Node {
  const Op* op = nullptr;
  Source first[4], second[4];  ///< registers of each vector or mask operand
  Source before[2];            ///< what the result's registers held
  Value* result[4]{};
  bool emitted = false;
};

constexpr unsigned mask_component = 2;  // of entries; loads have up to four registers

using MemoryAccess = isa::MemoryAccess;

struct LdsLoad {
  Node* node;
  const MemoryAccess* load;
};
/// One access of a load from LDS: so many bytes behind the address.
struct LdsAccess {
  std::uint32_t offset;
  unsigned dwords;
  Node* node;
  unsigned first;  ///< of the node's results

  Value** results() const { return node->result + first; }
};
/// The load that an op is, if the emitter knows it: one or two accesses of some dwords.
const MemoryAccess* load_of(const Op& op);
/// The part of the library's names that says how lanes' bytes lie, `stride` bytes apart.
std::string_view pattern_of(std::int32_t stride, unsigned bytes);

/// The store that an op is, if the emitter knows it: one or two accesses of some bytes.
const MemoryAccess* store_of(const Op& op);

/// Whether the emitter knows what an op's encoding does to operands and result, within slices.
bool can_emit_encoding(const Op& op, unsigned slice_lanes);
/// Whether a part of the result's register, or some of its lanes, stay as they were.
bool keeps_part(const Op& op);

/// Where in LDS one of an op's accesses lies behind its address.
inline std::uint32_t lds_offset(const Op& op, const MemoryAccess& access, unsigned index) {
  const auto offset = static_cast<std::uint32_t>(op.imm);
  return access.accesses == 1 ? offset : (offset >> (8 * index) & 0xff) * access.offset_unit();
}

struct Loop;
struct LanewiseLoop;

class Emitter {
 public:
  Emitter(llvm::Module& module, const Library& library, const RegisterFile& file,
          const Places& live, const EmitOptions& options)
      : module_(module),
        library_(&library),
        file_(file),
        live_(live),
        options_(options),
        lanes_(options.slice_lanes),
        register_bytes_(file.lanes * 4),
        build_(module.getContext()),
        bits_(llvm::FixedVectorType::get(build_.getInt32Ty(), lanes_)) {}

  Emitted run(std::span<const Op* const> scalars, std::span<const Op* const> ops,
              const std::string& name);
  Emitted run_loop(std::span<const Op* const> ops, const Op& branch, const std::string& name);
  Emitted run_lanewise(const Loop& loop, const LanewiseLoop& lanes, const std::string& name);

 private:
  Source current(unsigned place) const;
  unsigned place_of(std::uint64_t offset) const;
  /// What the op that is being connected reads from this place.
  Source read(unsigned place);
  /// Whether ops that are still to come read what the place held at the start.
  bool is_waited_for(unsigned place);

  void connect(std::span<const Op* const> ops);

  void connect_load(Node& node, const MemoryAccess& load);
  void connect_store(Node& node, const MemoryAccess& store);

  void begin(const std::string& name);
  llvm::BasicBlock* block(const char* name);
  Value* wave_at(Value* wave, std::uint64_t offset);
  Value* register_pointer(unsigned place);
  Value* op_after(unsigned count);
  /// What stores at a kernel's end differ in, which often are alike otherwise. If a cluster does
  /// nothing else, its code reads this from a table, and serves for all of them.
  enum class Parameter { Register, Known, Offset };
  Value* parameter(Parameter kind, std::uint64_t value);
  bool only_stores() const;

  /// How an op uses the mode that f64 and f16 have beside that of f32; ordered by how much.
  enum class WideMode { None, F16, F64 };
  static WideMode wide_mode_of(const Op& op);
  /// Whether that mode gives the same as f32's.
  Value* modes_agree(WideMode used);
  /// Leaves all to the interpreter if the modes differ, and code depends on it.
  void check_modes();
  /// Which of the cluster's results are wanted afterwards: outputs_ and masks_.
  void find_outputs(const Places& wanted);
  // The loop over slices: what is before its body and after it.
  void open();
  void close();
  /// To the op where the wave goes on once all is done.
  void go_on();
  /// Returns to the op that interprets what is left.
  void leave_rest(Value* slices_done);
  /// Each instruction once; one block for each group of registers.
  void straight();
  /// All slices at once, for few instructions and results: chains of instructions that wait for
  /// each other go on side by side, nothing is stored before all is computed, and what stores take
  /// need not go to registers first.
  void side_by_side();
  bool fits_side_by_side(std::span<const Op* const> ops) const;
  void emit_slices(std::span<const int> needed);
  struct Slice;
  void exchange(Slice& slice);
  /// Whether loads that are worth it come from the same place for each group of lanes; null: none.
  Value* find_rows();
  llvm::StoreInst* commit(const Source& source, Value* old, Value* to);

  // A loop of uniform control flow.
  struct Trips;
  Trips count_trips(std::span<const Op* const> ops, const Op& branch);
  void go_round(std::span<const Op* const> ops, const Trips& trips);
  void open_scalars(llvm::BasicBlock* from, std::map<unsigned, llvm::PHINode*>& phis);
  void emit_scalar(const Op& op);
  Value* scalar_pointer(unsigned place);
  Value* scalar_word(unsigned place);

  /// Scalar instructions before a cluster's arithmetic: what they write is in registers of the wave
  /// before anything else is done.
  void emit_scalars(std::span<const Op* const> scalars, std::span<const Op* const> ops);
  struct ScalarRange;
  void emit_scalar_load(const Op& op, ScalarRange& range, llvm::BasicBlock* leave);
  void write_unwritten();

  // A loop that each slice goes round on its own.
  struct Lanewise;
  /// A slice's place in arrays of what all slices leave, and the type of it; by place.
  using Kept = std::map<unsigned, std::pair<Value*, llvm::Type*>>;
  Value* variable(llvm::Type* type);
  void declare_variables();
  void open_lanewise();
  void open_part(std::size_t part);
  void emit_part(std::size_t part);
  void emit_vector_in_part(const Op& op);
  void emit_scalar_in_part(const Op& op);
  void emit_mask_op(const Op& op, const MaskOp& what);
  Value* combine(TruthTable table, Value* a, Value* b, Value* c);
  void branch_from(std::size_t part);
  void go_to_begin();
  void close_lanewise();
  Kept keep_slice();
  void write_kept(const Kept& kept);
  llvm::Type* lane_mask_type();
  Value* as_lane_mask(Value* lanes);
  /// A mask's lanes, and as bits of a number; whether there are any; what a mask is now.
  Value* lanes_of(Value* mask);
  Value* bits_of_lanes(Value* mask);
  bool writes_exec(std::size_t part) const;
  Value* any_of(Value* mask);
  Value* lane_mask(unsigned place);

  bool is_mask(const Source& source) const;

  /// The nodes that a result needs and that are not there yet.
  void need(int node, std::vector<int>& needed);

  llvm::StoreInst* store(Value* value, Value* to);
  /// Where to bail out now: registers that earlier groups have overwritten get back what they held.
  llvm::BasicBlock* undo();
  /// What a vector register held before the cluster.
  Value* initial(unsigned place);
  Value* value_of(const Source& source);
  Value* splat(std::uint32_t value);
  Value* scalar(std::uint32_t offset);
  /// This slice's bits of a mask in scalar registers, as <lanes x i1>.
  Value* mask_at(unsigned place);
  Value* as_lanes(Value* mask);

  Value* constant(const Op& op, unsigned i, unsigned which);
  Value* mask_operand(const Node& node, unsigned i);
  /// One register of an operand, before the encoding's modifiers.
  Value* plain_operand(const Node& node, unsigned i, unsigned which);
  Value* operand(const Node& node, unsigned i, unsigned which);

  void emit(Node& node);

  void emit_load(Node& node, const MemoryAccess& load);
  /// Of an access to memory: what is added to each lane's address, and the address's high words.
  std::pair<Value*, Value*> base_and_high(const Node& node);
  /// Copies one of the library's loads here.
  void call(const std::string& name, std::initializer_list<Value*> arguments, Value** results);
  /// All loads from LDS that have this address, at once: checked once, and one look at how the
  /// lanes' addresses lie.
  void emit_lds_loads(const Source& address);
  /// The same of addresses of which nothing is known.
  void load_anywhere(std::span<const LdsLoad> all, Value* at);
  /// Bytes behind an address that are read from LDS.
  std::uint32_t lds_extent(const Source& address) const;
  /// Accesses to LDS whose lanes' addresses are known to lie regularly, loaded together. That is
  /// done where a result is needed first, since stores come last: so they take no host register
  /// before.
  struct Pending {
    std::int32_t stride;
    std::vector<LdsAccess> accesses;
    Value* at;
  };
  void load_pending(Value** result);
  void load_affine(std::int32_t stride, const LdsAccess& access, Value* at);
  /// Accesses of four dwords together, where lanes are `stride` bytes apart; false: not so.
  bool load_four(std::int32_t stride, std::span<const LdsAccess> accesses, Value* at);
  /// What is known of a load's address.
  Address address_of(const Op& op) const;
  Affine affine_of(const Op& op) const { return address_of(op).affine; }

  // Accesses to memory whose places grow by a stride within each group of lanes: the places of each
  // group's first lane are found, and all checked, before the loop over slices.
  void find_places();
  void find_places(unsigned group);
  void check_places(std::span<const std::size_t> accesses, unsigned group);
  /// Those in LDS whose addresses registers hold before: a few scalars.
  void find_held_places();
  struct HeldPlaces;
  Value* held_place(const HeldPlaces& held, Value* group);
  Value* held_place_fits(const HeldPlaces& held, Value* first);
  /// Leaves all to the interpreter otherwise.
  void go_on_if(Value* fits);
  /// By how much the addresses of an access to LDS grow from lane to lane, if that is known.
  std::optional<std::int64_t> stride_in_lds(const Node& node) const;
  std::uint32_t leader(unsigned i) const;
  /// How many lanes a value has from now on: a slice's, or a group's, or all leaders.
  void set_lanes(unsigned lanes);
  /// Keeps the leaders' places for `first_in_group`: in host registers, if slices are no loop.
  Value* keep_places(Value* places);
  /// Room for a place of each leader.
  Value* leaders_room(unsigned leaders);
  /// Prefetches what a load is likely to read the next time.
  void prefetch(std::span<const std::size_t> accesses);
  /// For each group of a slice that has several: its number, and which lanes of the slice it has.
  void for_each_group(unsigned group, Value* index,
                      llvm::function_ref<void(Value*, llvm::ArrayRef<int>)> each);
  /// Two slots for each group of lanes, in memory or of firsts_, and by how much a node's place is
  /// behind what they hold.
  struct Place {
    Value* slots;
    std::int64_t behind = 0;
  };
  /// Where a group's first lane has its.
  Value* first_in_group(const Place& place, Value* group);
  /// The same for a slice's group, and the stride for each lane before the slice.
  Value* in_slice(const Place& place, const Address& address, Value* index);
  Value* leaders_of(unsigned place);
  /// Where this slice's first lane has its dwords.
  Value* place_in_slice(std::size_t node, Value* index);
  void load_at_place(std::size_t node);
  /// The cluster's stores, once all slices are done.
  void emit_stores();
  void emit_store(std::size_t node, unsigned access);
  /// Lanes' dwords go to memory one by one from the register, which is in memory as well.
  void store_lanes(std::size_t node);
  /// A loop over the numbers below `count`.
  void for_each(unsigned count, llvm::function_ref<void(Value*)> each);
  /// Stores a slice's lanes; `word` gives what a register holds.
  void store_slice(std::size_t node, unsigned access, Value* index,
                   llvm::function_ref<Value*(unsigned)> word);
  /// Whether lanes' places in memory lie apart: a store for each lane, which goes beside others
  /// anyway.
  bool stores_apart(const Node& node) const;
  /// Marks lanes of stores to LDS that are out of range, where that is not known beforehand.
  void check_stores();
  /// For stores to memory that are left to the interpreter: their address registers, which are not
  /// written otherwise, in the first `slices` slices.
  void write_addresses(Value* slices);
  /// 0, 4, 8, ...: where dwords of neighbouring lanes lie.
  Value* lane_offsets();
  Value* scalar_pair(unsigned index);

  /// A value's lanes where DPP wants them, 0 where there is none.
  Value* permuted(const isa::Instruction& in, Value* value);
  /// Which lanes read something so.
  Value* readable(const isa::Instruction& in);
  /// A result in its part of the register, and in the lanes that DPP lets be written.
  void finish(Node& node);

  void emit_packed(Node& node);

  void splice(const Op& op, Value** low, Value** high, Value** results);
  /// LLVM computes with constants as if MODE were the usual one, and takes x * 1 for x, which is
  /// not so of denormals that are flushed: of arithmetic on floats it must not know them.
  void hide_constants(const isa::Shape& shape, Value** low, Value** high);
  /// The same value, read from memory.
  Value* hidden(Value* constant);

  using ValueMap = llvm::DenseMap<const Value*, Value*>;
  static Value* mapped(const ValueMap& map, Value* value);
  /// Copies a function's instructions here. Its first arguments are where results go.
  void copy_here(const llvm::Function& function, ValueMap& map, Value** results);
  /// Null for marks, which are only noted.
  Value* copy_instruction(const llvm::Instruction& i, const ValueMap& map, bool simplify);
  Value* lane_numbers();

  /// The value whose being a NaN a mark stands for, or null.
  static Value* nan_of(Value* mark);
  /// Where a NaN goes: into another result that is looked at, now or on a loop's next trip.
  enum class Fate { Ends, GoesOn, NextTrip };
  static Fate fate_of(const Value* value, const std::set<const Value*>& looked_at);
  /// Which lanes have a rare case since the marks were cleared; null: none can. In a loop, values
  /// whose NaNs the next trip passes on go to `later`.
  Value* rare_lanes(std::vector<Value*>* later);
  Value* nans_of(std::span<Value* const> values);
  void bail_out_if(Value* lanes, llvm::BasicBlock* where);

  llvm::Module& module_;
  const Library* library_;
  const RegisterFile& file_;
  const Places& live_;
  const EmitOptions& options_;
  unsigned lanes_;
  const unsigned register_bytes_;
  llvm::IRBuilder<> build_;
  llvm::VectorType* bits_;
  Emitted emitted_;

  std::vector<Node> nodes_;
  std::map<unsigned, Source> now_;  ///< what each place holds at the end
  std::map<unsigned, std::vector<int>> initial_readers_;

  llvm::Function* function_ = nullptr;
  llvm::BasicBlock *entry_ = nullptr, *slice_head_ = nullptr, *bail_out_ = nullptr;
  std::set<llvm::BasicBlock*> before_slices_;  ///< that bail out before any slice is done
  llvm::BasicBlock* undo_ = nullptr;           ///< of those that are kept for it
  /// By earlier groups, and what was there, if that has been loaded; not kept yet.
  std::vector<std::pair<llvm::StoreInst*, Value*>> overwritten_;
  std::vector<std::pair<unsigned, Source>> outputs_, masks_;
  bool has_parameters_ = false;
  llvm::Instruction* table_ = nullptr;  ///< of them
  std::map<std::pair<Parameter, std::uint64_t>, Value*> parameters_;
  std::map<std::size_t, Place> places_;  ///< of nodes
  /// Of addresses in LDS, the slots.
  std::map<std::tuple<int, unsigned, unsigned>, Value*> lds_places_;
  /// Of the slots: what they have for the first lane of each group, where that is in host
  /// registers, and not in memory.
  std::map<Value*, std::vector<Value*>> firsts_;
  bool together_ = false;     ///< slices are not a loop
  std::set<Value*> in_rows_;  ///< slots that have the same for each group of lanes
  std::deque<Pending> pending_loads_;
  std::map<Value**, const Pending*> pending_;  ///< by where their results go
  bool at_leaders_ = false;  ///< lanes are the first and the last one of each group, in turn
  unsigned leaders_group_ = Affine::group;
  std::vector<std::size_t> stores_;     ///< the nodes that store
  Places stored_;                       ///< the registers that they read
  std::map<unsigned, Value*> scalars_;  ///< scalar registers that are written here
  std::map<unsigned, Value*>
      unwritten_;  ///< those that only the interpreter would read in the wave
  Lanewise* lanewise_ = nullptr;
  std::map<unsigned, Value*> lane_masks_;  ///< in such a loop: masks as they are now, as lanes
  Value *wave_ = nullptr, *slice_ = nullptr, *index_ = nullptr, *active_ = nullptr;
  Value* lane_numbers_ = nullptr;
  Value* lds_ = nullptr;                   ///< where it begins, once a store has asked
  std::map<std::uint64_t, Value*> cache_;  ///< registers that this group has loaded
  std::map<unsigned, Value*> pinned_;      ///< values of registers that have been overwritten
  std::vector<Value*> rare_;
};

}  // namespace hipsight::engine
