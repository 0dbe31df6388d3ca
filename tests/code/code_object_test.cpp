// What CodeObject reads, beside what LLVM's tools read from the same files.
#include "code/code_object.h"

#include <gtest/gtest.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/YAMLParser.h>

#include <chrono>
#include <map>
#include <set>

#include "../patience.h"
#include "files.h"

namespace hipsight::code {
namespace {

using nlohmann::json;
using testing::object_path;

/// YAML, as llvm-readelf prints metadata, into JSON of strings, arrays and objects.
json from_yaml(llvm::yaml::Node* node) {
  if (auto* scalar = llvm::dyn_cast<llvm::yaml::ScalarNode>(node)) {
    llvm::SmallString<64> storage;
    return scalar->getValue(storage).str();
  }
  json result;
  if (auto* map = llvm::dyn_cast<llvm::yaml::MappingNode>(node)) {
    result = json::object();
    for (auto& entry : *map) {
      std::string key = from_yaml(entry.getKey());
      result[key] = from_yaml(entry.getValue());
    }
  } else if (auto* list = llvm::dyn_cast<llvm::yaml::SequenceNode>(node)) {
    result = json::array();
    for (auto& element : *list) result.push_back(from_yaml(&element));
  }
  return result;
}

json metadata_of(const std::string& path) {
  json listing = testing::readelf(path, "--notes");
  for (const json& section : listing["NoteSections"])
    for (const json& note : section["NoteSection"]["Notes"])
      if (note.contains("AMDGPU Metadata")) {
        std::string text = note["AMDGPU Metadata"];
        llvm::SourceMgr sources;
        llvm::yaml::Stream stream(text, sources);
        return from_yaml(stream.begin()->getRoot());
      }
  return {};
}

std::string text(const json& map, const char* key) {
  return map.value(key, "");
}

std::uint32_t number(const json& map, const char* key, std::uint32_t otherwise) {
  if (!map.contains(key)) return otherwise;
  std::string text = map[key];
  return text == "true" ? 1 : text == "false" ? 0 : std::stoul(text);
}

class EachObject : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    path = object_path(GetParam());
    object = CodeObject::read(testing::read_file(path), path);
  }
  std::string path;
  std::shared_ptr<const CodeObject> object;
};

TEST_P(EachObject, is_for_the_target_that_readelf_says) {
  std::string header = testing::run_tool("llvm-readelf", "-h " + path);
  std::string flags = header.substr(header.find("Flags:"));
  flags = flags.substr(0, flags.find('\n'));
  const Target& target = object->target();
  EXPECT_NE(flags.find(", " + target.processor), std::string::npos) << flags;
  for (auto [name, feature] : {std::pair("xnack", target.xnack), {"sramecc", target.sramecc}}) {
    EXPECT_EQ(flags.find(std::string(name) + "+") != std::string::npos, feature == Feature::On);
    EXPECT_EQ(flags.find(std::string(name) + "-") != std::string::npos, feature == Feature::Off);
  }
  EXPECT_EQ(flags.find("generic_v1") != std::string::npos, object->generic_version() == 1) << flags;
  // amdhsa.target says it once more, in the metadata.
  EXPECT_EQ(text(metadata_of(path), "amdhsa.target"), "amdgcn-amd-amdhsa--" + target.text());
  std::string abi = fmt::format("ABI Version:                       {}", object->version() - 2);
  EXPECT_NE(header.find(abi), std::string::npos) << header;
}

TEST_P(EachObject, has_the_kernels_of_its_metadata) {
  json kernels = metadata_of(path)["amdhsa.kernels"];
  ASSERT_EQ(object->kernels().size(), 5u);
  ASSERT_EQ(object->kernels().size(), kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Kernel& kernel = object->kernels()[i];
    const json& expected = kernels[i];
    SCOPED_TRACE(kernel.name);
    EXPECT_EQ(kernel.name, text(expected, ".name"));
    EXPECT_EQ(kernel.symbol, text(expected, ".symbol"));
    EXPECT_EQ(object->find_kernel(kernel.name), &kernel);
    EXPECT_EQ(kernel.kernarg_size, number(expected, ".kernarg_segment_size", ~0u));
    EXPECT_EQ(kernel.kernarg_align, number(expected, ".kernarg_segment_align", ~0u));
    EXPECT_EQ(kernel.lds_bytes, number(expected, ".group_segment_fixed_size", ~0u));
    EXPECT_EQ(kernel.scratch_bytes, number(expected, ".private_segment_fixed_size", ~0u));
    EXPECT_EQ(kernel.wavefront_size, number(expected, ".wavefront_size", ~0u));
    EXPECT_EQ(kernel.sgprs, number(expected, ".sgpr_count", ~0u));
    EXPECT_EQ(kernel.vgprs, number(expected, ".vgpr_count", ~0u));
    EXPECT_EQ(kernel.agprs, number(expected, ".agpr_count", 0));
    EXPECT_EQ(kernel.sgpr_spills, number(expected, ".sgpr_spill_count", ~0u));
    EXPECT_EQ(kernel.vgpr_spills, number(expected, ".vgpr_spill_count", ~0u));
    EXPECT_EQ(kernel.max_flat_workgroup_size, number(expected, ".max_flat_workgroup_size", ~0u));
    EXPECT_EQ(kernel.uses_dynamic_stack, number(expected, ".uses_dynamic_stack", 0) != 0);
    EXPECT_EQ(kernel.uniform_workgroup_size, number(expected, ".uniform_work_group_size", 0) != 0);
    for (unsigned axis = 0; axis < 3; ++axis)
      EXPECT_EQ(kernel.required_workgroup_size[axis],
                expected.contains(".reqd_workgroup_size")
                    ? std::stoul(expected[".reqd_workgroup_size"][axis].get<std::string>())
                    : 0);

    const json& arguments = expected[".args"];
    ASSERT_EQ(kernel.arguments.size(), arguments.size());
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      EXPECT_EQ(kernel.arguments[a].name, text(arguments[a], ".name"));
      EXPECT_EQ(kernel.arguments[a].value_kind, text(arguments[a], ".value_kind"));
      EXPECT_EQ(kernel.arguments[a].offset, number(arguments[a], ".offset", ~0u));
      EXPECT_EQ(kernel.arguments[a].size, number(arguments[a], ".size", ~0u));
    }
  }
}

/// llvm-objdump's view of a descriptor: its .amdhsa_ directives.
std::map<std::string, std::uint32_t> directives_of(const std::string& path,
                                                   const std::string& symbol) {
  std::istringstream text(testing::run_tool(
      "llvm-objdump", "-D -j .rodata --disassemble-symbols=" + symbol + " " + path));
  std::map<std::string, std::uint32_t> directives;
  std::string name, value;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    if (words >> name >> value && name.starts_with(".amdhsa_") && name != ".amdhsa_kernel")
      directives[name.substr(8)] = std::stoul(value);
  }
  return directives;
}

TEST_P(EachObject, has_the_descriptors_that_objdump_prints) {
  for (const Kernel& kernel : object->kernels()) {
    SCOPED_TRACE(kernel.name);
    auto expected = directives_of(path, kernel.symbol);
    ASSERT_GT(expected.size(), 20u);
    const Descriptor& descriptor = kernel.descriptor;
    EXPECT_EQ(descriptor.group_segment_fixed_size, expected.at("group_segment_fixed_size"));
    EXPECT_EQ(descriptor.private_segment_fixed_size, expected.at("private_segment_fixed_size"));
    EXPECT_EQ(descriptor.kernarg_size, expected.at("kernarg_size"));
    // Bits by LLVM AMDGPUUsage, "compute_pgm_rsrc1", "compute_pgm_rsrc2", "Kernel Descriptor".
    EXPECT_EQ(descriptor.rsrc1 >> 16 & 3, expected.at("float_denorm_mode_32"));
    EXPECT_EQ(descriptor.rsrc1 >> 18 & 3, expected.at("float_denorm_mode_16_64"));
    EXPECT_EQ(descriptor.rsrc2 & 1,
              expected.contains("enable_private_segment")
                  ? expected.at("enable_private_segment")
                  : expected.at("system_sgpr_private_segment_wavefront_offset"));
    EXPECT_EQ(descriptor.rsrc2 >> 7 & 1, expected.at("system_sgpr_workgroup_id_x"));
    EXPECT_EQ(descriptor.rsrc2 >> 11 & 3, expected.at("system_vgpr_workitem_id"));
    EXPECT_EQ(descriptor.properties >> 1 & 1, expected.at("user_sgpr_dispatch_ptr"));
    EXPECT_EQ(descriptor.properties >> 3 & 1, expected.at("user_sgpr_kernarg_segment_ptr"));
    if (object->version() >= 5)
      EXPECT_EQ(descriptor.properties >> 11 & 1, expected.at("uses_dynamic_stack"));
    if (expected.contains("accum_offset"))
      EXPECT_EQ(((descriptor.rsrc3 & 0x3f) + 1) * 4, expected.at("accum_offset"));
    if (expected.contains("wavefront_size32"))
      EXPECT_EQ(descriptor.properties >> 10 & 1, expected.at("wavefront_size32"));
    if (expected.contains("user_sgpr_kernarg_preload_length"))
      EXPECT_EQ(descriptor.kernarg_preload & 0x7f, expected.at("user_sgpr_kernarg_preload_length"));
  }
}

TEST_P(EachObject, has_the_symbols_that_readelf_lists) {
  struct Expected {
    std::uint64_t value, size;
    std::string type, binding;
  };
  std::map<std::string, Expected> expected;
  json listing = testing::readelf(path, "--symbols");
  for (const json& entry : listing["Symbols"]) {
    const json& symbol = entry["Symbol"];
    std::string type = symbol["Type"]["Name"], section = symbol["Section"]["Name"];
    if ((type == "Function" || type == "Object") && section != "Undefined")
      expected[symbol["Name"]["Name"]] = {symbol["Value"], symbol["Size"], type,
                                          symbol["Binding"]["Name"]};
  }
  ASSERT_GE(expected.size(), 15u);
  ASSERT_EQ(object->symbols().size(), expected.size());
  for (const Symbol& symbol : object->symbols()) {
    SCOPED_TRACE(symbol.name);
    const Expected& e = expected.at(symbol.name);
    EXPECT_EQ(symbol.address, e.value);
    EXPECT_EQ(symbol.size, e.size);
    EXPECT_EQ(symbol.function, e.type == "Function");
    EXPECT_EQ(symbol.global, e.binding == "Global");
    EXPECT_EQ(object->find_symbol(symbol.name), &symbol);
  }
  for (const Kernel& kernel : object->kernels()) {
    EXPECT_EQ(kernel.entry, expected.at(kernel.name).value);
    EXPECT_EQ(kernel.code_size, expected.at(kernel.name).size);
    EXPECT_EQ(kernel.descriptor_address, expected.at(kernel.symbol).value);
    const Symbol* function = object->function_at(kernel.entry + 4);
    ASSERT_TRUE(function);
    EXPECT_EQ(function->name, kernel.name);
  }
  EXPECT_EQ(object->function_at(expected.at("counter").value), nullptr);
  EXPECT_EQ(object->function_at(0), nullptr);
  EXPECT_EQ(object->find_symbol("nothing"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(CodeObject, EachObject, ::testing::ValuesIn(testing::device_objects()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace_if(name, [](char c) { return !isalnum(c); }, '_');
                           return name;
                         });

TEST(CodeObjectTest, FunctionsWithoutASizeGoUpToTheNext) {
  const auto object = CodeObject::read(testing::read_object("unsized.co"), "unsized.co");
  const Symbol *f = object->find_symbol("f"), *g = object->find_symbol("g");
  ASSERT_TRUE(f && g);
  EXPECT_EQ(f->size, 12u);
  EXPECT_EQ(g->address, f->address + f->size);
  EXPECT_EQ(g->size, 8u);  // to the end of the code
  EXPECT_EQ(object->function_at(f->address + 8), f);
  EXPECT_EQ(object->function_at(g->address + 4), g);
  EXPECT_EQ(object->function_at(g->address + 8), nullptr);
}

TEST(CodeObject, linked_of_several_has_what_each_of_them_says) {
  const auto object = CodeObject::read(testing::read_object("linked.co"), "linked.co");
  std::vector<std::string> names;
  for (const Kernel& kernel : object->kernels()) names.push_back(kernel.name);
  EXPECT_EQ(names, (std::vector<std::string>{"shared", "kernel_1", "kernel_2", "kernel_3"}));
  EXPECT_EQ(object->printf_formats(),
            (std::vector<std::string>{"0:0:0001,of 1\n", "0:0:0002,of 2\n", "0:0:0003,of 3\n"}));
  // The linker keeps the first object's `shared`.
  EXPECT_EQ(object->find_kernel("shared")->vgprs, 81u);
  for (unsigned part = 1; part <= 3; ++part) {
    const Kernel* kernel = object->find_kernel(fmt::format("kernel_{}", part));
    ASSERT_TRUE(kernel);
    EXPECT_EQ((kernel->descriptor.rsrc1 & 0x3f) + 1, part) << "registers, in eights";
    EXPECT_EQ(kernel->entry, object->find_symbol(kernel->name)->address);
    const auto line = object->line(kernel->entry), of_helper = object->line(kernel->entry + 4);
    ASSERT_TRUE(line && of_helper);
    EXPECT_EQ(line->file, fmt::format("/src/part_{}.hip", part));
    EXPECT_EQ(line->line, part * 10);
    EXPECT_EQ(of_helper->line, part * 10 + 1);
    EXPECT_EQ(of_helper->function, "helper");
  }
}

TEST(CodeObject, versions_4_to_6_are_all_there) {
  std::set<unsigned> versions;
  for (const std::string& name : testing::device_objects())
    versions.insert(CodeObject::read(testing::read_object(name), name)->version());
  EXPECT_EQ(versions, (std::set<unsigned>{4, 5, 6}));
}

TEST(CodeObject, digest_tells_code_apart) {
  std::set<std::string> digests;
  for (const std::string& name : testing::device_objects()) {
    auto bytes = testing::read_object(name);
    auto one = CodeObject::read(bytes, "one"), other = CodeObject::read(bytes, "other");
    EXPECT_EQ(one->digest(), other->digest());
    EXPECT_EQ(one->digest().size(), 64u);
    digests.insert(one->digest());
  }
  EXPECT_EQ(digests.size(), testing::device_objects().size());
}

TEST(CodeObject, stripped_code_still_has_its_kernels) {
  std::string path = testing::scratch_path("stripped");
  testing::run_tool("llvm-strip", "--strip-all -o " + path + " " + object_path("gfx942.co"));
  auto stripped = CodeObject::read(testing::read_file(path), path);
  auto whole = CodeObject::read(testing::read_object("gfx942.co"), "gfx942.co");
  EXPECT_LT(stripped->symbols().size(), whole->symbols().size());
  ASSERT_EQ(stripped->kernels().size(), 5u);
  for (const Kernel& kernel : stripped->kernels()) {
    EXPECT_EQ(kernel.entry, whole->find_kernel(kernel.name)->entry);
    EXPECT_EQ(kernel.code_size, whole->find_kernel(kernel.name)->code_size);
  }
  EXPECT_EQ(stripped->line(stripped->kernels()[0].entry), std::nullopt);
}

TEST(CodeObject, thousands_of_kernels_read_in_well_under_a_second) {
  // As rocBLAS has: long names, many arguments. Assembled here, for a compiler takes minutes.
  constexpr int count = 5000, arguments = 30;
  std::string text = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n", metadata;
  std::string prefix(150, 'K');
  for (int i = 0; i < count; ++i) {
    std::string name = fmt::format("{}_{}", prefix, i);
    text += fmt::format(
        ".text\n.globl {0}\n.p2align 8\n.type {0},@function\n{0}:\n s_endpgm\n.L{1}:\n"
        ".size {0}, .L{1}-{0}\n.rodata\n.p2align 6\n.amdhsa_kernel {0}\n"
        " .amdhsa_next_free_vgpr 8\n .amdhsa_next_free_sgpr 8\n .amdhsa_accum_offset 8\n"
        ".end_amdhsa_kernel\n",
        name, i);
    metadata += fmt::format(
        "  - .name: {0}\n    .symbol: {0}.kd\n    .kernarg_segment_size: {1}\n"
        "    .group_segment_fixed_size: 0\n    .private_segment_fixed_size: 0\n"
        "    .kernarg_segment_align: 8\n    .wavefront_size: 64\n    .sgpr_count: 8\n"
        "    .vgpr_count: 8\n    .max_flat_workgroup_size: 256\n    .args:\n",
        name, arguments * 8);
    for (int a = 0; a < arguments; ++a)
      metadata += fmt::format(
          "      - .offset: {}\n        .size: 8\n        .value_kind: global_buffer\n"
          "        .address_space: global\n",
          a * 8);
  }
  text += ".amdgpu_metadata\namdhsa.version: [1, 2]\namdhsa.kernels:\n" + metadata +
          ".end_amdgpu_metadata\n";
  std::string path = testing::scratch_path("large");
  testing::write_file(path + ".s", std::as_bytes(std::span(text)));
  testing::run_tool("clang", "--target=amdgcn-amd-amdhsa -mcpu=gfx942 " + path + ".s -o " + path);
  auto bytes = testing::read_file(path);

  auto start = std::chrono::steady_clock::now();
  auto object = CodeObject::read(bytes, path);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds", std::to_string(took.count() * 1e3));
  ASSERT_EQ(object->kernels().size(), count);
  EXPECT_EQ(object->kernels().back().arguments.size(), arguments);
  EXPECT_EQ(object->kernels().back().code_size, 4u);
  EXPECT_LT(took.count(), hipsight::patience(1)) << bytes.size() << " bytes";
}

}  // namespace
}  // namespace hipsight::code
