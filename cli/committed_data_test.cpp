// The measurements in the repository: the model's error on them is no worse than recorded, and the
// tables of the pages are those they give. Runs in the repository root.

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "model/base/text.h"
#include "tests/captured_run.h"
#include "tests/catch.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

std::vector<std::string> sorted_paths(const std::filesystem::path& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool is_data(const std::string& path) {
  return path.ends_with(".csv") || path.ends_with(".csv.gz");
}

/// The folders of a GPU's data that have a record: the GPU's own, and families of kernels in it.
std::vector<std::string> recorded_folders(const std::string& of_gpu) {
  std::vector<std::string> folders;
  for (const std::string& path : sorted_paths(of_gpu)) {
    if (std::filesystem::exists(path + "/recorded_error.json")) {
      folders.push_back(path);
    }
  }
  folders.push_back(of_gpu);
  return folders;
}

/// What checks each record that somebody made of the folder: of closed forms, of simulations where
/// they are asked for, and of both by physics alone.
std::vector<std::vector<std::string>> checks_of(const std::string& folder, bool simulated) {
  std::vector<std::vector<std::string>> checks;
  for (const std::string physics : {"", "_physics"}) {
    for (const std::string method : {"", "_simulated"}) {
      const std::string record = folder + "/recorded_error" + physics + method + ".json";
      if ((simulated || method.empty()) && std::filesystem::exists(record)) {
        checks.push_back({"--check", record});
        if (!physics.empty()) {
          checks.back().emplace_back("--no-correction");
        }
      }
    }
  }
  return checks;
}

/// The predictions that the report's test left behind, so that they are not made again.
std::vector<std::string> with_kept_predictions(std::vector<std::string> arguments) {
  if (const char* const file = std::getenv("TILECAST_TEST_PREDICTIONS")) {
    arguments.insert(arguments.end(), {"--predictions", file});
  }
  return arguments;
}

/// Where nothing has changed since the committed report was last made, each of these is one that
/// simulates for most of a minute what gave the same then: they take turns, day by day.
enum class Simulated : unsigned { kRecord, kResults };

bool due_today(Simulated which) {
  const char* const file = std::getenv("TILECAST_TEST_PREDICTIONS");
  return file == nullptr || !std::filesystem::exists(std::string(file) + ".unchanged") ||
         daily_seed("tables of simulations") % 2 == static_cast<unsigned>(which);
}

TEST_CASE("The error on the committed measurements is no worse than recorded") {
  int records = 0;
  const bool simulated = due_today(Simulated::kRecord);
  for (const std::string& of_gpu : sorted_paths("validate/data")) {
    if (!std::filesystem::is_directory(of_gpu) ||
        std::filesystem::path(of_gpu).filename() == "published") {  // other people's figures
      continue;
    }
    const std::string gpu = std::filesystem::path(of_gpu).filename().string();
    for (const std::string& folder : recorded_folders(of_gpu)) {
      std::vector<std::string> arguments{"validate", "--gpu", gpu};
      if (std::filesystem::exists(folder + "/split.yaml")) {  // what no fit has seen
        arguments.insert(arguments.end(), {"--split", folder + "/split.yaml", "--part", "judge"});
      }
      arguments.emplace_back("--data");
      for (const std::string& path : sorted_paths(folder)) {
        if (is_data(path)) {
          arguments.push_back(path);
        }
      }
      for (const std::vector<std::string>& check : checks_of(folder, simulated)) {
        std::vector<std::string> checked = arguments;
        checked.insert(checked.end(), check.begin(), check.end());
        const CapturedRun run = run_captured(add_validate, with_kept_predictions(checked));
        CAPTURE(check, run.err);
        CHECK(run.exit_code == 0);
        ++records;
      }
    }
  }
  // GEMMs, memory-bound kernels, the data set with and without what was learned; and that by
  // simulation too
  CHECK(records >= (simulated ? 6 : 4));
}

TEST_CASE("The table in docs/results.md is the one that the committed measurements make") {
  if (!due_today(Simulated::kResults)) {
    SUCCEED("not today");
    return;
  }
  const CapturedRun run =
      run_captured(add_pages, with_kept_predictions({"pages", "results", "--check"}));
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
}

TEST_CASE("The other tables of pages are those that measurements and GPU files make") {
  const CapturedRun run = run_captured(
      add_pages,
      with_kept_predictions({"pages", "dataset", "splits", "ladder", "constants", "--check"}));
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
}

TEST_CASE("Memory-bound rows are taken by closed form, whatever method is asked for") {
  const auto validated = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"validate", "--no-calibration", "--format", "json", "--data",
                               "validate/data/h200_sxm/stream/ragged.csv.gz"});
    const CapturedRun run = run_captured(add_validate, more);
    CHECK(run.exit_code == 0);
    return nlohmann::json::parse(run.out);
  };
  const auto usual = validated({});
  CHECK(usual["method"] == "analytic");
  CHECK(usual["simulated"] == 0);
  CHECK(validated({"--method", "simulated"}) == usual);
}

}  // namespace
}  // namespace tilecast
