#include "cli/entry.h"

int main(int argc, char** argv) {
  return hipsight_command(argc, argv);
}
