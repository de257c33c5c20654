#include "kernels/jit/cubin_cache.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "model/base/error.h"
#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

constexpr char kHeader[] = "#pragma once\nconstexpr int kStep = 1;\n";
constexpr char kOtherHeader[] = "#pragma once\nconstexpr int kStep = 2;\n";
constexpr char kKernel[] =
    "#include \"step.h\"\n"
    "extern \"C\" __global__ void k(int* x) { x[threadIdx.x] += kStep * kFactor; }\n";
constexpr char kRejected[] =
    "extern \"C\" __global__ void k(int* x) {\n"
    "  asm volatile(\"setmaxnreg.dec.sync.aligned.u32 40;\");\n"
    "  x[threadIdx.x] = 1;\n"
    "}\n";
constexpr EmbeddedSource kSources[] = {
    {"kernel.cu", kKernel}, {"step.h", kHeader}, {"rejected.cu", kRejected}};
constexpr EmbeddedSource kChangedSources[] = {{"kernel.cu", kKernel}, {"step.h", kOtherHeader}};
constexpr EmbeddedSource kChangedElsewhere[] = {
    {"kernel.cu", kKernel}, {"step.h", kHeader}, {"rejected.cu", kKernel}};

KernelSource with_factor(int factor) {
  return with_constants("kernel.cu", fmt::format("constexpr int kFactor = {};", factor));
}
const KernelSource kSource = with_factor(1);

/// A cache that collects its warnings.
struct TestCache {
  explicit TestCache(const fs::path& folder)
      : cache(folder, kSources, [this](const std::string& line) { warnings.push_back(line); }) {}
  CompiledKernel get() { return cache.get(kSource); }

  std::vector<std::string> warnings;
  CubinCache cache;
};

std::size_t files_in(const fs::path& folder) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    (void)entry;
    ++count;
  }
  return count;
}

/// Sets an environment variable for one test.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    const char* old = std::getenv(name);
    if (old != nullptr) {
      old_ = old;
    }
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  ~Environment() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace

TEST_CASE("A kernel is compiled once and then read back, by another cache object too") {
  const TemporaryFolder folder;
  TestCache first(folder / "cache");
  const CompiledKernel compiled = first.get();
  CHECK(first.cache.misses() == 1);
  CHECK((first.get().cubin == compiled.cubin));
  CHECK(first.cache.hits() == 1);

  TestCache second(folder / "cache");
  const CompiledKernel read = second.get();
  CHECK(second.cache.hits() == 1);
  CHECK(second.cache.misses() == 0);
  CHECK((read.cubin == compiled.cubin));
  CHECK(read.log == compiled.log);
  CHECK(read.report.registers == compiled.report.registers);
  CHECK(files_in(folder / "cache") == 1);  // no temporary file remains
  CHECK(second.warnings.empty());
}

TEST_CASE("A hit takes less than 5 milliseconds") {
  const TemporaryFolder folder;
  TestCache test(folder / "cache");
  test.get();
  auto best = std::chrono::steady_clock::duration::max();
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    test.get();
    best = std::min(best, std::chrono::steady_clock::now() - start);
  }
  CHECK(test.cache.hits() == 5);
  CHECK(best < std::chrono::milliseconds(5));
}

TEST_CASE("A rejection is cached too") {
  const TemporaryFolder folder;
  const KernelSource source{.path = "rejected.cu"};
  TestCache test(folder / "cache");
  const std::string reason = test.cache.get(source).rejection;
  CHECK(reason.starts_with("C7508: "));
  CHECK(test.cache.get(source).rejection == reason);
  CHECK(test.cache.hits() == 1);
}

TEST_CASE("A cache entry depends on exactly the inputs that determine the cubin") {
  const TemporaryFolder folder;
  const CubinCache cache(folder / "cache", kSources);
  const fs::path entry = cache.entry_path(kSource);
  KernelSource other = with_factor(2);
  CHECK(cache.entry_path(other) != entry);
  other = kSource;
  other.architecture = "sm_100a";
  CHECK(cache.entry_path(other) != entry);
  // A changed header matters if it is included; a source that is not included does not.
  CHECK(CubinCache(folder / "cache", kChangedSources).entry_path(kSource) != entry);
  CHECK(CubinCache(folder / "cache", kChangedElsewhere).entry_path(kSource) == entry);
}

TEST_CASE("A damaged entry is compiled again and replaced") {
  const TemporaryFolder folder;
  TestCache test(folder / "cache");
  const CompiledKernel kernel = test.get();
  const fs::path path = test.cache.entry_path(kSource);
  const std::string entry = read_file(path);
  std::string flipped = entry;
  flipped[flipped.size() - 100] = static_cast<char>(flipped[flipped.size() - 100] ^ 1);
  const std::string damaged[] = {"",
                                 entry.substr(0, 10),
                                 entry.substr(0, 90),
                                 entry.substr(0, entry.size() - 1),
                                 flipped,
                                 entry + "x",
                                 "tilecast cubin 1\n" + entry.substr(17)};
  int misses = 1;
  for (const std::string& text : damaged) {
    INFO("an entry of " << text.size() << " bytes of " << entry.size());
    write_file(path, text);
    CHECK((test.get().cubin == kernel.cubin));
    CHECK(test.cache.misses() == ++misses);
    CHECK((read_file(path) == entry));  // not printed, since it is binary
  }
  CHECK(test.warnings.empty());
}

TEST_CASE("An entry that another user could have written is compiled again and replaced") {
  const TemporaryFolder folder;
  TestCache test(folder / "cache");
  const CompiledKernel kernel = test.get();
  const fs::path path = test.cache.entry_path(kSource);
  fs::permissions(path, fs::perms(0666));
  CHECK((test.get().cubin == kernel.cubin));
  CHECK(test.cache.misses() == 2);
  CHECK(fs::status(path).permissions() == fs::perms(0600));
  test.get();
  CHECK(test.cache.hits() == 1);
  if (::geteuid() == 0) {
    REQUIRE(::chown(path.c_str(), 12345, 12345) == 0);
    test.get();
    CHECK(test.cache.misses() == 3);
    test.get();
    CHECK(test.cache.hits() == 2);
  }
  CHECK(test.warnings.empty());
}

TEST_CASE("A link in place of an entry is not read, and its target is not written") {
  const TemporaryFolder folder;
  TestCache test(folder / "cache");
  test.get();
  const fs::path path = test.cache.entry_path(kSource), target = folder / "target";
  const std::string entry = read_file(path);
  fs::rename(path, target);
  fs::create_symlink(target, path);
  test.get();
  CHECK(test.cache.misses() == 2);
  CHECK(fs::is_regular_file(fs::symlink_status(path)));
  fs::remove(path);
  write_file(target, "precious");
  fs::create_symlink(target, path);
  test.get();
  CHECK(read_file(target) == "precious");
  CHECK((read_file(path) == entry));
}

TEST_CASE("A folder that others can write is not used as a cache unless it is sticky") {
  const TemporaryFolder folder;
  TestCache(folder / "cache").get();
  fs::permissions(folder / "cache", fs::perms(0777));
  TestCache test(folder / "cache");
  CHECK(test.get().usable());
  CHECK(test.get().usable());
  CHECK(test.cache.misses() == 2);
  REQUIRE(test.warnings.size() == 1);
  CHECK(test.warnings[0] ==
        "tilecast: warning: compiled kernels are not cached: " + (folder / "cache").string() +
            ": writable by other users (chmod go-w)");
  fs::permissions(folder / "cache", fs::perms(01777));
  CHECK(test.get().usable());
  CHECK(test.cache.hits() == 1);
}

TEST_CASE("Another kernel's entry is not mistaken for this one's") {
  const TemporaryFolder folder;
  TestCache test(folder / "cache");
  const CompiledKernel kernel = test.get();
  const KernelSource other = with_factor(2);
  fs::copy_file(test.cache.entry_path(kSource), test.cache.entry_path(other));
  CHECK((test.cache.get(other).cubin != kernel.cubin));
  CHECK(test.cache.hits() == 0);
}

TEST_CASE("If the folder cannot be written, there is one warning and kernels compile") {
  const TemporaryFolder folder;
  write_file(folder / "file", "not a folder");
  for (const fs::path& place :
       {folder / "file", folder / "file/cache", fs::path("/proc/tilecast")}) {
    INFO(place.string());
    TestCache test(place);
    CHECK(test.get().usable());
    CHECK(test.get().usable());
    CHECK(test.cache.misses() == 2);
    REQUIRE(test.warnings.size() == 1);
    CHECK(test.warnings[0].starts_with("tilecast: warning: compiled kernels are not cached: " +
                                       place.string()));
  }
  CHECK(read_file(folder / "file") == "not a folder");
}

TEST_CASE("Threads that miss at once all get the same kernel") {
  const TemporaryFolder folder;
  TestCache test(folder / "cache");
  std::vector<std::string> cubins(8);
  {
    std::vector<std::jthread> threads;
    for (std::string& cubin : cubins) {
      threads.emplace_back([&test, &cubin] { cubin = test.get().cubin; });
    }
  }
  for (const std::string& cubin : cubins) {
    CHECK(!cubin.empty());
    CHECK((cubin == cubins[0]));
  }
  CHECK(test.cache.hits() + test.cache.misses() == 8);
  CHECK(files_in(folder / "cache") == 1);
}

TEST_CASE("Processes that write and read one entry at once never see a broken one") {
  const TemporaryFolder folder;
  const std::string expected = TestCache(folder / "expected").get().cubin;
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      bool good = true;
      for (int round = 0; round < 10 && good; ++round) {
        TestCache test(folder / "cache");
        const fs::path entry = test.cache.entry_path(kSource);
        good = test.get().cubin == expected && test.warnings.empty();
        std::error_code ignored;
        fs::remove(entry, ignored);  // so that the other caches write it again
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    CHECK(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
}

TEST_CASE("The cache folder comes from the environment, else it is in the user's cache folder") {
  const Environment own("TILECAST_CACHE_DIR", "/somewhere");
  const Environment xdg("XDG_CACHE_HOME", "/xdg");
  const Environment home("HOME", "/home/me");
  CHECK(default_cache_folder() == "/somewhere");
  const Environment no_own("TILECAST_CACHE_DIR", nullptr);
  CHECK(default_cache_folder() == "/xdg/tilecast");
  const Environment relative("XDG_CACHE_HOME", "relative");
  CHECK(default_cache_folder() == "/home/me/.cache/tilecast");
  const Environment no_home("HOME", nullptr);
  CHECK(default_cache_folder().empty());
  // Without a folder kernels still compile, and nothing is written.
  CubinCache cache({}, kSources);
  CHECK(cache.get(kSource).usable());
  CHECK(cache.get(kSource).usable());
  CHECK(cache.misses() == 2);
}

}  // namespace tilecast
