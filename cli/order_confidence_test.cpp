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
  // Predicted and measured times, by regime and shape.
  std::map<std::string, std::map<std::string, std::vector<std::pair<double, double>>>> problems;
  for (const CsvRecord& row : csv.records) {
    if (row.fields[part] == "judge" && row.fields[conditions] == "usual") {
      problems[row.fields[regime]][row.fields[shape]].emplace_back(std::stod(row.fields[predicted]),
                                                                   std::stod(row.fields[measured]));
    }
  }
  for (auto& [name, of_regime] : problems) {
    CHECK(of_regime.size() > 15);
    std::map<double, std::pair<int, int>> pairs;  // by up_to: all, and in order
    for (auto& [problem, kernels] : of_regime) {
      std::ranges::sort(kernels);
      for (auto fast = kernels.begin();
           fast != kernels.end() && fast->first < 1.1 * kernels.front().first; ++fast) {
        for (auto slow = fast + 1; slow != kernels.end(); ++slow) {
          auto& [all, in_order] = pairs[pairs_apart(slow->first / fast->first - 1)->up_to];
          ++all;
          in_order += fast->second <= slow->second ? 1 : 0;
        }
      }
    }
    const bool bursts = name == "burst";
    for (const OrderedPairs& recorded : kOrderedPairs) {
      const auto& [all, in_order] = pairs[recorded.up_to];
      CAPTURE(name, recorded.up_to, all, in_order);
      CHECK(all > (bursts ? 500 : 30));
      // As many hundredths as a new report may differ by without the words being wrong.
      CHECK(static_cast<double>(in_order) / all ==
            Approx(bursts ? recorded.burst : recorded.sustained).margin(bursts ? 0.03 : 0.06));
    }
  }
  CHECK(problems.size() == 2);
}

TEST_CASE("Kernels farther apart stand in a surer order") {
  CHECK(share_in_order(0, Regime::kBurst) == kOrderedPairs[0].burst);
  CHECK(share_in_order(0.0099, Regime::kBurst) == kOrderedPairs[0].burst);
  CHECK(share_in_order(0.02, Regime::kSustained) == kOrderedPairs[2].sustained);
  CHECK(share_in_order(3, Regime::kSustained) == std::rbegin(kOrderedPairs)->sustained);
  CHECK(std::ranges::is_sorted(kOrderedPairs, {}, &OrderedPairs::burst));
  CHECK(std::ranges::is_sorted(kOrderedPairs, {}, &OrderedPairs::sustained));
}

}  // namespace
}  // namespace tilecast
