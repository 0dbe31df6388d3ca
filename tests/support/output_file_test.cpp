#include "support/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "support/error.h"

namespace hipsight {
namespace {

namespace fs = std::filesystem;

template <class Work>
std::string error_of(Work&& work) {
  try {
    work();
  } catch (const Exception& error) {
    return error.what();
  }
  return "no error";
}

class OutputFiles : public testing::Test {
 protected:
  OutputFiles() { fs::create_directory(folder_ / "d"); }
  fs::path in(const char* name) const { return folder_ / "d" / name; }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_ / "d"), {}); }
  TemporaryFolder folder_;
};

TEST_F(OutputFiles, are_there_whole_or_as_before) {
  write_output(in("a"), "before");
  {
    OutputFile out(in("a"));
    out.write(std::string_view("after"));
    EXPECT_EQ(read_file(in("a")), "before");
    EXPECT_LE(files(), 2);
  }
  EXPECT_EQ(read_file(in("a")), "before");
  write_output(in("a"), "after");
  EXPECT_EQ(read_file(in("a")), "after");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFiles, of_two_writers_are_each_whole) {
  OutputFile one(in("a")), two(in("a"));
  one.write(std::string_view("one"));
  two.write(std::string_view("two"));
  two.finish();
  EXPECT_EQ(read_file(in("a")), "two");
  one.finish();
  EXPECT_EQ(read_file(in("a")), "one");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFiles, go_with_a_process_that_is_killed) {
  const Descriptor nameless(open((folder_ / "d").c_str(), O_TMPFILE | O_WRONLY, 0600));
  if (!nameless) GTEST_SKIP() << "this file system has no files without a name";
  const pid_t child = fork();
  if (child == 0) {
    OutputFile out(in("a"));
    out.write(std::string_view("x"));
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(files(), 0);
}

TEST_F(OutputFiles, follow_a_link_that_is_their_place_and_keep_its_rights) {
  write_output(in("a"), "before");
  fs::permissions(in("a"), fs::perms(0600));
  fs::create_symlink("a", in("link"));
  write_output(in("link"), "after");
  EXPECT_TRUE(fs::is_symlink(in("link")));
  EXPECT_EQ(read_file(in("a")), "after");
  EXPECT_EQ(fs::status(in("a")).permissions(), fs::perms(0600));
  fs::create_symlink("loop", in("loop"));
  EXPECT_THAT(error_of([&] { write_output(in("loop"), "x"); }), testing::HasSubstr("Too many"));
}

TEST_F(OutputFiles, on_a_full_disk_are_an_error) {
  EXPECT_THAT(error_of([] { write_output("/dev/full", "x"); }),
              testing::HasSubstr("cannot write '/dev/full': No space left"));
  EXPECT_THAT(error_of([&] { write_output(in("no/such"), "x"); }),
              testing::HasSubstr("No such file or directory"));
  EXPECT_THAT(error_of([&] { write_output(folder_ / "d", "x"); }),
              testing::HasSubstr("it is a folder"));
}

TEST_F(OutputFiles, may_be_a_pipe_that_is_read) {
  mkfifo(in("pipe").c_str(), 0600);
  EXPECT_THAT(error_of([&] { write_output(in("pipe"), "x"); }),
              testing::HasSubstr("nobody reads this pipe"));
  const Descriptor reader(open(in("pipe").c_str(), O_RDONLY | O_NONBLOCK));
  prepare_output(in("pipe"));
  write_output(in("pipe"), "text");
  char text[5] = {};
  EXPECT_EQ(read(reader.number(), text, 4), 4);
  EXPECT_STREQ(text, "text");
}

// As a shell's  --json /dev/stdout >file : the file is the shell's, and goes on.
TEST_F(OutputFiles, may_be_what_the_process_has_open) {
  const Descriptor open_file(open(in("a").c_str(), O_RDWR | O_CREAT, 0600));
  EXPECT_EQ(write(open_file.number(), "one ", 4), 4);
  write_output("/proc/self/fd/" + std::to_string(open_file.number()), "two");
  EXPECT_EQ(read_file(in("a")), "one two");
}

TEST_F(OutputFiles, of_an_earlier_run_are_taken_away) {
  write_output(in("a"), "old");
  prepare_output(in("a"));
  EXPECT_EQ(files(), 0);
  prepare_output(in("a"));
  prepare_output("/dev/null");
  EXPECT_TRUE(fs::exists("/dev/null"));
  EXPECT_THAT(error_of([&] { prepare_output(in("no/such")); }), testing::HasSubstr("cannot write"));
}

}  // namespace
}  // namespace hipsight
