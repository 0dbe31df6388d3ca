#pragma once

#include <span>
#include <string_view>

namespace hipsight {

/// A file of the sources that is compiled in (cmake/embed.cmake).
struct EmbeddedFile {
  std::string_view name;  ///< without folders: "mi300x.toml"
  std::string_view text;
};

/// The GPU files (src/gpus).
std::span<const EmbeddedFile> gpu_files();
/// The entries of instructions, as one text.
std::span<const EmbeddedFile> entry_files();
/// What pages are styled by (src/report).
std::span<const EmbeddedFile> page_files();

}  // namespace hipsight
