// Tests the measurements in the repository: the model's error on them is no worse than recorded,
// and the headline of docs/accuracy.md is computed from them. Runs in the repository root.

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/commands.h"
#include "cli/report_input.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "model/rank/order_confidence.h"
#include "reports/page.h"
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

/// Returns the folders of a GPU's data that have a record: the GPU's own folder, and families of
/// kernels in it.
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

/// Returns the arguments that check each record of the folder: records of the analytic model, of
/// simulations if `simulated`, and of both without the learned correction.
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

/// Tests that simulate rows for most of a minute run on two days in turn.
enum class Day { kRecords, kReport };
bool due_on(Day day) {
  return daily_seed("tables of simulations") % 2 == static_cast<unsigned>(day);
}

TEST_CASE("The error on the committed measurements is no worse than recorded") {
  int records = 0;
  const bool simulated = due_on(Day::kRecords);
  for (const std::string& of_gpu : sorted_paths("validate/data")) {
    if (!std::filesystem::is_directory(of_gpu) ||
        std::filesystem::path(of_gpu).filename() == "public") {  // measurements by others
      continue;
    }
    const std::string gpu = std::filesystem::path(of_gpu).filename().string();
    for (const std::string& folder : recorded_folders(of_gpu)) {
      std::vector<std::string> arguments{"validate", "--gpu", gpu};
      if (std::filesystem::exists(folder + "/split.yaml")) {  // held-out rows
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
        const CapturedRun run = run_captured(run_validate, checked);
        CAPTURE(check, run.err);
        CHECK(run.exit_code == 0);
        ++records;
      }
    }
  }
  // GEMMs, memory-bound kernels, and the data set with and without the learned correction; the data
  // set also with simulation.
  CHECK(records >= (simulated ? 6 : 4));
}

/// Predicted and measured time.
using Times = std::pair<Seconds, Seconds>;

TEST_CASE("docs/accuracy.md and the shares of pairs in order follow from the held-out kernels") {
  if (!due_on(Day::kReport)) {
    SUCCEED("not today");
    return;
  }
  Manifest manifest = load_manifest("reports/h200.yaml");
  manifest.waves.reset();
  manifest.timelines.clear();
  const ReportInput input = load_report_input(manifest, {});
  CHECK(
      contains(read_file("docs/accuracy.md"), report_headline(report_json(input), "reports/page")));
  struct Counted {
    int all = 0, in_order = 0;
  };
  std::map<Regime, std::map<double, Counted>> pairs;  // counts by up_to
  for (const JoinedGroup& group : input.judged.data.groups) {
    if (group.points.empty() || group.inputs != Inputs::kNormal ||
        group.l2_state != L2State::kRotating) {
      continue;
    }
    std::vector<Times> kernels;
    for (const JoinedPoint& point : group.points) {
      kernels.emplace_back(point.predicted.time, point.measured_time());
    }
    std::ranges::sort(kernels);
    for (auto fast = kernels.begin();
         fast != kernels.end() && fast->first / kernels.front().first < 1.1; ++fast) {
      for (auto slow = fast + 1; slow != kernels.end(); ++slow) {
        Counted& own = pairs[group.regime][pairs_apart(slow->first / fast->first - 1)->up_to];
        ++own.all;
        own.in_order += fast->second <= slow->second ? 1 : 0;
      }
    }
  }
  CHECK(pairs.size() == 2);
  for (auto& [regime, counted] : pairs) {
    const bool bursts = regime == Regime::kBurst;
    for (const OrderedPairs& recorded : kOrderedPairs) {
      const auto& [all, in_order] = counted[recorded.up_to];
      CAPTURE(to_text(regime), recorded.up_to, all, in_order);
      CHECK(all > (bursts ? 500 : 30));
      // The printed words stay correct within this margin when the model changes.
      CHECK(static_cast<double>(in_order) / all ==
            Approx(bursts ? recorded.burst : recorded.sustained).margin(bursts ? 0.03 : 0.06));
    }
  }
}

TEST_CASE("Memory-bound rows use the closed form with either method") {
  const auto validated = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"validate", "--no-calibration", "--format", "json", "--data",
                               "validate/data/h200_sxm/stream/ragged.csv.gz"});
    const CapturedRun run = run_captured(run_validate, more);
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
