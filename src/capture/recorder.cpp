#include "capture/recorder.h"

#include <algorithm>
#include <cstring>

namespace hipsight::capture {
namespace {

bool is_zero(std::span<const std::byte> bytes) {
  return bytes[0] == std::byte{} && !std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1);
}

void write_memory(FileWriter& file, std::span<const std::byte> all) {
  std::vector<std::byte> block;
  for (; !all.empty(); all = all.subspan(std::min(kMaxBlock, all.size()))) {
    const auto memory = all.first(std::min(kMaxBlock, all.size()));
    if (is_zero(memory)) continue;
    const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
    block.resize(sizeof at + memory.size());
    std::memcpy(block.data(), &at, sizeof at);
    std::memcpy(block.data() + sizeof at, memory.data(), memory.size());
    file.add("DATA", block);
  }
}

}  // namespace

Recorder::Recorder(const std::string& file, engine::Engine& engine,
                   const engine::Dispatch& dispatch, std::uint64_t number)
    : file_(file), module_(dispatch.module), allocations_(allocations(engine.memory())) {
  const code::CodeObject& code = dispatch.module->object();
  Header header;
  header.gpu = engine.gpu().name;
  header.target = engine.gpu().target_id;
  header.kernel = dispatch.kernel->name;
  header.launch = number;
  header.grid = dispatch.grid;
  header.block = dispatch.block;
  header.dynamic_lds = dispatch.dynamic_lds;
  header.cooperative = dispatch.cooperative;
  header.exact_matrix = engine.matrix() == engine::MatrixMode::Exact;
  header.code_origin = code.origin();
  header.code_address = reinterpret_cast<std::uintptr_t>(dispatch.module->address(0));
  header.allocations = allocations_;
  file_.add("HEAD", to_json(header));
  file_.add("CODE", code.elf());
  file_.add("ARGS", dispatch.kernarg);
  for (const auto& allocation : allocations_) write_memory(file_, reach(allocation));
}

std::uint64_t Recorder::finish() {
  return finish(Outcome{digests(allocations_), "", {}});
}

std::uint64_t Recorder::finish(const engine::KernelError& error) {
  return finish(Outcome{{}, error.what(), {}});
}

std::uint64_t Recorder::finish(Outcome outcome) {
  // Only now is it known what it called.
  for (const auto& [code, address] : module_->called()) {
    outcome.called.push_back({code->origin(), address});
    file_.add("ALSO", code->elf());
  }
  file_.add("DONE", to_json(outcome));
  return file_.finish();
}

}  // namespace hipsight::capture
