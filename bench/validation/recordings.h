#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hipsight::bench {

/// Recordings of launches (`hipsight predict --record`) as they are kept here: the JSON of one on
/// each line, all compressed together; a line of another kind names what follows.
/// @throws std::runtime_error when the file cannot be read or is damaged.
std::vector<std::string> unpack(const std::filesystem::path& file);
void pack(const std::filesystem::path& file, const std::vector<std::string>& recordings);

/// The folder of the programs of this bench.
std::filesystem::path programs();
/// Runs a shell's command. @throws std::runtime_error when it fails.
void run_command(const std::string& command);
/// The last launch of a program, recorded on that GPU with these options. The program runs in
/// `from`.
std::string record(const std::string& gpu, const std::string& options, const std::string& program,
                   const std::filesystem::path& from = ".");

}  // namespace hipsight::bench
