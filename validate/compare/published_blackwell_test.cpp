// Closed forms and simulator on Blackwell against the only figures there are: what a tutorial
// prints. Nothing was fitted to them, and neither method was chosen by them. Runs in the repository
// root.
#include "validate/compare/published_blackwell.h"

#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "model/base/file.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "validate/compare/statistics.h"

namespace tilecast {
namespace {

// The bars are 0.12 and, for each order, 0.7; what misses is in docs/dev/known-gaps.md, X3.
// Simulated, eight warps are behind four by a hair, so that one pair of a table may turn round:
// 0.87 where it is 1.00 now.
struct Present {
  Method method;
  double error;
  std::pair<const char*, double> order[4];
};
constexpr Present kPresent[] = {
    {Method::kAnalytic,
     0.082,
     {{"Nonpersistent: tile and buffers, Blackwell", 0.60},
      {"Persistent: tile and buffers, Blackwell", 1.00},
      {"Persistent: group of tiles, Blackwell", 0.53},
      {"Over K, Blackwell", 0.35}}},
    {Method::kSimulated,
     0.080,
     {{"Nonpersistent: tile and buffers, Blackwell", 1.00},
      {"Persistent: tile and buffers, Blackwell", 0.87},
      {"Persistent: group of tiles, Blackwell", 0.40},
      {"Over K, Blackwell", 0.41}}},
};
constexpr const char* kFigures = "validate/data/public/gluon_throughput.csv";

}  // namespace

TEST_CASE("Published Blackwell speeds are predicted without having been fitted to") {
  const GpuSpec gpu = load_gpu("gb200", false).spec;
  const std::vector<PublishedFigure> rows =
      modelled_gemms(parse_published(read_file(kFigures), kFigures), "gb200");
  for (const Present& present : kPresent) {
    std::map<std::string, std::pair<Values, Values>> tables;  // measured, predicted
    Values errors;
    std::printf("%s\n", std::string(to_text(present.method)).c_str());
    for (const PublishedFigure& row : rows) {
      const double error = speed_error(gpu, row, present.method);
      errors.push_back(std::abs(error));
      tables[row.table].first.push_back(row.value);
      tables[row.table].second.push_back(row.value * (1 + error));
      std::printf("%-43s %-16s %7.1f %7.1f %+5.1f %%  %s\n", row.table.c_str(),
                  to_text(row.problem).c_str(), row.value, row.value * (1 + error), error * 100,
                  row.config_there.c_str());
    }
    std::printf("mean error %.1f %%\n", mean(errors) * 100);
    CHECK(errors.size() >= 35);
    CHECK(mean(errors) <= 0.12);  // the bar
    CHECK(mean(errors) < present.error + 0.002);
    CHECK(tables.size() == std::size(present.order));
    for (const auto& [table, order] : present.order) {
      const auto& [measured, predicted] = tables.at(table);
      const double tau = kendall_tau(measured, predicted).value();
      std::printf("%-43s tau %.2f\n", table, tau);
      CHECK(tau > order - 0.02);
    }
  }
}

}  // namespace tilecast
