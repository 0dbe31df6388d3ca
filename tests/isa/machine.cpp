#include "machine.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "assemble.h"
#include "isa/decode.h"
#include "support/error.h"

namespace hipsight::engine {
#define HIPSIGHT_DECLARE(LEVEL)               \
  namespace LEVEL {                           \
  void add_all_entries(Table& table);         \
  void add_control(Table& table);             \
  void add_cross_lane(Table& table);          \
  void add_matrix(Table& table);              \
  void add_relative(Table& table);            \
  void add_sparse_matrix(Table& table);       \
  void add_scaled_matrix(Table& table);       \
  void add_wide_conversions(Table& table);    \
  static void add_computation(Table& table) { \
    add_all_entries(table);                   \
    add_control(table);                       \
    add_cross_lane(table);                    \
    add_matrix(table);                        \
    add_relative(table);                      \
    add_sparse_matrix(table);                 \
    add_scaled_matrix(table);                 \
    add_wide_conversions(table);              \
  }                                           \
  }
#ifdef HIPSIGHT_HAS_sse4
HIPSIGHT_DECLARE(sse4)
#endif
#ifdef HIPSIGHT_HAS_avx2
HIPSIGHT_DECLARE(avx2)
#endif
#ifdef HIPSIGHT_HAS_avx512
HIPSIGHT_DECLARE(avx512)
#endif
}  // namespace hipsight::engine

namespace hipsight::test {
namespace {

constexpr unsigned registers = 128;

/// What lowering puts in the place of instructions it does not know.
const engine::Op* unknown(engine::Wave&, const engine::Op*) {
  fail("an unknown instruction ran");
}

/// The end of the code: entries go on to the next op by themselves.
const engine::Op* stop(engine::Wave&, const engine::Op*) {
  return nullptr;
}

}  // namespace

const std::vector<HostIsa>& host_isas() {
  static const std::vector<HostIsa> all = [] {
    std::vector<HostIsa> result;
    const auto add = [&](const char* name, auto add_computation) {
      HostIsa& host_isa = result.emplace_back(HostIsa{name, {}});
      add_computation(host_isa.table);
      host_isa.table.add("unknown", {unknown, unknown});
    };
#ifdef HIPSIGHT_HAS_sse4
    add("sse4", engine::sse4::add_computation);
#endif
#ifdef HIPSIGHT_HAS_avx2
    if (__builtin_cpu_supports("x86-64-v3")) add("avx2", engine::avx2::add_computation);
#endif
#ifdef HIPSIGHT_HAS_avx512
    if (__builtin_cpu_supports("x86-64-v4")) add("avx512", engine::avx512::add_computation);
#endif
    return result;
  }();
  return all;
}

void Machine::Free::operator()(engine::Wave* wave) const {
  wave->~Wave();
  std::free(wave);
}

Machine::Machine(std::string_view processor, const HostIsa& host_isa, unsigned lanes)
    : processor_(processor), level_(host_isa) {
  if (!lanes) lanes = isa::is_rdna(isa::gfx_of(processor)) ? 32 : 64;
  const std::size_t bytes =
      sizeof(engine::Wave) + (2 * registers + engine::RegisterFile::slack) * lanes * 4;
  void* memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!memory) throw std::bad_alloc();
  std::memset(memory, 0, bytes);
  wave_.reset(new (memory) engine::Wave{});
  wave_->lanes = lanes;
  wave_->register_bytes = lanes * 4;
  wave_->full = lanes == 64 ? ~0ull : 0xffffffffull;
  wave_->set_pair(engine::reg::exec, wave_->full);
}

engine::LoweringContext Machine::context() const {
  return {level_.table,
          isa::gfx_of(processor_),
          {.lanes = wave_->lanes, .vgprs = registers, .agprs = registers},
          matrix};
}

bool Machine::append(const isa::Instruction& instruction, engine::LoweringContext& context,
                     Code& code) const {
  isa::Instruction& kept = code.instructions.emplace_back(instruction);
  engine::lower(kept, context, code.constants, code.extra, code.ops);
  return std::ranges::none_of(code.ops, [](const engine::Op& op) { return op.run == unknown; });
}

std::unique_ptr<Code> Machine::lower(std::string_view text) const {
  const bool wave64 = lanes() == 64 && isa::is_rdna(isa::gfx_of(processor_));
  const std::vector<std::byte> bytes = assemble(processor_, text, wave64 ? "+wavefrontsize64" : "");
  isa::Decoder decoder(processor_);
  auto code = std::make_unique<Code>(lanes());
  engine::LoweringContext context = this->context();
  for (std::size_t at = 0; at < bytes.size();) {
    auto instruction = decoder.decode(std::span(bytes).subspan(at), at);
    if (!instruction) fail("not decoded: {}", text);
    at += instruction->size;
    if (!append(*instruction, context, *code))
      fail("{} is not known: {}", instruction->name(), text);
  }
  code->ops.emplace_back().run = stop;
  return code;
}

std::unique_ptr<Code> Machine::lower(const isa::Instruction& instruction) const {
  auto code = std::make_unique<Code>(lanes());
  engine::LoweringContext context = this->context();
  if (!append(instruction, context, *code)) return nullptr;
  code->ops.emplace_back().run = stop;
  return code;
}

void Machine::run(const Code& code) {
  for (const engine::Op* op = code.ops.data(); op;) op = op->run(*wave_, op);
}

}  // namespace hipsight::test
