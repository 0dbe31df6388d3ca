#include "launcher/entry.h"

int main(int argc, char** argv) {
  return hipsight_launch_command(argc, argv);
}
