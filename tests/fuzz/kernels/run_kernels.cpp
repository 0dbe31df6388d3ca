// Runs generated kernels on the host and on emulated GPUs, and compares all that they leave.
//   run_kernels [--tiers] LIBRARY KERNEL|all TIER[,TIER...] {GPU CODE-OBJECT}...
// A tier is interpret, auto or translate. The library has the kernels for the host (language.h);
// with
// --tiers what the first tier leaves is compared with, not what the host does. Prints the first
// difference of each kernel and code object; the exit code is 0 if there is none, 1 if there are, 2
// if it cannot run.
#include <dlfcn.h>
#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "gpus/gpu.h"
#include "host_kernel.h"
#include "support/error.h"

namespace {

using fuzz::HostKernel;
using hipsight::fail;
namespace engine = hipsight::engine;
using Words = std::vector<std::uint64_t>;

constexpr std::size_t total_words = 16;

/// What a launch reads, or what it leaves.
struct Buffers {
  Words in, out, totals;
};

/// Edges of all types, small numbers and any bits.
std::uint64_t input_word(std::mt19937_64& random) {
  static constexpr std::uint64_t edges[]{0,
                                         1,
                                         ~0ull,
                                         0x8000000000000000,
                                         0x7fffffffffffffff,
                                         0x7fffffff80000000,
                                         0x8000000080000000,
                                         0x7ff0000000000000,
                                         0xfff8000000000001,
                                         0x3ff0000000000000,
                                         0x3ff0000000000001,
                                         0x000fffffffffffff,
                                         0x7f8000003f800000,
                                         0xbf80000000800000,
                                         0x007fffff80000001,
                                         0x3c007c00bc000001,
                                         0x7bff040003ff8000,
                                         0x4f0000004effffff,
                                         0x00ff00ff00ff00ff};
  const std::uint64_t bits = random(), any = random();
  switch (bits & 7) {
    case 0:
    case 1:
      return edges[(bits >> 8) % std::size(edges)];
    case 2:
      return any & 0xff;
    case 3:
      return any >> (bits >> 8 & 63);
    case 4: {  // an ordinary number, as a double or two floats
      const double number = static_cast<double>(static_cast<std::int64_t>(any)) * 0x1p-50;
      const auto half = std::bit_cast<std::uint32_t>(static_cast<float>(number));
      return bits & 8 ? std::bit_cast<std::uint64_t>(number)
                      : half | std::uint64_t{half ^ static_cast<std::uint32_t>(bits >> 32 & 0xffff)}
                                   << 32;
    }
    default:
      return any;
  }
}

Buffers inputs(const HostKernel& kernel) {
  const std::size_t items = std::size_t{kernel.threads()} * kernel.groups;
  std::mt19937_64 random(items);
  Buffers buffers{Words(4 * items), Words(kernel.slots * items), Words(total_words)};
  for (std::uint64_t& word : buffers.in) word = input_word(random);
  return buffers;
}

Buffers run_on_host(const HostKernel& kernel, std::uint32_t lanes) {
  Buffers buffers = inputs(kernel);
  for (std::uint32_t block = 0; block < kernel.groups; block++) {
    Words shared((kernel.shared_bytes + 31) / 8);
    void* at = shared.data();
    std::size_t space = shared.size() * 8;
    at = std::align(16, kernel.shared_bytes, at, space);
    fuzz::Fibers::run(kernel.threads(), [&](fuzz::Fibers& fibers, std::uint32_t thread) {
      kernel.run(fibers, lanes, thread, block, at, buffers.in.data(), buffers.out.data(),
                 buffers.totals.data());
    });
  }
  return buffers;
}

/// A code object on a GPU.
class Device {
 public:
  Device(const std::string& gpu, const std::string& file, const std::string& tier_name,
         engine::Tier tier)
      : name(fmt::format("{} {} {}", gpu, tier_name, file)),
        engine_(hipsight::gpus::find(gpu),
                {.threads = 1, .timeout = std::chrono::seconds(60), .tier = tier}) {
    std::ifstream in(file, std::ios::binary);
    if (!in) fail("cannot read {}", file);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    module_ = engine::Module::load(
        hipsight::code::CodeObject::read(std::as_bytes(std::span(text)), file), engine_.memory());
  }

  std::uint32_t lanes(const HostKernel& kernel) const { return find(kernel)->wavefront_size; }

  Buffers run(const HostKernel& kernel) {
    Buffers buffers = inputs(kernel);
    const hipsight::code::Kernel* found = find(kernel);
    std::vector<std::byte> arguments(found->kernarg_size);
    std::vector<std::pair<void*, Words*>> copies;
    for (Words* words : {&buffers.in, &buffers.out, &buffers.totals}) {
      const std::size_t bytes = words->size() * 8;
      void* at = engine_.memory().allocate(bytes, engine::Memory::Kind::Device, "buffer");
      std::memcpy(at, words->data(), bytes);
      std::memcpy(arguments.data() + found->arguments.at(copies.size()).offset, &at, sizeof at);
      copies.emplace_back(at, words);
    }
    const auto& [x, y, z] = kernel.size;
    std::string error;
    try {
      engine_.run({.module = module_,
                   .kernel = found,
                   .grid = {x * kernel.groups, y, z},
                   .block = {x, y, z},
                   .kernarg = arguments});
    } catch (const engine::KernelError& e) {
      error = e.what();
    }
    for (const auto& [at, words] : copies) {
      std::memcpy(words->data(), at, words->size() * 8);
      engine_.memory().free(at);
    }
    if (!error.empty()) fail("{}", error);
    return buffers;
  }

  const std::string name;

 private:
  const hipsight::code::Kernel* find(const HostKernel& kernel) const {
    const auto* found = module_->object().find_kernel(kernel.name);
    if (!found) fail("{} has no {}", name, kernel.name);
    return found;
  }
  engine::Engine engine_;
  std::shared_ptr<engine::Module> module_;
};

/// The first word that differs, in words; empty if none does.
std::string difference(const HostKernel& kernel, const Buffers& got, const Buffers& want) {
  for (std::size_t i = 0; i < want.out.size(); i++)
    if (got.out[i] != want.out[i])
      return fmt::format("work-item {} of workgroup {}, word {}: {:#x} instead of {:#x}",
                         i / kernel.slots % kernel.threads(), i / kernel.slots / kernel.threads(),
                         i % kernel.slots, got.out[i], want.out[i]);
  for (std::size_t i = 0; i < want.totals.size(); i++)
    if (got.totals[i] != want.totals[i])
      return fmt::format("total {}: {:#x} instead of {:#x}", i, got.totals[i], want.totals[i]);
  return "";
}

int run(std::vector<std::string> arguments) {
  const bool among_tiers = !arguments.empty() && arguments[0] == "--tiers";
  if (among_tiers) arguments.erase(arguments.begin());
  if (arguments.size() < 5 || arguments.size() % 2 == 0)
    fail("usage: run_kernels [--tiers] LIBRARY KERNEL|all TIER,... {{GPU CODE-OBJECT}}...");
  void* library = dlopen(arguments[0].c_str(), RTLD_NOW);
  if (!library) fail("{}", dlerror());
  const auto* kernels = static_cast<const HostKernel* const*>(dlsym(library, "host_kernels"));
  if (!kernels) fail("{}", dlerror());
  static const std::map<std::string, engine::Tier> tiers{{"interpret", engine::Tier::Interpret},
                                                         {"auto", engine::Tier::Auto},
                                                         {"translate", engine::Tier::Translate}};
  std::vector<std::unique_ptr<Device>> devices;
  std::istringstream names(arguments[2]);
  for (std::string name; std::getline(names, name, ',');) {
    const auto tier = tiers.find(name);
    if (tier == tiers.end()) fail("a tier is interpret, auto or translate, not '{}'", name);
    for (std::size_t i = 3; i + 1 < arguments.size(); i += 2)
      devices.push_back(
          std::make_unique<Device>(arguments[i], arguments[i + 1], name, tier->second));
  }

  const std::size_t code_objects = (arguments.size() - 3) / 2;
  int different = 0, ran = 0;
  for (; *kernels; kernels++) {
    const HostKernel& kernel = **kernels;
    if (arguments[1] != "all" && arguments[1] != kernel.name) continue;
    // By lanes of a wave, or by code object.
    std::map<std::size_t, Buffers> wanted;
    for (std::size_t d = 0; d < devices.size(); d++) {
      const auto& device = devices[d];
      const std::size_t key = among_tiers ? d % code_objects : device->lanes(kernel);
      std::string what;
      try {
        auto want = wanted.find(key);
        if (want == wanted.end() && !among_tiers)
          want = wanted.emplace(key, run_on_host(kernel, device->lanes(kernel))).first;
        Buffers got = device->run(kernel);
        if (want == wanted.end())
          wanted.emplace(key, std::move(got));
        else
          what = difference(kernel, got, want->second);
      } catch (const std::exception& e) {
        what = e.what();
      }
      ran++;
      if (what.empty()) continue;
      different++;
      fmt::print("DIFFERENT {} on {}: {}\n", kernel.name, device->name, what);
    }
  }
  fmt::print("{} runs, {} different\n", ran, different);
  return different ? 1 : 0;
}

}  // namespace

int main(int count, char** values) {
  try {
    return run({values + 1, values + count});
  } catch (const std::exception& e) {
    fmt::print(stderr, "run_kernels: {}\n", e.what());
    return 2;
  }
}
