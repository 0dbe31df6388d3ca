#pragma once

#include <algorithm>
#include <vector>

#include "clique.h"

namespace hipsight::rccl {

/// Memory of the host that the GPU reaches, for one operation after the other.
class Clique::Staging {
 public:
  ~Staging() {
    for (const Chunk& chunk : chunks_) static_cast<void>(hipHostFree(chunk.memory));
  }
  /// The next operation begins: in the streams it comes after the one before.
  void restart() {
    for (Chunk& chunk : chunks_) chunk.used = 0;
  }
  /// Aligned to 64 bytes. Null when there is no memory.
  char* take(std::size_t bytes) {
    bytes = (bytes + 63) / 64 * 64;
    for (Chunk& chunk : chunks_)
      if (chunk.bytes - chunk.used >= bytes) {
        chunk.used += bytes;
        return chunk.memory + chunk.used - bytes;
      }
    Chunk chunk{.bytes = std::max(bytes, least), .used = bytes};
    void* memory = nullptr;
    if (hipHostMalloc(&memory, chunk.bytes, 0) != hipSuccess) return nullptr;
    chunk.memory = static_cast<char*>(memory);
    chunks_.push_back(chunk);
    return chunk.memory;
  }

 private:
  static constexpr std::size_t least = 1 << 20;
  struct Chunk {
    char* memory = nullptr;
    std::size_t bytes = 0, used = 0;
  };
  std::vector<Chunk> chunks_;
};

}  // namespace hipsight::rccl
