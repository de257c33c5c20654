// Checks that micro-benchmarks and the GPU file are consistent: keys that a benchmark claims to
// measure exist, and every measured value of the H200's file has a benchmark. The number of values
// that are not measured must not grow, and each has a reason. Runs in the repository root.
#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "model/base/file.h"
#include "model/spec/gpu_fields.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

/// The keys (section.key) named in the opening comment of each file.
std::map<std::string, std::set<std::string>> keys_of_kernels(
    const std::set<std::string>& sections) {
  static const std::regex kKey(R"(\b([a-z][a-z0-9]*)\.([a-z][a-z0-9_]*)\b)");
  std::map<std::string, std::set<std::string>> keys;
  for (const char* folder : {"kernels/micro", "kernels/stream"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string text = read_file(entry.path());
      const std::size_t begin = text.find("// Key: ");
      if (entry.path().extension() != ".cu" || begin == std::string::npos) {
        continue;
      }
      const std::size_t end = std::min(text.find("\n//\n", begin), text.find("\n#", begin));
      const std::string paragraph = text.substr(begin, end - begin);
      for (std::sregex_iterator at(paragraph.begin(), paragraph.end(), kKey), last; at != last;
           ++at) {
        if (sections.contains((*at)[1])) {
          keys[entry.path().filename().string()].insert(at->str());
        }
      }
    }
  }
  return keys;
}

}  // namespace

TEST_CASE("Every micro-benchmark names keys, and each is one of the GPU file") {
  const LoadedGpu gpu = load_gpu("h200_sxm", false);
  std::set<std::string> known, sections;
  for (const Constant& constant : gpu.constants) {
    known.insert(constant.key_path);
    sections.insert(constant.key_path.substr(0, constant.key_path.find('.')));
  }
  const auto named = keys_of_kernels(sections);
  for (const auto& entry : std::filesystem::directory_iterator("kernels/micro")) {
    INFO(entry.path().string());
    CHECK((entry.path().extension() != ".cu" || named.contains(entry.path().filename().string())));
  }
  std::set<std::string> measured_somewhere;
  for (const auto& [file, keys] : named) {
    for (const std::string& key : keys) {
      INFO(file);
      INFO(key);
      CHECK(known.contains(key));
      measured_somewhere.insert(key);
    }
  }
  SECTION("and every number that was measured has a kernel that names it") {
    // Derived from timelines of GEMMs and not measured by a kernel.
    const std::set<std::string> off_timelines{"machine.gpc_clock_spread"};
    for (const Constant& constant : gpu.constants) {
      if (constant.source == Source::kMeasured && !off_timelines.contains(constant.key_path)) {
        INFO(constant.key_path);
        CHECK(measured_somewhere.contains(constant.key_path));
      }
    }
  }
  SECTION("the one that the table of constants names among them") {
    GpuSpec spec = gpu.spec;
    for (const Field& field : fields_of(spec)) {
      const std::string kernel(field.micro_kernel);
      if (!kernel.empty()) {
        INFO(field.path());
        const auto file = named.find(kernel + ".cu");
        REQUIRE(file != named.end());
        CHECK(file->second.contains(field.path()));
      }
      const auto constant = std::ranges::find(gpu.constants, field.path(), &Constant::key_path);
      CHECK((!kernel.empty() || constant->source != Source::kMeasured ||
             field.path() == "machine.gpc_clock_spread"));
    }
  }
}

TEST_CASE("Values that are fitted or assumed state their reason, and their number does not grow") {
  constexpr int kMost = 28;  // fitted and assumed values, 11 of them of attention alone
  const std::string page = read_file("docs/dev/notebook/constants.md");
  const std::size_t begin = page.find("\n## The fit\n"), end = page.find("\n## ", begin + 1);
  REQUIRE(end != std::string::npos);
  const std::string defended = page.substr(begin, end - begin);
  for (const bool calibrated : {false, true}) {
    int unmeasured = 0;
    for (const Constant& constant : load_gpu("h200_sxm", calibrated).constants) {
      const bool is_one = constant.source == Source::kFitted || constant.source == Source::kAssumed;
      unmeasured += is_one ? 1 : 0;
      INFO(constant.key_path);
      CHECK((!is_one || contains(defended, "`" + constant.key_path + "`")));
    }
    CHECK(unmeasured <= kMost);
  }
}

TEST_CASE("The learned correction of an op takes at most 100 kB") {
  int corrections = 0;
  for (const auto& entry : std::filesystem::directory_iterator("configs/gpus")) {
    const std::filesystem::path& yaml = entry.path();
    if (!yaml.string().ends_with(".learned.yaml")) {
      continue;
    }
    const std::filesystem::path csv = std::filesystem::path(yaml).replace_extension(".csv");
    CAPTURE(yaml.string());
    CHECK(std::filesystem::file_size(yaml) + std::filesystem::file_size(csv) <= 100'000);
    ++corrections;
  }
  CHECK(corrections == 3);
}

}  // namespace tilecast
