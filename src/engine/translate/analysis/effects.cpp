#include "engine/translate/analysis/effects.h"

#include <algorithm>

#include "engine/program/dpp.h"
#include "engine/program/program.h"
#include "engine/translate/matrix.h"
#include "isa/entry.h"
#include "isa/instruction.h"

namespace hipsight::engine {
namespace {

using isa::Format;
using isa::Operand;
using isa::Type;
using isa::Where;

void add(Places& places, unsigned first, unsigned count) {
  for (unsigned i = 0; i < count && first + i < place::count; ++i) places.set(first + i);
}

struct Finder {
  const Op& op;
  const isa::Instruction& in;
  const RegisterFile& file;
  Effects effects{};

  const std::uint32_t register_bytes = file.lanes * 4;
  const unsigned mask_registers = file.lanes / 32;

  unsigned place_of(std::uint64_t offset) const {
    return place::at(static_cast<std::uint32_t>(offset), register_bytes);
  }
  void reads_scalar(const Operand& o, unsigned count) {
    if (o.where == Where::Sgpr) add(effects.reads, o.index, count);
  }

  /// Entries: the shape says it all.
  void entry() {
    const isa::Shape& shape = *op.shape;
    const bool scalar = shape.form == isa::Form::Scalar;
    if (!scalar) add(effects.reads, reg::exec, mask_registers);
    for (unsigned i = 0; i < shape.operands; ++i) {
      const Type type = shape.operand[i];
      if (type == Type::B1 && scalar) {
        effects.reads.set(place::scc);
        continue;
      }
      if (op.base[i] != Base::Wave) continue;
      const bool elsewhere = (op.broadcast | op.prepare) >> i & 1;
      const unsigned registers = type == Type::B1 ? mask_registers : shape.registers(type);
      add(effects.reads, place_of(elsewhere ? op.origin[i] : op.src[i]), registers);
    }
    if (shape.result == Type::B1 || shape.bit_result) {
      if (scalar) effects.writes.set(place::scc);
      if (op.flags & flag::write_bits) add(effects.writes, place_of(op.bit_dst), mask_registers);
      // Carries of lanes for which DPP reads nothing.
      if (shape.bit_result && is_dpp(in)) add(effects.reads, place_of(op.bit_dst), mask_registers);
      if (op.flags & flag::write_exec) add(effects.writes, reg::exec, mask_registers);
    }
    if (shape.result != Type::B1) {
      const unsigned registers = shape.registers(shape.result);
      add(effects.writes, place_of(op.dst), registers);
      if (op.finish) add(effects.reads, place_of(op.dst), registers);
    }
    effects.movable = true;
  }

  void memory() {
    using Space = isa::MemoryAccess::Space;
    using Layout = isa::MemoryAccess::Layout;
    const isa::MemoryAccess& access = in.row->memory;
    const bool plain = access.layout == Layout::Plain || access.layout == Layout::Low ||
                       access.layout == Layout::High;
    if (!plain || in.gds) return;
    const unsigned dwords = (access.all_bytes() + 3) / 4;
    if (in.format == Format::Smem) {
      if (access.stores()) return;
      reads_scalar(in.base, 4);
      reads_scalar(in.soffset, 1);
      effects.reads.set(place::global);
      add(effects.writes, place_of(op.dst), dwords);
      effects.movable = access.space == Space::Scalar;
      return;
    }
    add(effects.reads, reg::exec, 2);
    add(effects.reads, reg::m0_cdna, 2);
    const auto touches = [&](unsigned kind) {
      if (access.loads()) effects.reads.set(kind);
      if (access.stores()) effects.writes.set(kind);
    };
    if (in.format == Format::Ds || in.format == Format::Flat) touches(place::lds);
    if (in.format == Format::Scratch || in.format == Format::Flat || in.format == Format::Mubuf)
      touches(place::scratch);
    if (in.format == Format::Global || in.format == Format::Flat || in.format == Format::Mubuf)
      touches(place::global);
    if (in.src[0].where == Where::Vgpr)
      add(effects.reads, place_of(op.src[0]), in.format == Format::Ds ? 1 : 2);
    reads_scalar(in.base, 4);
    reads_scalar(in.soffset, 1);
    // Data: what is stored, what an atomic takes (a comparand too), what comes back. The fields of
    // what an instruction does not have name registers nevertheless.
    const bool atomic = access.atomic();
    const unsigned data = !access.stores() ? 0 : atomic || access.accesses == 2 ? 2 : 1;
    for (unsigned i = 1; i <= data; ++i)
      if (in.src[i].where == Where::Vgpr || in.src[i].where == Where::Agpr)
        add(effects.reads, place_of(op.src[i]), atomic ? 2 * dwords : dwords);
    // An atomic that returns nothing has the field, and leaves the register that it names alone.
    if (access.loads() && in.dst.where != Where::None && (!atomic || in.returns)) {
      add(effects.writes, place_of(op.dst), dwords);
      if (access.halves()) effects.reads.set(place_of(op.dst));  // the other half
    }
    effects.movable = true;
  }

  /// Words that go from lane to lane: by way of LDS, but not of its memory.
  void permute() {
    add(effects.reads, reg::exec, 2);
    for (unsigned i = 0; i < 2; ++i) effects.reads.set(place_of(op.src[i]));
    effects.writes.set(place_of(op.dst));
    effects.movable = true;
  }

  /// Words that go from lane to lane within rows, or pairs of rows, as scalars or a register say. A
  /// lane that would read one that is off may stay as it is.
  void permute_rows() {
    add(effects.reads, reg::exec, mask_registers);
    for (unsigned i = 0; i < 3; ++i) {
      if (op.step[i])
        effects.reads.set(place_of(op.src[i]));
      else
        reads_scalar(in.src[i], 1);
    }
    effects.reads.set(place_of(op.dst));
    effects.writes.set(place_of(op.dst));
    effects.movable = true;
  }

  /// Lanes to a scalar register, and a scalar to a lane.
  void lane_access() {
    add(effects.reads, reg::exec, 2);
    for (unsigned i = 0; i < 2; ++i) {
      if (op.step[i])
        effects.reads.set(place_of(op.src[i]));
      else
        reads_scalar(in.src[i], 1);
    }
    effects.writes.set(place_of(op.dst));
    effects.movable = true;
  }

  void find() {
    if (op.shape) return entry();
    // Where M0 moves registers, another op knows which.
    if (op.target && in.format >= Format::Vop1 && in.format <= Format::Vopd) return;
    switch (in.row->opcode) {
      case isa::Opcode::DS_PERMUTE_B32:
      case isa::Opcode::DS_BPERMUTE_B32:
        return permute();
      case isa::Opcode::V_PERMLANE16_B32:
      case isa::Opcode::V_PERMLANEX16_B32:
        return permute_rows();
      case isa::Opcode::V_READFIRSTLANE_B32:
      case isa::Opcode::V_READLANE_B32:
        return lane_access();
      default:
        break;
    }
    switch (in.row->kind) {
      case isa::Kind::Memory:
        if (in.format != Format::Mtbuf) memory();
        break;
      case isa::Kind::ExecMask:
        exec();
        break;
      case isa::Kind::Matrix:
        if (const auto how = grouped_matrix(op, file)) matrix(*how);
        break;
      default:
        if (in.format == Format::Sopp) control();
    }
  }

  /// All lanes, whatever EXEC is.
  void matrix(const GroupedMatrix& how) {
    const unsigned count[]{how.operand, how.operand, how.result};
    for (unsigned i = 0; i < 3; ++i)
      if (op.base[i] == Base::Wave) add(effects.reads, place_of(op.src[i]), count[i]);
    add(effects.writes, place_of(op.dst), how.result);
    effects.movable = true;
  }

  void exec() {
    add(effects.reads, reg::exec, mask_registers);
    reads_scalar(in.src[0], mask_registers);
    add(effects.writes, reg::exec, mask_registers);
    add(effects.writes, place_of(op.dst), mask_registers);
    effects.writes.set(place::scc);
    effects.complete = true;
  }

  void control() {
    using isa::Control;
    switch (in.row->control) {
      case Control::Branch:
      case Control::End:
      case Control::Barrier:
      case Control::BarrierWait:
      case Control::Wait:
      case Control::OtherWaves:
        break;
      default:
        return;
    }
    effects.complete = true;
    if (in.row->reads.scc) effects.reads.set(place::scc);
    if (in.row->reads.vcc) add(effects.reads, reg::vcc, mask_registers);
    if (in.row->reads.exec) add(effects.reads, reg::exec, mask_registers);
  }
};

}  // namespace

namespace place {

unsigned at(std::uint32_t offset, std::uint32_t register_bytes) {
  if (offset >= sizeof(Wave))
    return std::min<unsigned>(vector + (offset - sizeof(Wave)) / register_bytes, count - 1);
  if (offset == offsetof(Wave, scc)) return scc;
  if (offset >= offsetof(Wave, temporary))
    return temporary + (offset - offsetof(Wave, temporary)) / (Wave::temporary_bytes / 2);
  return (offset - offsetof(Wave, scalar)) / 4;
}

}  // namespace place

Effects effects_of(const Op& op, const RegisterFile& file) {
  Finder finder{op, *op.instruction, file};
  if (op.instruction) finder.find();
  finder.effects.complete |= finder.effects.movable;
  return finder.effects;
}

}  // namespace hipsight::engine
