// hiprtc's linker: clang's link-time optimisation.
#include <fmt/format.h>

#include "runtime/rtc/clang.h"
#include "support/files.h"

namespace hipsight::runtime {

RtcOutput link(const std::vector<std::string>& inputs, const std::vector<std::string>& options,
               const std::string& target_id) {
  const std::filesystem::path clang = find_clang(find_sdk());
  if (clang.empty()) return missing(no_clang);
  const TemporaryFolder folder;
  const std::filesystem::path output = folder / "output";
  std::vector<std::string> command{clang.string(),
                                   "--target=amdgcn-amd-amdhsa",
                                   "-mcpu=" + target_id.substr(0, target_id.find(':')),
                                   "-flto",
                                   "-O3",
                                   "-o",
                                   output.string()};
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i] == "-mllvm" && i + 1 < options.size())
      command.push_back("-Wl,-mllvm," + options[++i]);
    else
      command.push_back(options[i]);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    // The linker knows objects and bitcode by their first bytes; text is for the assembler of IR.
    const bool text = !inputs[i].starts_with("BC\xc0\xde") && !inputs[i].starts_with(
                                                                  "\x7f"
                                                                  "ELF");
    const auto file = folder / fmt::format("{}.{}", i, text ? "ll" : "o");
    write_file(file, inputs[i]);
    command.push_back(file.string());
  }
  return run(command, folder / "log", output);
}

}  // namespace hipsight::runtime
