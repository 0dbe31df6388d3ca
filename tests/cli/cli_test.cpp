// The command as a user types it, as far as it goes without a GPU program: what it prints, what it
// hands to the program, and exit codes (docs/exit-codes.md).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "hipsight/report_file.h"

namespace {

namespace fs = std::filesystem;

struct Outcome {
  int code = -1;
  std::string output;  ///< stdout and stderr together
};

Outcome shell(const std::string& command) {
  Outcome outcome;
  FILE* pipe = popen(("( " + command + " ) 2>&1").c_str(), "r");
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    outcome.output.append(buffer, n);
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

// A copy of the command beside a library of our name, as in a build tree or as installed.
class Cli : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"HIPSIGHT_GPU", "HIPSIGHT_GPU_PATH", "HIPSIGHT_REPORT", "LD_LIBRARY_PATH", "PYTHONPATH"})
      unsetenv(name);
    folder_ = fs::canonical(fs::temp_directory_path()) / fmt::format("hipsight_cli{}", getpid());
    fs::create_directories(folder_ / "lib");
    fs::create_directories(folder_ / "bin");
    fs::copy_file(HIPSIGHT_COMMAND, folder_ / "hipsight");
    fs::copy_file(HIPSIGHT_COMMAND, folder_ / "bin/hipsight");
    std::ofstream(folder_ / "lib/libamdhip64.so") << "";
  }
  void TearDown() override { fs::remove_all(folder_); }

  Outcome run(const std::string& arguments) {
    return shell(fmt::format("cd {0}; ./hipsight {1}", folder_.string(), arguments));
  }
  fs::path folder_;
};

TEST_F(Cli, shows_what_an_instruction_does) {
  const Outcome fma = run("isa v_fma_f32 --target gfx942");
  EXPECT_EQ(fma.code, 0);
  EXPECT_EQ(fma.output,
            "V_FMA_F32\n\n"
            "def<f32(f32, f32, f32)>(\"V_FMA_F32\", [](auto a, auto b, auto c) { return fma(a, b, "
            "c); })\n\n"
            "gfx942   v_fma_f32\n");
  // Made by a macro.
  EXPECT_TRUE(has(run("isa v_cmp_lt_f32_e64 --target gfx1100").output,
                  "def<b1(f32, f32)>(\"V_CMP_LT_F32\", float_compare::less)"));
  EXPECT_TRUE(has(run("isa ds_read_b32 --target gfx90a").output, "code of src/engine/interpret"));
  const Outcome none = run("isa v_fma_f33");
  EXPECT_EQ(none.code, 125);
  EXPECT_TRUE(has(none.output, "no processor has an instruction v_fma_f33"));
  EXPECT_EQ(run("isa").code, 125);
}

TEST_F(Cli, tells_the_share_of_instructions) {
  const Outcome json = run("isa --coverage --json --target gfx942");
  EXPECT_EQ(json.code, 0);
  for (const char* key :
       {"\"target\": \"gfx942\"", "\"implemented\": 1", "\"total\": 1", "\"percent\": "})
    EXPECT_TRUE(has(json.output, key)) << json.output;
  EXPECT_TRUE(has(run("isa --coverage --target gfx942").output, "images"));
}

TEST_F(Cli, lists_gpus) {
  const Outcome outcome = run("gpus");
  EXPECT_EQ(outcome.code, 0);
  for (const char* name : {"mi210", "mi250x", "mi300a", "mi300x", "mi308x", "mi325x", "mi350x",
                           "mi355x", "rx7900xtx", "rx9070xt", "strix_halo"})
    EXPECT_TRUE(has(outcome.output, name)) << outcome.output;
}

TEST_F(Cli, shows_one_gpu_with_sources) {
  const Outcome outcome = run("gpus rx7900xtx");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.output, "AMD Radeon RX 7900 XTX")) << outcome.output;
  EXPECT_TRUE(has(outcome.output, "vgprs_per_simd                       1536")) << outcome.output;
  EXPECT_TRUE(has(outcome.output, "AMD RDNA3 ISA guide")) << outcome.output;
  EXPECT_TRUE(has(outcome.output, "launch_us                    2 us")) << outcome.output;
}

TEST_F(Cli, says_what_is_here_and_what_is_missing) {
  const Outcome here = run("doctor");
  EXPECT_EQ(here.code, 0) << here.output;
  EXPECT_TRUE(has(here.output, "ok      hipsight ")) << here.output;
  EXPECT_TRUE(has(here.output, "mi300x is the one that runs")) << here.output;
  const Outcome bare = shell(
      fmt::format("cd {}; PATH=/nowhere HIPSIGHT_SDK=/nowhere HIPSIGHT_CACHE=/proc ./hipsight "
                  "doctor",
                  folder_.string()));
  EXPECT_EQ(bare.code, 0) << bare.output;
  for (const char* missing : {"missing clang++\n", "missing HIP's headers\n", "missing python3\n",
                              "to mend: apt install clang-22 lld-22"})
    EXPECT_TRUE(has(bare.output, missing)) << bare.output;
  fs::remove(folder_ / "lib/libamdhip64.so");
  const Outcome broken = run("doctor");
  EXPECT_EQ(broken.code, 125);
  EXPECT_TRUE(has(broken.output, "BROKEN  libamdhip64 of hipsight")) << broken.output;
}

TEST_F(Cli, completes_words_in_bash) {
  const auto completed = [&](const std::string& words) {
    return shell(fmt::format(
                     "cd {0}; bash -c 'source <(./hipsight completion bash); COMP_WORDS=({1}); "
                     "COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _hipsight; echo "
                     "\"${{COMPREPLY[@]}}\"'",
                     folder_.string(), words))
        .output;
  };
  EXPECT_EQ(completed("hipsight exp"), "explain\n");
  EXPECT_EQ(completed("hipsight run --gpu-p"), "--gpu-path\n");
  EXPECT_EQ(completed("hipsight kpi rec"), "record\n");
  EXPECT_EQ(completed("hipsight kpi check --ju"), "--junit\n");
  EXPECT_EQ(completed("hipsight run -- li"), "lib\n");
}

TEST_F(Cli, has_a_page_for_man) {
  const Outcome page = run("completion man");
  EXPECT_EQ(page.code, 0);
  for (const char* part : {".TH HIPSIGHT 1", ".SS hipsight run\n", ".SS hipsight kpi check\n",
                           "\\fB\\-\\-gpu\\fR \\fINAME\\fR"})
    EXPECT_TRUE(has(page.output, part)) << part;
}

TEST_F(Cli, wrong_command_lines_give_125_and_say_why) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "hipsight: which command?"},
      {"", "\nUnderstand:\n"},
      {"plan", "plan is a command of the Python package"},
      {"tune -- true", "hipsight tune: --set is required (hipsight tune --help)"},
      {"kpi check", "hipsight kpi check: "},
      {"nonsense", "unknown command 'nonsense'"},
      {"chekc", "did you mean check?"},
      {"run --gpuu mi210 -- true", "unknown option --gpuu: did you mean --gpu?"},
      {"completion fish", "fish"},
      {"run", "which program?"},
      {"run --", "which program?"},
      {"run --bogus -- true", "unknown option --bogus"},
      {"run --gpu", "--gpu"},
      {"run --gpu mi999 -- true", "unknown GPU 'mi999'; there are: mi210"},
      {"run --gpu ./no.toml -- true", "cannot read './no.toml'"},
      {"run --timeout soon -- true", "--timeout"},
      {"run --timeout -1 -- true", "--timeout"},
      {"run --threads 0 -- true", "--threads"},
      {"run --gpus 0 -- true", "--gpus"},
      {"run --launch 0 -- true", "--launch"},
      {"run --kernel '(' -- true", "'(' is no regular expression"},
      {"run --progress=no -- true", "--progress"},
      {"run --also mi300x,mi999 -- true", "unknown GPU 'mi999'"},
      {"run --also mi300x --values v -- true", "--values excludes --also"},
      {"run --no-report --report r.txt -- true", "--no-report"},
      {"gpus mi999", "there are: mi210"},
  };
  for (const auto& [arguments, message] : wrong) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 125) << arguments << "\n" << outcome.output;
    EXPECT_TRUE(has(outcome.output, message)) << arguments << "\n" << outcome.output;
  }
}

TEST_F(Cli, the_programs_exit_code_passes_through) {
  EXPECT_EQ(run("run -- sh -c 'exit 3'").code, 3);
  EXPECT_EQ(run("run -- true").code, 0);
}

TEST_F(Cli, programs_that_cannot_run_give_the_shells_codes) {
  const Outcome missing = run("run -- ./no_such_program");
  EXPECT_EQ(missing.code, 127);
  EXPECT_TRUE(has(missing.output, "program not found: ./no_such_program")) << missing.output;
  EXPECT_EQ(run("run -- no_such_program").code, 127);
  const Outcome folder = run("run -- ./lib");
  EXPECT_EQ(folder.code, 126);
  EXPECT_TRUE(has(folder.output, "cannot run ./lib")) << folder.output;
}

TEST_F(Cli, the_programs_words_are_its_own) {
  EXPECT_EQ(run("run -- printf '%s,' --gpu x -- -y").output, "--gpu,x,--,-y,");
  EXPECT_EQ(run("run printf '%s,' --gpu x -- -y").output, "--gpu,x,--,-y,");
}

TEST_F(Cli, hands_its_options_to_the_runtime) {
  const Outcome outcome = run(
      "run --gpu mi210 --timeout 2.5 --threads 3 --json j.json --values v --report r.txt -- env");
  for (const std::string& line :
       {std::string("HIPSIGHT_GPU=mi210\n"), std::string("HIPSIGHT_TIMEOUT=2.5\n"),
        std::string("HIPSIGHT_THREADS=3\n"),
        fmt::format("HIPSIGHT_JSON={}/j.json\n", folder_.string()),
        fmt::format("HIPSIGHT_VALUES={}/v\n", folder_.string()),
        fmt::format("HIPSIGHT_REPORT={}/r.txt\n", folder_.string()),
        fmt::format("LD_LIBRARY_PATH={}/lib\n", folder_.string())})
    EXPECT_TRUE(has(outcome.output, line)) << line << outcome.output;
  EXPECT_TRUE(has(run("run --no-report -- env").output, "HIPSIGHT_REPORT=none\n"));
  const Outcome chosen = run("run --gpus 8 --kernel '^a(b)' --launch 3 --progress -- env");
  for (const char* line : {"HIPSIGHT_GPUS=8\n", "HIPSIGHT_KERNEL=^a(b)\n", "HIPSIGHT_LAUNCH=3\n",
                           "HIPSIGHT_PROGRESS=5\n"})
    EXPECT_TRUE(has(chosen.output, line)) << line << chosen.output;
  const Outcome exact = run("run --matrix exact --fidelity -- env");
  for (const char* line : {"HIPSIGHT_MATRIX=exact\n", "HIPSIGHT_FIDELITY=1\n"})
    EXPECT_TRUE(has(exact.output, line)) << line << exact.output;
  EXPECT_TRUE(has(run("profile -- env").output, "HIPSIGHT_PROFILE=64\n"));
  EXPECT_TRUE(has(run("predict -- env").output, "HIPSIGHT_PREDICT=1\n"));
  EXPECT_TRUE(has(run("profile --sample 8 -- env").output, "HIPSIGHT_PROFILE=8\n"));
  EXPECT_TRUE(has(run("profile -- env").output, "HIPSIGHT_DETAILS=all\n"));
  EXPECT_TRUE(has(run("run -v -- env").output, "HIPSIGHT_DETAILS=all\n"));
  EXPECT_EQ(run("run --details counts -- printenv HIPSIGHT_DETAILS").output, "counts\n");
  EXPECT_EQ(run("run --details colour -- env").code, 125);
  // It predicts if somebody may read that.
  EXPECT_EQ(run("run -- printenv HIPSIGHT_PREDICT").output, "1\n");
  EXPECT_EQ(run("run --no-predict -- printenv HIPSIGHT_PREDICT").output, "0\n");
  EXPECT_EQ(run("run --no-report -- printenv HIPSIGHT_PREDICT").output, "");
  EXPECT_EQ(run("run --no-report --json j.json -- printenv HIPSIGHT_PREDICT").output, "1\n");
  EXPECT_EQ(run("run --trace 0 -- printenv HIPSIGHT_PREDICT").output, "");
  EXPECT_EQ(run("run --progress=0.5 -- printenv HIPSIGHT_PROGRESS").output, "0.5\n");
}

TEST_F(Cli, several_gpus_need_a_report_to_compare) {
  const Outcome outcome = run("run --also mi210 -- sh -c 'echo $HIPSIGHT_GPU; exit 3'");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.output, "mi300x\nhipsight: the program left no report: nothing to compare\n");
  EXPECT_EQ(run("run --also mi210 -- ./no_such_program").code, 127);
  EXPECT_EQ(run("run --also mi210 -- sh -c 'kill -9 $$'").code, 128 + 9);
}

// A stand-in for a program of ours, which leaves a report.
TEST_F(Cli, runs_the_program_on_each_gpu) {
  for (const std::string gpu : {"mi210", "rx7900xtx"}) {
    hipsight::RunReport report;
    hipsight::KernelReport& kernel = report.kernels.emplace_back();
    kernel.kernel.title = "k()";
    kernel.block = {64, 2, 1};
    kernel.counts.launches = 1;
    hipsight::Prediction& prediction = kernel.prediction.emplace();
    prediction.bound.sentence = "LDS of " + gpu;
    prediction.seconds = 1e-6;
    const std::vector<std::byte> bytes = report_file(report);
    std::ofstream(folder_ / (gpu + ".values"), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  }
  std::ofstream(folder_ / "program") << R"sh(#!/bin/sh
echo "on $HIPSIGHT_GPU"
[ $HIPSIGHT_GPU = mi355x ] && { echo "no code for it" >&2; exit 1; }
[ -z "$HIPSIGHT_JSON" ] && cp $HIPSIGHT_GPU.values "$HIPSIGHT_VALUES"
)sh";
  fs::permissions(folder_ / "program", fs::perms::owner_all);
  const Outcome outcome =
      run("run --gpu mi210 --also rx7900xtx,mi355x --json all.json -- ./program");
  EXPECT_EQ(outcome.code, 0);
  for (const char* part :
       {"on mi210\n",
        "  mi210       1.00 us  UNVALIDATED  LDS of mi210 (1 launch, blocks of 128)\n",
        "  rx7900xtx   1.00 us  UNVALIDATED  LDS of rx7900xtx (", "  mi355x     did not run\n",
        "mi355x: exit code 1\non mi355x\nno code for it\n"})
    EXPECT_TRUE(has(outcome.output, part)) << part << outcome.output;
  EXPECT_FALSE(has(outcome.output, "on rx7900xtx\n")) << outcome.output;
  std::ifstream all(folder_ / "all.json");
  const std::string json(std::istreambuf_iterator<char>(all), {});
  EXPECT_TRUE(has(json, "\"also\"") && has(json, "LDS of rx7900xtx")) << json;
}

TEST_F(Cli, the_environment_chooses_the_gpu_unless_the_command_does) {
  setenv("HIPSIGHT_GPU", "rx9070xt", 1);
  EXPECT_EQ(run("run -- printenv HIPSIGHT_GPU").output, "rx9070xt\n");
  EXPECT_EQ(run("run --gpu mi210 -- printenv HIPSIGHT_GPU").output, "mi210\n");
  setenv("HIPSIGHT_GPU", "mi999", 1);
  EXPECT_EQ(run("run -- true").code, 125);
}

TEST_F(Cli, tells_every_option_and_where_it_came_from) {
  setenv("HIPSIGHT_THREADS", "3", 1);
  const Outcome outcome = run("config --gpu mi210 --strict");
  unsetenv("HIPSIGHT_THREADS");
  EXPECT_EQ(outcome.code, 0);
  for (const char* line : {
           "--gpu                HIPSIGHT_GPU             command line   mi210\n",
           "--strict             HIPSIGHT_STRICT          command line   1\n",
           "--threads            HIPSIGHT_THREADS         environment    3\n",
           "--timeout            HIPSIGHT_TIMEOUT         default        no limit\n",
           "--launch-blocking    HIP_LAUNCH_BLOCKING      default        0\n",
       })
    EXPECT_TRUE(has(outcome.output, line)) << line << outcome.output;
}

TEST_F(Cli, refuses_what_is_no_condition) {
  const Outcome outcome = run("run --fail-if 'vgpr > 10' -- true");
  EXPECT_EQ(outcome.code, 125);
  EXPECT_TRUE(has(outcome.output, "there is no figure 'vgpr'")) << outcome.output;
  setenv("HIPSIGHT_FAIL_IF", "vgprs = 10", 1);
  const Outcome set = run("run -- true");
  unsetenv("HIPSIGHT_FAIL_IF");
  EXPECT_EQ(set.code, 125);
  EXPECT_TRUE(has(set.output, "HIPSIGHT_FAIL_IF=vgprs = 10: ")) << set.output;
}

TEST_F(Cli, bad_and_unknown_variables_are_named) {
  setenv("HIPSIGHT_THREADS", "some", 1);
  const Outcome bad = run("run -- true");
  EXPECT_EQ(bad.code, 125);
  EXPECT_EQ(bad.output,
            "hipsight: HIPSIGHT_THREADS=some: it takes a whole number from 1 to 4096\n");
  unsetenv("HIPSIGHT_THREADS");
  setenv("HIPSIGHT_GPU_PAHT", "x", 1);
  const Outcome unknown = run("run -- true");
  unsetenv("HIPSIGHT_GPU_PAHT");
  EXPECT_EQ(unknown.code, 0);
  EXPECT_EQ(unknown.output,
            "hipsight: nothing reads HIPSIGHT_GPU_PAHT; the nearest that there is: "
            "HIPSIGHT_GPU_PATH ('hipsight config' lists all)\n");
}

TEST_F(Cli, our_library_comes_before_others) {
  setenv("LD_LIBRARY_PATH", "/opt/rocm/lib", 1);
  EXPECT_EQ(run("run -- printenv LD_LIBRARY_PATH").output,
            folder_.string() + "/lib:/opt/rocm/lib\n");
}

TEST_F(Cli, our_python_modules_come_after_others) {
  EXPECT_EQ(run("run -- printenv PYTHONPATH").code, 1);  // no folder, so nothing is set
  fs::create_directories(folder_ / "python");
  EXPECT_EQ(run("run -- printenv PYTHONPATH").output, folder_.string() + "/python\n");
  setenv("PYTHONPATH", "/mine", 1);
  EXPECT_EQ(run("run -- printenv PYTHONPATH").output, "/mine:" + folder_.string() + "/python\n");
}

TEST_F(Cli, finds_the_library_when_installed) {
  EXPECT_EQ(shell(folder_.string() + "/bin/hipsight run -- printenv LD_LIBRARY_PATH").output,
            folder_.string() + "/lib\n");
}

TEST_F(Cli, says_when_the_library_is_missing) {
  fs::remove(folder_ / "lib/libamdhip64.so");
  const Outcome outcome = run("run -- true");
  EXPECT_EQ(outcome.code, 125);
  EXPECT_TRUE(has(outcome.output, "cannot find libamdhip64.so")) << outcome.output;
}

TEST_F(Cli, takes_gpu_files_and_folders_of_them) {
  std::ofstream(folder_ / "mine.toml") << "name = \"mine\"\ntitle = \"My GPU\"\nbase = \"mi300x\"\n"
                                          "compute_units = { value = 10, source = \"a wish\" }\n";
  EXPECT_TRUE(has(run("gpus ./mine.toml").output, "a wish"));
  EXPECT_EQ(run("run --gpu mine.toml -- printenv HIPSIGHT_GPU").output,
            folder_.string() + "/mine.toml\n");
  setenv("HIPSIGHT_GPU_PATH", folder_.c_str(), 1);
  EXPECT_TRUE(has(run("gpus").output, "My GPU"));
  EXPECT_EQ(run("run --gpu mine -- printenv HIPSIGHT_GPU").output, "mine\n");
  std::ofstream(folder_ / "mine.toml") << "name = \"mine\"\nbase = \"mi300x\"\nspeed = 3\n";
  const Outcome wrong = run("gpus");
  EXPECT_EQ(wrong.code, 125);
  EXPECT_TRUE(has(wrong.output, "mine.toml:3: unknown key 'speed'")) << wrong.output;
}

TEST_F(Cli, says_how_long_operations_of_several_gpus_would_take) {
  const Outcome outcome = run("collective --gpu mi300x --bytes 1KiB,1GiB");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.output, "1024    13.1 us")) << outcome.output;
  EXPECT_TRUE(has(outcome.output, "Simple    links")) << outcome.output;
  EXPECT_FALSE(has(outcome.output, "UNVALIDATED")) << outcome.output;
  const Outcome apart =
      run("collective all-to-all --gpu mi300x --ranks 32 --nodes 4 --network 50 --busiest 1.5 "
          "--bytes 1GiB");
  EXPECT_EQ(apart.code, 0);
  EXPECT_TRUE(has(apart.output, "all-to-all of 32 AMD Instinct MI300X in 4 nodes")) << apart.output;
  EXPECT_TRUE(has(apart.output, "UNVALIDATED")) << apart.output;
  EXPECT_TRUE(has(apart.output, "Simple    network")) << apart.output;
  EXPECT_TRUE(has(run("collective --ranks 16 --nodes 2").output, "how quick is the network"));
  EXPECT_TRUE(has(run("collective all-gather --busiest 2").output, "only an all-to-all"));
  const Outcome none = run("collective --gpu rx7900xtx");
  EXPECT_EQ(none.code, 125);
  EXPECT_TRUE(has(none.output, "rx7900xtx: its file has no links")) << none.output;
}

}  // namespace
