// Compiled code in files: what a crash, other processes and a limit do to them.
#include "engine/disk_cache.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <thread>

#include "config/config.h"
#include "engine/host.h"

namespace hipsight::engine {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

class DiskCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/hipsight-cache-XXXXXX";
    folder = mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder); }

  static Bytes bytes(unsigned seed, std::size_t size) {
    std::mt19937 random(seed);
    Bytes all(size);
    for (auto& byte : all) byte = static_cast<std::byte>(random());
    return all;
  }
  static DiskCache::Key key(unsigned number) { return DiskCache::key_of(bytes(number, 16)); }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(folder)) all.push_back(entry.path());
    return all;
  }
  fs::path only_file() const {
    const auto all = files();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? fs::path() : all.front();
  }

  fs::path folder;
  DiskCache cache() const { return {folder, 1 << 20}; }
};

TEST_F(DiskCacheTest, GivesWhatItKeeps) {
  DiskCache one = cache();
  const Bytes code = bytes(1, 5000), other = bytes(2, 1);
  EXPECT_FALSE(one.find(key(1)));
  one.keep(key(1), code);
  one.keep(key(2), other);
  one.keep(key(3), {});
  const DiskCache later = cache();
  EXPECT_EQ(later.find(key(1)), code);
  EXPECT_EQ(later.find(key(2)), other);
  EXPECT_EQ(later.find(key(3)), Bytes());
  EXPECT_FALSE(later.find(key(4)));
  for (const auto& file : files())
    EXPECT_EQ(fs::status(file).permissions() & (fs::perms::group_all | fs::perms::others_all),
              fs::perms::none);
}

TEST_F(DiskCacheTest, KeysAreOfTheWholeSource) {
  std::set<DiskCache::Key> keys{DiskCache::key_of({}), DiskCache::key_of(Bytes(1))};
  Bytes source = bytes(1, 300);
  keys.insert(DiskCache::key_of(source));
  for (auto& byte : source) {
    byte ^= std::byte{1};
    keys.insert(DiskCache::key_of(source));
  }
  EXPECT_EQ(keys.size(), 303u);
}

TEST_F(DiskCacheTest, IgnoresWhatIsDamagedAndWritesItAnew) {
  DiskCache one = cache();
  const Bytes code = bytes(1, 200);
  one.keep(key(1), code);
  const fs::path file = only_file();
  std::ifstream in(file, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  const auto write = [&](const std::string& text) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  };
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write(whole.substr(0, size));
    EXPECT_FALSE(one.find(key(1))) << "cut to " << size;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string wrong = whole;
    wrong[at] = static_cast<char>(wrong[at] ^ 0x10);
    write(wrong);
    EXPECT_FALSE(one.find(key(1))) << "changed at " << at;
  }
  write(whole + '\0');
  EXPECT_FALSE(one.find(key(1)));
  one.keep(key(1), code);
  EXPECT_EQ(one.find(key(1)), code);
  // Another's file under this name.
  one.keep(key(2), code);
  for (const auto& other : files())
    if (other != file) fs::copy_file(other, file, fs::copy_options::overwrite_existing);
  EXPECT_FALSE(one.find(key(1)));
}

TEST_F(DiskCacheTest, StaysBelowItsLimitAndKeepsWhatIsUsed) {
  constexpr std::size_t limit = 100'000, size = 1000;
  DiskCache one(folder, limit);
  one.keep(key(0), bytes(0, size));
  for (unsigned i = 1; i < 250; ++i) {
    one.keep(key(i), bytes(i, size));
    EXPECT_TRUE(one.find(key(i)));
    EXPECT_TRUE(one.find(key(0))) << "lost after " << i;  // in use
    std::uintmax_t sum = 0;
    for (const auto& file : files()) sum += fs::file_size(file);
    ASSERT_LE(sum, limit);
    // Times of files are as fine as the kernel's clock ticks.
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  one.keep(key(1000), bytes(1, limit));
  EXPECT_FALSE(one.find(key(1000)));
  // What a killed process left.
  const fs::path old = folder / "x.code.1.0.part", young = folder / "x.code.1.1.part";
  std::ofstream(old) << "half";
  std::ofstream(young) << "half";
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  DiskCache(folder, limit).keep(key(2000), bytes(1, size));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
}

TEST_F(DiskCacheTest, IsSharedByProcessesEvenIfTheyAreKilled) {
  constexpr unsigned processes = 6, keys = 20;
  std::vector<pid_t> children;
  for (unsigned p = 0; p < processes; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      // A limit that makes each delete what others have just written.
      DiskCache mine(folder, 150'000);
      std::mt19937 random(p);
      for (int i = 0; p < 2 || i < 500; ++i) {  // the first two go on until they are killed
        const unsigned number = random() % keys;
        const auto found = mine.find(key(number));
        if (found && *found != bytes(number, 10'000 + number)) _exit(1);
        if (!found || random() % 2) mine.keep(key(number), bytes(number, 10'000 + number));
      }
      _exit(0);
    }
    children.push_back(child);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(children[0], SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(children[1], SIGKILL);
  for (unsigned p = 0; p < processes; ++p) {
    int status = 0;
    waitpid(children[p], &status, 0);
    if (p >= 2) EXPECT_EQ(status, 0) << p;
  }
  const DiskCache mine(folder, 150'000);
  unsigned found = 0;
  for (unsigned number = 0; number < keys; ++number)
    if (const auto code = mine.find(key(number))) {
      EXPECT_EQ(*code, bytes(number, 10'000 + number));
      ++found;
    }
  EXPECT_GT(found, 0u);
}

TEST_F(DiskCacheTest, FailsQuietlyWhereItCannotWrite) {
  DiskCache one(folder / "none", 1 << 20);
  one.keep(key(1), bytes(1, 100));
  EXPECT_FALSE(one.find(key(1)));
}

// --- where it is
// ----------------------------------------------------------------------------------

class CacheFolderTest : public DiskCacheTest {
 protected:
  /// Whether there is a cache that keeps things; what is said on the way.
  static std::pair<bool, std::string> works(const Host& host) {
    testing::internal::CaptureStderr();
    auto cache = DiskCache::of(host);
    if (cache) cache->keep(key(1), bytes(1, 100));
    const bool found = cache && cache->find(key(1)).has_value();
    return {found, testing::internal::GetCapturedStderr()};
  }
  static std::pair<bool, std::string> works(const Config& config) {
    return works(Host::of(config));
  }
  const std::pair<bool, std::string> yes{true, ""}, no{false, ""};
};

TEST_F(CacheFolderTest, IsTheOneThatIsAskedFor) {
  Config config{.usual_cache = folder / "home/.cache/hipsight"};
  config.cache = folder / "a/b";
  EXPECT_EQ(works(config), yes);
  EXPECT_EQ(fs::status(folder / "a/b").permissions(), fs::perms::owner_all);
  config.cache = "off";
  EXPECT_EQ(works(config), no);
  EXPECT_FALSE(fs::exists(folder / "home"));
  config.cache.clear();
  EXPECT_EQ(works(config), yes);
  EXPECT_TRUE(fs::exists(folder / "home/.cache/hipsight"));
  config.cache_size = 0;
  EXPECT_EQ(works(config), no);
  EXPECT_EQ(works(Config()), no);
  EXPECT_EQ(works(Host()), no);
}

TEST_F(CacheFolderTest, IsNotOneThatOthersMayWriteTo) {
  const fs::path open = folder / "open";
  fs::create_directory(open);
  chmod(open.c_str(), 0777);
  const auto [found, said] = works(Host{.cache = open});
  EXPECT_FALSE(found);
  EXPECT_THAT(said, testing::HasSubstr("is not a folder that only we can write to"));
  EXPECT_TRUE(fs::is_empty(open));
}

TEST_F(CacheFolderTest, IsToldWhenItCannotBeHad) {
  std::ofstream(folder / "file") << "text";
  EXPECT_THAT(works(Host{.cache = folder / "file"}).second,
              testing::HasSubstr("is not a folder that only we can write to"));
  EXPECT_THAT(works(Config{.cache = "/proc/none/cache"}).second,
              testing::HasSubstr("/proc/none/cache cannot be made"));
  EXPECT_EQ(works(Config{.usual_cache = "/proc/none/cache"}), no);
}

}  // namespace
}  // namespace hipsight::engine
