#include "engine/launch/stepper.h"

#include <algorithm>
#include <cstring>

#include "engine/translate/translator.h"

namespace hipsight::engine {
namespace {

constexpr unsigned visible_scalars = reg::trash;
constexpr std::uint64_t no_address = ~0ull;

const std::uint32_t* vectors_of(const Wave& wave) {
  return const_cast<Wave&>(wave).vgpr(0);
}

}  // namespace

Stepper::Stepper(Program& program, const RegisterFile& file, const Wave& wave)
    : program_(program),
      file_(file),
      scalars_(wave.scalar, wave.scalar + visible_scalars),
      vectors_(vectors_of(wave), vectors_of(wave) + vector_words()),
      scc_(wave.scc) {
  tell_start(wave);
}

std::size_t Stepper::vector_words() const {
  return std::size_t{file_.vgprs + file_.agprs} * file_.lanes;
}

void Stepper::run(Wave& wave) {
  const bool compiled = program_.translates_at_once();
  for (const Op* op = wave.resume; op;) {
    if (in_block_) {
      const BlockOp what = block_op(*op);
      if (what.target) {
        op = what.target;
        continue;
      }
      if (!what.compiled.empty()) {
        run_compiled(wave, op, what.compiled);
        op += 2;
        continue;
      }
    }
    begin(wave, *op);
    const Op* const block = compiled && is_region(*op) ? enter_block(wave, *op) : nullptr;
    op = block ? block : run_one(wave, op);
  }
  tell(wave);
}

const Op* Stepper::run_one(Wave& wave, const Op* op) {
  // Ops may go on to the next one by themselves: a copy is run, with an end behind it.
  Op alone[2]{*op};
  // Other waves' code may be translated meanwhile: this one goes on op by op.
  if (is_region(*op)) alone[0].run = own_run(*op);
  alone[1].run = [](Wave&, const Op* end) { return end; };
  const auto original = [&](const Op* at) {
    return at == &alone[0] ? op : at == &alone[1] ? op + 1 : at;
  };
  const Op* const next = original(alone[0].run(wave, &alone[0]));
  wave.resume = original(wave.resume);
  // What will be tried again, or comes when others have had a turn, has not happened.
  if (!next && (wave.stop == Stop::Others || (wave.stop == Stop::Yield && wave.resume == op)))
    instruction_ = nullptr;
  return next;
}

void Stepper::run_compiled(Wave& wave, const Op* op,
                           std::span<const isa::Instruction* const> instructions) {
  tell(wave);
  for (const isa::Instruction* one : instructions.first(instructions.size() - 1))
    wave.observers->step(wave.index_in_group, {one, file_.lanes, {}});
  instruction_ = instructions.back();
  Op alone[3]{op[0], op[1]};
  alone[2].run = [](Wave&, const Op* end) { return end; };
  if (op->run(wave, &alone[0]) == &alone[1]) alone[1].run(wave, &alone[1]);
  tell(wave);
}

const Op* Stepper::enter_block(Wave& wave, const Op& region) {
  program_.translate_now(region.counter, wave);
  const Op* const block = block_for(wave, region);
  if (!block) return nullptr;
  next_ = end_;
  in_block_ = true;
  return run_one(wave, block);
}

bool Stepper::is_region(const Op& op) {
  if (op.counter >= regions_.size()) regions_ = program_.regions();
  return op.counter < regions_.size() && regions_[op.counter].begin == &op;
}

void Stepper::begin(const Wave& wave, const Op& op) {
  if (is_region(op)) {
    in_block_ = false;
    tell(wave);
    tell_skipped(wave, no_address);
    const Region& region = regions_[op.counter];
    next_ = region.first;
    end_ = region.first + region.count;
    return;
  }
  if (instruction_ && instruction_->address != op.instruction->address) tell(wave);
  if (!instruction_) {
    tell_skipped(wave, op.instruction->address);
    instruction_ = next_ != end_ ? next_ : op.instruction;
    exec_ = wave.exec() & wave.full;
  }
  results_ |= effects_of(op, file_).writes;
}

/// Instructions without an op, which do nothing: those before an address, or up to the region's
/// end. A jump into the middle of a region leaves none to tell.
void Stepper::tell_skipped(const Wave& wave, std::uint64_t until) {
  const bool inside =
      until == no_address ||
      std::any_of(next_, end_, [&](const isa::Instruction& in) { return in.address == until; });
  if (!inside) next_ = end_;
  for (; next_ != end_ && next_->address != until; ++next_)
    wave.observers->step(wave.index_in_group, {next_, file_.lanes, {}});
}

void Stepper::tell(const Wave& wave) {
  if (!instruction_) return;
  using File = Written::File;
  std::vector<Written> written;
  for (unsigned i = 0; i < visible_scalars; ++i)
    if (results_[i] || wave.scalar[i] != scalars_[i])
      written.push_back({File::Scalar, i, 1, &wave.scalar[i]});
  if (results_[place::scc] || wave.scc != scc_) written.push_back({File::Scc, 0, 1, &wave.scc});
  const std::uint32_t* const now = vectors_of(wave);
  for (unsigned r = 0; r < file_.vgprs + file_.agprs; ++r) {
    const std::size_t at = std::size_t{r} * file_.lanes;
    std::uint64_t mask = results_[place::vector + r] ? exec_ : 0;
    if (std::memcmp(now + at, &vectors_[at], file_.lanes * sizeof *now) != 0)
      for (unsigned lane = 0; lane < file_.lanes; ++lane)
        mask |= std::uint64_t{now[at + lane] != vectors_[at + lane]} << lane;
    if (!mask) continue;
    std::copy_n(now + at, file_.lanes, &vectors_[at]);
    const bool accumulator = r >= file_.vgprs;
    written.push_back({accumulator ? File::Accumulator : File::Vector,
                       accumulator ? r - file_.vgprs : r, mask, now + at});
  }
  wave.observers->step(wave.index_in_group, {instruction_, file_.lanes, written});
  std::copy_n(wave.scalar, visible_scalars, scalars_.begin());
  scc_ = wave.scc;
  if (instruction_ == next_) ++next_;
  instruction_ = nullptr;
  results_.reset();
}

/// Scalars that are not 0, and the work-items' numbers.
void Stepper::tell_start(const Wave& wave) {
  using File = Written::File;
  std::vector<Written> written;
  for (unsigned i = 0; i < visible_scalars; ++i)
    if (wave.scalar[i]) written.push_back({File::Scalar, i, 1, &wave.scalar[i]});
  if (file_.vgprs) written.push_back({File::Vector, 0, wave.full, vectors_of(wave)});
  wave.observers->step(wave.index_in_group, {nullptr, file_.lanes, written});
}

}  // namespace hipsight::engine
