#include <algorithm>

#include "isa/buffer_format.h"
#include "isa/instruction.h"

namespace hipsight::isa {
namespace {

/// The wider of the two formats (CBSZ and BLGP: FP8, BF8, FP6, BF6, FP4) sets the pace.
Number wider_format(const Instruction& in) {
  const unsigned format = std::min(in.cbsz, in.blgp);
  return format < 2 ? Number::F8 : format < 4 ? Number::F6 : Number::F4;
}

}  // namespace

Work work_of(const Instruction& in) {
  const Row& row = *in.row;
  Work work;
  work.pipe = row.pipe;
  work.number = row.formats_vary ? wider_format(in) : row.number;
  work.operations_per_lane = row.operations_per_lane;
  work.operations_per_wave = row.operations_per_wave;
  work.tile = row.tile;
  std::uint32_t bytes = row.memory.all_bytes();
  if (row.field == Field::Format)
    if (const auto format = buffer_format(in.gfx, in.imm.format())) bytes = format->bytes();
  if (row.memory.loads()) work.bytes_read = bytes;
  if (row.memory.stores()) work.bytes_written = bytes;
  if (in.row_y && in.row_y->operations_per_lane) {
    work.operations_per_lane += in.row_y->operations_per_lane;
    work.number = in.row_y->number;
  }
  return work;
}

namespace {
bool is_buffer(const Instruction& in) {
  return in.format == Format::Mubuf || in.format == Format::Mtbuf;
}
}  // namespace

bool is_streaming(const Instruction& in) {
  if (in.gfx == Gfx::Gfx12) return (in.cache >> 2 & 7) == 1;
  if (in.gfx != Gfx::Gfx11) return in.cache & 2;
  return in.cache & (is_buffer(in) ? 1 : 4);
}

bool is_coherent(const Instruction& in) {
  if (in.gfx == Gfx::Gfx12) return (in.cache & 3) >= 2;
  if (in.gfx == Gfx::Gfx11) return in.cache & (is_buffer(in) ? 4 : 2);
  return in.cache & (in.gfx == Gfx::Gfx90a ? 1 : 4);
}

bool is_synchronising(const Instruction& in) {
  const bool vector = in.format >= Format::Flat && in.format <= Format::Mtbuf;
  // "Nontemporal" loads of gfx90a have the bit, too.
  return vector && in.row->memory.does == MemoryAccess::Does::Load && is_coherent(in) &&
         !is_streaming(in);
}

}  // namespace hipsight::isa
