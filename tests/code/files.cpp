#include "files.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace hipsight::code::testing {

std::string object_path(const std::string& name) {
  return std::string(OBJECTS) + "/" + name;
}

std::string scratch_path(const std::string& name) {
  auto folder = std::filesystem::temp_directory_path() / fmt::format("hipsight_code.{}", getpid());
  std::filesystem::create_directories(folder);
  static struct Remove {
    std::filesystem::path folder;
    ~Remove() { std::filesystem::remove_all(folder); }
  } remove{folder};
  return folder / name;
}

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::vector<char> text(std::istreambuf_iterator<char>(file), {});
  auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void write_file(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

std::string run_tool(const std::string& tool, const std::string& arguments) {
  std::string command = std::string(LLVM_TOOLS) + "/" + tool + " " + arguments;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string output;
  std::array<char, 4096> buffer;
  while (std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    output.append(buffer.data(), n);
  if (pclose(pipe) != 0) throw std::runtime_error(command + " failed");
  return output;
}

nlohmann::json readelf(const std::string& path, const std::string& options) {
  return nlohmann::json::parse(
      run_tool("llvm-readelf", "--elf-output-style=JSON " + options + " " + path))[0];
}

std::vector<std::string> device_objects() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(OBJECTS))
    if (std::string name = entry.path().filename();
        name.starts_with("gfx") && name.ends_with(".co"))
      names.push_back(name);
  std::ranges::sort(names);
  return names;
}

}  // namespace hipsight::code::testing
