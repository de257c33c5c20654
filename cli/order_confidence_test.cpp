#include "cli/order_confidence.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.h"
#include "validate/record/csv_text.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

TEST_CASE("The shares are those of the report's kernels that no fit has seen") {
  const CsvText csv = parse_csv(read_stored_text("reports/h200/data/points.csv.gz"), "points");
  const std::vector<std::string>& names = csv.records.front().fields;
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  };
  const std::size_t shape = column("shape"), regime = column("regime"), part = column("part"),
                    conditions = column("conditions"), predicted = column("predicted_us"),
                    measured = column("measured_us");
  REQUIRE(std::max({shape, regime, part, conditions, predicted, measured}) < names.size());
  std::map<std::string, std::vector<std::pair<double, double>>> problems;  // predicted, measured
  for (const CsvRecord& row : csv.records) {
    if (row.fields[part] == "judge" && row.fields[conditions] == "usual") {
      problems[row.fields[shape] + row.fields[regime]].emplace_back(
          std::stod(row.fields[predicted]), std::stod(row.fields[measured]));
    }
  }
  CHECK(problems.size() > 30);
  std::map<double, std::pair<int, int>> pairs;  // by up_to: all, and in order
  for (auto& [name, kernels] : problems) {
    std::ranges::sort(kernels);
    for (auto fast = kernels.begin(); fast->first < 1.1 * kernels.front().first; ++fast) {
      for (auto slow = fast + 1; slow != kernels.end(); ++slow) {
        const auto& [up_to, share] = *pairs_apart(slow->first / fast->first - 1);
        ++pairs[up_to].first;
        pairs[up_to].second += fast->second <= slow->second ? 1 : 0;
      }
      if (fast + 1 == kernels.end()) {
        break;
      }
    }
  }
  for (const auto& [up_to, share] : kOrderedPairs) {
    CAPTURE(up_to);
    CHECK(pairs[up_to].first > 500);
    // As many hundredths as a new report may differ by without the words being wrong.
    CHECK(static_cast<double>(pairs[up_to].second) / pairs[up_to].first ==
          Approx(share).margin(0.03));
  }
}

TEST_CASE("Kernels farther apart stand in a surer order") {
  CHECK(pairs_apart(0)->in_order == 0.62);
  CHECK(pairs_apart(0.0099)->in_order == 0.62);
  CHECK(pairs_apart(0.01)->in_order == 0.78);
  CHECK(pairs_apart(3)->in_order == 0.99);
}

}  // namespace
}  // namespace tilecast
