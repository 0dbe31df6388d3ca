#include "operands.h"

#include <cstdio>
#include <cstdlib>

namespace hipsight::test {
namespace {

class Operands {
 public:
  Operands() {
    const char* text = std::getenv("HIPSIGHT_OPERANDS");
    if (!text) return;
    factor = static_cast<int>(std::strtol(text, nullptr, 10));
    if (factor >= 1 && factor <= 100000) return;
    std::fprintf(stderr, "HIPSIGHT_OPERANDS is '%s': it takes 1 to 100000\n", text);
    std::exit(2);
  }
  ~Operands() {
    if (factor != 1) std::printf("%llu tuples of operands\n", count);
  }

  int factor = 1;
  unsigned long long count = 0;
};

Operands& operands() {
  static Operands all;
  return all;
}

}  // namespace

int operand_rounds(int usual) {
  return usual * operands().factor;
}

void count_operands(int tuples) {
  operands().count += static_cast<unsigned>(tuples);
}

}  // namespace hipsight::test
