// The closed forms on Blackwell against the only figures there are: what a tutorial prints. Nothing
// was fitted to them. Runs in the repository root.
#include "validate/compare/published_blackwell.h"

#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <utility>

#include "model/base/file.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "validate/compare/statistics.h"

namespace tilecast {
namespace {

constexpr double kPresentError = 0.112;
// The bar is 0.7, which one of four meets (validate/DEVIATIONS.md, Blackwell).
constexpr std::pair<const char*, double> kPresentOrder[] = {
    {"Nonpersistent: tile and buffers, Blackwell", 0.60},
    {"Persistent: tile and buffers, Blackwell", 1.00},
    {"Persistent: group of tiles, Blackwell", 0.53},
    {"Over K, Blackwell", 0.42},
};
constexpr const char* kFigures = "validate/data/published/gluon_throughput.csv";

}  // namespace

TEST_CASE("Published Blackwell speeds are predicted without having been fitted to") {
  const GpuSpec gpu = load_gpu("gb200", false).spec;
  std::map<std::string, std::pair<Values, Values>> tables;  // measured, predicted
  Values errors;
  for (const PublishedFigure& row :
       modelled_gemms(parse_published(read_file(kFigures), kFigures), "gb200")) {
    const double error = speed_error(gpu, row);
    errors.push_back(std::abs(error));
    tables[row.table].first.push_back(row.value);
    tables[row.table].second.push_back(row.value * (1 + error));
    std::printf("%-43s %-16s %7.1f %7.1f %+5.1f %%  %s\n", row.table.c_str(),
                to_text(row.problem).c_str(), row.value, row.value * (1 + error), error * 100,
                row.config_there.c_str());
  }
  std::printf("mean error %.1f %%\n", mean(errors) * 100);
  CHECK(errors.size() == 35);
  CHECK(mean(errors) <= 0.12);  // the bar
  CHECK(mean(errors) < kPresentError + 0.002);
  CHECK(tables.size() == std::size(kPresentOrder));
  for (const auto& [table, present] : kPresentOrder) {
    const auto& [measured, predicted] = tables.at(table);
    const double tau = kendall_tau(measured, predicted).value();
    std::printf("%-43s tau %.2f\n", table, tau);
    CHECK(tau > present - 0.02);
  }
}

}  // namespace tilecast
