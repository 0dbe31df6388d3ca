#pragma once

#include <string>

namespace CLI {
class App;
}

/// What shells and man(1) know of the command: made from its own list of options.
namespace hipsight::cli {

/// For bash: `source <(hipsight completion bash)`.
std::string bash_completion(const CLI::App& app);
/// For zsh, likewise.
std::string zsh_completion(const CLI::App& app);
/// hipsight(1), as man reads it.
std::string man_page(const CLI::App& app);

}  // namespace hipsight::cli
