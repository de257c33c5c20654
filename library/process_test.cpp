// Tests the library inside a caller's process: it is independent of the locale, does not accumulate
// memory over calls, and reads no GPU files that other users could have written. Needs no GPU.
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>
#include <tilecast/tilecast.hpp>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "library/cpu_test.h"
#include "tests/catch.h"
#include "tests/comma_locale.h"
#include "tests/sanitized.h"
#include "tests/temporary_folder.h"

namespace {

namespace fs = std::filesystem;

tilecast_options uncached() {
  tilecast_options options = tilecast::on_h200();
  options.cache_dir = "";
  return options;
}

std::vector<tilecast_forecast> best_of(const tilecast_options& options) {
  return tilecast::predict(tilecast::problem(1024, 1024, 1024, TILECAST_BF16), options, 3);
}

/// Resident memory of the process in bytes.
long resident_bytes() {
  long all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

/// A copy of the loaded library in its own installation tree.
class CopiedLibrary {
 public:
  explicit CopiedLibrary(const fs::path& place) {
    void* const loaded = ::dlopen("libtilecast.so.0", RTLD_NOW | RTLD_NOLOAD);
    link_map* map = nullptr;
    REQUIRE((loaded != nullptr && ::dlinfo(loaded, RTLD_DI_LINKMAP, &map) == 0));
    fs::create_directories(place.parent_path());
    fs::copy_file(map->l_name, place);
    ::dlclose(loaded);
    handle_ = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(handle_ != nullptr);
  }
  ~CopiedLibrary() { ::dlclose(handle_); }
  CopiedLibrary(const CopiedLibrary&) = delete;
  CopiedLibrary& operator=(const CopiedLibrary&) = delete;

  tilecast_status predict(const char* gpu) const {
    const auto call =
        reinterpret_cast<decltype(&tilecast_predict)>(::dlsym(handle_, "tilecast_predict"));
    REQUIRE(call != nullptr);
    const tilecast_problem problem = tilecast::problem(1024, 1024, 1024, TILECAST_BF16);
    tilecast_options options = uncached();
    options.gpu = gpu;
    options.no_calibration = 1;
    tilecast_forecast forecast{};
    forecast.struct_size = sizeof forecast;
    size_t count = 1;
    return call(&problem, &options, &forecast, &count);
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace

TEST_CASE("Forecasts do not depend on a locale with a decimal comma") {
  const std::vector<tilecast_forecast> expected = best_of(uncached());
  const tilecast::CommaLocale locale;
  tilecast_options options = uncached();
  options.config_dir = "configs/../configs";  // a path that is not cached
  const std::vector<tilecast_forecast> found = best_of(options);
  REQUIRE(found.size() == 3);
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(std::memcmp(&found[i].config, &expected[i].config, sizeof found[i].config) == 0);
    CHECK(found[i].time_us == expected[i].time_us);
    CHECK(found[i].tflops == expected[i].tflops);
    CHECK(found[i].power_w == expected[i].power_w);
  }
}

TEST_CASE("Memory stays flat over 100,000 distinct expectations of a problem's groups") {
  constexpr int64_t kGroups = 64, kRows = 4096;
  std::vector<int64_t> rows(kGroups, kRows / kGroups);
  tilecast_problem problem = tilecast::problem(kRows, 1024, 1024, TILECAST_BF16);
  problem.groups = kGroups;
  problem.expected_rows = rows.data();
  tilecast_options options = uncached();
  // An error that is detected after reading the groups and before forecasting.
  options.threads = -1;
  tilecast_forecast forecast{};
  forecast.struct_size = sizeof forecast;
  const auto ask = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      // The base-40 digits of i make every list different.
      for (int64_t at = 0, left = i; at < 4; ++at, left /= 40) {
        rows[2 * at] = kRows / kGroups + left % 40;
        rows[2 * at + 1] = kRows / kGroups - left % 40;
      }
      size_t count = 1;
      if (tilecast_predict(&problem, &options, &forecast, &count) != TILECAST_INVALID_ARGUMENT) {
        return false;
      }
    }
    return true;
  };
  REQUIRE(ask(0, 1000));
  CHECK(std::string(tilecast_error_text()).starts_with("options.threads is -1"));
  const long before = resident_bytes();
  REQUIRE(ask(1000, 101'000));
  // 100,000 lists of 64 numbers of 8 bytes would take 51 MB. A sanitizer delays freeing.
  CHECK((tilecast::kSanitized || resident_bytes() - before < 4'000'000));
}

TEST_CASE("GPU files near the library are read only if no other user can have written them") {
  ::unsetenv("TILECAST_CONFIG_DIR");
  const tilecast::TemporaryFolder folder;
  const fs::path gpus = folder / "share/tilecast/gpus";
  fs::create_directories(gpus);
  fs::copy_file("configs/gpus/h200_sxm.yaml", gpus / "planted.yaml");
  const CopiedLibrary library(folder / "lib/libtilecast.so");
  for (const fs::path& part : {folder / "share", folder / "share/tilecast", gpus}) {
    INFO(part.string());
    fs::permissions(part, fs::perms(0777));
    CHECK(library.predict("planted") == TILECAST_INVALID_ARGUMENT);  // an unknown GPU name
    fs::permissions(part, fs::perms(01777));
    CHECK(library.predict("planted") == TILECAST_INVALID_ARGUMENT);
    fs::permissions(part, fs::perms(0755));
    if (::geteuid() == 0) {
      REQUIRE(::chown(part.c_str(), 12345, 12345) == 0);
      CHECK(library.predict("planted") == TILECAST_INVALID_ARGUMENT);
      REQUIRE(::chown(part.c_str(), 0, 0) == 0);
    }
  }
  CHECK(library.predict("planted") == TILECAST_OK);
}

TEST_CASE("An overlong text is refused without reading all of it") {
  const tilecast_problem problem = tilecast::problem(1024, 1024, 1024, TILECAST_BF16);
  const std::string most(4095, 'x'), longer(4096, 'x');
  const auto error_of = [&](const char* tilecast_options::*field, const std::string& text) {
    tilecast_options options = uncached();
    options.*field = text.c_str();
    tilecast_forecast forecast{};
    forecast.struct_size = sizeof forecast;
    size_t count = 1;
    CHECK(tilecast_predict(&problem, &options, &forecast, &count) ==
          (field == &tilecast_options::config_dir && text == most ? TILECAST_FILE_ERROR
                                                                  : TILECAST_INVALID_ARGUMENT));
    return std::string(tilecast_error_text());
  };
  CHECK(error_of(&tilecast_options::gpu, longer) == "options.gpu is longer than 4095 bytes");
  CHECK(error_of(&tilecast_options::gpu, most).starts_with("unknown GPU 'xxx"));
  CHECK(error_of(&tilecast_options::config, longer) == "options.config is longer than 4095 bytes");
  CHECK(error_of(&tilecast_options::config_dir, longer) ==
        "options.config_dir is longer than 4095 bytes");
  CHECK(error_of(&tilecast_options::config_dir, most) != "");
  CHECK(error_of(&tilecast_options::cache_dir, std::string(std::size_t{1} << 24, 'x')) ==
        "options.cache_dir is longer than 4095 bytes");
}

TEST_CASE("A forecast names a configuration, and one that no plan can run is refused") {
  const tilecast_problem problem = tilecast::problem(128, 4096, 4096, TILECAST_FP16);
  tilecast_options options = uncached();
  options.config = "split_k:tile=128x128x64,splits=2,reduction=spread";
  const auto status_of = [](auto call) {
    try {
      call();
    } catch (const tilecast::Failure& failure) {
      return failure.status();
    }
    return TILECAST_OK;
  };
  CHECK(status_of([&] { (void)tilecast::predict(problem, options).front(); }) ==
        TILECAST_UNSUPPORTED);
  CHECK(std::string(tilecast_error_text()) ==
        std::string(options.config) +
            ": reduction=spread can deadlock if another kernel runs at the same time, so "
            "libtilecast does not run it");
  CHECK(status_of([&] { (void)tilecast::Plan(problem, options); }) == TILECAST_UNSUPPORTED);
  // The pattern also matches configurations without reduction=spread, which a plan can run.
  options.config = "split_k:tile=128x128x64,splits=2";
  const tilecast_forecast best = tilecast::predict(problem, options).front();
  CHECK(std::string(best.config).starts_with("split_k:tile=128x128x64,"));
  CHECK(!tilecast::contains(std::string(best.config), "reduction=spread"));
  CHECK(best.time_us > 0);
}
