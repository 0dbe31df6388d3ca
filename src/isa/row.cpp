#include "isa/row.h"

#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "isa/entry.h"

namespace hipsight::isa {
namespace {

using Access = MemoryAccess;

/// A row in the making: each function gives one with a fact more.
struct Facts : Row {
  template <class Change>
  constexpr Facts with(Change change) const {
    Facts changed = *this;
    change(changed);
    return changed;
  }

  constexpr Facts on(Pipe which) const {
    return with([&](Facts& f) { f.pipe = which; });
  }
  constexpr Facts control(Control what) const {
    return with([&](Facts& f) { f.Row::control = what; });
  }

  // The constant field.
  constexpr Facts takes(Field what) const {
    return with([&](Facts& f) { f.field = what; });
  }
  constexpr Facts constant() const { return takes(Field::Number); }
  constexpr Facts target() const { return takes(Field::Target); }
  constexpr Facts hardware_register() const { return takes(Field::HardwareRegister); }
  constexpr Facts counters() const { return takes(Field::Counters); }

  // Registers.
  constexpr Facts registers(std::uint8_t result, std::uint8_t first = 0, std::uint8_t second = 0,
                            std::uint8_t third = 0) const {
    return with([&](Facts& f) {
      f.Row::registers.result = result;
      f.Row::registers.source = {first, second, third};
    });
  }
  constexpr Facts keeps() const {
    return with([](Facts& f) { f.Row::registers.keeps = true; });
  }
  constexpr Facts swaps() const {
    return with([](Facts& f) { f.Row::registers.swaps = true; });
  }
  constexpr Facts result_is_source() const {
    return with([](Facts& f) { f.Row::registers.is_source = true; });
  }
  constexpr Facts writes_scc() const {
    return with([](Facts& f) { f.writes.scc = true; });
  }
  constexpr Facts writes_exec() const {
    return with([](Facts& f) { f.writes.exec = true; });
  }
  constexpr Facts reads_exec() const {
    return with([](Facts& f) { f.reads.exec = true; });
  }
  constexpr Facts reads_m0() const {
    return with([](Facts& f) { f.reads.m0 = true; });
  }
  constexpr Facts writes_m0() const {
    return with([](Facts& f) { f.writes.m0 = true; });
  }
  constexpr Facts ignores_exec() const {
    return with([](Facts& f) { f.reads.exec = false; });
  }
  constexpr Facts of_masks(Logic which, std::uint8_t bits) const {
    return with([&](Facts& f) {
      f.logic = which;
      f.width = bits;
      const auto words = static_cast<std::uint8_t>(bits / 32);
      if (f.kind == Kind::ExecMask) f = f.registers(words, words);
    });
  }

  // Memory.
  constexpr Facts accesses(Access::Does what, std::uint8_t bytes) const {
    return with([&](Facts& f) {
      f.memory.does = what;
      f.memory.bytes = bytes;
    });
  }
  constexpr Facts load(std::uint8_t bytes) const { return accesses(Access::Does::Load, bytes); }
  constexpr Facts store(std::uint8_t bytes) const { return accesses(Access::Does::Store, bytes); }
  constexpr Facts atomic(std::uint8_t bytes, std::uint8_t operands = 1) const {
    Facts f = accesses(Access::Does::Atomic, bytes);
    f.memory.operands = operands;
    return f;
  }
  constexpr Facts returns() const {
    return with([](Facts& f) { f.memory.returns = true; });
  }
  constexpr Facts twice(std::uint8_t apart) const {
    return with([&](Facts& f) {
      f.memory.accesses = 2;
      f.memory.apart = apart;
    });
  }
  constexpr Facts at(Access::Address address) const {
    return with([&](Facts& f) { f.memory.address = address; });
  }
  constexpr Facts by_lane() const { return at(Access::Address::Lane); }
  constexpr Facts by_wave() const { return at(Access::Address::Wave).reads_m0(); }
  constexpr Facts described() const { return at(Access::Address::Descriptor); }
  constexpr Facts laid_out(Access::Layout layout) const {
    return with([&](Facts& f) { f.memory.layout = layout; });
  }
  constexpr Facts low() const { return laid_out(Access::Layout::Low); }
  constexpr Facts high() const { return laid_out(Access::Layout::High); }
  constexpr Facts formatted() const { return laid_out(Access::Layout::Formatted); }
  constexpr Facts formatted_low() const { return laid_out(Access::Layout::FormattedLow); }
  constexpr Facts formatted_high() const { return laid_out(Access::Layout::FormattedHigh); }
  constexpr Facts transposed() const { return laid_out(Access::Layout::Transposed); }
  constexpr Facts block() const { return laid_out(Access::Layout::Block).reads_m0(); }
  constexpr Facts to_lds() const { return laid_out(Access::Layout::ToLds).reads_m0(); }
  constexpr Facts from_lds() const { return laid_out(Access::Layout::FromLds).reads_m0(); }

  // Arithmetic.
  constexpr Facts operations(double of_a_lane) const {
    return with([&](Facts& f) { f.operations_per_lane = of_a_lane; });
  }
  constexpr Facts adds_floats() const {
    return with([](Facts& f) { f.Row::adds_floats = true; });
  }
  constexpr Facts gives(Number what) const {
    return with([&](Facts& f) { f.result = what; });
  }

  constexpr Facts small_floats() const {
    return with([](Facts& f) { f.Row::small_floats = true; });
  }
  constexpr Facts mixed() const {
    return with([](Facts& f) { f.Row::mixed = true; });
  }
  constexpr Facts dot(std::uint8_t products) const {
    return with([&](Facts& f) { f.products = products; });
  }
  constexpr Facts clears_half() const {
    return with([](Facts& f) { f.Row::clears_half = true; });
  }
  constexpr Facts formats_vary() const {
    return with([](Facts& f) { f.Row::formats_vary = true; });
  }
  constexpr Facts with_scales() const {
    return with([](Facts& f) { f.Row::with_scales = true; });
  }
};

constexpr Facts of(Kind kind, Pipe pipe) {
  Facts f;
  f.kind = kind;
  f.pipe = pipe;
  return f;
}
constexpr Facts mark(std::string_view name) {
  Facts f;
  f.name = name;
  return f;
}

// Entries.
constexpr Facts scalar = of(Kind::Entry, Pipe::Scalar);
constexpr Facts vector = of(Kind::Entry, Pipe::Vector).reads_exec();
constexpr Facts transcendental = of(Kind::Entry, Pipe::Transcendental).reads_exec().operations(1);
/// V_S_RCP_F32 and the like: of scalar registers, on the vector unit.
constexpr Facts transcendental_scalar =
    of(Kind::Entry, Pipe::Transcendental).with([](Facts& f) { f.operations_per_wave = 1; });

// Control and state.
constexpr Facts control(Control what) {
  return of(Kind::Control, Pipe::Branch).control(what);
}
constexpr Facts branch(Condition condition) {
  return control(Control::Branch).target().with([&](Facts& f) {
    f.condition = condition;
    f.reads.scc = condition == Condition::Scc0 || condition == Condition::Scc1;
    f.reads.vcc = condition == Condition::VccZero || condition == Condition::VccNotZero;
    f.reads.exec = condition == Condition::ExecZero || condition == Condition::ExecNotZero;
  });
}
constexpr Facts halves =
    control(Control::Halves).on(Pipe::Scalar).target().reads_exec().writes_exec();
constexpr Facts barrier(Control what) {
  return of(Kind::Control, Pipe::Wait).control(what);
}
constexpr Facts wait = of(Kind::Control, Pipe::Wait).control(Control::Wait);
constexpr Facts hint(Pipe pipe) {
  return of(Kind::Control, pipe).control(Control::Hint);
}
constexpr Facts hardware = of(Kind::Hardware, Pipe::Scalar);
constexpr Facts relative = of(Kind::Relative, Pipe::Scalar).reads_m0();
constexpr Facts writes_mask =
    of(Kind::ExecMask, Pipe::Scalar).reads_exec().writes_exec().writes_scc();
constexpr Facts saves_mask = writes_mask.with([](Facts& f) { f.saves_exec = true; });
/// S_SET_GPR_IDX_*: M0 says which registers the instructions that follow use.
constexpr Facts index = of(Kind::Relative, Pipe::Scalar);
constexpr Facts graphics(Pipe pipe) {
  return of(Kind::Graphics, pipe);
}
constexpr Facts cache(Pipe pipe) {
  return of(Kind::Cache, pipe);
}

// Memory.
constexpr Facts memory(Pipe pipe, Access::Space space) {
  return of(Kind::Memory, pipe).with([&](Facts& f) {
    f.memory.space = space;
    f.reads.exec = pipe != Pipe::ScalarMemory;
  });
}
constexpr Facts lds = memory(Pipe::Lds, Access::Space::Lds);
constexpr Facts global = memory(Pipe::Global, Access::Space::Global);
constexpr Facts buffer = global.described();
constexpr Facts typed = buffer.takes(Field::Format);
constexpr Facts flat = memory(Pipe::Flat, Access::Space::Flat);
constexpr Facts scratch = memory(Pipe::Scratch, Access::Space::Scratch);
constexpr Facts constants = memory(Pipe::ScalarMemory, Access::Space::Scalar);
constexpr Facts constant_buffer = constants.described();
constexpr Facts scalar_scratch = memory(Pipe::ScalarMemory, Access::Space::Scratch);
constexpr Facts permute = of(Kind::Permute, Pipe::Lds).reads_exec();
constexpr Facts semaphore = of(Kind::Semaphore, Pipe::Lds).reads_exec().reads_m0();

// Vector instructions without an entry.
constexpr Facts nothing(Pipe pipe) {
  return hint(pipe);
}
constexpr Facts of_lanes(Kind kind) {
  return of(kind, Pipe::Vector).reads_exec();
}
/// All lanes, whatever EXEC is.
constexpr Facts matrix(Number number, unsigned m, unsigned n, unsigned k, unsigned blocks) {
  return of(Kind::Matrix, Pipe::Matrix).gives(Number::F32).with([&](Facts& f) {
    f.number = number;
    f.tile = {m, n, k, blocks};
    f.operations_per_wave = 2.0 * m * n * k * blocks;
  });
}
constexpr Facts mfma(Number number, unsigned m, unsigned n, unsigned k, unsigned blocks = 1) {
  return matrix(number, m, n, k, blocks).with([](Facts& f) { f.sums_exactly = true; });
}
constexpr Facts wmma(Number number, unsigned m, unsigned n, unsigned k) {
  return mfma(number, m, n, k);
}
/// A is sparse: half of its elements along k are there.
constexpr Facts smfmac(Number number, unsigned m, unsigned n, unsigned k) {
  return matrix(number, m, n, k, 1).with([](Facts& f) { f.sparse = true; });
}
constexpr Facts swmmac(Number number, unsigned m, unsigned n, unsigned k) {
  return smfmac(number, m, n, k);
}
constexpr Facts matrix_scales = of(Kind::Matrix, Pipe::Matrix);

constexpr Facts named(Opcode opcode, std::string_view name, Facts facts) {
  facts.opcode = opcode;
  if (facts.name.empty()) facts.name = name;
  return facts;
}

constexpr Row written[]{
#define ROW(NAME, ...) named(Opcode::NAME, #NAME, __VA_ARGS__),
#include "isa/rows/all.def"
#undef ROW
};

Number number_of(Type type) {
  switch (type) {
    case Type::F64:
      return Number::F64;
    case Type::F32:
      return Number::F32;
    case Type::F16:
      return Number::F16;
    case Type::BF16:
      return Number::BF16;
    default:
      return Number::None;
  }
}

/// What the entry says.
void add_entry(Row& row) {
  row.shape = find_shape(row.name);
  if (!row.shape) return;
  const Shape& shape = *row.shape;
  if (row.operations_per_lane || row.operations_per_wave) row.number = number_of(shape.result);
  if (shape.form != Form::Scalar) return;
  row.writes.scc |= shape.bit_result || shape.result == Type::B1;
  for (unsigned i = 0; i < shape.operands; ++i) row.reads.scc |= shape.operand[i] == Type::B1;
}

struct Table {
  std::vector<Row> rows{std::begin(written), std::end(written)};
  std::unordered_map<std::string_view, const Row*> by_name;
  std::mutex mutex;
  std::map<std::string, Row, std::less<>> others;

  Table() {
    for (Row& row : rows) {
      if (row.kind == Kind::Entry) add_entry(row);
      by_name.emplace(row.name, &row);
    }
  }
};
/// Lives forever: reports are written at exit.
Table& table() {
  static Table& table = *new Table;
  return table;
}

}  // namespace

const Row& row_of(Opcode opcode) {
  return table().rows[static_cast<std::size_t>(opcode)];
}

const Row& row_of(std::string_view name) {
  Table& all = table();
  if (const auto at = all.by_name.find(name); at != all.by_name.end()) return *at->second;
  const std::lock_guard lock(all.mutex);
  const auto [at, fresh] = all.others.try_emplace(std::string(name), row_of(Opcode::OTHER));
  if (fresh) at->second.name = at->first;
  return at->second;
}

std::span<const Row> rows() {
  return table().rows;
}

std::string_view text(Pipe pipe) {
  constexpr std::string_view names[]{"scalar", "scalar memory", "vector", "transcendental",
                                     "matrix", "LDS",           "global", "scratch",
                                     "flat",   "branch",        "wait"};
  return names[static_cast<unsigned>(pipe)];
}

std::string_view text(Number number) {
  constexpr std::string_view names[]{"",   "f64", "f32", "f16", "bf16", "f8",  "f6",
                                     "f4", "i32", "i16", "i8",  "i4",   "xf32"};
  return names[static_cast<unsigned>(number)];
}

}  // namespace hipsight::isa
